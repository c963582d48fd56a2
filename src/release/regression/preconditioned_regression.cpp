#include "modicum/release/preconditioned_regression.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/dense.h"
#include "release/certificates/public_certificate.h"
#include "release/look/look_rounds.h"
#include "release/regression/coefficients.h"
#include "release/regression/noisy_descent.h"
#include "release/regression/shrunken_solution.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

constexpr const char* look_page = "docs/derivations/look.md";
constexpr const char* branch = "coefficients";
constexpr const char* constant_only = "constant";
constexpr const char* by_descent = "descent";
// Residuals farther off than so many times their spread are scaled down for their mean.
constexpr double spreads_for_mean = 2.0;

// Hundredths of mu^2: flat around these over the data sets of reproduction/results, and over
// made-up ones of other shapes.
constexpr int mean_share = 10, norm_share = 5, first_share = 35, second_norm_share = 5,
              second_share = 45;
// Below so many rows times mu not even the mean is known well enough to look on.
constexpr double fewest_rows = 50.0;
// Largest excess of the squared error, over that of least squares and were features resolved
// perfectly, at which second moments do better than descent: both are alike at 0.005 and 0.016 of
// wine, red, and song, descent is far ahead at 0.013 of cancer, and far behind at 0.0014 of credit.
constexpr double largest_excess = 0.006;
// What each share of clipped rows is feared to add to the squared error.
constexpr double clipping_price = 0.5;

// How much more the target weighs than a whitened feature in the last round.
double target_weight(double features) { return std::max(1.0, 0.5 * std::sqrt(features)); }

// Noise of the last round in each coefficient of whitened features, for rows clipped to a radius.
double coefficient_noise(double mu, double features, double rows, double radius) {
  const double share = static_cast<double>(second_share) / 100.0;
  return radius * radius / (std::sqrt(2.0 * share) * mu * rows * target_weight(features));
}

// Were rows as long as whitened ones are, half of them clipped.
double expected_excess(double mu, double features, double rows) {
  const double weight = target_weight(features);
  const double noise =
      coefficient_noise(mu, features, rows, std::sqrt(0.5 * (features + 1.0 + weight * weight)));
  return features * noise * noise;
}

// What so many rows allow.
enum class Means { moments, descent, constant };

Means means_for(double mu, double features, double rows) {
  if (!(mu * rows >= fewest_rows)) return Means::constant;
  if (expected_excess(mu, features, rows) <= largest_excess) return Means::moments;
  return descent_clip(mu, features, rows) > 0.0 ? Means::descent : Means::constant;
}

// What is public about the sizes of coordinates: of all features together, and of the target.
struct Sizes {
  double features, target, both;
  bool apart;  // each has a bound of its own
};

Sizes sizes_of(const PublicRows& rows) {
  const std::size_t first = rows.intercept ? 1 : 0, last = rows.names.size() - 1;
  const auto ranged = [&](std::size_t i) { return rows.ranges.contains(rows.names[i]); };
  bool all = true;
  for (std::size_t i = first; i < last; ++i) all = all && ranged(i);
  const double bound = rows.row_norm_bound;
  const double features =
      all ? std::min(bound, std::sqrt(static_cast<double>(last - first))) : bound;
  const double target = ranged(last) ? std::min(bound, 1.0) : bound;
  const bool apart = all && ranged(last);
  return {features, target, apart ? std::hypot(features, target) : bound, apart};
}

// A linear prediction of the target from the features, both in coordinates.
struct LinearPrediction {
  double at_center;        // predicted where the features are at their center
  Eigen::VectorXd center;  // of the features
  Eigen::VectorXd slopes;
};

// From released moments of [constant, features, weight * target], with noise: how the target
// deviates, on average and with the features. Where nothing is centered the average is 0.
struct MomentSolution {
  double average = 0.0;
  ShrunkenSolution slopes;
  Eigen::VectorXd feature_means;   // of the features; 0 where nothing is centered
  Eigen::MatrixXd covariance;      // times rows, of features and target, the target unweighted
  double rows = 0.0;               // about how many, each with its weight after clipping
  double residual_variance = 0.0;  // of the target
};

MomentSolution solve_moments(const NoisyMoments& moments, double constant, double weight,
                             bool centered) {
  const Eigen::Index d = moments.values.rows() - 2;
  const double noise = moments.deviation;
  const double squared_constant = std::max(moments.values(0, 0), 2.0 * noise);
  Eigen::VectorXd scales = Eigen::VectorXd::Ones(d + 1);
  scales[d] = 1.0 / weight;
  const Eigen::VectorXd first = scales.asDiagonal() * moments.values.row(0).tail(d + 1).transpose();
  MomentSolution result;
  result.rows = squared_constant / (constant * constant);
  result.covariance =
      scales.asDiagonal() * moments.values.bottomRightCorner(d + 1, d + 1) * scales.asDiagonal();
  result.feature_means = Eigen::VectorXd::Zero(d);
  if (centered) {
    result.covariance -= first * first.transpose() / squared_constant;
    result.feature_means = first.head(d) * (constant / squared_constant);
  }
  const NoisySystem system{result.covariance.topLeftCorner(d, d), result.covariance.col(d).head(d),
                           noise, noise / weight};
  const double floor = 2.0 * noise / (weight * weight);
  result.slopes = shrunken_solution(system, std::max(result.covariance(d, d), floor) / result.rows);
  const Eigen::VectorXd& slopes = result.slopes.solution;
  const double left = result.covariance(d, d) - 2.0 * slopes.dot(system.right) +
                      slopes.dot(system.moments * slopes);
  result.residual_variance = std::max(left, floor) / result.rows;
  if (centered)
    result.average = (first[d] - first.head(d).dot(slopes)) * (constant / squared_constant);
  return result;
}

// Turns features onto the axes of their released covariance and to variance 1; along axes that the
// noise hides, to as much as it would hide.
Eigen::MatrixXd whitening(const MomentSolution& found, double noise) {
  const Eigen::Index d = found.feature_means.size();
  const SymmetricEigen axes = symmetric_eigen(found.covariance.topLeftCorner(d, d));
  const double hidden = noise * std::sqrt(static_cast<double>(d));
  const Eigen::VectorXd scales = (axes.values.cwiseMax(hidden) / found.rows).cwiseSqrt();
  return scales.cwiseInverse().asDiagonal() * axes.vectors.transpose();
}

// Where clipping is feared to cost as much as the noise of longer rows.
double cheapest_radius(const NoisyNorms& norms, double mu, double features, double rows) {
  double best = std::numeric_limits<double>::infinity(), radius = norms.edges.front();
  for (std::size_t i = 0; i < norms.edges.size(); ++i) {
    const double noise = coefficient_noise(mu, features, rows, norms.edges[i]);
    const double clipped = std::min(norms.above[i] / rows, 1.0);
    const double price = 2.0 * features * noise * noise + clipping_price * clipped * clipped;
    if (!(price < best)) continue;
    best = price;
    radius = norms.edges[i];
  }
  return radius;
}

// Intercept (if there is one) and slopes, standardized, with their standard errors.
struct Estimates {
  Eigen::VectorXd values, errors;
};

class PreconditionedRounds {
 public:
  PreconditionedRounds(const PreconditionedPlan& plan, const MappedRows& rows, RandomSource& source)
      : plan_(plan),
        rows_(rows),
        source_(source),
        budget_(plan.target),
        rounds_(budget_),
        sizes_(sizes_of(plan.rows)),
        centered_(plan.rows.intercept),
        features_(plan.features()),
        d_(rows.dimension() - 1),
        certificate_(plan.certificate) {}

  Released run() {
    look_at_means();
    switch (means_for(budget_.mu(), features_, count_)) {
      case Means::moments:
        look_at_spread();
        return solved();
      case Means::descent:
        return descended();
      case Means::constant:
        break;
    }
    return constant();
  }

 private:
  Eigen::VectorXd whole_center() const {
    Eigen::VectorXd center(d_ + 1);
    center << center_.center, center_.at_center;
    return center;
  }

  // The number of rows, and the means; the target weighs as much as all features together.
  void look_at_means() {
    center_ = {0.0, Eigen::VectorXd::Zero(d_), Eigen::VectorXd::Zero(d_)};
    Eigen::VectorXd scales = Eigen::VectorXd::Zero(d_ + 1);
    if (centered_) {
      scales.setOnes();
      if (sizes_.apart) scales[d_] = sizes_.features / (std::sqrt(2.0) * sizes_.target);
    }
    const double constant = sizes_.both / std::sqrt(2.0);
    const double others = !centered_     ? 0.0
                          : sizes_.apart ? std::hypot(sizes_.features, scales[d_] * sizes_.target)
                                         : sizes_.both;
    const double bound = std::hypot(constant, others);
    const NoisySum sum =
        look_at_sum(rows_, AffineMap::scaled(constant, Eigen::VectorXd::Zero(d_ + 1), scales),
                    bound, rounds_, mean_share, source_);
    count_ = std::max(sum.values[0] / constant, 1.0);
    certificate_.set("rows_released", count_);
    if (!centered_) return;
    // Towards the middle where there is hardly anything but noise.
    const double divisor = count_ + sum.deviation / constant;
    for (Eigen::Index j = 0; j <= d_; ++j) {
      const double largest = j < d_ ? sizes_.features : sizes_.target;
      const double mean = std::clamp(sum.values[j + 1] / scales[j] / divisor, -largest, largest);
      (j < d_ ? center_.center[j] : center_.at_center) = mean;
    }
  }

  // All that is left goes to the mean of the target.
  Released constant() {
    certificate_.set(branch, constant_only);
    return released(with_mean(Eigen::VectorXd::Zero(d_), sizes_.target));
  }

  // Slopes by noisy gradient descent; what is left goes to the mean of the residuals. No standard
  // errors: they would be those of a descent that has not come to its end.
  Released descended() {
    certificate_.set(branch, by_descent);
    const double clip = descent_clip(budget_.mu(), features_, count_);
    const DescentSlopes found = descend(rows_, whole_center(), sizes_.features, sizes_.target,
                                        centered_ ? 0.5 : 0.0, count_, clip, rounds_, source_);
    center_.center = found.center.head(d_);
    Estimates all = with_mean(found.slopes, spreads_for_mean * found.spread);
    all.errors.setConstant(std::numeric_limits<double>::quiet_NaN());
    return released(all);
  }

  // Slopes, and the mean of what they leave of the target, within `size` of where it was found.
  Estimates with_mean(const Eigen::VectorXd& slopes, double size) {
    Estimates all{Eigen::VectorXd::Zero(d_ + (centered_ ? 1 : 0)), {}};
    all.values.tail(d_) = slopes;
    all.errors =
        Eigen::VectorXd::Constant(all.values.size(), std::numeric_limits<double>::quiet_NaN());
    if (!centered_) return all;
    Eigen::MatrixXd residual(1, d_ + 1);
    residual << -slopes.transpose(), 1.0;
    const NoisySum sum = look_at_sum(rows_, AffineMap::turned(size, whole_center(), residual),
                                     std::sqrt(2.0) * size, rounds_, rounds_.left(), source_);
    const double hidden = sum.deviation / size;
    const double rows = std::max(sum.values[0] / size, 0.0) + hidden;
    const double mean = center_.at_center + sum.values[1] / rows;
    all.values[0] = std::clamp(mean, -sizes_.target, sizes_.target) - slopes.dot(center_.center);
    all.errors[0] = std::hypot(sum.deviation, size * std::sqrt(rows)) / rows;
    return all;
  }

  // Norms and second moments about the released means: where the features vary, and a first
  // prediction.
  void look_at_spread() {
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(d_ + 1);
    const NoisyNorms norms =
        look_at_norms(rows_, AffineMap::scaled(0.0, whole_center(), ones), 2.0 * sizes_.both,
                      std::sqrt(2.0), 48, rounds_, norm_share, source_);
    const double radius = norms.radius_with(0.5 * count_), constant = 0.5 * radius;
    const NoisyMoments moments =
        look_at_moments(rows_, AffineMap::scaled(constant, whole_center(), ones),
                        std::hypot(radius, constant), rounds_, first_share, source_);
    const MomentSolution found = solve_moments(moments, constant, 1.0, centered_);
    matrix_ = whitening(found, moments.deviation);
    residual_ = std::sqrt(found.residual_variance);
    center_.slopes = found.slopes.solution;
    center_.at_center += found.average + found.feature_means.dot(center_.slopes);
    center_.center += found.feature_means;
  }

  // The same of whitened features and of what the first prediction leaves of the target.
  Released solved() {
    const double weight = target_weight(features_);
    Eigen::MatrixXd map = Eigen::MatrixXd::Zero(d_ + 1, d_ + 1);
    map.topLeftCorner(d_, d_) = matrix_;
    map.row(d_).head(d_) = -center_.slopes.transpose() * (weight / residual_);
    map(d_, d_) = weight / residual_;
    const AffineMap whitened = AffineMap::turned(1.0, whole_center(), map);
    const double top = 8.0 * std::sqrt(features_ + 1.0 + weight * weight);
    const NoisyNorms norms = look_at_norms(rows_, whitened, top, std::exp2(0.25), 24, rounds_,
                                           second_norm_share, source_);
    const double radius = cheapest_radius(norms, budget_.mu(), features_, count_);
    const NoisyMoments moments =
        look_at_moments(rows_, whitened, radius, rounds_, second_share, source_);
    return told(solve_moments(moments, 1.0, weight, centered_), moments.deviation / weight);
  }

  Released told(const MomentSolution& found, double noise) {
    certificate_.set(branch, "all");
    certificate_.set("residual_standard_deviation",
                     residual_ * std::sqrt(found.residual_variance) * plan_.rows.scales.back());
    const Eigen::VectorXd slopes =
        center_.slopes + residual_ * (matrix_.transpose() * found.slopes.solution);
    const Eigen::MatrixXd covariance =
        residual_ * residual_ * matrix_.transpose() * found.slopes.covariance * matrix_;
    const Eigen::Index first = centered_ ? 1 : 0;
    Estimates all{Eigen::VectorXd(d_ + first), Eigen::VectorXd(d_ + first)};
    all.values.tail(d_) = slopes;
    all.errors.tail(d_) = covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
    if (centered_) {
      all.values[0] = center_.at_center + residual_ * found.average - slopes.dot(center_.center);
      const double of_average =
          residual_ * residual_ *
          (found.residual_variance / found.rows + noise * noise / (found.rows * found.rows));
      all.errors[0] =
          std::sqrt(of_average + std::max(center_.center.dot(covariance * center_.center), 0.0));
      return released(all, &covariance, of_average);
    }
    return released(all);
  }

  // Into the units of the file. The intercept there is another combination of the same.
  Released released(const Estimates& all, const Eigen::MatrixXd* covariance = nullptr,
                    double of_average = 0.0) const {
    const PublicRows& rows = plan_.rows;
    const double scale = rows.scales.back();
    Released result =
        coefficients_in_units(rows, {rows.centers.back(), scale}, all.values, certificate_);
    const Eigen::Index shown = result.values.rows(), known = all.values.size();
    const Eigen::Index extra = shown - known;  // an intercept that only units have made
    Eigen::VectorXd errors =
        Eigen::VectorXd::Constant(shown, std::numeric_limits<double>::quiet_NaN());
    for (Eigen::Index j = 0; j < known; ++j)
      errors[extra + j] = all.errors[j] * scale / rows.scales[static_cast<std::size_t>(j)];
    if (covariance != nullptr) {
      // The intercept of the file is predicted where its values, not coordinates, are 0.
      Eigen::VectorXd origin(d_);
      for (Eigen::Index j = 0; j < d_; ++j)
        origin[j] = -rows.centers[static_cast<std::size_t>(j + 1)] /
                        rows.scales[static_cast<std::size_t>(j + 1)] -
                    center_.center[j];
      errors[0] = scale * std::sqrt(of_average + std::max(origin.dot(*covariance * origin), 0.0));
    }
    constexpr double normal_quantile = 1.959963984540054;
    result.values.conservativeResize(Eigen::NoChange, 5);
    result.values.col(2) = errors;
    result.values.col(3) = result.values.col(0) - normal_quantile * errors;
    result.values.col(4) = result.values.col(0) + normal_quantile * errors;
    result.column_names.insert(result.column_names.end(), {"standard_error", "lower", "upper"});
    result.has_gaps = errors.hasNaN();
    return result;
  }

  const PreconditionedPlan& plan_;
  const MappedRows& rows_;
  RandomSource& source_;
  LookBudget budget_;
  LookRounds rounds_;
  Sizes sizes_;
  bool centered_;
  double features_;
  Eigen::Index d_;
  Certificate certificate_;
  // What was released so far.
  double count_ = 0.0, residual_ = 0.0;
  LinearPrediction center_;
  Eigen::MatrixXd matrix_;
};

}  // namespace

double PreconditionedPlan::features() const {
  return static_cast<double>(rows.dimension()) - (rows.intercept ? 2.0 : 1.0);
}

PreconditionedPlan plan_preconditioned(const PrivacyTarget& target, const PublicRows& rows) {
  if (rows.dimension() < (rows.intercept ? 3 : 2))
    throw InvalidParameter("coordinates", static_cast<double>(rows.dimension()),
                           "must be two at least: a feature and the target");
  const LookBudget budget(target);
  Certificate certificate("preconditioned_moments", target, budget.achieved());
  certificate.set("method", "preconditioned");
  certificate.set("unit_standard_deviation", budget.unit_deviation());
  certificate.theorem = look_page;
  describe_bound(certificate);
  describe_rows(certificate, rows);
  describe_arithmetic(certificate, Exactness::exact, grid_below(budget.unit_deviation()));
  describe_loss(certificate, budget.description());
  return {rows, target, std::move(certificate)};
}

Released release_preconditioned(const PreconditionedPlan& plan, const Table& table,
                                const RowRule& rule, const std::function<ReadOptions()>& begin,
                                RandomSource& source) {
  const MappedRows rows(table, rule, plan.rows, begin);
  return PreconditionedRounds(plan, rows, source).run();
}

namespace {

bool took(const Released& released, const char* which) {
  const ParameterValue* const found = released.certificate.find(branch);
  return found != nullptr && *found == ParameterValue(std::string(which));
}

}  // namespace

bool fell_back(const Released& released) { return took(released, constant_only); }

bool descended(const Released& released) { return took(released, by_descent); }

PreconditionedOutlook preconditioned_outlook(const PrivacyTarget& target, double features,
                                             double rows) {
  const double mu = LookBudget(target).mu();
  require_count("features", features);
  require_positive("rows", rows);
  const Means means = means_for(mu, features, rows);
  return {std::sqrt(1.0 + expected_excess(mu, features, rows)), means == Means::constant,
          means == Means::descent};
}

}  // namespace modicum
