#include "release/regression/linear_objective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

// Rows whose Hessians are added by one call.
constexpr Eigen::Index chunk_rows = 256;
constexpr int bits_of_coefficients = 61, bits_of_slopes = 62;

using WholeVector = std::vector<Integer128>;

// What the rows of one block add.
struct Part {
  explicit Part(Eigen::Index dimension)
      : slopes(static_cast<std::size_t>(dimension), 0),
        pulls(Eigen::VectorXd::Zero(dimension)),
        hessian(Eigen::MatrixXd::Zero(dimension, dimension)) {}
  long double value = 0.0L;
  WholeVector slopes;       // sum of slope v, without rounding
  Eigen::VectorXd pulls;    // the same in doubles, of 2^-20 v
  Eigen::MatrixXd hessian;  // its lower triangle
  double rows = 0.0;
};

void add_hessian(const RowBlock& rows, const Eigen::VectorXd& curvatures, Part& part) {
  for (Eigen::Index first = 0; first < rows.rows(); first += chunk_rows) {
    const Eigen::Index count = std::min(chunk_rows, rows.rows() - first);
    const Eigen::VectorXd roots = 0x1p-20 * curvatures.segment(first, count).cwiseSqrt();
    const Eigen::MatrixXd scaled = (roots.asDiagonal() * rows.middleRows(first, count)).transpose();
    part.hessian.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
  }
}

Part part_of(const LabeledBlock& block, const PredictionLoss& loss, const WholeSlopes& slopes,
             const WholeCoefficients& theta) {
  Part part(theta.size());
  WholeRows rows(block.features);
  Eigen::VectorXd curvatures(block.labels.size());
  for (Eigen::Index i = 0; i < block.labels.size(); ++i) {
    const std::int64_t* row = rows.at(i);
    const long double prediction = theta.prediction(row), label = block.labels[i];
    const std::int64_t slope = slopes.rounded(loss.slope<long double>(prediction, label));
    for (std::size_t j = 0; j < part.slopes.size(); ++j)
      part.slopes[j] += Integer128{slope} * row[j];
    // Where to go next is told by doubles as well.
    const auto at = loss.at<double>(static_cast<double>(prediction), block.labels[i]);
    curvatures[i] = at.curvature;
    part.value += at.value;
  }
  add_hessian(block.features, curvatures, part);
  part.rows = static_cast<double>(block.labels.size());
  return part;
}

// `theta` in doubles. Each block by itself: the same bits for any number of threads.
Part quick_part_of(const LabeledBlock& block, const PredictionLoss& loss,
                   const Eigen::VectorXd& theta) {
  Part part(theta.size());
  Eigen::VectorXd slopes = block.features * (0x1p-20 * theta), curvatures(slopes.size());
  double value = 0.0;
  for (Eigen::Index i = 0; i < slopes.size(); ++i) {
    const auto at = loss.at<double>(slopes[i], block.labels[i]);
    slopes[i] = at.slope;
    curvatures[i] = at.curvature;
    value += at.value;
  }
  part.value = value;
  part.pulls = block.features.transpose() * (0x1p-20 * slopes);
  add_hessian(block.features, curvatures, part);
  part.rows = static_cast<double>(block.labels.size());
  return part;
}

void add(Part& sum, const Part& part) {
  sum.value += part.value;
  sum.pulls += part.pulls;
  for (std::size_t j = 0; j < sum.slopes.size(); ++j) sum.slopes[j] += part.slopes[j];
  sum.hessian += part.hessian;
  sum.rows += part.rows;
}

}  // namespace

WholeCoefficients::WholeCoefficients(const LongVector& theta)
    : whole_(static_cast<std::size_t>(theta.size()), 0) {
  const long double largest = theta.size() == 0 ? 0.0L : theta.cwiseAbs().maxCoeff();
  if (!(largest < 1e300L)) throw Error("the coefficients are not finite; nothing is released");
  if (largest == 0.0L) return;
  exponent_ = bits_of_coefficients - 1 - std::ilogb(largest);
  scale_ = std::ldexp(1.0L, -20 - exponent_);
  for (Eigen::Index j = 0; j < theta.size(); ++j)
    whole_[static_cast<std::size_t>(j)] = std::llround(std::ldexp(theta[j], exponent_));
}

LongVector WholeCoefficients::value() const {
  LongVector result(size());
  for (Eigen::Index j = 0; j < size(); ++j)
    result[j] =
        std::ldexp(static_cast<long double>(whole_[static_cast<std::size_t>(j)]), -exponent_);
  return result;
}

long double WholeCoefficients::prediction(const std::int64_t* row) const {
  Integer128 sum = 0;  // |v| <= 2^20 and |t| <= 2^61 sqrt d, so it is below 2^127
  for (std::size_t j = 0; j < whole_.size(); ++j) sum += Integer128{whole_[j]} * row[j];
  return static_cast<long double>(sum) * scale_;
}

// With u' = 2^-64 the roundoff of long double, and a loss that is straight beyond |u| = reach:
//   a prediction is off by u' |u|, hence a slope by the curvature times u' reach, or, for the
//   logistic loss, by u' max |u| f''(u) < u'/4;
//   computing it from there costs four roundings of numbers up to 1 + reach, and at the end two of
//   itself; exp within 4 units, 8 u', moves the logistic slope by 2 u';
//   rounding to the grid costs half of it.
WholeSlopes::WholeSlopes(const PredictionLoss& loss)
    : exponent_(bits_of_slopes - 1 - std::ilogb(loss.largest_slope())),
      scale_(std::ldexp(1.0L, exponent_)) {
  const double reach = 2.0 + loss.parameter();
  error_ = 0x1p-61 * loss.largest_curvature() * reach + 0x1p-62 * loss.largest_slope() +
           std::ldexp(0.5, -exponent_);
}

std::int64_t WholeSlopes::rounded(long double slope) const { return std::llround(slope * scale_); }

const std::int64_t* WholeRows::at(Eigen::Index i) {
  for (Eigen::Index j = 0; j < row_.size(); ++j) row_[j] = static_cast<std::int64_t>(block_(i, j));
  return row_.data();
}

double ObjectivePoint::gradient_bound() const {
  return (1.0 + 1e-10) * (static_cast<double>(gradient.stableNorm()) + gradient_error);
}

ObjectivePoint objective_point(const PassOverRows& pass, const LinearObjective& objective,
                               const LongVector& theta, GradientDigits digits) {
  const WholeCoefficients whole(theta);
  const WholeSlopes slopes(objective.loss);
  const bool quick = digits == GradientDigits::doubles;
  Part sum(theta.size());
  ObjectivePoint point;
  point.theta = whole.value();
  const Eigen::VectorXd doubles = point.theta.cast<double>();
  pass([&](const LabeledBlock& block) -> std::function<void()> {
    auto part = std::make_shared<Part>(quick ? quick_part_of(block, objective.loss, doubles)
                                             : part_of(block, objective.loss, slopes, whole));
    return [&sum, part] { add(sum, *part); };
  });
  LongVector pulls = sum.pulls.cast<long double>();
  for (Eigen::Index j = 0; !quick && j < pulls.size(); ++j)
    pulls[j] = std::ldexp(static_cast<long double>(sum.slopes[static_cast<std::size_t>(j)]),
                          -20 - slopes.exponent());
  const long double ridge = objective.ridge;
  point.gradient = pulls + ridge * point.theta + objective.tilt;
  const long double straight = objective.tilt.dot(point.theta);
  const long double bent = sum.value + 0.5L * ridge * point.theta.squaredNorm();
  point.value = bent + straight;
  point.size = bent + std::abs(straight);
  // Rows have norm 1 at most. Every other number is rounded once, every sum once more.
  const long double sizes = pulls.stableNorm() + ridge * point.theta.stableNorm() +
                            objective.tilt.stableNorm() + point.gradient.stableNorm();
  point.gradient_error =
      quick ? std::numeric_limits<double>::infinity()
            : 1.01 * (sum.rows * slopes.error() + 0x1p-62 * static_cast<double>(sizes));
  point.hessian = sum.hessian.selfadjointView<Eigen::Lower>();
  point.hessian.diagonal().array() += objective.ridge;
  point.rows = sum.rows;
  return point;
}

}  // namespace modicum
