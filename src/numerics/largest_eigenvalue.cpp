#include "modicum/numerics/largest_eigenvalue.h"

#include <cmath>
#include <utility>
#include <vector>

#include "modicum/numerics/errors.h"
#include "numerics/ball_matrix.h"
#include "numerics/largest_eigenvalue_determinant.h"

namespace modicum {
namespace {

constexpr long first_bits = 128, most_bits = 4096;
constexpr double largest_dimension = 1000.0, narrow_enough = 1e-15, negligible = 1e-300;

// Beyond this nothing is left to tell: P[lambda_1 > x] falls like exp(-(x^2 - 4 d)/4).
double far(double dimension) { return 60.0 + 2.5 * std::sqrt(dimension); }

// The orthonormal Hermite functions psi_0 .. psi_count at x: psi_0 = (2 pi)^(-1/4) exp(-x^2/4),
// their derivatives and their integrals from minus infinity.
struct HermiteFunctions {
  std::vector<Ball> value, slope, integral;

  HermiteFunctions(long count, double x) {
    const Ball place = x, root = sqrt(sqrt(Ball(2.0) * Ball::pi()));
    const auto square_root = [](long n) { return sqrt(Ball(static_cast<double>(n))); };
    value.push_back(exp(-(place * place) / 4.0) / root);
    integral.push_back(sqrt(Ball::pi()) * erfc(-place / 2.0) / root);
    for (long n = 0; n < count; ++n) {
      const auto at = static_cast<std::size_t>(n);
      Ball next = place * value[at], next_integral = Ball(-2.0) * value[at];
      if (n > 0) {
        next -= square_root(n) * value[at - 1];
        next_integral += square_root(n) * integral[at - 1];
      }
      value.push_back(next / square_root(n + 1));
      integral.push_back(next_integral / square_root(n + 1));
    }
    for (long n = 0; n < count; ++n) {
      const auto at = static_cast<std::size_t>(n);
      slope.push_back(place * value[at] / 2.0 - square_root(n + 1) * value[at + 1]);
    }
  }
};

// Bits that the three-term recurrence of psi may lose: a step widens a ball by at most the factor
// 1 + |x|/sqrt(n).
long bits_lost(long count, double x) {
  double lost = 0.0;
  for (long n = 1; n <= count; ++n)
    lost += std::log2(1.0 + std::abs(x) / std::sqrt(static_cast<double>(n)));
  return static_cast<long>(lost) + 1;
}

// [DeBruijn1955] for the functions psi_0, psi_0', psi_2, psi_2', .., each with all others:
//   a(f, g) = integral over s, t <= x of sign(t - s) f(s) g(t).
// At x = infinity a(psi_i, psi_i') = -2, and everything else is 0.
class Pairings {
 public:
  Pairings(long dimension, double x) : dimension_(dimension), psi_(dimension + 1, x) {
    // Overlap of psi_n with itself up to x.
    own_.push_back(normal_above(-Ball(x)));
    for (std::size_t n = 0; n + 1 < psi_.value.size(); ++n)
      own_.push_back(own_[n] -
                     psi_.value[n] * psi_.value[n + 1] / sqrt(Ball(static_cast<double>(n + 1))));
  }

  // The square of the Pfaffian of the whole, over its limit: the squared probability.
  Ball squared_probability() const {
    const bool odd = dimension_ % 2 != 0;
    const long size = dimension_ + (odd ? 1 : 0);
    BallMatrix matrix(size, size);
    const auto set = [&](long i, long j, const Ball& a) {
      arb_set_round(matrix.at(i, j), a.raw(), PrecisionScope::bits());
      arb_neg(matrix.at(j, i), matrix.at(i, j));
    };
    // -1/2 makes the limit a matrix of zeros and ones.
    for (long i = 0; i < dimension_; i += 2) {
      Ball even_pair = 0.0;
      for (long j = i; j < dimension_; j += 2) {
        if (j > i) {
          even_pair = next_even_pair(i, j - 2, even_pair);
          set(i, j, even_pair / -2.0);
          if (i + 1 < dimension_) set(i + 1, j, slope_with(j, i) / 2.0);
          if (j + 1 < dimension_) set(i + 1, j + 1, slopes(i, j) / -2.0);
        }
        if (j + 1 < dimension_) set(i, j + 1, slope_with(i, j) / -2.0);
      }
    }
    if (odd) border(set);
    return determinant_near_limit(matrix);
  }

 private:
  static std::size_t index(long n) { return static_cast<std::size_t>(n); }

  // Integral of psi_i psi_j up to x, from psi_n'' = (x^2/4 - n - 1/2) psi_n.
  Ball overlap(long i, long j) const {
    if (i == j) return own_[index(i)];
    return (psi_.slope[index(i)] * psi_.value[index(j)] -
            psi_.value[index(i)] * psi_.slope[index(j)]) /
           Ball(static_cast<double>(j - i));
  }
  // a(psi_i, psi_j').
  Ball slope_with(long i, long j) const {
    return psi_.integral[index(i)] * psi_.value[index(j)] - Ball(2.0) * overlap(i, j);
  }
  // a(psi_i', psi_j') = psi_i psi_j - 2 integral of psi_i' psi_j, 2 psi_i' = sqrt(i) psi_(i-1) -
  // sqrt(i+1) psi_(i+1).
  Ball slopes(long i, long j) const {
    Ball result = psi_.value[index(i)] * psi_.value[index(j)] +
                  sqrt(Ball(static_cast<double>(i + 1))) * overlap(i + 1, j);
    if (i > 0) result -= sqrt(Ball(static_cast<double>(i))) * overlap(i - 1, j);
    return result;
  }
  // a(psi_i, psi_(j+2)) from a(psi_i, psi_j): sqrt(j+2) psi_(j+2) = sqrt(j+1) psi_j - 2 psi_(j+1)'.
  Ball next_even_pair(long i, long j, const Ball& before) const {
    return (sqrt(Ball(static_cast<double>(j + 1))) * before - Ball(2.0) * slope_with(i, j + 1)) /
           sqrt(Ball(static_cast<double>(j + 2)));
  }
  // Odd dimensions have one more row, the integrals up to x, here over that of the last function
  // up to infinity: sqrt(n+2) c_(n+2) = sqrt(n+1) c_n from the recurrence of the integrals.
  template <typename Set>
  void border(const Set& set) const {
    Ball whole = Ball(2.0) * sqrt(Ball::pi()) / sqrt(sqrt(Ball(2.0) * Ball::pi()));
    for (long n = 0; n + 2 < dimension_; n += 2)
      whole *= sqrt(Ball(static_cast<double>(n + 1)) / Ball(static_cast<double>(n + 2)));
    for (long i = 0; i < dimension_; i += 2) {
      set(i, dimension_, psi_.integral[index(i)] / whole);
      if (i + 1 < dimension_) set(i + 1, dimension_, psi_.value[index(i)] / whole);
    }
  }

  long dimension_;
  HermiteFunctions psi_;
  std::vector<Ball> own_;
};

bool good(const Enclosure& value) {
  return value.upper() <= negligible || value.relative_width() <= narrow_enough;
}

}  // namespace

ProbabilitySplit goe_largest_eigenvalue(double dimension, double x) {
  if (!(dimension >= 1.0 && dimension <= largest_dimension && dimension == std::floor(dimension)))
    throw InvalidParameter("dimension", dimension, "must be a whole number from 1 to 1000");
  if (!std::isfinite(x)) throw InvalidParameter("x", x, "must be finite");
  if (x > far(dimension)) {
    const ProbabilitySplit before = goe_largest_eigenvalue(dimension, far(dimension));
    return {{before.at_most.lower(), 1.0}, {0.0, before.above.upper()}};
  }
  // The largest eigenvalue is at least the first entry, which is N(0, 2).
  const Ball first_entry = erfc(-Ball(x) / 2.0) / 2.0;
  ProbabilitySplit result{{0.0, first_entry.upper()}, {(Ball(1.0) - first_entry).lower(), 1.0}};
  if (x < -far(dimension)) return result;
  const long rows = static_cast<long>(dimension);
  for (long bits = first_bits; bits <= most_bits; bits *= 2) {
    const Pairings pairings = [&] {
      const PrecisionScope wider(bits + bits_lost(rows + 1, x));
      return Pairings(rows, x);
    }();
    const PrecisionScope scope(bits);
    const Ball squared = pairings.squared_probability();
    if (!squared.finite() || !squared.surely_positive()) continue;
    const Ball at_most = sqrt(squared), above = Ball(1.0) - at_most;
    result = {at_most.enclosure().within(0.0, 1.0), above.enclosure().within(0.0, 1.0)};
    if (good(result.at_most) && good(result.above)) break;
  }
  return result;
}

}  // namespace modicum
