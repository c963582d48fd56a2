#include "mechanisms/suprema/moving_moment.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechanisms/lifting/lifted_pairs.h"
#include "mechanisms/regression/least_squares_cover.h"
#include "support/seeded_random.h"

namespace modicum::testing::moving_moment_test {
namespace {

using Complex = std::complex<double>;

ComplexBall ball(Complex z) { return {Ball(z.real()), Ball(z.imag())}; }
Complex number(const ComplexBall& z) { return {z.real().middle(), z.imaginary().middle()}; }

// A family, a stretch of it and a place off the real axis.
struct Case {
  MovingSpectrum spectrum;
  double middle, radius;
  bool reversed;
  Complex z;

  MovingMoment moment() const { return {spectrum, middle, radius, reversed}; }
  // K at the place for a parameter of the stretch, in balls, by the formula for one pair.
  ComplexBall value_in_balls(Complex at, double tau) const {
    const Ball parameter = Ball(middle) + Ball(tau);
    const ComplexBall one{Ball(1.0)}, place = reversed ? -(ball(at) + one) : ball(at);
    ComplexBall sum;
    for (const MovingCoordinates& each : spectrum) {
      const Ball d = each.denominator.at(parameter), t = each.excess.at(parameter) / d;
      const Ball m = each.mean_square.at(parameter) / d;
      sum += place * (place + one) / (one - place * t) * (m / 2.0) -
             (place * log1p_minus(t) + log1p_minus(-(place * t))) * Ball(0.5 * each.multiplicity);
    }
    return sum;
  }
  Complex value(Complex at, double tau) const { return number(value_in_balls(at, tau)); }
};

Case random_case(SeededRandom& random, int i) {
  const double leverage = random.log_uniform(0.01, 0.6), part = leverage * random.unit();
  const LeastSquaresCover cover(std::floor(random.log_uniform(1.0, 1e4)),
                                std::floor(random.log_uniform(1.0, 50.0)),
                                {{0.0, leverage, leverage, leverage},
                                 {part, part, part, leverage},
                                 {0.0, leverage - part, part, leverage}});
  const MovingSpectrum lifted =
      LiftedPairs({random.log_uniform(0.02, 3.0), random.log_uniform(1e-3, 2.0),
                   std::floor(random.log_uniform(1.0, 20.0))})
          .moving();
  const double radius = random.log_uniform(1e-3, 0.1);
  return {i % 4 == 3 ? lifted : cover.moving()[i % 4],
          random.uniform(radius, 1.0 - radius),
          radius,
          random.unit() < 0.5,
          {random.log_uniform(0.1, 10.0), random.log_uniform(0.1, 10.0)}};
}

TEST(MovingMoment, IsEnclosedByADisc) {
  SeededRandom random(1810);
  const PrecisionScope scope(160);
  for (int i = 0; i < 200; ++i) {
    const Case one = random_case(random, i);
    const Complex z = i % 3 == 0 ? one.z.real() : one.z;
    const Disc disc = one.moment().at_middle(Disc(z, 0.0));
    const ComplexBall truth = one.value_in_balls(z, 0.0);
    if (!disc.finite() || !truth.finite()) continue;  // at a pole
    EXPECT_LE(abs(truth - ball(disc.middle())).upper(), disc.radius()) << i;
    EXPECT_LE(disc.radius(), 1e-11 * (1.0 + disc.most())) << i;
  }
}

TEST(MovingMoment, ExpandsTheIntegrandInPowersOfTheParameter) {
  SeededRandom random(1811);
  const PrecisionScope scope(96);
  int told = 0;
  for (int i = 0; i < 200; ++i) {
    const Case one = random_case(random, i);
    const ParameterSeries series = one.moment().series(Disc(one.z, 0.0));
    const double error = series.error_of_exponential();
    if (!(error < 1.0)) continue;
    ++told;
    const ParameterSeries::Coefficients powers = series.exponential();
    for (const double tau : {-one.radius, -0.3 * one.radius, 0.7 * one.radius, one.radius}) {
      Complex sum = 0.0;
      for (std::size_t j = powers.size(); j-- > 0;) sum = sum * tau + powers[j];
      const Complex moved = one.value(one.z, tau) - one.value(one.z, 0.0);
      EXPECT_LE(std::abs(sum - std::exp(moved)), error) << i;
      EXPECT_LE(std::abs(moved), series.reach()) << i;
    }
  }
  EXPECT_GT(told, 100);
}

TEST(MovingMoment, BoundsWhatLiesAround) {
  SeededRandom random(1812);
  const PrecisionScope scope(96);
  int told = 0;
  for (int i = 0; i < 200; ++i) {
    const Case one = random_case(random, i);
    const MovingMoment moment = one.moment();
    const ParameterSeries series = moment.series(Disc(one.z, 0.0));
    const double distance = one.z.imag() * random.uniform(0.05, 0.9), shift = random.unit();
    const double own = moment.growth(Disc(one.z, 0.0), distance, shift),
                 both = own + series.reach() + series.further_reach(distance);
    const Complex first = one.value(one.z, 0.0);
    for (int k = 0; k < 8; ++k) {
      const Complex d = std::polar(distance * random.unit(), 6.3 * random.unit());
      const double tau = one.radius * random.uniform(-1.0, 1.0);
      const auto moved = [&](double at) {
        return std::abs(one.value(one.z + d, at) - first - shift * d);
      };
      if (!std::isfinite(both)) continue;
      EXPECT_LE(moved(0.0), own * (1.0 + 1e-12)) << i;
      EXPECT_LE(moved(tau), both * (1.0 + 1e-12)) << i;
      ++told;
    }
  }
  EXPECT_GT(told, 400);
}

TEST(MovingMoment, FallsAlongVerticalRays) {
  SeededRandom random(1813);
  const PrecisionScope scope(96);
  int told = 0;
  for (int i = 0; i < 200; ++i) {
    const Case one = random_case(random, i);
    const MovingMoment::Ray ray = one.moment().ray(ball(one.z));
    if (!ray.bound.finite()) continue;
    ++told;
    for (const double tau : {-one.radius, 0.2 * one.radius, one.radius})
      for (const double further : {1.1, 2.0, 30.0}) {
        const Complex above{one.z.real(), further * one.z.imag()};
        EXPECT_LE(one.value(above, tau).real(), one.value(one.z, tau).real() + ray.bound.upper() -
                                                    ray.power.lower() * std::log(further) + 1e-9)
            << i;
      }
  }
  EXPECT_GT(told, 100);
}

TEST(MovingMoment, IsAtMostWhatItSaysBetweenThePoles) {
  SeededRandom random(1814);
  const PrecisionScope scope(96);
  int told = 0;
  for (int i = 0; i < 200; ++i) {
    const Case one = random_case(random, i);
    const double most = one.moment().most(one.z.real());
    if (!(most < infinity)) continue;
    ++told;
    for (const double tau : {-one.radius, 0.1 * one.radius, one.radius})
      EXPECT_LE(one.value(one.z.real(), tau).real(), most) << i;
  }
  EXPECT_GT(told, 80);
}

}  // namespace
}  // namespace modicum::testing::moving_moment_test
