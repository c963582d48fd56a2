// The one currency: the privacy loss of a dominating pair (X with the record, Y without it).
//
// Every mechanism describes itself by this object; delta, epsilon, trade-off curves, Renyi
// divergences, composition and calibration are written once, against it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "modicum/numerics/precise.h"
#include "modicum/privacy/gaussian_spectrum.h"

namespace modicum {

/// A loss that is +epsilon or -epsilon: P_X[+epsilon] = e^epsilon / (1 + e^epsilon). Randomized
/// response, and the dominating pair of every pure epsilon-private mechanism.
struct TwoPointPart {
  Precise epsilon;
  double count;
};

/// The Laplace mechanism: range = sensitivity / scale is the largest loss. Atoms at both ends, a
/// density between them.
struct LaplacePart {
  Precise range;
  double count;
};

class LossLaw;

/// A loss known by its distribution alone: subsampled and spherical noise, tables.
struct LawPart {
  std::shared_ptr<const LossLaw> law;
  double count;
};

/// L = log dX/dY under X, a sum of independent parts.
struct DirectedLoss {
  GaussianSpectrum gaussian;
  std::vector<TwoPointPart> two_points;
  std::vector<LaplacePart> laplaces;
  std::vector<LawPart> laws;
  Precise infinite_mass;           ///< P_X[L = infinity] = P_Y[L = -infinity]
  bool mutually_singular = false;  ///< L is infinite always
  bool upper_bound = false;        ///< the true loss may be smaller: no lower end of delta holds

  bool is_gaussian() const { return two_points.empty() && laplaces.empty() && laws.empty(); }
  void add(const DirectedLoss& other);
  DirectedLoss repeated(double count) const;
};

class PrivacyLoss {
 public:
  PrivacyLoss() = default;  ///< releases nothing

  /// Forward is (X, Y).
  static PrivacyLoss gaussian(const GaussianSpectrum& spectrum);
  /// Two laws without common support: delta = 1 for every epsilon.
  static PrivacyLoss mutually_singular();
  /// epsilon >= 0.
  static PrivacyLoss two_point(const Precise& epsilon);
  static PrivacyLoss laplace(const Precise& range);
  /// `reverse` is the law of -L under Y; the same object as `forward` for a symmetric pair.
  static PrivacyLoss law(std::shared_ptr<const LossLaw> forward,
                         std::shared_ptr<const LossLaw> reverse);
  /// Infinite loss with probability `delta` in [0, 1), in each direction; else none.
  static PrivacyLoss infinite_with_probability(double delta);
  static PrivacyLoss infinite_with_probability(const Precise& forward, const Precise& reverse);

  /// Independent composition, and adaptive composition with parameters fixed in advance.
  void compose(const PrivacyLoss& other);
  PrivacyLoss repeated(double count) const;

  /// The same loss, with copies of one law as a single law. Empty where there is anything else, or
  /// where the law of their sum is not known by itself.
  std::optional<PrivacyLoss> with_copies_joined() const;

  /// The same, known to dominate the truth but not to be attained.
  PrivacyLoss as_upper_bound() const;
  bool is_upper_bound() const { return forward_.upper_bound || reverse_.upper_bound; }

  const DirectedLoss& forward() const { return forward_; }
  const DirectedLoss& reverse() const { return reverse_; }
  /// Whether both directions are known to have the same law.
  bool is_symmetric() const;

 private:
  PrivacyLoss(DirectedLoss forward, DirectedLoss reverse);
  DirectedLoss forward_, reverse_;
};

}  // namespace modicum
