#include "privacy/laws/turning_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace modicum {
namespace {

// The relative error of an operation in extended precision.
constexpr double extended_unit =
    0.5 * static_cast<double>(std::numeric_limits<long double>::epsilon());
// More than the rounding of the few operations on bounds.
constexpr double rounded_up = 1.0 + 0x1p-30;
constexpr int long_stride = 64;
constexpr std::size_t summed_at_once = 32;

struct Rounded {
  long double value;
  double radius;  // how far the ball reaches from it, but for one unit
};
Rounded rounded(const Ball& x) {
  const double high = x.middle();
  const Ball rest = x - Ball(high);
  const double low = rest.middle();
  return {static_cast<long double>(high) + low, abs(rest - Ball(low)).upper()};
}

double largest_of(const Ball& a, const Ball& b, const Ball& c) {
  return std::max({abs(a).upper(), abs(b).upper(), abs(c).upper()});
}

}  // namespace

TurningSum::TurningSum(const std::vector<Ball>& losses, const std::vector<Ball>& weights) {
  Ball mean;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    total_ += weights[i];
    mean += weights[i] * losses[i];
  }
  middle_ = (mean / total_).middle();
  scale_ = total_.midpoint();  // may be larger than any double
  if (!(scale_.surely_positive() && scale_.finite() && std::isfinite(middle_))) return;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    losses_.push_back(losses[i] - Ball(middle_));
    const double size = abs(losses_.back()).upper();
    const Rounded weight = rounded(weights[i] / scale_);
    weights_.push_back(weight.value);
    const double most = static_cast<double>(weight.value) * rounded_up + weight.radius;
    spread_ += most * size;
    weight_error_ += (extended_unit * most + weight.radius) * size;
    mass_ += most;
  }
  spread_ *= rounded_up;
  weight_error_ *= rounded_up;
  mass_ *= rounded_up;
}

TurningSum::Turns TurningSum::turns_at(const Ball& y) const {
  Turns turns;
  turns.values.reserve(losses_.size());
  Ball sine, cosine;
  for (const Ball& loss : losses_) {
    arb_sin_cos(sine.raw(), cosine.raw(), (loss * y).raw(), PrecisionScope::bits());
    const Rounded real = rounded(cosine -= Ball(1.0)), imaginary = rounded(sine);
    turns.values.push_back({real.value, imaginary.value});
    turns.absolute = std::max({turns.absolute, real.radius, imaginary.radius});
  }
  turns.in_units = 2.0 * extended_unit * abs(y).upper() * rounded_up;
  turns.absolute *= 1.5 * rounded_up;
  return turns;
}

// (1 + u)(1 + s) - 1 = u + s + us: since |1 + s| = 1, what was wrong keeps its size. A step rounds
// by at most 1.5 units (3 |us| + 2 |u| + 2 |s| + |us|), |us| <= 2 |s|, |u| and |s| at most
// y |loss|.
void TurningSum::turn(Turns& turns, const Turns& by, double height) {
  for (std::size_t i = 0; i < turns.values.size(); ++i) {
    Turn& u = turns.values[i];
    const Turn& s = by.values[i];
    const long double real = u.real * s.real - u.imaginary * s.imaginary;
    const long double imaginary = u.real * s.imaginary + u.imaginary * s.real;
    u = {(u.real + s.real) + real, (u.imaginary + s.imaginary) + imaginary};
  }
  turns.in_units =
      (turns.in_units + by.in_units * 1.01 + 20.0 * extended_unit * height) * rounded_up;
  turns.absolute = (turns.absolute + by.absolute * 1.01) * rounded_up;
}

void TurningSum::advance(const Ball& y, const Ball& step) {
  if (step_turns_.values.empty() || arb_equal(step.raw(), step_.raw()) == 0) {
    step_turns_ = turns_at(step);
    step_ = step;
    anchors_ = turns_;
    turned_ = 0;
    long_step_turns_ = {};
  }
  if (++turned_ < long_stride) {
    turn(turns_, step_turns_, largest_of(y, last_, step));
    return;
  }
  const Ball long_step = step * Ball(long_stride);
  if (long_step_turns_.values.empty()) long_step_turns_ = turns_at(long_step);
  turn(anchors_, long_step_turns_, largest_of(y, y - long_step, long_step));
  turns_ = anchors_;
  turned_ = 0;
}

ComplexBall TurningSum::sum(double height) const {
  long double real = 0.0L, imaginary = 0.0L;
  for (std::size_t from = 0; from < weights_.size(); from += summed_at_once) {
    long double a = 0.0L, b = 0.0L;
    const std::size_t to = std::min(weights_.size(), from + summed_at_once);
    for (std::size_t i = from; i < to; ++i) {
      a += weights_[i] * turns_.values[i].real;
      b += weights_[i] * turns_.values[i].imaginary;
    }
    real += a;
    imaginary += b;
  }
  // |turn| <= height |loss| + its error. Additions: those of a block, and those of blocks.
  const double additions =
      summed_at_once + static_cast<double>(weights_.size() / summed_at_once) + 4.0;
  const double wrong = turns_.in_units * spread_ + turns_.absolute * mass_;
  const double error = (height * weight_error_ + wrong +
                        1.01 * additions * extended_unit * (height * spread_ + wrong)) *
                       rounded_up;
  const auto ball = [&](long double x) {
    const double high = static_cast<double>(x), low = static_cast<double>(x - high);
    return Ball(high) + Ball(low);
  };
  return ComplexBall(ball(real), ball(imaginary)).widened(Ball(error + 0x1p-1000));
}

ComplexBall TurningSum::at(const Ball& y) {
  if (turns_.values.empty()) turns_ = turns_at(y);
  else advance(y, y - last_);
  last_ = y;
  ComplexBall turned;
  arb_sin_cos(acb_imagref(turned.raw()), acb_realref(turned.raw()), (Ball(middle_) * y).raw(),
              PrecisionScope::bits());
  return (ComplexBall(total_) + sum(abs(y).upper()) * scale_) * turned;
}

}  // namespace modicum
