// Adaptive Gauss-Kronrod quadrature in doubles, with an estimate of its error.
#pragma once

#include <functional>
#include <vector>

namespace modicum {

/// A function value and about how far rounding may have moved it.
struct Sample {
  double value, noise;
};

struct QuadraturePanel {
  double low, high;
};

struct QuadratureEstimate {
  double value = 0.0, error = 0.0;
  std::vector<QuadraturePanel> panels;  ///< the final mesh, unordered
};

struct QuadratureOptions {
  double relative_tolerance = 1e-14;
  int most_panels = 400;
};

/// Integral of f over the segments between successive breakpoints. f may have square-root
/// singularities at the breakpoints: each segment is mapped by a cosine. `ceiling(low, high)` is at
/// least f there; segments that cannot matter are left out, and counted as error.
QuadratureEstimate integrate_adaptively(const std::function<Sample(double)>& f,
                                        const std::function<double(double, double)>& ceiling,
                                        const std::vector<double>& breakpoints,
                                        const QuadratureOptions& options = {});

}  // namespace modicum
