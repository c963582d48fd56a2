// Laplace mechanisms against integration over their law: atoms e^{..}/2 at both ends, density
// e^{(l - a)/2} / 4 between them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "modicum/privacy/profile.h"
#include "privacy/engines/engine.h"
#include "privacy/engines/quantity.h"
#include "privacy/laws/bounded_range_law.h"
#include "support/closed_forms.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::residue_quantity_test {
namespace {

PrivacyLoss laplace(double range) { return PrivacyLoss::laplace(Precise::exactly(range)); }

// delta of one Laplace mechanism: 1 - e^{(epsilon - a)/2} between -a and a.
Ball one_laplace(const Ball& range, const Ball& epsilon) {
  if (surely_less(epsilon, -range)) return -expm1(epsilon);
  if (surely_less(range, epsilon)) return 0.0;
  return -expm1((epsilon - range) / 2.0);
}

long double one_laplace(long double range, long double epsilon) {
  if (epsilon < -range) return -std::expm1(epsilon);
  if (epsilon > range) return 0;
  return -std::expm1((epsilon - range) / 2);
}

TEST(LaplaceLoss, IsKnownInClosedForm) {
  SeededRandom random(711);
  const PrecisionScope scope(truth_bits);
  for (int i = 0; i < 500; ++i) {
    const double range = random.log_uniform(1e-6, 100.0);
    const double epsilon = range * random.uniform(-1.5, 1.2);
    const Ball truth = one_laplace(Ball(range), Ball(epsilon));
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      const ProfilePoint point = profile(laplace(range), epsilon, accuracy);
      EXPECT_TRUE(encloses(point.forward, truth)) << range << " at " << epsilon;
      EXPECT_LE(point.delta().relative_width(), 1e-14);
      EXPECT_EQ(point.delta().is_exactly_zero(), epsilon >= range);
    }
  }
}

TEST(LaplaceLoss, IsZeroExactlyFromItsRangeOn) {
  for (const double count : {1.0, 2.0, 7.0}) {
    const PrivacyLoss loss = laplace(0.5).repeated(count);
    EXPECT_TRUE(profile(loss, 0.5 * count).delta().is_exactly_zero());
    EXPECT_GT(profile(loss, 0.5 * count * (1.0 - 1e-12)).delta().upper(), 0.0);
  }
}

// Integral over the law of one of delta_rest(epsilon - l), in pieces that avoid the kinks of rest.
template <class Rest>
long double after_laplace(long double range, long double epsilon, std::vector<long double> kinks,
                          Rest rest) {
  kinks.push_back(-range);
  kinks.push_back(range);
  std::vector<long double> cuts;
  for (const long double kink : kinks) cuts.push_back(std::clamp(kink, -range, range));
  std::sort(cuts.begin(), cuts.end());
  long double sum = 0.5L * rest(epsilon - range) + 0.5L * std::exp(-range) * rest(epsilon + range);
  for (std::size_t i = 1; i < cuts.size(); ++i)
    if (cuts[i] > cuts[i - 1])
      sum += detail::tanh_sinh(
          [&](long double l) { return 0.25L * std::exp((l - range) / 2) * rest(epsilon - l); },
          cuts[i - 1], cuts[i]);
  return sum;
}

TEST(LaplaceLoss, OfTwoMechanismsAgreesWithIntegration) {
  SeededRandom random(712);
  for (int i = 0; i < 200; ++i) {
    const double a = random.log_uniform(0.01, 5.0);
    const double b = random.whole(0, 2) == 0 ? a : random.log_uniform(0.01, 5.0);
    const double epsilon = (a + b) * random.uniform(-1.1, 0.95);
    const long double truth =
        after_laplace(a, epsilon, {epsilon - b, epsilon + b},
                      [&](long double e) { return one_laplace(static_cast<long double>(b), e); });
    PrivacyLoss loss = laplace(a);
    loss.compose(laplace(b));
    const Enclosure value = profile(loss, epsilon, Accuracy::certified).delta();
    EXPECT_NEAR(value.lower() / static_cast<double>(truth), 1.0, 1e-14)
        << a << ' ' << b << ' ' << epsilon;
    EXPECT_LE(value.relative_width(), 1e-14);
  }
}

TEST(LaplaceLoss, BesideTwoPointLossesAgreesWithEnumeration) {
  SeededRandom random(713);
  const PrecisionScope scope(truth_bits);
  for (int i = 0; i < 100; ++i) {
    const double a = random.log_uniform(0.01, 5.0), e1 = random.log_uniform(0.01, 3.0),
                 e2 = random.log_uniform(0.01, 3.0);
    const double epsilon = (a + e1 + e2) * random.uniform(-1.1, 1.0);
    Ball truth;
    for (const double s1 : {-1.0, 1.0})
      for (const double s2 : {-1.0, 1.0}) {
        const Ball l1 = Ball(s1) * e1, l2 = Ball(s2) * e2;
        const Ball weight = Ball(1.0) / ((Ball(1.0) + exp(-l1)) * (Ball(1.0) + exp(-l2)));
        truth += weight * one_laplace(Ball(a), Ball(epsilon) - l1 - l2);
      }
    PrivacyLoss loss = laplace(a);
    loss.compose(PrivacyLoss::two_point(Precise::exactly(e1)));
    loss.compose(PrivacyLoss::two_point(Precise::exactly(e2)));
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      EXPECT_TRUE(encloses(profile(loss, epsilon, accuracy).delta(), truth)) << i;
      EXPECT_LE(profile(loss, epsilon, accuracy).delta().relative_width(), 1e-13) << i;
    }
  }
}

TEST(LaplaceLoss, BesideAShiftAgreesWithIntegration) {
  SeededRandom random(714);
  const auto shifted = [](long double t, long double e) {
    const long double root = std::sqrt(2.0L);
    return (std::erfc((e / t - t / 2) / root) - std::exp(e) * std::erfc((e / t + t / 2) / root)) /
           2;
  };
  for (int i = 0; i < 20; ++i) {
    const double a = random.log_uniform(0.1, 2.0), t = random.log_uniform(0.2, 2.0);
    const double epsilon = random.uniform(-1.0, 2.0 * t + a);
    const long double truth =
        after_laplace(a, epsilon, {0.0L}, [&](long double e) { return shifted(t, e); });
    PrivacyLoss loss = laplace(a);
    loss.compose(PrivacyLoss::gaussian(GaussianSpectrum::shift(t, 1.0)));
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      const Enclosure value = profile(loss, epsilon, accuracy).delta();
      // The subtraction above costs the integral a few digits.
      EXPECT_LE(value.lower(), static_cast<double>(truth) * (1 + 1e-14)) << i;
      EXPECT_GE(value.upper(), static_cast<double>(truth) * (1 - 1e-14)) << i;
      EXPECT_LE(value.relative_width(), 1e-10) << i;
    }
  }
}

TEST(LaplaceLoss, TailsAgreeWithTheLaw) {
  SeededRandom random(715);
  const PrecisionScope scope(truth_bits);
  for (int i = 0; i < 200; ++i) {
    const double range = random.log_uniform(0.01, 20.0),
                 threshold = range * random.uniform(-1.2, 1.2);
    const DirectedLoss loss = laplace(range).forward();
    const auto value = [&](Kernel kernel) {
      return quantity(loss, threshold, kernel, Accuracy::certified).value;
    };
    // P_X[L > s] = 1 - e^{(s - a)/2} / 2 inside; P_Y[L > s] = e^{-(s + a)/2} / 2 inside.
    const bool inside = std::abs(threshold) < range;
    const Ball s = threshold, a = range;
    const Ball above =
        inside ? Ball(1.0) - exp((s - a) / 2.0) / 2.0 : Ball(threshold < 0.0 ? 1.0 : 0.0);
    const Ball above_y = inside ? exp(-(s + a) / 2.0) / 2.0 : Ball(threshold < 0.0 ? 1.0 : 0.0);
    const auto overlap = [](const Ball& x, const Ball& y) {
      return arb_overlaps(x.raw(), y.raw()) != 0;
    };
    EXPECT_TRUE(overlap(value(Kernel::upper_tail), above)) << i;
    EXPECT_TRUE(overlap(value(Kernel::lower_tail), Ball(1.0) - above)) << i;
    EXPECT_TRUE(overlap(value(Kernel::tilted_upper), exp(s) * above_y)) << i;
    EXPECT_TRUE(overlap(value(Kernel::tilted_lower), exp(s) * (Ball(1.0) - above_y))) << i;
  }
}

TEST(LaplaceLoss, ManyTimesIsOneThingInEveryEngine) {
  // 401 mechanisms are too many for residues, 400 are not: the profile must not jump.
  const double epsilon = 8.0;
  const Enclosure few = profile(laplace(0.1).repeated(400.0), epsilon, Accuracy::fast).delta();
  const Enclosure more = profile(laplace(0.1).repeated(401.0), epsilon, Accuracy::fast).delta();
  EXPECT_LE(few.lower(), more.upper());
  EXPECT_NEAR(more.upper() / few.upper(), 1.0, 0.05);
}

PrivacyLoss ranged(double range) {
  const auto law = bounded_range_law(range);
  return PrivacyLoss::law(law, law);
}

// One integral over the first loss, by mpmath's quadrature to 30 digits.
TEST(BoundedRangeLoss, ComposesInClosedForm) {
  struct Row {
    PrivacyLoss first, second;
    double epsilon, delta;
  };
  const PrivacyLoss two_point = PrivacyLoss::two_point(Precise::exactly(0.375));
  for (const Row& row : {Row{ranged(0.5), ranged(0.5), 0.25, 0.07858568511574580524530455},
                         Row{ranged(0.5), ranged(1.25), 0.75, 0.09115208748374889251556172},
                         Row{ranged(0.5), ranged(1.25), -0.75, 0.5706906445988311506651397},
                         Row{ranged(0.75), laplace(0.875), 0.5, 0.2079366592999178473879342},
                         Row{ranged(0.75), two_point, 0.5, 0.08090820728029972613607246}}) {
    PrivacyLoss loss = row.first;
    loss.compose(row.second);
    const ProfilePoint point = profile(loss, row.epsilon, Accuracy::certified);
    EXPECT_TRUE(point.forward.contains(row.delta)) << row.epsilon;
    EXPECT_TRUE(point.reverse.contains(row.delta)) << row.epsilon;
    EXPECT_LT(point.forward.relative_width(), 1e-15) << row.epsilon;
  }
}

TEST(BoundedRangeLoss, HasTailsInClosedForm) {
  PrivacyLoss loss = ranged(0.5);
  loss.compose(ranged(1.25));
  const PrecisionScope scope(truth_bits);
  const auto at = [&](Kernel kernel) {
    return quantity(loss.forward(), 0.75, kernel, Accuracy::certified).value;
  };
  EXPECT_NEAR(at(Kernel::upper_tail).middle(), 0.3213097407281077057481134, 1e-16);
  const Ball difference = at(Kernel::upper_tail) - at(Kernel::tilted_upper) - at(Kernel::profile);
  EXPECT_TRUE(difference.contains_zero());
}

// Many copies: against the straight line, which knows nothing of residues.
TEST(BoundedRangeLoss, AgreesWithTheLine) {
  SeededRandom random(716);
  for (int i = 0; i < 6; ++i) {
    const double range = random.log_uniform(0.05, 0.5), count = random.whole(20, 120);
    const double epsilon = random.uniform(0.2, 3.0) * range * std::sqrt(count);
    const DirectedLoss loss = ranged(range).repeated(count).forward();
    const PrecisionScope scope(160);
    const auto line = line_profile_of_laws(loss, epsilon, Accuracy::certified);
    ASSERT_TRUE(line.has_value()) << count;
    const Ball residues = residue_quantity(loss, Ball(epsilon), Kernel::profile);
    EXPECT_TRUE(arb_overlaps(residues.raw(), line->value.raw())) << count << ", " << epsilon;
  }
}

}  // namespace
}  // namespace modicum::testing::residue_quantity_test
