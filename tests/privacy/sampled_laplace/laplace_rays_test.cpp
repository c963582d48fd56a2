#include "privacy/sampled_laplace/laplace_rays.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/engines/discretized.h"
#include "privacy/engines/engine.h"
#include "privacy/engines/quantity.h"
#include "privacy/laws/subsampled_law.h"
#include "support/reference_files.h"
#include "support/seeded_random.h"

namespace modicum::testing::laplace_rays_test {
namespace {

DirectedLoss copies_of(const SampledLaplace& noise, double count) {
  const auto law = subsampled_laplace_law(noise.range, noise.rate);
  DirectedLoss loss;
  loss.laws.push_back({noise.reversed ? reversed(law) : law, count});
  return loss;
}

SampledLaplace sampled(double range, double rate, bool reversed = false) {
  return {Precise::exactly(range), rate, reversed};
}

// The largest loss of so many copies.
double largest(const SampledLaplace& noise, double count) {
  const LaplaceLine::Law law(noise);
  const Ball high = law.low + law.width;
  return count * (noise.reversed ? -law.low : high).middle();
}

TEST(LaplaceRays, HoldTheSumsOverAtoms) {
  for (const auto& row : read_reference("sampled_laplace")) {
    if (row.contains("scale")) continue;  // below
    SCOPED_TRACE(row.dump());
    const SampledLaplace noise = sampled(row.at("range"), row.at("rate"), row.at("reverse"));
    const auto path = LaplaceRays::make(noise, row.at("copies"), row.at("epsilon"));
    ASSERT_TRUE(path.has_value());
    const double truth = std::stod(row.at("delta").get<std::string>());
    const Ball found = path->at(row.at("epsilon")).widened(Ball(4e-16 * truth));
    EXPECT_LE(found.lower(), truth);
    EXPECT_GE(found.upper(), truth);
    EXPECT_LE(path->width(), 2e-13);
  }
}

// Ranges that are no doubles, and so many copies that what is wrong with the moment shows.
TEST(LaplaceRays, HoldManyCopiesWhereTheRangeIsNoDouble) {
  for (const auto& row : read_reference("sampled_laplace")) {
    if (!row.contains("scale")) continue;
    SCOPED_TRACE(row.dump());
    const SampledLaplace noise{Precise::ratio(1.0, row.at("scale")), row.at("rate"),
                               row.at("reverse")};
    const auto path = LaplaceRays::make(noise, row.at("copies"), row.at("epsilon"));
    ASSERT_TRUE(path.has_value());
    const double truth = std::stod(row.at("delta").get<std::string>());
    const Ball found = path->at(row.at("epsilon"));
    EXPECT_LE(found.lower(), truth);
    EXPECT_GE(found.upper(), truth);
    EXPECT_LE(path->width(), 1e-12);
  }
}

// Bins and their sums share nothing with the parts of the moment.
TEST(LaplaceRays, LieWithinTheBoundsOfTheLattice) {
  SeededRandom random(5121);
  for (int i = 0; i < 30; ++i) {
    const SampledLaplace noise = sampled(random.log_uniform(0.02, 5.0),
                                         random.log_uniform(1e-4, 0.98), random.whole(0, 1) == 1);
    const double count = random.whole(2, 60);
    const double shift = largest(noise, count) * random.uniform(0.02, 0.9);
    SCOPED_TRACE(::testing::Message() << noise.range.high << ' ' << noise.rate << ' '
                                      << noise.reversed << ' ' << count << ' ' << shift);
    const auto path = LaplaceRays::make(noise, count, shift);
    ASSERT_TRUE(path.has_value());
    const QuantityValue lattice =
        DiscretizedProfile(copies_of(noise, count), Accuracy::certified).at(shift);
    EXPECT_TRUE(arb_overlaps(path->at(shift).raw(), lattice.value.raw()));
    EXPECT_LE(path->width(), 1e-11);
  }
}

// Many copies fall along a straight line, in balls.
TEST(LaplaceRays, AgreeWithTheStraightLine) {
  for (const bool reverse : {false, true})
    for (const double rate : {0.01, 0.2, 0.7}) {
      const SampledLaplace noise = sampled(1.0, rate, reverse);
      const double shift = 0.05 * largest(noise, 1000.0);
      const auto path = LaplaceRays::make(noise, 1000.0, shift);
      ASSERT_TRUE(path.has_value());
      const auto line = line_profile_of_laws(copies_of(noise, 1000.0), shift, Accuracy::certified);
      ASSERT_TRUE(line.has_value());
      EXPECT_TRUE(arb_overlaps(path->at(shift).raw(), line->value.raw()));
      EXPECT_LE(path->width(), 1e-11);
    }
}

TEST(LaplaceRays, ServeCloseShifts) {
  for (const bool reverse : {false, true}) {
    const SampledLaplace noise = sampled(0.5, 0.1, reverse);
    const auto path = LaplaceRays::make(noise, 50.0, 1.0);
    ASSERT_TRUE(path.has_value());
    for (const double shift : {0.5, 0.9, 0.99, 1.01, 1.1, 1.5}) {
      const auto own = LaplaceRays::make(noise, 50.0, shift);
      ASSERT_TRUE(own.has_value());
      EXPECT_TRUE(arb_overlaps(path->at(shift).raw(), own->at(shift).raw())) << shift;
    }
    EXPECT_LE(path->at(1.01).enclosure().relative_width(), 1e-11);
  }
}

TEST(LaplaceRays, AreWhatCopiesAreAskedFor) {
  for (const bool reverse : {false, true})
    for (const double count : {2.0, 3.0, 10.0, 100.0, 1000.0}) {
      const SampledLaplace noise = sampled(0.7, 0.05, reverse);
      const double shift = 0.1 * largest(noise, count);
      for (const Accuracy accuracy : {Accuracy::automatic, Accuracy::fast, Accuracy::certified}) {
        const QuantityValue found =
            quantity(copies_of(noise, count), shift, Kernel::profile, accuracy);
        EXPECT_EQ(found.proof, Proof::certified);
        EXPECT_LE(found.value.enclosure().relative_width(), 1e-12) << count;
      }
    }
}

TEST(LaplaceRays, StayTrueAtExtremes) {
  struct Extreme {
    double range, rate;
  };
  for (const Extreme& extreme : {Extreme{1.0, 1e-6}, Extreme{1.0, 1.0 - 1e-9}, Extreme{1e-6, 0.3},
                                 Extreme{12.0, 0.01}, Extreme{1e-4, 1e-4}, Extreme{15.0, 1e-6}})
    for (const bool reverse : {false, true})
      for (const double count : {2.0, 3.0, 100.0, 1000.0}) {
        const SampledLaplace noise = sampled(extreme.range, extreme.rate, reverse);
        double last = 1.0;
        for (const double part : {1e-6, 0.05, 0.3, 0.9, 0.999}) {
          const double shift = part * largest(noise, count);
          SCOPED_TRACE(::testing::Message() << extreme.range << ' ' << extreme.rate << ' '
                                            << reverse << ' ' << count << ' ' << shift);
          const auto path = LaplaceRays::make(noise, count, shift);
          if (!path) continue;
          const Ball found = path->at(shift);
          EXPECT_LE(found.lower(), last);  // it falls
          if (path->width() < 1e-6) last = found.upper();
        }
      }
}

// Up to the largest loss, where all copies at it are nearly all of delta.
TEST(LaplaceRays, FallToTheLargestLoss) {
  const SampledLaplace noise = sampled(1.0, 0.1);
  const PrecisionScope scope(128);
  const LaplaceLine::Law law(noise);
  const Ball high = law.low + law.width, mass = exp(high - law.range) / 2.0;
  for (const double count : {2.0, 10.0, 100.0}) {
    const double end = (high * Ball(count)).lower();
    for (const double left : {1e-2, 1e-4}) {
      const double shift = end - left * law.width.middle();
      const auto path = LaplaceRays::make(noise, count, shift);
      ASSERT_TRUE(path.has_value());
      Ball least = -expm1(Ball(shift) - high * Ball(count));
      for (double k = 0.0; k < count; k += 1.0) least *= mass;
      EXPECT_GE(path->at(shift).upper(), least.lower());
      EXPECT_LE(path->width(), 1e-9);
      EXPECT_LE(path->at(shift).lower() / least.upper(), 1.0 + 4.0 * count * left) << count;
    }
  }
}

}  // namespace
}  // namespace modicum::testing::laplace_rays_test
