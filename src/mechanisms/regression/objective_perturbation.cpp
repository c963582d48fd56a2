#include "modicum/mechanisms/objective_perturbation.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "numerics/ball.h"
#include "privacy/laws/objective_law.h"
#include "privacy/laws/tied_law.h"

namespace modicum {
namespace {

constexpr long offset_bits = 192;
// The noise that hides the solver costs so many times less than the noise in the objective.
constexpr double share_of_solver = 16.0;

struct NamedLoss {
  std::string_view name;
  SlopeSigns signs;
  CurvatureTie tie;
};
constexpr std::array<NamedLoss, 5> named_losses{
    {{"logistic", SlopeSigns::one, CurvatureTie::logistic},
     {"smoothed_hinge", SlopeSigns::one, CurvatureTie::none},
     {"squared", SlopeSigns::both, CurvatureTie::none},
     {"huber", SlopeSigns::both, CurvatureTie::none},
     {"log_cosh", SlopeSigns::both, CurvatureTie::log_cosh}}};

// The tie of the logistic loss is that of rows as long as the largest slope says.
bool is_tied(const ObjectiveBounds& bounds) {
  if (bounds.tie != CurvatureTie::logistic) return bounds.tie == CurvatureTie::log_cosh;
  const PrecisionScope scope(offset_bits);
  const Ball length = bounds.lipschitz;
  return !(Ball(4.0) * Ball(bounds.smoothness) - length * length).surely_negative();
}

// log(1 + smoothness/regularization); 0 exactly for a smoothness of 0.
Ball curvature_loss(const ObjectiveBounds& bounds) {
  const PrecisionScope scope(offset_bits);
  return log1p(Ball(bounds.smoothness) / Ball(bounds.regularization));
}

std::shared_ptr<const LossLaw> removal_law(const ObjectiveBounds& bounds, const Precise& a) {
  if (!is_tied(bounds)) return cut_normal_law(curvature_loss(bounds), a);
  const PrecisionScope scope(offset_bits);
  return tied_law(bounds.tie == CurvatureTie::logistic ? SlopeTie::logistic : SlopeTie::log_cosh,
                  Ball(bounds.smoothness) / Ball(bounds.regularization), a);
}

Precise noise_ratio(const ObjectiveBounds& bounds, double standard_deviation) {
  return Precise::ratio(bounds.lipschitz,
                        require_positive("standard_deviation", standard_deviation));
}

void require_positive_delta(const PrivacyTarget& target) {
  if (!(target.delta > 0.0))
    throw CalibrationFailed(
        "delta is 0, but the loss of objective perturbation is unbounded: delta must be above 0");
}

// However much noise, the determinants alone may differ by the offset.
void require_reachable(const PrivacyTarget& target, const ObjectiveBounds& bounds, double count) {
  const PrecisionScope scope(offset_bits);
  const Ball least = Ball(count) * curvature_loss(bounds);
  if (!(least - Ball(target.epsilon)).surely_positive()) return;
  const double regularization =
      (Ball(bounds.smoothness) / expm1(Ball(target.epsilon) / Ball(count))).upper();
  throw CalibrationFailed(fmt::format(
      "epsilon = {} cannot be met with any noise: a record changes the curvature by up to "
      "log(1 + smoothness/regularization), {:.6g} in all; {}",
      target.epsilon, least.upper(),
      std::isfinite(regularization)
          ? fmt::format("a regularization of {:.6g} or more is needed", regularization)
          : "no regularization is enough"));
}

}  // namespace

std::optional<SlopeSigns> slope_signs_of(std::string_view loss) {
  for (const NamedLoss& known : named_losses)
    if (known.name == loss) return known.signs;
  return std::nullopt;
}

CurvatureTie curvature_tie_of(std::string_view loss) {
  for (const NamedLoss& known : named_losses)
    if (known.name == loss) return known.tie;
  return CurvatureTie::none;
}

std::vector<std::string_view> objective_loss_names() {
  std::vector<std::string_view> names;
  for (const NamedLoss& known : named_losses) names.push_back(known.name);
  return names;
}

ObjectiveBounds::ObjectiveBounds(double given_lipschitz, double given_smoothness,
                                 double given_regularization, SlopeSigns given_signs,
                                 CurvatureTie given_tie)
    : lipschitz(require_positive("lipschitz", given_lipschitz)),
      smoothness(require_non_negative("smoothness", given_smoothness)),
      regularization(require_positive("regularization", given_regularization)),
      signs(given_signs),
      tie(given_tie) {}

PrivacyLoss objective_perturbation(const ObjectiveBounds& bounds, double standard_deviation) {
  const Precise a = noise_ratio(bounds, standard_deviation);
  const auto removal = removal_law(bounds, a);
  auto addition = bounds.signs == SlopeSigns::one ? cut_normal_law(Ball(0.0), a)
                                                  : folded_normal_law(Ball(0.0), a);
  // One law for both directions is computed once.
  if (addition->equals(*removal)) addition = removal;
  return PrivacyLoss::law(removal, addition).as_upper_bound();
}

PrivacyLoss published_objective_perturbation(const ObjectiveBounds& bounds,
                                             double standard_deviation) {
  if (!(bounds.smoothness < bounds.regularization))
    throw InvalidParameter("smoothness", bounds.smoothness, "must be below the regularization");
  const PrecisionScope scope(offset_bits);
  const Ball offset = -log1p(-Ball(bounds.smoothness) / Ball(bounds.regularization));
  const auto law = folded_normal_law(offset, noise_ratio(bounds, standard_deviation));
  return PrivacyLoss::law(law, law).as_upper_bound();
}

Calibration calibrate_objective_perturbation(const PrivacyTarget& target,
                                             const ObjectiveBounds& bounds, double count,
                                             Accuracy accuracy) {
  require_count("count", count);
  require_positive_delta(target);
  require_reachable(target, bounds, count);
  const auto family = [&](double noise) {
    return objective_perturbation(bounds, noise).repeated(count);
  };
  return smallest_noise(family, target, bounds.lipschitz * std::sqrt(count), accuracy);
}

PrivacyLoss solved_objective_perturbation(const ObjectiveBounds& bounds,
                                          const SolvedObjectiveNoise& noise) {
  require_positive("minimizer_error", noise.minimizer_error);
  PrivacyLoss loss = objective_perturbation(bounds, noise.standard_deviation);
  loss.compose(gaussian_mechanism(noise.output_standard_deviation, 2.0 * noise.minimizer_error));
  return loss.as_upper_bound();
}

Calibration calibrate_solved_objective(const PrivacyTarget& target, const ObjectiveBounds& bounds,
                                       double mu_before) {
  require_non_negative("mu_before", mu_before);
  // 2 minimizer_error / output deviation = lipschitz / (16 deviation).
  const auto family = [&](double deviation) {
    PrivacyLoss loss = objective_perturbation(bounds, deviation);
    loss.compose(gaussian_mechanism(deviation, bounds.lipschitz / share_of_solver));
    if (mu_before > 0.0) loss.compose(gaussian_differential_privacy(mu_before));
    return loss.as_upper_bound();
  };
  // The noise that an exact minimizer needs, and little more.
  const double exact = calibrate_objective_perturbation(target, bounds).parameter;
  const double share = mu_before * exact / bounds.lipschitz;
  const double more = share < 0.9 ? 1.0 / std::sqrt(1.0 - share * share) : 2.0;
  return smallest_proved_noise(family, target, exact, 1.01 * more * exact);
}

SolvedObjectiveNoise solved_objective_noise(const ObjectiveBounds& bounds,
                                            double standard_deviation, double minimizer_error) {
  require_positive("standard_deviation", standard_deviation);
  require_positive("minimizer_error", minimizer_error);
  const PrecisionScope scope(offset_bits);
  const double output = (Ball(2.0 * share_of_solver) * Ball(minimizer_error) *
                         Ball(standard_deviation) / Ball(bounds.lipschitz))
                            .upper();
  return {standard_deviation, minimizer_error, require_positive("minimizer_error", output)};
}

PublishedObjectiveNoise published_objective_noise(const PrivacyTarget& target,
                                                  const ObjectiveBounds& bounds) {
  require_positive_delta(target);
  PublishedObjectiveNoise result;
  if (bounds.smoothness < bounds.regularization &&
      -std::log1p(-bounds.smoothness / bounds.regularization) < target.epsilon) {
    const auto family = [&](double noise) {
      return published_objective_perturbation(bounds, noise);
    };
    result.redberg_koskela_wang = smallest_noise(family, target, bounds.lipschitz).parameter;
  }
  if (target.epsilon > 0.0) {
    const double epsilon = target.epsilon;
    result.kifer_smith_thakurta =
        bounds.lipschitz * std::sqrt(8.0 * std::log(2.0 / target.delta) + 4.0 * epsilon) / epsilon;
    result.least_regularization = 2.0 * bounds.smoothness / epsilon;
  }
  return result;
}

}  // namespace modicum
