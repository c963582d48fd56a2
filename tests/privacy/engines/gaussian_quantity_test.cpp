// Gaussian spectra by routes that do not share a formula with the contour integral.
#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/gaussian_pair.h"
#include "modicum/privacy/profile.h"
#include "privacy/engines/quantity.h"
#include "privacy/gaussian/gaussian_moment.h"
#include "support/closed_forms.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::gaussian_quantity_test {
namespace {

Enclosure delta(const GaussianSpectrum& spectrum, double epsilon, Accuracy accuracy) {
  return directed_delta(PrivacyLoss::gaussian(spectrum).forward(), epsilon, accuracy).value;
}

// ---------------------------------------------------------------------------- closed forms

TEST(EqualCovariances, FastEstimatesHoldTheClosedForm) {
  SeededRandom random(201);
  for (int i = 0; i < 20000; ++i) {
    const double distance = random.log_uniform(1e-4, 30.0);
    const double epsilon = random.sign() * random.log_uniform(1e-5, 60.0);
    if (epsilon / distance - distance / 2.0 > 36.0) continue;  // below 1e-280
    const Ball truth = equal_covariance_delta(distance, epsilon);
    const Enclosure value = delta(GaussianSpectrum::shift(distance, 1.0), epsilon, Accuracy::fast);
    EXPECT_TRUE(encloses(value, truth)) << distance << " at " << epsilon;
    EXPECT_LE(relative_error(value, truth), 1e-12) << distance << " at " << epsilon;
  }
}

TEST(EqualCovariances, CertifiedEnclosuresHoldTheClosedForm) {
  SeededRandom random(202);
  for (int i = 0; i < 2000; ++i) {
    const double distance = random.log_uniform(1e-4, 30.0);
    const double epsilon = random.sign() * random.log_uniform(1e-5, 60.0);
    const Ball truth = equal_covariance_delta(distance, epsilon);
    const Enclosure value =
        delta(GaussianSpectrum::shift(distance, 1.0), epsilon, Accuracy::certified);
    EXPECT_TRUE(encloses(value, truth)) << distance << " at " << epsilon;
    if (truth.lower() > 1e-300) {
      EXPECT_LE(value.relative_width(), 1e-15) << distance << " at " << epsilon;
    }
  }
}

// The closed form serves shifts alone; ratios on both sides of 1 force the general integral, and
// their mean is the closed form up to the square of the step.
TEST(EqualCovariances, TheGeneralIntegralAgreesNextToThem) {
  SeededRandom random(203);
  for (int i = 0; i < 40; ++i) {
    const PrecisionScope scope(truth_bits);
    const double distance = random.log_uniform(1e-2, 5.0), step = 0x1p-52;
    const double epsilon = distance * random.uniform(-3.0, 8.0);
    const auto at = [&](double ratio) {
      const Enclosure value =
          delta(GaussianSpectrum::component(distance, ratio), epsilon, Accuracy::certified);
      EXPECT_LE(value.relative_width(), 1e-15);
      return Ball::between(value.lower(), value.upper());
    };
    const Ball mean = (at(1.0 + step) + at(1.0 - step)) / 2.0;
    const Ball truth = equal_covariance_delta(distance, epsilon);
    EXPECT_LE((abs(mean - truth) / truth).upper(), 1e-15) << distance << " at " << epsilon;
  }
}

TEST(CentralSpectra, AgreeWithIncompleteGammaFunctions) {
  SeededRandom random(204);
  for (int i = 0; i < 250; ++i) {
    const double columns = std::floor(random.log_uniform(1.0, 3000.0));
    const double ratio = 1.0 + random.log_uniform(1e-6, 10.0);
    const auto rho = [&] { return Ball(ratio); };
    // Around the bulk of the loss, whose standard deviation is sqrt(r/2) (rho - 1).
    const double spread = std::sqrt(columns / 2.0) * (ratio - 1.0);
    const double epsilon = spread * random.uniform(-4.0, 6.0);
    SCOPED_TRACE(::testing::Message()
                 << columns << " columns, ratio " << ratio << " at " << epsilon);
    const GaussianSpectrum spectrum = GaussianSpectrum::component(0.0, ratio, columns);
    const Ball forward = larger_variance_first(columns, rho, epsilon);
    const Ball reverse = smaller_variance_first(columns, rho, epsilon);
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      const Enclosure first = delta(spectrum, epsilon, accuracy);
      const Enclosure second = delta(spectrum.reversed(), epsilon, accuracy);
      EXPECT_TRUE(encloses(first, forward));
      EXPECT_TRUE(encloses(second, reverse));
      EXPECT_EQ(second.is_exactly_zero(), reverse.exactly_zero());
      if (forward.lower() > 1e-300) {
        EXPECT_LE(relative_distance(first, forward), 1e-11);
      }
      if (reverse.lower() > 1e-300) {
        EXPECT_LE(relative_distance(second, reverse), 1e-11);
      }
    }
  }
}

TEST(CentralSpectra, AgreeWithIncompleteGammaFunctionsAtAMillionColumns) {
  for (const double epsilon : {-1.0, 0.0, 0.5, 3.0}) {
    const GaussianSpectrum spectrum = GaussianSpectrum::component(0.0, 1.001, 1e6);
    const auto rho = [] { return Ball(1.001); };
    const Ball forward = larger_variance_first(1e6, rho, epsilon);
    const Ball reverse = smaller_variance_first(1e6, rho, epsilon);
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      const Enclosure first = delta(spectrum, epsilon, accuracy);
      const Enclosure second = delta(spectrum.reversed(), epsilon, accuracy);
      EXPECT_TRUE(encloses(first, forward)) << epsilon;
      EXPECT_TRUE(encloses(second, reverse)) << epsilon;
      EXPECT_LE(relative_distance(first, forward), 1e-12);
      EXPECT_LE(relative_distance(second, reverse), 1e-12);
    }
  }
}

// At epsilon = 0 delta is the mass of chi2(n) between t and tau t, L vanishing at the latter: with
// u = log R, the integral of exp(k u - e^u / 2) / (2^k Gamma(k)), k = n/2, over a short interval.
Ball central_total_variation(double ratio, double count) {
  const PrecisionScope scope(400);
  const Ball k = Ball(count) / 2.0, tau = ratio;
  const Ball low = log(Ball(count) * log(tau) / (tau - 1.0)), width = log(tau);
  Ball log_gamma;
  arb_hypgeom_lgamma(log_gamma.raw(), k.raw(), 400);
  const Ball norm = k * log(Ball(2.0)) + log_gamma;
  // Six-point Gauss-Legendre on 64 pieces: for the widths below the error is under 1e-30.
  const double x[] = {0.2386191860831969086305017, 0.6612093864662645136613996,
                      0.9324695142031520278123016};
  Ball sum;
  const int pieces = 64;
  for (int piece = 0; piece < pieces; ++piece)
    for (int i = 0; i < 3; ++i)
      for (const double side : {-1.0, 1.0}) {
        // The weights follow from the nodes: w = 2 / ((1 - x^2) P6'(x)^2), nodes refined below.
        Ball node = Ball(x[i]);
        const auto legendre = [](const Ball& at, Ball& derivative) {
          Ball p0 = 1.0, p1 = at;
          for (int n = 2; n <= 6; ++n) {
            const Ball next = (Ball(2.0 * n - 1.0) * at * p1 - Ball(n - 1.0) * p0) / Ball(n);
            p0 = p1;
            p1 = next;
          }
          derivative = (at * p1 - p0) * 6.0 / (at * at - 1.0);
          return p1;
        };
        Ball derivative;
        for (int step = 0; step < 3; ++step) {
          const Ball value = legendre(node, derivative);
          node = (node - value / derivative).midpoint();
        }
        legendre(node, derivative);
        const Ball weight = Ball(2.0) / ((Ball(1.0) - node * node) * derivative * derivative);
        const Ball u = low + width * (Ball(piece) + (Ball(1.0) + node * side) / 2.0) / Ball(pieces);
        sum += weight / 2.0 * exp(k * u - exp(u) / 2.0 - norm);
      }
  return (sum * width / Ball(pieces)).midpoint();
}

TEST(CentralSpectra, KeepTheirDigitsNextToEqualVariances) {
  for (const auto& [excess, count] : {std::pair{1e-12, 1e10}, std::pair{1e-9, 1e9},
                                      std::pair{1e-7, 1e10}, std::pair{1e-12, 1.0}}) {
    const double ratio = 1.0 + excess;
    const Ball truth = central_total_variation(ratio, count);
    const GaussianSpectrum spectrum = GaussianSpectrum::component(0.0, ratio, count);
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified})
      for (const GaussianSpectrum& direction : {spectrum, spectrum.reversed()}) {
        const Enclosure value = delta(direction, 0.0, accuracy);
        EXPECT_LE(relative_distance(value, truth), 1e-12)
            << excess << " x " << count << ": " << ::testing::PrintToString(value) << " against "
            << ::testing::PrintToString(truth);
      }
  }
}

TEST(CentralSpectra, TotalVariationOfAFourfoldVarianceIsKnown) {
  // 2 (Phi(t) - Phi(t/2)), t^2 = (4/3) log 4: the densities cross where L = 0.
  const Ball truth = decimal("0.3226745688347686647522049");
  const GaussianSpectrum spectrum = GaussianSpectrum::component(0.0, 4.0);
  for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
    EXPECT_TRUE(encloses(delta(spectrum, 0.0, accuracy), truth));
    EXPECT_TRUE(encloses(delta(spectrum.reversed(), 0.0, accuracy), truth));
  }
}

// ------------------------------------------------------------------------ nasty spectra

TEST(NastySpectra, BendTheRightWay) {
  struct Case {
    std::vector<Coordinate> coordinates;
    double epsilon;
    const char* truth;
  };
  // Left though the slope at infinity says right; the opposite; and one that must go right.
  for (const Case& c :
       {Case{{{0.01, 1 + 1e-6, 1}, {1, 0.5, 1}}, 1.0, "0.07762595092609891889381864"},
        Case{{{0.01, 1 - 1e-6, 1}, {1, 2.0, 1}}, 1.0, "0.1893822654078711928336955"},
        Case{{{0.1037, 1, 1}, {0.2079, 1.1552, 1}}, 4.0, "2.914727285914633197382935e-10"}}) {
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      const Enclosure value = delta(spectrum_of(c.coordinates), c.epsilon, accuracy);
      EXPECT_TRUE(encloses(value, decimal(c.truth))) << c.truth;
      EXPECT_LE(value.relative_width(), 1e-12) << c.truth;
    }
  }
}

// ------------------------------------------------------------------------ zero, and not zero

TEST(ExactZero, HoldsFromTheSupremumOnAndNotBefore) {
  SeededRandom random(205);
  for (int i = 0; i < 200; ++i) {
    GaussianSpectrum spectrum;
    const int size = random.whole(1, 3);
    double supremum = 0.0;
    for (int k = 0; k < size; ++k) {
      const double ratio = random.uniform(0.05, 0.95), mean = random.uniform(-2.0, 2.0);
      spectrum.add(GaussianSpectrum::component(mean, ratio));
      // L = -1/2 log tau - (x - m)^2 / (2 tau) + x^2 / 2 is largest at x = m / (1 - tau).
      supremum += -0.5 * std::log(ratio) + mean * mean / (2.0 * (1.0 - ratio));
    }
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      EXPECT_TRUE(delta(spectrum, supremum * (1.0 + 1e-12), accuracy).is_exactly_zero());
      EXPECT_GT(delta(spectrum, supremum * (1.0 - 1e-9), accuracy).upper(), 0.0);
      const Enclosure before = delta(spectrum, supremum * 0.9, accuracy);
      EXPECT_GT(before.lower(), 0.0) << ::testing::PrintToString(before);
      const Enclosure bound = GaussianMoment(spectrum).supremum();
      EXPECT_NEAR(bound.lower(), supremum, 1e-13 * supremum);
      EXPECT_LE(bound.relative_width(), 1e-14);
    }
  }
}

TEST(ExactZero, IsNeverClaimedWhereTheLossIsUnbounded) {
  // delta is about 1e-21715 here: representable only as [0, smallest double].
  for (const GaussianSpectrum& spectrum :
       {GaussianSpectrum::component(0.0, 1.0001), GaussianSpectrum::shift(0.1, 1.0),
        spectrum_of({{0.5, 0.5, 1.0}, {0.1, 1.0, 1.0}})})
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      const Enclosure value = delta(spectrum, 1000.0, accuracy);
      EXPECT_FALSE(value.is_exactly_zero());
      EXPECT_EQ(value.lower(), 0.0);
      EXPECT_LE(value.upper(), 1e-300);
    }
}

TEST(TinyDelta, IsAccurateDownTo1em300) {
  // delta(1, epsilon) = 1e-300 to 17 digits at the epsilon of the reference table.
  for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
    const Enclosure value =
        delta(GaussianSpectrum::shift(1.0, 1.0), 37.44884791213910494, accuracy);
    EXPECT_NEAR(value.lower() / 1e-300, 1.0, 1e-12);
    EXPECT_NEAR(value.upper() / 1e-300, 1.0, 1e-12);
  }
}

// ------------------------------------------------------------------------ other routes

// P_X[L > e] - e^e P_Y[L > e], each tail an integral of its own.
TEST(TwoDistributionFunctions, OverlapWithTheProfile) {
  SeededRandom random(206);
  for (int i = 0; i < 60; ++i) {
    const PrecisionScope scope(128);
    const GaussianSpectrum spectrum = random_spectrum(random);
    const DirectedLoss loss = PrivacyLoss::gaussian(spectrum).forward();
    const double epsilon = random.sign() * random.log_uniform(1e-3, 20.0);
    const auto value = [&](Kernel kernel) {
      return quantity(loss, epsilon, kernel, Accuracy::certified).value;
    };
    const Ball difference = value(Kernel::upper_tail) - value(Kernel::tilted_upper);
    EXPECT_TRUE(arb_overlaps(difference.raw(), value(Kernel::profile).raw()));
    // The complements: P_X[L > e] + P_X[L <= e] = 1, and for Y times e^e.
    const Ball all_x = value(Kernel::upper_tail) + value(Kernel::lower_tail);
    const Ball all_y = value(Kernel::tilted_upper) + value(Kernel::tilted_lower);
    EXPECT_TRUE(arb_contains_si(all_x.raw(), 1)) << ::testing::PrintToString(all_x);
    EXPECT_TRUE(arb_overlaps(all_y.raw(), exp(Ball(epsilon)).raw()))
        << ::testing::PrintToString(all_y);
  }
}

TEST(TwoDistributionFunctions, OverlapWithTheProfileInDoubles) {
  SeededRandom random(207);
  for (int i = 0; i < 3000; ++i) {
    const PrecisionScope scope(128);
    const DirectedLoss loss = PrivacyLoss::gaussian(random_spectrum(random)).forward();
    const double epsilon = random.sign() * random.log_uniform(1e-3, 20.0);
    const auto value = [&](Kernel kernel) {
      return quantity(loss, epsilon, kernel, Accuracy::fast).value;
    };
    const Ball difference = value(Kernel::upper_tail) - value(Kernel::tilted_upper);
    EXPECT_TRUE(arb_overlaps(difference.raw(), value(Kernel::profile).raw())) << i;
    const Ball all_x = value(Kernel::upper_tail) + value(Kernel::lower_tail);
    const Ball all_y = value(Kernel::tilted_upper) + value(Kernel::tilted_lower);
    EXPECT_TRUE(arb_contains_si(all_x.raw(), 1)) << i << ' ' << ::testing::PrintToString(all_x);
    EXPECT_TRUE(arb_overlaps(all_y.raw(), exp(Ball(epsilon)).raw())) << i;
  }
}

TEST(OneDimension, AgreesWithIntegrationOfTheDensities) {
  SeededRandom random(208);
  for (int i = 0; i < 3000; ++i) {
    const double ratio = random.whole(0, 3) == 0 ? 1.0 : random.log_uniform(1e-2, 1e2);
    const double mean = random.sign() * random.log_uniform(1e-2, 5.0);
    const double epsilon = random.sign() * random.log_uniform(1e-2, 30.0);
    const long double truth = one_dimensional_delta(mean, ratio, epsilon);
    const GaussianSpectrum spectrum = GaussianSpectrum::component(mean, ratio);
    const Enclosure value = delta(spectrum, epsilon, Accuracy::fast);
    if (truth < 1e-30L) {
      EXPECT_LE(value.lower(), 1e-29) << mean << ' ' << ratio << ' ' << epsilon;
      continue;
    }
    // The quadrature is good to 2e-15.
    EXPECT_LE(value.lower(), static_cast<double>(truth * (1 + 2e-15L)))
        << mean << ' ' << ratio << ' ' << epsilon;
    EXPECT_GE(value.upper(), static_cast<double>(truth * (1 - 2e-15L)))
        << mean << ' ' << ratio << ' ' << epsilon;
    EXPECT_LE(value.relative_width(), 1e-11);
  }
}

// ------------------------------------------------------------------------ uncertain spectra

// Every spectrum within the radii must be covered.
TEST(UncertainSpectra, CoverEverySpectrumWithinTheirRadii) {
  SeededRandom random(209);
  for (int i = 0; i < 12; ++i) {
    const double t = random.sign() * random.log_uniform(0.01, 0.8),
                 square = random.log_uniform(0.01, 2.0);
    const double t_radius = std::abs(t) * random.log_uniform(1e-12, 1e-3);
    const double square_radius = square * random.log_uniform(1e-12, 1e-3);
    const double count = random.whole(1, 5), epsilon = random.uniform(-1.0, 4.0);
    GaussianSpectrum wide;
    wide.add({{t, 0.0, t_radius}, {square, 0.0, square_radius}, count});
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified})
      for (const bool reversed : {false, true}) {
        const Enclosure cover = delta(reversed ? wide.reversed() : wide, epsilon, accuracy);
        for (const double a : {-1.0, 0.3, 1.0})
          for (const double b : {-1.0, 1.0}) {
            GaussianSpectrum inside;
            inside.add({Precise::exactly(t + a * 0.999 * t_radius),
                        Precise::exactly(square + b * 0.999 * square_radius), count});
            const Enclosure exact =
                delta(reversed ? inside.reversed() : inside, epsilon, Accuracy::certified);
            EXPECT_TRUE(cover.overlaps(exact))
                << i << (accuracy == Accuracy::fast ? " fast " : " certified ")
                << ::testing::PrintToString(cover) << " misses " << ::testing::PrintToString(exact);
          }
      }
  }
}

// Var X = diag(tau) + E1, Var Y = I + E2, E small with zero diagonal: the bounds must cover them.
void expect_off_diagonal_covered(int pairs, Accuracy accuracy) {
  SeededRandom random(210);
  for (int i = 0; i < pairs; ++i) {
    const Eigen::VectorXd tau{
        {random.log_uniform(0.4, 2.5), random.log_uniform(0.4, 2.5), random.log_uniform(0.4, 2.5)}};
    const Eigen::VectorXd mean = random_vector(random, 3, 0.5);
    const auto disturbance = [&](double size) {
      const Eigen::MatrixXd e = Eigen::MatrixXd::NullaryExpr(3, 3, [&] { return random.normal(); });
      Eigen::MatrixXd symmetric = e + e.transpose();
      symmetric.diagonal().setZero();
      return Eigen::MatrixXd(symmetric * (size / symmetric.norm()));
    };
    const double size = random.log_uniform(1e-10, 1e-4), epsilon = random.uniform(-0.5, 2.0);
    const Eigen::MatrixXd e1 = disturbance(size), e2 = disturbance(size);
    const GaussianDistribution x{mean, Eigen::MatrixXd(tau.asDiagonal()) + e1};
    const GaussianDistribution y{Eigen::VectorXd::Zero(3), Eigen::MatrixXd::Identity(3, 3) + e2};
    GaussianSpectrum rough;
    for (long k = 0; k < 3; ++k) rough.add(GaussianSpectrum::component(mean(k), tau(k)));
    rough.set_off_diagonal({size * (1 + 1e-9), size * (1 + 1e-9)});
    const auto exact = reduce_pair(x, y, Accuracy::certified);
    ASSERT_TRUE(exact.has_value());
    const ProfilePoint cover = profile(PrivacyLoss::gaussian(rough), epsilon, accuracy);
    const ProfilePoint truth = profile(PrivacyLoss::gaussian(*exact), epsilon, accuracy);
    EXPECT_TRUE(cover.forward.overlaps(truth.forward))
        << i << ": " << ::testing::PrintToString(cover.forward) << " misses "
        << ::testing::PrintToString(truth.forward);
    EXPECT_TRUE(cover.reverse.overlaps(truth.reverse))
        << i << ": " << ::testing::PrintToString(cover.reverse) << " misses "
        << ::testing::PrintToString(truth.reverse);
  }
}

TEST(UncertainSpectra, CoverWhatIsLeftOffTheDiagonalWhenCertified) {
  expect_off_diagonal_covered(10, Accuracy::certified);
}

TEST(UncertainSpectra, CoverWhatIsLeftOffTheDiagonalInDoubles) {
  expect_off_diagonal_covered(500, Accuracy::fast);
}

// ------------------------------------------------------------------------ extremes

TEST(Extremes, StayFiniteAndTrue) {
  for (const double ratio : {1e-12, 1.0 - 1e-12, 1.0 + 1e-12, 1e12})
    for (const double mean : {0.0, 1e-8, 1.0, 1e4})
      for (const double epsilon : {-1e4, -1.0, 0.0, 1.0, 1e4}) {
        SCOPED_TRACE(::testing::Message() << mean << ", " << ratio << " at " << epsilon);
        const auto loss = PrivacyLoss::gaussian(GaussianSpectrum::component(mean, ratio));
        const ProfilePoint fast = profile(loss, epsilon, Accuracy::fast);
        const ProfilePoint certified = profile(loss, epsilon, Accuracy::certified);
        EXPECT_TRUE(fast.forward.overlaps(certified.forward));
        EXPECT_TRUE(fast.reverse.overlaps(certified.reverse));
        for (const Enclosure& value : {certified.forward, certified.reverse}) {
          EXPECT_GE(value.lower(), 0.0);
          EXPECT_LE(value.upper(), 1.0);
          // Squared whitened means of 1e308 leave doubles no room: true, but wide.
          const bool at_the_end_of_doubles = mean == 1e4 && (ratio == 1e-300 || ratio == 1e300);
          if (value.upper() > 1e-300 && !at_the_end_of_doubles) {
            EXPECT_LE(value.relative_width(), 1e-10) << ::testing::PrintToString(value);
          }
        }
      }
}

// Laws that no test could confuse, over the whole range of doubles: wide is allowed, wrong is not.
TEST(Extremes, StayTrueAtTheEndsOfTheDoubleRange) {
  for (const double ratio : {1e-300, 1e-60, 1e60, 1e300})
    for (const double mean : {0.0, 1.0})
      for (const double epsilon : {-1.0, 0.0, 1.0}) {
        SCOPED_TRACE(::testing::Message() << mean << ", " << ratio << " at " << epsilon);
        const auto loss = PrivacyLoss::gaussian(GaussianSpectrum::component(mean, ratio));
        ASSERT_NO_THROW(profile(loss, epsilon, Accuracy::fast));
        const ProfilePoint point = profile(loss, epsilon, Accuracy::fast);
        EXPECT_GE(point.forward.upper(), 1.0 - 1e-12);
        EXPECT_GE(point.reverse.upper(), 1.0 - 1e-12);
      }
}

// Exponents near 1e5 in size: their rounding is what the estimate must count.
TEST(Extremes, FastEstimatesStayHonestAtLargeMeans) {
  const GaussianSpectrum spectrum = spectrum_of({{278.23512100805806, 0.26815626157746314, 1.0},
                                                 {4.7899365739468852e-09, 1.0, 1.0},
                                                 {0.0, 0.92225748098596061, 1.0},
                                                 {0.10192984164735222, 1.0, 124.0}});
  // Both directions are 1 to 100 digits.
  const ProfilePoint point =
      profile(PrivacyLoss::gaussian(spectrum), -3.657472740256113e-06, Accuracy::fast);
  EXPECT_GE(point.forward.upper(), 1.0 - 1e-15);
  EXPECT_GE(point.reverse.upper(), 1.0 - 1e-15);
}

TEST(Extremes, AMinutePointMassIsToldApartFromANormalLaw) {
  // N(0, 1e-300) against N(0, 1): total variation 1 - O(1e-150 * 26).
  const auto loss = PrivacyLoss::gaussian(GaussianSpectrum::component(0.0, 1e-300));
  const ProfilePoint point = profile(loss, 0.0, Accuracy::certified);
  EXPECT_GE(point.forward.lower(), 1.0 - 1e-15);
  EXPECT_GE(point.reverse.lower(), 1.0 - 1e-15);
}

// The proof for searches: wider, and still a proof.
TEST(CoarseBalls, EncloseTheCertifiedAnswer) {
  SeededRandom random(77);
  int informative = 0;
  for (int i = 0; i < 60; ++i) {
    const GaussianSpectrum spectrum = random_spectrum(random);
    const Ball epsilon = random.uniform(0.0, 3.0);
    const Ball fine =
        gaussian_quantity(spectrum, epsilon, Kernel::profile, Accuracy::certified).value;
    const QuantityValue coarse =
        gaussian_quantity(spectrum, epsilon, Kernel::profile, Accuracy::certified, Digits::few);
    EXPECT_EQ(coarse.proof, Proof::certified);
    EXPECT_LE(coarse.value.lower(), fine.upper()) << i;
    EXPECT_GE(coarse.value.upper(), fine.lower()) << i;
    informative += coarse.value.upper() - coarse.value.lower() <= 2e-3 * coarse.value.upper();
  }
  EXPECT_GE(informative, 50);
}

TEST(Extremes, ABillionCoordinatesAreOneComposition) {
  const GaussianSpectrum one = GaussianSpectrum::component(0.0, 1.00005);
  GaussianSpectrum composed = one.repeated(5e8);
  composed.add(one.repeated(5e8));
  const GaussianSpectrum given = GaussianSpectrum::component(0.0, 1.00005, 1e9);
  EXPECT_EQ(composed.components().size(), 1u);
  EXPECT_EQ(composed.components().front().multiplicity, 1e9);
  EXPECT_EQ(composed.components().front().excess, given.components().front().excess);
  EXPECT_TRUE(
      delta(composed, 4.0, Accuracy::certified).overlaps(delta(given, 4.0, Accuracy::certified)));
}

}  // namespace
}  // namespace modicum::testing::gaussian_quantity_test
