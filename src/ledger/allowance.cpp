#include "modicum/ledger/allowance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "data/cells/number_text.h"
#include "modicum/ledger/concentration.h"
#include "numerics/ball.h"

namespace modicum {
namespace {

// Of what may be taken so much may be left; prices are sharp to less.
constexpr double share_sharpness = 5e-4;
constexpr int most_trials = 16;
constexpr int most_deltas = 8;
constexpr double least_delta = 1e-300;  // smaller ones have bounds that no number can tell
constexpr int most_without_price = 4;
constexpr double furthest = 64.0;  // one step, as a factor

struct Trial {
  double epsilon, share;
};

// log(share) is about linear in log(epsilon): 2 for mu^2, 1 for a pure epsilon.
double slope_between(const std::optional<Trial>& a, const Trial& b) {
  if (!a || !std::isfinite(a->share) || !(a->share > 0.0) || a->epsilon == b.epsilon) return 2.0;
  const double slope = std::log(b.share / a->share) / std::log(b.epsilon / a->epsilon);
  return slope > 0.25 && slope < 16.0 ? slope : 2.0;
}

class LargestEpsilon {
 public:
  /// What to try after this one; nothing where that would not get any further.
  std::optional<double> after(const Trial& last, bool fitted) {
    if (fitted && last.share >= 1.0 - share_sharpness) return std::nullopt;
    if (!(last.epsilon > 0.0)) return 0x1p-10;
    (fitted ? below_ : above_) = last;
    if (!below_ && !std::isfinite(last.share) && ++without_price_ > most_without_price)
      return std::nullopt;
    if (below_ && above_ && !(above_->epsilon > below_->epsilon * (1.0 + 0.1 * share_sharpness)))
      return std::nullopt;
    const double next = within_bracket(guess(last));
    before_ = last;
    return next;
  }

 private:
  double guess(const Trial& last) const {
    if (!std::isfinite(last.share)) return last.epsilon / 8.0;
    if (!(last.share > 0.0)) return last.epsilon * furthest;
    const double factor =
        std::pow((1.0 - 0.4 * share_sharpness) / last.share, 1.0 / slope_between(before_, last));
    return last.epsilon * std::clamp(factor, 1.0 / furthest, furthest);
  }
  double within_bracket(double next) {
    if (!below_ || !above_) return next;
    const double low = below_->epsilon, high = above_->epsilon, middle = std::sqrt(low * high);
    // Halved every now and then: prices may jump.
    const bool halve = ++bracketed_ % 4 == 0 || !(next > low && next < high);
    return halve ? middle : next;
  }
  std::optional<Trial> below_ = {}, above_ = {}, before_ = {};
  int bracketed_ = 0, without_price_ = 0;
};

std::string in_words(const Clocks& most) {
  std::string words;
  for (const auto& [key, name, clock] : clock_kinds)
    if (!(most.*clock).is_zero())
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name,
                           rounded_down((most.*clock).lower()));
  return words.empty() ? "nothing" : words;
}

}  // namespace

Need need_of(const PrivacyLoss& loss, const Value& description, const Clocks& most,
             const std::optional<double>& slack) {
  const Offers offers = offers_for(loss, most, most, slack, known_concentration(description, most));
  Need need{
      best_of(offers.prices, most, {}) != nullptr, infinity,      {}, infinite_probability(loss),
      offers.prices.empty() && offers.never,       offers.refusal};
  for (const Clocks& each : offers.prices) {
    Clocks beside = each;
    beside.slack = {};
    const double share = largest_share(beside, most);
    if (!(share < need.share)) continue;
    need.share = share;
    need.slack = each.slack.is_zero() ? std::nullopt : std::optional(slack_probability(each));
  }
  return need;
}

namespace {

// One target after the other, and why the last did not fit.
class Trials {
 public:
  Trials(const PrivacyTarget& first, bool smaller_delta, const Clocks& most,
         const PlannedNeed& need)
      : target(first),
        smaller_delta_(smaller_delta),
        slack_(slack_probability(most)),
        need_(need) {}

  Need first() {
    Need found = planned();
    if (!smaller_delta_ || found.fits || found.infinite <= negligible()) return within_slack(found);
    // Noise that can do without infinite losses is asked to.
    const double before = std::exchange(target.delta, 0.0);
    const std::string why = refusal;
    if (Need pure = planned(); std::isfinite(pure.share)) return pure;
    target.delta = before;
    refusal = why;
    return within_slack(found);
  }
  Need at(double epsilon) {
    target.epsilon = epsilon;
    return within_slack(planned());
  }

  PrivacyTarget target;
  std::string refusal = {};

 private:
  double negligible() const { return 0x1p-30 * slack_; }
  // With less delta, where that may be: infinite losses are about a share of it, and no epsilon
  // makes them fewer.
  Need within_slack(Need found) {
    for (int i = 0; i < most_deltas && smaller_delta_ && found.infinite > slack_; ++i) {
      const double less = target.delta * std::min(0.5, slack_ / found.infinite * (1.0 - 0x1p-20));
      if (!(less >= least_delta)) break;
      target.delta = less;
      found = planned();
    }
    // Prices near the last one are found at one slack.
    if (found.infinite <= negligible() && found.share > 0.5 && found.share < 2.0)
      kept_ = found.slack;
    return found;
  }
  Need planned() {
    const bool is_first = std::exchange(first_, false);
    try {
      Need found = need_(target, kept_);
      if (!found.fits && !found.refusal.empty()) refusal = found.refusal;
      return found;
    } catch (const TargetUnreachable& error) {
      if (refusal.empty()) refusal = error.what();
    } catch (const InvalidParameter& error) {
      if (is_first) throw;  // else it is about a target that nobody asked for
      if (refusal.empty()) refusal = error.what();
    }
    return {};
  }
  bool smaller_delta_;
  double slack_;
  const PlannedNeed& need_;
  std::optional<double> kept_ = {};
  bool first_ = true;
};

}  // namespace

PrivacyTarget largest_target(const PrivacyTarget& first, bool smaller_delta, const Clocks& most,
                             const PlannedNeed& need) {
  Trials trials(first, smaller_delta, most, need);
  Need found = trials.first();
  std::optional<PrivacyTarget> best;
  LargestEpsilon search;
  for (int i = 0; i < most_trials && !found.never; ++i) {
    if (found.fits) best = trials.target;
    const auto next = search.after({trials.target.epsilon, found.share}, found.fits);
    if (!next) break;
    found = trials.at(*next);
  }
  if (best) return *best;
  throw TargetUnreachable(fmt::format("no release of this kind could be proved to be within {}{}",
                                      in_words(most),
                                      trials.refusal.empty() ? "" : ": " + trials.refusal));
}

}  // namespace modicum
