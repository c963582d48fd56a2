#include "privacy/engines/bent_path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "privacy/engines/loss_moment.h"

namespace modicum {
namespace {

using Complex = std::complex<double>;

Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// K beside a center: all parts of the loss.
class CompositeExpansion {
 public:
  CompositeExpansion(const DirectedLoss& loss, const LossMoment& moment, double center)
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
  double center() const { return center_; }
  const Jet& jet() const { return jet_; }
  // K(c + d) - K(c) - d K'(c) and its error.
  ExpansionValue at(Complex d) const {
    ExpansionValue sum{gaussian_->at(d, 0.0L), 0.0};
    sum.error = 4.0 * ulp * std::abs(sum.value);
    for (const Law& law : laws_) {
      const ExpansionValue own = law.expansion->at(d);
      sum.value += law.count * own.value;
      sum.error += law.count * (own.error + ulp * std::abs(own.value));
    }
    for (const Atomic& part : atomic_) {
      const LogMomentValue own = part.moment->at(center_ + d);
      const double first = static_cast<double>(part.jet.first);
      sum.value += own.value - static_cast<double>(part.jet.value) - first * d;
      sum.error += 4.0 * ulp * (std::abs(own.value) + std::abs(first * d) + own.rounding);
    }
    return sum;
  }

 private:
  struct Law {
    std::unique_ptr<LawExpansion> expansion;
    double count;
  };
  struct Atomic {
    const AtomicMoment* moment;
    Jet jet;
  };
  double center_;
  std::unique_ptr<Expansion> gaussian_;
  std::vector<Law> laws_;
  std::vector<Atomic> atomic_;
  Jet jet_;
};

// What the integral on a line through c adds up to the quantity, and with which sign: the kernel is
// written as a/z + b/(z+1), and the line may have passed its poles.
struct Residues {
  double at_zero, at_minus_one;  // a, b
  double sign;                   // quantity = sign * integral + constant + tilted * e^s
  double constant, tilted;
};
Residues residues_of(Kernel kernel, double c) {
  switch (kernel) {
    case Kernel::profile:
      return {1.0, -1.0, 1.0, c < 0.0 ? 1.0 : 0.0, c < -1.0 ? -1.0 : 0.0};
    case Kernel::upper_tail:
      return {1.0, 0.0, 1.0, c < 0.0 ? 1.0 : 0.0, 0.0};
    case Kernel::lower_tail:
      return {1.0, 0.0, -1.0, c < 0.0 ? 0.0 : 1.0, 0.0};
    case Kernel::tilted_upper:
      return {0.0, 1.0, 1.0, 0.0, c < -1.0 ? 1.0 : 0.0};
    case Kernel::tilted_lower:
      break;
  }
  return {0.0, 1.0, -1.0, 0.0, c < -1.0 ? 0.0 : 1.0};
}

constexpr double first_step = 0.4, log_small = -42.0, highest_climb = 30.0, longest = 60.0;
constexpr int finest_level = 6;

}  // namespace

// K at the nodes z(u) = c + side * h (cosh u - 1) + 2 i h sinh u, u = 0, step, 2 step, ...
class BentPath {
 public:
  struct Estimate {
    Ball value;
    double relative_error;
  };

  // Empty if the integrand does not fall.
  static std::unique_ptr<BentPath> through(CompositeExpansion expansion, double shift,
                                           double scale) {
    auto path = std::unique_ptr<BentPath>(new BentPath(std::move(expansion), shift, scale));
    if (!path->choose_side(shift)) return nullptr;
    // As fine as this shift needs it.
    for (int level = 0; level < finest_level; ++level) {
      path->halve();
      if (level > 0 && path->fine_enough(shift)) break;
    }
    return path;
  }

  // The shift it was made for: close ones are served best.
  double home() const { return home_; }

  Estimate at(double shift, Kernel kernel) const {
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

 private:
  BentPath(CompositeExpansion expansion, double shift, double scale)
      : expansion_(std::move(expansion)), home_(shift), scale_(scale) {}

  struct Node {
    Complex d, derivative;
    Complex beyond;  // K(c + d) less its tangent
    double error;
    int level;  // at which halving it came
  };
  // Of Im(integrand * z'): all nodes, those of twice and of four times the step.
  struct Sums {
    double all = 0.0, half = 0.0, quarter = 0.0;
    double error = 0.0;  // rounding, and what lies beyond the end
  };

  Node node_at(double u, double side, int level) const {
    const double s = std::sinh(u), c = std::cosh(u);
    Node node{{side * scale_ * s * s / (c + 1.0), 2.0 * scale_ * s},
              {side * scale_ * s, 2.0 * scale_ * c},
              {},
              0.0,
              level};
    const ExpansionValue value = expansion_.at(node.d);
    node.beyond = value.value;
    node.error = value.error;
    return node;
  }

  double log_size(const Node& node, double shift) const {
    const Complex z = expansion_.center() + node.d;
    const double slope = static_cast<double>(expansion_.jet().first - shift);
    return node.beyond.real() + slope * node.d.real() - 0.5 * std::log(std::norm(z)) -
           0.5 * std::log(std::norm(z + 1.0)) + std::log(std::abs(node.derivative));
  }

  // Walks along both sides, and straight up: the first along which the integrand falls without
  // having climbed.
  bool choose_side(double shift) {
    struct Walk {
      double side;
      std::vector<Node> nodes;
      double peak = 0.0, start = 0.0;
      bool falls = false, hopeless = false;
    };
    std::array<Walk, 3> walks{Walk{1.0, {}}, Walk{-1.0, {}}, Walk{0.0, {}}};
    const auto advance = [&](Walk& walk) {
      const double u = first_step * static_cast<double>(walk.nodes.size());
      walk.nodes.push_back(node_at(u, walk.side, 0));
      const double size = log_size(walk.nodes.back(), shift);
      if (walk.nodes.size() == 1) walk.start = size;
      walk.peak = std::max(walk.peak, size - walk.start);
      const bool known = std::isfinite(size) && walk.nodes.back().error < 1.0;
      walk.falls = size - walk.start < log_small;
      if (!walk.falls && (!known || walk.peak > highest_climb)) walk.hopeless = true;
    };
    const auto take = [&](Walk& walk) {
      side_ = walk.side;
      end_ = first_step * static_cast<double>(walk.nodes.size() - 1);
      nodes_ = std::move(walk.nodes);
      step_ = first_step;
      return true;
    };
    // Many copies fall soon straight up, where K is cheapest.
    Walk& up = walks[2];
    while (!up.falls && !up.hopeless && up.nodes.size() < 8) advance(up);
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

  void halve() {
    const auto last = static_cast<long>(std::lround(end_ / step_));
    ++level_;
    for (long k = 0; k < last; ++k)
      nodes_.push_back(node_at((static_cast<double>(k) + 0.5) * step_, side_, level_));
    step_ /= 2.0;
  }

  Sums sum(double shift, const Residues& residues) const {
    const double c = expansion_.center();
    const double slope = static_cast<double>(expansion_.jet().first - shift);
    Sums sums;
    double far = 0.0;
    for (const Node& node : nodes_) {
      const Complex z = c + node.d, exponent = node.beyond + slope * node.d;
      const Complex kernel = residues.at_zero / z + residues.at_minus_one / (z + 1.0);
      const double size = std::exp(exponent.real());
      const Complex value{size * std::cos(exponent.imag()), size * std::sin(exponent.imag())};
      const Complex term = times(times(value, kernel), node.derivative);
      const bool first = node.d.imag() == 0.0;
      const double part = first ? 0.5 * term.imag() : term.imag(), length = std::abs(term);
      sums.all += part;
      if (node.level < level_) sums.half += part;
      if (node.level < level_ - 1) sums.quarter += part;
      sums.error += length * (node.error +
                              ulp * (8.0 + std::abs(exponent.real()) + std::abs(exponent.imag()) +
                                     2.0 * std::abs(slope * node.d)));
      if (node.level == 0) far = length;  // the last of these is the end of the path
    }
    // The integrand falls faster and faster: what is left is less than twice a first step of this.
    sums.error += 2.0 * far * first_step / step_;
    return sums;
  }

  // As for spectra (contour.cpp): e is the larger of the last change and the square of the one
  // before, and e^1.25 is claimed; a change at the level of the rounding ends the matter.
  static double claimed(const Sums& sums) {
    const double last = std::abs(sums.all - 2.0 * sums.half) / std::abs(sums.all);
    const double before = std::abs(2.0 * sums.half - 4.0 * sums.quarter) / std::abs(sums.all);
    if (last * std::abs(sums.all) < sums.error) return last;
    const double e = std::max(last, before * before);
    return e * std::sqrt(std::sqrt(e));
  }
  bool fine_enough(double shift) const {
    const Sums sums = sum(shift, residues_of(Kernel::profile, expansion_.center()));
    const double change = claimed(sums);
    return change < 1e-13 || change * std::abs(sums.all) < sums.error;
  }

  CompositeExpansion expansion_;
  double home_, scale_, side_ = 0.0, end_ = 0.0, step_ = first_step;
  int level_ = 0;
  std::vector<Node> nodes_;
};

namespace {

// The center of a path for tails: where K(x) - s x - log|x (x+1)| is least, between the poles or
// beyond one of them, as the means of the loss under X and Y say.
std::optional<double> center_for(const LossMoment& moment, double shift, Kernel kernel) {
  double low = 0.0, high = 0.0;
  if (kernel == Kernel::profile || shift >= static_cast<double>(moment.jet(0.0L).first)) {
    const auto saddle = find_saddle(moment, shift, Kernel::profile);
    if (!saddle) return std::nullopt;
    return saddle->point;
  }
  if (shift <= static_cast<double>(moment.jet(-1.0L).first)) {
    const auto saddle = find_saddle(moment, shift, Kernel::tilted_lower);
    if (!saddle) return std::nullopt;
    return saddle->point;
  }
  low = -1.0;
  for (int i = 0; i < 12; ++i) {
    const double x = 0.5 * (low + high);
    const double slope =
        static_cast<double>(moment.jet(x).first) - shift - 1.0 / x - 1.0 / (x + 1.0);
    (slope < 0.0 ? low : high) = x;
  }
  return 0.5 * (low + high);
}

}  // namespace

BentPaths::BentPaths(DirectedLoss loss)
    : loss_(std::move(loss)), moment_(std::make_unique<LossMoment>(loss_)) {}
BentPaths::~BentPaths() = default;

bool has_bent_paths(const DirectedLoss& loss) {
  return !loss.laws.empty() &&
         std::ranges::all_of(loss.laws, [](const LawPart& part) { return part.law->expands(); });
}

std::unique_ptr<BentPath> BentPaths::make_path(double shift, Kernel kernel) const {
  const LossMoment& moment = *moment_;
  const std::optional<double> center = center_for(moment, shift, kernel);
  if (!center) return nullptr;
  CompositeExpansion expansion(loss_, moment, *center);
  const double c = *center;
  const double curvature =
      static_cast<double>(expansion.jet().second) + 1.0 / (c * c) + 1.0 / ((c + 1.0) * (c + 1.0));
  const double poles = c > 0.0 ? c : c < -1.0 ? -1.0 - c : std::min(-c, c + 1.0);
  const double ends = std::min(moment.upper_end() - c, c - moment.lower_end());
  const double scale = std::min({1.0 / std::sqrt(curvature), poles, ends});
  if (!(scale > 0.0) || !std::isfinite(static_cast<double>(expansion.jet().uncertainty)))
    return nullptr;
  return BentPath::through(std::move(expansion), shift, scale);
}

std::optional<QuantityValue> BentPaths::at(double shift, Kernel kernel) {
  constexpr double enough = 1e-12, worthless = 1e-7;
  constexpr std::size_t most_kept = 64;
  std::optional<BentPath::Estimate> best;
  const auto consider = [&](const BentPath& path) {
    BentPath::Estimate estimate = path.at(shift, kernel);
    if (!best || estimate.relative_error < best->relative_error) best = std::move(estimate);
  };
  const auto nearest = std::ranges::min_element(
      paths_, {}, [&](const auto& path) { return std::abs(path->home() - shift); });
  if (nearest != paths_.end()) consider(**nearest);
  if (!best || !(best->relative_error < enough)) {
    if (auto path = make_path(shift, kernel)) {
      consider(*path);
      if (paths_.size() == most_kept) paths_.erase(paths_.begin());
      paths_.push_back(std::move(path));
    }
  }
  if (!best || !(best->relative_error < worthless)) return std::nullopt;
  return QuantityValue{best->value, Proof::estimated};
}

double epsilon_guess(const DirectedLoss& loss, double delta) {
  const LossMoment moment(loss);
  // Each center c = e^v is the saddle point of one shift; delta falls as c grows.
  struct Place {
    double shift, excess;
  };
  const auto place = [&](double v) -> Place {
    const double c = std::exp(v);
    const Jet jet = moment.jet(c);
    const double shift = static_cast<double>(jet.first) - 1.0 / c - 1.0 / (c + 1.0);
    const double curvature =
        static_cast<double>(jet.second) + 1.0 / (c * c) + 1.0 / ((c + 1.0) * (c + 1.0));
    return {shift, static_cast<double>(jet.value) - shift * c - std::log(c * (c + 1.0)) -
                       0.5 * std::log(2.0 * std::numbers::pi * curvature) - std::log(delta)};
  };
  double low = 0.0, high = 0.0;
  Place at_low = place(low), at_high = at_low;
  while (at_high.excess > 0.0 && high < 12.0) {
    low = high, at_low = at_high;
    at_high = place(high += 1.0);
  }
  while (at_low.excess <= 0.0 && low > -12.0) {
    high = low, at_high = at_low;
    at_low = place(low -= 1.0);
  }
  if (!(at_low.excess > 0.0 && at_high.excess <= 0.0)) return -1.0;
  for (int i = 0; i < 4; ++i) {
    const double middle =
        low +
        (high - low) * std::clamp(at_low.excess / (at_low.excess - at_high.excess), 0.05, 0.95);
    const Place at = place(middle);
    if (std::abs(at.excess) < 0.01) return at.shift;
    if (at.excess > 0.0) low = middle, at_low = at;
    else high = middle, at_high = at;
  }
  return 0.5 * (at_low.shift + at_high.shift);
}

namespace {

template <class Part>
bool same_parts(const std::vector<Part>& a, const std::vector<Part>& b, Precise Part::*parameter) {
  return std::ranges::equal(a, b, [&](const Part& x, const Part& y) {
    return x.*parameter == y.*parameter && x.count == y.count;
  });
}

// As far as paths go: what is finite.
bool same_loss(const DirectedLoss& a, const DirectedLoss& b) {
  const OffDiagonal &e = a.gaussian.off_diagonal(), &f = b.gaussian.off_diagonal();
  return std::ranges::equal(a.laws, b.laws,
                            [](const LawPart& x, const LawPart& y) {
                              return x.count == y.count && x.law == y.law;
                            }) &&
         same_parts(a.two_points, b.two_points, &TwoPointPart::epsilon) &&
         same_parts(a.laplaces, b.laplaces, &LaplacePart::range) &&
         std::ranges::equal(a.gaussian.components(), b.gaussian.components(),
                            [](const SpectrumComponent& x, const SpectrumComponent& y) {
                              return x.excess == y.excess && x.mean_square == y.mean_square &&
                                     x.multiplicity == y.multiplicity;
                            }) &&
         e.with_record == f.with_record && e.without_record == f.without_record;
}

}  // namespace

BentPaths& paths_of(const DirectedLoss& loss) {
  constexpr std::size_t most_kept = 8;
  thread_local std::vector<std::unique_ptr<BentPaths>> kept;  // the last one asked for comes last
  const auto known =
      std::ranges::find_if(kept, [&](const auto& paths) { return same_loss(paths->loss(), loss); });
  if (known != kept.end()) {
    std::rotate(known, known + 1, kept.end());
  } else {
    if (kept.size() == most_kept) kept.erase(kept.begin());
    kept.push_back(std::make_unique<BentPaths>(loss));
  }
  return *kept.back();
}

}  // namespace modicum
