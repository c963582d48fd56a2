#include "privacy/gaussian/gaussian_moment.h"

#include <algorithm>
#include <cmath>

#include "numerics/log1p_minus.h"
#include "numerics/precise_ball.h"

namespace modicum {
namespace {

using Complex = std::complex<double>;

// Without the special cases of infinite operands, which never occur here.
Complex squared(Complex z) {
  return {z.real() * z.real() - z.imag() * z.imag(), 2.0 * z.real() * z.imag()};
}
Complex over(Complex a, Complex b) {
  const double size = b.real() * b.real() + b.imag() * b.imag();
  return {(a.real() * b.real() + a.imag() * b.imag()) / size,
          (a.imag() * b.real() - a.real() * b.imag()) / size};
}

// R(d) in double arithmetic. Components with t = 0 join into one quadratic. Where |r d| > 1 the
// linear part of R, -(n r / 2 + g / r) d, all but cancels against the tilt: the terms are sorted by
// |r|, and the sums of these slopes are kept in long double.
class GaussianExpansion final : public Expansion {
 public:
  // In units of 1 / scale, scale = max(1, |r|), so that nothing overflows.
  struct Term {
    double scale;
    double pole;            // r / scale
    double half;            // n / 2
    double quadratic;       // g / scale^2
    long double far_slope;  // -(n r / 2 + g / r)
    double size() const { return std::abs(pole) * scale; }
  };
  GaussianExpansion(std::vector<Term> terms, double square)
      : terms_(std::move(terms)), square_(square) {
    std::sort(terms_.begin(), terms_.end(),
              [](const Term& a, const Term& b) { return a.size() > b.size(); });
    far_slopes_.push_back(0.0L);
    for (const Term& term : terms_) far_slopes_.push_back(far_slopes_.back() + term.far_slope);
  }

  Complex at(Complex d, long double tilt) const override {
    const double distance = std::hypot(d.real(), d.imag());
    Complex sum = square_ * squared(d);
    std::size_t i = 0;
    for (; i < terms_.size() && terms_[i].size() * distance > 1.0; ++i) {
      const Term& term = terms_[i];
      const double dx = d.real() * term.scale, dy = d.imag() * term.scale;
      const double real = 1.0 - term.pole * dx, imaginary = -term.pole * dy;
      const double size = real * real + imaginary * imaginary;
      const double factor = term.quadratic / (term.pole * size);
      sum +=
          Complex{-0.5 * term.half * std::log(size) + factor * (dx * real + dy * imaginary),
                  -term.half * std::atan2(imaginary, real) + factor * (dy * real - dx * imaginary)};
    }
    const double slope = static_cast<double>(tilt + far_slopes_[i]);
    for (; i < terms_.size(); ++i) {
      const Term& term = terms_[i];
      const Complex scaled = term.scale * d, x = -term.pole * scaled;
      sum -= term.half * log1p_minus(x);
      if (term.quadratic != 0.0) sum += term.quadratic * over(squared(scaled), 1.0 + x);
    }
    return sum + slope * d;
  }

  VerticalBound above(Complex d) const override {
    VerticalBound result{square_ * squared(d).real(), 2.0 * square_ * d.imag() * d.imag()};
    for (const Term& term : terms_) {
      const Complex scaled = term.scale * d, x = -term.pole * scaled;
      const double real = 1.0 + x.real(), size = real * real + x.imag() * x.imag();
      result.bound -= term.half * log1p_minus(x).real();
      result.power += term.half * x.imag() * x.imag() / size;
      // Re(d^2 / (1 - r d)) falls with Im d where Re(1 - r d) > 0, and rises to its limit else.
      const double rational = real > 0.0
                                  ? over(squared(scaled), 1.0 + x).real()
                                  : -scaled.real() / term.pole - 1.0 / (term.pole * term.pole);
      result.bound += term.quadratic * rational;
    }
    return result;
  }

 private:
  std::vector<Term> terms_;
  std::vector<long double> far_slopes_;
  double square_;
};

}  // namespace

GaussianMoment::GaussianMoment(const GaussianSpectrum& spectrum)
    : spectrum_(spectrum), lower_end_(-infinity), upper_end_(infinity) {
  const PrecisionScope scope(192);
  for (const SpectrumComponent& component : spectrum.components()) {
    const Ball excess = to_ball(component.excess), ratio = excess + 1.0;
    components_.push_back({to_long_double(excess), to_long_double(ratio),
                           to_long_double(log1p_minus(excess.midpoint())), component.multiplicity,
                           to_long_double(to_ball(component.mean_square)), component.excess.radius,
                           component.mean_square.radius});
    const double t = component.excess.high;
    if (t > 0.0) upper_end_ = std::min(upper_end_, 1.0 / t);
    if (t < 0.0) lower_end_ = std::max(lower_end_, 1.0 / t);
  }
}

Jet GaussianMoment::jet(long double z) const {
  Jet sum;
  long double weighted = 0, smallest = 1;
  for (const Component& c : components_) {
    const long double t = c.excess, n = c.multiplicity, m = c.mean_square;
    const long double w = 1 - z * t;
    const long double parts[] = {-n / 2 * z * c.log_part, -n / 2 * log1p_minus(-z * t),
                                 m * z * (1 + z) / (2 * w)};
    const long double slopes[] = {-n / 2 * c.log_part, n * z * t * t / (2 * w),
                                  m * (1 + 2 * z - t * z * z) / (2 * w * w)};
    // Near the end of the strip w has fewer digits than z t, by this factor.
    const long double loss_of_digits = 1 + std::abs(z * t / w);
    for (int i = 0; i < 3; ++i) {
      sum.value += parts[i];
      sum.magnitude += std::abs(parts[i]) * (i == 2 ? loss_of_digits : 1);
      sum.first += slopes[i];
      sum.first_magnitude += std::abs(slopes[i]) * (i == 0 ? 1 : loss_of_digits * loss_of_digits);
    }
    sum.magnitude += n / 2 * (loss_of_digits - 1);
    sum.second += n * t * t / (2 * w * w) + m * c.ratio / (w * w * w);
    // What the radii of t and M leave open, to first order.
    const long double size = std::abs(t) + c.excess_radius;
    sum.uncertainty +=
        c.mean_square_radius * std::abs(z * (1 + z) / (2 * w)) +
        c.excess_radius * (n / 2 * std::abs(z) * size * (1 / c.ratio + std::abs(z / w)) +
                           m * std::abs(z * z * (1 + z)) / (2 * w * w));
    weighted += m / (w * w);
    smallest = std::min(smallest, std::abs(w));
  }
  // The off-diagonal parts, as in GaussianBallExpansion::off_diagonal_error; the path leaves the
  // center, where they weigh more: doubled.
  const long double norm = std::abs(1 + z) * spectrum_.off_diagonal().without_record +
                           std::abs(z) * spectrum_.off_diagonal().with_record;
  const long double h = norm / smallest;
  sum.uncertainty += 2 * (std::abs(z * (1 + z)) * weighted * norm + h * h) * (h < 0.5L ? 1 : 1e9L);
  return sum;
}

namespace {
GaussianExpansion::Term term(long double pole, long double half, long double quadratic) {
  const long double scale = static_cast<double>(std::max(1.0L, std::abs(pole)));
  return {static_cast<double>(scale), static_cast<double>(pole / scale), static_cast<double>(half),
          static_cast<double>(quadratic / scale / scale), -half * pole - quadratic / pole};
}
}  // namespace

std::unique_ptr<Expansion> GaussianMoment::expand(double center) const {
  std::vector<GaussianExpansion::Term> terms;
  double square = 0.0;
  for (const Component& c : components_) {
    const long double w = 1 - center * c.excess;
    const long double pole = c.excess / w, half = c.multiplicity / 2;
    const long double quadratic = c.mean_square * c.ratio / (2 * w * w * w);
    if (pole == 0) square += static_cast<double>(quadratic);
    else terms.push_back(term(pole, half, quadratic));
  }
  return std::make_unique<GaussianExpansion>(std::move(terms), square);
}

// With every tau < 1, sup L = -1/2 log det(A B^-1) + 1/2 m^T (B - A)^-1 m, that is the sum of
// -n/2 log tau + M / (2 (1 - tau)); the off-diagonal parts move it by what is added below.
Enclosure GaussianMoment::supremum() const {
  const PrecisionScope scope(192);
  const Ball e1 = spectrum_.off_diagonal().with_record,
             e2 = spectrum_.off_diagonal().without_record;
  Ball sum, weighted;
  double smallest_gap = infinity, smallest_ratio = 1.0;
  for (const SpectrumComponent& c : spectrum_.components()) {
    const Ball t = to_ball(c.excess), m = to_ball(c.mean_square);
    if (t.surely_positive() || t.exactly_zero()) return Enclosure::exactly(infinity);
    if (!t.surely_negative()) return {-infinity, infinity};
    sum += m / (t * -2.0) - (log1p_minus(t) + t) * Ball(c.multiplicity) / 2.0;
    weighted += m / (t * t);
    smallest_gap = std::min(smallest_gap, -t.upper());
    smallest_ratio = std::min(smallest_ratio, (t + 1.0).lower());
  }
  if (!(e1.exactly_zero() && e2.exactly_zero())) {
    const Ball h = (e1 + e2) / Ball(smallest_gap), h1 = e1 / Ball(smallest_ratio);
    const Ball room = Ball(1.0) - max(h, max(h1, e2));
    if (!room.surely_positive()) return {-infinity, infinity};
    sum = sum.widened((weighted * (e1 + e2) + h1 * h1 + e2 * e2) / (room * 2.0));
  }
  if (!sum.finite()) return {-infinity, infinity};
  return sum.enclosure();
}

}  // namespace modicum
