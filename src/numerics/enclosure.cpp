#include "modicum/numerics/enclosure.h"

#include "modicum/numerics/errors.h"

namespace modicum {

Enclosure::Enclosure(double lower, double upper) : lower_(lower), upper_(upper) {
  if (!(lower <= upper))
    throw InvalidParameter("lower bound of an enclosure", lower, "must not exceed the upper bound");
}

double Enclosure::relative_width() const {
  return upper_ == lower_ ? 0.0 : (upper_ - lower_) / std::max(upper_, -lower_);
}

Enclosure Enclosure::within(double low, double high) const {
  return {std::clamp(lower_, low, high), std::clamp(upper_, low, high)};
}

}  // namespace modicum
