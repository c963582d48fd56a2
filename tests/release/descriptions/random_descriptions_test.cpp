// A campaign: random descriptions, and what must hold for the answers whatever the mechanism is. A
// few in every run, the same ones; MODICUM_CAMPAIGN=100000 for so many, MODICUM_CAMPAIGN_SEED for
// others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "modicum/numerics/errors.h"
#include "modicum/release/description.h"
#include "release/descriptions/random_kinds.h"

namespace modicum::random_descriptions_test {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::string composed(const std::vector<std::string>& parts) {
  return fmt::format(R"({{"compose":[{}]}})", fmt::join(parts, ","));
}

bool is_enclosure(const Enclosure& e, double low, double high) {
  return e.lower() <= e.upper() && e.lower() >= low && e.upper() <= high;
}

// A bound may hold for lack of anything better: the refusals of the library, and no others.
template <class Question>
auto asked(const Question& question) -> std::optional<decltype(question())> {
  try {
    return question();
  } catch (const Error&) {
    return {};
  }
}

class Examination {
 public:
  Examination(std::string text, Generator& random)
      : text_(std::move(text)), loss_(parse_description(text_, "random").loss), random_(random) {}

  const PrivacyLoss& loss() const { return loss_; }

  void profile_is_ordered_and_falls() {
    double epsilon = -random_.scale(1e-3, 3);
    std::optional<ProfilePoint> last;
    for (int i = 0; i < 3; ++i, epsilon += random_.scale(1e-2, 5)) {
      const auto point = asked([&] { return profile(loss_, epsilon, Accuracy::fast); });
      if (!point) continue;
      const double least = std::max(0.0, -std::expm1(epsilon)) * (1.0 - 1e-15);
      for (const Enclosure& side : {point->forward, point->reverse}) {
        EXPECT_TRUE(is_enclosure(side, 0.0, 1.0)) << at(epsilon);
        EXPECT_GE(side.upper(), least) << at(epsilon);
      }
      if (last) {
        EXPECT_LE(point->forward.lower(), last->forward.upper()) << at(epsilon);
        EXPECT_LE(point->reverse.lower(), last->reverse.upper()) << at(epsilon);
      }
      last = point;
    }
  }

  void fast_and_certified_meet() {
    const double epsilon = random_.between(-0.5, 4);
    const auto fast = asked([&] { return profile(loss_, epsilon, Accuracy::fast); });
    const auto proved = asked([&] { return profile(loss_, epsilon, Accuracy::certified); });
    if (!fast || !proved) return;
    EXPECT_TRUE(fast->forward.overlaps(proved->forward)) << at(epsilon);
    EXPECT_TRUE(fast->reverse.overlaps(proved->reverse)) << at(epsilon);
  }

  void epsilon_is_the_inverse() {
    const double delta = random_.scale(1e-12, 0.3);
    const auto found = asked([&] { return epsilon_at(loss_, delta, Accuracy::fast).value; });
    if (!found) return;
    EXPECT_TRUE(is_enclosure(*found, 0.0, HUGE_VAL)) << at(delta);
    const auto above = asked([&] { return profile(loss_, found->upper(), Accuracy::fast); });
    if (above) {
      EXPECT_LE(above->delta().lower(), delta) << at(delta);
    }
    if (!(found->lower() > 0.0)) return;
    const double before = std::nextafter(found->lower(), 0.0);
    const auto below = asked([&] { return profile(loss_, before, Accuracy::fast); });
    if (below) {
      EXPECT_GE(below->delta().upper(), delta) << at(delta);
    }
  }

  void tradeoff_lies_above_the_profile_lines() {
    const double type1 = random_.scale(1e-8, 0.9), epsilon = random_.between(-1, 3);
    const auto found = asked([&] { return tradeoff(loss_, type1, Accuracy::fast).value; });
    const auto point = asked([&] { return profile(loss_, epsilon, Accuracy::fast); });
    if (!found || !point) return;
    EXPECT_TRUE(is_enclosure(*found, 0.0, 1.0)) << at(type1);
    const double line = 1.0 - point->delta().upper() - std::exp(epsilon) * type1;
    EXPECT_GE(found->upper(), line - 1e-15) << at(type1) << " epsilon " << epsilon;
  }

  void divergence_bounds_the_profile() {
    const double order = 1.0 + random_.scale(1e-2, 50), epsilon = random_.between(0, 5);
    const auto found = asked([&] { return renyi_divergence(loss_, order, Accuracy::fast).value; });
    const auto higher =
        asked([&] { return renyi_divergence(loss_, 1.5 * order, Accuracy::fast).value; });
    const auto point = asked([&] { return profile(loss_, epsilon, Accuracy::fast); });
    if (!found) return;
    EXPECT_TRUE(is_enclosure(*found, 0.0, HUGE_VAL)) << at(order);
    if (higher) {
      EXPECT_GE(higher->upper(), found->lower()) << at(order);
    }
    if (!point) return;
    const double bound = std::exp((order - 1.0) * (found->upper() - epsilon));
    EXPECT_LE(point->delta().lower(), bound * (1.0 + 1e-12)) << at(order) << " epsilon " << epsilon;
  }

  void no_part_is_above(const std::vector<std::string>& parts) {
    const double epsilon = random_.between(0, 3);
    const auto whole = asked([&] { return profile(loss_, epsilon, Accuracy::fast); });
    if (!whole) return;
    for (const std::string& part : parts) {
      const PrivacyLoss alone = parse_description(part, "part").loss;
      const auto point = asked([&] { return profile(alone, epsilon, Accuracy::fast); });
      if (!point) continue;
      EXPECT_LE(point->forward.lower(), whole->forward.upper()) << at(epsilon) << " part " << part;
      EXPECT_LE(point->reverse.lower(), whole->reverse.upper()) << at(epsilon) << " part " << part;
    }
  }

 private:
  std::string at(double place) const { return fmt::format("{} at {}", text_, place); }

  std::string text_;
  PrivacyLoss loss_;
  Generator& random_;
};

// Mostly what is answered at once: many cases find more than a few that take long.
Cost random_cost(Generator& random, bool in_full) {
  const double place = random.between(0.0, 1.0);
  if (in_full && place < 0.002) return Cost::heavy;
  return place < (in_full ? 0.04 : 0.1) ? Cost::middle : Cost::light;
}

TEST(RandomDescriptions, AnswersHaveThePropertiesOfEnclosures) {
  const bool in_full = std::getenv("MODICUM_CAMPAIGN");
  const std::uint64_t cases = from_environment("MODICUM_CAMPAIGN", 100);
  const std::uint64_t first = from_environment("MODICUM_CAMPAIGN_SEED", 1);
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    SCOPED_TRACE(fmt::format("MODICUM_CAMPAIGN=1 MODICUM_CAMPAIGN_SEED={}", seed));
    Generator random(seed);
    const Cost most = random_cost(random, in_full);
    std::vector<std::string> parts(static_cast<std::size_t>(random.whole(1, 3)));
    for (std::string& part : parts) part = random.part(most, parts.size() > 1);
    Examination examination(parts.size() == 1 ? parts.front() : composed(parts), random);
    examination.profile_is_ordered_and_falls();
    if (random.with_chance(0.3)) examination.fast_and_certified_meet();
    if (random.with_chance(0.3)) examination.epsilon_is_the_inverse();
    if (random.with_chance(0.3)) examination.tradeoff_lies_above_the_profile_lines();
    examination.divergence_bounds_the_profile();
    if (parts.size() > 1) examination.no_part_is_above(parts);
  }
}

}  // namespace
}  // namespace modicum::random_descriptions_test
