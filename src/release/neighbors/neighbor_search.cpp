#include "release/neighbors/neighbor_search.h"

#include <algorithm>
#include <cmath>

#include "release/neighbors/neighbor_rows.h"

namespace modicum {
namespace {

constexpr int most_trials = 1000;   // from each start
constexpr double last_step = 1e-4;  // relative to the norm bound

// A wish and the row that comes of it.
struct Trial {
  Eigen::VectorXd wanted;
  FoundRow found;
};

// Besides those that were given: along the coordinates, and where every column has a range the
// corners, which are the longest rows.
std::vector<Eigen::VectorXd> all_starts(const AddedRows& rows,
                                        const std::vector<Eigen::VectorXd>& given) {
  const double bound = rows.row_norm_bound();
  std::vector<Eigen::VectorXd> all = given;
  for (Eigen::Index j = 0; j < std::min<Eigen::Index>(rows.width(), 100); ++j)
    all.push_back(bound * Eigen::VectorXd::Unit(rows.width(), j));
  all.push_back(Eigen::VectorXd::Constant(rows.width(), bound));
  for (const Eigen::VectorXd& start : given) all.push_back(bound * start.cwiseSign());
  return all;
}

}  // namespace

Eigen::VectorXd AddedRows::realized(const Eigen::VectorXd& wanted) const {
  return clipped_row(unclipped(wanted), audited_.row_norm_bound);
}

Eigen::VectorXd AddedRows::unclipped(const Eigen::VectorXd& wanted) const {
  const RowRule& rule = audited_.rule;
  const auto& columns = rule.table_columns();
  const Eigen::Index first = width() - static_cast<Eigen::Index>(columns.size());
  Eigen::VectorXd coordinates = wanted;
  if (first == 1) {
    // Scaled so that the intercept is one; a direction without any is only come close to.
    const double least = 1e-9 * std::max(wanted.norm(), 1e-290);
    const double intercept = std::abs(wanted[0]) < least ? least : wanted[0];
    coordinates /= intercept;
  }
  RowBlock raw(1, static_cast<Eigen::Index>(columns.size()));
  for (Eigen::Index j = first; j < width(); ++j) {
    const auto place = static_cast<std::size_t>(j);
    raw(0, j - first) = rule.offset(place) + rule.scale(place) * coordinates[j];
  }
  return rule.apply(raw).row(0).transpose();
}

FoundRow search_added_row(const AddedRows& rows, const std::vector<Eigen::VectorXd>& starts,
                          const std::function<double(const Eigen::VectorXd& row)>& value) {
  const double bound = rows.row_norm_bound();
  const auto tried = [&](const Eigen::VectorXd& wanted) {
    Trial trial{wanted, {rows.realized(wanted), 0.0}};
    trial.found.value = value(trial.found.row);
    return trial;
  };
  std::vector<Trial> first;
  for (const Eigen::VectorXd& start : all_starts(rows, starts)) first.push_back(tried(start));
  std::stable_sort(first.begin(), first.end(),
                   [](const Trial& a, const Trial& b) { return a.found.value > b.found.value; });
  first.resize(std::min<std::size_t>(first.size(), 3));
  FoundRow best;
  for (Trial& trial : first) {
    int trials = 0;
    for (double step = 0.5 * bound; step > last_step * bound && trials < most_trials;) {
      bool better = false;
      for (Eigen::Index j = 0; j < rows.width(); ++j)
        for (const double sign : {step, -step}) {
          ++trials;
          Trial next = tried(trial.wanted + sign * Eigen::VectorXd::Unit(rows.width(), j));
          if (!(next.found.value > trial.found.value)) continue;
          trial = std::move(next);
          better = true;
        }
      if (!better) step *= 0.5;
    }
    if (trial.found.value > best.value) best = trial.found;
  }
  return best;
}

}  // namespace modicum
