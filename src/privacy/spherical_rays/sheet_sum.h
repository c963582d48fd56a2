// Sums over nodes of a sheet: nodes of nearly the same loss are gathered by their moments
// (docs/derivations/spherical.md#the-moved-plane).
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <vector>

#include "privacy/spherical_rays/elliptic_sheet.h"

namespace modicum {

/// Sums of exp(log_weight + z loss) over the nodes of the half of X, and of exp(log_weight -
/// (1 + z) loss) over their conjugates, which stand for the half of Y.
class SheetSum {
 public:
  using Complex = std::complex<double>;

  /// Values are relative to exp(rate Re z), so that high orders do not overflow.
  explicit SheetSum(double rate = 0.0) : rate_(rate) {}

  /// Rounding in units of the last place.
  struct Node {
    Complex loss, log_weight;
    double rounding, loss_rounding;
  };
  void add(const Node& node) { nodes_.push_back(node); }
  /// For orders with |z|, |1 + z| no larger than this.
  void gather(double largest_order);
  std::size_t size() const { return nodes_.size() + groups_.size(); }

  struct Value {
    Complex value;
    double rounding;
  };
  /// Terms that may be left out add up to `negligible`, and are counted.
  Value at(const Complex& z, double negligible) const;
  /// At least the sum of the sizes of all terms, by `negligible` more at most.
  double size_at(const Complex& z, double negligible) const;

  /// The order at which the half of Y is the conjugate of a sum.
  static Complex mirrored(const Complex& z) { return {-(1.0 + z.real()), z.imag()}; }

 private:
  // Nodes with losses close to `middle`: sums of weight (loss - middle)^n / n!, relative to
  // `scale`.
  static constexpr int terms = 16;
  // And of the sizes alone: real and imaginary parts of the differences, and their products.
  struct Group {
    Complex middle;
    double log_scale, size, rounding, loss_rounding;
    std::array<Complex, terms> moments;
    double by_re, by_im, by_re_re, by_re_im, by_im_im;
  };
  Value half_at(const Complex& z, double log_scale, double least) const;

  double rate_;
  std::vector<Node> nodes_;
  std::vector<Group> groups_;
};

/// A place of a patch with the weight of a rule in s and t.
SheetSum::Node sheet_node(const EllipticPlane& plane, const SheetPatch& patch, double s, double t,
                          double weight);

}  // namespace modicum
