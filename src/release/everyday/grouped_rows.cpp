#include "release/everyday/grouped_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "data/cells/number_text.h"
#include "modicum/data/fields.h"
#include "release/certificates/public_certificate.h"
#include "release/everyday/contributions.h"

namespace modicum {
namespace {

constexpr std::size_t most_groups = 1000000;

std::vector<std::size_t> places_of(const Table& table, const char* option,
                                   const std::vector<std::string>& columns) {
  std::vector<std::size_t> places;
  for (const std::string& name : columns) places.push_back(table.index_of(option, name));
  return places;
}

std::size_t edged_columns(const Groups& groups) {
  return static_cast<std::size_t>(
      std::count_if(groups.bins.begin(), groups.bins.end(),
                    [](const Bins& bins) { return !bins.edges.empty(); }));
}

}  // namespace

bool Groups::discovered() const {
  return std::any_of(bins.begin(), bins.end(), [](const Bins& each) { return each.size() == 0; });
}

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

std::string joined_name(const std::vector<std::string>& cell) {
  return fmt::format("{}", fmt::join(cell, ", "));
}

std::vector<std::string> EverydayQuestion::row_names(
    const std::vector<std::string>& group_names) const {
  std::vector<std::string> names;
  for (const std::string& group : group_names) {
    if (columns.empty()) names.push_back(group.empty() ? "all" : group);
    for (const std::string& column : columns) {
      if (group.empty()) names.push_back(column);
      else names.push_back(columns.size() == 1 ? group : fmt::format("{}: {}", group, column));
    }
  }
  return names;
}

GroupIndex::GroupIndex(const Table& table, const Groups& groups)
    : groups_(groups), categories_(groups.bins.size()) {
  const std::vector<std::size_t> places = places_of(table, "by", groups.columns);
  for (std::size_t i = 0; i < categories_.size(); ++i)
    for (std::size_t k = 0; k < groups.bins[i].categories.size(); ++k) {
      const std::string& category = groups.bins[i].categories[k];
      if (!categories_[i].emplace(table.category(places[i], category), k).second)
        throw InvalidParameter("categories", in_quotes(category),
                               "must not mean the same as another one");
    }
}

std::optional<std::size_t> GroupIndex::of(const std::string_view* categories,
                                          const double* numbers) const {
  std::size_t place = 0;
  for (std::size_t i = 0; i < groups_.bins.size(); ++i) {
    const Bins& bins = groups_.bins[i];
    std::optional<std::size_t> own;
    if (!bins.edges.empty()) {
      own = bins.interval_of(*numbers++);
    } else {
      const auto found = categories_[i].find(*categories++);
      if (found != categories_[i].end()) own = found->second;
    }
    if (!own) return {};
    place = place * bins.size() + *own;
  }
  return place;
}

std::optional<std::vector<std::string>> GroupIndex::cell_of(const std::string_view* categories,
                                                            const double* numbers) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < groups_.bins.size(); ++i) {
    const Bins& bins = groups_.bins[i];
    if (!bins.edges.empty()) {
      const std::optional<std::size_t> own = bins.interval_of(*numbers++);
      if (!own) return {};
      names.push_back(bins.interval_name(*own));
      continue;
    }
    const std::string_view text = *categories++;
    if (!bins.categories.empty() && categories_[i].find(text) == categories_[i].end()) return {};
    names.emplace_back(text);
  }
  return names;
}

GroupedColumns::GroupedColumns(const Table& table, const EverydayQuestion& question) {
  const std::vector<std::size_t> by = places_of(table, "by", question.groups.columns);
  for (std::size_t i = 0; i < by.size(); ++i)
    (question.groups.bins[i].edges.empty() ? categories : numbers).push_back(by[i]);
  if (question.unit) categories.push_back(table.index_of("unit", question.unit->column));
  const std::vector<std::size_t> selected = places_of(table, "select", question.columns);
  numbers.insert(numbers.end(), selected.begin(), selected.end());
}

namespace {

// Rows of one block, with their groups and persons.
class BlockGrouping {
 public:
  BlockGrouping(const Table& table, const EverydayQuestion& question)
      : question_(question),
        index_(table, question.groups),
        columns_(table, question),
        discovered_(question.groups.discovered()),
        first_(edged_columns(question.groups)) {
    if (question.unit) nobody_ = table.category(columns_.categories.back(), "");
  }
  const GroupedColumns& columns() const { return columns_; }

  GroupedBlock of(const FieldBlock& block) const {
    const auto width = static_cast<Eigen::Index>(question_.columns.size());
    GroupedBlock grouped;
    grouped.numbers.resize(static_cast<Eigen::Index>(block.rows), width);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < block.rows; ++i) {
      const double* const numbers = block.numbers.data() + i * columns_.numbers.size();
      if (!take(block.categories_of(i), numbers, grouped)) continue;
      double* const to = grouped.numbers.data() + kept++ * static_cast<std::size_t>(width);
      for (std::size_t j = 0; j < question_.columns.size(); ++j)
        to[j] = std::clamp(numbers[first_ + j], question_.ranges[j].low, question_.ranges[j].high);
    }
    grouped.numbers.conservativeResize(static_cast<Eigen::Index>(kept), width);
    return grouped;
  }

 private:
  // Whether the row has a group, and a person where that is asked.
  bool take(const std::string_view* categories, const double* numbers,
            GroupedBlock& grouped) const {
    std::string_view person;
    if (question_.unit) {
      person = categories[columns_.categories.size() - 1];
      if (person.empty() || person == nobody_) return false;
    }
    if (discovered_) {
      auto cell = index_.cell_of(categories, numbers);
      if (!cell) return false;
      grouped.cells.push_back(*std::move(cell));
    } else {
      const std::optional<std::size_t> group = index_.of(categories, numbers);
      if (!group) return false;
      grouped.groups.push_back(*group);
    }
    if (question_.unit) grouped.persons.emplace_back(person);
    return true;
  }

  const EverydayQuestion& question_;
  GroupIndex index_;
  GroupedColumns columns_;
  bool discovered_;
  std::size_t first_;   // of the selected columns among the numbers
  std::string nobody_;  // what a missing person is called
};

}  // namespace

void for_each_grouped_block(const Table& table, const EverydayQuestion& question,
                            const ReadOptions& options, RandomSource* choosing,
                            const GroupedWork& work) {
  const BlockGrouping grouping(table, question);
  const GroupedColumns& columns = grouping.columns();
  if (!question.unit)
    return table.for_each_field_block(
        columns.categories, columns.numbers, options,
        [&](const FieldBlock& block) { return work(grouping.of(block)); });
  if (choosing == nullptr)
    throw Error("rows of a person are chosen at random: a source is missing");
  std::vector<GroupedBlock> blocks;
  table.for_each_field_block(columns.categories, columns.numbers, options,
                             [&](const FieldBlock& block) -> std::function<void()> {
                               return
                                   [&blocks, own = grouping.of(block)] { blocks.push_back(own); };
                             });
  work(bounded_contributions(blocks, *question.unit, *choosing))();
}

Value to_value(const EverydayQuestion& question) {
  Value bins = Value::list(), bounds = Value::list();
  for (const Bins& each : question.groups.bins) bins.push_back(to_value(each));
  for (const Range& each : question.ranges)
    bounds.push_back(std::vector<double>{each.low, each.high});
  Value value{{"by", question.groups.columns},
              {"bins", std::move(bins)},
              {"select", question.columns},
              {"bounds", std::move(bounds)},
              {"integers", question.integers}};
  if (question.unit)
    value["unit"] = Value{{"column", question.unit->column},
                          {"rows", question.unit->rows},
                          {"groups", question.unit->most_groups()}};
  return value;
}

EverydayQuestion everyday_question_in(const Value& value) {
  EverydayQuestion question;
  question.groups.columns = value.at("by").texts();
  for (const Value& each : value.at("bins").items()) question.groups.bins.push_back(bins_in(each));
  if (question.groups.bins.size() != question.groups.columns.size())
    throw Error("a question must have bins for each column of groups");
  question.columns = value.at("select").texts();
  for (const Value& each : value.at("bounds").items()) {
    const std::vector<double> ends = each.numbers();
    if (ends.size() != 2) throw Error("bounds must be two numbers");
    question.ranges.emplace_back(ends[0], ends[1]);
  }
  question.integers = value.at("integers").boolean();
  if (const Value* unit = value.find("unit"))
    question.unit = PersonRule{unit->at("column").text(), unit->at("rows").number(),
                               unit->at("groups").number()};
  require_question(question);
  return question;
}

WholeSums grouped_sums_over(const Table& table, const EverydayQuestion& question, Value asked,
                            std::size_t entries, const std::function<WholeSums()>& read) {
  if (question.unit && table.elsewhere() && !table.elsewhere()->persons_together())
    throw UsageError(
        "`unit` needs all rows of a person in one piece of the table: say so with "
        "`persons_together`, which the certificate then assumes");
  return sums_over(table, asked, entries, read);
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
  if (question.unit) {
    const double most = 1e9;
    for (const auto& [name, value] : {std::pair{"unit_rows", question.unit->rows},
                                      {"unit_groups", question.unit->most_groups()}})
      if (!(require_count(name, value) <= most))
        throw InvalidParameter(name, value, "must be a whole number from 1 to 1e9");
    if (std::find(all.begin(), all.end(), question.unit->column) != all.end())
      throw InvalidParameter("unit", question.unit->column,
                             "must be a column that is used for nothing else");
  }
  if (question.neighbors == Adjacency::zero_out)
    throw InvalidParameter("neighbors", "zero_out", "must be add_remove or replace");
  if (!question.groups.discovered()) question.groups.size();
}

void describe_question(Certificate& certificate, const EverydayQuestion& question) {
  const Groups& groups = question.groups;
  if (!question.columns.empty()) certificate.set("columns", question.columns);
  for (std::size_t j = 0; j < question.columns.size(); ++j)
    certificate.set(fmt::format("bounds_of_{}", question.columns[j]),
                    std::vector<double>{question.ranges[j].low, question.ranges[j].high});
  if (!groups.columns.empty()) certificate.set("by", groups.columns);
  for (std::size_t i = 0; i < groups.columns.size(); ++i) {
    if (groups.bins[i].size() == 0)
      certificate.set(fmt::format("categories_of_{}", groups.columns[i]), "discovered");
    else if (groups.bins[i].edges.empty())
      certificate.set(fmt::format("categories_of_{}", groups.columns[i]),
                      groups.bins[i].categories);
    else certificate.set(fmt::format("edges_of_{}", groups.columns[i]), groups.bins[i].edges);
  }
  certificate.set("confidence", question.level);
  describe_table(certificate, question.bad_rows, question.files);
  const bool replaced = question.neighbors == Adjacency::replace_one;
  if (replaced) certificate.adjacency = "replace one row";
  if (question.unit) {
    const PersonRule& unit = *question.unit;
    certificate.set("unit", unit.column);
    certificate.set("unit_rows", unit.rows);
    certificate.set("unit_groups", unit.most_groups());
    certificate.adjacency = fmt::format("{} all rows with one value of {}",
                                        replaced ? "replace" : "add or remove", unit.column);
    certificate.assumptions.front() = fmt::format(
        "all rows of one person have the same value of {}, and those of others another; rows "
        "without one are dropped",
        unit.column);
  }
  if (replaced)
    certificate.assumptions.push_back(
        question.unit
            ? fmt::format("how many values of {} there are is public", question.unit->column)
            : "how many rows the files have, malformed ones and those without a group too, is "
              "public");
}

Value for_neighbors(Adjacency neighbors, Value description) {
  if (neighbors == Adjacency::replace_one) description["adjacency"] = "replace_one";
  return description;
}

}  // namespace modicum
