#include "ledger/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/cells/number_text.h"
#include "modicum/data/json.h"
#include "modicum/release/release_files.h"

namespace modicum {
namespace {

template <class Kind>
Kind of_word(const Choices<Kind>& choices, const std::string& word) {
  for (const Choice<Kind>& each : choices)
    if (each.word == word) return each.value;
  throw Error(fmt::format("the ledger has a word that is not known: {}", in_quotes(word)));
}

std::int64_t whole_in(const std::string& text) {
  const auto number = read_number(text);
  if (!number || !(*number >= 0.0 && *number < 0x1p53) || *number != std::floor(*number))
    throw Error(fmt::format("the ledger has {} in place of a number", in_quotes(text)));
  return static_cast<std::int64_t>(*number);
}

}  // namespace

std::string one_text(const Value& tree) {
  std::string text = json_line(tree);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

Value tree_in(const std::string& text) {
  try {
    return parse_json(text);
  } catch (const InvalidDescription&) {
    throw Error(fmt::format("the ledger is damaged: it has {} in place of JSON",
                            in_quotes(one_line(text, 60))));
  }
}

std::string chained_hash(const std::string& previous, const std::string& text) {
  return sha256(previous + "\n" + text);
}

Record record_in(const Database::Row& row) {
  const auto text = [&](std::size_t i) { return row.at(i).value_or(""); };
  return {whole_in(text(0)), whole_in(text(1)), text(2), text(3),         text(4),
          text(5),           text(6),           text(7), tree_in(text(5))};
}

std::string budget_columns() {
  std::string columns = "name, declared";
  for (const char* which : {"total", "spent"})
    for (const ClockKind& each : clock_kinds) columns += fmt::format(", {}_{}", each.key, which);
  return columns + ", entries, guarantee, parts, unit";
}

BudgetStatus status_in(const Database::Row& row) {
  std::size_t place = 0;
  const auto next = [&] { return row.at(place++).value_or(""); };
  const auto clocks = [&] {
    Clocks result;
    for (const ClockKind& each : clock_kinds) result.*each.reading = Reading::from_text(next());
    return result;
  };
  BudgetStatus status;
  status.name = next();
  status.declared = tree_in(next());
  status.total = clocks();
  const Clocks spent = clocks();
  status.entries = whole_in(next());
  status.guarantee = guarantee_of(next());
  // A ledger of an earlier version has none.
  const std::string parts = next();
  if (parts.empty()) status.expenses.add(spent);
  else status.expenses = Expenses::from_tree(tree_in(parts));
  const Value unit = tree_in(next());
  if (unit.is_null()) status.unit.reset();
  else status.unit = ProtectedUnit::from_tree(unit);
  if (status.spent() != spent)
    throw Error(fmt::format("the sums of the budget {} do not agree with those of its parts",
                            in_quotes(status.name)));
  return status;
}

Value canonical(const Value& tree) {
  if (tree.is_whole()) return static_cast<double>(tree.whole());
  if (tree.is_list()) {
    Value list = Value::list();
    for (const Value& each : tree.items()) list.push_back(canonical(each));
    return list;
  }
  if (!tree.is_record()) return tree;
  Value::Record members = tree.members();
  std::ranges::sort(members, {}, &Value::Member::first);
  Value record = Value::record();
  for (const auto& [key, value] : members) record[key] = canonical(value);
  return record;
}

Value tree_of(const Clocks& clocks) {
  Value tree = Value::record();
  for (const ClockKind& each : clock_kinds) tree[each.key] = (clocks.*each.reading).text();
  return tree;
}

Clocks clocks_in(const Value& tree) {
  Clocks clocks;
  for (const ClockKind& each : clock_kinds)
    if (const Value* reading = tree.find(each.key))
      clocks.*each.reading = Reading::from_text(reading->text());
  return clocks;
}

std::optional<Part> part_of(const Value& body) {
  const Value* part = body.find("part");
  if (part == nullptr) return std::nullopt;
  return Part{part->at("partition").text(), part->at("part").text()};
}

EntryState state_of(const std::string& word) { return of_word(state_words(), word); }
Guarantee guarantee_of(const std::string& word) { return of_word(charged_guarantees(), word); }

std::optional<Entry> begun_with(const Record& record) {
  const Value* price = record.body.find("price");
  if (price == nullptr || record.entry != record.number) return std::nullopt;
  Entry entry;
  entry.number = record.number;
  entry.budget = record.budget;
  entry.price = clocks_in(*price);
  entry.body = record.body;
  entry.part = part_of(record.body);
  go_on(entry, record);
  return entry;
}

namespace {

// The state and what is known of what was released.
template <class Recorded>
void take(Recorded& recorded, const Record& record) {
  recorded.state = state_of(record.state);
  if (const Value* given = record.body.find("certificate")) recorded.certificate = *given;
  if (const Value* given = record.body.find("certificate_sha256"))
    recorded.certificate_sha256 = given->text();
  if (const Value* given = record.body.find("file_sha256")) recorded.file_sha256 = given->text();
}

}  // namespace

void go_on(Entry& entry, const Record& record) {
  if (const Value* drawn = record.body.find("draw")) {  // of a plan, which goes on
    for (Draw& each : entry.draws)
      if (Value(each.number) == *drawn) take(each, record);
    return;
  }
  take(entry, record);
  if (entry.state != EntryState::drawn) return;
  entry.drawn += record.body.at("count").whole();
  entry.draws.push_back({record.number, entry.state, record.body});
}

}  // namespace modicum
