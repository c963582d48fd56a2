#include "randomness/rounded_normal.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "modicum/numerics/errors.h"
#include "modicum/randomness/samplers.h"
#include "randomness/exact_real.h"

namespace modicum {
namespace {

class ShiftedNormal final : public ExactReal {
 public:
  ShiftedNormal(double scale, double offset, NormalDigits digits, RandomSource& source)
      : scale_(scale), offset_(offset), normal_(digits.u, digits.v, source) {}
  Ball at(long bits) override {
    const PrecisionScope scope(bits + 64);
    return Ball(offset_) + Ball(scale_) * normal_.at(bits);
  }

 private:
  double scale_, offset_;
  ExactNormal normal_;
};

}  // namespace

// Notation: e = 2^-53; hats are computed doubles; U, V the numbers with all their digits.
// Assumed: +, *, / and sqrt round to nearest (relative error e; IEEE 754), and std::log and
// std::cos are within 4 units in the last place, relative error 8e. The C library documents at most
// 1, and the tests look for violations.
//
// 1. U^ is within eta = e + 1/u of U, relatively: e from the rounding of u, 1/u from the digits not
//    drawn, as U >= u / 2^64. With u >= 2^32, |log U^ - log U| <= 1.01 eta.
// 2. L = -2 log U: |L^ - L| <= 2.02 eta + 8.1e L^.
// 3. r = sqrt(L), for L^ > 0: |sqrt(L^) - sqrt(L)| <= |L^ - L| / sqrt(L^), and sqrt rounds once:
//    |r^ - r| <= 2.03 eta / r^ + 9.2e r^.
// 4. V as a signed number in [-1/2, 1/2), which changes cos(2 pi V) nothing:
//    |V^ - V| <= e/2 + 2^-64, and two roundings more, of 2 pi and of the product:
//    |angle^ - 2 pi V| <= 3.01 pi e <= 9.5e; the cosine c is 1-Lipschitz: |c^ - c| <= 17.6e.
// 5. |r^ c^ - r c| <= |r^ - r| |c| + r^ |c^ - c| <= 2.03 eta / r^ + 26.8e r^.
// 6. Two products and a sum round: 2.1e scale r^ for the products, and for the sum
//    e (|offset| + scale r^) (1 + 10e) <= e + 1.1e scale r^. Products below the normal range err by
//    2^-1074 more, which the slack in the last term below covers.
// Together: scale (2.03 eta / r^ + 30e r^) + 1.1e. The constants returned are larger, by more than
// the rounding of the bound itself and of the comparison that uses it.
RoughValue rough_value(double scale, double offset, NormalDigits digits) {
  constexpr double e = 0x1p-53;
  const auto u = static_cast<double>(digits.u);
  const auto v = static_cast<double>(static_cast<std::int64_t>(digits.v));
  const double radius = std::sqrt(-2.0 * std::log(u * 0x1p-64));
  // Nothing is proved for extreme u; where u rounds to 2^64, the radius is a zero of either sign.
  if (!(u >= 0x1p32 && radius > 0.0)) return {0.0, std::numeric_limits<double>::infinity()};
  const double cosine = std::cos(v * 0x1p-64 * (2.0 * std::numbers::pi));
  const double eta = e + 1.0 / u;
  return {offset + scale * (radius * cosine),
          scale * (2.1 * eta / radius + 32.0 * e * radius) + 3.0 * e};
}

std::optional<std::int64_t> rounded_in_doubles(double scale, double offset, NormalDigits digits) {
  const RoughValue rough = rough_value(scale, offset, digits);
  const double whole = std::nearbyint(rough.value);
  // The difference is exact. From 2^52 on the error is above 1/2, so nothing is decided there.
  if (!(std::abs(rough.value - whole) < 0.5 - rough.error)) return std::nullopt;
  return static_cast<std::int64_t>(whole);
}

std::int64_t rounded_in_balls(double scale, double offset, NormalDigits digits,
                              RandomSource& source) {
  ShiftedNormal value(scale, offset, digits, source);
  return nearest_integer(value);
}

std::int64_t rounded_normal(double scale, double offset, RandomSource& source) {
  require_positive("scale", scale);
  if (!(std::abs(offset) <= 0.5))
    throw InvalidParameter("offset", offset, "must be between -1/2 and 1/2");
  const std::uint64_t u = source.next(), v = source.next();
  if (const auto decided = rounded_in_doubles(scale, offset, {u, v})) return *decided;
  return rounded_in_balls(scale, offset, {u, v}, source);
}

}  // namespace modicum
