#include "modicum/mechanisms/random_allocation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "mechanisms/sampling/allocated_ratio.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/subsampled.h"
#include "modicum/privacy/profile.h"
#include "support/refusals.h"

namespace modicum::testing::random_allocation_test {
namespace {

struct Deltas {
  double forward, reverse;
};
Deltas deltas_of(const PrivacyLoss& loss, double epsilon) {
  const ProfilePoint point = profile(loss, epsilon, Accuracy::certified);
  return {point.forward.upper(), point.reverse.upper()};
}
void expect_just_above(double found, double truth, double width) {
  EXPECT_GE(found, truth * (1.0 - 1e-9));
  EXPECT_LE(found, truth * (1.0 + width));
}

TEST(RandomAllocation, ToOneBatchIsTheGaussianMechanism) {
  const PrivacyLoss gaussian = gaussian_mechanism(2.0, 1.0);
  EXPECT_FALSE(allocated_gaussian(2.0, 1.0, 1.0).is_upper_bound());
  EXPECT_EQ(deltas_of(allocated_gaussian(2.0, 1.0, 1.0), 0.5).forward,
            deltas_of(gaussian, 0.5).forward);
  EXPECT_EQ(deltas_of(allocated_gaussian(2.0, 0.0, 10.0), 0.0).forward, 0.0);
}

double normal_below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// E[(X - k)_+] and E[(k - X)_+] for X = e^g, g of N(-mu^2/2, mu^2).
double call(double mu, double k) {
  if (k <= 0.0) return 1.0 - k;
  const double d = -std::log(k) / mu + 0.5 * mu;
  return normal_below(d) - k * normal_below(d - mu);
}
double put(double mu, double k) {
  if (k <= 0.0) return 0.0;
  const double d = -std::log(k) / mu + 0.5 * mu;
  return k * normal_below(mu - d) - normal_below(-d);
}

// Two batches: one factor is integrated in closed form, the other by the trapezium rule.
Deltas two_batches(double mu, double epsilon) {
  const double high = 2.0 * std::exp(epsilon), low = 2.0 * std::exp(-epsilon);
  Deltas sum{0.0, 0.0};
  constexpr double step = 1e-3;
  for (double g = -10.0; g <= 10.0 + mu; g += step) {
    const double x = std::exp(mu * g - 0.5 * mu * mu);
    const double density = std::exp(-0.5 * g * g) / std::sqrt(2.0 * M_PI) * step;
    sum.forward += density * call(mu, high - x) / 2.0;
    sum.reverse += density * put(mu, low - x) / low;
  }
  return sum;
}

TEST(RandomAllocation, ToTwoBatchesIsThatOfAQuadrature) {
  for (const double mu : {0.05, 1.0, 3.0}) {
    const PrivacyLoss loss = allocated_gaussian(1.0 / mu, 1.0, 2.0);
    for (const double epsilon : {0.1 * mu, mu, 2.0 * mu}) {
      const Deltas truth = two_batches(mu, epsilon), found = deltas_of(loss, epsilon);
      expect_just_above(found.forward, truth.forward, 1e-3);
      expect_just_above(found.reverse, truth.reverse, 1e-3);
    }
  }
}

// By Gil-Pelaez's inversion of the characteristic functions of S and of S weighted by S, with
// numpy: Simpson's rule of 16000 steps, 40000 nodes for the characteristic function.
TEST(RandomAllocation, ToManyBatchesIsThatOfAnInversion) {
  struct Row {
    double mu, batches, epsilon;
    Deltas truth;
  };
  for (const Row& row : {Row{0.5, 10.0, 0.1, {0.0298136090065, 0.0294126860375}},
                         Row{0.5, 10.0, 0.5, {0.000113084995658, 7.17262403175e-05}},
                         Row{0.5, 10.0, 1.0, {2.849257e-09, 2.0546e-11}},
                         Row{1.0, 100.0, 0.1, {0.0178823247853, 0.0163034489141}},
                         Row{1.0, 100.0, 0.3, {0.000968835863669, 0.000352375210054}},
                         Row{1.0, 100.0, 0.5, {4.40890803299e-05, 5.92528372571e-07}}}) {
    const Deltas found = deltas_of(allocated_gaussian(1.0 / row.mu, 1.0, row.batches), row.epsilon);
    const double digits = row.epsilon == 1.0 ? 1e-4 : 1e-6;  // of the table
    EXPECT_GE(found.forward, row.truth.forward * (1.0 - digits)) << row.batches << row.epsilon;
    EXPECT_GE(found.reverse, row.truth.reverse * (1.0 - digits)) << row.batches << row.epsilon;
    EXPECT_LE(found.forward, row.truth.forward * 1.003) << row.batches << row.epsilon;
    EXPECT_LE(found.reverse, row.truth.reverse * 1.003) << row.batches << row.epsilon;
  }
}

// Sums of conditional means: by Jensen's inequality below every convex function of S.
struct Means {
  std::vector<double> values, masses;
};
Means sum_of_means(const Means& a, const Means& b, double width) {
  std::map<long, std::pair<double, double>> cells;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    for (std::size_t j = 0; j < b.values.size(); ++j) {
      const double value = a.values[i] + b.values[j], mass = a.masses[i] * b.masses[j];
      auto& cell = cells[std::lround(std::log(value) / width)];
      cell.first += mass;
      cell.second += mass * value;
    }
  Means sum;
  for (const auto& [place, cell] : cells) {
    sum.values.push_back(cell.second / cell.first);
    sum.masses.push_back(cell.first);
  }
  return sum;
}

TEST(RandomAllocation, IsAboveAndNearSumsOfConditionalMeans) {
  for (const double mu : {0.2, 2.0}) {
    Means sum;
    for (double g = -9.0; g < 9.0 + mu; g += 0.05) {
      const double q = normal_below(g + 0.05) - normal_below(g);
      const double p = normal_below(g + 0.05 - mu) - normal_below(g - mu);
      if (!(q > 1e-18)) continue;
      sum.values.push_back(p / q);
      sum.masses.push_back(q);
    }
    double width = 0.05 * mu;
    for (int level = 0; level < 4; ++level, width *= 0.75) sum = sum_of_means(sum, sum, width);
    const PrivacyLoss loss = allocated_gaussian(1.0, mu, 16.0);
    for (const double epsilon : {0.0, 0.2 * mu, 0.5 * mu}) {
      double forward = 0.0, reverse = 0.0;
      for (std::size_t i = 0; i < sum.values.size(); ++i) {
        const double ratio = sum.values[i] / 16.0;
        forward += sum.masses[i] * std::max(0.0, ratio - std::exp(epsilon));
        reverse += sum.masses[i] * std::max(0.0, 1.0 - std::exp(epsilon) * ratio);
      }
      const Deltas found = deltas_of(loss, epsilon);
      expect_just_above(found.forward, forward, 0.05);
      expect_just_above(found.reverse, reverse, 0.05);
    }
  }
}

TEST(RandomAllocation, FallsWithBatchesAndNoise) {
  PrivacyLoss last = gaussian_mechanism(1.0, 1.0);
  for (const double batches : {2.0, 3.0, 12.0}) {
    const PrivacyLoss loss = allocated_gaussian(1.0, 1.0, batches),
                      quieter = allocated_gaussian(1.1, 1.0, batches);
    for (const double epsilon : {0.0, 0.2, 1.0}) {
      const Deltas found = deltas_of(loss, epsilon), before = deltas_of(last, epsilon);
      EXPECT_LT(found.forward, before.forward);
      EXPECT_LT(found.reverse, before.reverse);
      EXPECT_LT(deltas_of(quieter, epsilon).forward, found.forward);
    }
    last = loss;
  }
}

// Near Poisson sampling of as many steps; and two epochs are one after the other.
TEST(RandomAllocation, Composes) {
  const PrivacyLoss epoch = allocated_gaussian(2.0, 1.0, 20.0), ten = epoch.repeated(10.0);
  const double poisson =
      epsilon_at(subsampled_gaussian(2.0, 1.0, 0.05).repeated(200.0), 1e-6).value.upper();
  const double found = epsilon_at(ten, 1e-6, Accuracy::certified).value.upper();
  EXPECT_LT(found, poisson);
  EXPECT_GT(found, 0.9 * poisson);
  EXPECT_GT(found, epsilon_at(epoch.repeated(9.0), 1e-6).value.upper());
  EXPECT_TRUE(ten.is_upper_bound());
  PrivacyLoss beside = epoch;
  beside.compose(gaussian_mechanism(3.0, 1.0));
  EXPECT_GT(deltas_of(beside, 0.5).forward, deltas_of(epoch, 0.5).forward);
  EXPECT_LT(deltas_of(beside, 0.5).forward, 1.0);
}

TEST(RandomAllocation, KeepsMassAndMeanAtTheEnds) {
  constexpr double roughly = 0.1;
  for (const double mu : {1e-6, 0.2499, 0.25, 5.0, 24.0})
    for (const double batches : {2.0, 127.0, 1e7}) {
      const SpreadMeasure ratio = allocated_ratio(Ball(mu), batches, roughly);
      double mass = ratio.at_zero, mean = ratio.beyond;
      for (std::size_t i = 0; i < ratio.points.size(); ++i) {
        mass += ratio.masses[i];
        mean += ratio.masses[i] * ratio.value(i);
      }
      EXPECT_GE(mass, 1.0 - 1e-12) << mu << " " << batches;
      EXPECT_LE(mass, 1.0 + 1e-4) << mu << " " << batches;
      EXPECT_GE(mean / batches, 1.0 - 1e-12) << mu << " " << batches;
      EXPECT_LE(mean / batches, 1.0 + 1e-4) << mu << " " << batches;
      EXPECT_LE(ratio.at_zero, 1e-25) << mu << " " << batches;
      EXPECT_LE(ratio.beyond / batches, 1e-25) << mu << " " << batches;
    }
}

TEST(RandomAllocation, HasNoAmplificationWhereNoneIsProved) {
  for (const double deviation : {0.01, 1e9}) {
    const PrivacyLoss loss = allocated_gaussian(deviation, 1.0, 50.0);
    EXPECT_TRUE(loss.is_upper_bound());
    EXPECT_EQ(deltas_of(loss, 0.0).forward,
              deltas_of(gaussian_mechanism(deviation, 1.0), 0.0).forward);
  }
}

TEST(RandomAllocation, IsCalibratedCloselyAndProved) {
  const PrivacyTarget target(0.5, 1e-6);
  const Calibration found = calibrate_allocated_gaussian(target, 2.0, 8.0, 3.0);
  const auto delta = [&](double noise) {
    return deltas_of(allocated_gaussian(noise, 2.0, 8.0).repeated(3.0), 0.5).forward;
  };
  EXPECT_EQ(found.achieved.proof, Proof::certified);
  EXPECT_LE(delta(found.parameter), 1e-6);
  EXPECT_GT(delta(found.parameter * (1.0 - 1e-5)), 1e-6);
  EXPECT_THROW(calibrate_allocated_gaussian({1.0, 0.0}, 1.0, 8.0, 1.0), CalibrationFailed);
}

TEST(RandomAllocation, RefusesBadParameters) {
  const auto with = [](double deviation, double sensitivity, double batches) {
    return [=] { return allocated_gaussian(deviation, sensitivity, batches); };
  };
  for (const double bad : {0.0, -1.0, 1.5, not_a_number, infinity, 1e8})
    EXPECT_TRUE(refuses("batches", with(1.0, 1.0, bad))) << bad;
  EXPECT_TRUE(refuses("standard_deviation", with(not_a_number, 1.0, 2.0)));
  EXPECT_TRUE(refuses("sensitivity", with(1.0, not_a_number, 2.0)));
}

}  // namespace
}  // namespace modicum::testing::random_allocation_test
