#include "privacy/spherical/spherical_sheet.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "privacy/spherical/complex_expm1.h"

namespace modicum {
namespace sheet {
namespace {

constexpr double fall_slope = 3.0;    // of the paths next to the pole
constexpr double widest_fall = 0.3;   // radii there, in steps
constexpr double least_share = 0.5;   // of the deficit that Im L must have there
constexpr double largest_bend = 0.4;  // of the paths far out
// From which on they bend: more of them, and further in.
constexpr std::array<double, 4> bend_angles{0.2, 0.4, 0.65, 1.0};
constexpr double margin = 1e-6;  // of logarithms of bounds, for their own rounding

double raised(double log_bound) { return log_bound + margin * (1.0 + std::abs(log_bound)); }
// Multiples of 2^-20: halves of cells are exact.
double on_grid(double x) { return std::ldexp(std::nearbyint(std::ldexp(x, 20)), -20); }

}  // namespace
}  // namespace sheet

SphericalSheet::SphericalSheet(const SphericalGeometry& geometry) : geometry_(geometry) {
  choose_fall();
  choose_bends();
}

// Next to the pole the path is x = place + t (1 + i slope), t < 0. With e = |r1|/step <= 1/2 there
// and r2 = step ((1 + r1 e^{ia}/step)(1 + r1 e^{-ia}/step))^{1/2}, the derivative of log r2 in
// eta = Im x is at most e/(1 - e), |r2| <= step (1 + e), and L is real at eta = 0:
//   Im L >= |eta| (c (1 - e/(1-e)) - k p step^p ((1+e)^p e/(1-e) + e^p)) = |eta| least,
//   |Im L| <= |eta| most, with plus signs.
void SphericalSheet::choose_fall() {
  if (!pole()) return;
  const double c = geometry_.deficit, p = geometry_.p;
  const double scale = geometry_.shape * p * std::pow(geometry_.step, p);
  for (double e = sheet::widest_fall; e > 1e-12; e *= 0.9) {
    const double turned = e / (1.0 - e);
    const double grown = scale * (std::pow(1.0 + e, p) * turned + std::pow(e, p));
    fall_place_ = sheet::on_grid(std::log(geometry_.step * e) - 1e-5);
    least_turn_ = (c * (1.0 - turned) - grown) * (1.0 - 1e-9);
    most_turn_ = (c * (1.0 + turned) + grown) * (1.0 + 1e-9);
    if (least_turn_ >= sheet::least_share * c) return;
  }
  least_turn_ = -infinity;  // nothing is proved then
}

// Far out, and for cosines w >= w0 > 0, x is moved to x + i eta, 0 <= eta <= bend. There
//   L_x = k p r1^p (F(sigma) - 1) - c sigma (w + sigma)/q,
//   F' = q^{p/2-2} ((p-1) w (1 + sigma^2) + sigma B),  B = (p-2)(1 + w^2) + 2 w^2.
// q at shares of sigma has an argument in [-2 eta, 0] and a size from 1 to (1 + |sigma|)^2. So has
// the bracket if B >= 0; else, where |B sigma| <= (p-1) w/4, it is at most asin(1/4) further, and
// three quarters of (p-1) w at least. Then r1^p sigma F' has an argument within max(3, p-1) eta +
// asin(1/4) < pi/2 of 0, and Re L_x >= 0 if
//   k p |r1|^p cos(arg) 3/4 (p-1) w0 (1 + |sigma|)^{min(p-4,0)} >= c (1 + |sigma|):
// from a place on, since both conditions stay. So Im L, 0 on the real line, is not negative.
double SphericalSheet::bend_place(double w) const {
  const double p = geometry_.p, c = geometry_.deficit, k = geometry_.shape, s = geometry_.step;
  const double negative = std::max(0.0, (2.0 - p) * (1.0 + w * w) - 2.0 * w * w);
  const double cosine = std::cos(std::max(3.0, p - 1.0) * bend_ + 0.2527);
  if (!pole() && negative == 0.0) return -infinity;
  const auto enough = [&](double x) {
    const double sigma = s * std::exp(-x);
    return sigma * negative <= 0.25 * (p - 1.0) * w * (1.0 - 1e-9) &&
           k * p * std::exp(p * x) * cosine * 0.75 * (p - 1.0) * w *
                   std::pow(1.0 + sigma, std::min(p - 4.0, 0.0)) >=
               c * (1.0 + sigma) * (1.0 + 1e-9);
  };
  double x = pole() ? fall_place_ : std::log(s) - 3.0;
  for (; !enough(x); x += 1.0 / 64.0)
    if (!(x < 20.0)) return infinity;
  return sheet::on_grid(sheet::on_grid(x) + 2e-6);
}

void SphericalSheet::choose_bends() {
  const double p = geometry_.p;
  if (!(p > 1.0)) return;
  bend_ = sheet::on_grid(std::min(sheet::largest_bend, 0.5 * right_angle / p));
  if (flat()) {
    if (const double place = bend_place(1.0); place < infinity) bends_ = {{0.0, place}};
    return;
  }
  std::vector<double> angles(sheet::bend_angles.begin(), sheet::bend_angles.end());
  // From here on B >= 0.
  if (p < 2.0) angles.push_back(std::asin(std::sqrt(2.0 / p - 1.0)) + 1e-5);
  std::sort(angles.begin(), angles.end());
  for (const double angle : angles) {
    const double on_grid = sheet::on_grid(angle);
    const double place = bend_place(std::sin(on_grid) * (1.0 - 1e-12));
    if (on_grid < 1.5 && place < infinity) bends_.push_back({on_grid, place});
  }
}

std::vector<SphericalSheet::Band> SphericalSheet::bands(const Reach& reach) const {
  const auto real = [](double from, double to) { return Piece{0.0, 1.0, from, to}; };
  std::vector<Piece> start;
  const double first = pole() ? fall_place_ : reach.low;
  if (pole()) start = {{fall_place_, Complex(1.0, sheet::fall_slope), -reach.low, 0.0}};
  const auto path = [&](double place) {
    std::vector<Piece> pieces = start;
    const double bent = place + bend_;
    if (!(reach.high > bent)) {
      pieces.push_back(real(first, reach.high));
    } else if (place == -infinity) {
      pieces.push_back({Complex(0.0, bend_), 1.0, first, reach.high});
    } else {
      if (place > first) pieces.push_back(real(first, place));
      const double from = std::max(place, first);
      pieces.push_back({from, Complex(1.0, 1.0), 0.0, bend_});
      pieces.push_back(
          {Complex(0.0, bend_), 1.0, from + bend_, std::max(reach.high, from + bend_)});
    }
    return pieces;
  };
  if (flat())
    return {{-1.0, -1.0, path(infinity)},
            {1.0, 1.0, path(bends_.empty() ? infinity : bends_[0].place)}};
  std::vector<Band> bands{{-right_angle, right_angle, path(infinity)}};
  for (const Bend& bend : bends_) {
    bands.back().to = bend.angle;
    bands.push_back({bend.angle, right_angle, path(bend.place)});
  }
  return bands;
}

// Of x below the place `low`, or of t below -low. |L| without its pole is at most k step^p ((1+e)^p
// + e^p), and for Im z >= 0 |exp(zL)| <= exp(Re z Re L - Im z Im L).
double SphericalSheet::left_mass(double low, const Complex& order) const {
  const double k = geometry_.shape, p = geometry_.p, c = geometry_.deficit;
  const double x = pole() ? fall_place_ - low : low, e = std::exp(x) / geometry_.step;
  const double smooth = k * std::pow(geometry_.step, p) * (std::pow(1.0 + e, p) + std::pow(e, p));
  double exponent =
      geometry_.log_density + k + k * p * x + k * std::exp(p * x) + std::abs(order) * smooth;
  double rate = k * p * (1.0 - 1e-9), length = 1.0;
  if (pole()) {
    if (!(least_turn_ > 0.0)) return infinity;
    const double y = order.imag(), turn = sheet::fall_slope * (y >= 0.0 ? least_turn_ : most_turn_);
    exponent += order.real() * c * (std::log(geometry_.step) - x + std::log1p(e)) - y * turn * low;
    rate += y * turn - order.real() * c * (1.0 + 1e-9);
    length = std::hypot(1.0, sheet::fall_slope);
  }
  if (!(rate > 0.0)) return infinity;
  return std::exp(sheet::raised(exponent)) * length / rate * (1.0 + 1e-6);
}

// |F^{p/2} - 1| and |log q|/2 by their derivatives along shares of sigma, |q| >= 1 where x is not
// real.
double SphericalSheet::right_mass(double high, const Complex& order) const {
  const double k = geometry_.shape, p = geometry_.p, sigma = geometry_.step * std::exp(-high);
  const double gain = p * sigma * std::pow(1.0 + sigma, std::max(p - 1.0, 1.0));
  const double size = order.imag() >= 0.0 ? order.real() : std::abs(order);
  const double left = (std::cos(p * bend_) - size * gain) * (1.0 - 1e-9);
  const double grown = k * std::exp(p * high) * left, slope = p * (grown - k);
  if (!(left > 0.0 && slope > 1e-6 * p * k)) return infinity;
  const double exponent = geometry_.log_density + k + k * p * high - grown +
                          size * geometry_.deficit * sigma * (1.0 + sigma);
  return std::exp(sheet::raised(exponent)) / slope * (1.0 + 1e-3);
}

double SphericalSheet::outside(const Reach& reach, const Complex& order) const {
  return left_mass(reach.low, order) + right_mass(reach.high, order);
}

SphericalSheet::Reach SphericalSheet::reach_for(const std::vector<Complex>& orders,
                                                const std::vector<double>& log_tolerances) const {
  const double unit = 0.5 / (geometry_.p * std::sqrt(geometry_.shape + 1.0));
  const auto good = [&](const auto& mass) {
    for (std::size_t i = 0; i < orders.size(); ++i)
      if (!(mass(orders[i]) <= std::exp(log_tolerances[i]))) return false;
    return true;
  };
  Reach reach{pole() ? unit : -unit, std::max(unit, pole() ? fall_place_ + unit : unit)};
  const double sign = pole() ? 1.0 : -1.0;
  for (double step = unit; std::abs(reach.low) < 1e5; step *= 1.2, reach.low += sign * step)
    if (good([&](const Complex& z) { return left_mass(reach.low, z); })) break;
  for (double step = unit; reach.high < 100.0; step *= 1.05, reach.high += step)
    if (good([&](const Complex& z) { return right_mass(reach.high, z); })) break;
  return {sheet::on_grid(reach.low), sheet::on_grid(reach.high)};
}

double SphericalSheet::end() const {
  if (!pole()) return infinity;
  return geometry_.shape * geometry_.p / geometry_.deficit;
}

// By the midpoint rule, for real orders with real x.
SphericalSheet::Estimate SphericalSheet::estimate(const Complex& order) const {
  constexpr int along = 16, across = 14;
  // The first reach leaves out little of E[1], at complex orders it is made anew.
  const bool real = order.imag() == 0.0;
  double log_tolerance = -7.0;
  Estimate result{infinity, 0.0, 0.0};
  for (int i = 0; i < 2; ++i) {
    const Reach reach = reach_for({order}, {log_tolerance});
    if (!(outside(reach, order) < infinity)) return {infinity, 0.0, 0.0};
    std::vector<double> logs, losses;
    double largest = -infinity, sum = 0.0, first = 0.0, second = 0.0;
    for (const Band& band : bands(reach)) {
      const int angles =
          flat() ? 1 : 2 + static_cast<int>(across * (band.to - band.from) / (2.0 * right_angle));
      for (const Piece& piece : band.pieces) {
        const double width = (piece.to - piece.from) / along;
        const double turn = (band.to - band.from) / angles;
        for (int j = 0; j < along * angles; ++j) {
          Complex x = piece.start + piece.direction * (piece.from + width * (j / angles + 0.5));
          if (real) x = x.real();
          const Place at = place_at(x, band.from + turn * (j % angles + 0.5), 0.0, 0.0);
          logs.push_back(
              (at.log_weight + order * at.loss).real() +
              std::log(width * (flat() ? 1.0 : turn) * (real ? 1.0 : std::abs(piece.direction))));
          losses.push_back(at.loss.real());
          if (std::isfinite(logs.back())) largest = std::max(largest, logs.back());
        }
      }
    }
    for (std::size_t j = 0; j < logs.size(); ++j) {
      if (!std::isfinite(logs[j])) continue;
      const double weight = std::exp(logs[j] - largest);
      sum += weight;
      first += weight * losses[j];
      second += weight * losses[j] * losses[j];
    }
    const double mean = first / sum;
    result = {largest + std::log(sum), mean, second / sum - mean * mean};
    log_tolerance = result.log_size - 7.0;
  }
  return result;
}

}  // namespace modicum
