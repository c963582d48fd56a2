// Reading what encode() has written: the values are picked out, then encoded again, and the bytes
// must be the same. So nothing else is taken for such a file.
#include "release/reports/coefficient_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "data/cells/number_text.h"
#include "modicum/data/json.h"
#include "modicum/data/unreadable_file.h"

namespace modicum {
namespace {

// Records of fields; quotes may hold separators, line ends and doubled quotes.
std::vector<std::vector<std::string>> csv_records(const std::string& content) {
  std::vector<std::vector<std::string>> records(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < content.size(); ++i) {
    const char c = content[i];
    std::string& field = records.back().back();
    if (quoted && c == '"' && i + 1 < content.size() && content[i + 1] == '"')
      field += content[++i];
    else if (c == '"') quoted = !quoted;
    else if (!quoted && c == ',') records.back().emplace_back();
    else if (!quoted && c == '\n') records.emplace_back(1);
    else field += c;
  }
  records.pop_back();  // after the last line end
  return records;
}

NumberTable from_csv(const std::string& content) {
  const auto records = csv_records(content);
  NumberTable parts;
  if (records.empty()) return parts;
  parts.column_names.assign(records.front().begin() + 1, records.front().end());
  const auto columns = static_cast<Eigen::Index>(parts.column_names.size());
  parts.values.setZero(static_cast<Eigen::Index>(records.size()) - 1, columns);
  for (std::size_t i = 1; i < records.size(); ++i) {
    parts.row_names.push_back(records[i].front());
    for (std::size_t j = 1; j < std::min(records[i].size(), parts.column_names.size() + 1); ++j)
      parts.values(static_cast<Eigen::Index>(i) - 1, static_cast<Eigen::Index>(j) - 1) =
          read_number(records[i][j]).value_or(0.0);
  }
  return parts;
}

NumberTable from_npy(const std::string& content) {
  NumberTable parts;
  const std::size_t start = content.find('\n', 10) + 1;  // npos + 1 is 0
  const std::size_t rows = start == 0 ? 0 : (content.size() - start) / (2 * sizeof(double));
  RowBlock values(static_cast<Eigen::Index>(rows), 2);
  if (rows > 0) std::memcpy(values.data(), content.data() + start, rows * 2 * sizeof(double));
  parts.values = values;
  parts.row_names.resize(rows);
  parts.column_names = {"coefficient", "standardized"};
  return parts;
}

NumberTable parts_of(const std::string& content, OutputFormat format) {
  switch (format) {
    case OutputFormat::csv:
      return from_csv(content);
    case OutputFormat::npy:
      return from_npy(content);
    case OutputFormat::json:
      break;
  }
  return numbers_in(parse_json(content));
}

OutputFormat format_of_release(const std::string& path) {
  try {
    return format_of(path);
  } catch (const InvalidParameter&) {
    throw InvalidParameter("release", in_quotes(path), "must end in .csv, .npy or .json");
  }
}

}  // namespace

NumberTable numbers_in(const Value& whole) {
  NumberTable numbers{whole.at("rows").texts(), whole.at("columns").texts(), {}};
  const Value::List& rows = whole.at("values").items();
  const auto columns = static_cast<Eigen::Index>(numbers.column_names.size());
  numbers.values.resize(static_cast<Eigen::Index>(rows.size()), columns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<double> row = rows[i].numbers();
    if (static_cast<Eigen::Index>(row.size()) != columns)
      throw Error("rows of numbers must have one for each column");
    numbers.values.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXd>(row.data(), columns);
  }
  return numbers;
}

bool holds_coefficients(const NumberTable& numbers) {
  const std::vector<std::string>& columns = numbers.column_names;
  return numbers.values.rows() > 0 && columns.size() == 2 && columns[0] == "coefficient" &&
         (columns[1] == "standardized" || columns[1] == "standardised");
}

NumberTable released_numbers_in(const std::string& content, const std::string& path) {
  const OutputFormat format = format_of_release(path);
  if (format == OutputFormat::npy)
    throw InvalidParameter("release", in_quotes(path), "must end in .csv or .json");
  try {
    NumberTable numbers = parts_of(content, format);
    if (encode(numbers, format) == content) return numbers;
  } catch (const Error&) {  // not JSON, other JSON, or numbers that are not finite
  }
  throw UnreadableFile(
      fmt::format("{} is no file of numbers as `release` writes them", in_quotes(path)));
}

NumberTable coefficients_in(const std::string& content, const std::string& path) {
  const OutputFormat format = format_of_release(path);
  try {
    NumberTable numbers = parts_of(content, format);
    if (holds_coefficients(numbers) && encode(numbers, format) == content) {
      if (format == OutputFormat::npy) numbers.row_names.clear();
      return numbers;
    }
  } catch (const Error&) {  // not JSON, other JSON, or numbers that are not finite
  }
  throw UnreadableFile(
      fmt::format("{} is no file of coefficients as `release` writes them", in_quotes(path)));
}

}  // namespace modicum
