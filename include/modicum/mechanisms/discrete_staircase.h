// The staircase on the integers: of all noises on the integers with delta = 0 the one of least
// error [GengViswanath2016].
#pragma once

#include <cstdint>
#include <memory>

#include "modicum/privacy/privacy_loss.h"
#include "modicum/randomness/random_source.h"

namespace modicum {

class SymmetricTable;

/// Mass proportional to exp(-epsilon j) with j = floor((|k| + sensitivity - inner) / sensitivity):
/// one step for |k| < inner, then steps of `sensitivity` integers, each lower by e^epsilon. With
/// sensitivity 1 and inner 1 it is the geometric mechanism.
struct Staircase {
  double epsilon = 0.0;      ///< above 0
  double inner = 1.0;        ///< a whole number from 1 to sensitivity
  double sensitivity = 1.0;  ///< a whole number from 1 to 2^25
};

/// Returns its argument; throws InvalidParameter.
const Staircase& require_staircase(const Staircase& staircase);

/// The loss is epsilon, 0 or -epsilon.
PrivacyLoss discrete_staircase(const Staircase& staircase);

/// Exactly this distribution. Throws Error beyond 2^52.
std::int64_t draw_staircase(const Staircase& staircase, RandomSource& source);

/// Many draws of it: from a table of sums where few integers matter. Copies share it.
class StaircaseSampler {
 public:
  explicit StaircaseSampler(const Staircase& staircase);
  std::int64_t draw(RandomSource& source) const;

 private:
  Staircase staircase_;
  std::shared_ptr<const SymmetricTable> table_;
};

}  // namespace modicum
