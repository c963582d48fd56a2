// delta of several copies of spherical noise in doubles, for searches: its error is not known.
#pragma once

#include <optional>

#include "privacy/spherical/spherical_pair.h"

namespace modicum {

struct QuickProfile {
  double log_delta, saddle;
  bool only_bound;  ///< delta is less, about: no saddle point up to here, or a slow moment
};
/// About log E[(1 - exp(shift - L))_+] of `count` copies: the trapezium rule through the saddle
/// point, one double integral for all its nodes. `guess` is about where the saddle point is; a
/// bound below `negligible` is enough. None where there is no rule.
std::optional<QuickProfile> quick_spherical_profile(const SphericalPair& pair, double count,
                                                    double shift, double guess,
                                                    double negligible = -infinity);

}  // namespace modicum
