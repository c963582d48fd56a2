// What every law promises to the engines.
#include "privacy/laws/loss_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "modicum/numerics/errors.h"
#include "privacy/laws/bounded_range_law.h"
#include "privacy/laws/law_moment.h"
#include "privacy/laws/objective_law.h"
#include "privacy/laws/subsampled_law.h"
#include "privacy/laws/table_law.h"
#include "support/truth.h"

namespace modicum::testing::loss_law_test {
namespace {

using Law = std::shared_ptr<const LossLaw>;

struct Named {
  std::string name;
  Law law;
};
void PrintTo(const Named& named, std::ostream* out) { *out << named.name; }

// Under Y its masses add up to 0.92 only: the rest is an infinite loss in the other direction.
Law table() { return table_law({-0.5, 0.25, 0.75}, {Ball(0.25), Ball(0.5), Ball(0.25)}); }

std::vector<Named> pairs() {
  const Law gaussian = subsampled_gaussian_law(Precise::exactly(1.0), 0.25);
  const Law laplace = subsampled_laplace_law(Precise::exactly(1.5), 0.125);
  return {{"Gaussian", gaussian},
          {"Gaussian reversed", reversed(gaussian)},
          {"Laplace", laplace},
          {"Laplace reversed", reversed(laplace)},
          {"range", bounded_range_law(0.75)}};
}

std::vector<Named> all() {
  std::vector<Named> laws = pairs();
  laws.push_back({"table", table()});
  laws.push_back({"cut normal", cut_normal_law(Ball(0.125), Precise::exactly(0.5))});
  return laws;
}

class Laws : public ::testing::TestWithParam<Named> {
 protected:
  const LossLaw& law() const { return *GetParam().law; }
  // Inside the support, or what is usual of it.
  static constexpr double losses[] = {-0.6, -0.11, 0.05, 0.4, 0.7};
};
class Pairs : public Laws {};

TEST_P(Laws, HaveTailsThatAddUpAndFall) {
  double last = 1.0;
  for (const double loss : losses) {
    const LossTails tails = law().tails(loss, Accuracy::certified);
    EXPECT_EQ(tails.proof, Proof::certified);
    EXPECT_TRUE((tails.above_x + tails.below_x - Ball(1.0)).contains_zero()) << loss;
    EXPECT_LE(tails.above_x.lower(), last);
    last = tails.above_x.upper();
    // Under Y the measure is exp(-L) times that under X.
    EXPECT_LE(tails.above_y.lower(), (exp(-Ball(loss)) * tails.above_x).upper());
  }
}

TEST_P(Laws, HaveAllTheirMassOnTheirSupport) {
  const Enclosure support = law().support();
  const auto above = [&](double loss) { return law().tails(loss, Accuracy::certified).above_x; };
  EXPECT_TRUE(std::isinf(support.lower()) || above(support.lower() - 0.1).lower() >= 1.0);
  EXPECT_TRUE(std::isinf(support.upper()) || above(support.upper() + 0.1).upper() <= 0.0);
}

// E[exp(xL)] from the tails alone: the sum over a fine grid of its distribution.
TEST_P(Laws, HaveTheMomentsOfTheirTails) {
  const Enclosure support = law().support();
  const double from = std::max(support.lower(), -8.0), to = std::min(support.upper(), 12.0);
  const int steps = 4000;
  for (const double x : {-0.5, 0.5, 2.0}) {
    double lower = 0.0, upper = 0.0, above = 1.0;
    for (int i = 1; i <= steps; ++i) {
      const double left = from + (to - from) * (i - 1) / steps,
                   right = from + (to - from) * i / steps;
      const double next = law().tails(right, Accuracy::fast).above_x.middle();
      const double ends[] = {std::exp(x * left), std::exp(x * right)};
      lower += (above - next) * std::min(ends[0], ends[1]);
      upper += (above - next) * std::max(ends[0], ends[1]);
      above = next;
    }
    const double moment = law().moment(Ball(x)).value.middle();
    EXPECT_GE(moment, lower - 1e-6) << x;
    EXPECT_LE(moment, upper + 1e-6) << x;
  }
}

TEST_P(Laws, HaveARuleAndALineWithTheSameMoments) {
  const PrecisionScope scope(96);
  for (const double center : {0.5, 3.0}) {
    const double moment = law().moment(Ball(center)).value.middle();
    const LossNodes rule = law().nodes(center, 5.0, 1);
    if (rule.losses.empty()) continue;  // none on offer
    double sum = 0.0;
    for (std::size_t i = 0; i < rule.losses.size(); ++i)
      sum += std::exp(rule.log_weights[i] + center * rule.losses[i]);
    EXPECT_NEAR(sum / moment, 1.0, 1e-11);
    const MomentLine line = law().moment_line(Ball(center), 5.0);
    ASSERT_TRUE(line != nullptr);
    EXPECT_NEAR(line(Ball(0.0)).real().middle() / moment, 1.0, 1e-14);
    for (const double y : {0.5, 4.5}) {
      std::complex<double> along = 0.0;
      for (std::size_t i = 0; i < rule.losses.size(); ++i)
        along += std::exp(rule.log_weights[i] + center * rule.losses[i]) *
                 std::polar(1.0, y * rule.losses[i]);
      const ComplexBall proved = line(Ball(y));
      EXPECT_NEAR(along.real(), proved.real().middle(), 1e-10 * moment);
      EXPECT_NEAR(along.imag(), proved.imaginary().middle(), 1e-10 * moment);
    }
  }
}

TEST_P(Laws, DecayAtLeastAsTheirUniformPartsSay) {
  const PrecisionScope scope(96);
  const LawMoment moment({GetParam().law, 3.0}, 1);
  if (law().uniform_parts(Ball(0.5)).empty()) return;
  for (const double height : {1.0, 4.0, 20.0}) {
    const double bound = moment.far_bound(Ball(0.5), Ball(height)).upper();
    EXPECT_LE(bound, moment.value(Ball(0.5)).upper());
    for (const double factor : {1.0, 1.3, 2.0, 3.7})
      EXPECT_LE(moment.at({0.5, factor * height}).value.real(), bound + 1e-9);
  }
}

TEST_P(Laws, EqualThemselvesAlone) {
  for (const Named& other : all())
    EXPECT_EQ(law().equals(*other.law), GetParam().name == other.name) << other.name;
}

TEST_P(Pairs, HaveTheMassOneUnderBothLaws) {
  for (const double x : {0.0, -1.0})
    EXPECT_TRUE((law().moment(Ball(x)).value - Ball(1.0)).contains_zero());
}

// -L under Y against L under X.
TEST_P(Pairs, TurnRoundWithTheirTails) {
  const Law back = reversed(GetParam().law);
  for (const double loss : losses) {
    const LossTails own = law().tails(loss, Accuracy::certified);
    const LossTails turned = back->tails(-loss, Accuracy::certified);
    EXPECT_TRUE((own.above_x - turned.below_y).contains_zero());
    EXPECT_TRUE((own.below_y - turned.above_x).contains_zero());
  }
  EXPECT_TRUE((law().moment(Ball(1.5)).value - back->moment(Ball(-2.5)).value).contains_zero());
}

std::string name_of(const ::testing::TestParamInfo<Named>& info) {
  std::string name = info.param.name;
  std::erase(name, ' ');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Laws, ::testing::ValuesIn(all()), name_of);
INSTANTIATE_TEST_SUITE_P(All, Pairs, ::testing::ValuesIn(pairs()), name_of);

// delta(epsilon) = (1 - e^{(epsilon - eta)/2})^2 / (1 - e^{-eta}).
TEST(BoundedRangeLaw, HasTheProfileOfItsDefinition) {
  for (const double range : {0.01, 0.75, 9.0})
    for (const double share : {-0.9, -0.2, 0.0, 0.5, 0.99}) {
      const double epsilon = share * range;
      const LossTails tails = bounded_range_law(range)->tails(epsilon, Accuracy::certified);
      const double found = (tails.above_x - exp(Ball(epsilon)) * tails.above_y).middle();
      const double gap = std::expm1((epsilon - range) / 2.0);
      EXPECT_NEAR(found, gap * gap / -std::expm1(-range), 1e-14);
    }
}

TEST(Layers, NeverHoldMoreThanTheDensity) {
  const auto density = [](const Ball& t) { return exp(-t * t / 2.0) / sqrt(Ball::pi() * 2.0); };
  const auto loss = [](const Ball& t) { return t * 2.0; };
  double mass = 0.0;
  for (const UniformPart& part : layers_under(density, loss, -6.0, 6.0)) {
    EXPECT_GT(part.mass, 0.0);
    EXPECT_LE(part.width, 24.0);
    mass += part.mass;
  }
  // In units of the loss the density is half of that along t.
  EXPECT_GT(mass, 1.8);
  EXPECT_LE(mass, 2.0);
}

TEST(Reversed, IsRefusedOfABoundInDistribution) {
  EXPECT_THROW(reversed(cut_normal_law(Ball(0.125), Precise::exactly(0.5))), InvalidParameter);
}

}  // namespace
}  // namespace modicum::testing::loss_law_test
