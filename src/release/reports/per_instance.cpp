// Losses after the fact, for a block of records at once.
#include "modicum/release/per_instance.h"

#include <algorithm>
#include <cmath>

#include "numerics/ball.h"
#include "release/regression/linear_objective.h"
#include "release/reports/leverages.h"
#include "release/reports/per_instance_checks.h"
#include "release/reports/removed_curvature.h"

namespace modicum {
namespace {

// Rows that are solved for at once: their numbers stay in the cache.
constexpr Eigen::Index rows_at_once = 1024;
// From here on 1 - m loses digits. No more than d / heavy rows have so much of it.
constexpr double heavy = 0.9;

// f'' at the coefficients as sums in whole numbers have it (objective_sums): the same curvature as
// in the Hessian, or 1 - m would not be what is left of it.
long double curvature_in_sums(const ObjectiveRelease& release, const Eigen::VectorXd& row,
                              double response) {
  const PrecisionScope scope(256);
  const LongVector theta = WholeCoefficients(release.coefficients.cast<long double>()).value();
  Ball prediction;
  for (Eigen::Index j = 0; j < row.size(); ++j) {
    const auto high = static_cast<double>(theta[j]);
    prediction += Ball(row[j]) * (Ball(high) + Ball(static_cast<double>(theta[j] - high)));
  }
  const double high = prediction.middle();
  const long double rest = (prediction - Ball(high)).middle();
  return release.loss.at<long double>(high + rest, response).curvature;
}

}  // namespace

ExPostLoss::ExPostLoss(const ObjectiveRelease& release, Eigen::VectorXd gradient,
                       const Eigen::MatrixXd& hessian, const Eigen::MatrixXd& rest)
    : release_(release), gradient_(std::move(gradient)) {
  require_release(release_);
  const Eigen::Index dimension = release_.coefficients.size();
  require_vector("gradient", gradient_, dimension);
  require_square("hessian", hessian, dimension);
  if (rest.size() > 0) require_square("rest", rest, dimension);
  leverages_ = std::make_shared<const Leverages>(hessian, rest, release_.regularization,
                                                 release_.bounds().smoothness);
}

// By the change of variables, with G = grad J(theta; D) and g = f' x,
//   inside:  -log(1 - m) + |g|^2/(2 s^2) - G^T g/s^2,
//   outside: -log(1 + m) + |g|^2/(2 s^2) + G^T g/s^2,   m = f'' x^T H^-1 x = f'' |L^-1 x|^2.
Confidential ExPostLoss::signed_losses(const RowBlock& rows, const Eigen::VectorXd& responses,
                                       Membership membership) const {
  if (rows.cols() != gradient_.size())
    throw InvalidParameter("rows", static_cast<double>(rows.cols()),
                           "must have as many columns as there are coefficients");
  if (responses.size() != rows.rows())
    throw InvalidParameter("responses", static_cast<double>(responses.size()),
                           "must be as many as there are rows");
  const double deviation = release_.standard_deviation;
  Confidential result{Eigen::VectorXd(rows.rows())};
  for (Eigen::Index first = 0; first < rows.rows(); first += rows_at_once) {
    const Eigen::Index count = std::min(rows_at_once, rows.rows() - first);
    const auto block = rows.middleRows(first, count);
    const Eigen::VectorXd lengths = block.rowwise().squaredNorm();
    const Eigen::VectorXd predictions = block * release_.coefficients;
    const Eigen::VectorXd pulls = block * (gradient_ / deviation);
    for (Eigen::Index i = 0; i < count; ++i) {
      require_clipped(release_, lengths[i]);
      require_response(release_.loss, responses[first + i]);
    }
    const Eigen::VectorXd leverages = leverages_->of(block);
    for (Eigen::Index i = 0; i < count; ++i) {
      const auto at = release_.loss.at(predictions[i], responses[first + i]);
      const double slope = at.slope / deviation, m = at.curvature * leverages[i];
      const double square = 0.5 * slope * slope * lengths[i], product = slope * pulls[i];
      const auto removed = [&] {
        const double alone = std::log1p(at.curvature * lengths[i] / release_.regularization);
        if (!leverages_->precise() || m < heavy) return removed_curvature(m, alone);
        const Eigen::VectorXd row = block.row(i);
        return std::min(
            leverages_->removed(row, curvature_in_sums(release_, row, responses[first + i])),
            alone);
      };
      result.values[first + i] = membership == Membership::inside
                                     ? removed() + (square - product)
                                     : -std::log1p(m) + (square + product);
    }
  }
  return result;
}

}  // namespace modicum
