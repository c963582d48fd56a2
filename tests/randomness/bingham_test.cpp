#include "modicum/randomness/bingham.h"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/dense.h"
#include "support/bingham_moments.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/seeded_source.h"

namespace modicum::testing::bingham_test {
namespace {

Eigen::VectorXd exponents_of(std::initializer_list<double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.begin(),
                                           static_cast<Eigen::Index>(values.size()));
}

/// The distribution function of a density on [low, high], by Simpson's rule on a grid.
template <class Density>
auto distribution_of(Density density, double low, double high) {
  constexpr int cells = 4000;
  const double width = (high - low) / cells;
  std::vector<double> sums{0.0};
  for (int i = 0; i < cells; ++i) {
    const double x = low + i * width;
    sums.push_back(sums.back() + density(x) + 4.0 * density(x + 0.5 * width) + density(x + width));
  }
  return [=](double x) {
    const double place = std::clamp((x - low) / width, 0.0, cells - 1e-9);
    const auto cell = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(cell);
    return (sums[cell] + part * (sums[cell + 1] - sums[cell])) / sums.back();
  };
}

/// Largest |sample mean of x_i^2 - moment| in standard errors.
struct MomentCheck {
  Eigen::VectorXd sum, squares;
  double draws = 0.0;
  void add(const Eigen::VectorXd& x) {
    const Eigen::VectorXd square = x.cwiseAbs2();
    if (draws == 0.0) sum = squares = Eigen::VectorXd::Zero(x.size());
    sum += square, squares += square.cwiseAbs2(), draws += 1.0;
  }
  double largest_error(const Eigen::VectorXd& moments) const {
    const Eigen::ArrayXd mean = sum / draws;
    const Eigen::ArrayXd error = ((squares / draws).array() - mean.square()).max(1e-30).sqrt();
    return ((mean - moments.array()).abs() / error).maxCoeff() * std::sqrt(draws);
  }
};

TEST(BinghamMoments, AgreeWithBesselFunctionsOnTheCircle) {
  for (const double a : {0.0, 0.1, 1.0, 10.0, 100.0}) {
    const Eigen::VectorXd moments = bingham_second_moments(exponents_of({0.0, a}));
    const double ratio = std::cyl_bessel_i(1.0, 0.5 * a) / std::cyl_bessel_i(0.0, 0.5 * a);
    EXPECT_NEAR(moments[0], 0.5 * (1.0 + ratio), 1e-12) << a;
    EXPECT_NEAR(moments.sum(), 1.0, 1e-12) << a;
  }
}

// A false alarm has probability at most 1e-9 for each law.
TEST(BinghamSampler, HasTheLawOfTheAngleOnTheCircle) {
  SeededSource source(1);
  for (const double a : {0.0, 0.3, 3.0, 40.0}) {
    BinghamSampler sampler(exponents_of({-1.0, a - 1.0}));
    std::vector<double> angles;
    for (int i = 0; i < 40000; ++i) {
      const Eigen::VectorXd x = sampler.draw(source);
      angles.push_back(std::atan2(x[1], x[0]));
    }
    const auto law = distribution_of(
        [a](double angle) { return std::exp(-a * std::pow(std::sin(angle), 2)); }, -M_PI, M_PI);
    EXPECT_LT(largest_deviation(angles, law), deviation_allowed(40000)) << a;
  }
}

// x_1 has density exp(-a_1 x^2 - (1 - x^2)(a_2 + a_3)/2) I_0((1 - x^2)(a_3 - a_2)/2).
// A false alarm has probability at most 1e-9 for each law.
TEST(BinghamSampler, HasTheLawOfACoordinateInSpace) {
  SeededSource source(2);
  for (const auto& a : {exponents_of({0.0, 0.0, 0.0}), exponents_of({0.0, 1.0, 6.0}),
                        exponents_of({0.0, 0.0, 20.0}), exponents_of({0.0, 30.0, 35.0})}) {
    BinghamSampler sampler(a);
    std::vector<double> firsts;
    for (int i = 0; i < 40000; ++i) firsts.push_back(sampler.draw(source)[0]);
    const auto law = distribution_of(
        [&a](double x) {
          const double rest = 1.0 - x * x, half = 0.5 * rest;
          return std::exp(-a[0] * x * x - half * (a[1] + a[2])) *
                 std::cyl_bessel_i(0.0, half * (a[2] - a[1]));
        },
        -1.0, 1.0);
    EXPECT_LT(largest_deviation(firsts, law), deviation_allowed(40000)) << a.transpose();
  }
}

Eigen::VectorXd spread_exponents(Eigen::Index dimension, double first_gap, double size) {
  Eigen::VectorXd result(dimension);
  for (Eigen::Index i = 0; i < dimension; ++i)
    result[i] =
        i == 0 ? 0.0 : first_gap + size * static_cast<double>(i) / static_cast<double>(dimension);
  return result;
}

// 200 means within 6.5 standard errors: a false alarm has probability 200 * 8e-11 in the normal
// approximation, for each law.
TEST(BinghamSampler, HasTheMomentsOfTheSaddlePointInHighDimension) {
  SeededSource source(3);
  for (const auto& [gap, size] :
       {std::pair{0.0, 0.0}, {0.0, 300.0}, {40.0, 100.0}, {300.0, 900.0}}) {
    const Eigen::VectorXd a = spread_exponents(200, gap, size);
    BinghamSampler sampler(a);
    MomentCheck check;
    for (int i = 0; i < 10000; ++i) check.add(sampler.draw(source));
    EXPECT_LT(check.largest_error(bingham_second_moments(a)), 6.5) << gap << ' ' << size;
    EXPECT_GT(sampler.acceptance(), 0.03);
  }
}

/// The second moments on the complement, by a basis of it and its own eigenvalues.
Eigen::VectorXd moments_on_complement(const Eigen::VectorXd& a, const Eigen::MatrixXd& columns) {
  const Eigen::Index p = a.size(), q = p - columns.cols();
  const Eigen::MatrixXd all = HouseholderQr(columns).orthogonal();
  const Eigen::MatrixXd basis = all.rightCols(q);
  const SymmetricEigen reduced = symmetric_eigen(basis.transpose() * a.asDiagonal() * basis);
  return (basis * reduced.vectors).cwiseAbs2() * bingham_second_moments(reduced.values);
}

/// Orthonormal columns near the first axes: `noise` 0 gives the axes, infinity any direction.
Eigen::MatrixXd columns_near_axes(SeededRandom& random, Eigen::Index p, Eigen::Index count,
                                  double noise) {
  Eigen::MatrixXd result =
      Eigen::MatrixXd::NullaryExpr(p, count, [&] { return noise * random.normal(); });
  result.topRows(count) += Eigen::MatrixXd::Identity(count, count);
  return HouseholderQr(result).thin_orthogonal();
}

// Every mean within 6.5 standard errors: 27 laws, at most 60 means each, 8e-11 each in the normal
// approximation.
TEST(BinghamSampler, HasTheMomentsOnTheComplementOfColumns) {
  SeededSource source(4);
  SeededRandom random(4);
  for (const auto& [p, count] : {std::pair{4, 1}, {6, 3}, {60, 3}})
    for (const double size : {1.0, 30.0, 400.0})
      for (const double noise : {0.01, 0.2, 100.0}) {
        const Eigen::VectorXd a = spread_exponents(p, 0.3 * size, size);
        const Eigen::MatrixXd columns = columns_near_axes(random, p, count, noise);
        BinghamSampler sampler(a);
        MomentCheck check;
        double overlap = 0.0;
        for (int i = 0; i < 5000; ++i) {
          const Eigen::VectorXd x = sampler.draw_orthogonal_to(columns, source);
          overlap = std::max(overlap, (columns.transpose() * x).norm());
          check.add(x);
        }
        EXPECT_LT(check.largest_error(moments_on_complement(a, columns)), 6.5)
            << p << ' ' << count << ' ' << size << ' ' << noise;
        EXPECT_LT(overlap, 1e-14);
        EXPECT_GT(sampler.acceptance(), 0.05) << p << ' ' << size << ' ' << noise;
      }
}

TEST(BinghamSampler, StandsExtremes) {
  SeededSource source(5);
  BinghamSampler one(exponents_of({7.0}));
  EXPECT_EQ(std::abs(one.draw(source)[0]), 1.0);
  BinghamSampler sharp(exponents_of({-1e9, 1e10, 9e10}));
  EXPECT_NEAR(std::abs(sharp.draw(source)[0]), 1.0, 1e-9);
  const Eigen::MatrixXd first = Eigen::MatrixXd::Identity(3, 1);
  EXPECT_NEAR(std::abs(sharp.draw_orthogonal_to(first, source)[1]), 1.0, 1e-9);
  const Eigen::MatrixXd both = Eigen::MatrixXd::Identity(3, 3).rightCols(2);
  EXPECT_NEAR(std::abs(sharp.draw_orthogonal_to(both, source)[0]), 1.0, 1e-9);
  const Eigen::MatrixXd last = Eigen::MatrixXd::Identity(3, 3).rightCols(1);
  EXPECT_NEAR(std::abs(sharp.draw_orthogonal_to(last, source)[0]), 1.0, 1e-9);
}

TEST(BinghamSampler, RefusesWhatIsNoLaw) {
  SeededSource source(6);
  EXPECT_TRUE(refuses("exponents", [] { return BinghamSampler(Eigen::VectorXd()).dimension(); }));
  for (const double bad : not_finite)
    EXPECT_TRUE(refuses("exponents", [=] {
      return BinghamSampler(exponents_of({0.0, bad})).dimension();
    }));
  EXPECT_TRUE(refuses("exponents", [] {
    return BinghamSampler(exponents_of({1.0, 0.0})).dimension();
  }));
  EXPECT_TRUE(refuses("exponents", [] {
    return BinghamSampler(exponents_of({0.0, 1e12})).dimension();
  }));
  BinghamSampler plane(exponents_of({0.0, 1.0}));
  EXPECT_TRUE(refuses("columns", [&] {
    return plane.draw_orthogonal_to(Eigen::MatrixXd::Identity(2, 2), source);
  }));
  EXPECT_TRUE(refuses("columns", [&] {
    return plane.draw_orthogonal_to(Eigen::MatrixXd::Identity(3, 1), source);
  }));
}

}  // namespace
}  // namespace modicum::testing::bingham_test
