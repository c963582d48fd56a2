#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "modicum/data/gathered.h"
#include "modicum/release/vector_release.h"

namespace modicum {
namespace {

using Counts = std::vector<Integer128>;

// Adds what a block counted; called in the order of the blocks, one at a time.
std::function<void()> adding(Counts& totals, Counts counted) {
  return [&totals, counted = std::move(counted)] {
    for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += counted[i];
  };
}

void count_intervals(const Table& table, std::size_t column, const Bins& bins,
                     const ReadOptions& options, Counts& totals) {
  table.for_each_block({column}, options, [&](const RowBlock& block) {
    Counts counted(totals.size(), 0);
    for (Eigen::Index i = 0; i < block.rows(); ++i) {
      if (const std::optional<std::size_t> place = bins.interval_of(block(i, 0))) ++counted[*place];
    }
    return adding(totals, std::move(counted));
  });
}

void count_categories(const Table& table, std::size_t column,
                      const std::vector<std::string>& categories, const ReadOptions& options,
                      Counts& totals) {
  std::vector<std::string> known;
  for (const std::string& category : categories) known.push_back(table.category(column, category));
  table.for_each_field_block({column}, {}, options, [&](const FieldBlock& block) {
    Counts counted(totals.size(), 0);
    for (const std::string_view own : block.categories) {
      const auto found = std::find(known.begin(), known.end(), own);
      if (found != known.end()) ++counted[static_cast<std::size_t>(found - known.begin())];
    }
    return adding(totals, std::move(counted));
  });
}

}  // namespace

Bins Bins::of_categories(std::vector<std::string> categories) {
  if (categories.empty()) throw InvalidParameter("categories", "empty", "must have one at least");
  if (std::set<std::string>(categories.begin(), categories.end()).size() != categories.size())
    throw InvalidParameter("categories", "repeated", "must be all different");
  return {std::move(categories), {}};
}

Bins Bins::of_edges(std::vector<double> edges) {
  if (edges.size() < 2)
    throw InvalidParameter("edges", static_cast<double>(edges.size()), "must be two at least");
  for (std::size_t i = 0; i < edges.size(); ++i) {
    require_finite("edges", edges[i]);
    if (i > 0 && !(edges[i] > edges[i - 1]))
      throw InvalidParameter("edges", edges[i], "must be above the edge before it");
  }
  return {{}, std::move(edges)};
}

std::optional<std::size_t> Bins::interval_of(double value) const {
  if (!(value >= edges.front() && value <= edges.back())) return {};
  if (value == edges.back()) return edges.size() - 2;
  const auto above = std::upper_bound(edges.begin(), edges.end(), value);
  return static_cast<std::size_t>(above - edges.begin()) - 1;
}

std::vector<std::string> Bins::names() const {
  if (edges.empty()) return categories;
  std::vector<std::string> result;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) result.push_back(interval_name(i));
  return result;
}

std::string Bins::interval_name(std::size_t place) const {
  return fmt::format("{}:{}", edges[place], edges[place + 1]);
}

std::vector<Integer128> count_bins(const Table& table, std::size_t column, const Bins& bins,
                                   const ReadOptions& options) {
  const Value question{
      {"sums", "bins"}, {"column", table.columns().at(column)}, {"bins", to_value(bins)}};
  return sums_over(table, question, bins.size(),
                   [&]() -> WholeSums {
                     Counts totals(bins.size(), 0);
                     if (bins.edges.empty())
                       count_categories(table, column, bins.categories, options, totals);
                     else count_intervals(table, column, bins, options, totals);
                     return {std::move(totals)};
                   })
      .entries;
}

Value to_value(const Bins& bins) {
  return Value{{"categories", bins.categories}, {"edges", bins.edges}};
}

Bins bins_in(const Value& value) {
  std::vector<std::string> categories = value.at("categories").texts();
  std::vector<double> edges = value.at("edges").numbers();
  if (!edges.empty()) return Bins::of_edges(std::move(edges));
  if (categories.empty()) return {};  // discovered
  return Bins::of_categories(std::move(categories));
}

}  // namespace modicum
