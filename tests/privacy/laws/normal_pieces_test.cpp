#include "privacy/laws/normal_pieces.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/laws/objective_law.h"
#include "privacy/laws/tied_law.h"
#include "support/seeded_random.h"

namespace modicum::testing::normal_pieces_test {
namespace {

std::shared_ptr<const LossLaw> random_law(SeededRandom& random) {
  const Precise a = Precise::exactly(random.log_uniform(0.01, 20.0));
  const Ball offset = random.unit() < 0.5 ? 0.0 : random.log_uniform(1e-3, 3.0);
  const double kind = random.unit();
  if (kind < 0.25) return cut_normal_law(offset, a);
  if (kind < 0.5) return folded_normal_law(offset, a);
  const SlopeTie tie = kind < 0.75 ? SlopeTie::logistic : SlopeTie::log_cosh;
  return tied_law(tie, Ball(random.log_uniform(1e-4, 30.0)), a);
}

// The second route: Arb's error function in balls of 300 bits.
TEST(NormalPieces, QuickMomentsContainThoseInBalls) {
  SeededRandom random(7);
  for (int i = 0; i < 400; ++i) {
    const auto law = random_law(random);
    const PrecisionScope scope(300);
    const double center = random.log_uniform(0.01, 300.0);
    const Ball c = center, size = law->moment(c).value;
    const MomentLine quick = law->quick_moment_line(c), slow = law->moment_line(c, 1.0);
    for (int k = 0; k < 10; ++k) {
      const Ball y = k == 0 ? 0.0 : random.log_uniform(1e-4, 100.0);
      const ComplexBall one = quick(y), other = slow(y), gap = one - other;
      EXPECT_TRUE(acb_contains_zero(gap.raw())) << i << ' ' << k;
      EXPECT_LE(one.real().upper() - one.real().lower(), 1e-12 * (1.0 + y.middle()) * size.upper())
          << i << ' ' << k << ' ' << center;
      if (k == 0) {
        EXPECT_TRUE(arb_overlaps(one.real().raw(), size.raw())) << i;
      }
    }
  }
}

// Off the line, where the integral of a few copies goes.
TEST(NormalPieces, QuickMomentsContainThoseInBallsOffTheLine) {
  SeededRandom random(8);
  for (int i = 0; i < 400; ++i) {
    const PrecisionScope scope(300);
    const Precise a = Precise::exactly(random.log_uniform(0.01, 20.0));
    const auto law = random.unit() < 0.5 ? cut_normal_law(Ball(0.2), a) : folded_normal_law(0.2, a);
    const auto& objective = dynamic_cast<const ObjectiveLaw&>(*law);
    const Ball c = random.log_uniform(0.01, 100.0);
    const Ball value = log(objective.moment_above(ComplexBall(c)).real());
    const QuickMoment quick(objective.pieces(), c, value);
    const double reach = random.log_uniform(1e-3, 50.0) / a.high;
    const std::complex<double> d(0.5 * reach, 0.75 * reach);
    const ComplexBall place = ComplexBall(c) + ComplexBall(Ball(d.real()), Ball(d.imag()));
    const ComplexBall truth = objective.moment_above(place) * exp(-quick.log_scale());
    const Disc found = quick.at(Disc(d, 0.0));
    if (!truth.finite() || abs(truth).upper() > 1e300) continue;  // no doubles
    const ComplexBall middle(Ball(found.middle().real()), Ball(found.middle().imag()));
    EXPECT_LE(abs(truth - middle).lower(), found.radius()) << i;
    EXPECT_LE(abs(truth).lower(), std::exp(quick.log_most(d * 0.9, 0.1001 * std::abs(d)))) << i;
    EXPECT_LE(found.radius(), 1e-11 * std::max(1.0, found.most())) << i;
  }
}

}  // namespace
}  // namespace modicum::testing::normal_pieces_test
