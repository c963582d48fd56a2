// What is answered: one tree of named values, told in words, as JSON and as Python objects.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "modicum/data/value.h"
#include "modicum/release/released.h"

namespace modicum {

/// Rows for people and for programs.
class ReplyTable {
 public:
  explicit ReplyTable(std::vector<std::string> heading) : cells_{std::move(heading)} {}
  /// `entry` for programs, `cells` for people.
  void add(Value entry, std::vector<std::string> cells);
  const Value& entries() const { return entries_; }
  const std::vector<std::vector<std::string>>& cells() const { return cells_; }

 private:
  Value entries_ = Value::list();
  std::vector<std::vector<std::string>> cells_;
};

class Reply {
 public:
  /// `key: value` for programs; for people a line with the label and the value in words: an
  /// enclosure by its safe upper end, a number in full (noise that is rounded down would no longer
  /// be safe), or the text given.
  Reply& add(std::string key, std::string label, Value value);
  Reply& add(std::string key, std::string label, Value value, std::string words);
  /// For programs only.
  Reply& tell(std::string key, Value value);
  /// For people only: a line of a table with these cells.
  Reply& show(std::vector<std::string> cells);
  /// For people only: sentences. What follows a table is set off by an empty line.
  Reply& say(std::string sentences);
  /// A table; for programs a list under `key`, unless that is empty.
  Reply& add(std::string key, const ReplyTable& table);

  /// Shown exactly as it is, in place of all else: a picture.
  std::optional<std::string> text;
  /// What was spent, in words, for whoever does not get the answer; empty for nothing.
  std::string spent;
  /// Released numbers that belong to the tree as "released", too many to become values.
  std::optional<Released> released;
  /// The same where they went to a file, and the tree has the name of that.
  std::optional<Released> written;

  const Value& value() const { return tree_; }
  std::string words() const;

 private:
  using Cells = std::vector<std::vector<std::string>>;
  Cells& table();
  Value tree_ = Value::record();
  std::vector<std::variant<std::string, Cells>> blocks_;
};

}  // namespace modicum
