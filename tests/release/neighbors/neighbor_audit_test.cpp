#include "modicum/release/neighbor_audit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/least_squares.h"
#include "modicum/mechanisms/matrix_noise.h"
#include "modicum/mechanisms/random_projection.h"
#include "numerics/dense.h"
#include "release/audited_tables.h"
#include "support/refusals.h"

namespace modicum::testing::neighbor_audit_test {
namespace {

const PrivacyTarget claim(1.0, 1e-6);

// A method with one parameter of noise, and the same by brute force: the law of one of `draws`
// independent outputs, from the clipped rows.
struct Method {
  std::string name;
  std::function<NeighborAudit(const AuditedTable&, const Calibration& noise)> audit_calibrated;
  std::function<Calibration(double row_norm_bound, double width)> calibration;
  std::function<GaussianDistribution(const Eigen::MatrixXd& rows, double noise)> law;
  double draws = 1.0;

  double calibrated(double row_norm_bound, double width) const {
    return calibration(row_norm_bound, width).parameter;
  }
  NeighborAudit audit(const AuditedTable& audited, double noise) const {
    return audit_calibrated(audited, {noise, {claim.epsilon, {0.0, 1.0}, {0.0, 1.0}, {}}});
  }
};

constexpr double columns = 40.0;

GaussianDistribution projection_law(const Eigen::MatrixXd& rows, double ridge) {
  const Eigen::Index d = rows.cols();
  return {Eigen::VectorXd::Zero(d),
          rows.transpose() * rows + ridge * Eigen::MatrixXd::Identity(d, d)};
}

// Entries on and below the diagonal.
GaussianDistribution covariance_law(const Eigen::MatrixXd& rows, double deviation) {
  const Eigen::MatrixXd moments = rows.transpose() * rows;
  const Eigen::Index d = rows.cols(), size = d * (d + 1) / 2;
  GaussianDistribution law{Eigen::VectorXd(size), Eigen::MatrixXd::Zero(size, size)};
  Eigen::Index k = 0;
  for (Eigen::Index i = 0; i < d; ++i)
    for (Eigen::Index j = 0; j <= i; ++j, ++k) {
      law.mean[k] = moments(i, j);
      law.covariance(k, k) = (i == j ? 2.0 : 1.0) * deviation * deviation;
    }
  return law;
}

GaussianDistribution sum_law(const Eigen::MatrixXd& rows, double deviation) {
  const Eigen::Index d = rows.cols();
  return {rows.colwise().sum().transpose(),
          deviation * deviation * Eigen::MatrixXd::Identity(d, d)};
}

// From the definition: the ridge is appended as rows.
GaussianDistribution least_squares_law(const Eigen::MatrixXd& rows, double ridge) {
  const Eigen::Index d = rows.cols() - 1;
  Eigen::MatrixXd all(rows.rows() + d + 1, d + 1);
  all << rows, std::sqrt(ridge) * Eigen::MatrixXd::Identity(d + 1, d + 1);
  const Eigen::MatrixXd features = all.leftCols(d);
  const Eigen::MatrixXd inverse = CholeskyFactor(features.transpose() * features).inverse();
  const Eigen::VectorXd x = inverse * features.transpose() * all.col(d);
  const double square = (features * x - all.col(d)).squaredNorm();
  return {x, square / columns * 0.5 * (inverse + inverse.transpose())};
}

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      {"projection",
       [](const AuditedTable& audited, const Calibration& noise) {
         return audit_projection(audited, columns, noise.parameter, claim);
       },
       [](double bound, double) -> Calibration {
         const ProjectionCalibration found = calibrate_projection(claim, columns, bound);
         return {found.ridge, found.achieved};
       },
       projection_law, columns},
      {"covariance",
       [](const AuditedTable& audited, const Calibration& noise) {
         return audit_covariance(audited, noise.parameter, claim);
       },
       [](double bound, double) { return calibrate_covariance(claim, bound); }, covariance_law},
      {"sum",
       [](const AuditedTable& audited, const Calibration& noise) {
         return audit_sum(audited, noise.parameter, claim);
       },
       [](double bound, double) { return calibrate_gaussian(claim, bound); }, sum_law},
      {"least squares",
       [](const AuditedTable& audited, const Calibration& noise) {
         // What a calibration has proved, if there was one.
         const bool proved = noise.achieved.delta().upper() < 1.0;
         return audit_least_squares(audited, columns, noise.parameter, claim,
                                    proved ? std::optional(noise.achieved) : std::nullopt);
       },
       [](double bound, double width) -> Calibration {
         const auto found = calibrate_least_squares(claim, columns, width - 1.0, bound);
         return {found.ridge, found.achieved};
       },
       least_squares_law}};
  return all;
}

double delta_without(const Method& method, const Eigen::MatrixXd& rows, Eigen::Index row,
                     double noise) {
  return dense_delta(method.law(rows, noise), method.law(without_row(rows, row), noise),
                     claim.epsilon, method.draws);
}

double delta_with(const Method& method, const Eigen::MatrixXd& rows, const Eigen::VectorXd& row,
                  double noise) {
  return dense_delta(method.law(with_row(rows, row), noise), method.law(rows, noise), claim.epsilon,
                     method.draws);
}

void expect_holds(const ProfilePoint& point, double exact, const std::string& what) {
  EXPECT_LE(point.delta().lower(), exact * (1.0 + 1e-6)) << what;
  EXPECT_GE(point.delta().upper(), exact * (1.0 - 1e-6)) << what;
  EXPECT_LE(point.delta().upper(), exact * (1.0 + 1e-5)) << what;
}

TEST(NeighborAudit, RemovedRowsAreThoseOfBruteForce) {
  SeededRandom random(1);
  for (const Method& method : methods())
    for (const long width : {2L, 4L}) {
      const Eigen::MatrixXd rows = uneven_table(random, 25, width);
      const double noise = 0.3 * method.calibrated(1.0, static_cast<double>(width));
      const NeighborAudit audit = method.audit(MadeTable(rows, 1.0).audited(), noise);
      const Eigen::MatrixXd clipped = as_clipped(rows, 1.0);
      double exact = 0.0;
      for (Eigen::Index i = 0; i < rows.rows(); ++i)
        exact = std::max(exact, delta_without(method, clipped, i, noise));
      ASSERT_TRUE(audit.removed);
      expect_holds(audit.removed->found, exact, method.name);
      EXPECT_GE(audit.removed->bound, exact * (1.0 - 1e-6)) << method.name;
      const auto worst = static_cast<Eigen::Index>(audit.removed->number.value()) - 1;
      EXPECT_NEAR(delta_without(method, clipped, worst, noise), exact, 1e-6 * exact);
      EXPECT_EQ(audit.removed->row, clipped.row(worst).transpose());
      EXPECT_TRUE(audit.removed->exhaustive);
      EXPECT_EQ(audit.rows, 25.0);
    }
}

TEST(NeighborAudit, TheAddedRowIsAsBadAsThousandRandomOnes) {
  SeededRandom random(2);
  for (const Method& method : methods())
    for (const long width : {2L, 5L}) {
      const Eigen::MatrixXd rows = uneven_table(random, 25, width);
      const double noise = 0.3 * method.calibrated(1.0, static_cast<double>(width));
      const NeighborAudit audit = method.audit(MadeTable(rows, 1.0).audited(), noise);
      const Eigen::MatrixXd clipped = as_clipped(rows, 1.0);
      // The row that is named has the delta that is named.
      EXPECT_LE(audit.added->row.norm(), 1.0);
      expect_holds(audit.added->found, delta_with(method, clipped, audit.added->row, noise),
                   method.name);
      for (int i = 0; i < 1000; ++i) {
        const Eigen::VectorXd row =
            as_clipped(random_rows(random, 1, width, 3.0), 1.0).row(0).transpose();
        const double exact = delta_with(method, clipped, row, noise);
        EXPECT_LE(exact, audit.added->found.delta().upper() * (1.0 + 1e-5)) << method.name;
        EXPECT_LE(exact, audit.added->bound * (1.0 + 1e-9)) << method.name;
      }
    }
}

// Tables on which calibrations have least room.
std::vector<Eigen::MatrixXd> adversarial_tables(long width) {
  Eigen::MatrixXd one = Eigen::MatrixXd::Zero(1, width), same(30, width), dominated(30, width);
  one(0, width - 1) = 1.0;
  same.setConstant(1.0 / std::sqrt(static_cast<double>(width)));
  dominated.setConstant(1e-6);
  dominated(7, 0) = 1e9;
  Eigen::MatrixXd diagonal = Eigen::MatrixXd::Ones(1, width);
  return {Eigen::MatrixXd(0, width),
          one,
          same,
          dominated,
          diagonal,
          Eigen::MatrixXd::Zero(5, width),
          Eigen::MatrixXd::Identity(width, width)};
}

TEST(NeighborAudit, CalibratedNoiseIsConsistentOnAdversarialTables) {
  for (const Method& method : methods())
    for (const long width : {2L, 3L})
      for (const double bound : {1.0, 1e3}) {
        const Calibration noise = method.calibration(bound, static_cast<double>(width));
        for (const Eigen::MatrixXd& rows : adversarial_tables(width)) {
          const NeighborAudit audit =
              method.audit_calibrated(MadeTable(bound * rows, bound).audited(), noise);
          EXPECT_EQ(audit.verdict, Verdict::consistent) << method.name << "\n" << rows;
          EXPECT_LE(audit.everywhere.delta().upper(), claim.delta);
          EXPECT_EQ(audit.removed.has_value(), rows.rows() > 0);
        }
      }
}

// An empty table attains the worst case of all four: a row is added to nothing.
TEST(NeighborAudit, TooLittleNoiseIsFoundOut) {
  for (const Method& method : methods()) {
    const double noise = 0.7 * method.calibrated(1.0, 3.0);
    const NeighborAudit empty =
        method.audit(MadeTable(Eigen::MatrixXd(0, 3), 1.0).audited(), noise);
    EXPECT_EQ(empty.verdict, Verdict::violated) << method.name;
    EXPECT_FALSE(empty.removed);
    // The same row, now to be removed.
    const NeighborAudit one =
        method.audit(MadeTable(empty.added->row.transpose(), 1.0).audited(), noise);
    EXPECT_EQ(one.verdict, Verdict::violated) << method.name;
    // (Clipping it once more may take 2^-19 of its norm.)
    EXPECT_NEAR(one.removed->found.delta().lower() / empty.added->found.delta().lower(), 1.0, 1e-4)
        << method.name;
    // It is close to the worst of all data sets.
    EXPECT_GT(empty.added->found.delta().lower(), 0.97 * empty.everywhere.delta().lower())
        << method.name;
  }
}

// Many rows hide one another, where the noise does not depend on the data alone.
TEST(NeighborAudit, ATableMayBeSaferThanTheWorst) {
  SeededRandom random(3);
  const Eigen::MatrixXd rows = random_rows(random, 4000, 3, 0.5);
  const MadeTable table(rows, 1.0);
  for (const Method& method : methods()) {
    if (method.name == "covariance" || method.name == "sum") continue;
    const NeighborAudit audit = method.audit(table.audited(), 0.3 * method.calibrated(1.0, 3.0));
    EXPECT_EQ(audit.verdict, Verdict::consistent) << method.name;
    EXPECT_GT(audit.everywhere.delta().lower(), claim.delta) << method.name;
  }
}

TEST(NeighborAudit, NeitherTheOrderOfRowsNorThreadsMatter) {
  SeededRandom random(4);
  const Eigen::MatrixXd rows = uneven_table(random, 200, 3);
  const Eigen::MatrixXd reversed = rows.colwise().reverse();
  for (const Method& method : methods()) {
    const NeighborAudit one = method.audit(MadeTable(rows, 1.0, {}, false, 1).audited(), 1.0);
    const NeighborAudit three = method.audit(MadeTable(rows, 1.0, {}, false, 3).audited(), 1.0);
    const NeighborAudit other = method.audit(MadeTable(reversed, 1.0).audited(), 1.0);
    EXPECT_EQ(one.removed->number, three.removed->number);
    EXPECT_EQ(one.removed->found.delta().upper(), three.removed->found.delta().upper());
    EXPECT_EQ(one.added->found.delta().upper(), three.added->found.delta().upper());
    EXPECT_EQ(one.removed->row, other.removed->row);
    EXPECT_NEAR(one.removed->found.delta().upper() / other.removed->found.delta().upper(), 1.0,
                1e-9);
    EXPECT_NEAR(one.figures.largest, other.figures.largest, 1e-12);
    EXPECT_EQ(one.figures.median, other.figures.median);
  }
}

TEST(NeighborAudit, AddedRowsAreRowsThatTheFileCanHold) {
  SeededRandom random(5);
  const Eigen::MatrixXd rows = random_rows(random, 30, 2, 3.0);
  const std::map<std::string, Range> ranges{{"1", Range(-2.0, 4.0)}, {"2", Range(-1.0, 1.0)}};
  for (const Method& method : methods()) {
    const MadeTable ranged(rows, std::sqrt(3.0), ranges, true);
    const NeighborAudit audit = method.audit(ranged.audited(), 1.0);
    EXPECT_NEAR(audit.added->row[0], 1.0, 1e-5) << method.name;
    EXPECT_LE(audit.added->row.cwiseAbs().maxCoeff(), 1.0 + 1e-5) << method.name;
    // Without ranges a row may be as long as it likes, and the intercept is what clipping leaves.
    const MadeTable plain(rows, 1.0, {}, true);
    const Eigen::VectorXd row = method.audit(plain.audited(), 1.0).added->row;
    EXPECT_GE(row[0], 0.0) << method.name;
    EXPECT_NEAR(row.norm(), 1.0, 1e-5) << method.name;
  }
}

TEST(NeighborAudit, FiguresAreQuantilesOfTheRows) {
  Eigen::MatrixXd rows(100, 1);
  for (Eigen::Index i = 0; i < 100; ++i) rows(i, 0) = static_cast<double>(i + 1) / 128.0;
  const RowFigures figures = audit_sum(MadeTable(rows, 1.0).audited(), 5.0, claim).figures;
  EXPECT_EQ(figures.name, "squared norm");
  EXPECT_NEAR(figures.median, std::pow(50.0 / 128.0, 2.0), 0.011 * figures.median);
  EXPECT_NEAR(figures.upper_quartile, std::pow(75.0 / 128.0, 2.0), 0.011);
  EXPECT_NEAR(figures.upper_percent, std::pow(99.0 / 128.0, 2.0), 0.011);
  EXPECT_EQ(figures.largest, std::pow(100.0 / 128.0, 2.0));
}

// Columns that are almost the same make leverages uncertain. A claim between the bounds that are
// left is not decided; nothing is accused wrongly.
TEST(NeighborAudit, RoundingLeavesVerdictsOpenInsteadOfWrong) {
  SeededRandom random(6);
  Eigen::MatrixXd rows = random_rows(random, 2000, 3, 0.4);
  rows.col(1) = rows.col(0);
  const MadeTable table(rows, 1.0);
  const NeighborAudit projection = audit_projection(table.audited(), columns, 1e-11, claim);
  EXPECT_GE(projection.removed->found.delta().upper(), projection.removed->found.delta().lower());
  EXPECT_NE(projection.verdict, Verdict::consistent);
  const NeighborAudit regression = audit_least_squares(table.audited(), columns, 1e-11, claim);
  EXPECT_NE(regression.verdict, Verdict::consistent);
}

TEST(NeighborAudit, RefusesBadParameters) {
  const MadeTable table(Eigen::MatrixXd::Ones(3, 2), 1.0), narrow(Eigen::MatrixXd::Ones(3, 1), 1.0);
  for (const double bad : {0.0, -1.0, not_a_number, infinity}) {
    EXPECT_TRUE(refuses("ridge", [&] {
      return audit_projection(table.audited(), columns, bad, claim);
    })) << bad;
    EXPECT_TRUE(refuses("ridge", [&] {
      return audit_least_squares(table.audited(), columns, bad, claim);
    })) << bad;
    EXPECT_TRUE(refuses("standard_deviation", [&] {
      return audit_covariance(table.audited(), bad, claim);
    })) << bad;
    EXPECT_TRUE(refuses("standard_deviation", [&] {
      return audit_sum(table.audited(), bad, claim);
    })) << bad;
  }
  EXPECT_TRUE(
      refuses("columns", [&] { return audit_projection(table.audited(), 0.5, 1.0, claim); }));
  EXPECT_TRUE(
      refuses("columns", [&] { return audit_least_squares(table.audited(), 0.0, 1.0, claim); }));
  EXPECT_TRUE(refuses("the list of features",
                      [&] { return audit_least_squares(narrow.audited(), columns, 1.0, claim); }));
}

// Rows that ranges keep short: the lower end is that of a row that a file can hold, not of the
// norm bound.
TEST(NeighborAudit, TheWitnessIsARowThatTheFileCanHold) {
  const std::map<std::string, Range> ranges{{"1", Range(0.0, 1.0)}, {"2", Range(0.0, 1.0)}};
  const MadeTable ranged(Eigen::MatrixXd(0, 2), 100.0, ranges);
  AuditedTable audited = ranged.audited();
  audited.read = false;
  const NeighborAudit audit = audit_sum(audited, 30.0, claim);
  EXPECT_NEAR(audit.witness.added.norm(), std::sqrt(2.0), 1e-3);
  EXPECT_EQ(audit.verdict, Verdict::undecided);
  EXPECT_LT(audit.everywhere.delta().lower(), 1e-100);
  for (const Method& method : methods()) {
    const double noise = 0.7 * method.calibrated(1.0, 2.0);
    const MadeTable plain(Eigen::MatrixXd(0, 2), 1.0);
    AuditedTable unread = plain.audited();
    unread.read = false;
    const NeighborAudit found = method.audit(unread, noise);
    EXPECT_EQ(found.verdict, Verdict::violated) << method.name;
    EXPECT_EQ(found.everywhere.proof, Proof::certified) << method.name;
    EXPECT_FALSE(found.removed || found.added) << method.name;
    const double exact = delta_with(method, Eigen::MatrixXd(0, 2), found.witness.added, noise);
    EXPECT_LE(found.everywhere.delta().lower(), exact * (1.0 + 1e-6)) << method.name;
    EXPECT_GE(found.everywhere.delta().lower(), 0.999 * exact) << method.name;
  }
}

// Every row that was found is one of which the delta is proved, in many dimensions too.
TEST(NeighborAudit, WhatIsFoundIsProved) {
  SeededRandom random(8);
  for (const long width : {3L, 60L}) {
    const MadeTable table(random_rows(random, 100, width, 0.2), 1.0);
    for (const Method& method : methods()) {
      const NeighborAudit audit =
          method.audit(table.audited(), 0.1 * method.calibrated(1.0, static_cast<double>(width)));
      EXPECT_EQ(audit.removed->found.proof, Proof::certified) << method.name;
      EXPECT_EQ(audit.added->found.proof, Proof::certified) << method.name;
      EXPECT_GT(audit.added->found.delta().lower(), 0.0) << method.name;
    }
  }
}

TEST(NeighborAudit, ANeighborThatIsGiven) {
  SeededRandom random(9);
  const Eigen::MatrixXd rows = uneven_table(random, 30, 3), less = without_row(rows, 11);
  const MadeTable one(rows, 1.0), other(less, 1.0), apart(without_row(less, 3), 1.0);
  const Eigen::MatrixXd clipped = as_clipped(rows, 1.0);
  for (const Method& method : methods()) {
    const double noise = 0.3 * method.calibrated(1.0, 3.0);
    const double exact = delta_without(method, clipped, 11, noise);
    for (const bool removed : {true, false}) {
      AuditedTable audited = (removed ? one : other).audited();
      audited.neighbor = &(removed ? other : one).table();
      const NeighborAudit audit = method.audit(audited, noise);
      ASSERT_TRUE(audit.given) << method.name;
      expect_holds(audit.given->found, exact, method.name);
      EXPECT_EQ(audit.given->number.value_or(12.0), 12.0) << method.name;
      EXPECT_EQ(audit.given->number.has_value(), removed) << method.name;
      EXPECT_EQ(audit.given->row, clipped.row(11).transpose()) << method.name;
      audited.neighbor = &apart.table();
      EXPECT_EQ(refuses("neighbor", [&] { return method.audit(audited, noise); }), removed);
    }
  }
}

}  // namespace
}  // namespace modicum::testing::neighbor_audit_test
