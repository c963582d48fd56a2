// A privacy loss known by its distribution, not by a closed form of K: what a mechanism offers to
// the discretized engine (discretized.h) and to the line integral.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "modicum/numerics/precise.h"
#include "modicum/privacy/accuracy.h"
#include "numerics/contour.h"
#include "privacy/laws/loss_bins.h"
#include "privacy/quantity_value.h"

namespace modicum {

/// Probabilities of {L > l} and {L <= l} under X and under Y, both given that L is finite under X:
/// the measure of Y is exp(-L) times that of X. An atom at l itself may be counted on either side,
/// but on the same one under X and Y.
struct LossTails {
  Ball above_x, below_x, above_y, below_y;
  Proof proof = Proof::certified;

  /// That of the kernel (numerics/contour.h) at the loss, where scale is exp(loss).
  Ball quantity(Kernel kernel, const Ball& scale) const;

  static LossTails all_above() { return {Ball(1.0), Ball(0.0), Ball(1.0), Ball(0.0)}; }
  static LossTails all_below() { return {Ball(0.0), Ball(1.0), Ball(0.0), Ball(1.0)}; }
  static LossTails unknown() {
    const Ball any = Ball::between(0.0, 1.0);
    return {any, any, any, any};
  }
};

/// A quadrature rule: E_X[g(L)] is about the sum of exp(log_weight) * g(loss).
struct LossNodes {
  std::vector<double> losses, log_weights;
};

/// E_X[exp((center + iy) L)] along a line, with a proof.
using MomentLine = std::function<ComplexBall(const Ball& y)>;

/// K(c + d) - K(c) - d K'(c) of one copy, and what rounding and quadrature may change of it.
struct ExpansionValue {
  std::complex<double> value;
  double error;
};

/// K of one copy beside a real center c, in doubles, however far the path leaves the line Re z = c.
class LawExpansion {
 public:
  virtual ~LawExpansion() = default;
  /// K and its derivatives at the center; `uncertainty` is the error of the value.
  virtual Jet center() const = 0;
  virtual ExpansionValue at(std::complex<double> displacement) const = 0;
  /// Of the law tilted to the center: the mass that is further than this from its mean.
  virtual double mass_beyond(double distance) const = 0;
  /// Of the tilted law, where it has two modes: the smaller one. Along a path the two meet in phase
  /// and out of phase, so that e^K falls and rises again.
  struct Mode {
    double mass = 0.0, distance = 0.0, variance = 0.0;  // none; distance from the mean of all

    /// About log(|e^K without the mode| + |that of it|) at c + d, less the tangent, where e^K has
    /// the real part `real`. The mode is taken to fall nearly as fast as a Gaussian one.
    double envelope(std::complex<double> d, double real) const;
  };
  virtual Mode smaller_mode() const = 0;
};

/// Poisson-sampled N(0, 1) against its shift by mu: E_X[e^{zL}] = Integral of phi(t) B(t)^a dt with
/// B(t) = 1 - q + q e^{mu t - mu^2/2}, a = z + 1; reversed, a = -z.
struct SampledShift {
  Precise mu;
  double rate;
  bool reversed = false;
};

/// Poisson-sampled noise of density exp(-|x|)/2 against its shift by `range`: L = log(1 - q + q g)
/// with g from exp(-range) to exp(range), both of them atoms.
struct SampledLaplace {
  Precise range;
  double rate;
  bool reversed = false;
};

/// Noise of density exp(-r) in two dimensions and more, r the distance from the center: losses up
/// to `range`, the distance of the centers (docs/derivations/spherical.md).
struct L2Noise {
  double dimension;
  Ball range;
};

struct SphericalPair;

/// A value of a loss and its mass under X.
struct LossValue {
  Ball loss, mass;
};
inline constexpr std::size_t few_values = 2000;

/// A uniform law that is part of another: mass * Uniform of this width, somewhere.
struct UniformPart {
  double mass = 0.0, width = 0.0;
};

/// The law of L = log dX/dY. Immutable; shared between the copies of a loss.
class LossLaw {
 public:
  virtual ~LossLaw() = default;

  /// Whether there are such X and Y. Else L only bounds the loss in distribution under X: exp(-L)
  /// has a mean below 1, and nothing about the other direction follows from this one.
  virtual bool is_pair() const { return true; }

  /// E_X[(1 - exp(epsilon - L))_+] of a single copy, where it is known better than from the tails.
  virtual std::optional<QuantityValue> profile(double, Accuracy) const { return {}; }
  /// With `certified` a proof; else it may be an estimate, marked so.
  virtual LossTails tails(double loss, Accuracy accuracy) const = 0;
  /// Of a pair that a reflection exchanges: proved masses of the bins between these cuts, which
  /// rise from 0. None where it is not on offer, or fails.
  virtual std::optional<LossBins> bins(const std::vector<double>&) const { return {}; }
  /// About how long that takes for each of many cuts, if so many seconds may be spent in all;
  /// infinite where it is not on offer.
  virtual double bin_cost(double /*seconds*/) const { return infinity; }
  /// About how long tails() take in seconds.
  virtual double cost(Accuracy accuracy) const = 0;
  /// Contains every finite loss; each end is within 2^-50 of the truth, relatively, or infinite.
  virtual Enclosure support() const = 0;
  /// Losses with positive probability, about; a table has nothing else and leaves them out.
  virtual std::vector<double> atoms() const { return {}; }
  virtual bool is_discrete() const { return false; }
  /// The largest loss, where it has a mass.
  virtual std::optional<LossValue> largest_value() const {
    const std::vector<LossValue> all = values();
    return all.empty() ? std::nullopt : std::optional(all.back());
  }
  /// Of a law with few values: all of them, rising; else none.
  virtual std::vector<LossValue> values() const { return {}; }
  /// E_X[exp(x L)], infinite at and beyond an end of the strip where it exists.
  virtual QuantityValue moment(const Ball& x) const = 0;
  /// E_X[L], where there is a better way than the slope of the moment.
  virtual std::optional<Ball> mean() const { return {}; }
  /// The open interval of the x at which the moment is finite.
  virtual double lower_moment_end() const { return -infinity; }
  virtual double moment_end() const { return infinity; }
  /// A rule for E_X[exp(z L)] at z = center + iy, |y| <= height; each level doubles its nodes.
  /// Empty where none is on offer: the loss is then discretized.
  virtual LossNodes nodes(double center, double height, int level) const = 0;
  /// For a moment that is entire and falls along a bent path, for this many copies; else none.
  virtual std::unique_ptr<LawExpansion> expand(double, double) const { return nullptr; }
  virtual bool expands() const { return false; }
  /// Where the law is of this form.
  virtual std::optional<SampledShift> sampled_shift() const { return {}; }
  virtual std::optional<SampledLaplace> sampled_laplace() const { return {}; }
  virtual std::optional<L2Noise> l2_noise() const { return {}; }
  virtual const SphericalPair* spherical_noise() const { return nullptr; }
  /// Usable for |y| <= height, as long as the law is there; none where no proof is on offer.
  virtual MomentLine moment_line(const Ball&, double) const { return nullptr; }
  /// The same in less time, to thirteen digits or so; none where there is no such way.
  virtual MomentLine quick_moment_line(const Ball&) const { return nullptr; }
  /// Disjoint uniform parts of the law tilted by exp(center * L), proved: the tilted moment at
  /// height y is at most 1 - sum of mass (1 - |sinc(width y / 2)|).
  virtual std::vector<UniformPart> uniform_parts(const Ball&) const { return {}; }
  /// At least |E_X[exp((center + iy) L)]| for all |y| >= height > 0, proved, and small enough for
  /// this many copies if that can be; infinite where it is not on offer.
  virtual Ball moment_beyond(double, double, double) const { return Ball(infinity); }
  /// About how many numbers are added up for one value on a line up to the height; 0 where no line
  /// is on offer.
  virtual double line_size(double center, double height) const {
    return static_cast<double>(nodes(center, height, 0).losses.size());
  }
  /// Whether moments along a line take no longer with a proof than without.
  virtual bool proves_quickly() const { return false; }
  /// Whether the moment of a few copies falls so soon along a line that a lattice is no better.
  virtual bool falls_soon() const { return false; }
  /// The law of the sum of so many independent copies, where it is known as well as that of one.
  virtual std::shared_ptr<const LossLaw> copies(double) const { return nullptr; }
  /// The same mechanism with the same parameters, so that counts may be added.
  virtual bool equals(const LossLaw& other) const = 0;
};

/// Horizontal layers of a density that is given along a parameter t growing with the loss: pieces
/// on which it is surely at least so high, in one interval around the highest.
std::vector<UniformPart> layers_under(const std::function<Ball(const Ball& t)>& density,
                                      const std::function<Ball(const Ball& t)>& loss, double from,
                                      double to);

/// What values offer to sums beside other parts: the rule is exact.
LossNodes nodes_of(const std::vector<LossValue>& values);
MomentLine line_of(const std::vector<LossValue>& values, const Ball& center);

/// (Y, X) for (X, Y): the law of -L under Y. Throws InvalidParameter where there is no pair.
std::shared_ptr<const LossLaw> reversed(std::shared_ptr<const LossLaw> law);

}  // namespace modicum
