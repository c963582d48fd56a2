// The objective of a regularized regression, its gradient with a bound on the rounding, its
// Hessian.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <vector>

#include "modicum/data/gram.h"
#include "modicum/mechanisms/prediction_loss.h"
#include "modicum/release/labeled_rows.h"

namespace modicum {

using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// Of clipped rows v, in whole numbers of grids, here is x = 2^-20 v: |x| <= 1 whatever the units
/// of the file. 1 here is so much there; a power of two.
inline double unit_of(const IntegerClip& clip) { return std::ldexp(clip.grid(), 20); }

/// Coefficients as whole numbers t of 2^-exponent, so that predictions x^T theta are whole numbers
/// too, v^T t of 2^-(20 + exponent): nothing is rounded, and no order of summation matters.
class WholeCoefficients {
 public:
  /// To the nearest. 61 bits for the largest.
  explicit WholeCoefficients(const LongVector& theta);
  /// For who has the rows, and back. Throws Error.
  Value to_value() const;
  explicit WholeCoefficients(const Value& value);
  Eigen::Index size() const { return static_cast<Eigen::Index>(whole_.size()); }
  LongVector value() const;
  /// Off by 2^-64 of it at most: the only rounding is the last.
  long double prediction(const std::int64_t* row) const;

 private:
  std::vector<std::int64_t> whole_;
  int exponent_ = 0;
  long double scale_ = 1.0L;  // of predictions, a power of two
};

/// Slopes of a loss in whole numbers of a power of two, some 2^-62 of the largest.
class WholeSlopes {
 public:
  explicit WholeSlopes(const PredictionLoss& loss);
  std::int64_t rounded(long double slope) const;
  int exponent() const { return exponent_; }  ///< whole numbers of 2^-exponent
  /// A slope computed from a prediction that was rounded once, and rounded itself, is off by this
  /// much at most; exp is trusted to 4 units in the last place.
  double error() const { return error_; }

 private:
  int exponent_;
  long double scale_;  // 2^exponent
  double error_;
};

/// Rows of a block one after the other, as integers.
class WholeRows {
 public:
  explicit WholeRows(const RowBlock& block) : block_(block), row_(block.cols()) {}
  const std::int64_t* at(Eigen::Index i);

 private:
  const RowBlock& block_;
  Eigen::Matrix<std::int64_t, Eigen::Dynamic, 1> row_;
};

/// sum f(x^T theta; y) + ridge/2 |theta|^2 + tilt^T theta, with |x| <= 1.
struct LinearObjective {
  PredictionLoss loss;
  double ridge;
  LongVector tilt;
};

struct ObjectivePoint {
  LongVector theta;  ///< where this is: near the point that was asked for
  long double value = 0.0L;
  long double size = 0.0L;  ///< of the numbers that the value is the sum of
  LongVector gradient;
  double gradient_error = 0.0;  ///< Euclidean distance from the true gradient at most, proved
  Eigen::MatrixXd hessian;
  double rows = 0.0;

  /// Not below the norm of the true gradient.
  double gradient_bound() const;
};

/// By name and parameter, and back. Throws Error, InvalidParameter.
Value to_value(const PredictionLoss& loss);
PredictionLoss loss_in(const Value& value);

/// What the rows add up to for the question of a point.
std::vector<Integer128> answer_point(const PassOverRows& pass, const Value& question);

/// How the gradient is added up: from slopes in full, with the bound on its error, or from slopes
/// in doubles, which is quick, good enough to find the way, and proves nothing: the error is then
/// infinite. Both in whole numbers.
enum class GradientDigits { whole, doubles };

ObjectivePoint objective_point(const PassOverRows& pass, const LinearObjective& objective,
                               const LongVector& theta,
                               GradientDigits digits = GradientDigits::whole);

}  // namespace modicum
