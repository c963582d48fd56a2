#include "numerics/taylor.h"

#include <cmath>

namespace modicum {
namespace {

using rounding::inflation;
using rounding::underflow;
using rounding::unit;

// a / n for a whole n
Bounded shared(const Bounded& a, int n) { return rounding::rounded(a.middle / n, a.radius / n, 1); }

}  // namespace

Bounded::Bounded(const Ball& ball) : middle(arf_get_d(arb_midref(ball.raw()), ARF_RND_NEAR)) {
  const double error = mag_get_d(arb_radref(ball.raw())) * inflation;
  radius = ball.finite() ? rounding::rounded(middle, error, 1).radius : infinity;
}

Ball Bounded::ball() const { return Ball(middle).widened(Ball(radius)); }

Bounded Taylor::convolution(const Taylor& a, const Taylor& b, int n, int first, int last) {
  const double share = (last - first + 2) * unit;
  double middle = 0.0, radius = 0.0;
  for (int j = first; j <= last; ++j) {
    const double x = a.middle_[j], y = b.middle_[n - j], size = std::abs(y);
    const double x_error = a.radius_[j], y_error = b.radius_[n - j];
    middle += x * y;
    radius += std::abs(x) * (y_error + share * size) + x_error * (size + y_error) + underflow;
  }
  return {middle, radius * inflation};
}

Taylor operator+(const Taylor& a, const Taylor& b) {
  Taylor sum;
  for (int n = 0; n <= Taylor::order; ++n) sum.set(n, a[n] + b[n]);
  return sum;
}

Taylor operator-(const Taylor& a, const Taylor& b) {
  Taylor difference;
  for (int n = 0; n <= Taylor::order; ++n) difference.set(n, a[n] - b[n]);
  return difference;
}

Taylor operator-(const Taylor& a) {
  Taylor negative;
  for (int n = 0; n <= Taylor::order; ++n) negative.set(n, {-a[n].middle, a[n].radius});
  return negative;
}

Taylor operator*(const Taylor& a, const Taylor& b) {
  Taylor product;
  for (int n = 0; n <= Taylor::order; ++n) product.set(n, Taylor::convolution(a, b, n, 0, n));
  return product;
}

Taylor operator*(const Taylor& a, const Bounded& b) {
  Taylor product;
  for (int n = 0; n <= Taylor::order; ++n) product.set(n, a[n] * b);
  return product;
}

Taylor operator/(const Taylor& a, const Taylor& b) {
  Taylor quotient;
  for (int n = 0; n <= Taylor::order; ++n)
    quotient.set(n, (a[n] - Taylor::convolution(b, quotient, n, 1, n)) / b[0]);
  return quotient;
}

Taylor exponential_of_linear(const Bounded& first, const Bounded& rate) {
  Taylor result;
  result.set(0, first);
  for (int n = 1; n <= Taylor::order; ++n) result.set(n, shared(result[n - 1] * rate, n));
  return result;
}

// y = exp(a): y' = a' y.
Taylor exponential(const Taylor& a, const Bounded& first) {
  Taylor weighted, result;
  for (int n = 1; n <= Taylor::order; ++n) weighted.set(n, a[n] * Bounded(n));
  result.set(0, first);
  for (int n = 1; n <= Taylor::order; ++n)
    result.set(n, shared(Taylor::convolution(weighted, result, n, 1, n), n));
  return result;
}

// y = a^e: a y' = e a' y, so n a_0 y_n = sum over j >= 1 of (e j a_j y_{n-j} - a_j (n-j) y_{n-j}).
Taylor power(const Taylor& a, double exponent, const Bounded& first) {
  Taylor weighted, result, weighted_result;
  for (int n = 1; n <= Taylor::order; ++n) weighted.set(n, a[n] * (Bounded(exponent) * Bounded(n)));
  result.set(0, first);
  for (int n = 1; n <= Taylor::order; ++n) {
    const Bounded sum = Taylor::convolution(weighted, result, n, 1, n) -
                        Taylor::convolution(a, weighted_result, n, 1, n);
    weighted_result.set(n, sum / a[0]);
    result.set(n, shared(weighted_result[n], n));
  }
  return result;
}

Taylor derivative(const Taylor& a) {
  Taylor result;
  for (int n = 0; n < Taylor::order; ++n) result.set(n, a[n + 1] * Bounded(n + 1));
  return result;
}

Taylor antiderivative(const Taylor& a, const Bounded& first) {
  Taylor result;
  result.set(0, first);
  for (int n = 1; n <= Taylor::order; ++n) result.set(n, shared(a[n - 1], n));
  return result;
}

Bounded integral_of_product(const Taylor& a_around_middle, const Taylor& b_around_middle,
                            const Taylor& a_everywhere, const Taylor& b_everywhere) {
  constexpr int order = Taylor::order;
  static_assert(order % 2 == 0, "odd powers integrate to zero");
  const Bounded last = Taylor::convolution(a_everywhere, b_everywhere, order, 0, order);
  // Smallest terms first.
  Bounded sum = shared({0.0, last.magnitude()}, order + 1);
  for (int n = order - 2; n >= 0; n -= 2)
    sum = sum + shared(Taylor::convolution(a_around_middle, b_around_middle, n, 0, n), n + 1);
  return sum * Bounded(2.0);
}

}  // namespace modicum
