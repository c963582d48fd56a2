// The terms of (lower + upper e^{a width})^count, each of which falls along one of two rays
// (docs/derivations/subsampled.md).
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "numerics/ball.h"

namespace modicum {

enum class RaySide { line, right, left };

/// Of one shift: the terms are e^{a ((count - k) width + offset)} times something algebraic, and
/// the first `left` of them grow with a.
struct RayShift {
  Ball exact_offset;
  long double offset;
  double left;
};

/// The factors of both ends at a place, and bounds on what is wrong with them, relatively, from
/// their own errors and from that of the place.
struct RayPlace {
  std::complex<long double> a, log_lower, log_upper;
  std::complex<double> ratio;  // of a term to the one before it, but for the binomials
  double error_of_ends;
};

struct RaySum {
  std::complex<double> value;
  double error;
};

class RayTerms {
 public:
  RayTerms(double count, const Ball& width);
  double count() const { return count_; }
  double width() const { return static_cast<double>(width_); }
  /// None if the sign of a rate is not certain.
  std::optional<RayShift> shifted(Ball offset) const;
  RayPlace place(std::complex<long double> a, std::complex<long double> log_lower,
                 std::complex<long double> log_upper, double error_of_ends) const;

  /// Those of the side at the place, divided by e^{count log_scale + start offset}.
  RaySum sum(RaySide side, const RayPlace& at, const RayShift& shift, double log_scale,
             double start) const;
  /// At least log of the sum of their sizes where Re a = real and the factors are at most so large.
  double log_most(RaySide side, double real, double log_lower, double log_upper,
                  const RayShift& shift) const;

 private:
  struct Range {
    double first, last;
  };
  Range range(RaySide side, const RayShift& shift) const;
  // Which of them is the largest, where terms grow by this ratio times those of the binomials.
  double largest(const Range& range, double ratio) const;

  double count_;
  Ball exact_width_;
  long double width_;
  std::vector<long double> log_binomials_;
};

}  // namespace modicum
