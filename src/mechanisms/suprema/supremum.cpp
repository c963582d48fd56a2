#include "mechanisms/suprema/supremum.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "modicum/calibration/calibrate.h"
#include "modicum/numerics/bracketing.h"
#include "privacy/engines/engine.h"

namespace modicum {

Peak search_peak(const std::function<double(double)>& f) {
  Peak best{0.0, -1.0};
  const auto at = [&](double place) {
    const double value = f(place);
    if (value > best.value) best = {place, value};
    return value;
  };
  constexpr int samples = 48;
  for (int i = 0; i <= samples; ++i) at(static_cast<double>(i) / samples);
  const double middle = best.place, step = 1.0 / samples;
  narrow_to_minimum([&](double place) { return -at(place); },
                    {std::max(0.0, middle - step), std::min(1.0, middle + step)}, 1e-6);
  return best;
}

bool proved_below(const GaussianSpectrum& spectrum, double epsilon, double threshold) {
  const auto estimated = [&](const GaussianSpectrum& one) {
    return gaussian_quantity(one, Ball(epsilon), Kernel::profile, Accuracy::fast).value.upper();
  };
  const auto proved = [&](const GaussianSpectrum& one) {
    return gaussian_quantity(one, Ball(epsilon), Kernel::profile, Accuracy::certified, Digits::few)
        .value.upper();
  };
  const GaussianSpectrum reversed = spectrum.reversed();
  // The estimate leaves room for the width of the proof, which costs a hundred times as much.
  const double with_room = threshold * (1.0 - 0x1p-11);
  return estimated(spectrum) <= with_room && estimated(reversed) <= with_room &&
         proved(spectrum) <= threshold && proved(reversed) <= threshold;
}

bool covered_by_pieces(const std::function<bool(double from, double to)>& piece_holds,
                       const std::function<bool(double at)>& point_holds) {
  constexpr int most_pieces = 3000;  // tens are usual
  double step = 1.0;
  int pieces = 0;
  for (double from = 0.0; from < 1.0;) {
    if (++pieces > most_pieces) return false;
    const double to = std::min(1.0, from + step);
    if (!(to > from)) return false;
    if (piece_holds(from, to)) {
      from = to;
      step *= 1.6;
      continue;
    }
    if (!point_holds(from)) return false;
    step *= 0.6;
  }
  return true;
}

double proved_bound(double attained, double slack,
                    const std::function<bool(double bound)>& stays_below) {
  // 1e-300 stands for deltas that underflow.
  for (double width = slack; width < 1.0; width *= 2.0) {
    const double bound = std::min(1.0, std::max(attained * (1.0 + width), 1e-300));
    if (bound == 1.0 || stays_below(bound)) return bound;
  }
  throw TargetUnreachable("the supremum over all neighbors could not be enclosed");
}

double smallest_proved(const std::string& name, const std::function<double(double)>& log_excess,
                       const std::function<bool(double)>& is_proved, double start, double floor,
                       double room) {
  Bracket bracket{start, start};
  while (!(log_excess(bracket.high) <= 0.0)) {
    if (bracket.high > 1e150 * start)
      throw CalibrationFailed(fmt::format("no {} could be found that meets the target", name));
    bracket = {bracket.high, 4.0 * bracket.high};
  }
  while (log_excess(bracket.low) <= 0.0 && bracket.low > floor)
    bracket = {0.25 * bracket.low, bracket.low};
  bracket = narrow_bracket(log_excess, bracket, std::min(1e-7, 0.1 * room));
  for (; room < 0.1; room *= 2.0)
    if (const double parameter = bracket.high * (1.0 + room); is_proved(parameter))
      return parameter;
  throw CalibrationFailed(
      fmt::format("no {} could be proved to meet the target for all neighbors", name));
}

}  // namespace modicum
