// The dual of the linear program of least noise, over all shifts and without any condition of
// symmetry or monotony. Every choice of multipliers proves a bound; those chosen here are the
// optimal ones of staircases, up to what other shifts than the largest cost.
#include <algorithm>
#include <cmath>

#include "mechanisms/optimal/staircase_sums.h"
#include "numerics/ball.h"

namespace modicum {
namespace {

// Multipliers of one side; the other is its mirror image. An arrow from k to k + d says that p(k)
// exceeds e^epsilon p(k + d) by little.

// What the D integers after the first step need.
struct Demand {
  long inner;
  std::vector<double> amounts;
  double largest;  // that an arrow of length D may carry
};

// Arrows from the first step to the next D integers.
struct InnerArrows {
  std::vector<double> from, into;  // their sums
  double others = 0.0;             // the largest of every length but D, added up
};

// The first step has nu - cost(k) to give: by arrows of length D as far as they reach, the rest
// spread evenly.
InnerArrows inner_arrows(const StaircaseTask& task, double nu, const Demand& demand) {
  const long period = task.sensitivity, inner = demand.inner;
  InnerArrows result;
  std::vector<double> left(static_cast<std::size_t>(inner)),
      by_length(static_cast<std::size_t>(period) + 1);
  for (long k = 0; k < inner; ++k)
    left[static_cast<std::size_t>(k)] = std::max(0.0, nu - task.cost(static_cast<double>(k)));
  left[0] /= 2.0;  // it gives to both sides
  result.from.assign(static_cast<std::size_t>(inner), 0.0);
  result.into.assign(static_cast<std::size_t>(period), 0.0);
  const auto flow = [&](long k, long place, double amount) {
    result.from[static_cast<std::size_t>(std::abs(k))] += amount;
    result.into[static_cast<std::size_t>(place - inner)] += amount;
    double& most = by_length[static_cast<std::size_t>(place - k)];
    most = std::max(most, amount);
  };
  for (long place = inner + period - 1; place >= inner; --place) {
    double need = demand.amounts[static_cast<std::size_t>(place - inner)];
    const long straight = place - period;
    if (std::abs(straight) < inner) {
      double& rest = left[static_cast<std::size_t>(std::abs(straight))];
      const double amount = std::min({need, rest, demand.largest});
      flow(straight, place, amount);
      rest -= amount;
      need -= amount;
    }
    const auto reachable = std::max<long>(0, straight);
    double available = 0.0;
    for (long k = reachable; k < inner; ++k) available += left[static_cast<std::size_t>(k)];
    if (!(need > 0.0 && available > 0.0)) continue;
    const double share = std::min(1.0, need / available);
    for (long k = reachable; k < inner; ++k) {
      const bool right = place - k<period, mirrored = k> 0 && place + k < period;
      if (!right && !mirrored) continue;
      double& rest = left[static_cast<std::size_t>(k)];
      const double amount = rest * share / (right && mirrored ? 2.0 : 1.0);
      if (right) flow(k, place, amount);
      if (mirrored) flow(-k, place, amount);
      rest -= rest * share;
    }
  }
  for (long length = 1; length < period; ++length)
    result.others += by_length[static_cast<std::size_t>(length)];
  return result;
}

// Sums of n numbers of one sign in doubles are within this share of the truth.
double rounding_share(const StaircaseTask& task) {
  return static_cast<double>(2 * task.sensitivity + 4) * ulp;
}
Ball summed(double sum, const StaircaseTask& task) {
  return Ball(sum).widened(Ball(sum) * Ball(rounding_share(task)));
}
// A little less flows than could: where a large cost is paid by a large flow, what is left then
// stays above nu in spite of all rounding.
double a_little_less(double flow, const StaircaseTask& task) {
  return flow * (1.0 - 4.0 * rounding_share(task));
}

Ball cost_of(const StaircaseTask& task, long k) { return task.cost(static_cast<double>(k)); }

// The least of cost(k) + what flows out of k over the first step, and of what the next D integers
// are left with, where `balance` of an integer is cost(k) + what flows out.
template <class Balance>
Ball least_inner_balance(const StaircaseTask& task, const Demand& demand, const InnerArrows& arrows,
                         Balance balance) {
  const Ball factor = exp(Ball(task.epsilon));
  Ball least = infinity;
  for (long k = 0; k < demand.inner; ++k) {
    const double out = arrows.from[static_cast<std::size_t>(k)] * (k == 0 ? 2.0 : 1.0);
    least = min(least, cost_of(task, k) + summed(out, task));
  }
  for (long i = 0; i < task.sensitivity; ++i) {
    const Ball in = summed(arrows.into[static_cast<std::size_t>(i)], task);
    least = min(least, balance(demand.inner + i) - factor * in);
  }
  return least;
}

// nu - delta times twice all multipliers.
double bound_of(const StaircaseTask& task, const Ball& least, double delta, const Ball& largest,
                double others) {
  const Ball all = largest + summed(others, task);
  return std::max(0.0, (least - all * Ball(2.0) * Ball(delta)).lower());
}

}  // namespace

// From the far end inwards each k pays what flows into it,
//   cost(k) + w(k + D) - e^epsilon w(k) = nu, as far as w(k) may go.
double mixture_bound(const StaircaseTask& task, double delta, long inner,
                     const MixtureSearch& search) {
  const PrecisionScope scope(proof_bits);
  const StaircaseMixture& mixture = search.mixture;
  const double price = mixture.price(), nu = mixture.cost + price * search.delta;
  const double factor = std::exp(task.epsilon), rest = std::expm1(task.epsilon);
  const long period = task.sensitivity;
  const long last = std::max({mixture.near.last, mixture.far.last, inner + period}) + 2 * period;
  const double largest = price / 2.0;
  const double gap = task.cost(static_cast<double>(last + 1)) - nu;
  const double beyond = std::max(0.0, rest > 0.0 ? std::min(largest, gap / rest) : largest);
  std::vector<double> into(static_cast<std::size_t>(last - inner + 1));
  const auto at = [&](long k) {
    return k > last ? beyond : into[static_cast<std::size_t>(k - inner)];
  };
  for (long k = last; k >= inner; --k)
    into[static_cast<std::size_t>(k - inner)] = std::clamp(
        a_little_less((task.cost(static_cast<double>(k)) - nu + at(k + period)) / factor, task),
        0.0, largest);

  const Demand demand{inner, {into.begin(), into.begin() + period}, largest};
  const InnerArrows arrows = inner_arrows(task, nu, demand);
  const auto balance = [&](long k) { return cost_of(task, k) + Ball(at(k + period)); };
  Ball least = least_inner_balance(task, demand, arrows, balance);
  const Ball exact_factor = exp(Ball(task.epsilon));
  for (long k = inner + period; k <= last + 1; ++k)
    least = min(least, balance(k) - exact_factor * Ball(at(k)));
  return bound_of(task, least, delta, Ball(largest), arrows.others);
}

namespace {

// The same with w(k) in closed form: the sum of q^(i+1) (cost(k + i D) - nu) over i < steps, after
// which w is constant; or over all i. As the cost never falls, neither does w along k, k + D, ..,
// so that those of the D integers after the first step are the least; and the balance of all
// further ones is nu, or more where w is constant.
double endless_bound_with(const StaircaseTask& task, double delta, double steps) {
  const long inner = best_inner(task), period = task.sensitivity;
  const StepSums sums(task.epsilon);
  const Ball nu = endless_cost(task, inner).lower();
  const bool ends = std::isfinite(steps);
  const auto d = static_cast<double>(period), end = static_cast<double>(inner) + d * steps;
  const Ball constant = ends ? (Ball(task.cost(end)) - nu) * sums.zeroth : Ball(0.0);
  const auto from = [&](double k) { return sums.outward(task, k) - nu * sums.zeroth; };
  const auto multiplier = [&](long k) {
    const auto place = static_cast<double>(k);
    if (!ends) return from(place);
    const double left = k < inner + period ? steps : steps - 1.0;
    return from(place) +
           exp(-Ball(left) * Ball(task.epsilon)) * (constant - from(place + left * d));
  };
  Demand demand{inner, {}, ends ? constant.lower() : infinity};
  for (long k = inner; k < inner + period; ++k) {
    const Ball amount = multiplier(k);
    if (amount.contains_zero() || amount.surely_negative()) return 0.0;
    demand.amounts.push_back(a_little_less(amount.lower(), task));
  }
  const InnerArrows arrows = inner_arrows(task, nu.middle(), demand);
  const Ball least = least_inner_balance(
      task, demand, arrows, [&](long k) { return cost_of(task, k) + multiplier(k + period); });
  return bound_of(task, min(nu, least), delta, constant, arrows.others);
}

}  // namespace

double endless_bound(const StaircaseTask& task, double delta) {
  const PrecisionScope scope(2 * proof_bits);
  if (delta == 0.0) return endless_bound_with(task, delta, infinity);
  double best = 0.0;
  for (double horizon = 4.0; horizon <= 1024.0; horizon *= 2.0) {
    const double steps = std::ceil(horizon / task.epsilon) + 1.0;
    if (steps * static_cast<double>(task.sensitivity) < 0x1p50)
      best = std::max(best, endless_bound_with(task, delta, steps));
  }
  return best;
}

}  // namespace modicum
