// Reading what encode() has written: the values are picked out, then encoded again, and the bytes
// must be the same. So nothing else is taken for such a file.
#include <fmt/format.h>

#include <cstring>

#include "modicum/data/json.h"
#include "data/number_text.h"
#include "interfaces/objective_file.h"
#include "modicum/release/description.h"
#include "modicum/release/number_table.h"

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

NumberTable from_json(const std::string& content) {
  const Value whole = parse_json(content);
  NumberTable parts;
  parts.row_names = whole.at("rows").texts();
  parts.column_names = whole.at("columns").texts();
  std::vector<std::vector<double>> rows;
  for (const Value& row : whole.at("values").items()) rows.push_back(row.numbers());
  parts.values.setZero(static_cast<Eigen::Index>(rows.size()),
                       static_cast<Eigen::Index>(parts.column_names.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < std::min(rows[i].size(), parts.column_names.size()); ++j)
      parts.values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows[i][j];
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
  return from_json(content);
}

}  // namespace

CoefficientFile coefficients_in(const std::string& content, const std::string& path) {
  const OutputFormat format = format_of(path);
  try {
    const NumberTable parts = parts_of(content, format);
    const bool columns =
        parts.column_names == std::vector<std::string>{"coefficient", "standardized"};
    if (columns && parts.values.rows() > 0 && encode(parts, format) == content)
      return {format == OutputFormat::npy ? std::vector<std::string>{} : parts.row_names,
              parts.values};
  } catch (const Error&) {  // not JSON, other JSON, or numbers that are not finite
  }
  throw UnreadableFile(
      fmt::format("{} is no file of coefficients as `release` writes them", in_quotes(path)));
}

}  // namespace modicum
