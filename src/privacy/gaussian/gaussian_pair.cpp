#include "modicum/privacy/gaussian_pair.h"

#include <fmt/format.h>

#include <cmath>

#include "modicum/numerics/errors.h"
#include "numerics/precise_ball.h"
#include "privacy/gaussian/dense_reduction.h"

namespace modicum {
namespace {

constexpr long largest_certified_dimension = 50;  // a few tenths of a second
constexpr long largest_fallback_dimension = 300;  // some seconds
constexpr double symmetry_tolerance = 1e-9;

// Checks one Gaussian and returns it with an exactly symmetric covariance.
GaussianDistribution validated(const GaussianDistribution& given, const char* index,
                               long dimension) {
  const std::string mean = fmt::format("mean{}", index),
                    covariance = fmt::format("covariance{}", index);
  if (given.mean.size() != dimension || dimension == 0)
    throw InvalidParameter(mean, fmt::format("of length {}", given.mean.size()),
                           "both means must have one length, at least 1");
  if (given.covariance.rows() != dimension || given.covariance.cols() != dimension)
    throw InvalidParameter(
        covariance, fmt::format("{} by {}", given.covariance.rows(), given.covariance.cols()),
        fmt::format("must be {} by {}", dimension, dimension));
  GaussianDistribution result = given;
  for (long i = 0; i < dimension; ++i) {
    require_finite(fmt::format("{}[{}]", mean, i), given.mean(i));
    for (long j = 0; j < dimension; ++j)
      require_finite(fmt::format("{}[{}][{}]", covariance, i, j), given.covariance(i, j));
    if (given.covariance(i, i) < 0.0)
      throw InvalidParameter(fmt::format("{}[{}][{}]", covariance, i, i), given.covariance(i, i),
                             "variances must not be negative");
  }
  for (long i = 0; i < dimension; ++i) {
    for (long j = 0; j < i; ++j) {
      const double a = given.covariance(i, j), b = given.covariance(j, i);
      if (a == b) continue;
      const double scale = std::sqrt(given.covariance(i, i)) * std::sqrt(given.covariance(j, j));
      if (!(std::abs(a - b) <= symmetry_tolerance * scale))
        throw InvalidParameter(
            fmt::format("{}[{}][{}]", covariance, i, j), a,
            fmt::format("must equal entry [{}][{}], {}: the covariance must be symmetric", j, i,
                        b));
      result.covariance(i, j) = result.covariance(j, i) = 0.5 * a + 0.5 * b;
    }
  }
  return result;
}

bool is_diagonal(const Eigen::MatrixXd& matrix) {
  for (long i = 0; i < matrix.rows(); ++i)
    for (long j = 0; j < i; ++j)
      if (matrix(i, j) != 0.0) return false;
  return true;
}

std::optional<GaussianSpectrum> reduce_diagonal(const GaussianDistribution& x,
                                                const GaussianDistribution& y) {
  const PrecisionScope scope(192);
  GaussianSpectrum spectrum;
  for (long i = 0; i < x.mean.size(); ++i) {
    const double variance1 = x.covariance(i, i), variance2 = y.covariance(i, i);
    const Ball shift = Ball(x.mean(i)) - Ball(y.mean(i));
    if (variance1 == 0.0 && variance2 == 0.0 && shift.exactly_zero()) continue;
    if (variance1 == 0.0 || variance2 == 0.0) return std::nullopt;
    spectrum.add(
        {to_precise("variance ratio", (Ball(variance1) - Ball(variance2)) / Ball(variance2)),
         to_precise("squared mean", shift * shift / Ball(variance2)), 1.0});
  }
  return spectrum;
}

}  // namespace

std::optional<GaussianSpectrum> reduce_pair(const GaussianDistribution& given_x,
                                            const GaussianDistribution& given_y,
                                            Accuracy accuracy) {
  const long dimension = given_x.mean.size();
  const GaussianDistribution x = validated(given_x, "1", dimension);
  const GaussianDistribution y = validated(given_y, "2", dimension);
  if (is_diagonal(x.covariance) && is_diagonal(y.covariance)) return reduce_diagonal(x, y);
  const bool certified =
      accuracy == Accuracy::certified ||
      (accuracy == Accuracy::automatic && dimension <= largest_certified_dimension);
  if (!certified)
    if (auto spectrum = estimated_dense_spectrum(x, y)) return spectrum;
  // The proof is also what is left where doubles do not suffice.
  if (certified || dimension <= largest_fallback_dimension)
    if (auto spectrum = certified_dense_spectrum(x, y)) return spectrum;
  return reduce_singular_pair(x, y);
}

}  // namespace modicum
