#include "privacy/spherical_rays/elliptic_plane.h"

#include <algorithm>
#include <cmath>

#include "numerics/ball.h"
#include "privacy/spherical/complex_expm1.h"

namespace modicum {
namespace {

using Complex = std::complex<double>;

constexpr double far_apart = 30.0;  // the logarithms of the powers of both radii

struct Two {
  Complex first, second;
};
Two sinh_and_cosh(const Complex& z) {
  const double sinh = std::sinh(z.real()), cosh = std::sqrt(1.0 + sinh * sinh);
  const double sin = std::sin(z.imag()), cos = std::cos(z.imag());
  return {{sinh * cos, cosh * sin}, {cosh * cos, sinh * sin}};
}
Two sin_and_cos(const Complex& z) {
  const auto [sinh, cosh] = sinh_and_cosh({-z.imag(), z.real()});  // of iz
  return {{sinh.imag(), -sinh.real()}, cosh};
}

// Of a logarithm whose argument changes by so much, relatively.
double log_change(double relative) {
  const double more = relative * (1.0 + 1e-9);
  return more < 0.95 ? -std::log1p(-more) : infinity;
}

// Of (1 + d)^p, relatively, |d| <= relative: an integral of p |1 + td|^{p-1} |d| over t <= 1.
double power_change(double relative, double p) {
  const double more = relative * (1.0 + 1e-9);
  return more < 0.95 ? std::abs(std::expm1(p * std::log1p(p >= 1.0 ? more : -more))) : infinity;
}

}  // namespace

// The volume of the plane is h^{T-2} r1 r2 dmu dnu, h = step/2 sinh mu sin nu the distance from the
// axis; X has the density exp(log_density + k - k r1^p) r1^{kp-T}, but for the angle.
double EllipticPlane::radius_power() const {
  const double kp = geometry_.shape * geometry_.p;
  return flat() ? kp - 1.0 : kp - geometry_.dimension + 2.0;
}

EllipticPlane::Powers EllipticPlane::powers(PlanePart part) const {
  if (part == PlanePart::beyond) return {1.0, 0.0};
  if (part == PlanePart::between) return {0.0, 1.0};
  return {geometry_.dimension - 2.0, geometry_.dimension - 2.0};
}

// gap is a sum of squares; log(sum/gap) = log1p(2 cos/gap) where that is small.
EllipticPlane::Place EllipticPlane::place_at(const Complex& mu, const Complex& nu,
                                             double place_units, double turned) const {
  const double k = geometry_.shape, p = geometry_.p, full_turn = 2.0 * M_PI;
  Place at;
  const auto [half_sinh, half_cosh] = sinh_and_cosh(0.5 * mu);
  const auto [half_sin, half_cos] = sin_and_cos(0.5 * nu);
  const Complex a = 2.0 * half_sinh * half_sinh, b = 2.0 * half_sin * half_sin;
  at.cosh = 1.0 + a, at.sinh = 2.0 * half_sinh * half_cosh;
  at.cos = 1.0 - b, at.sin = 2.0 * half_sin * half_cos;
  at.gap = a + b;
  at.sum = at.cosh + at.cos;
  Complex log_gap = log_of(at.gap);
  log_gap += Complex(0.0, full_turn * std::nearbyint((turned - log_gap.imag()) / full_turn));
  const double log_half_step = std::log(0.5 * geometry_.step);
  at.log_radius = log_half_step + log_gap;
  const Complex ratio = 2.0 * at.cos / at.gap;
  const bool small = modulus(ratio) < 0.5;
  at.u = small ? log1p_of(ratio) : log_of(at.sum) - log_gap;
  at.near = k * std::exp(p * at.log_radius);
  // Next to the center of X one may underflow and the other overflow.
  if (p * at.u.real() < far_apart) {
    at.lost = at.near * expm1_of(p * at.u);
    at.far = at.near + at.lost;
  } else {
    at.far = k * std::exp(p * (at.log_radius + at.u));
    at.lost = at.far - at.near;
  }
  at.loss = geometry_.deficit * at.u + at.lost;

  const double moved_mu = modulus(at.sinh) * modulus(mu) * place_units,
               moved_nu = modulus(at.sin) * modulus(nu) * place_units;
  const double gap_units =
      (24.0 * (modulus(a) + modulus(b)) + moved_mu + moved_nu) / modulus(at.gap);
  const double sum_units =
      (8.0 * (modulus(at.cosh) + modulus(at.cos)) + moved_mu + moved_nu) / modulus(at.sum);
  const double radius_units = gap_units + 8.0 * (std::abs(log_half_step) + modulus(log_gap)) + 8.0;
  const double u_units =
      8.0 * modulus(at.u) +
      (small ? 2.0 * (modulus(at.cos) * (16.0 + gap_units) + moved_nu + 8.0) / modulus(at.sum)
             : gap_units + sum_units + 8.0 * modulus(log_gap));
  at.loss_rounding = geometry_.deficit * u_units + 8.0 * modulus(at.loss) +
                     modulus(at.lost) * (p * radius_units + 16.0) + modulus(at.far) * p * u_units;
  const double power = std::abs(radius_power()) + geometry_.dimension;
  at.weight_rounding = modulus(at.near) * (p * radius_units + 16.0) + power * radius_units +
                       u_units + 8.0 * power * modulus(at.log_radius) +
                       8.0 * (std::abs(geometry_.log_density) + k);
  return at;
}

EllipticPlane::Complex EllipticPlane::log_weight(const Place& at) const {
  const double half_step = std::log(0.5 * geometry_.step);
  const double constant =
      geometry_.log_density + geometry_.shape +
      (flat() ? half_step - M_LN2
              : (geometry_.dimension - 2.0) * half_step - geometry_.log_angle_scale);
  return constant - at.near + radius_power() * at.log_radius + (flat() ? Complex(0.0) : at.u);
}

// With g = log gap, far = near e^{pu}: near has the derivative p near g', far p far (g' + u').
EllipticPlane::Jets EllipticPlane::jets_at(const Place& at) const {
  const double p = geometry_.p, c = geometry_.deficit;
  const Complex gap = at.gap, product = gap * at.sum;  // sinh^2 + sin^2
  const Complex g_x = at.sinh / gap, g_y = at.sin / gap;
  const Complex g_xx = at.cosh / gap - g_x * g_x, g_yy = at.cos / gap - g_y * g_y,
                g_xy = -g_x * g_y;
  const Complex u_x = -2.0 * at.cos * at.sinh / product, u_y = -2.0 * at.cosh * at.sin / product;
  const Complex u_xx =
      -2.0 * at.cos * at.cosh / product * (1.0 - 2.0 * at.sinh * at.sinh / product);
  const Complex u_xy = 2.0 * at.sinh * at.sin / product * (1.0 + 2.0 * at.cos * at.cos / product);
  const Complex lost = p * at.lost, far = p * at.far, near = p * at.near;
  const double size_g = modulus(g_x) + modulus(g_y), size_u = modulus(u_x) + modulus(u_y),
               size_lost = modulus(lost), size_far = c + modulus(far);
  const double size_product = modulus(product);
  const double size_u2 =
      2.0 / size_product *
      (modulus(at.cos * at.cosh) * (1.0 + 2.0 * std::norm(at.sinh) / size_product) +
       modulus(at.sinh * at.sin) * (1.0 + 2.0 * std::norm(at.cos) / size_product));
  const double size_g2 = (modulus(at.cosh) + modulus(at.cos)) / modulus(gap) + size_g * size_g;
  const double slope_terms = size_lost * size_g + size_far * size_u,
               bend_terms = size_lost * (size_g2 + p * size_g * size_g) +
                            size_far * (size_u2 + p * size_u * (2.0 * size_g + size_u));
  const double a = radius_power(), b = flat() ? 0.0 : 1.0;
  return {{at.loss, c * u_x + lost * g_x + far * u_x, c * u_y + lost * g_y + far * u_y,
           c * u_xx + lost * (g_xx + p * g_x * g_x) + far * (u_xx + p * u_x * (2.0 * g_x + u_x)),
           c * u_xy + lost * (g_xy + p * g_x * g_y) +
               far * (u_xy + p * (g_x * u_y + g_y * u_x + u_x * u_y)),
           -c * u_xx + lost * (g_yy + p * g_y * g_y) + far * (-u_xx + p * u_y * (2.0 * g_y + u_y))},
          {log_weight(at), (a - near) * g_x + b * u_x, (a - near) * g_y + b * u_y,
           (a - near) * g_xx - near * p * g_x * g_x + b * u_xx,
           (a - near) * g_xy - near * p * g_x * g_y + b * u_xy,
           (a - near) * g_yy - near * p * g_y * g_y - b * u_xx},
          slope_terms,
          bend_terms};
}

// |cosh(mu + d) - cosh mu| <= |sinh mu| sinh |d| + |cosh mu| (cosh |d| - 1), and so on. u = 2
// artanh(cos/cosh) is the difference of two logarithms, of sum and gap or of these over cosh.
EllipticPlane::Change EllipticPlane::change_within(const Place& at, double by_mu,
                                                   double by_nu) const {
  const double p = geometry_.p;
  if (!(by_mu < 20.0 && by_nu < 20.0)) return {infinity, infinity, infinity, infinity, infinity};
  const auto twice_square = [](double x) { return 2.0 * std::pow(std::sinh(0.5 * x), 2.0); };
  const double cosh = modulus(at.cosh), sinh = modulus(at.sinh), cos = modulus(at.cos),
               sin = modulus(at.sin), gap = modulus(at.gap), sum = modulus(at.sum);
  const double d_cosh = sinh * std::sinh(by_mu) + cosh * twice_square(by_mu),
               d_sinh = cosh * std::sinh(by_mu) + sinh * twice_square(by_mu),
               d_cos = sin * std::sinh(by_nu) + cos * twice_square(by_nu),
               d_sin = cos * std::sinh(by_nu) + sin * twice_square(by_nu);
  const double d_radius = d_cosh + d_cos;
  double d_gap = log_change(d_radius / gap), d_sum = log_change(d_radius / sum);
  double by_gap = power_change(d_radius / gap, p), by_sum = power_change(d_radius / sum, p);
  double d_u = d_gap + d_sum;
  // cosh(mu + d) = cosh(mu) e^d (1 + (1 - tanh mu)/2 (e^{-2d} - 1)): far out it is a factor of
  // both. 1 - tanh is 1/(cosh (cosh + sinh)).
  const double d_log_cosh =
      by_mu + log_change(0.5 * std::expm1(2.0 * by_mu) / modulus(at.cosh * (at.cosh + at.sinh)));
  if (d_log_cosh < infinity) {
    const double d_share = d_cos * std::exp(d_log_cosh) + cos * std::expm1(d_log_cosh);
    const double more_gap = log_change(d_share / gap), more_sum = log_change(d_share / sum);
    d_u = std::min(d_u, more_gap + more_sum);
    d_gap = std::min(d_gap, d_log_cosh + more_gap), d_sum = std::min(d_sum, d_log_cosh + more_sum);
    by_gap = std::min(by_gap, std::expm1(p * d_gap));
    by_sum = std::min(by_sum, std::expm1(p * d_sum));
  }
  const double near = modulus(at.near), far = modulus(at.far);
  const double together = by_gap * modulus(at.lost) + (1.0 + by_gap) * far * std::expm1(p * d_u);
  const double apart = far * by_sum + near * by_gap;
  Change change;
  change.loss = geometry_.deficit * d_u + std::fmin(together, apart);
  change.log_weight = near * by_gap + std::abs(radius_power()) * d_gap + (flat() ? 0.0 : d_u);
  change.sinh = d_sinh, change.sin = d_sin;
  change.radii = -std::expm1(-std::max(d_gap, d_sum));
  // NaN too
  if (!(change.loss < infinity)) change.loss = infinity;
  if (!(change.log_weight < infinity)) change.log_weight = infinity;
  return change;
}

// The logarithms of both radii move by at most -log(1 - radii).
bool EllipticPlane::keeps_branch(const Place& at, const Change& change) {
  const double turned = std::max(std::abs(std::arg(at.gap)), std::abs(std::arg(at.sum)));
  return change.radii < 0.9 && turned - std::log1p(-change.radii) < 3.1;
}

// Where c step/(r1 r2) = k p (r2^{p-1} - r1^{p-1}): left of it the loss falls, right of it it
// rises.
double EllipticPlane::turning_place() const {
  const double p = geometry_.p, c = geometry_.deficit, s = geometry_.step, k = geometry_.shape;
  if (!(pole() && p > 1.0)) return infinity;
  const auto rises = [&](double mu) {
    const double r1 = s * std::pow(std::sinh(0.5 * mu), 2.0), r2 = r1 + s;
    return k * p * std::pow(r1, p - 1.0) * std::expm1((p - 1.0) * std::log1p(s / r1)) * r1 * r2 >
           c * s;
  };
  double low = 1e-6, high = 60.0;
  if (rises(low) || !rises(high)) return infinity;
  while (true) {
    const double middle = 0.5 * (low + high);
    if (!(low < middle && middle < high)) return middle;
    (rises(middle) ? high : low) = middle;
  }
}

// The loss is at most its value beyond X on the axis at the same r1, and not negative; with (1 +
// s/r)^p - 1 and log(1 + s/r), which fall, as they are at mu the exponent is concave in log r1.
double EllipticPlane::log_mass_beyond(double mu, double order) const {
  const double k = geometry_.shape, p = geometry_.p, most = std::max(order, 0.0);
  const double r = geometry_.step * std::pow(std::sinh(0.5 * mu), 2.0) * (1.0 - 1e-12);
  const double x = std::log(r), u = std::log1p(geometry_.step / r);
  const double gain = std::expm1(p * u), growth = k * std::exp(p * x);
  const double slope = p * (growth * (1.0 - most * gain) - k);
  if (!(most * gain < 1.0 && slope > 1e-6 * p * k)) return infinity;
  const double exponent =
      geometry_.log_density_at(x) + most * (geometry_.deficit * u + growth * gain);
  return raised(exponent) + std::log(2.0 / slope) + 1e-3;
}

// |L| <= k (r + step)^p there, the density of log r1 is at most exp(log_density + k) r1^{kp}.
double EllipticPlane::log_mass_at_center(double mu, double nu, double order) const {
  if (pole()) return infinity;
  const double k = geometry_.shape, p = geometry_.p, s = geometry_.step;
  const double r = s * (std::pow(std::sinh(0.5 * mu), 2.0) + std::pow(std::sin(0.5 * nu), 2.0));
  const double exponent = geometry_.log_density + k + k * p * std::log(r) +
                          std::max(order, 0.0) * k * std::pow(r + s, p);
  return raised(exponent) + std::log(2.0 / (k * p)) + 1e-6;
}

}  // namespace modicum
