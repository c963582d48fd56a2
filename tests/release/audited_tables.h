// Tables in memory for the tests of audits, and neighbors by brute force.
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>

#include "modicum/privacy/gaussian_pair.h"
#include "modicum/release/neighbor_audit.h"
#include "release/small_tables.h"

namespace modicum::testing {

/// A file with these rows, without a header.
class MadeTable {
 public:
  explicit MadeTable(const Eigen::MatrixXd& rows, double row_norm_bound,
                     const std::map<std::string, Range>& ranges = {}, bool intercept = false,
                     unsigned threads = 0)
      : table_(files(rows)), rule_(table_, {}, ranges, intercept), bound_(row_norm_bound) {
    options_.threads = threads;
  }
  AuditedTable audited() const { return {table_, rule_, bound_, options_}; }
  const Table& table() const { return table_; }
  const RowRule& rule() const { return rule_; }

 private:
  TableFiles files(const Eigen::MatrixXd& rows) const {
    std::string text;
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
      for (Eigen::Index j = 0; j < rows.cols(); ++j)
        text += fmt::format("{}{}", rows(i, j), j + 1 < rows.cols() ? ',' : '\n');
    TableFiles result;
    result.paths = {folder_.write("rows.csv", text)};
    result.header = false;
    result.fields = static_cast<std::size_t>(rows.cols());
    return result;
  }
  TemporaryFolder folder_;
  Table table_;
  RowRule rule_;
  double bound_;
  ReadOptions options_;
};

/// As the releases clip them, in coordinates.
inline Eigen::MatrixXd as_clipped(const Eigen::MatrixXd& rows, double row_norm_bound) {
  const IntegerClip clip(row_norm_bound);
  return clip.grid() * clipped(rows, clip);
}

/// Of `count` independent draws from each, larger direction, by a dense reduction.
inline double dense_delta(const GaussianDistribution& with, const GaussianDistribution& without,
                          double epsilon, double count = 1.0) {
  const auto spectrum = reduce_pair(with, without, Accuracy::fast);
  if (!spectrum) return 1.0;
  return profile(PrivacyLoss::gaussian(*spectrum).repeated(count), epsilon, Accuracy::fast)
      .delta()
      .upper();
}

/// Uneven rows: one far out, one with a strange last entry, one there twice, one of zeros.
inline Eigen::MatrixXd uneven_table(SeededRandom& random, long rows, long columns) {
  Eigen::MatrixXd result = random_rows(random, rows, columns, 0.3);
  result.row(0) *= 4.0;
  result(1, columns - 1) += 1.0;
  result.row(3) = result.row(2);
  result.row(4).setZero();
  return result;
}

}  // namespace modicum::testing
