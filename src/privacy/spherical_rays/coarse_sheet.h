// About how large the moment is, and the integrand on a sheet, at any order: by a few nodes for
// each patch. Nothing proved rests on it.
#pragma once

#include <complex>

#include "privacy/spherical_rays/sheet_sum.h"

namespace modicum {

class CoarseSheet {
 public:
  /// For orders with a real part of about `order`.
  /// `rate` as of a sum: about the slope of the logarithm there.
  CoarseSheet(const EllipticSheet& sheet, double order, double rate);
  /// Of the integral of |f exp(zL)|.
  double log_size(const std::complex<double>& z) const;
  /// Of the moment itself.
  double log_moment(const std::complex<double>& z) const;

 private:
  double rate_;
  SheetSum sum_;
};

}  // namespace modicum
