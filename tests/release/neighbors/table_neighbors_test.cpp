// Every neighbor of a whole table in a file, by the spectrum of the two laws: each row removed,
// and the worst row added. On the project's own table always, on real data where they are at hand.
#include <gtest/gtest.h>

#include <filesystem>

#include "modicum/data/gram.h"
#include "modicum/mechanisms/least_squares.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/privacy/gaussian_pair.h"
#include "numerics/dense.h"
#include "test_paths.h"

namespace modicum::testing::table_neighbors_test {
namespace {

const std::filesystem::path source = std::filesystem::path(MODICUM_REFERENCE_DIR) / ".." / "..";

// The rows as a release sees them, clipped and in whole numbers of grids, and their second moments.
struct ClippedTable {
  Eigen::MatrixXd rows, moments;
  double bound;

  ClippedTable(const std::filesystem::path& path, const std::vector<std::string>& columns,
               double row_norm_bound)
      : bound(row_norm_bound) {
    TableFiles files;
    files.paths = {path.string()};
    const Table table(files);
    const RowRule rule(table, columns);
    const IntegerClip clip(bound);
    rows.resize(0, static_cast<Eigen::Index>(rule.width()));
    table.for_each_block(rule.table_columns(), {}, [&](const RowBlock& block) {
      RowBlock clipped = rule.apply(block);
      clip.apply(clipped);
      return [this, clipped] {
        rows.conservativeResize(rows.rows() + clipped.rows(), Eigen::NoChange);
        rows.bottomRows(clipped.rows()) = clipped;
      };
    });
    rows *= clip.grid();
    moments = accumulate_gram(table, rule, bound).matrix();
  }

  Eigen::MatrixXd over(double ridge) const {
    Eigen::MatrixXd result = moments;
    result.diagonal().array() += ridge;
    return result;
  }
};

// v^T C^-1 v for each row, C with the row.
Eigen::VectorXd leverages(const Eigen::MatrixXd& rows, const Eigen::MatrixXd& covariance) {
  return CholeskyFactor(covariance).half_solve(rows.transpose()).colwise().squaredNorm();
}

void expect_private_neighbors(const ClippedTable& table, const PrivacyTarget& target,
                              double columns) {
  const Eigen::Index d = table.moments.cols() - 1;
  const auto features = static_cast<double>(d);
  EXPECT_TRUE((table.rows.transpose() * table.rows).isApprox(table.moments, 1e-12));
  EXPECT_LE(table.rows.rowwise().norm().maxCoeff(), table.bound);
  // A sketch.
  const double ridge = calibrate_projection(target, columns, table.bound).ridge;
  const Eigen::MatrixXd covariance = table.over(ridge);
  double worst = leverages(table.rows, covariance).maxCoeff();
  const SymmetricEigen axes = symmetric_eigen(covariance);
  const Eigen::MatrixXd added = table.bound * axes.vectors.col(0);
  worst = std::max(worst, leverages(added.transpose(), covariance + added * added.transpose())[0]);
  EXPECT_LE(profile(random_projection(columns, worst), target.epsilon).delta().upper(),
            target.delta);
  // The pair of the added row once more, from the covariances themselves.
  const GaussianSpectrum pair =
      reduce_low_rank(covariance, added, 1.0, Eigen::VectorXd::Zero(d + 1));
  EXPECT_LE(profile(PrivacyLoss::gaussian(pair.repeated(columns)), target.epsilon, Accuracy::fast)
                .delta()
                .upper(),
            target.delta * (1 + 1e-9));
  // Least squares.
  const double more = calibrate_least_squares(target, columns, features, table.bound).ridge;
  const Eigen::MatrixXd augmented = table.over(more);
  const auto delta = [&](double p, double q) {
    return profile(least_squares(columns, features, p, q), target.epsilon, Accuracy::fast)
        .delta()
        .upper();
  };
  const Eigen::VectorXd q = leverages(table.rows, augmented);
  const Eigen::VectorXd p = leverages(table.rows.leftCols(d), augmented.topLeftCorner(d, d));
  double largest = 0.0;
  for (Eigen::Index row = 0; row < table.rows.rows(); ++row)
    largest = std::max(largest, delta(std::min(p[row], q[row]), q[row]));
  EXPECT_LE(largest, target.delta);
  EXPECT_GT(largest, 0.0);
  // Rows of norm l added in many directions.
  for (Eigen::Index k = 0; k <= d; ++k) {
    const Eigen::VectorXd v = table.bound * axes.vectors.col(k);
    const Eigen::MatrixXd with = augmented + v * v.transpose();
    const double full = leverages(v.transpose(), with)[0];
    const double part = leverages(v.head(d).transpose(), with.topLeftCorner(d, d).eval())[0];
    EXPECT_LE(delta(std::min(part, full), full), target.delta);
  }
}

TEST(TableNeighbors, OfTheOwnTableMeetTheTarget) {
  const ClippedTable table(source / "examples" / "wages.csv", {}, 60.0);
  EXPECT_EQ(table.rows.rows(), 500);
  expect_private_neighbors(table, {1.0, 1e-4}, 100.0);
}

TEST(TableNeighbors, OfARealTableMeetTheTarget) {
  const auto path = source / ".." / "shared" / "data" / "cancer" / "cancer_2809.csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the data are not here";
  const ClippedTable table(
      path,
      {"Incidence_Rate", "All_Poverty_PC", "All_Without_PC", "Rising", "Falling", "Mortality_Rate"},
      20000.0);
  EXPECT_EQ(table.rows.rows(), 2809);
  expect_private_neighbors(table, {1.0, 1.0 / 2809.0}, 300.0);
}

}  // namespace
}  // namespace modicum::testing::table_neighbors_test
