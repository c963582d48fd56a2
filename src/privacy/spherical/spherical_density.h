// The density of the loss of spherical noise without a pole, p > 1, in two dimensions and more: a
// polynomial on each of some hundred pieces, with proven errors, for the masses of a million bins
// (docs/derivations/spherical.md).
#pragma once

#include <array>
#include <map>
#include <vector>

#include "privacy/spherical/spherical_level.h"

namespace modicum {

class SphericalDensity {
 public:
  /// The geometry must outlive this.
  explicit SphericalDensity(const SphericalGeometry& geometry) : levels_(geometry) {}
  /// Whether it is for such noise: without a pole, p > 1.
  static bool covers(const SphericalGeometry& geometry) {
    return geometry.dimension > 1.0 && geometry.deficit == 0.0 && geometry.p > 1.0;
  }

  /// Makes pieces up to a loss > 0. False where too many would be needed.
  bool reach(double end);

  /// What was found between two losses: mass under X and mass under Y times e^left, and how far
  /// they may be off. There may be more that was not found, never less.
  struct Mass {
    double x = 0.0, y = 0.0, error = 0.0;
  };
  /// For intervals in turn, each right of the one before.
  class Sweep {
   public:
    explicit Sweep(const SphericalDensity& density) : density_(density) {}
    Mass between(double left, double right);

   private:
    const SphericalDensity& density_;
    std::size_t piece_ = 0;
  };
  /// Losses below `end`, ends of pieces, at which the mass up to the end has fallen by some factor
  /// each: at most about 64, from 0 on.
  std::vector<double> checkpoints(double end) const;

 private:
  static constexpr std::size_t degree = 16;
  using Values = std::array<double, degree>;
  // A polynomial between two losses, as a sum of so many Chebyshev polynomials.
  struct Piece {
    double left, right;
    Values coefficients{};
    double bound = 0.0;  // of what it stands for, within twice the half width of each loss
    double error = 0.0;
    double middle() const { return 0.5 * (left + right); }
    double half() const { return 0.5 * (right - left); }
    double at(double loss) const;
    void interpolate(const Values& values);
  };
  bool make(double left);
  bool drops(const SphericalLevels::Cell& cell, const SphericalLevels::Bound& bound,
             double typical) const;
  Piece along(const SphericalLevels::Cell& cell, const SphericalLevels::Bound& bound) const;
  void join(std::vector<Piece> parts);
  double typical_density(double loss);
  static Mass within(const Piece& piece, double left, double right, double origin);

  SphericalLevels levels_;
  std::vector<Piece> pieces_;
  std::map<double, double> typical_;
  double end_ = 0.0, width_ = 0.0;  // multiples of a power of two
  long cells_ = 0;
  bool failed_ = false;
};

}  // namespace modicum
