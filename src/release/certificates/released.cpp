#include "modicum/release/released.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "modicum/data/json.h"
#include "modicum/release/number_table.h"

namespace modicum {
namespace {

// A field of a CSV file: in quotation marks where it would not be read back as it is.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos && !text.empty()) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

template <class Numbers>
std::string encode_csv(const Numbers& released) {
  std::string out = "name";
  for (const std::string& name : released.column_names) out += "," + csv_field(name);
  out += "\n";
  for (Eigen::Index i = 0; i < released.values.rows(); ++i) {
    out += csv_field(released.row_names[static_cast<std::size_t>(i)]);
    for (Eigen::Index j = 0; j < released.values.cols(); ++j)
      out += std::isnan(released.values(i, j)) ? "," : fmt::format(",{}", released.values(i, j));
    out += "\n";
  }
  return out;
}

// Version 1.0 of the format: magic bytes, length of the header, the header padded so that the data
// start at a multiple of 64.
template <class Numbers>
std::string encode_npy(const Numbers& released) {
  static_assert(std::endian::native == std::endian::little, "<f8 is the native order");
  std::string header =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}",
                  released.values.rows(), released.values.cols());
  const std::size_t before = 10;  // magic, version and length
  header.append(64 - (before + header.size() + 1) % 64, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  const RowBlock by_rows = released.values;
  const std::size_t start = out.size(),
                    bytes = static_cast<std::size_t>(by_rows.size()) * sizeof(double);
  out.resize(start + bytes);
  if (bytes > 0) std::memcpy(out.data() + start, by_rows.data(), bytes);
  return out;
}

template <class Numbers>
std::string encode_json(const Numbers& released) {
  Value values = Value::list();
  for (Eigen::Index i = 0; i < released.values.rows(); ++i) {
    Value row = Value::list();
    for (Eigen::Index j = 0; j < released.values.cols(); ++j)
      row.push_back(std::isnan(released.values(i, j)) ? Value() : Value(released.values(i, j)));
    values.push_back(std::move(row));
  }
  const Value whole{{"rows", released.row_names},
                    {"columns", released.column_names},
                    {"values", std::move(values)}};
  return json_line(whole);
}

void require_finite(const Eigen::MatrixXd& values, bool has_gaps) {
  if (has_gaps ? values.array().isInf().any() : !values.allFinite())
    throw Error("the release has numbers that are not finite; nothing is released");
}

template <class Numbers>
std::string encode_numbers(const Numbers& numbers, OutputFormat format) {
  switch (format) {
    case OutputFormat::csv:
      return encode_csv(numbers);
    case OutputFormat::npy:
      return encode_npy(numbers);
    case OutputFormat::json:
      return encode_json(numbers);
  }
  throw Error("there is no such output format");
}

}  // namespace

OutputFormat format_of(const std::string& path) {
  if (path.ends_with(".csv")) return OutputFormat::csv;
  if (path.ends_with(".npy")) return OutputFormat::npy;
  if (path.ends_with(".json")) return OutputFormat::json;
  throw InvalidParameter("output", fmt::format("\"{}\"", path), "must end in .csv, .npy or .json");
}

void require_finite_values(const Released& released) {
  require_finite(released.values, released.has_gaps);
}

std::string encode(const Released& released, OutputFormat format) {
  require_finite_values(released);
  return encode_numbers(released, format);
}

std::string encode(const NumberTable& numbers, OutputFormat format) {
  const auto rows = static_cast<Eigen::Index>(numbers.row_names.size());
  const auto columns = static_cast<Eigen::Index>(numbers.column_names.size());
  if (rows != numbers.values.rows() || columns != numbers.values.cols())
    throw InvalidParameter("names of rows and columns", static_cast<double>(rows),
                           "must be as many as there are rows and columns");
  require_finite(numbers.values, true);
  return encode_numbers(numbers, format);
}

PublicRows::PublicRows(const RowRule& rule, double bound, BadRows rule_for_bad_rows)
    : names(rule.names()),
      ranges(rule.ranges()),
      row_norm_bound(IntegerClip(bound).row_norm_bound()),
      bad_rows(rule_for_bad_rows),
      files(rule.assumptions()),
      intercept(rule.width() > rule.table_columns().size()) {
  for (std::size_t column = 0; column < rule.width(); ++column) {
    centers.push_back(rule.offset(column));
    scales.push_back(rule.scale(column));
  }
}

PublicRows::PublicRows(std::vector<std::string> given_names, double bound)
    : names(std::move(given_names)),
      centers(names.size(), 0.0),
      scales(names.size(), 1.0),
      row_norm_bound(IntegerClip(bound).row_norm_bound()) {}

namespace {

void require_bound_and_width(const PublicRows& rows, double bound, std::size_t width) {
  if (!(bound == rows.row_norm_bound))
    throw InvalidParameter("row_norm_bound", bound, "must be that of the plan");
  if (width != rows.names.size())
    throw InvalidParameter("coordinates", static_cast<double>(width), "must be those of the plan");
}

}  // namespace

void PublicRows::require_same(const IntegerGram& gram, double sampling_rate) const {
  require_bound_and_width(*this, gram.row_norm_bound, static_cast<std::size_t>(gram.dimension));
  if (!(gram.sampling_rate == sampling_rate))
    throw InvalidParameter("sampling_rate", gram.sampling_rate, "must be that of the plan");
}

void PublicRows::require_same(const IntegerSum& sum) const {
  require_bound_and_width(*this, sum.row_norm_bound, sum.entries.size());
}

void PublicRows::require_same(const RowRule& rule) const {
  const bool same_ranges = std::equal(ranges.begin(), ranges.end(), rule.ranges().begin(),
                                      rule.ranges().end(), [](const auto& a, const auto& b) {
                                        return a.first == b.first && a.second.low == b.second.low &&
                                               a.second.high == b.second.high;
                                      });
  if (rule.names() != names || !same_ranges)
    throw InvalidParameter("the rule of the rows", "another", "must be that of the plan");
}

}  // namespace modicum
