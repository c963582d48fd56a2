// About how large the moment is, and the integrand on a sheet, at any order: by a few nodes for
// each patch. Nothing proved rests on it.
#pragma once

#include <complex>

#include "privacy/spherical/sheet_sum.h"

namespace modicum {

class CoarseSheet {
 public:
  /// For orders with a real part of about `order`.
  CoarseSheet(const EllipticSheet& sheet, double order);
  /// Of the integral of |f exp(zL)|.
  double log_size(const std::complex<double>& z) const;
  /// Of the moment itself.
  double log_moment(const std::complex<double>& z) const;

 private:
  SheetSum sum_;
};

}  // namespace modicum
