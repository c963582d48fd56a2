// A decreasing function's root, and the place of a minimum, by bracketing.
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

/// Golden section: narrows an interval that holds the minimum of a function which falls and then
/// rises, until it is at most `width` wide, or as narrow as doubles can be.
Bracket narrow_to_minimum(const std::function<double(double)>& f, Bracket interval, double width);

}  // namespace modicum
