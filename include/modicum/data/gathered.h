// A table that lies elsewhere, in pieces: what a release needs of it is sums of whole numbers over
// rows, which add up exactly in any order. So questions go out, sums come back, and the answer is
// that of one file, bit for bit.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "modicum/data/gram.h"
#include "modicum/data/value.h"

namespace modicum {

/// Added up over rows. Which of these there are hangs on the question.
struct WholeSums {
  std::vector<Integer128> entries = {};
  /// Of groups that are taken from the rows, by their name in each column.
  std::map<std::vector<std::string>, std::vector<Integer128>> groups = {};
  /// How many rows there are at each of many places, most of them empty.
  std::map<std::uint64_t, Integer128> points = {};

  /// Throws Error where the numbers of entries differ, and where a sum does not fit.
  WholeSums& operator+=(const WholeSums& more);
  bool operator==(const WholeSums&) const = default;
};

/// What is public about a table: all of its pieces agree in it.
struct TableShape {
  std::vector<std::string> columns = {};
  FileAssumptions assumptions = {};
  BadRows bad_rows = BadRows::dropped;
};
Value to_value(const TableShape& shape);
/// Throws Error where that is none.
TableShape shape_in(const Value& value);

/// Questions are trees of values that say all there is to know: which columns, which ranges, what
/// is made of a row, what is added up.
class RowsElsewhere {
 public:
  virtual ~RowsElsewhere() = default;
  virtual const TableShape& shape() const = 0;
  /// All of these will be asked, whatever the answers: one pass over the rows can answer them.
  virtual void expect(const std::vector<Value>& questions) = 0;
  virtual WholeSums sums(const Value& question) = 0;
  /// From now on what can be answered is answered with this number, which is made up, throughout,
  /// and whoever asks anything else is refused as ever; with none as it is. False where it is not
  /// known without reading what can be answered.
  virtual bool answer_with(std::optional<Integer128>) { return false; }
  /// Whether the holder of the data says that all rows of a person are in one piece.
  virtual bool persons_together() const { return false; }
};

/// What `read` finds in the rows of the table; of one that lies elsewhere, what its pieces add up
/// to. Throws Error where there are not so many entries.
WholeSums sums_over(const Table& table, const Value& question, std::size_t entries,
                    const std::function<WholeSums()>& read);

/// Which columns, and how they are scaled.
Value to_value(const RowRule& rule);
/// The same for another table. Throws Error, InvalidParameter.
RowRule rule_in(const Table& table, const Value& value);

}  // namespace modicum
