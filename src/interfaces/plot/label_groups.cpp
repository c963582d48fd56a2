#include "interfaces/plot/label_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "data/cells/number.h"

namespace modicum {
namespace {

constexpr const char* name_of_rest = "other";

std::string without_blanks(const std::string& text) {
  constexpr const char* blanks = " \t";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string::npos) return "(empty)";
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

template <class Key>
using Members = std::map<Key, std::vector<std::size_t>>;

std::vector<LabelGroup> by_text(const std::vector<std::string>& labels) {
  Members<std::string> members;
  for (std::size_t i = 0; i < labels.size(); ++i) members[without_blanks(labels[i])].push_back(i);
  std::vector<LabelGroup> groups;
  for (auto& [name, rows] : members) groups.push_back({name, std::move(rows)});
  return groups;
}

std::vector<LabelGroup> by_number_or_text(const std::vector<std::string>& labels) {
  Members<double> members;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double value = 0.0;
    if (!data::parse_number(labels[i], value)) return by_text(labels);
    members[value + 0.0].push_back(i);  // -0 and 0 are one key
  }
  std::vector<LabelGroup> groups;
  for (auto& [value, rows] : members) groups.push_back({fmt::format("{}", value), std::move(rows)});
  return groups;
}

// Which groups keep their name: those with the most members, the first ones among equals.
std::vector<bool> largest(const std::vector<LabelGroup>& groups, std::size_t most) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (groups[i].name != name_of_rest) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return groups[a].members.size() > groups[b].members.size();
  });
  std::vector<bool> kept(groups.size(), false);
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) kept[order[i]] = true;
  return kept;
}

}  // namespace

std::vector<LabelGroup> label_groups(const std::vector<std::string>& labels, std::size_t most) {
  std::vector<LabelGroup> groups = by_number_or_text(labels);
  if (groups.size() <= most) return groups;
  const std::vector<bool> kept = largest(groups, most);
  std::vector<LabelGroup> result;
  LabelGroup rest{name_of_rest, {}, true};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::vector<std::size_t>& members = groups[i].members;
    if (kept[i]) result.push_back(std::move(groups[i]));
    else rest.members.insert(rest.members.end(), members.begin(), members.end());
  }
  std::sort(rest.members.begin(), rest.members.end());
  result.push_back(std::move(rest));
  return result;
}

}  // namespace modicum
