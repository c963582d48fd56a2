#include "modicum/ledger/reading.h"

#include <fmt/format.h>

#include <cmath>

#include "data/cells/number_text.h"
#include "ledger/reading_ball.h"
#include "modicum/numerics/errors.h"
#include "numerics/precise_ball.h"

namespace modicum {
namespace {

constexpr long reading_bits = 320;

}  // namespace

class ReadingRounding {
 public:
  static Reading rounded(const Ball& value, double direction) {
    const PrecisionScope scope(reading_bits);
    if (value.surely_negative())
      throw InvalidParameter("reading", value.middle(), "must be at least 0");
    const Precise p = to_precise("reading", value);
    const double low = p.radius == 0.0
                           ? p.low
                           : std::nextafter(p.low + std::copysign(p.radius, direction), direction);
    const Reading result = normalized(p.high, low);
    return result.high_ < 0.0 || (result.high_ == 0.0 && result.low_ < 0.0) ? Reading() : result;
  }
  // |low| at most half an ulp of high, as every sum of two doubles can be written.
  static Reading normalized(double high, double low) {
    const double sum = high + low, part = sum - high;
    return {sum, (high - (sum - part)) + (low - part)};
  }
};

Ball to_ball(const Reading& reading) { return to_ball(to_precise(reading)); }
Reading reading_above(const Ball& value) { return ReadingRounding::rounded(value, infinity); }
Reading reading_below(const Ball& value) { return ReadingRounding::rounded(value, -infinity); }

Reading Reading::exactly(double value) { return {require_non_negative("reading", value), 0.0}; }

double Reading::upper() const { return low_ > 0.0 ? std::nextafter(high_, infinity) : high_; }
double Reading::lower() const { return low_ < 0.0 ? std::nextafter(high_, -infinity) : high_; }

Reading Reading::operator+(const Reading& other) const {
  const PrecisionScope scope(reading_bits);
  return reading_above(to_ball(*this) + to_ball(other));
}

Reading Reading::operator-(const Reading& other) const {
  if (*this <= other) return {};
  const PrecisionScope scope(reading_bits);
  return reading_above(to_ball(*this) - to_ball(other));
}

bool Reading::operator<=(const Reading& other) const {
  Ball difference = to_ball(*this);
  const Ball subtracted = to_ball(other);
  arb_sub(difference.raw(), difference.raw(), subtracted.raw(), ARF_PREC_EXACT);
  return difference.surely_nonpositive();
}

std::string Reading::text() const {
  return low_ == 0.0 ? fmt::format("{}", high_) : fmt::format("{} {}", high_, low_);
}

Reading Reading::from_text(std::string_view text) {
  const auto space = text.find(' ');
  const auto high = read_number(text.substr(0, space));
  const auto low =
      space == std::string_view::npos ? std::optional(0.0) : read_number(text.substr(space + 1));
  if (!high || !low || !std::isfinite(*high) || !std::isfinite(*low) || !(*high >= 0.0) ||
      !(std::abs(*low) <= *high))
    throw Error(fmt::format("{} is no reading of a clock", in_quotes(text)));
  return ReadingRounding::normalized(*high, *low);
}

}  // namespace modicum
