#include "interfaces/plot/released_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "data/cells/number.h"
#include "data/cells/number_text.h"
#include "modicum/data/fields.h"
#include "modicum/data/json.h"
#include "modicum/data/table.h"
#include "modicum/release/description.h"
#include "modicum/release/release_files.h"
#include "release/certificates/read_file.h"

namespace modicum {
namespace {

[[noreturn]] void not_a_release(const std::string& path, std::string_view why) {
  throw UnreadableFile(fmt::format("{}: {}", path, why));
}

constexpr const char* expected =
    "must be released counts, means or the like, with the columns value, lower and upper";

double number_or_gap(const std::string& path, const std::string& text) {
  double value = std::nan("");
  if (!text.empty() && !data::parse_number(text, value)) not_a_release(path, expected);
  return value;
}

std::vector<ReleasedTable::Row> rows_in_csv(const std::string& path) {
  TableFiles files;
  files.paths = {path};
  files.header_declared = true;
  files.multiline = true;  // names may hold line breaks, in quotes
  const Table table(files);
  if (table.columns() != std::vector<std::string>{"name", "value", "lower", "upper"})
    not_a_release(path, expected);
  ReadOptions strict;
  strict.bad_rows = BadRows::refused;
  std::vector<ReleasedTable::Row> rows;
  table.for_each_text_block({0, 1, 2, 3}, strict, [&](const TextBlock& block) {
    return [&rows, &path, block] {
      for (const std::vector<std::string>& row : block)
        rows.push_back({row[0], number_or_gap(path, row[1]), number_or_gap(path, row[2]),
                        number_or_gap(path, row[3])});
    };
  });
  return rows;
}

double number_or_gap(const std::string& path, const Value& value) {
  if (value.is_null()) return std::nan("");
  if (!value.is_number()) not_a_release(path, expected);
  return value.number();
}

std::vector<ReleasedTable::Row> rows_in_json(const std::string& path, const Value& tree) {
  if (!tree.is_record() || !tree.contains("rows") || !tree.contains("columns") ||
      !tree.contains("values") ||
      tree.at("columns").texts() != std::vector<std::string>{"value", "lower", "upper"} ||
      tree.at("rows").size() != tree.at("values").size())
    not_a_release(path, expected);
  const std::vector<std::string> names = tree.at("rows").texts();
  std::vector<ReleasedTable::Row> rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Value& row = tree.at("values").at(i);
    if (!row.is_list() || row.size() != 3) not_a_release(path, expected);
    rows.push_back({names[i], number_or_gap(path, row.at(0)), number_or_gap(path, row.at(1)),
                    number_or_gap(path, row.at(2))});
  }
  return rows;
}

Value parsed(const std::string& path, const std::string& text) {
  try {
    return parse_json(text);
  } catch (const InvalidDescription& error) {
    not_a_release(path, error.what());
  }
}

// One of several releases under one budget: its rows, and its parameters without the prefix.
void take_part(ReleasedTable& table, const std::string& part) {
  const std::vector<std::string> parts = table.texts("releases");
  if (parts.empty()) {
    if (!part.empty())
      throw UsageError("`part` must not be given for a release that is alone under its budget");
    return;
  }
  std::size_t place = 0;
  while (place < parts.size() && parts[place] != part) ++place;
  if (place == parts.size())
    throw UsageError(fmt::format("`part` must be one of the releases under this budget: {}",
                                 one_line(fmt::format("{}", fmt::join(parts, "; ")), 1000)));
  const std::string prefix = fmt::format("release_{}_", place + 1);
  Value own = Value::record();
  for (const auto& [key, value] : table.parameters.members())
    if (key.starts_with(prefix)) own[key.substr(prefix.size())] = value;
  table.parameters = std::move(own);
  table.part = part;
  std::vector<ReleasedTable::Row> rows;
  for (ReleasedTable::Row& row : table.rows) {
    if (row.name == part) rows.push_back(std::move(row));
    else if (row.name.starts_with(part + ": ")) {
      row.name.erase(0, part.size() + 2);
      rows.push_back(std::move(row));
    }
  }
  table.rows = std::move(rows);
}

}  // namespace

std::vector<std::string> ReleasedTable::texts(const std::string& parameter) const {
  const Value* const found = parameters.find(parameter);
  return found != nullptr && found->is_list() ? found->texts() : std::vector<std::string>{};
}

std::vector<double> ReleasedTable::numbers(const std::string& parameter) const {
  const Value* const found = parameters.find(parameter);
  return found != nullptr && found->is_list() ? found->numbers() : std::vector<double>{};
}

std::string ReleasedTable::what() const {
  std::string words = statistic;
  if (const auto columns = texts("columns"); !columns.empty())
    words += fmt::format(" of {}", fmt::join(columns, ", "));
  if (const auto by = texts("by"); !by.empty()) words += fmt::format(" by {}", fmt::join(by, ", "));
  return words;
}

std::string ReleasedTable::promise() const {
  const Value& target = certificate.at("target");
  std::string words =
      fmt::format("({}, {})-differentially private, {}", target.at("epsilon").number(),
                  target.at("delta").number(), certificate.at("guarantee").text());
  bool intervals = false;
  for (const Row& row : rows) intervals = intervals || !std::isnan(row.lower);
  const Value* const level = parameters.find("confidence");
  if (intervals && level != nullptr && level->is_number())
    words += fmt::format("; intervals of {:.6g} % for the noise alone", 100.0 * level->number());
  return words;
}

ReleasedTable read_released(const std::string& path, const std::string& certificate,
                            const std::string& part) {
  const std::string beside = certificate.empty() ? path + ".certificate.json" : certificate;
  const std::string text = read_file(path);
  ReleasedTable table;
  table.certificate = parsed(beside, read_file(beside));
  const Value& tree = table.certificate;
  for (const char* key : {"target", "guarantee", "parameters", "output"})
    if (!tree.is_record() || !tree.contains(key))
      not_a_release(beside, fmt::format("must be a certificate, but has no {}", key));
  if (tree.at("output").at("sha256").text() != sha256(text))
    not_a_release(path, "is not the file that the certificate was written for");
  table.parameters = tree.at("parameters");
  if (path.ends_with(".json")) table.rows = rows_in_json(path, parsed(path, text));
  else if (path.ends_with(".csv")) table.rows = rows_in_csv(path);
  else throw InvalidParameter("table", in_quotes(path), "must end in .csv or .json");
  take_part(table, part);
  const Value* const statistic = table.parameters.find("statistic");
  if (statistic == nullptr || !statistic->is_text()) not_a_release(beside, expected);
  table.statistic = statistic->text();
  return table;
}

}  // namespace modicum
