// The smallest safe parameter for a privacy target.
#pragma once

#include <functional>

#include "modicum/numerics/errors.h"
#include "modicum/privacy/profile.h"

namespace modicum {

/// (epsilon, delta): epsilon >= 0, 0 <= delta < 1.
struct PrivacyTarget {
  PrivacyTarget(double epsilon, double delta);  ///< throws InvalidParameter
  double epsilon, delta;
};

/// No parameter could be proved to meet the target. Nothing may be released.
class CalibrationFailed : public TargetUnreachable {
 public:
  using TargetUnreachable::TargetUnreachable;
};

struct Calibration {
  double parameter;       ///< the safe end
  ProfilePoint achieved;  ///< certified at target.epsilon, at most target.delta
};

/// A mechanism by its noise: more noise, less loss.
using NoiseFamily = std::function<PrivacyLoss(double noise)>;

/// Smallest noise whose delta at target.epsilon is at most target.delta: searched in double
/// arithmetic, ended by a certified check (an estimated one only with Accuracy::fast).
/// `start` is any guess above 0. Throws CalibrationFailed.
Calibration smallest_noise(const NoiseFamily& family, const PrivacyTarget& target, double start,
                           Accuracy accuracy = Accuracy::certified);

/// The same, to a ten-millionth of the noise, with a proof at every step: for losses whose proved
/// profile is no slower than an estimate. `low` < `high` are guesses; the search leaves them where
/// it must.
Calibration smallest_proved_noise(const NoiseFamily& family, const PrivacyTarget& target,
                                  double low, double high);

/// Standard deviation of the Gaussian mechanism, composed `count` times. Needs delta > 0.
Calibration calibrate_gaussian(const PrivacyTarget& target, double sensitivity, double count = 1.0,
                               Accuracy accuracy = Accuracy::certified);

/// Scale of the Laplace mechanism, composed `count` times.
Calibration calibrate_laplace(const PrivacyTarget& target, double sensitivity, double count = 1.0,
                              Accuracy accuracy = Accuracy::certified);

}  // namespace modicum
