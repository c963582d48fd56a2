// The expansion of a Gaussian spectrum's K in ball arithmetic.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "numerics/precise_ball.h"
#include "privacy/gaussian/gaussian_moment.h"

namespace modicum {
namespace {

// Sum of log(1 + x_i) - x_i over points x_i off the negative axis from -1 on, with one logarithm:
// that of the product, and the whole number of turns that the principal value leaves out, which
// double arithmetic tells for certain.
class LogarithmOfProduct {
 public:
  void multiply(const ComplexBall& factor, const ComplexBall& x) {
    product_ *= factor;
    linear_ += x;
    argument_ += std::atan2(factor.imaginary().middle(), factor.real().middle());
  }
  ComplexBall value() const {
    ComplexBall logarithm;
    acb_log(logarithm.raw(), product_.raw(), PrecisionScope::bits());
    const double turns =
        std::round((argument_ - logarithm.imaginary().middle()) / (2.0 * std::numbers::pi));
    if (!std::isfinite(turns)) return ComplexBall::indeterminate();
    return logarithm - linear_ + ComplexBall(Ball(0.0), Ball::pi() * Ball(2.0 * turns));
  }

 private:
  ComplexBall product_ = Ball(1.0), linear_;
  double argument_ = 0.0;
};

// R(d) in ball arithmetic, widened by what the off-diagonal part of a dense pair may change
// (docs/derivations/dense-pairs.md).
class GaussianBallExpansion final : public BallExpansion {
 public:
  GaussianBallExpansion(const GaussianSpectrum& spectrum, double center)
      : center_(center),
        off_diagonal_(spectrum.off_diagonal()),
        moved_(eigenvalue_distance(spectrum)) {
    for (const SpectrumComponent& component : spectrum.components()) {
      const Ball t = to_ball(component.excess), m = to_ball(component.mean_square);
      const Ball n = component.multiplicity, w = Ball(1.0) - center_ * t, ratio = t + 1.0;
      const Ball log_part = log1p_minus(t);
      value_ += m * center_ * (center_ + 1.0) / (w * 2.0) -
                (n / 2.0) * (center_ * log_part + log1p_minus(-center_ * t));
      slope_ += (n / 2.0) * (center_ * t * t / w - log_part) +
                m * (Ball(1.0) + center_ * 2.0 - t * center_ * center_) / (w * w * 2.0);
      if (!w.surely_positive()) usable_ = false;
      terms_.push_back(
          {t / w, n / 2.0, m * ratio / (w * w * w * 2.0), t, m, component.multiplicity == 1.0});
      smallest_ratio_ = std::min(smallest_ratio_, ratio.lower());
      total_mean_square_ += m;
    }
  }

  Ball value() const override {
    return off_diagonal_is_zero() ? value_ : value_.widened(off_diagonal_error(ComplexBall()));
  }
  Ball slope() const override { return slope_; }

  // Mean value form: exact at the middle, and the derivative over the whole ball times its extent.
  ComplexBall at(const ComplexBall& d, const Ball& tilt) const override {
    if (!usable_) return ComplexBall::indeterminate();
    const ComplexBall middle = d.midpoint();
    const ComplexBall sum = at_point(middle, tilt) + derivative_on(d, tilt) * (d - middle);
    return off_diagonal_is_zero() ? sum : sum.widened(off_diagonal_error(d));
  }

  BallVerticalBound above(const ComplexBall& d) const override {
    BallVerticalBound result;
    const Ball x = d.real(), y = d.imaginary();
    for (const Term& term : terms_) {
      const ComplexBall argument = -(d * term.pole);
      const ComplexBall denominator = argument + ComplexBall(Ball(1.0));
      const Ball size = abs(denominator), turn = term.pole * y / size;
      result.bound -= term.half * log1p_minus(argument).real();
      if (term.pole.exactly_zero()) result.power += term.quadratic * y * y * 2.0;
      else result.power += term.half * turn * turn;
      Ball rational = (d * d / denominator).real();
      if (!denominator.real().surely_positive())
        rational = max(rational, -x / term.pole - Ball(1.0) / (term.pole * term.pole));
      result.bound += term.quadratic * rational;
    }
    if (!off_diagonal_is_zero()) correct_for_dense(d, result);
    return result;
  }

 private:
  struct Term {
    Ball pole, half, quadratic, excess, mean_square;
    bool single;  // n = 1
  };

  ComplexBall at_point(const ComplexBall& d, const Ball& tilt) const {
    const ComplexBall one(Ball(1.0));
    ComplexBall sum = d * tilt, rational;
    LogarithmOfProduct singles;
    for (const Term& term : terms_) {
      const ComplexBall x = -(d * term.pole), factor = x + one;
      if (term.single) singles.multiply(factor, x);
      else sum -= log1p_minus(x) * term.half;
      if (!term.quadratic.exactly_zero()) rational += one / factor * term.quadratic;
    }
    return sum + d * d * rational - singles.value() * Ball(0.5);
  }

  // tilt + sum of n r^2 d / (2 p) + g d (1 + p) / p^2 with p = 1 - r d; far from the center as
  // (n r / 2)(1/p - 1) + (g / r)(1/p^2 - 1), in which d occurs but once. Either form is right.
  ComplexBall derivative_on(const ComplexBall& d, const Ball& tilt) const {
    const PrecisionScope coarse(PrecisionScope::bits() / 2);
    const ComplexBall one(Ball(1.0));
    const double distance = std::hypot(d.real().middle(), d.imaginary().middle());
    ComplexBall sum = tilt;
    for (const Term& term : terms_) {
      const ComplexBall denominator = one - d * term.pole;
      if (denominator.contains_zero()) return ComplexBall::indeterminate();
      const ComplexBall inverse = one / denominator;
      if (std::abs(term.pole.middle()) * distance > 1.0) {
        sum += (inverse - one) * (term.half * term.pole) +
               (inverse * inverse - one) * (term.quadratic / term.pole);
      } else {
        const ComplexBall fraction = d * inverse;
        sum += fraction * (term.half * term.pole * term.pole) +
               fraction * (one + inverse) * term.quadratic;
      }
    }
    return sum;
  }

  bool off_diagonal_is_zero() const {
    return off_diagonal_.with_record == 0.0 && off_diagonal_.without_record == 0.0;
  }

  // Smallest |w_i(z)| and sum of M_i / |w_i|^2.
  struct Diagonal {
    Ball smallest, weighted;
  };
  Diagonal diagonal_at(const ComplexBall& z) const {
    Diagonal result{1.0, 0.0};
    for (const Term& term : terms_) {
      const Ball size = abs(ComplexBall(Ball(1.0)) - z * term.excess);
      result.smallest = min(result.smallest, size);
      result.weighted += term.mean_square / (size * size);
    }
    return result;
  }

  // With D = diag(w), |E(z)| <= |1 + z| e2 + |z| e1 and h = |E| / min |w|:
  // |log det(D + E) - log det D| <= h^2 / (2 (1 - h)) since E has no diagonal, the same for the
  // two covariances, and the quadratic form moves by at most |D^-1 m|^2 |E| / (1 - h).
  Ball off_diagonal_error(const ComplexBall& d) const {
    const PrecisionScope coarse(32);
    const ComplexBall z = d + center_;
    const Ball e1 = off_diagonal_.with_record, e2 = off_diagonal_.without_record;
    const Ball size = abs(z), size_one = abs(z + ComplexBall(Ball(1.0)));
    const Ball norm = size_one * e2 + size * e1;
    const Diagonal diagonal = diagonal_at(z);
    const auto log_determinant = [](const Ball& h) {
      const Ball room = Ball(1.0) - h;
      return room.surely_positive() ? h * h / (room * 2.0) : Ball::between(-HUGE_VAL, HUGE_VAL);
    };
    const Ball h = norm / diagonal.smallest;
    return (log_determinant(h) + size * log_determinant(e1 / Ball(smallest_ratio_)) +
            size_one * log_determinant(e2) +
            size * size_one * diagonal.weighted * norm / (Ball(1.0) - h)) /
           2.0;
  }

  // In the true eigenbasis Re K(x + iy) falls with y, but for the rational terms of eigenvalues
  // with t x > 1: one of these rises by at most tau m^2 (t x - 1) / (2 t^2 |w|^2). The eigenvalues
  // are within moved_ of the diagonal (Weyl); how |m|^2 is shared among them is not known.
  void correct_for_dense(const ComplexBall& d, BallVerticalBound& result) const {
    const ComplexBall z = d + center_;
    const Ball room = Ball(1.0) - Ball(off_diagonal_.without_record);
    Ball rise;
    result.power = 0.0;
    for (const Term& term : terms_) {
      const Ball t = term.excess.widened(moved_), over = t * z.real() - 1.0;
      const Ball size = abs(ComplexBall(Ball(1.0)) - z * t), turn = t * d.imaginary() / size;
      result.power += term.half * turn * turn;
      if (!over.surely_negative()) rise = max(rise, (t + 1.0) * over / (t * t * size * size * 2.0));
    }
    result.bound += off_diagonal_error(d) + rise * total_mean_square_ / room;
    if (!room.surely_positive()) result.bound = Ball::between(-HUGE_VAL, HUGE_VAL);
  }

  Ball center_;
  OffDiagonal off_diagonal_;
  Ball moved_;  // eigenvalues from the diagonal
  std::vector<Term> terms_;
  Ball value_, slope_, total_mean_square_;
  double smallest_ratio_ = 1.0;
  bool usable_ = true;
};

}  // namespace

Ball eigenvalue_distance(const GaussianSpectrum& spectrum) {
  const Ball e1 = spectrum.off_diagonal().with_record, e2 = spectrum.off_diagonal().without_record;
  double largest = 0.0;
  for (const SpectrumComponent& component : spectrum.components())
    largest = std::max(largest, abs(to_ball(component.excess)).upper());
  const Ball room = Ball(1.0) - e2;
  return room.surely_positive() ? (e1 + e2 * (Ball(largest) + 1.0)) / room : Ball(infinity);
}

std::unique_ptr<BallExpansion> GaussianMoment::expand_ball(double center) const {
  return std::make_unique<GaussianBallExpansion>(spectrum_, center);
}

}  // namespace modicum
