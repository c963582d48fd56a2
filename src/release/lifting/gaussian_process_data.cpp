// Rows on their way to a Gaussian process: clipped, counted, and for the linear kernel added up.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "data/moment_width.h"
#include "modicum/release/gaussian_process_release.h"

namespace modicum {
namespace {

// Features and the target of some rows. For the linear kernel in whole numbers of their grids, so
// that sums of products of 8192 rows are exact in doubles.
class RowClip {
 public:
  explicit RowClip(const GaussianProcessPlan& plan)
      : features_(plan.features()),
        target_bound_(plan.bounds.target_bound),
        linear_(plan.kernel == PriorKernel::linear),
        feature_clip_(linear_ ? plan.rows.row_norm_bound : 1.0),
        target_clip_(linear_ ? target_bound_ : 1.0) {}

  RowBlock operator()(const RowBlock& rows) const {
    RowBlock result = rows;
    auto targets = result.col(features_);
    targets = targets.cwiseMin(target_bound_).cwiseMax(-target_bound_).eval();
    if (!linear_) return result;
    RowBlock left = result.leftCols(features_), right = result.rightCols(1);
    feature_clip_.apply(left);
    target_clip_.apply(right);
    result << left, right;
    return result;
  }

  bool linear() const { return linear_; }
  /// What a whole number stands for, column by column.
  Eigen::VectorXd units() const {
    Eigen::VectorXd result = Eigen::VectorXd::Ones(features_ + 1);
    if (!linear_) return result;
    result.setConstant(feature_clip_.grid());
    result[features_] = target_clip_.grid();
    return result;
  }

 private:
  Eigen::Index features_;
  double target_bound_;
  bool linear_;
  IntegerClip feature_clip_, target_clip_;
};

// Sums of products of whole numbers: exact in doubles for 8192 rows, then in 128 bits.
class ExactMoments {
 public:
  explicit ExactMoments(Eigen::Index width)
      : width_(width), sums_(static_cast<std::size_t>(width * width), 0) {}

  void add(const RowBlock& whole) {
    for (Eigen::Index first = 0; first < whole.rows(); first += 8192) {
      const auto part = whole.middleRows(first, std::min<Eigen::Index>(8192, whole.rows() - first));
      const Eigen::MatrixXd products = part.transpose() * part;
      for (std::size_t i = 0; i < sums_.size(); ++i)
        sums_[i] += static_cast<std::int64_t>(products.data()[i]);
    }
  }

  Eigen::MatrixXd in_units(const Eigen::VectorXd& units) const {
    Eigen::MatrixXd result(width_, width_);
    for (std::size_t i = 0; i < sums_.size(); ++i) result.data()[i] = static_cast<double>(sums_[i]);
    return units.asDiagonal() * result * units.asDiagonal();
  }

 private:
  Eigen::Index width_;
  std::vector<Integer128> sums_;
};

class Collector {
 public:
  Collector(const GaussianProcessPlan& plan, bool keep_rows)
      : clip_(plan),
        keeps_rows_(keep_rows || !clip_.linear()),
        width_(plan.features() + 1),
        most_(plan.bounds.largest_rows),
        moments_(width_) {}

  const RowClip& clip() const { return clip_; }

  void add(const RowBlock& clipped) {
    rows_ += static_cast<double>(clipped.rows());
    if (rows_ > most_)
      throw Error(
          "there are more rows than the promise allows (largest_rows); nothing is released");
    if (clip_.linear()) moments_.add(clipped);
    if (keeps_rows_) values_.insert(values_.end(), clipped.data(), clipped.data() + clipped.size());
  }

  GaussianProcessData data() const {
    GaussianProcessData result;
    result.rows = rows_;
    const Eigen::VectorXd units = clip_.units();
    if (clip_.linear()) result.moments = moments_.in_units(units);
    if (!keeps_rows_) return result;
    const Eigen::Map<const RowBlock> all(values_.data(), static_cast<Eigen::Index>(rows_), width_);
    result.features = (all * units.asDiagonal()).leftCols(width_ - 1);
    result.targets = all.col(width_ - 1) * units[width_ - 1];
    return result;
  }

 private:
  RowClip clip_;
  bool keeps_rows_;
  Eigen::Index width_;
  double most_, rows_ = 0.0;
  ExactMoments moments_;
  std::vector<double> values_;
};

}  // namespace

GaussianProcessData read_gaussian_process(const GaussianProcessPlan& plan, const Table& table,
                                          const RowRule& rule, const ReadOptions& options,
                                          bool keep_rows) {
  if (static_cast<Eigen::Index>(rule.width()) != plan.rows.dimension())
    throw InvalidParameter("coordinates", static_cast<double>(rule.width()),
                           "must be those of the plan");
  data::require_moment_width(rule.width());
  Collector collector(plan, keep_rows);
  table.for_each_block(rule.table_columns(), options, [&](const RowBlock& block) {
    auto clipped = std::make_shared<RowBlock>(collector.clip()(rule.apply(block)));
    return [&collector, clipped] { collector.add(*clipped); };
  });
  return collector.data();
}

GaussianProcessData gaussian_process_data(const GaussianProcessPlan& plan, const RowBlock& rows) {
  if (rows.cols() != plan.rows.dimension())
    throw InvalidParameter("coordinates", static_cast<double>(rows.cols()),
                           "must be those of the plan");
  if (!rows.allFinite()) throw InvalidParameter("an entry of a row", "not finite", "must be");
  Collector collector(plan, true);
  collector.add(collector.clip()(rows));
  return collector.data();
}

}  // namespace modicum
