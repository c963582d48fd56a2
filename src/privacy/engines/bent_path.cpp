#include "privacy/engines/bent_path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "numerics/complex_functions.h"

namespace modicum {
namespace {

using Complex = std::complex<double>;

constexpr double first_step = 0.4, log_small = -42.0, highest_climb = 30.0, longest = 60.0,
                 longest_leaning = 14.0;
constexpr int finest_level = 6;

}  // namespace

CompositeExpansion::CompositeExpansion(const DirectedLoss& loss, const LossMoment& moment,
                                       double center)
    : center_(center), gaussian_(moment.gaussian().expand(center)) {
  jet_ = moment.gaussian().jet(center);
  for (const LawPart& part : loss.laws) {
    laws_.push_back({part.law->expand(center, part.count), part.count});
    jet_ += laws_.back().expansion->center().scaled(part.count);
  }
  for (const auto& part : moment.atomic()) {
    if (dynamic_cast<const LawMoment*>(part.get()) != nullptr) continue;
    const Jet own = part->jet(center);
    atomic_.push_back({part.get(), own});
    jet_ += own;
  }
}

CompositeExpansion::Value CompositeExpansion::at(Complex d) const {
  ExpansionValue sum{gaussian_->at(d, 0.0L), 0.0};
  sum.error = 4.0 * ulp * std::abs(sum.value);
  double envelope = sum.value.real(), turning = 0.0;
  for (const Law& law : laws_) {
    const ExpansionValue own = law.expansion->at(d);
    sum.value += law.count * own.value;
    sum.error += law.count * (own.error + ulp * std::abs(own.value));
    const LawExpansion::Mode mode = law.expansion->smaller_mode();
    const double most = mode.envelope(d, own.value.real());
    envelope += law.count * most;
    if (law.count * (most - own.value.real()) > 1e-8)
      turning = std::max(turning, std::abs(mode.distance));
  }
  for (const Atomic& part : atomic_) {
    const LogMomentValue own = part.moment->at(center_ + d);
    const double first = static_cast<double>(part.jet.first);
    sum.value += own.value - static_cast<double>(part.jet.value) - first * d;
    sum.error += 4.0 * ulp * (std::abs(own.value) + std::abs(first * d) + own.rounding);
    if (d.real() != 0.0)
      envelope += static_cast<double>(part.moment->jet(center_ + d.real()).value - part.jet.value -
                                      part.jet.first * d.real());
  }
  return {sum, envelope, turning};
}

double CompositeExpansion::atomic_deviation() const {
  double variance = 0.0;
  for (const Atomic& part : atomic_) variance += static_cast<double>(part.jet.second);
  return std::sqrt(variance);
}

double CompositeExpansion::mass_beyond(double distance) const {
  double sum = 0.0;
  for (const Law& law : laws_) sum += law.count * law.expansion->mass_beyond(distance);
  for (const Atomic& part : atomic_)  // Chebyshev's inequality for each copy
    if (part.moment->range() > distance)
      sum += static_cast<double>(part.jet.second) / (distance * distance);
  return sum;
}

// What the integral on a line through c adds up to the quantity, and with which sign: the line may
// have passed poles of the kernel.
struct BentPath::Residues {
  Complex Node::*kernel;
  double sign;  // quantity = sign * integral + constant + tilted * e^s
  double constant, tilted;
};

BentPath::Residues BentPath::residues_of(Kernel kernel, double c) {
  switch (kernel) {
    case Kernel::profile:
      return {&Node::both, 1.0, c < 0.0 ? 1.0 : 0.0, c < -1.0 ? -1.0 : 0.0};
    case Kernel::upper_tail:
      return {&Node::zero, 1.0, c < 0.0 ? 1.0 : 0.0, 0.0};
    case Kernel::lower_tail:
      return {&Node::zero, -1.0, c < 0.0 ? 0.0 : 1.0, 0.0};
    case Kernel::tilted_upper:
      return {&Node::minus_one, 1.0, 0.0, c < -1.0 ? 1.0 : 0.0};
    case Kernel::tilted_lower:
      break;
  }
  return {&Node::minus_one, -1.0, 0.0, c < -1.0 ? 0.0 : 1.0};
}

BentPath::BentPath(CompositeExpansion expansion, double shift, double scale)
    : BentPath(std::move(expansion), shift, {0.0, scale, 2.0, first_step}) {}

BentPath::BentPath(CompositeExpansion expansion, double shift, const PathShape& shape)
    : expansion_(std::move(expansion)),
      home_(shift),
      scale_(shape.scale),
      rise_(shape.rise),
      step_(shape.step),
      coarsest_(shape.step) {}

std::unique_ptr<BentPath> BentPath::through(CompositeExpansion expansion, double shift,
                                            double scale) {
  auto path = std::unique_ptr<BentPath>(new BentPath(std::move(expansion), shift, scale));
  if (!path->choose_side(shift)) return nullptr;
  path->halve();
  path->refine(shift);
  return path;
}

std::unique_ptr<BentPath> BentPath::leaning(CompositeExpansion expansion, double shift,
                                            const PathShape& shape) {
  // The sums of twice and of four times the step tell the error.
  PathShape coarse = shape;
  coarse.step *= 4.0;
  auto path = std::unique_ptr<BentPath>(new BentPath(std::move(expansion), shift, coarse));
  if (!path->lean(shift)) return nullptr;
  path->halve();
  path->refine(shift);
  return path;
}

// Until more nodes are of no use.
void BentPath::refine(double shift) {
  while (level_ < finest_level) {
    halve();
    if (fine_enough(shift)) break;
  }
  home_error_ = at(shift, Kernel::profile).relative_error;
}

BentPath::Estimate BentPath::at(double shift, Kernel kernel) const {
  const Residues residues = residues_of(kernel, expansion_.center());
  const Sums sums = sum(shift, residues);
  const double factor = step_ / std::numbers::pi;
  const Jet& jet = expansion_.jet();
  const long double exponent = jet.value - static_cast<long double>(shift) * expansion_.center();
  const double size = std::abs(sums.all);
  const double known = claimed(sums) + ulp * 8.0 + sums.error / size +
                       static_cast<double>(2.0L * jet.uncertainty +
                                           0x1p-62L * (jet.magnitude + std::abs(exponent) +
                                                       std::abs(shift * expansion_.center())));
  const PrecisionScope scope(96);
  const double high = static_cast<double>(exponent);
  const Ball scale = exp(Ball(high) + Ball(static_cast<double>(exponent - high)));
  const Ball integral = Ball(residues.sign * sums.all * factor) * scale;
  Ball value = integral;
  if (residues.constant != 0.0) value += Ball(residues.constant);
  if (residues.tilted != 0.0) value += Ball(residues.tilted) * exp(Ball(shift));
  if (!(size > 0.0) || !std::isfinite(known) || !value.midpoint().surely_positive())
    return {value, infinity};
  const Ball error = abs(integral) * Ball(known);
  const double relative = (error / value.midpoint()).upper();
  return {value.widened(error), relative};
}

BentPath::Node BentPath::node_at(double u, double side, int level) const {
  const double s = std::sinh(u), c = std::cosh(u);
  Node node{};
  node.d = {side * scale_ * s * s / (c + 1.0), rise_ * scale_ * s};
  const Complex derivative{side * scale_ * s, rise_ * scale_ * c};
  const Complex z = expansion_.center() + node.d;
  node.zero = derivative / z;
  node.minus_one = derivative / (z + 1.0);
  node.both = node.zero / (z + 1.0);
  node.distance = std::abs(node.d);
  node.speed = std::abs(derivative);
  const CompositeExpansion::Value value = expansion_.at(node.d);
  node.beyond = value.beyond.value;
  node.error = value.beyond.error;
  node.envelope = value.envelope;
  node.turning = value.turning;
  node.level = level;
  return node;
}

double BentPath::log_size(const Node& node, double beyond, double shift) const {
  const double slope = static_cast<double>(expansion_.jet().first - shift);
  return beyond + slope * node.d.real() + std::log(std::abs(node.both));
}

// A dip is no end: two modes out of phase are in phase again at twice the height. The integrand has
// fallen where it stays low beyond that.
struct BentPath::Fall {
  std::size_t nodes = 0;  // up to the first that is low
  double height = 0.0;

  bool is_for_good(const Node& node, std::size_t number, bool low) {
    if (!low) nodes = 0;
    else if (nodes == 0) nodes = number, height = node.d.imag();
    return low && node.d.imag() >= 2.5 * height;
  }
};

void BentPath::end_after(std::size_t nodes) {
  nodes_.resize(nodes);
  end_ = coarsest_ * static_cast<double>(nodes - 1);
}

// Whether neighbors so far apart see every place where atoms, as wide as 1/deviation, or modes let
// the integrand rise again.
bool BentPath::resolves(const Node& node, double step) const {
  const double turning = std::max(expansion_.atomic_deviation(), node.turning / std::numbers::pi);
  return step * node.speed * turning <= 1.0;
}

// Walks along both sides, and straight up: the first along which the integrand falls, for good,
// without having climbed.
bool BentPath::choose_side(double shift) {
  struct Walk {
    double side;
    std::vector<Node> nodes;
    double peak = 0.0, start = 0.0;
    Fall fall{};
    bool falls = false, hopeless = false;
  };
  std::array<Walk, 3> walks{Walk{1.0, {}}, Walk{-1.0, {}}, Walk{0.0, {}}};
  const auto advance = [&](Walk& walk) {
    const double u = first_step * static_cast<double>(walk.nodes.size());
    const Node& node = walk.nodes.emplace_back(node_at(u, walk.side, 0));
    const double size = log_size(node, node.beyond.real(), shift);
    if (walk.nodes.size() == 1) walk.start = size;
    walk.peak = std::max(walk.peak, size - walk.start);
    const bool below = log_size(node, node.envelope, shift) - walk.start < log_small;
    const bool resolved =
        (below && walk.fall.nodes > 0) || resolves(node, std::ldexp(first_step, -finest_level));
    const bool known = std::isfinite(size) && node.error < 1.0, low = below && resolved;
    walk.falls = walk.fall.is_for_good(node, walk.nodes.size(), low);
    if (!low && (!known || !resolved || walk.peak > highest_climb)) walk.hopeless = true;
  };
  const auto take = [&](Walk& walk) {
    side_ = walk.side;
    nodes_ = std::move(walk.nodes);
    end_after(walk.fall.nodes);
    return true;
  };
  // Many copies fall soon straight up, where K is cheapest.
  Walk& up = walks[2];
  while (!up.falls && !up.hopeless && (up.nodes.size() < 8 || up.fall.nodes > 0)) advance(up);
  if (up.falls && up.peak < 1.0) return take(up);
  for (double u = 0.0; u < longest; u += first_step) {
    bool walking = false;
    for (Walk& walk : walks) {
      if (walk.falls || walk.hopeless) continue;
      advance(walk);
      walking = true;
      if (walk.falls && walk.peak < 1.0) return take(walk);
    }
    if (!walking) break;
  }
  Walk* best = nullptr;
  for (Walk& walk : walks)
    if (walk.falls && (best == nullptr || walk.peak < best->peak)) best = &walk;
  return best != nullptr && take(*best);
}

// Lays the coarsest nodes as far as the integrand counts.
bool BentPath::lean(double shift) {
  side_ = 1.0;
  leans_ = true;
  double start = 0.0;
  Fall fall{};
  for (double k = 0.0; k * coarsest_ < longest_leaning; k += 1.0) {
    const Node& node = nodes_.emplace_back(node_at(k * coarsest_, side_, 0));
    const double size = log_size(node, node.beyond.real(), shift);
    if (k == 0.0) start = size;
    const bool below = log_size(node, node.envelope, shift) - start < log_small;
    const bool resolved =
        (below && fall.nodes > 0) || resolves(node, std::ldexp(coarsest_, -finest_level));
    const bool low = below && resolved;
    if (!low && !(node.error < 1.0 && size - start <= highest_climb && resolved)) return false;
    if (fall.is_for_good(node, nodes_.size(), low)) {
      end_after(fall.nodes);
      return true;
    }
  }
  return false;
}

void BentPath::halve() {
  const auto last = static_cast<long>(std::lround(end_ / step_));
  ++level_;
  for (long k = 0; k < last; ++k)
    nodes_.push_back(node_at((static_cast<double>(k) + 0.5) * step_, side_, level_));
  step_ /= 2.0;
}

BentPath::Sums BentPath::sum(double shift, const Residues& residues) const {
  const double slope = static_cast<double>(expansion_.jet().first - shift);
  Sums sums;
  double far = 0.0;
  for (const Node& node : nodes_) {
    const Complex exponent = node.beyond + slope * node.d;
    const Complex term = times(exponential(exponent), node.*residues.kernel);
    const bool first = node.d.imag() == 0.0;
    const double part = first ? 0.5 * term.imag() : term.imag(), length = size_of(term);
    sums.all += part;
    sums.length += length;
    if (node.level < level_) sums.half += part;
    if (node.level < level_ - 1) sums.quarter += part;
    sums.error +=
        length * (node.error + ulp * (8.0 + std::abs(exponent.real()) + std::abs(exponent.imag()) +
                                      2.0 * std::abs(slope) * node.distance));
    // The last of these is the end of the path.
    if (node.level == 0) far = length * std::exp(node.envelope - node.beyond.real());
  }
  // The envelope falls faster and faster: what is left is less than twice a coarsest step of this.
  sums.error += 2.0 * far * coarsest_ / step_;
  return sums;
}

// A change at the level of the rounding ends the matter. On a path that leans the integrand falls
// on all paths beside it, too, and halving the step squares the error: as for spectra (contour.cpp)
// e is the larger of the last change and the square of the one before, and e^1.25 is claimed.
// Straight up it turns ever faster, nodes far out add up to something like noise, and the error
// falls more slowly: less is claimed, and no power of a change that did not shrink.
double BentPath::claimed(const Sums& sums) const {
  // Losses that the nodes around the center, the closest of all, see at random phases, or at always
  // the same one, which no change tells.
  const double distance = std::numbers::pi / (step_ * rise_ * scale_);
  return std::max(change_of(sums),
                  expansion_.mass_beyond(distance) * sums.length / std::abs(sums.all));
}

double BentPath::change_of(const Sums& sums) const {
  const double last = std::abs(sums.all - 2.0 * sums.half) / std::abs(sums.all);
  const double before = std::abs(2.0 * sums.half - 4.0 * sums.quarter) / std::abs(sums.all);
  // A change may be small by accident: straight up the one before has a say, too.
  if (last * std::abs(sums.all) < sums.error)
    return leans_ ? last : std::max(last, std::pow(before, 1.6));
  if (!(last <= before * std::sqrt(before))) return 8.0 * std::max(last, before);
  return leans_ ? std::pow(std::max(last, before * before), 1.25)
                : std::pow(std::max(last, std::pow(before, 1.6)), 1.1);
}

bool BentPath::fine_enough(double shift) const {
  const auto coarse = nodes_.begin() + std::lround(end_ / coarsest_) + 1;
  if (!std::all_of(nodes_.begin(), coarse, [&](const Node& node) { return resolves(node, step_); }))
    return false;
  const Sums sums = sum(shift, residues_of(Kernel::profile, expansion_.center()));
  const double change = claimed(sums);
  return change < 1e-13 || change * std::abs(sums.all) < sums.error;
}

}  // namespace modicum
