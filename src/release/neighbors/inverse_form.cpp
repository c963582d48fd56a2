#include "release/neighbors/inverse_form.h"

#include "modicum/numerics/errors.h"

namespace modicum {

Ball ball_of(Integer128 whole, double unit) {
  const auto high = static_cast<double>(whole);
  const Integer128 rest = whole - static_cast<Integer128>(high);
  const auto low = static_cast<double>(rest);
  return (Ball(high) + Ball(low) + Ball(static_cast<double>(rest - static_cast<Integer128>(low)))) *
         Ball(unit);
}

Ball dot(const BallMatrix& a, const BallMatrix& b) { return (a.transposed() * b).entry(0, 0); }

InverseForm::InverseForm(BallMatrix matrix, double floor)
    : matrix_(std::move(matrix)), floor_(floor), factor_(matrix_.middles()) {
  if (!factor_.positive_definite())
    throw Error("a matrix could not be factorized: its least eigenvalue is lost in rounding");
}

// Once more for what the first solution leaves: that is what doubles lose where A is ill
// conditioned.
InverseForm::Solved InverseForm::solved(BallMatrix column) const {
  BallMatrix near(factor_.solve(column.middles()));
  for (int step = 0; step < 2; ++step) {
    const BallMatrix correction(factor_.solve((matrix_ * near - column).middles()));
    near = near - correction;
  }
  BallMatrix rest = column - matrix_ * near;
  return {std::move(column), std::move(near), std::move(rest)};
}

Ball InverseForm::operator()(const Solved& v, const Solved& w) const {
  // Squares of lengths, from above.
  const Ball left(dot(v.rest, v.rest).upper()), right(dot(w.rest, w.rest).upper());
  const Ball open = sqrt(left * right) / Ball(floor_);
  return (dot(v.column, w.near) + dot(v.near, w.rest)).widened(Ball(open.upper()));
}

}  // namespace modicum
