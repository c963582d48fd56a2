#include "privacy/engines/path_shape.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "privacy/laws/loss_law.h"

namespace modicum {
namespace {

using Complex = std::complex<double>;

// The asymptotes rise by 68 degrees: between 90, beyond which e^{-sz} grows, and 45, below which
// the moments of Gaussian noise do.
constexpr double slope_angle = 68.0 / 180.0 * std::numbers::pi;
constexpr double all_digits = 34.0;    // the errors of a double, as an exponent
constexpr double longest_path = 12.0;  // in u
// The error of twice the step should show that of the step.
constexpr double safety = 0.7;

// About log of the largest |M|^n e^{-sz} / (z (z+1)): M is the larger of its two parts, the bulk of
// the losses, which are about normal, and q^a e^{mu^2 (a^2 - a)/2}, those of a step that took the
// record.
class SizeModel {
 public:
  SizeModel(const DirectedLoss& loss, double shift) : shift_(shift) {
    for (const SpectrumComponent& component : loss.gaussian.components())
      square_ += component.mean_square.high;
    for (const LawPart& part : loss.laws) {
      const auto step = part.law->sampled_shift();
      const double square = step->mu.high * step->mu.high;
      parts_.push_back({part.count, square, std::log(step->rate),
                        step->rate * step->rate * std::expm1(std::min(square, 1.0))});
    }
  }
  double log_size(Complex z) const {
    const Complex a = z + 1.0;
    const double product = (a * z).real();
    double sum =
        0.5 * square_ * product - shift_ * z.real() - 0.5 * std::log(std::norm(z) * std::norm(a));
    for (const Part& part : parts_)
      sum += part.count * std::max({0.0, 0.5 * part.variance * product,
                                    0.5 * part.square * product + part.log_rate * a.real()});
    return sum;
  }
  // About log of the integral itself: no path has a smaller one.
  double log_result(double saddle) const {
    double least = infinity;
    for (double c = 0.02 * saddle; c < 1.5 * saddle; c *= 1.2)
      least = std::min(least, log_size(c) + std::log(c));
    return least - 4.0;
  }

 private:
  struct Part {
    double count, square, log_rate, variance;
  };
  std::vector<Part> parts_;
  double shift_, square_ = 0.0;
};

// The largest of the integrand on the path of u + i turn, and where that has fallen for good.
struct Along {
  double peak, end;
};
Along along(const SizeModel& model, const PathShape& shape, double turn, double negligible) {
  const double right = std::cos(turn) - shape.rise * std::sin(turn);
  const double up = shape.rise * std::cos(turn) + std::sin(turn);
  double peak = -infinity, u = 0.0;
  for (; u < longest_path; u += 0.4) {
    const double x = shape.scale * std::cosh(u), y = shape.scale * std::sinh(u);
    const double size =
        model.log_size({shape.center - shape.scale + x * right, y * up}) + std::log(x * up);
    peak = std::max(peak, size);
    if (size < negligible) break;
  }
  return {peak, u};
}

bool applies(const DirectedLoss& loss) {
  return loss.two_points.empty() && loss.laplaces.empty() && loss.gaussian.is_pure_shift() &&
         std::ranges::all_of(loss.laws, [](const LawPart& part) {
           const auto step = part.law->sampled_shift();
           return step && !step->reversed;
         });
}

}  // namespace

// The trapezium rule with the step h errs by e^{-2 pi turn/h} of the integrals along u +- i turn.
// Left of the saddle point the real axis is larger, which cancels, but the moment does not grow so
// fast to the right.
std::optional<PathShape> leaning_shape(const DirectedLoss& loss, double shift, double saddle) {
  if (!applies(loss)) return std::nullopt;
  const SizeModel model(loss, shift);
  const double result = model.log_result(saddle), negligible = result - all_digits - 4.0;
  std::optional<PathShape> best;
  double least = infinity;
  for (const double place : {1.0, 0.85, 0.7, 0.55, 0.4, 0.28, 0.2, 0.1})
    for (const double opening : {0.2, 0.45, 0.9}) {
      const double center = saddle * place;
      PathShape shape{center, center * opening, std::tan(slope_angle), 0.0};
      const auto [peak, end] = along(model, shape, 0.0, negligible);
      if (!(end < longest_path)) continue;
      // Digits that cancel are lost.
      const double price = 1.0 + 0.2 * std::max(0.0, peak - result - 5.0);
      for (const double turn : {0.2, 0.35}) {
        const double moved = 1.0 - std::cos(turn) + shape.rise * std::sin(turn);
        if (!(opening * moved < 0.97)) continue;  // short of the pole at 0
        const double sides = std::max(along(model, shape, turn, negligible).peak,
                                      along(model, shape, -turn, negligible).peak);
        shape.step =
            safety * 2.0 * std::numbers::pi * turn / (all_digits + std::max(0.0, sides - result));
        const double cost = end / shape.step * price;
        if (!(cost < least)) continue;
        least = cost;
        best = shape;
      }
    }
  return best;
}

}  // namespace modicum
