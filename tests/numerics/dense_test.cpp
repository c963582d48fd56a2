#include "numerics/dense.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "modicum/numerics/errors.h"
#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::dense_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::SeededRandom;
// Identities are checked in more digits than the doubles have that they are about.
using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

constexpr double unit = std::numeric_limits<double>::epsilon();

LongMatrix in_long(const MatrixXd& matrix) { return matrix.cast<long double>(); }

double norm_of(const LongMatrix& matrix) {
  const long double largest = matrix.size() == 0 ? 0.0L : matrix.cwiseAbs().maxCoeff();
  return largest == 0.0L ? 0.0 : static_cast<double>(largest * (matrix / largest).norm());
}

// What rounding may leave of a backward stable algorithm, of a matrix of norm 1.
double allowance(const MatrixXd& matrix) {
  return 16.0 * unit * static_cast<double>(std::max<long>(matrix.rows() + matrix.cols(), 1));
}

void expect_equal(const LongMatrix& found, const MatrixXd& expected, double tolerance) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  EXPECT_LE(norm_of(found - in_long(expected)), tolerance * norm_of(in_long(expected)));
}

void expect_orthonormal_columns(const MatrixXd& matrix) {
  const LongMatrix q = in_long(matrix);
  expect_equal(q.transpose() * q, MatrixXd::Identity(matrix.cols(), matrix.cols()),
               allowance(matrix));
}

void expect_upper_triangle(const MatrixXd& matrix) {
  for (long j = 0; j < matrix.cols(); ++j)
    for (long i = j + 1; i < matrix.rows(); ++i) EXPECT_EQ(matrix(i, j), 0.0);
}

MatrixXd random_matrix(SeededRandom& random, long rows, long columns) {
  return MatrixXd::NullaryExpr(rows, columns, [&] { return random.normal(); });
}

// With these singular values, nearly.
MatrixXd random_matrix(SeededRandom& random, long rows, long columns, const VectorXd& values) {
  const MatrixXd left = HouseholderQr(random_matrix(random, rows, values.size())).thin_orthogonal();
  const MatrixXd right =
      HouseholderQr(random_matrix(random, columns, values.size())).thin_orthogonal();
  return left * values.asDiagonal() * right.transpose();
}

MatrixXd symmetric_part(const MatrixXd& matrix) { return 0.5 * (matrix + matrix.transpose()); }

// Random, indefinite; of rank 1; with eigenvalues over 15 orders of magnitude; with equal ones; at
// both ends of the range of doubles; 0.
std::vector<MatrixXd> symmetric_matrices(SeededRandom& random, long d) {
  const MatrixXd plain = symmetric_part(random_matrix(random, d, d));
  const VectorXd row = testing::random_vector(random, d, 1.0);
  return {plain,
          row * row.transpose(),
          testing::random_covariance(random, d, 1e-15, 1.0),
          MatrixXd::Identity(d, d),
          1e-300 * plain,
          1e300 * plain,
          MatrixXd::Zero(d, d)};
}

// All entries whole numbers below 2^53: the matrix is exact, and so is its inverse over `scale`.
struct Hilbert {
  static constexpr double scale = 360360.0;  // a multiple of 1, .., 15
  explicit Hilbert(long d) : matrix(d, d), inverse(d, d) {
    for (long i = 0; i < d; ++i)
      for (long j = 0; j < d; ++j) {
        matrix(i, j) = scale / static_cast<double>(i + j + 1);
        inverse(i, j) = ((i + j) % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(i + j + 1) *
                        choose(d + i, d - j - 1) * choose(d + j, d - i - 1) *
                        std::pow(choose(i + j, i), 2.0);
      }
  }
  static double choose(long n, long k) {
    double result = 1.0;
    for (long i = 1; i <= k; ++i)
      result = std::round(result * static_cast<double>(n - k + i) / static_cast<double>(i));
    return result;
  }
  MatrixXd matrix, inverse;  // of the unscaled one
};

TEST(SymmetricEigen, PutsTheMatrixTogetherAgain) {
  SeededRandom random(1);
  for (const long d : {1, 2, 3, 5, 10, 26, 60, 130})
    for (const MatrixXd& matrix : symmetric_matrices(random, d)) {
      const SymmetricEigen eigen = symmetric_eigen(matrix);
      expect_orthonormal_columns(eigen.vectors);
      const LongMatrix vectors = in_long(eigen.vectors);
      expect_equal(vectors * in_long(eigen.values).asDiagonal() * vectors.transpose(), matrix,
                   allowance(matrix));
      for (long i = 1; i < d; ++i) EXPECT_LE(eigen.values[i - 1], eigen.values[i]);
      expect_equal(in_long(symmetric_eigenvalues(matrix)), eigen.values, allowance(matrix));
    }
}

// 2 on the diagonal, -1 beside it.
TEST(SymmetricEigen, KnowsTheSecondDifferences) {
  for (const long d : {1, 2, 7, 40, 200}) {
    MatrixXd matrix = 2.0 * MatrixXd::Identity(d, d);
    matrix.diagonal(-1).setConstant(-1.0);  // above the diagonal nothing is read
    const VectorXd values = symmetric_eigenvalues(matrix);
    const SymmetricEigen eigen = symmetric_eigen(matrix);
    for (long i = 0; i < d; ++i) {
      const double angle = M_PI * static_cast<double>(i + 1) / static_cast<double>(2 * d + 2);
      EXPECT_NEAR(values[i], std::pow(2.0 * std::sin(angle), 2.0), allowance(matrix));
      EXPECT_NEAR(eigen.values[i], values[i], allowance(matrix));
      EXPECT_NEAR(std::abs(eigen.vectors(0, i)),
                  std::sqrt(2.0 / static_cast<double>(d + 1)) * std::sin(2.0 * angle), 1e-11);
    }
  }
}

TEST(CholeskyFactor, SolvesWhatItFactorizes) {
  SeededRandom random(2);
  for (const long d : {1, 2, 3, 10, 33, 150}) {
    const MatrixXd matrix = testing::random_covariance(random, d, 1e-3, 10.0);
    const CholeskyFactor factor(matrix);
    ASSERT_TRUE(factor.positive_definite());
    expect_upper_triangle(factor.lower().transpose());
    const LongMatrix lower = in_long(factor.lower());
    expect_equal(lower * lower.transpose(), matrix, allowance(matrix));
    const double condition = 1e4, tolerance = condition * allowance(matrix);
    const MatrixXd right = random_matrix(random, d, 4);
    expect_equal(in_long(matrix) * in_long(factor.solve(right)), right, tolerance);
    expect_equal(lower * in_long(factor.half_solve(right)), right, tolerance);
    expect_equal(lower.transpose() * in_long(factor.other_half_solve(right)), right, tolerance);
    expect_equal(in_long(matrix) * in_long(factor.inverse()), MatrixXd::Identity(d, d), tolerance);
    const MatrixXd symmetric = symmetric_part(random_matrix(random, d, d));
    const MatrixXd whitened = factor.whitened(symmetric);
    EXPECT_EQ(whitened, whitened.transpose());
    expect_equal(lower * in_long(whitened) * lower.transpose(), symmetric, tolerance);
    EXPECT_EQ(factor.solve(MatrixXd(d, 0)).cols(), 0);
  }
}

// The condition number grows to 1e13; backward stability allows an error of that many units.
TEST(CholeskyFactor, InvertsHilbertsMatrix) {
  for (const long d : {1, 2, 4, 6, 8, 10}) {
    const Hilbert hilbert(d);
    const CholeskyFactor factor(hilbert.matrix);
    ASSERT_TRUE(factor.positive_definite());
    const double condition = hilbert.matrix.cwiseAbs().colwise().sum().maxCoeff() *
                             hilbert.inverse.cwiseAbs().colwise().sum().maxCoeff() / Hilbert::scale;
    EXPECT_LE(factor.condition(), 1.1 * condition);
    EXPECT_GE(factor.condition(), 0.1 * condition);
    expect_equal(in_long(Hilbert::scale * factor.inverse()), hilbert.inverse,
                 allowance(hilbert.matrix) * condition);
    expect_equal(in_long(Hilbert::scale * solve_square(hilbert.matrix, MatrixXd::Identity(d, d))),
                 hilbert.inverse, allowance(hilbert.matrix) * condition);
  }
}

TEST(CholeskyFactor, SaysWhatIsNotPositiveDefinite) {
  const MatrixXd pair = MatrixXd::Ones(2, 2);
  MatrixXd indefinite = pair, overflow = MatrixXd::Identity(3, 3);
  indefinite(1, 0) = indefinite(0, 1) = 1.5;
  overflow(0, 0) = 1e-300;
  overflow(2, 0) = overflow(0, 2) = 1e300;
  std::vector<MatrixXd> refused = {pair, indefinite, overflow, MatrixXd::Zero(1, 1),
                                   -MatrixXd::Identity(4, 4)};
  for (const double value : testing::not_finite)
    for (const long place : {0, 1, 2}) {
      refused.push_back(MatrixXd::Identity(3, 3));
      refused.back()(place, 0) = refused.back()(0, place) = value;
    }
  for (const MatrixXd& matrix : refused) {
    const CholeskyFactor factor(matrix);
    EXPECT_FALSE(factor.positive_definite()) << matrix;
    EXPECT_EQ(factor.condition(), testing::infinity);
    EXPECT_THROW(factor.lower(), Error);
    EXPECT_THROW(factor.inverse(), Error);
    EXPECT_THROW(factor.solve(MatrixXd::Zero(matrix.rows(), 1)), Error);
    EXPECT_THROW(factor.half_solve(MatrixXd::Zero(matrix.rows(), 1)), Error);
    EXPECT_THROW(factor.whitened(matrix), Error);
  }
  EXPECT_TRUE(CholeskyFactor(MatrixXd::Constant(1, 1, 5e-324)).positive_definite());
  EXPECT_TRUE(CholeskyFactor(MatrixXd::Constant(1, 1, 1.7e308)).positive_definite());
}

TEST(SolveSemidefinite, SolvesInTheRange) {
  SeededRandom random(3);
  for (const long d : {1, 2, 5, 40, 120}) {
    const MatrixXd matrix = testing::random_covariance(random, d, 1e-3, 10.0);
    const MatrixXd right = random_matrix(random, d, 3);
    expect_equal(in_long(matrix) * in_long(solve_semidefinite(matrix, right)), right,
                 1e4 * allowance(matrix));
  }
  // One coordinate does it, and the other stays 0.
  MatrixXd twins(2, 2);
  twins << 4.0, 4.0, 4.0, 4.0;
  const VectorXd half = solve_semidefinite(twins, VectorXd::Constant(2, 2.0));
  EXPECT_EQ(half.sum(), 0.5);
  EXPECT_EQ(half.cwiseAbs().minCoeff(), 0.0);
  EXPECT_EQ(solve_semidefinite(MatrixXd::Zero(3, 3), VectorXd::Ones(3)), VectorXd::Zero(3));
}

TEST(HouseholderQr, GivesBothFactors) {
  SeededRandom random(4);
  for (const long rows : {1, 2, 5, 40, 120})
    for (const long columns : {0, 1, 2, 5, 40, 120})
      for (const bool singular : {false, true}) {
        MatrixXd matrix = random_matrix(random, rows, columns);
        if (singular && columns > 1) matrix.col(columns - 1) = matrix.col(0);
        const HouseholderQr factors(matrix);
        const MatrixXd thin = factors.thin_orthogonal(), all = factors.orthogonal();
        const MatrixXd triangle = factors.triangle();
        expect_orthonormal_columns(thin);
        expect_orthonormal_columns(all);
        ASSERT_EQ(all.cols(), rows);
        ASSERT_EQ(thin.cols(), std::min(rows, columns));
        EXPECT_LE((all.leftCols(thin.cols()) - thin).norm(), allowance(matrix));
        expect_upper_triangle(triangle);
        expect_equal(in_long(thin) * in_long(triangle), matrix, allowance(matrix));
      }
}

TEST(PivotedQr, FindsTheRankAndTheColumnsThatHaveIt) {
  SeededRandom random(5);
  for (const long rows : {1, 3, 20, 70})
    for (const long columns : {1, 3, 20, 70})
      for (long rank = 0; rank <= std::min(rows, columns); rank += 1 + rank) {
        const MatrixXd matrix =
            random_matrix(random, rows, rank) * random_matrix(random, rank, columns);
        const PivotedQr factors = pivoted_qr(matrix);
        EXPECT_EQ(factors.rank(1e-10), rank);
        expect_upper_triangle(factors.triangle);
        const LongMatrix triangle = in_long(factors.triangle);
        const MatrixXd ordered = matrix(Eigen::all, factors.order);
        EXPECT_LE(norm_of(triangle.transpose() * triangle -
                          in_long(ordered).transpose() * in_long(ordered)),
                  allowance(matrix) * matrix.squaredNorm());
        for (long i = 1; i < factors.triangle.rows(); ++i)
          EXPECT_LE(std::abs(factors.triangle(i, i)),
                    std::abs(factors.triangle(i - 1, i - 1)) + allowance(matrix) * matrix.norm());
      }
}

TEST(ThinSvd, PutsTheMatrixTogetherAgain) {
  SeededRandom random(6);
  for (const long rows : {1, 2, 5, 40, 100})
    for (const long columns : {1, 2, 5, 40, 100}) {
      const long smaller = std::min(rows, columns);
      const VectorXd values = VectorXd::NullaryExpr(
          smaller, [&](long i) { return std::pow(10.0, -0.4 * static_cast<double>(i)); });
      for (const double scale : {1.0, 1e-300, 1e300, 0.0}) {
        const MatrixXd matrix = scale * random_matrix(random, rows, columns, values);
        const ThinSvd svd = thin_svd(matrix);
        expect_orthonormal_columns(svd.left);
        expect_orthonormal_columns(svd.right);
        expect_equal(
            in_long(svd.left) * in_long(svd.values).asDiagonal() * in_long(svd.right).transpose(),
            matrix, allowance(matrix));
        EXPECT_LE((svd.values - scale * values).cwiseAbs().maxCoeff(), scale * allowance(matrix));
        EXPECT_GE(svd.values.minCoeff(), 0.0);
        for (long i = 1; i < smaller; ++i) EXPECT_LE(svd.values[i], svd.values[i - 1]);
        expect_equal(in_long(singular_values(matrix)), svd.values, allowance(matrix));
      }
    }
}

TEST(SolveSquare, SolvesOrSaysThatItCannot) {
  SeededRandom random(7);
  for (const long d : {1, 2, 5, 40, 120}) {
    const MatrixXd matrix = random_matrix(random, d, d, VectorXd::LinSpaced(d, 1.0, 0.01));
    const MatrixXd right = random_matrix(random, d, 3);
    expect_equal(in_long(matrix) * in_long(solve_square(matrix, right)), right,
                 100.0 * allowance(matrix));
    MatrixXd singular = matrix;
    singular.col(0).setZero();
    EXPECT_THROW(solve_square(singular, right), Error);
  }
}

TEST(Determinant, IsExactForWholeNumbers) {
  MatrixXd matrix(3, 3);
  matrix << 0.0, 2.0, 0.0, 0.0, 0.0, 4.0, 8.0, 0.0, 0.0;
  EXPECT_EQ(determinant(matrix), 64.0);
  matrix.row(0).swap(matrix.row(1));
  EXPECT_EQ(determinant(matrix), -64.0);
  matrix.row(0).setZero();
  EXPECT_EQ(determinant(matrix), 0.0);
  EXPECT_EQ(determinant(MatrixXd::Constant(1, 1, -3.0)), -3.0);
  EXPECT_EQ(determinant(MatrixXd(0, 0)), 1.0);
  SeededRandom random(8);
  for (const long d : {2, 10, 60}) {
    const MatrixXd turn = HouseholderQr(random_matrix(random, d, d)).orthogonal();
    EXPECT_NEAR(std::abs(determinant(turn)), 1.0, allowance(turn));
    EXPECT_NEAR(determinant(turn * turn), 1.0, allowance(turn));
  }
}

TEST(Dense, TakesEmptyMatrices) {
  const MatrixXd none(0, 0);
  EXPECT_EQ(symmetric_eigen(none).values.size(), 0);
  EXPECT_EQ(symmetric_eigenvalues(none).size(), 0);
  const CholeskyFactor factor(none);
  EXPECT_TRUE(factor.positive_definite());
  EXPECT_EQ(factor.lower().size(), 0);
  EXPECT_EQ(factor.condition(), 1.0);
  EXPECT_EQ(factor.solve(MatrixXd(0, 3)).cols(), 3);
  EXPECT_EQ(factor.whitened(none).size(), 0);
  EXPECT_EQ(solve_semidefinite(none, MatrixXd(0, 2)).cols(), 2);
  EXPECT_EQ(solve_square(none, MatrixXd(0, 2)).cols(), 2);
  EXPECT_EQ(HouseholderQr(MatrixXd(0, 3)).triangle().cols(), 3);
  EXPECT_EQ(HouseholderQr(MatrixXd(3, 0)).orthogonal(), MatrixXd::Identity(3, 3));
  EXPECT_EQ(pivoted_qr(MatrixXd(0, 3)).rank(0.0), 0);
  EXPECT_EQ(pivoted_qr(MatrixXd(3, 0)).rank(0.0), 0);
  EXPECT_EQ(thin_svd(MatrixXd(0, 3)).right.rows(), 3);
  EXPECT_EQ(singular_values(MatrixXd(3, 0)).size(), 0);
}

TEST(Dense, RefusesWhatIsNotFinite) {
  SeededRandom random(9);
  for (const long d : {1, 2, 5, 40, 100})
    for (const double value : testing::not_finite)
      for (int repeat = 0; repeat < 4; ++repeat) {
        MatrixXd matrix = testing::random_covariance(random, d, 0.1, 1.0);
        const MatrixXd good = matrix;
        const int row = random.whole(0, static_cast<int>(d) - 1);
        const int column = random.whole(0, static_cast<int>(d) - 1);
        matrix(row, column) = matrix(column, row) = value;
        EXPECT_THROW(symmetric_eigen(matrix), Error);
        EXPECT_THROW(symmetric_eigenvalues(matrix), Error);
        EXPECT_FALSE(CholeskyFactor(matrix).positive_definite());
        EXPECT_THROW(CholeskyFactor(good).solve(matrix), Error);
        EXPECT_THROW(CholeskyFactor(good).half_solve(matrix), Error);
        EXPECT_THROW(CholeskyFactor(good).other_half_solve(matrix), Error);
        EXPECT_THROW(CholeskyFactor(good).whitened(matrix), Error);
        EXPECT_THROW(solve_semidefinite(matrix, good), Error);
        EXPECT_THROW(solve_semidefinite(good, matrix), Error);
        EXPECT_THROW(HouseholderQr{matrix}, Error);
        EXPECT_THROW(pivoted_qr(matrix), Error);
        EXPECT_THROW(thin_svd(matrix), Error);
        EXPECT_THROW(singular_values(matrix), Error);
        EXPECT_THROW(solve_square(matrix, good), Error);
        EXPECT_THROW(solve_square(good, matrix), Error);
        EXPECT_THROW(determinant(matrix), Error);
      }
}

TEST(Dense, RefusesSizesThatDoNotAgree) {
  const MatrixXd wide = MatrixXd::Ones(2, 3), square = MatrixXd::Identity(2, 2);
  const MatrixXd tall = MatrixXd::Ones(3, 1);
  EXPECT_THROW(symmetric_eigen(wide), Error);
  EXPECT_THROW(symmetric_eigenvalues(wide), Error);
  EXPECT_THROW(CholeskyFactor{wide}, Error);
  EXPECT_THROW(CholeskyFactor(square).solve(tall), Error);
  EXPECT_THROW(CholeskyFactor(square).half_solve(tall), Error);
  EXPECT_THROW(CholeskyFactor(square).whitened(wide), Error);
  EXPECT_THROW(solve_semidefinite(wide, wide), Error);
  EXPECT_THROW(solve_semidefinite(square, tall), Error);
  EXPECT_THROW(solve_square(wide, wide), Error);
  EXPECT_THROW(solve_square(square, tall), Error);
  EXPECT_THROW(determinant(wide), Error);
}

// Large enough for OpenBLAS to use threads of its own where it may.
TEST(Dense, GivesTheSameBitsInAnyThread) {
  SeededRandom random(10);
  const long d = 300;
  const MatrixXd matrix = testing::random_covariance(random, d, 1e-3, 1.0);
  const auto answers = [&] {
    const CholeskyFactor factor(matrix);
    const SymmetricEigen eigen = symmetric_eigen(matrix);
    MatrixXd all(d, 4 * d + 2);
    all << factor.lower(), factor.solve(matrix), eigen.vectors,
        HouseholderQr(matrix).thin_orthogonal(), eigen.values, singular_values(matrix);
    return all;
  };
  const MatrixXd expected = answers();
  std::vector<MatrixXd> found(3);
  std::vector<std::thread> threads;
  for (MatrixXd& each : found) threads.emplace_back([&] { each = answers(); });
  for (std::thread& thread : threads) thread.join();
  for (const MatrixXd& each : found) EXPECT_EQ(each, expected);
}

}  // namespace
}  // namespace modicum::dense_test
