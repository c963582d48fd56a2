#include "privacy/spherical/scaled_bessel.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace modicum {
namespace {

ComplexBall inverse_root(const ComplexBall& z) {
  ComplexBall result;
  acb_rsqrt(result.raw(), z.raw(), PrecisionScope::bits());
  return result;
}

// sqrt(pi/2w) and sqrt(pi/2w) (1 + 1/w)... of half an odd number: 1 and 1 + 1/w without the root.
ScaledBessel of_halves(const ComplexBall& w) {
  const ComplexBall first = inverse_root(w * (Ball(2.0) / Ball::pi()));
  return {first, first * (ComplexBall(Ball(1.0)) + ComplexBall(Ball(1.0)) / w)};
}

// e^{-v^2} at the multiples of a step, up to where it is below e^{-digits - 12}.
struct NormalTable {
  Ball step;
  std::vector<Ball> squares, values;
  double last = 0.0;
};
const NormalTable& normal_table(int halvings, double digits) {
  thread_local std::map<std::pair<int, long>, NormalTable> tables;
  NormalTable& table = tables[{halvings, PrecisionScope::bits()}];
  if (!table.values.empty()) return table;
  table.step = std::exp2(-0.5 * halvings);
  for (double k = 0.0;; k += 1.0) {
    const Ball v = table.step * Ball(k);
    table.squares.push_back(v * v);
    table.values.push_back(exp(-table.squares.back()));
    table.last = v.lower();
    if (table.squares.back().lower() > digits + 12.0) return table;
  }
}

// With W = 2w and v^2 for the variable of the usual integral,
//   sqrt(W) e^w K_0(w) = Integral of e^{-v^2} (1 + v^2/W)^{-1/2} dv over the real line,
//   sqrt(W) e^w K_1(w) = 2 Integral of e^{-v^2} v^2 (1 + v^2/W)^{1/2} dv,
// by the trapezium rule: wrong by 2 B / (e^{2 pi b / h} - 1), B the integral of the size of the
// integrand on Im v = b or -b [TrefethenWeideman2014, Theorem 5.1]. Its branch points are
// +-i sqrt(W): for b < rho = Re sqrt(W) the size of 1 + v^2/W is at least (rho - b)^2/|W|, and at
// most 1 + |v|^2/|W|.
ScaledBessel of_whole(const ComplexBall& w) {
  const double digits = static_cast<double>(PrecisionScope::bits()) * M_LN2;
  const ComplexBall W = w * Ball(2.0);
  ComplexBall root;
  acb_sqrt(root.raw(), W.raw(), PrecisionScope::bits());
  const double rho = root.real().lower(), size = abs(W).lower();
  if (!(rho > 0.0 && size > 0.0))
    return {ComplexBall::indeterminate(), ComplexBall::indeterminate()};
  const double width = std::min(0.5 * rho, std::sqrt(digits));
  const double wanted = 2.0 * M_PI * width / (digits + width * width);
  // Next to the branch cut no rule of bounded work will do.
  constexpr double most_nodes = 4096.0;
  if (!(std::sqrt(digits + 12.0) <= most_nodes * wanted))
    return {ComplexBall::indeterminate(), ComplexBall::indeterminate()};
  const int halvings = static_cast<int>(std::ceil(-2.0 * std::log2(wanted)));
  const NormalTable& table = normal_table(halvings, digits);
  const ComplexBall inverse = ComplexBall(Ball(1.0)) / W, one(Ball(1.0));
  ComplexBall least, next;
  for (std::size_t k = 0; k < table.values.size(); ++k) {
    const ComplexBall base = one + inverse * table.squares[k], power = inverse_root(base);
    const ComplexBall term = power * (k == 0 ? table.values[k] / 2.0 : table.values[k]);
    least += term;
    next += term * base * table.squares[k];
  }
  // Of both halves of the line; beyond the last node v^4 e^{-v^2} adds up to at most V^4 e^{-V^2}.
  const Ball b = width, rest = Ball(rho) - b, h = table.step, root_pi = sqrt(Ball::pi());
  const Ball power = sqrt(Ball(abs(W).upper())) / rest, grown = exp(b * b) * root_pi;
  const Ball rule = Ball(2.0) / expm1(Ball::pi() * 2.0 * b / h);
  const Ball left_out = exp(-Ball(table.last) * Ball(table.last)) * 2.0;
  const Ball fourth = Ball(table.last) * Ball(table.last) * Ball(table.last) * Ball(table.last);
  const Ball error_least = rule * grown * power + left_out * power;
  const Ball square = b * b;
  const Ball error_next =
      rule * grown * (square + 0.5 + (square * square + square + 0.75) / Ball(size)) +
      left_out * fourth * (Ball(1.0) + Ball(1.0) / Ball(size));
  const Ball scale = h * 2.0;
  const ComplexBall unit = inverse_root(W);
  return {(least * scale).widened(error_least) * unit,
          (next * scale).widened(error_next) * Ball(2.0) * unit};
}

}  // namespace

// K_{nu+1} = K_{nu-1} + 2 nu/w K_nu.
ScaledBessel scaled_bessel_k(double order, const ComplexBall& w) {
  double reached = order - std::floor(order);
  ScaledBessel found = reached == 0.0 ? of_whole(w) : of_halves(w);
  for (; reached < order; reached += 1.0) {
    ComplexBall after = found.of_order + found.of_next / w * Ball(2.0 * (reached + 1.0));
    found = {std::move(found.of_next), std::move(after)};
  }
  return found;
}

}  // namespace modicum
