#include "numerics/lattice_sum.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <unsupported/Eigen/FFT>

namespace modicum {
namespace {

using Spectrum = std::vector<std::complex<double>>;

constexpr double half_ulp = 0x1p-53;
constexpr double upwards = 1.0 + 0x1p-40;  // more than the rounding of a short sum of squares

// Relative error of a transform in the Euclidean norm. A radix-4 pass multiplies by twiddle
// factors known to 3 units, which costs sqrt(5) more, and adds twice: below 8 units a pass, of
// which there are at most log2(size)/2 + 1, and one more pass for real data [Higham2002, Theorem
// 24.2]. Here with a margin of at least two.
double transform_error(std::size_t size) {
  return 16.0 * half_ulp * (std::log2(static_cast<double>(size)) + 2.0);
}

// Of the half of a spectrum that is kept: twice its squares bound those of the whole.
double norm(const Spectrum& half) {
  long double sum = 0.0L;
  for (const auto& value : half) sum += std::norm(value);
  return static_cast<double>(std::sqrt(2.0L * sum)) * upwards;
}

double norm(const std::vector<double>& values) {
  long double sum = 0.0L;
  for (const double value : values) sum += static_cast<long double>(value) * value;
  return static_cast<double>(std::sqrt(sum)) * upwards;
}

std::vector<double> wrapped(const LatticeMeasure& measure, std::size_t size) {
  std::vector<double> values(size);
  const auto period = static_cast<long>(size);
  for (std::size_t i = 0; i < measure.places.size(); ++i) {
    const long place = measure.places[i] % period;
    values[static_cast<std::size_t>(place < 0 ? place + period : place)] += measure.masses[i];
  }
  return values;
}

std::complex<double> whole_power(std::complex<double> base, double exponent) {
  std::complex<double> result = 1.0;
  for (auto left = static_cast<unsigned long long>(exponent); left > 0; left >>= 1U) {
    if (left & 1U) result *= base;
    base *= base;
  }
  return result;
}

}  // namespace

WrappedSum lattice_sum(const std::vector<LatticeFactor>& factors, long first, std::size_t size) {
  Eigen::FFT<double> transform;
  transform.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  Spectrum product(size / 2 + 1, 1.0), spectrum(size / 2 + 1);
  double error = 0.0;    // of the product, in the Euclidean norm
  double largest = 1.0;  // bounds |product|
  for (const LatticeFactor& factor : factors) {
    const std::vector<double> values = wrapped(factor.measure, size);
    transform.fwd(spectrum, values);
    // All masses added up at one place, at the worst.
    const auto additions = static_cast<double>(factor.measure.places.size());
    const double own = (transform_error(size) + additions * half_ulp) *
                       std::sqrt(static_cast<double>(size)) * norm(values);
    long double total = 0.0L;
    for (const double mass : factor.measure.masses) total += mass;
    // |f| <= total, and within `own` of it as computed; f^n moves by n max(|f|)^(n-1) |change|.
    const double bound = std::max(1.0, static_cast<double>(total) * upwards + own);
    const double power = std::pow(bound, factor.count) * upwards;
    // Each squaring and product is wrong by at most 4 units: about n of them in all.
    // Beyond a tenth they would add up faster than linearly: then nothing is known.
    const double linear = 8.0 * half_ulp * (factor.count + 1.0);
    const double rounding = linear < 0.1 ? linear : std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < product.size(); ++i) {
      spectrum[i] = whole_power(spectrum[i], factor.count);
      product[i] *= spectrum[i];
    }
    error = error * power * (1.0 + rounding) +
            largest * (factor.count * power * own + rounding * norm(spectrum) +
                       static_cast<double>(size) * 0x1p-1000);
    largest *= power;
  }
  WrappedSum sum{first, std::vector<double>(size), 0.0};
  transform.inv(sum.mass, product, static_cast<Eigen::Index>(size));
  sum.error = (error + transform_error(size) * norm(product)) /
              std::sqrt(static_cast<double>(size)) * upwards;
  const auto period = static_cast<long>(size);
  std::rotate(sum.mass.begin(), sum.mass.begin() + ((first % period) + period) % period,
              sum.mass.end());
  return sum;
}

}  // namespace modicum
