#include "release/everyday/grouped_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "data/number.h"
#include "release/certificates/public_certificate.h"

namespace modicum {
namespace {

constexpr std::size_t most_groups = 1000000;

std::vector<std::size_t> places_of(const Table& table, const char* option,
                                   const std::vector<std::string>& columns) {
  std::vector<std::size_t> places;
  for (const std::string& name : columns) places.push_back(table.index_of(option, name));
  return places;
}

// The numbers of one row, clamped; false if one is none.
bool read_numbers(const std::vector<std::string>& texts, std::size_t first,
                  const EverydayQuestion& question, RowBlock& numbers, Eigen::Index row) {
  for (std::size_t j = 0; j < question.columns.size(); ++j) {
    double value = 0.0;
    if (!data::parse_number(texts[first + j], value)) {
      if (question.bad_rows == BadRows::refused)
        throw UnreadableFile(
            fmt::format("a row has no number in the column {}", question.columns[j]));
      return false;
    }
    const Range& range = question.ranges[j];
    numbers(row, static_cast<Eigen::Index>(j)) = std::clamp(value, range.low, range.high);
  }
  return true;
}

void for_each_ungrouped_block(const Table& table, const std::vector<std::size_t>& places,
                              const EverydayQuestion& question, const ReadOptions& options,
                              const GroupedWork& work) {
  table.for_each_block(places, options, [&](const RowBlock& block) {
    GroupedBlock grouped{std::vector<std::size_t>(static_cast<std::size_t>(block.rows()), 0),
                         block};
    for (Eigen::Index j = 0; j < block.cols(); ++j) {
      const Range& range = question.ranges[static_cast<std::size_t>(j)];
      grouped.numbers.col(j) = block.col(j).cwiseMax(range.low).cwiseMin(range.high);
    }
    return work(grouped);
  });
}

}  // namespace

std::size_t Groups::size() const {
  std::size_t product = 1;
  for (const Bins& each : bins) {
    product *= each.size();
    if (product > most_groups)
      throw InvalidParameter("by", static_cast<double>(product),
                             "must not make more than a million groups");
  }
  return product;
}

std::vector<std::string> Groups::names() const {
  std::vector<std::string> result{""};
  for (const Bins& each : bins) {
    std::vector<std::string> longer;
    for (const std::string& name : result)
      for (const std::string& more : each.names())
        longer.push_back(name.empty() ? more : fmt::format("{}, {}", name, more));
    result = std::move(longer);
  }
  return result;
}

std::vector<std::string> EverydayQuestion::row_names() const {
  std::vector<std::string> names;
  for (const std::string& group : groups.names()) {
    if (columns.empty()) names.push_back(group.empty() ? "all" : group);
    for (const std::string& column : columns) {
      if (group.empty()) names.push_back(column);
      else names.push_back(columns.size() == 1 ? group : fmt::format("{}: {}", group, column));
    }
  }
  return names;
}

GroupIndex::GroupIndex(const Groups& groups) : groups_(groups), categories_(groups.bins.size()) {
  for (std::size_t i = 0; i < categories_.size(); ++i)
    for (std::size_t k = 0; k < groups.bins[i].categories.size(); ++k)
      categories_[i].emplace(groups.bins[i].categories[k], k);
}

std::optional<std::size_t> GroupIndex::bin(std::size_t column, const std::string& text) const {
  const Bins& bins = groups_.bins[column];
  if (bins.edges.empty()) {
    const auto found = categories_[column].find(text);
    return found == categories_[column].end() ? std::nullopt : std::optional(found->second);
  }
  double value = 0.0;
  return data::parse_number(text, value) ? bins.interval_of(value) : std::nullopt;
}

std::optional<std::size_t> GroupIndex::of(const std::vector<std::string>& texts) const {
  std::size_t place = 0;
  for (std::size_t i = 0; i < groups_.bins.size(); ++i) {
    const std::optional<std::size_t> own = bin(i, texts[i]);
    if (!own) return {};
    place = place * groups_.bins[i].size() + *own;
  }
  return place;
}

void for_each_grouped_block(const Table& table, const EverydayQuestion& question,
                            const ReadOptions& options, const GroupedWork& work) {
  std::vector<std::size_t> places = places_of(table, "by", question.groups.columns);
  const std::vector<std::size_t> numbers = places_of(table, "select", question.columns);
  if (places.empty() && !numbers.empty())
    return for_each_ungrouped_block(table, numbers, question, options, work);
  places.insert(places.end(), numbers.begin(), numbers.end());
  if (places.empty()) places.push_back(0);  // a count of all rows: any column tells what a row is
  const GroupIndex index(question.groups);
  const std::size_t first = question.groups.columns.size();
  table.for_each_text_block(places, options, [&](const TextBlock& block) {
    GroupedBlock grouped{{},
                         RowBlock(static_cast<Eigen::Index>(block.size()),
                                  static_cast<Eigen::Index>(question.columns.size()))};
    for (const std::vector<std::string>& row : block) {
      const std::optional<std::size_t> group = index.of(row);
      const auto next = static_cast<Eigen::Index>(grouped.groups.size());
      if (group && read_numbers(row, first, question, grouped.numbers, next))
        grouped.groups.push_back(*group);
    }
    grouped.numbers.conservativeResize(static_cast<Eigen::Index>(grouped.groups.size()),
                                       grouped.numbers.cols());
    return work(grouped);
  });
}

void require_question(const EverydayQuestion& question) {
  if (question.columns.size() != question.ranges.size())
    throw InvalidParameter("bounds", static_cast<double>(question.ranges.size()),
                           "must be as many as there are columns");
  if (!(question.level > 0.0 && question.level < 1.0))
    throw InvalidParameter("confidence", question.level, "must lie between 0 and 1");
  std::vector<std::string> all = question.groups.columns;
  all.insert(all.end(), question.columns.begin(), question.columns.end());
  if (std::set<std::string>(all.begin(), all.end()).size() != all.size())
    throw InvalidParameter("select", fmt::format("{}", fmt::join(all, ", ")),
                           "must name no column twice, and none that `by` names");
  question.groups.size();
}

void describe_question(Certificate& certificate, const EverydayQuestion& question) {
  const Groups& groups = question.groups;
  if (!question.columns.empty()) certificate.set("columns", question.columns);
  for (std::size_t j = 0; j < question.columns.size(); ++j)
    certificate.set(fmt::format("bounds_of_{}", question.columns[j]),
                    std::vector<double>{question.ranges[j].low, question.ranges[j].high});
  if (!groups.columns.empty()) certificate.set("by", groups.columns);
  for (std::size_t i = 0; i < groups.columns.size(); ++i) {
    if (groups.bins[i].edges.empty())
      certificate.set(fmt::format("categories_of_{}", groups.columns[i]),
                      groups.bins[i].categories);
    else certificate.set(fmt::format("edges_of_{}", groups.columns[i]), groups.bins[i].edges);
  }
  certificate.set("confidence", question.level);
  describe_table(certificate, question.bad_rows, question.files);
}

}  // namespace modicum
