#include "modicum/ledger/clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/cells/number_text.h"
#include "ledger/reading_ball.h"
#include "modicum/data/fields.h"
#include "modicum/mechanisms/zero_concentrated.h"
#include "modicum/privacy/profile.h"
#include "numerics/precise_ball.h"

namespace modicum {
namespace {

constexpr long clock_bits = 320;

// Slack is offered in powers of two of the whole, so that equal losses have equal prices.
constexpr int most_halvings = 40;
constexpr double first_share = 1.0 / 64.0;
constexpr double negligible_share = 0x1p-30;

Ball slack_time(double probability) { return -log1p(-Ball(probability)); }

double probability_of(const Reading& slack) {
  const PrecisionScope scope(clock_bits);
  return std::max(0.0, (-expm1(-to_ball(slack))).lower());
}

struct Shares {
  double largest = 0.0, sum = 0.0;
};
Shares shares(const Clocks& price, const Clocks& left) {
  Shares result;
  for (const ClockKind& each : clock_kinds) {
    const Reading& part = price.*each.reading;
    const Reading& whole = left.*each.reading;
    if (part.is_zero()) continue;
    const double share = whole.is_zero() ? infinity : part.upper() / whole.lower();
    result.largest = std::max(result.largest, share);
    result.sum += share;
  }
  return result;
}

void refuse_given(const std::optional<double>& value, const char* name, const char* beside) {
  if (value) throw UsageError(fmt::format("`{}` must not be given with `{}`", name, beside));
}

Reading allowed_slack(double probability) {
  if (!(probability >= 0.0 && probability < 1.0))
    throw InvalidParameter("slack", probability, "must be at least 0 and below 1");
  return reading_below(slack_time(probability));
}

Clocks split_target(const PrivacyTarget& target, const BudgetTerms& terms) {
  Clocks clocks;
  clocks.slack = allowed_slack(terms.slack.value_or(0.01 * target.delta));
  clocks.pure = Reading::exactly(require_non_negative(
      "pure", terms.pure.value_or(target.delta == 0.0 ? target.epsilon : 0.0)));
  clocks.zcdp = Reading::exactly(require_non_negative("zcdp", terms.zcdp.value_or(0.0)));
  if (target.delta == 0.0) {
    if (!clocks.zcdp.is_zero())
      throw InvalidParameter("zcdp", *terms.zcdp, "must be 0 where `delta` is");
    if (!clocks.slack.is_zero())
      throw InvalidParameter("slack", *terms.slack, "must be 0 where `delta` is");
    if (!(clocks.pure <= Reading::exactly(target.epsilon)))
      throw InvalidParameter("pure", *terms.pure, "must not be above `epsilon`");
    return clocks;
  }
  const auto with = [clocks](double noise) {
    const PrecisionScope scope(clock_bits);
    Clocks whole = clocks;
    whole.mu_squared = reading_below(Ball(1.0) / (Ball(noise) * Ball(noise)));
    return whole;
  };
  const auto family = [&](double noise) { return loss_of(allowed(with(noise))); };
  return with(smallest_noise(family, target, 1.0 / std::max(target.epsilon, 0.01)).parameter);
}

}  // namespace

Clocks Clocks::operator+(const Clocks& other) const {
  Clocks sum;
  for (const auto& [key, words, clock] : clock_kinds) sum.*clock = this->*clock + other.*clock;
  return sum;
}
Clocks Clocks::operator-(const Clocks& other) const {
  Clocks rest;
  for (const auto& [key, words, clock] : clock_kinds) rest.*clock = this->*clock - other.*clock;
  return rest;
}

Clocks larger_of(const Clocks& a, const Clocks& b) {
  Clocks larger;
  for (const auto& [key, words, clock] : clock_kinds)
    larger.*clock = a.*clock <= b.*clock ? b.*clock : a.*clock;
  return larger;
}

Clocks smaller_of(const Clocks& a, const Clocks& b) {
  Clocks smaller;
  for (const auto& [key, words, clock] : clock_kinds)
    smaller.*clock = a.*clock <= b.*clock ? a.*clock : b.*clock;
  return smaller;
}

Clocks share_of(const Clocks& clocks, double share) {
  const PrecisionScope scope(clock_bits);
  Clocks part;
  for (const auto& [key, words, clock] : clock_kinds)
    part.*clock = reading_below(to_ball(clocks.*clock) * Ball(share));
  return part;
}

Clocks allowed(const Clocks& total) {
  const PrecisionScope scope(clock_bits);
  Clocks most;
  for (const auto& [key, words, clock] : clock_kinds)
    most.*clock = reading_below(to_ball(total.*clock) * (Ball(1.0) + Ball(0x1p-52)));
  return most;
}

bool fits(const Clocks& spent, const Clocks& total) {
  const Clocks most = allowed(total);
  return std::ranges::all_of(clock_kinds, [&](const ClockKind& each) {
    return spent.*each.reading <= most.*each.reading;
  });
}

Clocks what_is_left(const Clocks& total, const Clocks& spent) {
  const PrecisionScope scope(clock_bits);
  Clocks left;
  for (const auto& [key, words, clock] : clock_kinds)
    if (spent.*clock <= total.*clock)
      left.*clock = reading_below(to_ball(total.*clock) - to_ball(spent.*clock));
  return left;
}

Clocks clocks_of(const Price& price) {
  const PrecisionScope scope(clock_bits);
  Clocks clocks;
  clocks.mu_squared = price.mu_squared;
  if (price.slack > 0.0) clocks.slack = reading_above(slack_time(price.slack));
  return clocks;
}

double slack_probability(const Clocks& clocks) { return probability_of(clocks.slack); }

PrivacyLoss loss_of(const Clocks& clocks) {
  const PrecisionScope scope(clock_bits);
  PrivacyLoss loss;
  if (!clocks.zcdp.is_zero()) {
    // mu^2 / 2 and epsilon^2 / 2 [BunSteinke2016, Propositions 1.4 and 1.6], all added up.
    const Ball pure = to_ball(clocks.pure);
    loss = zero_concentrated(
        (to_ball(clocks.zcdp) + to_ball(clocks.mu_squared) / 2.0 + pure * pure / 2.0).upper());
  } else {
    GaussianSpectrum shift;
    shift.add({Precise::exactly(0.0), to_precise(clocks.mu_squared), 1.0});
    loss = PrivacyLoss::gaussian(shift);
    loss.compose(PrivacyLoss::two_point(to_precise(clocks.pure)));
  }
  if (!clocks.slack.is_zero()) {
    const Precise s = to_precise("slack", -expm1(-to_ball(clocks.slack)));
    loss.compose(PrivacyLoss::infinite_with_probability(s, s));
  }
  return loss;
}

PrivacyLoss loss_of(const std::vector<Clocks>& budgets) {
  Clocks sum;
  PrivacyLoss composed;
  for (const Clocks& each : budgets) sum = sum + each;
  if (!sum.zcdp.is_zero()) return loss_of(sum);
  for (const Clocks& each : budgets) composed.compose(loss_of(each));
  return composed;
}

Clocks split(const BudgetTerms& terms) {
  const PrecisionScope scope(clock_bits);
  if (terms.mu || terms.rho) {
    const char* given = terms.mu ? "mu" : "rho";
    refuse_given(terms.epsilon, "epsilon", given);
    refuse_given(terms.delta, "delta", given);
    if (terms.mu) refuse_given(terms.rho, "rho", "mu");
    Clocks clocks;
    if (terms.mu) {
      refuse_given(terms.zcdp, "zcdp", "mu");
      const Ball mu = require_positive("mu", *terms.mu);
      clocks.mu_squared = reading_below(mu * mu);
    } else {
      const double rho = require_positive("rho", *terms.rho),
                   own = require_non_negative("zcdp", terms.zcdp.value_or(0.0));
      if (!(own <= rho)) throw InvalidParameter("zcdp", own, "must not be above `rho`");
      clocks.zcdp = Reading::exactly(own);
      clocks.mu_squared = reading_below(Ball(2.0) * (Ball(rho) - Ball(own)));
    }
    if (terms.slack) clocks.slack = allowed_slack(*terms.slack);
    if (terms.pure) clocks.pure = Reading::exactly(require_non_negative("pure", *terms.pure));
    return clocks;
  }
  if (!terms.epsilon) throw UsageError("`epsilon` is missing, but must be given, or `mu` or `rho`");
  if (!terms.delta) throw UsageError("`delta` is missing, but must be given with `epsilon`");
  return split_target({*terms.epsilon, *terms.delta}, terms);
}

Offers offers_for(const PrivacyLoss& loss, const Clocks& total, const Clocks& left,
                  const std::optional<double>& slack, const std::optional<Reading>& rho) {
  if (slack && !(*slack >= 0.0 && *slack < 1.0))
    throw InvalidParameter("slack", *slack, "must be at least 0 and below 1");
  Offers offers;
  if (rho && !slack && !left.zcdp.is_zero()) {
    Clocks clocks;
    clocks.zcdp = *rho;
    offers.prices.push_back(clocks);
  }
  const auto attempt = [&](const auto& priced) {
    try {
      offers.prices.push_back(priced());
      return true;
    } catch (const HasNoPrice& error) {
      offers.refusal = error.what();
      offers.never = true;
      return false;
    } catch (const TargetUnreachable& error) {
      offers.refusal = error.what();
      offers.never = false;
      return false;
    }
  };
  const auto gaussian = [&](double s) {
    return !left.mu_squared.is_zero() && attempt([&] { return clocks_of(price(loss, s)); });
  };
  const auto pure = [&](double s) {
    return !left.pure.is_zero() && attempt([&] {
      Clocks clocks = clocks_of({{}, s});
      clocks.pure = Reading::exactly(epsilon_at(loss, s, Accuracy::certified).value.upper());
      return clocks;
    });
  };
  // At most this share of the slack that is left.
  const auto slack_of_share = [&](double share) {
    const double most = std::min(share, 1.0) * probability_of(left.slack);
    double offered = probability_of(total.slack);
    for (int i = 0; i < most_halvings && offered > most; ++i) offered *= 0.5;
    return offered <= most ? offered : 0.0;
  };
  if (slack) {
    gaussian(*slack);
    pure(*slack);
    return offers;
  }
  if (is_shift(loss)) {
    gaussian(probability_of(left.slack));
    return offers;
  }
  // With no slack but what the loss needs by itself; then with more, for a smaller mu.
  const double own = infinite_probability(loss), left_slack = probability_of(left.slack),
               first = slack_of_share(first_share), all = slack_of_share(1.0);
  if (own > left_slack * (1.0 + 0x1p-40)) {
    offers.refusal =
        fmt::format("it loses everything with a probability of {}, which takes as much slack, {}",
                    rounded_up(own),
                    left_slack == 0.0 ? "and there is none"
                                      : fmt::format("of which {} is left; a smaller `delta` takes "
                                                    "less",
                                                    rounded_down(left_slack)));
    offers.never = true;
    return offers;
  }
  if (own < 1.0) {
    pure(own) || (first > own && pure(first)) || (all > own && pure(all));
    gaussian(own);
  }
  // A little more than its own where it is no shift; far tails, though, take long to be proved, and
  // where its own is next to nothing nobody misses the slack offered below.
  const double near = own * (1.0 + first_share);
  if (own > 0.0 && near <= left_slack && !(own < negligible_share * first)) gaussian(near);
  if (first > own && gaussian(first)) {
    // About as much of the slack as of the rest.
    const double share = offers.prices.back().mu_squared.upper() / left.mu_squared.lower();
    const double second = slack_of_share(std::min(share, 0.5));
    if (second > own && second != first) gaussian(second);
  } else if (all > own && offers.prices.empty()) {
    gaussian(all);
  }
  return offers;
}

double largest_share(const Clocks& price, const Clocks& left) {
  return shares(price, left).largest;
}

const Clocks* best_of(const std::vector<Clocks>& prices, const Clocks& total, const Clocks& spent) {
  const Clocks left = what_is_left(total, spent);
  const Clocks* best = nullptr;
  Shares least;
  for (const Clocks& each : prices) {
    if (!fits(spent + each, total)) continue;
    const Shares own = shares(each, left);
    const bool better = best == nullptr || own.largest < 0.99 * least.largest ||
                        (own.largest < 1.01 * least.largest && own.sum < least.sum);
    if (!better) continue;
    best = &each;
    least = own;
  }
  return best;
}

}  // namespace modicum
