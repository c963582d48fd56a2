// The profile of any finite loss by the trapezium rule on a straight line, with proven bounds for
// discretization and truncation; for losses with too many atoms the integrand does not decay, and
// a vanishing Gaussian loss is composed with it (docs/derivations/atoms.md):
//
//   D(w) = profile of the loss composed with a Gaussian of mu = w,
//   D(w) - e^{w^2/2} (D(2w) - D(w))  <=  D(0)  <=  D(w).
#include <algorithm>
#include <cmath>

#include "numerics/precise_ball.h"
#include "privacy/engines/chernoff_bounds.h"
#include "privacy/engines/engine.h"
#include "privacy/engines/estimated_line.h"
#include "privacy/engines/kept_for.h"
#include "privacy/engines/proved_lines.h"

namespace modicum {
namespace {

// What may be left of the integrand when the nodes run out: anything.
constexpr double anything = infinity;

std::optional<QuantityValue> kept_value(const DirectedLoss& loss, double shift, Accuracy accuracy) {
  const auto value = accuracy == Accuracy::certified
                         ? kept_for<KeptLines<ProvedLine>>(loss).known(shift)
                         : kept_for<KeptLines<EstimatedLine>>(loss).known(shift);
  if (!value) return std::nullopt;
  return QuantityValue{*value,
                       accuracy == Accuracy::certified ? loss.gaussian.proof() : Proof::estimated};
}

std::optional<QuantityValue> integrate(const DirectedLoss& loss, double shift, Accuracy accuracy,
                                       double tolerated) {
  const LossMoment moment(loss);
  auto plan = LinePlan::make(loss, moment, shift, accuracy, tolerated);
  if (!plan) return std::nullopt;
  if (accuracy == Accuracy::certified)
    return QuantityValue{
        kept_for<KeptLines<ProvedLine>>(loss).add(ProvedLine(*std::move(plan), moment, shift)),
        loss.gaussian.proof()};
  return QuantityValue{
      kept_for<KeptLines<EstimatedLine>>(loss).add(EstimatedLine(*std::move(plan), moment, shift)),
      Proof::estimated};
}

DirectedLoss smoothed(const DirectedLoss& loss, double mu) {
  DirectedLoss result = loss;
  result.gaussian.add(GaussianSpectrum::shift(mu, 1.0));
  return result;
}

// Whether every law has a rule in doubles.
bool has_rules(const DirectedLoss& loss) {
  return std::ranges::all_of(
      loss.laws, [](const LawPart& part) { return !part.law->nodes(0.5, 1.0, 0).losses.empty(); });
}

// Each level doubles the nodes of a rule that converges geometrically: the difference of two levels
// is the error of the first.
std::optional<QuantityValue> estimate_of_laws(const DirectedLoss& loss, double shift) {
  if (!has_rules(loss)) return std::nullopt;
  const LossMoment moment(loss);
  const auto plan = LinePlan::make(loss, moment, shift, Accuracy::fast, slow_decay);
  if (!plan) return std::nullopt;
  Ball coarse = EstimatedLine(*plan, moment, shift).at(shift);
  for (int level = 1; level <= 3; ++level) {
    const Ball fine = EstimatedLine(*plan, LossMoment(loss, level), shift).at(shift);
    const Ball difference = abs(fine.midpoint() - coarse.midpoint());
    if ((difference - abs(fine) * Ball(1e-9)).surely_negative())
      return QuantityValue{fine.widened(difference), Proof::estimated};
    coarse = fine;
  }
  return std::nullopt;
}

}  // namespace

std::optional<QuantityValue> line_profile_of_laws(const DirectedLoss& loss, double shift,
                                                  Accuracy accuracy) {
  const PrecisionScope scope(96);
  // The errors of a proof grow with the count, those of an estimate less so.
  const bool proof_is_quick = std::ranges::all_of(loss.laws, [](const LawPart& part) {
    return part.law->proves_quickly() && part.count <= 1000.0;
  });
  if (accuracy != Accuracy::fast || proof_is_quick)
    if (auto proved = kept_for<ProvedLines>(loss).at(shift, accuracy)) return proved;
  return accuracy == Accuracy::fast ? estimate_of_laws(loss, shift) : std::nullopt;
}

bool line_is_cheap_in_balls(const DirectedLoss& loss, double shift) {
  const PrecisionScope scope(96);
  const LossMoment moment(loss);
  const std::optional<Saddle> saddle = find_saddle(moment, shift, Kernel::profile);
  const auto aliasing = saddle ? choose_step(moment, *saddle, shift) : std::nullopt;
  if (!aliasing) return true;
  const double height = 4096.0 * aliasing->step;
  const auto gaussian = moment.gaussian().expand_ball(saddle->point);
  const Ball far = log_far(moment, *gaussian, saddle->point, height) - Ball(shift * saddle->point);
  return far.upper() < static_cast<double>(saddle->value) - 46.0;
}

QuantityValue line_profile(const DirectedLoss& loss, double shift, Accuracy accuracy) {
  const PrecisionScope scope(96);
  if (const auto value = kept_value(loss, shift, accuracy)) return *value;
  const LossMoment moment(loss);
  const Ball missing = least_missing(loss, moment, shift);
  if (missing.upper() < 0x1p-53)
    return {hull(Ball(1.0) - missing, Ball(1.0)), loss.gaussian.proof()};
  if (const auto direct = integrate(loss, shift, accuracy, 0.0)) return *direct;
  const auto otherwise = [&] {
    return QuantityValue{chernoff_bounds(loss, moment, shift), loss.gaussian.proof()};
  };
  const std::optional<Saddle> saddle = find_saddle(moment, shift, Kernel::profile);
  const auto aliasing = saddle ? choose_step(moment, *saddle, shift) : std::nullopt;
  if (!aliasing) return otherwise();
  // The narrowest Gaussian whose decay exp(-w^2 y^2 / 2) the nodes can reach.
  const double reach = 0.5 * static_cast<double>(most_nodes(loss, accuracy)) * aliasing->step;
  const double mu = 10.5 / reach;
  if (!(mu > 1e-100 && mu < 1e100)) return otherwise();
  const auto narrow = integrate(smoothed(loss, mu), shift, accuracy, anything);
  const auto wide = integrate(smoothed(loss, 2.0 * mu), shift, accuracy, anything);
  if (!narrow || !wide) return otherwise();
  const Ball factor = exp(Ball(mu) * Ball(mu) / 2.0);
  const Ball lower = narrow->value - factor * (wide->value - narrow->value);
  // In doubles both may come out a little above 1.
  return {
      hull(Ball(std::clamp(lower.lower(), 0.0, 1.0)), Ball(std::min(narrow->value.upper(), 1.0))),
      weaker_of(narrow->proof, wide->proof)};
}

}  // namespace modicum
