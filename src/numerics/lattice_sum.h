// Sums of many independent random variables on one lattice, by the fast Fourier transform, with a
// proven bound on all rounding (docs/derivations/discretized.md).
#pragma once

#include <vector>

namespace modicum {

/// Non-negative masses at lattice points.
struct LatticeMeasure {
  std::vector<long> places;
  std::vector<double> masses;
};

/// `count` independent copies.
struct LatticeFactor {
  LatticeMeasure measure;
  double count;
};

/// The convolution of all factors, wrapped around a circle of mass.size() points: mass[i] is what
/// lies at first + i, at first + i + size, at first + i - size, ...
struct WrappedSum {
  long first;
  std::vector<double> mass;
  /// The Euclidean norm of (mass - exact) is at most this.
  double error;
};

/// `size` is a power of two and at least 4.
WrappedSum lattice_sum(const std::vector<LatticeFactor>& factors, long first, std::size_t size);

}  // namespace modicum
