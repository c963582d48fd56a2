#include "release/regression/linear_objective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

// Rows whose Hessians are added by one call.
constexpr Eigen::Index chunk_rows = 64;
constexpr int bits_of_coefficients = 61, bits_of_slopes = 62, bits_of_values = 90;

using WholeVector = std::vector<Integer128>;

// Everything that is added up over rows: whole numbers, so that the point is the same for any order
// of the rows and any pieces of the table. First the number of rows, then the value, the slopes and
// the lower triangle of the Hessian.
struct PointLayout {
  explicit PointLayout(std::size_t width) : dimension(width) {}
  std::size_t dimension;
  static constexpr std::size_t rows = 0, value = 1, slopes = 2;
  std::size_t hessian() const { return slopes + dimension; }
  std::size_t size() const { return hessian() + dimension * (dimension + 1) / 2; }
};

// Values in whole numbers of 2^-exponent: 90 bits for the largest there can be, as |u| is at most
// the sum of all |theta|, and f at most slope (|u| + 1) + slope^2 / 2 + 1 for all losses.
int exponent_of_values(const PredictionLoss& loss, const WholeCoefficients& theta) {
  const double slope = loss.largest_slope();
  const long double largest = theta.value().cwiseAbs().sum();
  return bits_of_values - 2 - std::ilogb(slope * (largest + 1.0L) + 0.5L * slope * slope + 1.0L);
}

// Rows sqrt(f'') v are rounded to whole numbers as well. With f'' <= 4^bend they are at most 2^23
// long, times 2^(3 - bend), so over 64 rows all sums of products are whole numbers of at most 2^53:
// doubles, in whatever order they are added (data/gram.cpp). That leaves the Hessian some 2^-23 off
// for each row, which tells where to go next; how near the minimizer is, the slopes say.
int bend_of(const PredictionLoss& loss) { return std::ilogb(loss.largest_curvature()) / 2 + 1; }

// Added and taken off again, it rounds numbers below 2^51 to whole ones, many at a time.
constexpr double no_fractions = 0x1.8p52;

void add_hessian(const RowBlock& rows, const Eigen::VectorXd& curvatures, int bend,
                 Integer128* sums) {
  const double factor = std::ldexp(1.0, 3 - bend);
  Eigen::MatrixXd part(rows.cols(), rows.cols());
  for (Eigen::Index first = 0; first < rows.rows(); first += chunk_rows) {
    const Eigen::Index count = std::min(chunk_rows, rows.rows() - first);
    const Eigen::VectorXd roots = factor * curvatures.segment(first, count).cwiseSqrt();
    const Eigen::MatrixXd whole =
        (roots.asDiagonal() * rows.middleRows(first, count)).transpose().array() + no_fractions -
        no_fractions;
    part.setZero();
    part.selfadjointView<Eigen::Lower>().rankUpdate(whole);
    Integer128* entry = sums;
    for (Eigen::Index i = 0; i < part.rows(); ++i)
      for (Eigen::Index j = 0; j <= i; ++j) *entry++ += static_cast<std::int64_t>(part(i, j));
  }
}

// Slopes in doubles are whole numbers of 2^-exponent, at most 2^52.
int exponent_of_quick_slopes(const PredictionLoss& loss) {
  return 51 - std::ilogb(loss.largest_slope());
}

// Both halves of slopes have at most 26 bits and rows 20, so that over 64 rows sums of products are
// whole numbers below 2^53: doubles, in whatever order they are added.
void add_quick_slopes(const RowBlock& rows, const Eigen::VectorXd& slopes, Integer128* sums) {
  for (Eigen::Index first = 0; first < rows.rows(); first += chunk_rows) {
    const Eigen::Index count = std::min(chunk_rows, rows.rows() - first);
    const Eigen::VectorXd high = (slopes.segment(first, count) * 0x1p-26).array().round();
    const Eigen::VectorXd low = slopes.segment(first, count) - high * 0x1p26;
    const auto own = rows.middleRows(first, count).transpose();
    const Eigen::VectorXd of_high = own * high, of_low = own * low;
    for (Eigen::Index j = 0; j < rows.cols(); ++j)
      sums[j] += (Integer128{static_cast<std::int64_t>(of_high[j])} << 26) +
                 static_cast<std::int64_t>(of_low[j]);
  }
}

// The scale is a power of two.
Integer128 whole_value(double value, long double scale) {
  return static_cast<Integer128>(static_cast<long double>(value) * scale);
}

// The prediction of each row by itself, in the same order wherever it lies.
WholeVector quick_part_of(const LabeledBlock& block, const PredictionLoss& loss,
                          const WholeCoefficients& theta) {
  const PointLayout layout(static_cast<std::size_t>(theta.size()));
  const long double value_scale = std::ldexp(1.0L, exponent_of_values(loss, theta));
  const double slope_scale = std::ldexp(1.0, exponent_of_quick_slopes(loss));
  const Eigen::VectorXd scaled = 0x1p-20 * theta.value().cast<double>();
  WholeVector part(layout.size(), 0);
  Eigen::VectorXd slopes(block.labels.size()), curvatures(block.labels.size());
  for (Eigen::Index i = 0; i < block.labels.size(); ++i) {
    const double* const row = block.features.data() + i * block.features.cols();
    double prediction = 0.0;
    for (Eigen::Index j = 0; j < scaled.size(); ++j) prediction += row[j] * scaled[j];
    const auto at = loss.at<double>(prediction, block.labels[i]);
    slopes[i] = std::round(at.slope * slope_scale);
    curvatures[i] = at.curvature;
    part[PointLayout::value] += whole_value(at.value, value_scale);
  }
  add_quick_slopes(block.features, slopes, part.data() + PointLayout::slopes);
  add_hessian(block.features, curvatures, bend_of(loss), part.data() + layout.hessian());
  part[PointLayout::rows] = block.labels.size();
  return part;
}

WholeVector part_of(const LabeledBlock& block, const PredictionLoss& loss,
                    const WholeCoefficients& theta) {
  const PointLayout layout(static_cast<std::size_t>(theta.size()));
  const WholeSlopes slopes(loss);
  const long double value_scale = std::ldexp(1.0L, exponent_of_values(loss, theta));
  WholeVector part(layout.size(), 0);
  WholeRows rows(block.features);
  Eigen::VectorXd curvatures(block.labels.size());
  for (Eigen::Index i = 0; i < block.labels.size(); ++i) {
    const std::int64_t* row = rows.at(i);
    const long double prediction = theta.prediction(row), label = block.labels[i];
    const std::int64_t slope = slopes.rounded(loss.slope<long double>(prediction, label));
    for (std::size_t j = 0; j < layout.dimension; ++j)
      part[PointLayout::slopes + j] += Integer128{slope} * row[j];
    // Where to go next is told by doubles as well.
    const auto at = loss.at<double>(static_cast<double>(prediction), block.labels[i]);
    curvatures[i] = at.curvature;
    part[PointLayout::value] += whole_value(at.value, value_scale);
  }
  add_hessian(block.features, curvatures, bend_of(loss), part.data() + layout.hessian());
  part[PointLayout::rows] = block.labels.size();
  return part;
}

WholeVector read_point(const PassOverRows& pass, const PredictionLoss& loss,
                       const WholeCoefficients& theta, GradientDigits digits) {
  WholeVector sum(PointLayout(static_cast<std::size_t>(theta.size())).size(), 0);
  pass([&](const LabeledBlock& block) -> std::function<void()> {
    auto part = std::make_shared<WholeVector>(digits == GradientDigits::doubles
                                                  ? quick_part_of(block, loss, theta)
                                                  : part_of(block, loss, theta));
    return [&sum, part] {
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += (*part)[i];
    };
  });
  return sum;
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

Value WholeCoefficients::to_value() const {
  return Value{{"whole", whole_}, {"exponent", exponent_}};
}

WholeCoefficients::WholeCoefficients(const Value& value) {
  for (const Value& each : value.at("whole").items()) whole_.push_back(each.whole());
  const std::int64_t exponent = value.at("exponent").whole();
  if (exponent < -20000 || exponent > 20000) throw Error("coefficients must be finite");
  exponent_ = static_cast<int>(exponent);
  scale_ = std::ldexp(1.0L, -20 - exponent_);
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

Value to_value(const PredictionLoss& loss) {
  return Value{{"name", loss.name()}, {"parameter", loss.parameter()}};
}

PredictionLoss loss_in(const Value& value) {
  return PredictionLoss::named(value.at("name").text(), value.at("parameter").number());
}

std::vector<Integer128> answer_point(const PassOverRows& pass, const Value& question) {
  return read_point(
      pass, loss_in(question.at("loss")), WholeCoefficients(question.at("at")),
      question.at("quick").boolean() ? GradientDigits::doubles : GradientDigits::whole);
}

ObjectivePoint objective_point(const PassOverRows& pass, const LinearObjective& objective,
                               const LongVector& theta, GradientDigits digits) {
  const WholeCoefficients whole(theta);
  const WholeSlopes slopes(objective.loss);
  const bool quick = digits == GradientDigits::doubles;
  const PointLayout layout(static_cast<std::size_t>(theta.size()));
  const Value question{{"sums", "point"},
                       {"loss", to_value(objective.loss)},
                       {"at", whole.to_value()},
                       {"quick", quick}};
  const WholeVector sum = pass.sums(
      question, layout.size(), [&] { return read_point(pass, objective.loss, whole, digits); });
  if (sum[PointLayout::rows] < 0 || sum[PointLayout::rows] > Integer128{1} << 36)
    throw Error("there are too many rows to be added up without rounding");
  ObjectivePoint point;
  point.theta = whole.value();
  point.rows = static_cast<double>(sum[PointLayout::rows]);
  LongVector pulls(theta.size());
  for (Eigen::Index j = 0; j < pulls.size(); ++j)
    pulls[j] =
        std::ldexp(static_cast<long double>(sum[PointLayout::slopes + static_cast<std::size_t>(j)]),
                   -20 - (quick ? exponent_of_quick_slopes(objective.loss) : slopes.exponent()));
  const long double ridge = objective.ridge;
  point.gradient = pulls + ridge * point.theta + objective.tilt;
  const long double straight = objective.tilt.dot(point.theta);
  const long double bent = std::ldexp(static_cast<long double>(sum[PointLayout::value]),
                                      -exponent_of_values(objective.loss, whole)) +
                           0.5L * ridge * point.theta.squaredNorm();
  point.value = bent + straight;
  point.size = bent + std::abs(straight);
  // Rows have norm 1 at most. Every other number is rounded once, every sum once more.
  const long double sizes = pulls.stableNorm() + ridge * point.theta.stableNorm() +
                            objective.tilt.stableNorm() + point.gradient.stableNorm();
  point.gradient_error =
      quick ? std::numeric_limits<double>::infinity()
            : 1.01 * (point.rows * slopes.error() + 0x1p-62 * static_cast<double>(sizes));
  point.hessian.resize(theta.size(), theta.size());
  const int exponent = 2 * (bend_of(objective.loss) - 3) - 40;  // of x = 2^-20 v
  const Integer128* entry = sum.data() + layout.hessian();
  for (Eigen::Index i = 0; i < theta.size(); ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      point.hessian(i, j) = point.hessian(j, i) =
          std::ldexp(static_cast<double>(*entry++), exponent);
  point.hessian.diagonal().array() += objective.ridge;
  return point;
}

}  // namespace modicum
