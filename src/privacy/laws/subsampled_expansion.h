// K of the subsampled Gaussian off the real axis (docs/derivations/bent-path.md):
// E_X[e^{zL}] = Integral of phi(t) B(t)^{z+1} dt, B(t) = 1 - q + q e^{mu t - mu^2/2}.
#pragma once

#include <array>
#include <complex>
#include <map>
#include <memory>
#include <mutex>

#include "modicum/numerics/precise.h"
#include "privacy/laws/loss_law.h"

namespace modicum {

/// What more than so many copies of rare samples lose is known to too few digits, unless the error
/// of their moment M is relative to M - 1, which takes longer.
inline constexpr double many_copies = 1000.0;

/// The integral along contours on which it hardly cancels. They depend on the law alone and are
/// kept with it.
class SubsampledContours {
 public:
  SubsampledContours(const Precise& mu, double rate);
  ~SubsampledContours();
  long double mu() const { return mu_; }
  double rate() const { return rate_; }
  /// log of the integral of phi(t) B(t)^a, less `offset`; Im a >= 0. For so many copies.
  ExpansionValue log_moment(std::complex<double> a, std::complex<double> offset,
                            double count) const;
  /// Left of here phi(t) B(t)^a is negligible beside the rest, for real a.
  double left_end(double a, double reach) const;

 private:
  struct Contour;
  struct Sums;
  struct Shape {
    int slope, turn, level;  // in sixteenths; log |a|, in units of a quarter; halvings of the step
    double middle;           // where both parts of B are alike
    struct Bend {
      double slope, place;
    } first, second;
  };
  Shape shape_for(std::complex<double> a, int level) const;
  std::shared_ptr<const Contour> contour_for(const Shape& shape, std::complex<double> a,
                                             bool less_one) const;
  static Sums whole_moment(const Contour& contour, std::complex<double> a,
                           std::complex<double> offset);
  static Sums moment_less_one(const Contour& contour, std::complex<double> a);
  std::complex<double> log_base_at(std::complex<double> u) const;

  long double mu_;
  double rate_;
  mutable std::mutex mutex_;
  mutable std::map<std::array<int, 3>, std::shared_ptr<const Contour>> contours_;
};

/// For the trapezium rule on the real line of t: |Im t| up to which the integrand is looked at, and
/// log of how much larger it may be there (docs/derivations/subsampled.md), for powers from `least`
/// on and heights up to this one.
struct TrapeziumStrip {
  double half_width, growth;
};
TrapeziumStrip trapezium_strip(double mu, double least, double height, double digits);

/// Around z = center, to a precision that serves `count` copies.
std::unique_ptr<LawExpansion> expand_subsampled_gaussian(
    std::shared_ptr<const SubsampledContours> contours, double center, double count);

}  // namespace modicum
