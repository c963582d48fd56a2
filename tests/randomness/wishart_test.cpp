// The seeds are fixed; over all seeds, each comparison fails a true law with probability 1e-9.
#include <gtest/gtest.h>

#include <cmath>

#include "modicum/randomness/samplers.h"
#include "numerics/dense.h"
#include "randomness/distributions.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::wishart_test {
namespace {

// Some number of each of many factors, against its law.
template <class Number, class Law>
void expect_law(Eigen::Index dimension, double degrees, std::uint64_t seed, Number number,
                const Law& law) {
  SeededSource source(seed);
  std::vector<double> draws(100000);
  for (double& draw : draws) draw = number(wishart_factor(dimension, degrees, source));
  EXPECT_LT(deviation_found(draws, law), deviation_allowed(1e5)) << dimension << ' ' << degrees;
}

auto chi_square_law(double degrees) {
  return [degrees](double x) { return chi_square_below(degrees, x); };
}

TEST(WishartFactor, IsLowerTriangularWithBartlettsEntries) {
  SeededSource source(41);
  const Eigen::MatrixXd factor = wishart_factor(5, 7.5, source);
  for (Eigen::Index i = 0; i < 5; ++i) {
    EXPECT_GT(factor(i, i), 0.0);
    for (Eigen::Index j = i + 1; j < 5; ++j) EXPECT_EQ(factor(i, j), 0.0);
  }
  for (const Eigen::Index i : {0, 1, 3})
    expect_law(
        4, 5.25, 42 + static_cast<std::uint64_t>(i),
        [i](const Eigen::MatrixXd& a) { return a(i, i) * a(i, i); },
        chi_square_law(5.25 - static_cast<double>(i)));
  expect_law(
      4, 5.25, 46, [](const Eigen::MatrixXd& a) { return a(3, 1); }, normal_below);
  expect_law(
      4, 5.25, 47, [](const Eigen::MatrixXd& a) { return a(1, 0); }, normal_below);
}

// x^T W x / |x|^2 is chi-square for every fixed x, with the same degrees for all.
TEST(WishartFactor, HasQuadraticFormsThatAreChiSquare) {
  for (const double degrees : {2.1, 3.0, 40.5})
    for (const Eigen::Vector3d& x :
         {Eigen::Vector3d(0.0, 0.0, 1.0), Eigen::Vector3d(1.0, -2.0, 3.0)})
      expect_law(
          3, degrees, 48,
          [x](const Eigen::MatrixXd& a) {
            return (a.transpose() * x).squaredNorm() / x.squaredNorm();
          },
          chi_square_law(degrees));
}

// 1 / (W^-1)_00 is chi-square with degrees - dimension + 1.
TEST(WishartFactor, HasTheRightInverse) {
  for (const double degrees : {3.5, 6.0})
    expect_law(
        3, degrees, 49,
        [](const Eigen::MatrixXd& a) {
          return 1.0 / CholeskyFactor(a * a.transpose()).inverse()(0, 0);
        },
        chi_square_law(degrees - 2.0));
}

// The square of the correlation is Beta(1/2, (degrees - 1)/2).
TEST(WishartFactor, HasTheRightCorrelation) {
  const double degrees = 4.7;
  expect_law(
      2, degrees, 50,
      [](const Eigen::MatrixXd& a) {
        const Eigen::Matrix2d w = a * a.transpose();
        return w(0, 1) * w(0, 1) / (w(0, 0) * w(1, 1));
      },
      [&](double x) { return beta_below(0.5, (degrees - 1.0) / 2.0, x); });
}

// The determinant is a product of chi-squares with degrees, degrees - 1, ..; of two, its root
// doubled is again chi-square, with 2 degrees - 2 (the duplication formula of the gamma function).
TEST(WishartFactor, HasTheRightDeterminant) {
  for (const double degrees : {1.2, 2.0, 9.3})
    expect_law(
        2, degrees, 51, [](const Eigen::MatrixXd& a) { return 2.0 * determinant(a); },
        chi_square_law(2.0 * degrees - 2.0));
}

// In dimension 4: the two pairs of chi-squares give a product of two of the above.
TEST(WishartFactor, HasTheRightDeterminantInHigherDimension) {
  const double degrees = 5.5;
  SeededSource source(52), other(53);
  std::vector<double> determinants(20000), products(20000);
  for (double& value : determinants)
    value = 4.0 * wishart_factor(4, degrees, source).diagonal().prod();
  for (double& value : products)
    value = chi_square(2.0 * degrees - 2.0, other) * chi_square(2.0 * degrees - 6.0, other);
  std::ranges::sort(products);
  const auto empirical = [&](double x) {
    const auto below = std::ranges::upper_bound(products, x) - products.begin();
    return static_cast<double>(below) / static_cast<double>(products.size());
  };
  // Both empirical functions are near the true one: twice 1e-9.
  EXPECT_LT(largest_deviation(determinants, empirical), 2.0 * deviation_allowed(2e4));
}

// The mean of W is degrees times the identity; entries have variances 2 degrees and degrees. Six
// and a half standard deviations, 10 entries: 1e-9.
TEST(WishartFactor, HasTheRightMean) {
  const double degrees = 6.5;
  const int count = 40000;
  SeededSource source(54);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(4, 4);
  for (int i = 0; i < count; ++i) {
    const Eigen::MatrixXd factor = wishart_factor(4, degrees, source);
    sum += factor * factor.transpose();
  }
  for (Eigen::Index i = 0; i < 4; ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      EXPECT_NEAR(sum(i, j) / count, i == j ? degrees : 0.0,
                  6.5 * std::sqrt((i == j ? 2.0 : 1.0) * degrees / count));
}

TEST(WishartFactor, RefusesTooFewDegrees) {
  SeededSource source(55);
  for (const double bad : {2.0, 1.5, 0.0, -1.0, not_a_number, infinity, -infinity})
    EXPECT_TRUE(refuses("degrees", [&] { return wishart_factor(3, bad, source); })) << bad;
  for (const Eigen::Index bad : {0, -3})
    EXPECT_TRUE(refuses("dimension", [&] { return wishart_factor(bad, 5.0, source); }));
  EXPECT_GT(wishart_factor(3, std::nextafter(2.0, 3.0), source)(0, 0), 0.0);
  EXPECT_GT(wishart_factor(1, 5e-324, source)(0, 0), 0.0);
}

}  // namespace
}  // namespace modicum::testing::wishart_test
