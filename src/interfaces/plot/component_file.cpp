#include "interfaces/plot/component_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/cells/number.h"
#include "data/cells/number_text.h"
#include "modicum/data/json.h"
#include "modicum/data/table.h"
#include "modicum/release/description.h"
#include "release/certificates/read_file.h"

namespace modicum {
namespace {

constexpr const char* name_column = "name";
constexpr double rounding = 0.01;  // of products of columns: room for files with few digits

[[noreturn]] void unreadable(const std::string& path, std::string_view why) {
  throw UnreadableFile(fmt::format("{}: {}", path, why));
}

// Names may hold line breaks, in quotes.
ComponentFile from_csv(const std::string& path) {
  TableFiles files;
  files.paths = {path};
  files.header_declared = true;
  files.multiline = true;
  const Table table(files);
  const std::size_t width = table.columns().size();
  if (table.columns().front() != name_column || width < 2) {
    double ignored = 0.0;
    const bool numbers = std::ranges::any_of(
        table.columns(), [&](const auto& name) { return data::parse_number(name, ignored); });
    return {{}, read_matrix(path, !numbers)};
  }
  std::vector<std::size_t> all(width);
  for (std::size_t i = 0; i < width; ++i) all[i] = i;
  ReadOptions strict;
  strict.bad_rows = BadRows::refused;
  TextBlock rows;
  table.for_each_text_block(all, strict, [&](const TextBlock& block) {
    return [&rows, block] { rows.insert(rows.end(), block.begin(), block.end()); };
  });
  ComponentFile result;
  result.values.resize(static_cast<Eigen::Index>(rows.size()),
                       static_cast<Eigen::Index>(width) - 1);
  for (const std::vector<std::string>& fields : rows) {
    const auto i = static_cast<Eigen::Index>(result.names.size());
    result.names.push_back(fields.front());
    for (Eigen::Index j = 0; j < result.values.cols(); ++j)
      if (!data::parse_number(fields[static_cast<std::size_t>(j) + 1], result.values(i, j)))
        unreadable(path, fmt::format("row {} contains something that is not a finite number",
                                     result.names.size()));
  }
  return result;
}

ComponentFile from_json(const std::string& path) {
  try {
    const Value whole = parse_json(read_file(path));
    if (!whole.is_record()) return {{}, read_matrix(path)};
    ComponentFile result{whole.at("rows").texts(), {}};
    std::vector<std::vector<double>> rows;
    for (const Value& row : whole.at("values").items()) rows.push_back(row.numbers());
    const std::size_t width = rows.empty() ? 0 : rows.front().size();
    if (rows.size() != result.names.size())
      unreadable(path, "must have as many rows of values as names of rows");
    result.values.resize(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(width));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].size() != width) unreadable(path, "must have rows of equal length");
      for (std::size_t j = 0; j < width; ++j)
        result.values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows[i][j];
    }
    return result;
  } catch (const InvalidDescription& error) {
    unreadable(path, error.what());
  } catch (const Error&) {
    unreadable(path, "must be a list of lists of numbers, or {\"rows\", \"columns\", \"values\"}");
  }
}

void require_names(const char* option, const ComponentFile& file,
                   const std::vector<std::string>& coordinates) {
  for (std::size_t i = 0; i < file.names.size(); ++i)
    if (file.names[i] != coordinates[i])
      throw InvalidParameter(option, fmt::format("a file with another name in row {}", i + 1),
                             fmt::format("must have {} there: the columns that are used, in their "
                                         "order",
                                         in_quotes(coordinates[i])));
}

}  // namespace

ComponentFile read_components(const std::string& path) {
  if (path.ends_with(".json")) return from_json(path);
  if (path.ends_with(".npy") || path.ends_with(".npy.gz")) return {{}, read_matrix(path)};
  return from_csv(path);
}

void require_components_of(const char* option, const ComponentFile& file,
                           const std::vector<std::string>& coordinates) {
  const Eigen::MatrixXd& values = file.values;
  const auto rows = fmt::format("a file with {} rows", values.rows());
  if (values.rows() != static_cast<Eigen::Index>(coordinates.size()))
    throw InvalidParameter(
        option, rows,
        fmt::format("must have one for each of the {} columns that are used", coordinates.size()));
  require_names(option, file, coordinates);
  if (values.isZero(0.0))
    throw InvalidParameter(option, "all zeros", "must be components: here none were found");
  const Eigen::MatrixXd products = values.transpose() * values;
  const double farthest = (products - Eigen::MatrixXd::Identity(products.rows(), products.cols()))
                              .cwiseAbs()
                              .maxCoeff();
  if (!(farthest <= rounding))
    throw InvalidParameter(option, rows, "must have orthogonal columns of length 1");
}

}  // namespace modicum
