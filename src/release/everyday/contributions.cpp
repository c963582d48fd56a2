#include "release/everyday/contributions.h"

#include <algorithm>
#include <map>
#include <utility>

namespace modicum {
namespace {

struct RowPlace {
  std::size_t block, row;
};

std::size_t uniform_index(std::size_t end, RandomSource& source) {
  const std::uint64_t size = end, rest = (0 - size) % size;  // 2^64 mod size
  for (;;) {
    const std::uint64_t drawn = source.next();
    if (drawn >= rest) return static_cast<std::size_t>(drawn % size);
  }
}

// The first `count` of a random order.
template <class Item>
void keep_at_random(std::vector<Item>& items, std::size_t count, RandomSource& source) {
  if (items.size() <= count) return;
  for (std::size_t i = 0; i < count; ++i)
    std::swap(items[i], items[i + uniform_index(items.size() - i, source)]);
  items.resize(count);
}

// Public groups have numbers, discovered ones have names.
using GroupKey = std::pair<std::size_t, std::vector<std::string>>;
GroupKey key_of(const std::vector<GroupedBlock>& blocks, const RowPlace& place) {
  const GroupedBlock& block = blocks[place.block];
  if (!block.cells.empty()) return {0, block.cells[place.row]};
  return {block.groups[place.row], {}};
}

std::vector<RowPlace> kept_of(const std::vector<GroupedBlock>& blocks, std::vector<RowPlace> own,
                              const PersonRule& rule, RandomSource& source) {
  std::map<GroupKey, std::vector<RowPlace>> by_group;
  for (const RowPlace& place : own) by_group[key_of(blocks, place)].push_back(place);
  std::vector<const std::vector<RowPlace>*> groups;
  for (const auto& [key, places] : by_group) groups.push_back(&places);
  keep_at_random(groups, static_cast<std::size_t>(rule.most_groups()), source);
  std::vector<RowPlace> kept;
  for (const std::vector<RowPlace>* each : groups)
    kept.insert(kept.end(), each->begin(), each->end());
  keep_at_random(kept, static_cast<std::size_t>(rule.rows), source);
  return kept;
}

}  // namespace

GroupedBlock bounded_contributions(const std::vector<GroupedBlock>& blocks, const PersonRule& rule,
                                   RandomSource& source) {
  std::unordered_map<std::string, std::vector<RowPlace>> rows;
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (std::size_t i = 0; i < blocks[b].persons.size(); ++i)
      rows[blocks[b].persons[i]].push_back({b, i});
  std::vector<RowPlace> kept;
  for (auto& [person, own] : rows) {
    const std::vector<RowPlace> chosen = kept_of(blocks, std::move(own), rule, source);
    kept.insert(kept.end(), chosen.begin(), chosen.end());
  }
  GroupedBlock result;
  result.numbers.resize(static_cast<Eigen::Index>(kept.size()),
                        blocks.empty() ? 0 : blocks.front().numbers.cols());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const GroupedBlock& from = blocks[kept[i].block];
    if (from.cells.empty()) result.groups.push_back(from.groups[kept[i].row]);
    else result.cells.push_back(from.cells[kept[i].row]);
    result.numbers.row(static_cast<Eigen::Index>(i)) =
        from.numbers.row(static_cast<Eigen::Index>(kept[i].row));
  }
  return result;
}

}  // namespace modicum
