#include "data/files/checked_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "data/cells/number_text.h"

namespace modicum {
namespace {

// Booleans are not numbers. Integers beyond 2^53 are rounded, as decimals are.
// A path is put together only where it is needed: a matrix has many entries.
template <class Path>
double number_at(const Value& value, Path path) {
  if (!value.is_number()) refuse(path(), shown(value), "must be a number");
  return value.number();
}

const Value& list_at(const Value& value, const std::string& path, std::string_view rule) {
  if (!value.is_list() || value.size() == 0)
    refuse(path, value.is_list() ? "an empty list" : shown(value), rule);
  return value;
}

}  // namespace

CheckedRecord::CheckedRecord(const Value& value, std::string path)
    : object_(value), path_(std::move(path)) {
  if (!value.is_record())
    refuse(path_.empty() ? "description" : path_, shown(value), "must be an object");
}

std::string CheckedRecord::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

// The library names a key, or something made of several.
std::string CheckedRecord::located(std::string_view message) const {
  if (path_.empty()) return std::string(message);
  const bool names_key = has(std::string(message.substr(0, message.find_first_of(" ["))));
  return fmt::format("{}{}{}", path_, names_key ? "." : ": ", message);
}

void CheckedRecord::require_keys(const std::vector<std::string_view>& required,
                                 const std::vector<std::string_view>& optional) const {
  const auto among = [](const std::vector<std::string_view>& keys, std::string_view key) {
    return std::ranges::find(keys, key) != keys.end();
  };
  for (const auto& [name, value] : object_.members())
    if (!among(required, name) && !among(optional, name))
      refuse(path_of(one_line(name, 60)), "an unknown key",
             fmt::format("must be one of: {}{}{}", fmt::join(required, ", "),
                         optional.empty() ? "" : ", ", fmt::join(optional, ", ")));
  for (const std::string_view key : required)
    if (!has(std::string(key))) refuse(path_of(key), "missing", "must be given");
}

std::string CheckedRecord::text(const std::string& key) const {
  const Value& value = object_.at(key);
  if (!value.is_text()) refuse(path_of(key), shown(value), "must be a string");
  return value.text();
}

double CheckedRecord::number(const std::string& key) const {
  return number_at(object_.at(key), [&] { return path_of(key); });
}

double CheckedRecord::count(const std::string& key) const {
  if (!has(key)) return 1.0;
  const Value& value = object_.at(key);
  const double count = number(key);
  // 2^53 + 1 would round to 2^53.
  constexpr std::int64_t largest = std::int64_t{1} << 53;
  if (value.is_whole() && value.whole() > largest)
    throw InvalidParameter(key, shown(value), "must be a whole number from 1 to 2^53");
  return require_count(key, count);
}

Eigen::VectorXd CheckedRecord::vector(const std::string& key) const {
  const Value& value = list(key);
  Eigen::VectorXd result(static_cast<long>(value.size()));
  for (std::size_t i = 0; i < value.size(); ++i)
    result(static_cast<long>(i)) =
        number_at(value.at(i), [&] { return fmt::format("{}[{}]", path_of(key), i); });
  return result;
}

Eigen::MatrixXd CheckedRecord::matrix(const std::string& key) const {
  const Value& rows = list(key);
  const auto row_path = [&](std::size_t i) { return fmt::format("{}[{}]", path_of(key), i); };
  const std::size_t columns = list_at(rows.at(0), row_path(0), "must be a list of numbers").size();
  // Checked before the matrix is made: one long row must not claim memory for a square.
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (list_at(rows.at(i), row_path(i), "must be a list of numbers").size() != columns)
      refuse(row_path(i), fmt::format("of length {}", rows.at(i).size()),
             fmt::format("must have the length of the first row, {}", columns));
  Eigen::MatrixXd result(static_cast<long>(rows.size()), static_cast<long>(columns));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns; ++j)
      result(static_cast<long>(i), static_cast<long>(j)) =
          number_at(rows.at(i).at(j), [&] { return fmt::format("{}[{}]", row_path(i), j); });
  return result;
}

const Value& CheckedRecord::list(const std::string& key) const {
  return list_at(object_.at(key), path_of(key), "must be a list with at least one entry");
}

}  // namespace modicum
