#include <cmath>

#include "numerics/contour.h"

namespace modicum {

Jet& Jet::operator+=(const Jet& other) {
  value += other.value;
  first += other.first;
  second += other.second;
  magnitude += other.magnitude;
  first_magnitude += other.first_magnitude;
  uncertainty += other.uncertainty;
  return *this;
}

Jet Jet::scaled(long double factor) const {
  return {value * factor,     first * factor,           second * factor,
          magnitude * factor, first_magnitude * factor, uncertainty * factor};
}

Strip strip_of(const LogMoment& moment, Kernel kernel) {
  switch (kernel) {
    case Kernel::lower_tail:
      return {moment.lower_end(), 0.0};
    case Kernel::tilted_upper:
      return {-1.0, moment.upper_end()};
    case Kernel::tilted_lower:
      return {moment.lower_end(), -1.0};
    case Kernel::profile:
    case Kernel::upper_tail:
      break;
  }
  return {0.0, moment.upper_end()};
}

namespace {

// The strip as the image of the real line: x(v), with every end at v = -infinity or +infinity.
class Chart {
 public:
  explicit Chart(Strip strip) : strip_(strip) {}
  long double point(long double v) const {
    if (strip_.upper == infinity) return strip_.lower + std::exp(v);
    if (strip_.lower == -infinity) return strip_.upper - std::exp(-v);
    const long double width = strip_.upper - strip_.lower;
    return v < 0 ? strip_.lower + width / (1 + std::exp(-v))
                 : strip_.upper - width / (1 + std::exp(v));
  }
  long double derivative(long double x) const {
    if (strip_.upper == infinity) return x - strip_.lower;
    if (strip_.lower == -infinity) return strip_.upper - x;
    return (x - strip_.lower) * (strip_.upper - x) /
           (static_cast<long double>(strip_.upper) - strip_.lower);
  }
  long double second_derivative(long double x) const {
    const long double first = derivative(x);
    if (strip_.upper == infinity) return first;
    if (strip_.lower == -infinity) return -first;
    return first * (strip_.upper + static_cast<long double>(strip_.lower) - 2 * x) /
           (static_cast<long double>(strip_.upper) - strip_.lower);
  }

 private:
  Strip strip_;
};

// f and its derivatives: K(x) - s x and the logarithm of the kernel.
struct Objective {
  const LogMoment& moment;
  double shift;
  Kernel kernel;
  struct Value {
    Jet jet;
    long double first, second;
  };
  Value at(long double x) const {
    Value result{moment.jet(x), 0, 0};
    result.first = result.jet.first - shift;
    result.second = result.jet.second;
    for (const auto& [present, distance] : {std::pair{has_pole_at_zero(kernel), x},
                                            std::pair{has_pole_at_minus_one(kernel), x + 1}}) {
      if (!present) continue;
      result.first -= 1 / distance;
      result.second += 1 / (distance * distance);
    }
    return result;
  }
};

Saddle saddle_at(long double x, const Objective::Value& f, double shift, Strip strip) {
  const double point = static_cast<double>(x);
  // The path may not touch an end of the strip: see ContourPath.
  const double room = std::min(point - strip.lower, strip.upper - point);
  const double scale = std::min(static_cast<double>(1 / std::sqrt(f.second)), room);
  const long double unit = 0x1p-62L;
  const auto rounding =
      static_cast<double>(unit * (f.jet.magnitude + std::abs(shift * x)) + 2 * f.jet.uncertainty);
  const auto slope_rounding = static_cast<double>(
      unit * (f.jet.first_magnitude + std::abs(static_cast<long double>(shift))));
  return {point, f.jet.value - shift * x, f.jet.first - shift, scale, rounding, slope_rounding};
}

}  // namespace

// Newton's method on x'(v) f'(x(v)), which has the one zero of f', kept inside a bracket.
std::optional<Saddle> find_saddle(const LogMoment& moment, double shift, Kernel kernel) {
  const Strip strip = strip_of(moment, kernel);
  const Chart chart(strip);
  const Objective objective{moment, shift, kernel};
  long double low = -infinity, high = infinity, v = 0, stride = 2;
  for (int iteration = 0; iteration < 400; ++iteration) {
    // Rounded to double: the expansion is made at this very point.
    const long double x = static_cast<double>(chart.point(v));
    if (!(x > strip.lower && x < strip.upper) || std::abs(x) > 1e290L) return std::nullopt;
    const Objective::Value f = objective.at(x);
    // K is not known so far out, by an infinite value: the saddle point may be nearer.
    if (f.jet.value == infinity && std::isfinite(static_cast<double>(x > 0 ? low : high))) {
      (x > 0 ? high : low) = v;
      if (high - low < 1e-3L) return std::nullopt;
      v = (low + high) / 2;
      continue;
    }
    if (!std::isfinite(static_cast<double>(f.first)) || !(f.second > 0)) return std::nullopt;
    // A center within a tenth of the peak's width is as good as the saddle point itself.
    if (f.first * f.first <= 0.01L * f.second) return saddle_at(x, f, shift, strip);
    (f.first < 0 ? low : high) = v;
    const long double dx = chart.derivative(x);
    const long double curvature = chart.second_derivative(x) * f.first + dx * dx * f.second;
    const long double newton = v - dx * f.first / curvature;
    const bool safe = curvature > 0 && newton > low && newton < high && std::abs(newton - v) < 8;
    if (safe) {
      v = newton;
    } else if (std::isfinite(static_cast<double>(low)) &&
               std::isfinite(static_cast<double>(high))) {
      v = (low + high) / 2;
    } else {
      v += f.first < 0 ? stride : -stride;
      stride *= 2;
    }
  }
  return std::nullopt;
}

}  // namespace modicum
