// A budget of Gaussian noise that several rounds share. Squares of mu add up, and what one round
// has released may decide what the next is about, not how much it may cost: derivation in
// docs/derivations/look.md.
#pragma once

#include "modicum/calibration/calibrate.h"
#include "modicum/data/value.h"

namespace modicum {

class LookBudget {
 public:
  /// Throws CalibrationFailed.
  explicit LookBudget(const PrivacyTarget& target);

  /// Noise of an answer with sensitivity 1 that would spend all of it.
  double unit_deviation() const { return found_.parameter; }
  double mu() const { return 1.0 / found_.parameter; }
  const ProfilePoint& achieved() const { return found_.achieved; }
  /// What all rounds cost together, at most.
  Value description() const;

 private:
  Calibration found_;
};

/// The rounds of one release.
class LookRounds {
 public:
  explicit LookRounds(const LookBudget& budget) : budget_(budget) {}
  /// Hundredths of mu^2 that are left.
  int left() const { return left_; }
  /// The noise that a round of this sensitivity needs for so many hundredths, which it takes.
  /// Rounded upwards by more than all that rounding does. Throws Error where they are not left.
  double deviation(int hundredths, double sensitivity);

 private:
  const LookBudget& budget_;
  int left_ = 100;
};

}  // namespace modicum
