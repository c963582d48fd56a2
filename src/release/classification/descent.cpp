#include "release/classification/descent.h"

#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/release/gradient_release.h"
#include "release/certificates/public_certificate.h"
#include "release/classification/standardized_rows.h"
#include "release/descriptions/mechanisms.h"
#include "release/tables/whole_numbers.h"

namespace modicum {

double part_of_mu(double mu, double share) { return mu * std::sqrt(share) * (1.0 - 0x1p-40); }

void require_features(const PublicRows& features) {
  if (features.dimension() < (features.intercept ? 2 : 1))
    throw InvalidParameter("coordinates", static_cast<double>(features.dimension()),
                           "must have a feature");
}

Descent plan_descent(const PrivacyTarget& target, const PublicRows& features,
                     const std::optional<double>& steps, double longest, const std::string& method,
                     const std::function<void(Certificate&)>& describe_target) {
  require_features(features);
  const double count = require_count("steps", steps.value_or(default_gradient_steps));
  if (!(count <= most_gradient_steps))
    throw InvalidParameter("steps", count, "must be at most 10000");
  const Calibration found = calibrate_gaussian(target, 1.0);
  require_achieved(target, found.achieved);
  const double mu = 1.0 / found.parameter, bound = standardized_norm_bound(features);
  Descent plan{static_cast<int>(count), part_of_mu(mu, look_share),
               part_of_mu(mu, (1.0 - look_share) / count), clip_share * longest * bound,
               Certificate("noisy_gradient_descent", target, found.achieved)};
  Certificate& certificate = plan.certificate;
  certificate.theorem = "docs/derivations/standardized.md";
  describe_bound(certificate);
  certificate.set("method", method);
  describe_target(certificate);
  certificate.set("steps", count);
  certificate.set("look_mu", plan.look_mu);
  certificate.set("step_mu", plan.step_mu);
  certificate.set("gradient_bound", plan.clip);
  describe_rows(certificate, features);
  certificate.set("standardized_norm_bound", bound);
  describe_arithmetic(certificate, Exactness::exact, grid_below(plan.clip / plan.step_mu));
  describe_loss(certificate, description_of(described::Gaussian{found.parameter, 1.0}));
  return plan;
}

}  // namespace modicum
