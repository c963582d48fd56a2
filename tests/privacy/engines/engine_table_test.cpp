#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "privacy/engines/discretized.h"
#include "privacy/engines/engine.h"
#include "privacy/laws/bounded_range_law.h"
#include "privacy/laws/objective_law.h"
#include "privacy/laws/subsampled_law.h"
#include "support/truth.h"

namespace modicum::testing::engine_table_test {
namespace {

struct Named {
  std::string name;
  DirectedLoss loss;
};

DirectedLoss spectrum(int components) {
  GaussianSpectrum sum;
  for (int i = 0; i < components; ++i)
    sum.add(GaussianSpectrum::component(0.02, 1.0 + 0.005 * (i + 1)));
  return PrivacyLoss::gaussian(sum).forward();
}

DirectedLoss shift_of(double mu) {
  return PrivacyLoss::gaussian(GaussianSpectrum::shift(mu, 1.0)).forward();
}

DirectedLoss two_points(double count) {
  return PrivacyLoss::two_point(Precise::exactly(0.25)).repeated(count).forward();
}

DirectedLoss laplaces(double count) {
  return PrivacyLoss::laplace(Precise::exactly(0.25)).repeated(count).forward();
}

DirectedLoss of_law(std::shared_ptr<const LossLaw> law, double count) {
  return PrivacyLoss::law(law, law).repeated(count).forward();
}

DirectedLoss sampled(double count) {
  return of_law(subsampled_gaussian_law(Precise::exactly(1.0), 0.125), count);
}

DirectedLoss objective(double count) {
  return of_law(cut_normal_law(Ball(0.125), Precise::exactly(0.5)), count);
}

DirectedLoss sampled_laplace(double ratio, double count) {
  return of_law(subsampled_laplace_law(Precise::exactly(ratio), 0.1), count);
}

DirectedLoss both(DirectedLoss one, const DirectedLoss& other) {
  one.add(other);
  return one;
}

EngineAnswer ask(const DirectedLoss& loss, double shift, Kernel kernel = Kernel::profile,
                 Accuracy accuracy = Accuracy::automatic) {
  const PrecisionScope scope(160);
  std::unique_ptr<DiscretizedProfile> none;
  return answer({loss, shift, kernel, accuracy, none});
}

TEST(EngineTable, ChoosesByTheParts) {
  EXPECT_EQ(ask(spectrum(3), 0.5).engine, "contour");
  EXPECT_EQ(ask(DirectedLoss(), 0.5).engine, "contour");
  EXPECT_EQ(ask(laplaces(3), 0.5).engine, "residues");
  EXPECT_EQ(ask(laplaces(20), 0.5).engine, "copies of Laplace noise");
  EXPECT_EQ(ask(both(laplaces(3), two_points(2)), 0.5).engine, "residues");
  EXPECT_EQ(ask(two_points(10), 0.5).engine, "atoms");
  EXPECT_EQ(ask(both(two_points(10), spectrum(1)), 0.5).engine, "atoms");
  EXPECT_EQ(ask(both(laplaces(3), spectrum(1)), 0.5).engine, "line");
  EXPECT_EQ(ask(laplaces(2000), 0.5).engine, "line");
  EXPECT_EQ(ask(sampled(1), 0.5).engine, "tails of a law");
  EXPECT_EQ(ask(sampled(50), 0.5).engine, "proved path");
  EXPECT_EQ(ask(sampled(1000), 1.0).engine, "line of laws");
  EXPECT_EQ(ask(sampled(50), 0.5, Kernel::profile, Accuracy::fast).engine, "bent path");
  EXPECT_EQ(ask(objective(2), 2.0).engine, "bent line");
  EXPECT_EQ(ask(objective(2), 60.0).engine, "negligible");
  EXPECT_EQ(ask(of_law(bounded_range_law(0.5), 3), 0.5).engine, "residues");
  EXPECT_EQ(ask(sampled_laplace(1.0, 3), 0.3).engine, "rays of sampled Laplace noise");
  EXPECT_EQ(ask(both(sampled_laplace(1.0, 2), sampled_laplace(0.5, 1)), 0.2).engine, "discretized");
}

TEST(EngineTable, KnowsTheRangeOfBoundedLosses) {
  for (const DirectedLoss& loss :
       {laplaces(3), two_points(3), of_law(bounded_range_law(0.25), 3)}) {
    const EngineAnswer beyond = ask(loss, 0.75 + 1e-9);
    EXPECT_EQ(beyond.engine, "beyond the range");
    EXPECT_TRUE(beyond.value.value.exactly_zero());
    EXPECT_NE(ask(loss, 0.7).engine, "beyond the range");
  }
}

// Where the rays give up and a lattice has no points, other bounds still say nearly all.
TEST(EngineTable, KnowsMuchWhereALatticeKnowsNothing) {
  const EngineAnswer left = ask(both(sampled_laplace(10.0, 1000), sampled_laplace(9.0, 1000)), 1.0);
  EXPECT_EQ(left.engine, "discretized");
  EXPECT_GT(left.value.value.lower(), 1.0 - 1e-9);
  // Two copies next to twice log(1 + .99 (e^{1/2} - 1)).
  const DirectedLoss two = of_law(subsampled_laplace_law(Precise::exactly(0.5), 0.99), 2);
  const EngineAnswer end = ask(two, 0.9921150905518553);
  EXPECT_TRUE(encloses(end.value.value.enclosure(), decimal("2.460807e-11").widened(Ball(1e-17))));
  EXPECT_LT(end.value.value.upper(), 1e-10);
  EXPECT_GT(end.value.value.lower(), 2e-11);
}

TEST(EngineTable, SaysOfTailsWhatIsKnownOfThem) {
  for (const Kernel kernel :
       {Kernel::upper_tail, Kernel::lower_tail, Kernel::tilted_upper, Kernel::tilted_lower}) {
    EXPECT_EQ(ask(sampled(1), 0.5, kernel).engine, "tails of a law");
    EXPECT_EQ(ask(sampled(50), 0.5, kernel).engine, "bent path");
    const EngineAnswer unknown = ask(sampled(50), 0.5, kernel, Accuracy::certified);
    EXPECT_EQ(unknown.engine, "unknown tail");
    EXPECT_LE(unknown.value.value.lower(), 0.0);
    EXPECT_GE(unknown.value.value.upper(), 1.0);
  }
}

TEST(EngineTable, ProvesWhatIsCheapUnlessAskedOtherwise) {
  const auto proof = [](const DirectedLoss& loss, Accuracy accuracy) {
    return ask(loss, 0.5, Kernel::profile, accuracy).value.proof;
  };
  EXPECT_EQ(proof(spectrum(3), Accuracy::automatic), Proof::certified);
  EXPECT_EQ(proof(spectrum(70), Accuracy::automatic), Proof::estimated);
  for (const DirectedLoss& loss : {spectrum(3), sampled(50), both(two_points(3), spectrum(3))}) {
    EXPECT_EQ(proof(loss, Accuracy::fast), Proof::estimated);
    EXPECT_EQ(proof(loss, Accuracy::certified), Proof::certified);
  }
  EXPECT_EQ(proof(laplaces(3), Accuracy::fast), Proof::certified);  // as quick
}

// The order is one of speed alone: whoever could have answered agrees with who did.
TEST(EngineTable, AllThatApplyAgree) {
  const PrecisionScope scope(160);
  for (const auto& [name, loss] :
       {Named{"shift", shift_of(0.5)}, Named{"two points", two_points(6)},
        Named{"Laplace", laplaces(4)}, Named{"mixed", both(laplaces(2), shift_of(0.5))},
        Named{"range", of_law(bounded_range_law(0.5), 2)}, Named{"sampled", sampled(1)},
        Named{"sampled Laplace", sampled_laplace(1.0, 3)}, Named{"objective", objective(2)}})
    for (const double shift : {0.45, 4.0}) {
      const Ball chosen = ask(loss, shift, Kernel::profile, Accuracy::certified).value.value;
      for (const Engine& engine : engines()) {
        std::unique_ptr<DiscretizedProfile> none;
        const Question question{loss, shift, Kernel::profile, Accuracy::certified, none};
        if (!engine.applies(question)) continue;
        const auto value = engine.evaluate(question, true);
        EXPECT_TRUE(!value || arb_overlaps(value->value.raw(), chosen.raw()))
            << engine.name << " of " << name << " at " << shift;
      }
    }
}

// What was discretized once answers the shifts that follow.
TEST(EngineTable, KeepsWhatWasDiscretized) {
  const PrecisionScope scope(160);
  const DirectedLoss loss = both(sampled_laplace(1.0, 2), sampled_laplace(0.5, 1));
  std::unique_ptr<DiscretizedProfile> kept;
  answer({loss, 0.2, Kernel::profile, Accuracy::fast, kept});
  const DiscretizedProfile* const first = kept.get();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(answer({loss, 0.21, Kernel::profile, Accuracy::fast, kept}).engine, "discretized");
  EXPECT_EQ(kept.get(), first);
}

}  // namespace
}  // namespace modicum::testing::engine_table_test
