#include "modicum/auditing/black_box.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "auditing/black_box_law.h"
#include "auditing/black_box_profile.h"
#include "auditing/black_box_trials.h"
#include "auditing/distinguisher.h"

namespace modicum {
namespace {

// Ends of the blocks. The first is for learning only; each later one is guessed with what all
// before it have taught.
std::vector<std::size_t> block_ends(std::size_t trials) {
  const auto n = static_cast<double>(trials);
  // Few trials need a larger share to learn anything from.
  const double first = std::clamp(1000.0 / n, 0.06, 0.25);
  std::vector<std::size_t> ends;
  for (double share = first; share < 0.75; share *= 2.0)
    ends.push_back(static_cast<std::size_t>(share * n));
  ends.push_back(trials);
  return ends;
}

// What was guessed: how many guesses of each weight, and what the right ones weigh.
struct Game {
  std::size_t trials = 0, guesses = 0, right = 0, score = 0;
  std::vector<std::size_t> counts;  // by weight - 1
  Sides sides = Sides::both;

  std::vector<WeightClass> classes() const {
    std::vector<WeightClass> result;
    for (std::size_t w = counts.size(); w > 0; --w)
      if (counts[w - 1] > 0) result.push_back({w, counts[w - 1]});
    return result;
  }
  double p_value(RightGuesses& law, double delta) const {
    return law.p_value(trials, given_away_rate(sides, delta));
  }
};

// Numbers of guesses of each weight in a block: of its size alone, not of what it shows.
std::vector<std::size_t> counts_of(const WeightProfile& profile, std::size_t block) {
  std::vector<std::size_t> counts(profile.shares.size());
  std::size_t left = block;
  for (std::size_t w = counts.size(); w > 0; --w) {
    const double wanted = std::round(profile.shares[w - 1] * static_cast<double>(block));
    counts[w - 1] = std::min(left, static_cast<std::size_t>(wanted));
    left -= counts[w - 1];
  }
  return counts;
}

// Guesses the trials from `begin` on, the most certain with the largest weight.
void guess(const Trials& trials, std::size_t begin, const std::vector<double>& log_odds,
           const std::vector<std::size_t>& counts, Game& game) {
  std::vector<std::size_t> order(log_odds.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return certainty(game.sides, log_odds[a]) > certainty(game.sides, log_odds[b]);
  });
  std::size_t next = 0;
  for (std::size_t w = counts.size(); w > 0; --w)
    for (std::size_t i = 0; i < counts[w - 1]; ++i, ++next) {
      const bool says_one =
          game.sides == Sides::both ? log_odds[order[next]] > 0.0 : game.sides == Sides::ones;
      if (says_one != (trials.bit[begin + order[next]] != 0)) continue;
      ++game.right;
      game.score += w;
    }
}

// One game a profile, on the same trials.
struct Games {
  Game epsilon, delta;
};

void play_block(const Trials& trials, std::size_t begin, std::size_t end,
                const std::vector<double>& log_odds, const WeightProfile& profile, Game& game) {
  const std::vector<std::size_t> counts = counts_of(profile, end - begin);
  game.trials += end - begin;
  game.sides = profile.sides;
  game.counts.resize(counts.size(), 0);
  for (std::size_t w = 0; w < counts.size(); ++w) {
    game.counts[w] += counts[w];
    game.guesses += counts[w];
  }
  // A block that the samples did not suffice for counts as guessed wrong throughout.
  if (end <= trials.size()) guess(trials, begin, log_odds, counts, game);
}

Games play_blocks(const Trials& trials, std::size_t planned, const PrivacyTarget& claim,
                  double level, std::string& distinguisher) {
  const std::vector<std::size_t> ends = block_ends(planned);
  Games games;
  if (trials.size() < ends.front()) return games;
  ChosenRecipe chosen = choose_recipe(trials, ends.front());
  distinguisher = chosen.recipe.name;
  const WeightProfiles profiles =
      choose_profiles(chosen.log_odds, claim, planned - ends.front(), level);
  for (std::size_t block = 1; block < ends.size(); ++block) {
    const std::size_t begin = ends[block - 1], end = ends[block];
    std::vector<double> log_odds;
    if (end <= trials.size()) log_odds = chosen.recipe.log_odds(trials, begin, begin, end);
    for (double& value : log_odds)
      if (std::isnan(value)) value = 0.0;
    play_block(trials, begin, end, log_odds, profiles.epsilon, games.epsilon);
    play_block(trials, begin, end, log_odds, profiles.delta, games.delta);
  }
  return games;
}

// The largest value up to which `refuted` holds, from one at which it does to one at which it does
// not, within `tolerance` below it.
template <class Refuted>
double last_refuted(double refuted_at, double open_at, double tolerance, const Refuted& refuted) {
  while (open_at - refuted_at > tolerance) {
    const double middle = 0.5 * (refuted_at + open_at);
    if (!(middle > refuted_at && middle < open_at)) break;
    (refuted(middle) ? refuted_at : open_at) = middle;
  }
  return refuted_at;
}

double epsilon_bound(const Game& game, const PrivacyTarget& claim, double level, bool violated) {
  const auto classes = game.classes();
  const auto refuted = [&](double epsilon) {
    RightGuesses law(classes, epsilon, game.score);
    return game.p_value(law, claim.delta) <= level;
  };
  if (!violated) {
    if (claim.epsilon == 0.0 || !refuted(0.0)) return 0.0;
    return last_refuted(0.0, claim.epsilon, 1e-4, refuted);
  }
  double low = claim.epsilon, step = 0.25;
  while (refuted(low + step)) low += step, step *= 2.0;
  return last_refuted(low, low + step, 1e-4, refuted);
}

double delta_bound(const Game& game, const PrivacyTarget& claim, double level) {
  RightGuesses law(game.classes(), claim.epsilon, game.score);
  const auto refuted = [&](double delta) { return game.p_value(law, delta) <= level; };
  if (!refuted(0.0)) return 0.0;
  // In halves first: a bound of 1e-7 deserves its digits as one of 0.1 does.
  double high = 1.0;
  while (high > 1e-15 && !refuted(0.5 * high)) high *= 0.5;
  return last_refuted(0.5 * high, high, 1e-3 * high, refuted);
}

}  // namespace

void Samples::add(std::span<const double> output) {
  values_.insert(values_.end(), output.begin(), output.end());
  ends_.push_back(values_.size());
  failed_.push_back(false);
}

void Samples::add_failure() {
  ends_.push_back(values_.size());
  failed_.push_back(true);
  ++failures_;
}

std::span<const double> Samples::at(std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return {values_.data() + begin, ends_[index] - begin};
}

const char* to_string(BlackBoxVerdict verdict) {
  return verdict == BlackBoxVerdict::violated ? "violated" : "not refuted";
}

// The number of ones among n fair bits has standard deviation sqrt(n) / 2, so n/2 + 2 sqrt(n)
// samples a side are too few with probability below 7e-5.
std::size_t trial_count(std::size_t pool) {
  const auto n = static_cast<double>(pool);
  const double root = std::sqrt(4.0 + 2.0 * n) - 2.0;
  return static_cast<std::size_t>(root * root);
}

std::vector<bool> draw_secret_bits(std::size_t count, RandomSource& source) {
  std::vector<bool> bits(count);
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i, word >>= 1) {
    if (i % 64 == 0) word = source.next();
    bits[i] = (word & 1) != 0;
  }
  return bits;
}

BlackBoxAudit audit_samples(const Samples& with, const Samples& without, const PrivacyTarget& claim,
                            double confidence, const std::vector<bool>& secret_bits) {
  require_open_unit("confidence", confidence);
  const auto pool = static_cast<double>(std::min(with.size(), without.size()));
  const std::string rule = fmt::format("must be at least {}", fewest_samples);
  if (!(pool >= static_cast<double>(fewest_samples)))
    throw InvalidParameter("number of samples", pool, rule);
  if (secret_bits.size() < fewest_samples)
    throw InvalidParameter("number of secret bits", static_cast<double>(secret_bits.size()), rule);
  const double level = 1.0 - confidence;
  const Trials trials = play(with, without, secret_bits);
  BlackBoxAudit result;
  result.trials = trials.size();
  result.dimension = trials.dimension;
  const Games games = play_blocks(trials, secret_bits.size(), claim, level, result.distinguisher);
  const Game& game = games.epsilon;
  result.guesses = game.guesses;
  result.right = game.right;
  RightGuesses law(game.classes(), claim.epsilon, game.score);
  result.p_value = game.p_value(law, claim.delta);
  const bool violated = result.p_value <= level;
  if (violated) result.verdict = BlackBoxVerdict::violated;
  result.epsilon_lower_bound = epsilon_bound(game, claim, level, violated);
  // From another game, which may disagree with the verdict where the claim is close: the verdict
  // counts.
  const double delta = delta_bound(games.delta, claim, level);
  result.delta_lower_bound = violated ? std::max(delta, claim.delta) : std::min(delta, claim.delta);
  return result;
}

BlackBoxAudit audit_samples(const Samples& with, const Samples& without, const PrivacyTarget& claim,
                            double confidence, RandomSource& source) {
  const std::size_t pool = std::min(with.size(), without.size());
  return audit_samples(with, without, claim, confidence,
                       draw_secret_bits(trial_count(pool), source));
}

}  // namespace modicum
