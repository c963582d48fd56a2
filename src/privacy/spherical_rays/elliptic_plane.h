// The plane of two centers in elliptic coordinates: a point whose distances from them are
//   r1 = step/2 (cosh mu - cos nu),  r2 = step/2 (cosh mu + cos nu),  mu >= 0, 0 <= nu <= pi.
// The half nu <= pi/2 is that of X. Of complex mu and nu, too, the loss is an analytic function but
// at the center of X, mu = nu = 0 (docs/derivations/spherical.md#the-moved-plane).
#pragma once

#include <cmath>
#include <complex>

#include "privacy/spherical/spherical_pair.h"

namespace modicum {

/// A bound of a logarithm, with what doubles may have lost.
inline double raised(double log_bound) { return log_bound + 1e-6 * (1.0 + std::abs(log_bound)); }

/// A function of two variables at a place, with its derivatives.
struct PlaneJet {
  using Complex = std::complex<double>;
  Complex value, x, y, xx, xy, yy;
};

/// The whole plane; or in one dimension, where there is no angle, the axis beyond the center of X
/// (nu = 0), or that between the centers (mu = 0).
enum class PlanePart { whole, beyond, between };

class EllipticPlane {
 public:
  using Complex = std::complex<double>;

  static constexpr double right_angle = 1.5707963267948966;

  explicit EllipticPlane(const SphericalGeometry& geometry) : geometry_(geometry) {}

  /// gap = cosh mu - cos nu, sum = cosh mu + cos nu, near = k r1^p, far = k r2^p, lost = far -
  /// near, u = log(r2/r1).
  struct Place {
    Complex cosh, sinh, cos, sin, gap, sum, log_radius, u, near, far, lost, loss;
    double loss_rounding, weight_rounding;  ///< in units of the last place
  };
  /// mu and nu are known to so many units of the last place; arg(gap) is about `turned`.
  Place place_at(const Complex& mu, const Complex& nu, double place_units = 0.0,
                 double turned = 0.0) const;
  /// The logarithm of the density of mu and nu but for sinh(mu)^a sin(nu)^b.
  Complex log_weight(const Place& at) const;
  /// The loss, and this.
  struct Jets {
    PlaneJet loss, log_weight;
    /// Sizes of the terms that first and second derivatives of the loss are sums of: they cancel
    /// for p close to 1.
    double slope_terms, bend_terms;
  };
  Jets jets_at(const Place& at) const;
  struct Powers {
    double sinh, sin;
  };
  Powers powers(PlanePart part) const;

  /// How much these change at most where mu and nu move by so much; infinite where a radius may
  /// vanish.
  struct Change {
    double loss, log_weight, sinh, sin, radii;  ///< radii: relatively, of the one that changes more
  };
  Change change_within(const Place& at, double by_mu, double by_nu) const;

  /// Whether within such a change no radius vanishes, nor is negative: logarithms have one branch.
  static bool keeps_branch(const Place& at, const Change& change);

  /// mu where the loss has its least value on the axis beyond X; infinite if nowhere.
  double turning_place() const;
  /// At least the logarithm of the integral of |exp(zL)|, Re z = order >= -1, over real places
  /// beyond mu, or within a rectangle at the center of X (without a pole), and over their mirror
  /// images.
  double log_mass_beyond(double mu, double order) const;
  double log_mass_at_center(double mu, double nu, double order) const;

  const SphericalGeometry& geometry() const { return geometry_; }
  bool flat() const { return geometry_.dimension == 1.0; }
  bool pole() const { return geometry_.deficit > 0.0; }

 private:
  double radius_power() const;

  const SphericalGeometry& geometry_;
};

}  // namespace modicum
