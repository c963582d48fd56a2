#include "release/neighbors/neighbor_rows.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

constexpr double bins_per_unit = 100.0;  // of the logarithm: one percent wide
constexpr int bin_of_zero = -1000000;    // below every logarithm of a double

int bin_of(double value) {
  return value > 0.0 ? static_cast<int>(std::ceil(bins_per_unit * std::log(value))) : bin_of_zero;
}

double upper_edge(int bin) { return bin == bin_of_zero ? 0.0 : std::exp(bin / bins_per_unit); }

bool worse(const RankedRow& a, const RankedRow& b) {
  return a.score != b.score ? a.score > b.score : a.number < b.number;
}

// 128 bits of the numbers of a row.
using RowHash = std::pair<std::size_t, std::size_t>;

RowHash hash_of(const Eigen::VectorXd& row) {
  const Eigen::VectorXd values = row.array() + 0.0;  // of -0 too
  std::string bytes(reinterpret_cast<const char*>(values.data()),
                    sizeof(double) * static_cast<std::size_t>(values.size()));
  const std::hash<std::string> hash;
  const std::size_t first = hash(bytes);
  return {first, hash(bytes += 'x')};
}

// The first row with this hash, and its place.
RowChange row_with(const RowsInOrder& rows, const RowHash& hash, double sign) {
  RowChange found{sign, std::nullopt, {}};
  double place = 0.0;
  rows([&](const RowBlock& block) {
    for (Eigen::Index i = 0; i < block.rows(); ++i, ++place)
      if (!found.used && hash_of(block.row(i)) == hash) {
        found.used = place;
        found.row = block.row(i);
      }
  });
  if (!found.used) throw Error("the files have changed while they were read");
  if (sign > 0.0) found.used.reset();
  return found;
}

}  // namespace

RowChange change_between(const RowsInOrder& table, const RowsInOrder& neighbor) {
  std::map<RowHash, double> counts;
  const auto add = [&](const RowsInOrder& rows, double sign) {
    rows([&](const RowBlock& block) {
      for (Eigen::Index i = 0; i < block.rows(); ++i) {
        const auto place = counts.try_emplace(hash_of(block.row(i)), 0.0).first;
        place->second += sign;
        if (place->second == 0.0) counts.erase(place);
      }
    });
  };
  add(table, 1.0);
  add(neighbor, -1.0);
  if (counts.size() != 1 || std::abs(counts.begin()->second) != 1.0)
    throw InvalidParameter("neighbor", counts.empty() ? "a table with the same rows" : "another",
                           "must be a table with one row more or one row less, and the same rows "
                           "besides");
  const auto& [hash, count] = *counts.begin();
  return count > 0.0 ? row_with(table, hash, -1.0) : row_with(neighbor, hash, 1.0);
}

RowChange change_to_neighbor(const AuditedTable& audited) {
  const auto rows_of = [&](const Table& table) -> RowsInOrder {
    return [&audited, &table](const std::function<void(const RowBlock&)>& take) {
      const AuditedTable one{table, audited.rule, audited.row_norm_bound, audited.options};
      for_each_clipped_block(one, [&](const RowBlock& rows) -> JoinBlock {
        auto kept = std::make_shared<RowBlock>(rows);
        return [&take, kept](double) { take(*kept); };
      });
    };
  };
  return change_between(rows_of(audited.table), rows_of(*audited.neighbor));
}

double number_in_table(const AuditedTable& audited, double used) {
  const auto dropped = audited.table.dropped_rows(audited.rule.table_columns(), audited.options);
  return static_cast<double>(row_number(dropped, static_cast<std::uint64_t>(used)));
}

std::optional<double> number_of(const AuditedTable& audited, const RowChange& change) {
  if (!change.used) return std::nullopt;
  return number_in_table(audited, *change.used + 1.0);
}

void WorstRows::add(RankedRow row) {
  if (rows_.size() == size_ && !worse(row, rows_.back())) return;
  const auto place = std::upper_bound(rows_.begin(), rows_.end(), row, worse);
  rows_.insert(place, std::move(row));
  if (rows_.size() > size_) rows_.pop_back();
}

void WorstRows::add(const Eigen::VectorXd& scores, const RowBlock& rows, double first) {
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    // A score that is no number must not be lost among the others.
    if (std::isnan(scores[i])) throw Error("the loss of a row could not be computed");
    if (rows_.size() == size_ && !(scores[i] > rows_.back().score)) continue;
    add({scores[i], first + static_cast<double>(i), rows.row(i).transpose()});
  }
}

void WorstRows::add(const WorstRows& later, double numbers_before) {
  for (RankedRow row : later.rows_) {
    row.number += numbers_before;
    add(std::move(row));
  }
}

void FigureCounts::add(const Eigen::VectorXd& values) {
  for (const double value : values) {
    ++bins_[bin_of(value)];
    largest_ = std::max(largest_, value);
  }
  count_ += static_cast<double>(values.size());
}

void FigureCounts::add(const FigureCounts& other) {
  for (const auto& [bin, count] : other.bins_) bins_[bin] += count;
  largest_ = std::max(largest_, other.largest_);
  count_ += other.count_;
}

double FigureCounts::quantile(double share) const {
  double below = 0.0;
  for (const auto& [bin, count] : bins_) {
    below += count;
    if (below >= share * count_) return std::min(upper_edge(bin), largest_);
  }
  return largest_;
}

RowFigures FigureCounts::figures(std::string name) const {
  return {std::move(name), quantile(0.5), quantile(0.75), quantile(0.99), largest_};
}

double for_each_clipped_block(const AuditedTable& audited, const ClippedWork& work) {
  const IntegerClip clip(audited.row_norm_bound);
  double rows_before = 0.0;
  audited.table.for_each_block(audited.rule.table_columns(), audited.options,
                               [&](const RowBlock& block) {
                                 RowBlock rows = audited.rule.apply(block);
                                 clip.apply(rows);
                                 rows *= clip.grid();  // a power of two: exact
                                 const JoinBlock join = work(rows);
                                 return [&rows_before, join, count = rows.rows()] {
                                   join(rows_before);
                                   rows_before += static_cast<double>(count);
                                 };
                               });
  return rows_before;
}

ScoredRows score_rows(const AuditedTable& audited, std::size_t worst_count,
                      const std::function<Eigen::VectorXd(const RowBlock& rows)>& scores) {
  ScoredRows all{WorstRows(worst_count), {}};
  for_each_clipped_block(audited, [&](const RowBlock& rows) -> JoinBlock {
    const Eigen::VectorXd found = scores(rows);
    auto here = std::make_shared<ScoredRows>(ScoredRows{WorstRows(worst_count), {}});
    here->worst.add(found, rows, 1.0);
    here->counts.add(found);
    return [&all, here](double rows_before) {
      all.worst.add(here->worst, rows_before);
      all.counts.add(here->counts);
    };
  });
  return all;
}

Eigen::VectorXd clipped_row(const Eigen::VectorXd& row, double row_norm_bound) {
  const IntegerClip clip(row_norm_bound);
  RowBlock block = row.transpose();
  clip.apply(block);
  return clip.grid() * block.row(0).transpose();
}

}  // namespace modicum
