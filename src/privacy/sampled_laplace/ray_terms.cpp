#include "privacy/sampled_laplace/ray_terms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "numerics/complex_functions.h"

namespace modicum {
namespace {

constexpr double term_unit = static_cast<double>(std::numeric_limits<long double>::epsilon());

// e^z, rounded once; large phases are turned back first.
std::complex<double> rounded_exponential(std::complex<long double> z) {
  constexpr long double turn = 2.0L * std::numbers::pi_v<long double>;
  const long double turns = std::rint(z.imag() / turn);
  const auto angle = static_cast<double>(z.imag() - turns * turn);
  const auto size = static_cast<double>(std::exp(z.real()));
  return {size * std::cos(angle), size * std::sin(angle)};
}

}  // namespace

RayTerms::RayTerms(double count, const Ball& width)
    : count_(count), exact_width_(width), width_(to_long_double(width)) {
  long double sum = 0.0L;
  for (double k = 0.0; k <= count; k += 1.0) {
    log_binomials_.push_back(sum);
    sum += std::log(static_cast<long double>(count - k) / (k + 1.0L));
  }
}

std::optional<RayShift> RayTerms::shifted(Ball offset) const {
  RayShift shift{offset, to_long_double(offset), 0.0};
  const double guess = std::ceil(count_ + static_cast<double>(shift.offset / width_));
  shift.left = std::clamp(guess, 0.0, count_ + 1.0);
  // Rates fall with k: those on both sides of the border decide.
  const auto rate = [&](double k) { return Ball(count_ - k) * exact_width_ + offset; };
  if (shift.left > 0.0 && !rate(shift.left - 1.0).surely_positive()) return std::nullopt;
  if (shift.left <= count_ && !rate(shift.left).surely_nonpositive()) return std::nullopt;
  return shift;
}

RayPlace RayTerms::place(std::complex<long double> a, std::complex<long double> log_lower,
                         std::complex<long double> log_upper, double error_of_ends) const {
  return {a, log_lower, log_upper, rounded_exponential(log_lower - log_upper - a * width_),
          error_of_ends};
}

RayTerms::Range RayTerms::range(RaySide side, const RayShift& shift) const {
  return side == RaySide::left ? Range{0.0, shift.left - 1.0} : Range{shift.left, count_};
}

// Terms grow while ratio (count - k)/(k + 1) > 1, which falls with k.
double RayTerms::largest(const Range& range, double ratio) const {
  const double place =
      ratio < 1.0 ? (count_ + 1.0) * ratio / (1.0 + ratio) : (count_ + 1.0) / (1.0 + 1.0 / ratio);
  return std::clamp(std::floor(place), range.first, range.last);
}

RaySum RayTerms::sum(RaySide side, const RayPlace& at, const RayShift& shift, double log_scale,
                     double start) const {
  using Complex = std::complex<double>;
  const Range all = range(side, shift);
  if (all.first > all.last) return {0.0, 0.0};
  const double size = size_of(at.ratio), top = largest(all, size);
  const auto index = static_cast<std::size_t>(top);
  const std::complex<long double> lower = at.log_lower * static_cast<long double>(top),
                                  upper = at.log_upper * static_cast<long double>(count_ - top),
                                  moved = (at.a - static_cast<long double>(start)) * shift.offset,
                                  grown = at.a * (static_cast<long double>(count_ - top) * width_);
  const long double scale = static_cast<long double>(count_) * log_scale;
  const Complex first =
      rounded_exponential(lower + upper + moved + grown + (log_binomials_[index] - scale));
  const auto exponents =
      static_cast<double>(size_of(lower) + size_of(upper) + size_of(moved) + size_of(grown) +
                          std::abs(scale) + log_binomials_[index]) +
      count_;  // log_binomials_ is a sum of so many
  // From the largest term in both directions: the sizes fall faster and faster, and the rest is at
  // most the last term looked at once they fall by half.
  Complex total = first;
  double sizes = size_of(first), rounding = 0.0, left_out = 0.0;
  const auto go = [&](bool upwards) {
    Complex term = first;
    const Complex ratio = upwards ? at.ratio : Complex(1.0) / at.ratio;
    double steps = 0.0;
    for (double k = top; upwards ? k < all.last : k > all.first;) {
      const double binomials = upwards ? (count_ - k) / (k + 1.0) : k / (count_ - k + 1.0);
      term = times(term, ratio * binomials);
      k += upwards ? 1.0 : -1.0;
      steps += 1.0;
      const double length = size_of(term);
      total += term;
      sizes += length;
      rounding += length * steps;
      if (length < 0x1p-60 * sizes && size_of(ratio) * binomials < 0.5) {
        left_out += length;
        break;
      }
    }
  };
  constexpr double steep = 1e250;
  if (size > 1.0 / steep && size < steep) {
    go(true);
    go(false);
  } else {
    left_out = sizes * 1e-200;
  }
  // Each step rounds by less than 2^-49, and the sum by 2^-50 of the sizes for each term in it.
  const double relative = count_ * at.error_of_ends + 16.0 * term_unit * exponents + 0x1p-48;
  if (!(relative < 1.0) || !std::isfinite(sizes)) return {0.0, infinity};
  return {total, sizes * std::expm1(relative) + 0x1p-47 * rounding + left_out + 1e-300};
}

double RayTerms::log_most(RaySide side, double real, double log_lower, double log_upper,
                          const RayShift& shift) const {
  const Range all = range(side, shift);
  if (all.first > all.last) return -infinity;
  const double log_ratio = log_lower - log_upper - real * width();
  const double ratio = std::exp(log_ratio), top = largest(all, ratio);
  const double largest_term = static_cast<double>(log_binomials_[static_cast<std::size_t>(top)]) +
                              top * log_lower + (count_ - top) * (log_upper + real * width()) +
                              real * static_cast<double>(shift.offset);
  double sum = 1.0;
  const auto go = [&](bool upwards) {
    double term = 1.0;
    for (double k = top; upwards ? k < all.last : k > all.first;) {
      const double growth =
          upwards ? (count_ - k) / (k + 1.0) * ratio : k / ((count_ - k + 1.0) * ratio);
      term *= growth;
      k += upwards ? 1.0 : -1.0;
      sum += term;
      if (growth < 0.5 && term < 1e-9 * sum) {
        sum += 2.0 * term;
        break;
      }
    }
  };
  go(true);
  go(false);
  return largest_term + std::log(sum) + 1e-9;
}

}  // namespace modicum
