#include "privacy/engines/proved_path.h"

#include <algorithm>
#include <cmath>

#include "privacy/engines/path_walk.h"

namespace modicum {
namespace {

constexpr double widest_path = 1e-3;   // wider ones are left to other engines
constexpr double wide_enough = 3e-10;  // narrower ones are good enough
// Nodes of contours: about a tenth of a second where a proof should be cheap, and half a second.
constexpr double cheap_nodes = 6e4, nodes_allowed = 3e5;

// Deltas so small that doubles know no saddle point, by Chernoff's bound: at the best of some
// points by doubles.
std::optional<QuantityValue> chernoff_if_negligible(const DirectedLoss& loss, double shift) {
  const LossMoment moment(loss);
  double best = 0.0, least = std::log(1e-100);
  for (double x = 64.0; x < 1e5; x *= 2.0) {
    const double bound = static_cast<double>(moment.jet(x).value) - x * shift + x * std::log(x) -
                         (x + 1.0) * std::log1p(x);
    if (!(bound < least)) continue;
    least = bound;
    best = x;
  }
  if (best == 0.0) return std::nullopt;
  const QuantityValue bound = profile_bound(loss, best, shift);
  if (!(bound.value.upper() < 1e-100)) return std::nullopt;
  return QuantityValue{Ball::between(0.0, bound.value.upper()), bound.proof};
}

}  // namespace

std::optional<ProvedPath> ProvedPath::through(const DirectedLoss& loss, double shift,
                                              Accuracy accuracy) {
  const LossMoment moment(loss);
  PathWalk::Effort effort{-28.0, accuracy == Accuracy::certified ? nodes_allowed : cheap_nodes};
  auto path = PathWalk(loss, moment, shift, effort).path();
  // Where the integrand cancels, what is left out has to be smaller.
  if (!path || path->width() <= wide_enough || !(path->width() < 1.0)) return path;
  effort.log_left_out -= std::log(path->width() / wide_enough) + 1.0;
  auto finer = PathWalk(loss, moment, shift, effort).path();
  return finer && finer->width() < path->width() ? finer : path;
}

Ball ProvedPath::integral(double shift) const {
  const double sigma = reversed_ ? -shift : shift, moved = sigma - (reversed_ ? -home_ : home_);
  if (!(sigma >= least_sigma_)) return Ball::between(0.0, infinity);
  // What is turned and added up in doubles is known to 2^-48 of its size and of its exponent, that
  // to 2^-58.
  const Ball tilt = slope_ - Ball(sigma);
  const long double slope = to_long_double(tilt);
  const double direction = 1.0 + rise_;
  long double sum = 0.0L;
  double rounding = 0.0;
  for (const Node& node : nodes_) {
    const auto exponent = static_cast<double>(node.along * slope);
    const double size = std::exp(exponent), turn = exponent * rise_;
    sum += size * (node.value.real() * std::sin(turn) + node.value.imag() * std::cos(turn));
    const double unsure = 0x1p-48 + 0x1p-50 * direction * std::abs(exponent);
    rounding += size * (node.error + std::abs(node.value) * unsure);
  }
  Ball error = rounding * (1.0 + 0x1p-30);
  for (const LeftOut& part : left_out_)
    error += exp(Ball(part.log_size) +
                 max(Ball(-moved) * Ball(part.low), Ball(-moved) * Ball(part.high)));
  const Ball scale = exp(log_scale_ - Ball(shift) * Ball(center_)) / Ball::pi();
  return Ball(static_cast<double>(sum)).widened(error) * scale;
}

namespace {

// Where log B is known to a few units of the last place (q close to 1 leaves B next to 0), and the
// contour, log(1/q)/mu long, has some thousand nodes at most.
bool is_tame(const SampledShift& step) { return step.rate <= 0.98 && step.mu.high >= 5e-3; }

}  // namespace

ProvedPaths::ProvedPaths(const DirectedLoss& loss) : paths_(loss, wide_enough) {
  bool forward = false, reversed = false, sampled = true;
  for (const LawPart& part : loss.laws) {
    const auto shift = part.law->sampled_shift();
    sampled = sampled && shift.has_value() && is_tame(*shift);
    if (shift) (shift->reversed ? reversed : forward) = true;
  }
  provable_ = sampled && forward != reversed && loss.gaussian.is_pure_shift();
}

std::optional<QuantityValue> ProvedPaths::at(double shift, Accuracy accuracy) {
  if (!provable_) return std::nullopt;
  const PrecisionScope scope(96);
  const Proof proof = loss().gaussian.proof();
  if (auto value = paths_.known(shift)) return QuantityValue{*std::move(value), proof};
  // Close by it would be in vain, too.
  const bool cheap = accuracy != Accuracy::certified;
  if (cheap && std::ranges::any_of(in_vain_, [&](double before) {
        return std::abs(shift - before) <= 0.5 * std::abs(before);
      }))
    return std::nullopt;
  auto path = ProvedPath::through(loss(), shift, accuracy);
  if (path && path->width() <= widest_path)
    return QuantityValue{paths_.add(*std::move(path)), proof};
  auto bound = chernoff_if_negligible(loss(), shift);
  if (!bound && cheap) in_vain_.push_back(shift);
  return bound;
}

}  // namespace modicum
