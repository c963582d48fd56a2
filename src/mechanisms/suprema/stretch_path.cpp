#include "mechanisms/suprema/stretch_path.h"

#include <algorithm>
#include <cmath>

#include "numerics/gauss_legendre.h"

namespace modicum {
namespace {

using Complex = std::complex<double>;
using ParameterPolynomial = std::array<double, ParameterSeries::orders>;

constexpr std::size_t most_nodes = 600;   // hundred or two are usual
constexpr double ellipse = 2.5;           // on which the integrand is bounded
constexpr double sum_rounding = 0x1p-40;  // of a sum over the nodes, relative to its sizes

Disc poles(const Disc& z) { return z * (z + Disc(1.0)); }

// The largest value of a polynomial on [-radius, radius], from steps on which it either surely
// rises or falls, or exceeds its ends by no more than step^2/8 times the second derivative; others
// are halved.
class LargestOfPolynomial {
 public:
  LargestOfPolynomial(const ParameterPolynomial& coefficients, double radius)
      : coefficients_(coefficients) {
    double power = 1.0;
    for (std::size_t j = 2; j < coefficients.size(); ++j, power *= radius)
      curvature_ += static_cast<double>(j * (j - 1)) * std::abs(coefficients[j]) * power;
    curvature_ *= 1.001;
    constexpr int steps = 16;
    const double step = 2.0 * radius / steps;
    std::array<double, steps + 1> values{};
    for (int i = 0; i <= steps; ++i) value = std::max(value, values[i] = at(-radius + step * i));
    for (int i = 0; i < steps; ++i)
      add_step(-radius + step * i, step, std::max(values[i], values[i + 1]), 0);
    upper = std::isfinite(curvature_) ? std::max(upper, value) : infinity;
  }
  double value = -infinity,
         upper = -infinity;  // what it has somewhere, and what it nowhere exceeds

 private:
  double at(double tau) const {
    double sum = 0.0;
    for (std::size_t j = coefficients_.size(); j-- > 0;) sum = sum * tau + coefficients_[j];
    return sum;
  }
  double slope_at(double tau) const {
    double slope = 0.0;
    for (std::size_t j = coefficients_.size(); j-- > 1;)
      slope = slope * tau + static_cast<double>(j) * coefficients_[j];
    return slope;
  }
  void add_step(double from, double step, double larger_end, int depth) {
    const double middle = from + 0.5 * step, above = step * step / 8.0 * curvature_;
    if (!(larger_end + above > value)) return;
    const bool turns = std::abs(slope_at(middle)) <= 0.5001 * step * curvature_;
    if (!turns) return;  // its larger end is among the values
    constexpr int deepest = 12;
    if (depth == deepest || above <= 1e-9 * std::abs(value)) {
      upper = std::max(upper, larger_end + above);
      return;
    }
    const double between = at(middle);
    value = std::max(value, between);
    for (const double start : {from, middle})
      add_step(start, 0.5 * step, std::max(larger_end, between), depth + 1);
  }
  const ParameterPolynomial& coefficients_;
  double curvature_ = 0.0;
};

}  // namespace

// e^{K(c) - shift c} c^c / (1 + c)^{1 + c}.
double chernoff_bound(double most, double c, double shift) {
  if (!(c > 0.0)) return infinity;
  const double rest = c * std::log1p(1.0 / c) + std::log1p(c), moved = shift * c;
  const double rounding = 0x1p-48 * (std::abs(most) + rest + std::abs(moved) + 1.0);
  const double bound = std::exp(most - rest - moved + rounding);
  return bound < infinity ? std::max(bound, least_delta_told) : infinity;
}

std::optional<StretchPath> StretchPath::make(const MovingMoment& moment, double shift,
                                             double slack) {
  // That of the middle, or of an end whose poles are nearer.
  for (const GaussianSpectrum& one : moment.some_spectra()) {
    const GaussianMoment single(one);
    const auto estimate = contour_integral(single, shift, Kernel::profile);
    if (!estimate || !(moment.most(estimate->path.center) < infinity)) continue;
    StretchPath path(moment, shift, slack < 1e-4 ? 16 : 10);
    path.path_ = estimate->path;
    path.base_ = moment.at_middle(path.center());
    path.shorten(single);
    const double size = path.path_.scale / std::abs(path.path_.center * (path.path_.center + 1.0));
    path.wanted_ = std::log(size * slack) - 7.0;
    return path;
  }
  return std::nullopt;
}

bool StretchPath::add_nodes() {
  const int segments = std::max(1, static_cast<int>(std::ceil(path_.end / 0.5)));
  Complex from = 0.0;
  for (int k = 1; k <= segments; ++k) {
    const Complex to = path_.displacement(path_.end * k / segments);
    if (!add_segment(from, to, 0)) return false;
    from = to;
  }
  return add_ray(from);
}

StretchBound StretchPath::at(double shift) const {
  const double moved = shift - home_;
  ParameterPolynomial coefficients{};
  double wrong = 0.0, far = 0.0;
  for (const Node& node : nodes_) {
    const Complex term = node.value * std::exp(-moved * node.place);
    const double size = std::abs(term.real()) + std::abs(term.imag());
    wrong += size * node.wrong;
    far += size * (std::abs(moved) * std::abs(node.place) + 1.0) * sum_rounding;
    for (std::size_t j = 0; j < orders; ++j)
      coefficients[j] += term.real() * node.powers[j].imag() + term.imag() * node.powers[j].real();
  }
  for (const Strip& each : strips_)
    far += std::exp(each.log_error - moved * each.middle + std::abs(moved) * each.reach);
  const LargestOfPolynomial peak(coefficients, moment_.radius());
  const double moved_back = shift * path_.center,
               log_scale = base_.middle().real() - moved_back - std::log(M_PI),
               off = base_.radius() + 0x1p-48 * (std::abs(log_scale) + std::abs(moved_back) + 4.0);
  const double total = peak.upper + wrong + far, most = std::exp(log_scale + std::log(total) + off);
  const double least =
      std::exp(log_scale + std::log(std::max(0.0, peak.value - wrong - far)) - off);
  const bool by_distance = far > wrong + (peak.upper - peak.value);
  const bool told = total > 0.0 && most < infinity;
  return {told ? std::max(most, least_delta_told) : infinity, least, by_distance};
}

// As far as the digits that are wanted need it, and as the bound on the ray allows.
void StretchPath::shorten(const GaussianMoment& moment) {
  const auto expansion = moment.expand(path_.center);
  const auto slope = static_cast<double>(moment.jet(path_.center).first - home_);
  const double size = path_.scale / std::abs(path_.center * (path_.center + 1.0));
  for (double u = 0.5; u < path_.end; u += 0.25) {
    const Complex d = path_.displacement(u), z = path_.center + d;
    const VerticalBound above = expansion->above(d);
    const double y = d.imag(),
                 rate = above.power - 1.0 + y * y / std::norm(z) + y * y / std::norm(z + 1.0);
    if (!(rate > 0.1)) continue;
    const double rest = above.bound + slope * d.real() - std::log(std::abs(z * (z + 1.0))) +
                        std::log(y / rate) - std::log(size);
    if (!(rest < -28.0)) continue;
    path_.end = u;
    return;
  }
}

Disc StretchPath::at_place(Complex d) const { return Disc(center()) + Disc(d, 0.0); }

// K(c + d) - K(c) - home d of the middle.
Disc StretchPath::exponent(Complex d) const {
  return moment_.at_middle(at_place(d)) - base_ - Disc(d, 0.0) * Disc(home_);
}

// Halved where the integrand may grow too much beside it.
bool StretchPath::add_segment(Complex from, Complex to, int depth) {
  const Complex middle = 0.5 * (from + to), half = 0.5 * (to - from);
  if (nodes_.size() > most_nodes) return false;
  const std::optional<Side> side = error_beside(middle, std::abs(half));
  constexpr int deepest = 12;
  if (depth < deepest && (!side || (side->strip.log_error > wanted_ && side->growth > 1.5)))
    return add_segment(from, middle, depth + 1) && add_segment(middle, to, depth + 1);
  if (!side) return false;
  strips_.push_back(side->strip);
  const GaussRule& rule = gauss_legendre(points_);
  for (std::size_t i = 0; i < rule.points.size(); ++i)
    if (!add_node(middle + half * rule.points[i], half * rule.weights[i])) return false;
  return true;
}

bool StretchPath::add_node(Complex d, Complex weight) {
  const Disc z = at_place(d), value = exp(exponent(d)) / poles(z);
  if (!value.finite()) return false;
  const Complex f = value.middle();
  const ParameterSeries series = moment_.series(z);
  if (!(std::abs(f) > 0x1p-400)) {  // next to what underflows: nothing but an error
    strips_.push_back(
        {std::log(value.most() * std::abs(weight)) + series.reach() + 1e-9, d.real(), 0.0});
    return std::isfinite(strips_.back().log_error);
  }
  const double wrong =
      series.error_of_exponential() +
      1.01 * (value.radius() / std::abs(f) + sum_rounding) * std::exp(series.reach());
  if (too_wide_ = !std::isfinite(wrong); too_wide_) return false;
  nodes_.push_back({d, f * weight, series.exponential(), wrong});
  return true;
}

// Gauss's rule with n points errs by at most 64/15 M rho^{-2n} / (1 - rho^{-2}) on [-1, 1] where
// |f| <= M on the ellipse with foci -1 and 1 and semiaxes rho +- 1/rho, halved; its points and
// weights, known to 2^-52, add less than 2^-46 M, and the rounding of places beside a middle
// 2^-50 |middle| / half.
std::optional<StretchPath::Side> StretchPath::error_beside(Complex middle, double half) const {
  const double reach = 1.001 * half * 0.5 * (ellipse + 1.0 / ellipse);
  const Disc b = at_place(middle);
  const ParameterSeries series = moment_.series(b);
  const double growth = moment_.growth(b, reach, home_) + series.further_reach(reach);
  const double log_size = exponent(middle).real_most() + growth + series.reach() -
                          std::log(b.least() - reach) - std::log((b + Disc(1.0)).least() - reach);
  if (!(log_size < infinity)) return std::nullopt;
  const double rule =
      64.0 / 15.0 * std::pow(ellipse, -2.0 * points_) / (1.0 - 1.0 / (ellipse * ellipse)) * 1.001 +
      0x1p-46 + 0x1p-50 * std::abs(middle) / half;
  const double log_error = log_size + std::log(rule * half) + 1e-9 * (1.0 + std::abs(log_size));
  return Side{{log_error, middle.real(), reach}, growth};
}

// What lies above the last corner. Where the integrand is not known to fall fast enough there, next
// to x = Re z for pairs that hardly differ in their variances, it does not grow at least, and
// 1/(z(z+1)) sees to it further up.
bool StretchPath::add_ray(Complex d) {
  const ComplexBall z(Ball(center()) + Ball(d.real()), Ball(d.imag()));
  const MovingMoment::Ray ray = moment_.ray(z);
  const Ball x = z.real(), y = z.imaginary();
  const auto decay = [&](const Ball& distance) { return y * y / (distance * distance + y * y); };
  const Ball rate = ray.power - 1.0 + decay(x) + decay(x + 1.0);
  const Ball log_top = Ball(exponent(d).real_most()) + Ball(moment_.series(at_place(d)).reach()) +
                       ray.bound - log(abs(z)) - log(abs(z + ComplexBall(Ball(1.0))));
  const double further = 10.0 * (std::abs(center() + d.real()) + 1.0);
  const bool falls = rate.surely_positive();
  if (!falls && !(further > d.imag())) return false;
  const Ball log_size = log_top + (falls ? log(y / rate) : log(Ball(further) - y));
  if (!log_size.finite()) return false;
  strips_.push_back({log_size.upper() + 1e-9, d.real(), 0.0});
  return falls || add_ray({d.real(), further});
}

}  // namespace modicum
