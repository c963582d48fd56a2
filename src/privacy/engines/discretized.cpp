#include "privacy/engines/discretized.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "privacy/engines/part_laws.h"

namespace modicum {
namespace {

// Of the lattice: fewer where only one bound is wanted, which errs by the square of the step.
double most_points(bool only_above) { return only_above ? 0x1p18 : 0x1p20; }

// What is spent: the width of delta that is aimed at, relatively, and seconds for the distribution
// functions of all parts together.
struct Effort {
  double width, seconds;
};
Effort effort(Accuracy accuracy, bool rough, bool only_above, bool sorts) {
  if (sorts && accuracy == Accuracy::fast) return {1e-5, 0.05};
  if (sorts) return {rough ? 1e-7 : 2e-9, rough ? 0.15 : 0.5};
  if (only_above) return {1e-5, 0.04};
  if (rough) return {4e-6, 0.1};
  return accuracy == Accuracy::certified ? Effort{5e-7, 0.3} : Effort{4e-6, 0.15};
}

// Where Chernoff's bound is below this no sum is made: the bound itself, next to the mass that was
// cut off, is as good as 0.
constexpr double log_negligible = -700.0;

// A tilted measure: masses times exp(tilt * loss), divided by their sum.
struct Tilted {
  std::vector<double> losses, masses;
  double log_sum;  // what they were divided by; any number is right, the sum makes them add to 1
};

// At least the finite mass: sums in extended precision, of 2^21 numbers at most.
double mass_of(const LossMeasure& measure) {
  long double sum = 0.0L;
  for (const double mass : measure.masses) sum += mass;
  return static_cast<double>(sum) * (1.0 + 0x1p-40);
}

Tilted tilted(const LossMeasure& measure, double tilt, bool upwards) {
  Tilted result;
  double largest = -infinity;
  for (std::size_t i = 0; i < measure.losses.size(); ++i)
    if (measure.masses[i] > 0.0)
      largest = std::max(largest, std::log(measure.masses[i]) + tilt * measure.losses[i]);
  double sum = 0.0;
  for (std::size_t i = 0; i < measure.losses.size(); ++i)
    if (measure.masses[i] > 0.0)
      sum += std::exp(std::log(measure.masses[i]) + tilt * measure.losses[i] - largest);
  result.log_sum = largest + std::log(sum);
  for (std::size_t i = 0; i < measure.losses.size(); ++i) {
    if (!(measure.masses[i] > 0.0)) continue;
    // Rounding of the product, of the difference and of the exponential.
    const double product = tilt * measure.losses[i], exponent = product - result.log_sum;
    const double error = (std::abs(product) + std::abs(exponent) + 8.0) * 0x1p-52;
    const double half = std::exp(0.5 * exponent);  // the whole may overflow where the mass is tiny
    const double mass = measure.masses[i] * half * half;
    const double rounded = mass * (upwards ? 1.0 + error : 1.0 - error);
    // The least doubles are known less well.
    if (!(mass > 1e-290) && !upwards) continue;
    result.losses.push_back(measure.losses[i]);
    result.masses.push_back(upwards ? std::max(rounded, 1e-290) : rounded);
  }
  return result;
}

// A tilted measure in a few blocks, for bounds of its moments.
class TiltedBlocks {
 public:
  TiltedBlocks(const Tilted& measure, double widest) {
    for (std::size_t i = 0; i < measure.losses.size(); ++i) {
      const double loss = measure.losses[i];
      if (blocks_.empty() || loss - blocks_.back().first > widest)
        blocks_.push_back({loss, loss, 0.0});
      blocks_.back().last = loss;
      blocks_.back().mass += measure.masses[i];
    }
  }
  /// At least log E[exp(d L)], by a margin for the rounding: of 2^20 additions at most, and of
  /// d * loss.
  double log_moment(double d) const {
    double largest = -infinity, sum = 0.0, furthest = 0.0;
    for (const Block& block : blocks_) {
      largest = std::max(largest, d * end_of(block, d));
      furthest = std::max(furthest, std::abs(d * end_of(block, d)));
    }
    for (const Block& block : blocks_) sum += block.mass * std::exp(d * end_of(block, d) - largest);
    return largest + std::log(sum) + 0x1p-32 + furthest * 0x1p-50;
  }

 private:
  struct Block {
    double first, last, mass;
  };
  static double end_of(const Block& block, double d) { return d > 0.0 ? block.last : block.first; }
  std::vector<Block> blocks_;
};

// Chernoff: the tilted mass of the sum beyond an end. Moments are kept: there are many ends.
class ChernoffTails {
 public:
  ChernoffTails(const std::vector<Tilted>& measures, const std::vector<LatticeFactor>& factors,
                double deviation)
      : factors_(factors), deviation_(deviation) {
    for (std::size_t i = 0; i < measures.size(); ++i)
      blocks_.emplace_back(measures[i], deviation / (64.0 * (factors[i].count + 3.0)));
  }
  /// On the side of the sign.
  double beyond(double end, double sign) {
    std::vector<double>& moments = moments_[sign > 0.0 ? 1 : 0];
    double least = infinity, d = 0.125 / deviation_;
    for (std::size_t i = 0; d < 4096.0 / deviation_; d *= 1.5, ++i) {
      if (i == moments.size()) moments.push_back(moment(sign * d));
      const double exponent = moments[i] - sign * d * end;
      if (!(exponent <= least + 1.0)) break;  // convex in d: it only grows from here
      least = std::min(least, exponent);
    }
    return least < infinity ? std::exp(least + 0.01) : infinity;
  }

 private:
  double moment(double d) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      sum += factors_[i].count * blocks_[i].log_moment(d);
    return sum;
  }
  std::vector<TiltedBlocks> blocks_;
  const std::vector<LatticeFactor>& factors_;
  double deviation_;
  std::array<std::vector<double>, 2> moments_;
};

}  // namespace

Accuracy lattice_accuracy(const DirectedLoss& loss, Accuracy accuracy) {
  if (accuracy != Accuracy::automatic) return accuracy;
  const bool quick = std::ranges::all_of(laws_of(loss), [](const LawPart& part) {
    return part.law->bin_cost(0.0) < infinity || part.law->cost(Accuracy::certified) < 1e-4;
  });
  return quick ? Accuracy::certified : Accuracy::fast;
}

bool all_sort(const DirectedLoss& loss) {
  return !loss.upper_bound && std::ranges::all_of(laws_of(loss), [](const LawPart& part) {
    return part.law->bin_cost(0.0) < infinity;
  });
}

DiscretizedProfile::DiscretizedProfile(const DirectedLoss& loss, Accuracy accuracy)
    : laws_(laws_of(loss)), accuracy_(accuracy), only_above_(loss.upper_bound) {
  for (const LawPart& part : laws_) costs_.push_back(part.law->cost(accuracy));
  start_over();
}

void DiscretizedProfile::start_over() {
  parts_.clear();
  for (const LawPart& part : laws_)
    parts_.emplace_back(part.law, part.count, accuracy_, only_above_);
  bounds_.reset();
}

LossPartition::Moment DiscretizedProfile::moment(double tilt) const {
  LossPartition::Moment sum{0.0, 0.0, 0.0};
  for (const LossPartition& part : parts_) {
    const LossPartition::Moment own = part.moment(tilt);
    sum.value += part.count() * own.value;
    sum.mean += part.count() * own.mean;
    sum.variance += part.count() * own.variance;
  }
  return sum;
}

// The minimum over x > 0 of K(x) - s x - log(x (x + 1)), by bisection of its derivative in log x.
double DiscretizedProfile::saddle(double shift) const {
  double low = std::log(1e-8), high = std::log(1e8);
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high), x = std::exp(middle);
    const double slope = moment(x).mean - shift - 1.0 / x - 1.0 / (x + 1.0);
    (slope < 0.0 ? low : high) = middle;
  }
  return std::exp(0.5 * (low + high));
}

// So that half the points reach over twenty standard deviations of the tilted sum, and over the
// distance 38/tilt within which the weight exp(-tilt * distance) counts.
double DiscretizedProfile::finest_width(double tilt) const {
  const double spread = 40.0 * std::sqrt(std::max(moment(tilt).variance, 1e-300));
  return std::max(spread, tilt > 0.0 ? 76.0 / tilt : 0.0) / most_points(only_above_);
}

// Of a law that sorts all cuts are made anew, of others so many are added.
long DiscretizedProfile::rough_cuts(const LossPartition& part, long added) {
  if (!part.sorts()) return added;
  return part.sorts_quickly() ? 500 : 48;
}

// Range, tilt and a first partition depend on each other: a few rounds settle them.
void DiscretizedProfile::settle(double shift) {
  const bool sorts = std::ranges::all_of(parts_, &LossPartition::sorts);
  const double seconds = effort(accuracy_, rough_, only_above_, sorts).seconds;
  for (LossPartition& part : parts_) part.allow(seconds / static_cast<double>(parts_.size()));
  if (!bounds_ && kept_.empty())
    for (LossPartition& part : parts_) {
      part.cover(1e-20, 0.0);
      part.refine(0.0, 1e-3, finest_width(0.0), rough_cuts(part, 60));
    }
  for (int round = 0; round < 8; ++round) {
    const double before = tilt_;
    tilt_ = saddle(shift);
    const double log_delta =
        std::min(0.0, moment(tilt_).value - tilt_ * shift - 2.0 * std::log1p(tilt_));
    const double tail = std::exp(std::max(log_delta - 30.0, -690.0));
    bool wider = false;
    for (LossPartition& part : parts_) {
      wider = part.cover(tail, tilt_) || wider;
      part.refine(tilt_, 1e-3, finest_width(0.0), rough_cuts(part, 100));
    }
    if (!wider && std::abs(tilt_ - before) < 0.02 * tilt_) break;
  }
}

// As for bent paths, by the leading term at the saddle point, from the bins alone.
EpsilonGuess DiscretizedProfile::epsilon_guess(double delta) {
  const PrecisionScope scope(128);
  double shift = 1.0, slope = 1.0;
  for (int round = 0; round < 3; ++round) {
    settle(shift);
    double low = std::log(1e-8), high = std::log(1e8);
    for (int i = 0; i < 40; ++i) {
      const double middle = 0.5 * (low + high), c = std::exp(middle);
      const LossPartition::Moment at = moment(c);
      shift = at.mean - 1.0 / c - 1.0 / (c + 1.0);
      const double curvature = at.variance + 1.0 / (c * c) + 1.0 / ((c + 1.0) * (c + 1.0));
      const double log_delta = at.value - shift * c - std::log(c * (c + 1.0)) -
                               0.5 * std::log(2.0 * std::numbers::pi * curvature);
      (log_delta > std::log(delta) ? low : high) = middle;
      slope = c;
    }
  }
  return {shift, slope};
}

void DiscretizedProfile::prepare(double shift) {
  const PrecisionScope scope(128);
  settle(shift);
  negligible_ = moment(tilt_).value - tilt_ * shift < log_negligible;
  const bool sorts = std::ranges::all_of(parts_, &LossPartition::sorts);
  const Effort allowed =
      negligible_ ? Effort{1.0, 0.0} : effort(accuracy_, rough_, only_above_, sorts);
  // Bins this narrow would be enough everywhere; the lattice need not be finer.
  double copies = 0.0;
  for (const LossPartition& part : parts_) copies += part.count();
  const double narrow = std::sqrt(2.0 * allowed.width / copies) / (1.0 + tilt_);
  const bool atoms = !only_above_ && std::ranges::any_of(parts_, &LossPartition::has_atoms);
  const double finest = std::max(finest_width(tilt_), atoms ? 0.0 : narrow);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const double share = allowed.seconds / static_cast<double>(parts_.size());
    if (parts_[i].sorts()) {
      const double cuts = std::clamp(share / laws_[i].law->bin_cost(share), 200.0, 3e5);
      parts_[i].refine(tilt_, allowed.width / static_cast<double>(parts_.size()), finest,
                       static_cast<long>(cuts));
      continue;
    }
    const double budget = std::clamp(share / costs_[i], 40.0, 2e4);
    // Some cuts for another shift, even when all are spent.
    const double evaluations = std::max(budget - parts_[i].size(), 0.1 * budget);
    parts_[i].refine(tilt_, allowed.width / static_cast<double>(parts_.size()), finest,
                     static_cast<long>(evaluations));
  }
  step_ = infinity;
  for (const LossPartition& part : parts_) step_ = std::min(step_, part.spacing());
  prepared_at_ = shift;
  bounds_.reset();
  if (!(std::abs(shift) < 0x1p60 * step_)) return;  // no lattice reaches so far
  bounds_.emplace();
  if (!only_above_) bounds_->lower = sum_up(shift, false);
  bounds_->upper = sum_up(shift, true);
}

DiscretizedProfile::Bound DiscretizedProfile::sum_up(double shift, bool dominating) const {
  std::vector<Tilted> measures;
  std::vector<LatticeFactor> factors;
  Bound bound{};
  bound.tilt = tilt_;
  bound.step = step_;
  bound.total = 1.0 + 1e-6;
  Ball excess = 1.0;  // over 1 of the finite mass of all parts: rounding upwards adds some
  for (const LossPartition& part : parts_) {
    const LossMeasure measure = dominating ? part.dominating() : part.dominated();
    bound.infinite += Ball(measure.infinite) * Ball(part.count());
    excess *= exp(Ball(part.count()) * log(max(Ball(mass_of(measure)), Ball(1.0))));
    Tilted own = tilted(measure, tilt_, dominating);
    bound.log_scale += Ball(part.count()) * Ball(own.log_sum);
    bound.total *= std::exp(part.count() * TiltedBlocks(own, infinity).log_moment(0.0));
    LatticeFactor factor{{{}, own.masses}, part.count()};
    for (const double loss : own.losses)
      factor.measure.places.push_back(static_cast<long>(std::llround(loss / step_)));
    factors.push_back(std::move(factor));
    measures.push_back(std::move(own));
  }
  bound.infinite *= excess;
  // Read from a little below the shift up to where the weight exp(-tilt * distance) or the mass
  // has vanished. Mass from above the window's end comes back below the shift first, so that one
  // window's length beyond the start it must have vanished; likewise on the other side.
  const double deviation = std::sqrt(std::max(moment(tilt_).variance, step_ * step_));
  ChernoffTails tails(measures, factors, deviation);
  const auto beyond = [&](double end, double sign) { return tails.beyond(end, sign); };
  const double start = std::floor((shift - 1.1 / tilt_) / step_) * step_;
  if (negligible_) {
    bound.sum.first = std::lround(start / step_);
    bound.above_used = bound.wrapped_around = bound.total;
    return bound;
  }
  double reach = 38.0 / tilt_;
  while (reach > 4.0 * deviation && beyond(start + 0.5 * reach, 1.0) < 1e-18) reach *= 0.5;
  double size = 16.0;
  while (size * step_ < 2.0 * reach && size < most_points(only_above_)) size *= 2.0;
  for (;; size *= 2.0) {
    bound.used = static_cast<std::size_t>(std::min(0.5 * size, std::ceil(reach / step_)));
    bound.wrapped_around = std::min(
        bound.total, beyond(start + size * step_, 1.0) +
                         beyond(start + (static_cast<double>(bound.used) - size) * step_, -1.0));
    bound.above_used = beyond(start + static_cast<double>(bound.used) * step_, 1.0);
    const bool enough = size * step_ >= 2.0 * reach && bound.wrapped_around < 1e-12;
    if (enough || size >= most_points(only_above_)) break;
  }
  bound.sum = lattice_sum(factors, std::lround(start / step_), static_cast<std::size_t>(size));
  return bound;
}

// exp(K(c) - c s) * sum of tilted mass * exp(-c (l - s)) (1 - exp(s - l)) over l > s.
DiscretizedProfile::Weighed DiscretizedProfile::weigh(const Bound& bound, double shift,
                                                      bool upwards) {
  const double tilt = bound.tilt;
  const auto weight = [tilt](double distance) {
    return std::exp(-tilt * distance) * -std::expm1(-distance);
  };
  const double largest = weight(std::log1p(1.0 / tilt));
  const auto used = static_cast<long>(bound.used), start = bound.sum.first;
  const auto distance = [&](long i) { return static_cast<double>(start + i) * bound.step - shift; };
  const double end = used > 0 ? distance(used - 1) : 0.0;
  // e^{-tilt d} and e^{-(tilt + 1) d} from point to point by a product, afresh in every block.
  constexpr long block = 32;
  const double first_ratio = std::exp(-tilt * bound.step),
               second_ratio = std::exp(-(tilt + 1.0) * bound.step);
  long double sum = 0.0L, size = 0.0L, squares = 0.0L;
  long i = 0;
  while (i < used && !(distance(i) > 0.0)) ++i;
  while (i < used) {
    const double from = distance(i);
    double first = std::exp(-tilt * from), second = std::exp(-(tilt + 1.0) * from);
    double block_sum = 0.0, block_size = 0.0, block_squares = 0.0;
    for (const long stop = std::min(used, i + block); i < stop; ++i) {
      const double mass = bound.sum.mass[static_cast<std::size_t>(i)], w = first - second;
      block_sum += mass * w;
      block_size += std::abs(mass);
      block_squares += w * w;
      first *= first_ratio;
      second *= second_ratio;
    }
    sum += block_sum;
    size += block_size;
    squares += block_squares;
  }
  // Rounding: of the transforms; of the weights, whose distance is known to |shift| 2^-53 and whose
  // two parts, at most 1, to 3 units a product, some for the first and the exponent (x e^{-x} < 1).
  const double rounding =
      bound.sum.error * static_cast<double>(std::sqrt(squares)) * (1.0 + 0x1p-40) +
      static_cast<double>(size) *
          (largest * (1.0 + tilt) * (1.0 + std::abs(shift)) * 0x1p-50 + 0x1p-44);
  // Beyond the points in use: there the weights fall, or none was in use at all.
  const double rest = std::min(bound.total * (tilt * end > 1.0 ? weight(end) : largest),
                               bound.above_used * largest);
  const Ball scale = exp(bound.log_scale - Ball(tilt) * Ball(shift));
  const Ball total = Ball(static_cast<double>(sum));
  const double unseen = upwards ? rounding + rest : rounding + largest * bound.wrapped_around;
  const double share = sum > 0.0L ? unseen / static_cast<double>(sum) : infinity;
  if (upwards) return {scale * (total + Ball(unseen)) + bound.infinite, share};
  return {max(scale * (total - Ball(unseen)), Ball(0.0)), share};
}

bool DiscretizedProfile::BothBounds::reach(double shift) const {
  return (!lower || static_cast<double>(lower->sum.first) * lower->step <= shift) &&
         static_cast<double>(upper.sum.first) * upper.step <= shift;
}

DiscretizedProfile::Weighed DiscretizedProfile::BothBounds::at(double shift) const {
  const PrecisionScope scope(128);
  const Weighed above = weigh(upper, shift, true);
  if (!lower) return above;
  const Ball both = hull(weigh(*lower, shift, false).value, above.value);
  return {both, relative_width(both)};
}

Proof DiscretizedProfile::proof() const {
  Proof proof = Proof::certified;
  for (const LossPartition& part : parts_) proof = weaker_of(proof, part.proof());
  return proof;
}

// Whether sums made for another shift say about as much here as they did there. How far an upper
// bound is above the truth is not seen; its bins are right for tilts close to theirs.
bool DiscretizedProfile::serves(double shift, double width) const {
  if (std::abs(shift - prepared_at_) * tilt_ <= 1.0) return true;
  if (negligible_ || !(width <= (only_above_ ? 1e-7 : 1.25 * width_))) return false;
  if (!only_above_) return true;
  const double tilt = saddle(shift);
  return tilt > 0.8 * tilt_ && tilt < 1.25 * tilt_;
}

QuantityValue DiscretizedProfile::at(double shift) {
  if (bounds_ && bounds_->reach(shift)) {
    const Weighed found = bounds_->at(shift);
    if (serves(shift, found.width)) return {found.value, proof()};
  }
  // Bins made for a far tail are too narrow for a lattice that is to reach over the bulk.
  if (bounds_ && saddle(shift) < 0.25 * tilt_) start_over();
  prepare(shift);
  if (!bounds_) return {Ball::between(0.0, 1.0), Proof::certified};
  const Weighed found = bounds_->at(shift);
  width_ = found.width;
  return {found.value, proof()};
}

QuantityValue DiscretizedProfile::roughly(double shift, double width) {
  for (const BothBounds& each : kept_) {
    if (!each.reach(shift)) continue;
    const Ball value = each.at(shift).value;
    if (value.upper() - value.lower() <= width) return {value, proof()};
  }
  rough_ = true;
  const QuantityValue result = at(shift);
  if (!bounds_) return result;
  kept_.push_back(*bounds_);
  BothBounds& last = kept_.back();
  if (last.lower) last.lower->sum.mass.resize(last.lower->used);
  last.upper.sum.mass.resize(last.upper.used);
  return result;
}

}  // namespace modicum
