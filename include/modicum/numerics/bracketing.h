// A decreasing function's root, by bracketing.
#pragma once

#include <functional>

namespace modicum {

struct Bracket {
  double low, high;  ///< f(low) > 0 >= f(high)
};

/// Narrows a bracket of a decreasing f until its width is below `tolerance` relative to its ends.
/// f may be infinite, and may be flat at 0: the bracket then closes on the first such point.
/// NaN counts as "not yet there".
Bracket narrow_bracket(const std::function<double(double)>& f, Bracket bracket, double tolerance);

}  // namespace modicum
