#include "privacy/engines/objective_line.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "privacy/sampled_laplace/gauss_stretch.h"

namespace modicum {
namespace {

using Complex = std::complex<double>;

constexpr double log_wanted = -43.0;  // of the error of a stretch, relative to the peak
constexpr int most_ray_stretches = 200;
constexpr double raised = 1.0 + 0x1p-40;  // for sums and products of bounds in doubles

Disc whole_power(const Disc& base, int count) {
  Disc result = 1.0, square = base;
  for (int left = count; left > 0; left /= 2) {
    if (left % 2 == 1) result = result * square;
    if (left > 1) square = square * square;
  }
  return result;
}

class QuickBentLine {
 public:
  QuickBentLine(const std::vector<QuickPart>& parts, const Ball& distance, double center)
      : parts_(parts),
        distance_(distance),
        least_distance_(distance.lower()),
        center_(center),
        peak_(Disc(center) * Disc(center + 1.0, (center + 1.0) * 0x1p-52)) {}

  std::optional<Ball> integral(double reach) {
    double from = 0.0, half = 0.25 * (center_ + 1.0);
    for (int stretch = 0; from < reach; ++stretch) {
      if (stretch == most_ray_stretches) return std::nullopt;
      if (!(from + 2.0 * half < reach)) half = 0.5 * (reach - from);
      // Ends are doubles, so that stretches meet; a last one may be a little longer than half says.
      double to = from + 2.0 * half, log_most = 0.0;
      for (int attempt = 0;; ++attempt) {
        half = 0.5 * (to - from) * raised;
        log_most = log_bound(0.5 * (from + to), stretch_disc * half);
        if (log_most + log_stretch_rule(half) <= log_wanted || is_little(log_most, half)) break;
        if (attempt == 60) return std::nullopt;
        to = from + 0.7 * (to - from);
        if (!(to > from)) return std::nullopt;
      }
      if (is_little(log_most, half)) {
        left_out_ += 2.0 * half * std::exp(log_most) * raised;
      } else {
        left_out_ += std::exp(log_most + log_stretch_rule(half)) * raised;
        add_nodes(from, to);
      }
      from = to;
      half *= 1.5;
    }
    const Disc turned = sum_ * direction();
    const double radius = (turned.radius() + left_out_) * raised;
    if (!std::isfinite(radius) || !turned.finite()) return std::nullopt;
    return Ball(turned.middle().imag()).widened(Ball(radius)) / Ball::pi();
  }

 private:
  static bool is_little(double log_most, double half) {
    return log_most + std::log(2.0 * half) <= log_wanted - 4.0;
  }
  static Disc direction() { return {Complex(0.5, 0.5 * std::numbers::sqrt3), 0x1p-52}; }

  // At least log |g/G| within |r - middle| <= radius, r complex. The direction is off by a unit of
  // the last place, which the reach covers.
  double log_bound(double middle, double radius) const {
    const Complex d = direction().middle() * middle;
    const double reach = radius * raised + 0x1p-50 * middle, x = center_ + d.real();
    // Moments are bounded for Re z >= 0, the kernel away from 0.
    if (!(x > reach)) return infinity;
    const Complex z = center_ + d;
    const double kernel =
        (std::abs(z) * (1.0 - 0x1p-40) - reach) * (std::abs(z + 1.0) * (1.0 - 0x1p-40) - reach);
    if (!(kernel > 0.0)) return infinity;
    double sum =
        std::log(center_ * (center_ + 1.0) / kernel) - least_distance_ * (d.real() - reach);
    for (const QuickPart& part : parts_) sum += part.count * part.moment.log_most(d, reach);
    sum += 1e-9 * (1.0 + std::abs(sum));
    return sum < infinity ? sum : infinity;  // also where it is no number
  }

  void add_nodes(double from, double to) {
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    Disc sum = 0.0;
    for (const StretchPoint& point : stretch_points()) {
      const double x = static_cast<double>(point.place), w = static_cast<double>(point.weight);
      // Off by a few units of the last place of the far end.
      const Disc r(middle + half * x, to * 0x1p-51), d = r * direction();
      const Disc z = d + Disc(center_);
      Disc value = exp(-(d * distance_)) * peak_ / (z * (z + Disc(1.0)));
      for (const QuickPart& part : parts_)
        value = value * whole_power(part.moment.at(d), part.count);
      sum += value * Disc(w, w * 0x1p-52);
    }
    sum_ += sum * Disc(half, half * 0x1p-52);
  }

  const std::vector<QuickPart>& parts_;
  Disc distance_;
  double least_distance_, center_;
  Disc peak_, sum_ = 0.0;
  double left_out_ = 0.0;
};

}  // namespace

std::optional<Ball> quick_bent_integral(const std::vector<QuickPart>& parts, const Ball& distance,
                                        double center, double reach) {
  if (!(center > 0.0 && reach > 0.0 && reach < 1e100 && distance.lower() > 0.0))
    return std::nullopt;
  return QuickBentLine(parts, distance, center).integral(reach);
}

}  // namespace modicum
