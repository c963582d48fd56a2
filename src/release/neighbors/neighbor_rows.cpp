#include "release/neighbors/neighbor_rows.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

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
