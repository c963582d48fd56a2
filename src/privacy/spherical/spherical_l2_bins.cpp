#include "privacy/spherical/spherical_l2_bins.h"

#include <arb_hypgeom.h>

#include <algorithm>
#include <cmath>

namespace modicum {
namespace {

Ball bessel_k(const Ball& order, const Ball& x) {
  Ball result;
  arb_hypgeom_bessel_k(result.raw(), order.raw(), x.raw(), PrecisionScope::bits());
  return result;
}

// With L = b sin(theta), x = b/2 and n = (T-2)/2, the density of theta under X is
//   cos(theta)^{T-2} e^{x sin theta} (first + second cos(theta)^2),
//   first = N x K_{n+1}(x), second = N x^2 K_n(x)/(T-1), N = (x/2)^n / (sqrt(pi) Gamma((T-1)/2)),
// and under Y that of -theta.
class L2Density {
 public:
  explicit L2Density(const SphericalPair& pair)
      : largest_(pair.largest_loss.middle()), half_(0.5 * largest_), power_(pair.dimension - 2.0) {
    const PrecisionScope scope(128);
    const Ball x = pair.largest_loss / 2.0, order = Ball(power_) / 2.0;
    Ball gamma;
    arb_gamma(gamma.raw(), (order + 0.5).raw(), PrecisionScope::bits());
    const Ball scale = exp(order * log(x / 2.0)) / (sqrt(Ball::pi()) * gamma);
    first_ = (scale * x * bessel_k(order + 1.0, x)).middle();
    second_ = (scale * x * x * bessel_k(order, x) / (Ball(power_) + 1.0)).middle();
    known_ = (scale * x * bessel_k(order + 1.0, x)).enclosure().relative_width() < ulp;
    disc_ = 0.5 / (1.0 + half_ + pair.dimension);
    error_ = 16.0 * ulp * (4.0 + half_ + pair.dimension);
  }
  bool usable() const { return known_ && std::isfinite(first_) && std::isfinite(second_); }
  double largest() const { return largest_; }
  double disc() const { return disc_; }
  /// Of every value, relatively, but for the units of its place.
  double error() const { return error_; }
  /// Under X times sign 1, under Y times sign -1, multiplied by exp(lift).
  double at(double theta, double sign, double lift) const {
    const double cosine = std::max(std::cos(theta), 0.0);
    return std::pow(cosine, power_) * std::exp(sign * half_ * std::sin(theta) + lift) *
           (first_ + second_ * cosine * cosine);
  }
  /// At least its size at complex places within the disc: |cos(a + z)| <= cos a cosh r + sin a sinh
  /// r.
  double most_near(double theta, double sign, double lift) const {
    const double c = std::cosh(disc_), s = std::sinh(disc_);
    const double cosine = std::max(std::cos(theta), 0.0), sine = std::sin(theta);
    const double reach = cosine * c + sine * s;
    // -sin(a + u) cosh(v) is at most -sin a + sin a (1 - cos r) + cos a sin r, or sin(r) cosh(r) <=
    // sinh(r) + r^3 where it is above 0.
    const double exponent =
        half_ * (sign > 0.0 ? sine * c + cosine * s
                            : cosine * s + sine * (c - 2.0) + disc_ * disc_ * disc_);
    return std::pow(reach, power_) * std::exp(exponent + lift) *
           (first_ + second_ * reach * reach) * (1.0 + 1e-9);
  }

 private:
  double largest_, half_, power_, first_, second_, disc_, error_;
  bool known_;
};

struct Mass {
  double low = 0.0, high = 0.0;
};

// Lobatto's rule with four points, as in spherical_line_bins.cpp.
Mass mass_between(const L2Density& density, double from, double to, double sign, double lift) {
  constexpr double inner = 0.44721359549995793928;  // sqrt(1/5)
  const double pieces = std::max(1.0, std::ceil((to - from) / (0.03 * density.disc())));
  double sum = 0.0, error = 0.0;
  for (double i = 0.0; i < pieces; ++i) {
    const double left = from + (to - from) * (i / pieces),
                 right = i + 1.0 < pieces ? from + (to - from) * ((i + 1.0) / pieces) : to;
    const double h = 0.5 * (right - left), middle = 0.5 * (left + right);
    const auto at = [&](double theta) { return density.at(theta, sign, lift); };
    sum +=
        h / 6.0 * (at(left) + at(right) + 5.0 * (at(middle - inner * h) + at(middle + inner * h)));
    // Of the rule, and by Cauchy of the rounding of the places.
    error += h * density.most_near(middle, sign, lift) *
                 (0.061 * std::pow(h / (density.disc() - h), 6.0) + 16.0 * ulp / density.disc()) +
             sum * ulp;
  }
  error += sum * (density.error() + 16.0 * ulp * std::abs(lift));
  return {std::max(0.0, sum - error), sum + error};
}

}  // namespace

std::optional<LossBins> spherical_l2_bins(const SphericalPair& pair,
                                          const std::vector<double>& cuts) {
  const L2Density density(pair);
  if (!density.usable()) return std::nullopt;
  const double end = 0.5 * M_PI, largest = density.largest();
  const auto place = [&](double loss) {
    return loss < largest ? std::min(std::asin(loss / largest), end) : end;
  };
  LossBins result;
  double from = 0.0;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const double left = cuts[i], right = i + 1 < cuts.size() ? cuts[i + 1] : infinity;
    const double to = place(right);
    LossBin bin{left, right, 0.0, 0.0, 0.0, 0.0};
    if (from < to) {
      const Mass x = mass_between(density, from, to, 1.0, 0.0),
                 y = mass_between(density, from, to, -1.0, left);
      const double moved = 16.0 * ulp * largest;
      bin = {left, right, x.low, x.high, y.low, y.high, moved, right < infinity ? moved : 0.0};
    }
    // What is beyond the last place: a right angle is no double.
    if (to == end && from < to) {
      bin.x_high += density.most_near(end, 1.0, 0.0) * ulp;
      bin.y_high += density.most_near(end, -1.0, left) * ulp;
    }
    if (!std::isfinite(bin.x_high) || !std::isfinite(bin.y_high)) return std::nullopt;
    result.bins.push_back(bin);
    from = to;
  }
  return result;
}

}  // namespace modicum
