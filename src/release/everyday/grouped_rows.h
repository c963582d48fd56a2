// Rows with the group they belong to.
#pragma once

#include <functional>
#include <string_view>
#include <unordered_map>

#include "modicum/data/gathered.h"
#include "modicum/release/everyday_release.h"

namespace modicum {

/// Which group a row belongs to, from its categories and the numbers that lie between edges.
class GroupIndex {
 public:
  /// Throws InvalidParameter where two categories are the same by the rules of the table.
  GroupIndex(const Table& table, const Groups& groups);
  /// Nothing, if it is in none.
  std::optional<std::size_t> of(const std::string_view* categories, const double* numbers) const;
  /// The same by its names in each column, for groups that are discovered.
  std::optional<std::vector<std::string>> cell_of(const std::string_view* categories,
                                                  const double* numbers) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  const Groups& groups_;
  std::vector<std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>>> categories_;
};

/// Which columns are read as categories: of groups, then the unit; and which as numbers: those of
/// groups with edges, then the selected ones.
struct GroupedColumns {
  GroupedColumns(const Table& table, const EverydayQuestion& question);
  std::vector<std::size_t> categories, numbers;
};

/// "north, f": of a group that was discovered.
std::string joined_name(const std::vector<std::string>& cell);

/// A block of rows that are in a group and whose numbers are all finite.
struct GroupedBlock {
  std::vector<std::size_t> groups = {};              ///< of each row, where they are public
  std::vector<std::vector<std::string>> cells = {};  ///< else its name in each column
  std::vector<std::string> persons = {};             ///< of each row, where there is a unit
  RowBlock numbers = {};                             ///< clamped to the ranges
};
using GroupedWork = std::function<std::function<void()>(const GroupedBlock&)>;

/// One pass over the rows, as Table::for_each_block. Where there is a unit, in one block, of the
/// rows that `choosing` kept; it must be given then.
void for_each_grouped_block(const Table& table, const EverydayQuestion& question,
                            const ReadOptions& options, RandomSource* choosing,
                            const GroupedWork& work);

/// All that hangs on the rows, for who has them, and back. Throws Error.
Value to_value(const EverydayQuestion& question);
EverydayQuestion everyday_question_in(const Value& value);
/// As sums_over. Throws UsageError for a unit of protection where it is not said that all rows of a
/// person are in one piece.
WholeSums grouped_sums_over(const Table& table, const EverydayQuestion& question, Value asked,
                            std::size_t entries, const std::function<WholeSums()>& read);

/// Throws InvalidParameter.
void require_question(const EverydayQuestion& question);
/// Columns, bounds, groups and neighbors.
void describe_question(Certificate& certificate, const EverydayQuestion& question);
/// The description of a loss between such neighbors.
Value for_neighbors(Adjacency neighbors, Value description);

}  // namespace modicum
