#include "modicum/mechanisms/principal_components.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "numerics/ball.h"

namespace modicum {
namespace {

// What a sum of p^2 rounded products may be off; far below what anybody would call a mistake.
constexpr double rounding = 1e-9;

bool has_limit(const ComponentSpectrum& spectrum, double beta) {
  return !spectrum.is_whole_space() && spectrum.gap() > 0.0 && beta > spectrum.transform();
}

bool ignores_data(const ComponentSpectrum& spectrum, double beta) {
  return beta == 0.0 || spectrum.is_whole_space();
}

}  // namespace

ComponentSpectrum::ComponentSpectrum(std::vector<double> eigenvalues, double rows,
                                     double components)
    : eigenvalues_(std::move(eigenvalues)),
      rows_(require_count("rows", rows)),
      components_(static_cast<std::size_t>(require_count("components", components))) {
  if (!(components <= static_cast<double>(eigenvalues_.size())))
    throw InvalidParameter("components", components, "must be at most the number of eigenvalues");
  double sum = 0.0;
  for (const double value : eigenvalues_) {
    if (!(require_finite("eigenvalues", value) >= -rounding))
      throw InvalidParameter("eigenvalues", value, "must be at least 0");
    sum += value;
  }
  if (!(sum <= static_cast<double>(eigenvalues_.size()) * (1.0 + rounding)))
    throw InvalidParameter("eigenvalues", sum,
                           "must have a sum of at most their number, as rows of norm at most "
                           "sqrt(p) give");
  std::sort(eigenvalues_.begin(), eigenvalues_.end(), std::greater<>());
}

double ComponentSpectrum::theta() const {
  return rows_ / std::pow(static_cast<double>(dimension()), 1.5);
}

double ComponentSpectrum::gap() const {
  return is_whole_space() ? infinity : eigenvalues_[components_ - 1] - eigenvalues_[components_];
}

double ComponentSpectrum::sum_of_powers(double at, int power) const {
  double sum = 0.0;
  for (std::size_t i = components_; i < dimension(); ++i)
    sum += std::pow(at - eigenvalues_[i], -power);
  return sum / static_cast<double>(dimension());
}

double ComponentSpectrum::threshold(std::size_t component) const {
  if (!(component < components_))
    throw InvalidParameter("component", static_cast<double>(component), "must be one of them");
  return sum_of_powers(eigenvalues_[component], 1);
}

double ComponentSpectrum::slope() const { return -sum_of_powers(eigenvalues_[components_ - 1], 2); }

double ComponentSpectrum::curvature() const {
  return 2.0 * sum_of_powers(eigenvalues_[components_ - 1], 3);
}

PredictedUtility predicted_utility(const ComponentSpectrum& spectrum, double beta) {
  require_non_negative("beta", beta);
  PredictedUtility result{{}, 0.0, 0.0};
  for (std::size_t i = 0; i < spectrum.components(); ++i) {
    const double threshold = spectrum.threshold(i);
    const double error = threshold == 0.0 ? 0.0 : beta > threshold ? threshold / beta : 1.0;
    result.overlaps.push_back(1.0 - error);
    result.spectral = std::max(result.spectral, error);
    result.frobenius += 2.0 * error;
  }
  return result;
}

// [YunDudeja2025, Theorem 2] with x = beta - H: x^2 / (2 theta^2 Delta (2 x + Delta H')) from
// x = -Delta H' on. Written as a product of ratios so that no square overflows.
std::optional<double> predicted_mu(const ComponentSpectrum& spectrum, double beta) {
  require_non_negative("beta", beta);
  if (ignores_data(spectrum, beta)) return 0.0;
  if (!has_limit(spectrum, beta)) return {};
  const PrivacyPlateau plateau = *privacy_plateau(spectrum);
  if (beta <= plateau.to) return plateau.mu;
  const double x = beta - plateau.from, gap = spectrum.gap();
  const double share = x / (2.0 * x + gap * spectrum.slope());
  return std::sqrt(0.5 * (x / gap) * share) / spectrum.theta();
}

std::optional<PrivacyPlateau> privacy_plateau(const ComponentSpectrum& spectrum) {
  if (spectrum.is_whole_space() || !(spectrum.gap() > 0.0)) return {};
  const double h = spectrum.transform(), slope = spectrum.slope();
  return PrivacyPlateau{h, h - spectrum.gap() * slope, std::sqrt(-0.5 * slope) / spectrum.theta()};
}

// beta = H + 2 theta^2 Delta (w^2 + sqrt(w^4 - mu_min^2 w^2)), then down until its mu is no more
// than asked for: the square root is steep at the plateau.
double largest_beta(const ComponentSpectrum& spectrum, double mu) {
  require_positive("mu", mu);
  const auto plateau = privacy_plateau(spectrum);
  if (!plateau)
    throw CalibrationFailed(spectrum.is_whole_space()
                                ? "all directions are components: any beta gives mu = 0"
                                : "the last component has the same eigenvalue as the next: no "
                                  "beta has a limiting mu");
  if (!(mu >= plateau->mu))
    throw CalibrationFailed(
        fmt::format("mu = {} is below the privacy plateau: every beta that shows all components "
                    "has mu of at least {}",
                    mu, plateau->mu));
  const double scale = 2.0 * std::pow(spectrum.theta(), 2) * spectrum.gap();
  const double root = std::sqrt((mu - plateau->mu) * (mu + plateau->mu));
  double beta = std::max(plateau->to, plateau->from + scale * mu * (mu + root));
  require_finite("mu", beta);
  for (double step = 0x1p-52; *predicted_mu(spectrum, beta) > mu; step *= 2.0)
    beta = std::max(plateau->to, beta * (1.0 - step));
  return beta;
}

AsymptoticCalibration largest_beta(const ComponentSpectrum& spectrum, const PrivacyTarget& target) {
  if (!(target.delta > 0.0))
    throw CalibrationFailed("delta is 0, but the loss of the limit is unbounded");
  const double mu = matching_gaussian_mu(target.epsilon, target.delta).lower();
  return {largest_beta(spectrum, mu), mu};
}

// [YunDudeja2025, (12)] for the rank-one change of a row: with shares t_j of the components and
// s_i of the other directions,
//   mu^2 theta^2 = 1/2 sum_jr K(lambda_j, lambda_r) t_j t_r
//                  + sum_ji (beta - H(lambda_j)) / (lambda_j - lambda_i) t_j s_i,
//   K(x, y) = (1/p) sum_i 1/((x - lambda_i)(y - lambda_i)): (1/p) sum_i (sum_j t_j/(x_j - l_i))^2.
std::optional<double> predicted_row_mu(const ComponentSpectrum& spectrum, double beta,
                                       const std::vector<double>& shares) {
  require_non_negative("beta", beta);
  const std::size_t p = spectrum.dimension(), k = spectrum.components();
  if (shares.size() != p)
    throw InvalidParameter("shares", static_cast<double>(shares.size()),
                           "must be as many as the dimension");
  double sum = 0.0;
  for (const double share : shares) sum += require_non_negative("shares", share);
  if (!(sum <= 1.0 + rounding))
    throw InvalidParameter("shares", sum, "must have a sum of at most 1");
  if (ignores_data(spectrum, beta)) return 0.0;
  if (!has_limit(spectrum, beta)) return {};
  const std::vector<double>& values = spectrum.eigenvalues();
  std::vector<double> excess;
  for (std::size_t j = 0; j < k; ++j) excess.push_back(beta - spectrum.threshold(j));
  double within = 0.0, across = 0.0;
  for (std::size_t i = k; i < p; ++i) {
    double pull = 0.0;
    for (std::size_t j = 0; j < k; ++j) {
      const double weight = shares[j] / (values[j] - values[i]);
      pull += weight;
      across += excess[j] * weight * shares[i];
    }
    within += pull * pull;
  }
  return std::sqrt(0.5 * within / static_cast<double>(p) + across) / spectrum.theta();
}

double worst_row_share(const ComponentSpectrum& spectrum, double beta) {
  require_non_negative("beta", beta);
  if (!has_limit(spectrum, beta))
    throw InvalidParameter("beta", beta, "must be above H, with a gap after the last component");
  const PrivacyPlateau plateau = *privacy_plateau(spectrum);
  if (beta <= plateau.to) return 1.0;
  const double x = beta - plateau.from;
  return x / (2.0 * x + spectrum.gap() * spectrum.slope());
}

}  // namespace modicum
