#include "privacy/spherical/spherical_law.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "modicum/numerics/errors.h"
#include "privacy/spherical/loss_cells.h"
#include "privacy/spherical/spherical_enclosure.h"
#include "privacy/spherical/spherical_far.h"
#include "privacy/spherical/spherical_l2_bins.h"
#include "privacy/spherical/spherical_line.h"
#include "privacy/spherical/spherical_line_bins.h"
#include "privacy/spherical/spherical_moment_line.h"
#include "privacy/spherical/spherical_tails.h"

namespace modicum {
namespace {

struct TwoSides {
  Ball above, below;
};

// |x - s| - |x| <= l exactly if x >= (s - l)/2, for x of density e^{-|x|}/2 and -s <= l < s.
TwoSides laplace_sides(const Ball& shift, double loss) {
  const Ball below = exp((Ball(loss) - shift) / 2.0) / 2.0;
  return {Ball(1.0) - below, below};
}

// How far the moments of all copies should fall along a line, and how far the whole integrand
// should at least, and must for a line to be of use (slow_decay in proved_lines.h).
constexpr double wanted_decay = 50.0, good_decay = 25.0, fair_decay = 20.5, tolerated_decay = 18.5;

// Lines are made so much higher than what is above is bounded from: nodes go a bit further up
// (line_plan.cpp).
constexpr double spare = 1.0626;

class SphericalLaw final : public LossLaw {
 public:
  explicit SphericalLaw(const SphericalPair& pair) : pair_(pair), estimate_(pair) {}

  LossTails tails(double loss, Accuracy accuracy) const override;
  double cost(Accuracy accuracy) const override;
  std::optional<LossBins> bins(const std::vector<double>& cuts) const override;
  double bin_cost(double seconds) const override;
  Enclosure support() const override;
  QuantityValue moment(const Ball& x) const override;
  // By reflection K(x) = K(-1 - x).
  double lower_moment_end() const override { return -1.0 - moment_end(); }
  double moment_end() const override;
  LossNodes nodes(double center, double height, int level) const override;
  MomentLine moment_line(const Ball& center, double height) const override;
  Ball moment_beyond(double center, double height, double count) const override;
  double line_size(double center, double height) const override;
  bool proves_quickly() const override { return falls(); }
  bool falls_soon() const override { return has_far_bound(estimate_.geometry()); }
  // Only for estimates, where no proved moments along a line are on offer.
  std::vector<UniformPart> uniform_parts(const Ball& center) const override {
    if (falls()) return {};
    return layers_of(*rule_for(center.middle(), 0.0, 0), center.middle());
  }
  std::optional<L2Noise> l2_noise() const override {
    if (!is_l2()) return {};
    return L2Noise{pair_.dimension, pair_.largest_loss};
  }
  const SphericalPair* spherical_noise() const override { return &pair_; }
  bool equals(const LossLaw& other) const override;

 private:
  // Whether there are bounds of how the moment falls along a line.
  bool falls() const { return pair_.dimension > 1.0 || falls_soon(); }
  double log_beyond(double order, double height) const;
  double log_beyond_estimate(double order, double height) const;
  bool is_l2() const { return pair_.dimension > 1.0 && pair_.bounded() && pair_.p == 1.0; }
  TwoSides sides(double loss, bool proved) const;
  SphericalTails& sorted_tails() const;  // under the lock

  // What was made for the largest order and height, and a level.
  struct KeptRule {
    double order, height;
    int level;
    std::shared_ptr<const WeightedLosses> rule;
  };
  std::shared_ptr<const WeightedLosses> rule_for(double center, double height, int level) const;
  std::shared_ptr<const SphericalMomentLine> line_for(double center, double height,
                                                      const LineUse& use = {}) const;
  double order_of(double center) const { return center < -0.5 ? -1.0 - center : center; }

  // How the moment falls along a line: beyond the end of one whose values are known.
  struct Decay {
    double center, count;
    std::shared_ptr<const SphericalMomentLine> line;
    double log_beyond, height;  // from which on
  };
  Decay decay_at(double center, double count) const;

  // About the moment, and the variance of the loss tilted by it.
  struct Tilted {
    double log_moment, variance;
  };
  Tilted tilted_at(double order) const;

  SphericalPair pair_;
  SphericalEstimate estimate_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<SphericalTails> tails_;
  mutable std::vector<KeptRule> kept_;
  mutable std::vector<std::shared_ptr<const SphericalMomentLine>> lines_;
  mutable std::vector<Decay> decays_;
};

// Orders in powers of four, so that a search for a saddle makes few rules; below the end of the
// moments.
std::shared_ptr<const WeightedLosses> SphericalLaw::rule_for(double center, double height,
                                                             int level) const {
  const double wanted = order_of(center);
  double order = std::exp2(2.0 * std::ceil(0.5 * std::log2(std::max(wanted, 1.0))));
  if (order >= moment_end()) order = wanted;
  const std::lock_guard lock(mutex_);
  for (const KeptRule& each : kept_)
    if (each.order == order && each.level == level && height <= each.height) return each.rule;
  const double up_to = height == 0.0 ? 0.0 : std::exp2(std::ceil(std::log2(height)));
  auto rule = std::make_shared<const WeightedLosses>(estimate_.rule(order, up_to, level));
  constexpr std::size_t most_kept = 12;
  if (kept_.size() >= most_kept) kept_.erase(kept_.begin());
  kept_.push_back({order, up_to, level, rule});
  return rule;
}

// Reflection exchanges z and -1 - z: the rule is for centers above -1/2, the other side has the
// losses -L with weights times e^-L.
LossNodes SphericalLaw::nodes(double center, double height, int level) const {
  if (!(std::max(center, -1.0 - center) < moment_end())) return {};
  const auto rule = rule_for(center, height, level);
  if (rule->losses.empty()) return {};
  if (center >= -0.5) return gathered(*rule, center, height);
  LossNodes result = gathered(*rule, -1.0 - center, height);
  for (std::size_t i = 0; i < result.losses.size(); ++i) {
    result.log_weights[i] -= result.losses[i];
    result.losses[i] = -result.losses[i];
  }
  return result;
}

// The smaller side is integrated, since only a small number keeps its digits; the other is its
// complement.
TwoSides SphericalLaw::sides(double loss, bool proved) const {
  if (pair_.bounded()) {
    const Ball bound = pair_.largest_loss;
    if ((bound - loss).surely_nonpositive()) return {0.0, 1.0};
    if ((bound + loss).surely_nonpositive()) return {1.0, 0.0};
    if (pair_.dimension == 1.0 && pair_.p == 1.0) return laplace_sides(bound, loss);
  }
  if (proved && pair_.dimension == 1.0) {
    const LineTails found = spherical_line_tails(pair_, estimate_.geometry(), std::abs(loss));
    if (loss < 0.0) return {Ball(1.0) - found.below, found.below};
    return {found.above, Ball(1.0) - found.above};
  }
  Side side = estimate_.smaller_side(loss);
  ScaledEstimate found = estimate_.tail(loss, side);
  if (found.log() > -0.5) {
    side = side == Side::above ? Side::below : Side::above;
    found = estimate_.tail(loss, side);
  }
  Ball smaller = found.ball();
  if (!smaller.finite()) smaller = Ball::between(0.0, 1.0);
  if (proved) smaller = enclose_spherical_tail(pair_, estimate_.geometry(), loss, side, found);
  const Ball larger = Ball(1.0) - smaller;
  return side == Side::above ? TwoSides{smaller, larger} : TwoSides{larger, smaller};
}

// P_Y[L > l] = E_X[e^{-L}; L > l] <= e^{-l} P_X[L > l], which helps where the left side is too
// small to be enclosed sharply by itself; and the same with X and Y exchanged for L <= l.
void apply_likelihood_ratio(const Ball& larger, double loss, Ball& smaller, Ball& complement) {
  const double bound = (exp(-Ball(loss)) * larger).upper();
  if (!(smaller.upper() > bound)) return;
  smaller = Ball::between(std::min(std::max(smaller.lower(), 0.0), bound), bound);
  complement = Ball(1.0) - smaller;
}

// Reflection in the middle between the centers exchanges X and Y and turns L into -L:
// P_Y[L > l] = P_X[L < -l]. The only atoms are those of the Laplace mechanism, at the ends of the
// support: at the upper end both laws count theirs as below, at the lower end as above.
LossTails SphericalLaw::tails(double loss, Accuracy accuracy) const {
  require_finite("loss", loss);
  const bool proved = accuracy == Accuracy::certified;
  const TwoSides x = sides(loss, proved), y = loss == 0.0 ? x : sides(-loss, proved);
  LossTails tails{x.above, x.below, y.below, y.above, proved ? Proof::certified : Proof::estimated};
  if (proved && loss > 0.0)
    apply_likelihood_ratio(tails.above_x, loss, tails.above_y, tails.below_y);
  if (proved && loss < 0.0)
    apply_likelihood_ratio(tails.below_y, -loss, tails.below_x, tails.above_x);
  return tails;
}

// Measured for T from 1 to 10^6.
double SphericalLaw::cost(Accuracy accuracy) const {
  if (accuracy != Accuracy::certified) return 3e-4;
  return pair_.dimension == 1.0 ? 6e-4 : 5e-3;
}

std::optional<LossBins> SphericalLaw::bins(const std::vector<double>& cuts) const {
  if (pair_.dimension == 1.0) return spherical_line_bins(estimate_.geometry(), cuts);
  if (is_l2()) return spherical_l2_bins(pair_, cuts);
  const std::lock_guard lock(mutex_);
  return sorted_tails().bins(cuts);
}

SphericalTails& SphericalLaw::sorted_tails() const {
  if (!tails_) tails_ = std::make_unique<SphericalTails>(estimate_.geometry(), support().upper());
  return *tails_;
}

double SphericalLaw::bin_cost(double seconds) const {
  if (pair_.dimension > 64.0) return infinity;
  const bool l2 = pair_.bounded() && pair_.p == 1.0;
  if (pair_.dimension == 1.0) return l2 ? infinity : 1e-6;  // Laplace noise has atoms
  const std::lock_guard lock(mutex_);
  if (l2) return 1e-6;
  constexpr double density_cost = 0.3;
  return seconds > density_cost && sorted_tails().quick() ? 1e-6 : 3e-4;
}

Enclosure SphericalLaw::support() const {
  if (!pair_.bounded()) return {-infinity, infinity};
  const double bound = pair_.largest_loss.upper();
  return {-bound, bound};
}

// The integral of f_X^{x+1} f_Y^{-x} at the pole of X: finite if (x+1) c < T.
double SphericalLaw::moment_end() const {
  if (pair_.deficit.exactly_zero()) return infinity;
  return ((Ball(pair_.alpha) + 1.0) / pair_.deficit).middle();
}

// Reflection: E_X[exp(xL)] = E_X[exp((-1-x)L)]. Between -1 and 0 it is only estimated.
QuantityValue SphericalLaw::moment(const Ball& at) const {
  const double x = at.middle(), order = order_of(require_finite("x", x));
  if (order == 0.0) return {1.0, Proof::certified};
  if (order >= moment_end()) return {Ball(infinity), Proof::certified};
  if (order > 0.0)
    if (Ball value = line_for(order, 0.0)->value(); value.finite()) return {value};
  return {estimate_.moment(order).ball(), Proof::estimated};
}

// The line that reaches high enough and no higher than needed, from the last ones made.
std::shared_ptr<const SphericalMomentLine> SphericalLaw::line_for(double order, double height,
                                                                  const LineUse& use) const {
  const std::lock_guard lock(mutex_);
  for (const auto& line : lines_)
    if (line->center() == order && height <= line->height()) return line;
  auto line = std::make_shared<const SphericalMomentLine>(estimate_.geometry(), order, height, use);
  constexpr std::size_t most_kept = 8;
  if (lines_.size() >= most_kept) lines_.erase(lines_.begin());
  lines_.push_back(line);
  return line;
}

MomentLine SphericalLaw::moment_line(const Ball& center, double height) const {
  const double order = order_of(center.middle());
  if (!falls() || !(order > 0.0 && order < moment_end())) return nullptr;
  // By reflection the values on the other side are those at -1 - z.
  const double sign = center.middle() < -0.5 ? -1.0 : 1.0;
  // Made when it is first asked for: some only ask whether there is one.
  return [this, order, height, sign,
          line = std::shared_ptr<const SphericalMomentLine>()](const Ball& y) mutable {
    if (!line) line = line_for(order, height);
    return line->at(y * sign);
  };
}

double SphericalLaw::line_size(double center, double height) const {
  return falls() ? 200.0 : LossLaw::line_size(center, height);
}

double SphericalLaw::log_beyond(double order, double height) const {
  const SphericalGeometry& geometry = estimate_.geometry();
  return falls_soon() ? spherical_far_bound(geometry, order, height)
                      : spherical_log_moment_beyond(geometry, order, height);
}

double SphericalLaw::log_beyond_estimate(double order, double height) const {
  const SphericalGeometry& geometry = estimate_.geometry();
  return falls_soon() ? spherical_far_estimate(geometry, order, height)
                      : spherical_decay_estimate(geometry, order, height);
}

// In doubles, or where there is no rule by a line.
SphericalLaw::Tilted SphericalLaw::tilted_at(double order) const {
  const LossNodes rule = nodes(order, 0.0, 0);
  if (rule.losses.empty()) {
    const auto line = line_for(order, 0.0);
    return {line->log_scale(), line->variance()};
  }
  double largest = -infinity, sum = 0.0, first = 0.0, second = 0.0;
  for (std::size_t i = 0; i < rule.losses.size(); ++i)
    largest = std::max(largest, rule.log_weights[i] + order * rule.losses[i]);
  for (std::size_t i = 0; i < rule.losses.size(); ++i) {
    const double loss = rule.losses[i];
    const double weight = std::exp(rule.log_weights[i] + order * loss - largest);
    sum += weight;
    first += weight * loss;
    second += weight * loss * loss;
  }
  return {largest + std::log(sum), std::max(0.0, second / sum - first / sum * (first / sum))};
}

// As far up as it takes for this many copies to vanish.
SphericalLaw::Decay SphericalLaw::decay_at(double order, double count) const {
  {
    const std::lock_guard lock(mutex_);
    for (const Decay& each : decays_)
      if (each.center == order && each.count == count) return each;
  }
  Decay decay{order, count, nullptr, infinity, infinity};
  const SphericalGeometry& geometry = estimate_.geometry();
  const Tilted start = tilted_at(order);
  const double unit = 1.0 / std::sqrt(std::max(start.variance, 1e-300));
  // Heights as multiples of 1.5^n; the estimate falls with them.
  const auto log_left = [&](int n) {
    const double height = 6.0 * unit * std::pow(1.5, n);
    return (log_beyond_estimate(order, height) - start.log_moment) * count;
  };
  // With the kernel 1/(z (z + 1)), and integrated over what is beyond the height.
  const auto log_rest = [&](int n) {
    return log_left(n) + std::log(order * (order + 1.0)) - std::log(6.0 * unit * std::pow(1.5, n));
  };
  // 30 units, and 100; where it falls soon, 230: the higher stretches need not be sharp.
  constexpr int near = 4;
  const int far = !falls_soon() ? 7 : 9;
  const bool soon = log_left(near) < -wanted_decay;
  const double rest = soon ? -infinity : log_rest(far);
  // With a pole the cells are many: a few copies are left to the lattice.
  const double least = falls_soon() ? fair_decay : tolerated_decay;
  const double needed = rest < -good_decay || geometry.deficit > 0.0 ? good_decay : least;
  if (rest < -needed) {
    int below = -1, above = soon ? near : far;
    while (above - below > 1) {
      const int middle = (above + below) / 2;
      const bool enough = soon ? log_left(middle) < -wanted_decay : log_rest(middle) < -needed;
      (enough ? above : below) = middle;
    }
    const double height = 6.0 * unit * std::pow(1.5, above);
    decay.height = height;
    decay.log_beyond = log_beyond(order, height);
    const auto line = line_for(order, spare * height, {count, unit});
    if (decay.log_beyond < infinity && line->value().finite()) decay.line = line;
  }
  const std::lock_guard lock(mutex_);
  if (decays_.size() >= 8) decays_.erase(decays_.begin());
  decays_.push_back(decay);
  return decay;
}

Ball SphericalLaw::moment_beyond(double center, double height, double count) const {
  const double order = order_of(center);
  if (!falls() || !(order > 0.0 && order < moment_end())) return Ball(infinity);
  const Decay decay = decay_at(order, count);
  if (!decay.line) return Ball(infinity);
  if (height >= decay.height) return exp(Ball(decay.log_beyond));
  return max(Ball(decay.line->largest_from(height)) * exp(Ball(decay.line->log_scale())),
             exp(Ball(decay.log_beyond)));
}

bool SphericalLaw::equals(const LossLaw& other) const {
  const auto* same = dynamic_cast<const SphericalLaw*>(&other);
  if (same == nullptr) return false;
  const SphericalPair &a = pair_, &b = same->pair_;
  return a.dimension == b.dimension && a.alpha == b.alpha && a.beta == b.beta && a.p == b.p &&
         a.sensitivity == b.sensitivity;
}

}  // namespace

std::shared_ptr<const LossLaw> spherical_law(double dimension, double alpha, const Precise& beta,
                                             double p, double sensitivity) {
  return std::make_shared<SphericalLaw>(SphericalPair(dimension, alpha, beta, p, sensitivity));
}

}  // namespace modicum
