// Losses of records in few numbers. Confidential: for the holder of the data.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "modicum/data/table.h"

namespace modicum {

/// Of records inside the data, or of others.
struct RecordLosses {
  Eigen::VectorXd signed_losses;
  Eigen::VectorXd bounds;  ///< what a data-independent report would tell of each
  /// Numbers of the rows that were dropped, as Table::dropped_rows counts.
  std::vector<std::uint64_t> dropped = {};

  /// Its number in the table.
  std::uint64_t row(Eigen::Index place) const {
    return row_number(dropped, static_cast<std::uint64_t>(place) + 1);
  }
};

struct LossSummary {
  double rows = 0.0;
  /// Of the absolute values; NaN without rows. A quantile is the least value that so many do not
  /// exceed.
  double largest, mean, median, quantile_90, quantile_99;
  double share_below_a_tenth;  ///< of the worst case
  double median_bound;
  double share_above_bound;
};

LossSummary summarize(const RecordLosses& losses, double worst_case);

/// The least of the sorted values that this share of them does not exceed; NaN for none.
double quantile(const std::vector<double>& sorted, double share);

}  // namespace modicum
