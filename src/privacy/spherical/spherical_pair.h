// Spherical generalized gamma noise and its copy shifted by the sensitivity, in the units in which
// everything about their privacy loss is computed.
//
// Radii are measured in units of (k/beta)^{1/p}, k = (alpha+1)/p, where x = log R has its mode: x
// has the density exp(log_density + k (p x - (e^{px} - 1))), and with c = T - 1 - alpha the loss is
//   L = c y/p + k e^{px} (e^y - 1),     y = p log(r2/r1),
// r1 = e^x and r2 the distances to the two centers, which lie `step` apart.
#pragma once

#include <optional>
#include <vector>

#include "modicum/numerics/precise.h"
#include "numerics/ball.h"

namespace modicum {

struct SphericalPair {
  /// dimension T >= 1 whole, -1 < alpha <= T - 1, the others positive; else InvalidParameter.
  SphericalPair(double dimension, double alpha, const Precise& beta, double p, double sensitivity);

  double dimension, alpha;
  Precise beta;
  double p, sensitivity;
  Ball shape;            ///< k
  Ball deficit;          ///< c, exactly zero where there is no pole
  Ball step;             ///< sensitivity in the units above
  Ball log_density;      ///< log of the density of x at 0
  Ball log_angle_scale;  ///< log B(1/2, (T-1)/2), which normalizes (1 - w^2)^{(T-3)/2}
  Ball largest_loss;     ///< beta s^p, the bound of |L| for c = 0 and p <= 1

  bool bounded() const { return deficit.exactly_zero() && p <= 1.0; }
};

/// y = p log(r2/r1), and how many units of rounding it is uncertain by.
struct ShiftEstimate {
  double y, noise;
};

/// A cosine w, 1 + w with its own digits, and how many units of rounding they are uncertain by.
struct Cosine {
  double value, above_minus_one, noise;
};

/// log(r1 / step) from `from` to `to`: radii so close to the step that the shift may be tiny.
struct PoleWindow {
  double from, to;
};

/// The same in doubles, with the geometry of the event {L > l}.
class SphericalGeometry {
 public:
  explicit SphericalGeometry(const SphericalPair& pair);

  double dimension, p, shape, deficit, step, log_density, log_angle_scale;

  /// y with c y/p + k e^{px} (e^y - 1) = loss; minus infinity if even y = -infinity exceeds it.
  ShiftEstimate solve_shift(double x, double loss) const;
  /// The cosine above which L > loss at log radius x: may lie outside [-1, 1].
  Cosine cosine(double x, double loss) const;
  /// The same at x = log(step) + offset, with 1 + w to full relative accuracy.
  Cosine cosine_near_pole(double offset, double loss) const;
  /// The loss where r1 = e^x and r2 = r1 e^u.
  double loss_at(double x, double u) const;
  /// log of the density of x, and its derivative.
  double log_density_at(double x) const;
  double log_density_slope(double x) const;
  /// The x on the given side of the mode where the density is exp(-drop) of its maximum.
  double where_density_drops(double drop, double side) const;
  /// Where the cosine crosses -1 or 1 within (low, high), sorted. At most three places.
  std::vector<double> crossings(double low, double high, double loss) const;
  /// About how far rounding may have moved a crossing.
  double crossing_error(double x, double loss) const;
  /// For a negative loss, the radii around the other center from which it can be reached, if these
  /// form a narrow window of their own.
  std::optional<PoleWindow> pole_window(double loss) const;

 private:
  /// log radius where the largest loss stops falling; infinite if it never does.
  double turning_point() const;
  double log_ratio(double x, double sign) const;
  double grown(double x, double q, double u) const;
  /// The loss at cosine `sign`.
  double extreme_loss(double x, double sign) const;
};

/// e^y - 1 - y
double expm1_minus(double y);

}  // namespace modicum
