#include "numerics/symmetric_beta.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace modicum {
namespace {

double log_one_minus_square(double w, double one_less) {
  return w < 0.5 ? std::log1p(-w * w) : std::log(one_less * (1.0 + w));
}

}  // namespace

// The even part of Gauss's continued fraction for I_x(a, a), x = (1 - w)/2; its convergents come
// with all coefficients linear in x. For large a it is Laplace's fraction of the normal tail in
// w sqrt(T), so the number of terms depends on that product alone.
SymmetricBetaTail::SymmetricBetaTail(double dimension, double log_scale)
    : half_((dimension - 1.0) / 2.0), log_scale_(log_scale) {
  const double a = half_;
  for (int m = 0; m <= 100; ++m) {
    const double before = a + 2 * m - 1, after = a + 2 * m + 1;
    const double coupling = m == 0 ? 0.0 : m * (a - m) / before;
    terms_.push_back({m == 0 ? 0.0 : (a + m - 1) * (2 * a + m - 1) * coupling / before,
                      m + (a + m) * (a + 1 + 2 * m) / after,
                      coupling - (a + m) * (2 * a + m) / after});
  }
}

double SymmetricBetaTail::continued_fraction(double w, double one_less) const {
  const double x = one_less / 2.0, square = w * w * (half_ + 1.0);
  // Beyond a terms the convergence is geometric, with a ratio below 0.03.
  const int last = static_cast<int>(std::min({12.0 + 160.0 / square, 14.0 + half_, 100.0}));
  double tail = terms_[last].constant + terms_[last].slope * x;
  for (int m = last; m >= 1; --m)
    tail = terms_[m - 1].constant + terms_[m - 1].slope * x + terms_[m].numerator * x * x / tail;
  return tail;
}

// 2F1(a + 1/2, 1; 3/2; w^2), all terms positive.
double SymmetricBetaTail::center_sum(double square) const {
  double term = 1.0, sum = 1.0;
  for (int n = 0; term > 1e-17 * sum; ++n) {
    term *= square * (half_ + 0.5 + n) / (1.5 + n);
    sum += term;
  }
  return sum;
}

double SymmetricBetaTail::log_smaller(double w, double one_less) const {
  const double log_power = half_ * log_one_minus_square(w, one_less) - log_scale_;
  if (w < 0.35 && w * w * (half_ + 1.0) < 2.0)
    return std::log(0.5 - w * std::exp(log_power) * center_sum(w * w));
  return log_power - std::log(2.0 * continued_fraction(w, one_less));
}

double SymmetricBetaTail::log_upper(double w, double one_less) const {
  if (std::isnan(w)) return w;
  if (w <= -1.0) return 0.0;
  if (one_less <= 0.0) return -infinity;
  if (half_ == 0.0) return -M_LN2;
  return w >= 0.0 ? log_smaller(w, one_less) : std::log1p(-std::exp(log_smaller(-w, 1.0 + w)));
}

// mills(w) = sum of t_n / (T-1), t_0 = 1, t_{n+1} = t_n (1-w)(T-1+n)/(T+1+2n), from the
// hypergeometric series of I_x(a, a). Each term takes six roundings more than the one before.
// Since mills is completely monotone in w, its logarithmic derivative on [0, 1) lies between
// -2/B(1/2, a) > -sqrt(T) and 0: that bounds what rounding w costs.
Ball symmetric_beta_mills(double dimension, const Ball& w) {
  const double point = std::max(w.middle(), 0.0);
  const long double gap = 1.0L - point, count = dimension;
  long double term = 1.0L, sum = 1.0L, ratio = 1.0L;
  int n = 0;
  do {
    ratio = gap * (count - 1 + n) / (count + 1 + 2 * n);
    term *= ratio;
    sum += term;
    ++n;
  } while (term > 1e-19L * sum);
  // From here on ratios are below the larger of this one and their limit.
  const long double bound = std::max(ratio, gap / 2) * (1 + 1e-15L);
  const long double remainder = term * bound / (1 - bound);
  const double high = static_cast<double>(sum), low = static_cast<double>(sum - high);
  const double relative =
      static_cast<double>(remainder / sum) * (1 + 1e-12) +
      (6.0 * n + 10.0) * static_cast<double>(std::numeric_limits<long double>::epsilon()) +
      0x1p-100;
  Ball result = (Ball(high) + Ball(low)) / (Ball(dimension) - 1.0);
  result *= Ball(1.0).widened(Ball(relative));
  return result * exp(Ball(0.0).widened(abs(w - point) * sqrt(Ball(dimension))));
}

}  // namespace modicum
