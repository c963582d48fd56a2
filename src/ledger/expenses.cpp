#include "modicum/ledger/expenses.h"

#include <algorithm>

#include "data/cells/number_text.h"
#include "ledger/record.h"

namespace modicum {
namespace {

std::pair<std::string, std::string> at_sign(const char* field, const std::string& text,
                                            const char* rule) {
  const auto sign = text.find('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == text.size() ||
      one_line(text, 1000) != text)
    throw InvalidParameter(field, in_quotes(one_line(text, 200)), rule);
  return {text.substr(0, sign), text.substr(sign + 1)};
}

}  // namespace

Partition partition_in(const char* field, const std::string& text) {
  constexpr const char* rule =
      "must be of the form region=north,south with different parts, those with a comma in "
      "quotation marks";
  const auto [name, list] = at_sign(field, text, rule);
  Partition partition{name, {""}};
  bool quoted = false;
  for (const char c : list) {
    if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) partition.parts.emplace_back();
    else partition.parts.back() += c;
  }
  if (quoted) throw InvalidParameter(field, in_quotes(text), rule);
  std::vector<std::string> sorted = partition.parts;
  std::ranges::sort(sorted);
  if (sorted.size() < 2 || sorted.front().empty() ||
      std::ranges::adjacent_find(sorted) != sorted.end())
    throw InvalidParameter(field, in_quotes(text), rule);
  return partition;
}

Part part_in(const char* field, const std::string& text) {
  const auto [partition, name] = at_sign(field, text, "must be of the form region=north");
  return {partition, name};
}

void Expenses::add(const Clocks& price, const std::optional<Part>& part) {
  Clocks& own = part ? parts_[part->partition][part->name] : common_;
  own = own + price;
}

void Expenses::give_back(const Clocks& price, const std::optional<Part>& part) {
  Clocks& own = part ? parts_[part->partition][part->name] : common_;
  own = own - price;
}

Clocks Expenses::all() const { return of_part({}); }

Clocks Expenses::of_part(const std::optional<Part>& part) const {
  Clocks sum = common_;
  for (const auto& [partition, parts] : parts_) {
    Clocks most;
    for (const auto& [name, own] : parts)
      if (!part || part->partition != partition || part->name == name) most = larger_of(most, own);
    sum = sum + most;
  }
  return sum;
}

Value Expenses::tree() const {
  Value all = Value::record();
  for (const auto& [partition, parts] : parts_) {
    Value own = Value::record();
    for (const auto& [name, clocks] : parts) own[name] = tree_of(clocks);
    all[partition] = own;
  }
  return {{"for_all", tree_of(common_)}, {"parts", all}};
}

Expenses Expenses::from_tree(const Value& tree) {
  Expenses expenses;
  expenses.common_ = clocks_in(tree.at("for_all"));
  for (const auto& [partition, parts] : tree.at("parts").members())
    for (const auto& [name, clocks] : parts.members())
      expenses.parts_[partition][name] = clocks_in(clocks);
  return expenses;
}

}  // namespace modicum
