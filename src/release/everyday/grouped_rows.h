// Rows with the group they belong to.
#pragma once

#include <functional>
#include <unordered_map>

#include "modicum/release/everyday_release.h"

namespace modicum {

/// Which group a row belongs to, from the texts of its group columns.
class GroupIndex {
 public:
  explicit GroupIndex(const Groups& groups);
  /// Nothing, if it is in none.
  std::optional<std::size_t> of(const std::vector<std::string>& texts) const;

 private:
  std::optional<std::size_t> bin(std::size_t column, const std::string& text) const;

  const Groups& groups_;
  std::vector<std::unordered_map<std::string, std::size_t>> categories_;
};

/// A block of rows that are in a group and whose numbers are all finite.
struct GroupedBlock {
  std::vector<std::size_t> groups;  ///< of each row
  RowBlock numbers;                 ///< clamped to the ranges
};
using GroupedWork = std::function<std::function<void()>(const GroupedBlock&)>;

/// One pass over the rows, as Table::for_each_block.
void for_each_grouped_block(const Table& table, const EverydayQuestion& question,
                            const ReadOptions& options, const GroupedWork& work);

/// Throws InvalidParameter.
void require_question(const EverydayQuestion& question);
/// Columns, bounds and groups.
void describe_question(Certificate& certificate, const EverydayQuestion& question);

}  // namespace modicum
