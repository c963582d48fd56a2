#include <gtest/gtest.h>

#include <algorithm>

#include "modicum/mechanisms/objective_perturbation.h"
#include "release/audited_tables.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::neighbor_objective_test {
namespace {

const PrivacyTarget claim(1.0, 1e-5);

const PredictionLoss losses[] = {PredictionLoss::logistic(), PredictionLoss::smoothed_hinge(0.5),
                                 PredictionLoss::huber(0.25), PredictionLoss::log_cosh(0.25),
                                 PredictionLoss::squared(1.0)};

// A table whose last column is the response, and its audit.
struct RespondingTable {
  RespondingTable(const Eigen::MatrixXd& all, double row_norm_bound, const PredictionLoss& of,
                  bool intercept = false)
      : loss(of), bound(row_norm_bound), table(all, row_norm_bound) {
    std::vector<std::string> names;
    for (Eigen::Index j = 1; j < all.cols(); ++j) names.push_back(fmt::format("{}", j));
    features.emplace(table.table(), names, std::map<std::string, Range>{}, intercept);
    const std::string last = fmt::format("{}", all.cols());
    response = loss.takes_labels() ? ResponseRule(LabelRule{last, 0.0})
                                   : TargetRule{last, Range(-1.0, 1.0)};
  }
  NeighborAudit audit(double regularization, double deviation, bool read,
                      const RespondingTable* neighbor = nullptr) const {
    SeededSource source(7);
    AuditedTable audited{table.table(), *features, bound, {}, read};
    if (neighbor != nullptr) audited.neighbor = &neighbor->table.table();
    return audit_objective(audited, response, {loss, regularization, deviation, {}, draws}, claim,
                           source);
  }
  PredictionLoss loss;
  double bound;
  double draws = 0.0;
  MadeTable table;
  std::optional<RowRule> features;
  ResponseRule response;
};

Eigen::MatrixXd responding_rows(SeededRandom& random, long rows, long columns) {
  Eigen::MatrixXd all = random_rows(random, rows, columns, 0.4);
  for (Eigen::Index i = 0; i < all.rows(); ++i)
    all(i, columns - 1) = std::tanh(2.0 * all(i, 0) + random.normal());
  return all;
}

double calibrated(const PredictionLoss& loss, double bound, double regularization) {
  return calibrate_objective_perturbation(claim, loss.bounds(bound, regularization)).parameter;
}

double lambda_of(const PredictionLoss& loss, double bound) {
  return default_objective_regularization(claim, loss, bound);
}

// Both directions by summing densities on a grid of coefficients in two dimensions, from the
// change of variables; `with` has the record last.
struct GridDeltas {
  double forward = 0.0, reverse = 0.0, mass = 0.0;
};
GridDeltas grid_deltas(const PredictionLoss& loss, const Eigen::MatrixXd& with, double lambda,
                       double sigma, double epsilon) {
  GridDeltas sum;
  const Eigen::Index n = with.rows();
  constexpr int steps = 500;
  const double reach = (8.0 * sigma + 2.0 * static_cast<double>(n)) / lambda;
  const double step = 2.0 * reach / steps;
  for (int i = 0; i < steps; ++i)
    for (int j = 0; j < steps; ++j) {
      const Eigen::Vector2d theta(-reach + (i + 0.5) * step, -reach + (j + 0.5) * step);
      Eigen::Vector2d gradient = lambda * theta;
      Eigen::Matrix2d hessian = lambda * Eigen::Matrix2d::Identity();
      const auto density = [&] {
        const double determinant = hessian(0, 0) * hessian(1, 1) - hessian(0, 1) * hessian(1, 0);
        return determinant * std::exp(-gradient.squaredNorm() / (2.0 * sigma * sigma)) /
               (2.0 * M_PI * sigma * sigma) * step * step;
      };
      double q = 0.0;
      for (Eigen::Index k = 0; k < n; ++k) {
        if (k + 1 == n) q = density();
        const Eigen::Vector2d row = with.row(k).head(2).transpose();
        const auto at = loss.at(row.dot(theta), with(k, 2));
        gradient += at.slope * row;
        hessian += at.curvature * row * row.transpose();
      }
      const double p = density();
      sum.mass += p;
      sum.forward += std::max(0.0, p - std::exp(epsilon) * q);
      sum.reverse += std::max(0.0, q - std::exp(epsilon) * p);
    }
  return sum;
}

TEST(AuditObjective, CalibratedNoiseIsConsistentAndItsWitnessComesClose) {
  SeededRandom random(11);
  for (const PredictionLoss& loss : losses)
    for (const double bound : {0.3, 2.0}) {
      const RespondingTable table(responding_rows(random, 10, 4), bound, loss);
      const double lambda = lambda_of(loss, bound);
      const NeighborAudit audit = table.audit(lambda, calibrated(loss, bound, lambda), false);
      EXPECT_EQ(audit.verdict, Verdict::consistent) << loss.name();
      EXPECT_LE(audit.everywhere.delta().upper(), claim.delta);
      // Where curvature costs nothing, or nearly, the bound is attained.
      const double share = loss.kind() == PredictionLossKind::logistic ? 0.9 : 0.15;
      EXPECT_GT(audit.everywhere.delta().lower(), share * claim.delta) << loss.name();
      EXPECT_EQ(audit.everywhere.proof, Proof::certified);
    }
}

TEST(AuditObjective, ATwinWithLessNoiseIsCaughtWithoutData) {
  SeededRandom random(12);
  for (const PredictionLoss& loss : losses) {
    const RespondingTable table(responding_rows(random, 10, 3), 1.0, loss);
    const double lambda = lambda_of(loss, 1.0);
    const NeighborAudit audit = table.audit(lambda, 0.8 * calibrated(loss, 1.0, lambda), false);
    EXPECT_EQ(audit.verdict, Verdict::violated) << loss.name();
    EXPECT_GT(audit.everywhere.delta().lower(), claim.delta);
    EXPECT_FALSE(audit.removed || audit.added || audit.given);
  }
}

TEST(AuditObjective, AWitnessIsNoMoreThanTheDensitiesSay) {
  // One column, few copies: densities on a fine line.
  for (const PredictionLoss& loss : losses) {
    SeededSource source(1);
    SeededRandom random(13);
    const RespondingTable table(responding_rows(random, 5, 2), 1.0, loss);
    const double lambda = lambda_of(loss, 1.0), sigma = 0.8 * calibrated(loss, 1.0, lambda);
    const AuditedObjective mechanism{loss, lambda, sigma, 30.0};
    const NeighborAudit audit =
        audit_objective({table.table.table(), *table.features, 1.0, {}, false}, table.response,
                        mechanism, claim, source);
    const Witness& witness = audit.witness;
    double forward = 0.0, reverse = 0.0;
    constexpr int steps = 200000;
    const double reach = (10.0 * sigma + 70.0) / lambda, step = 2.0 * reach / steps;
    for (int i = 0; i < steps; ++i) {
      const double theta = -reach + (i + 0.5) * step;
      double gradient = lambda * theta, hessian = lambda;
      const auto add = [&](double count, const Eigen::VectorXd& row) {
        const auto at = loss.at(row[0] * theta, row[1]);
        gradient += count * at.slope * row[0];
        hessian += count * at.curvature * row[0] * row[0];
      };
      const auto density = [&] {
        return hessian * std::exp(-gradient * gradient / (2.0 * sigma * sigma)) /
               (sigma * std::sqrt(2.0 * M_PI)) * step;
      };
      for (const auto& rows : witness.table) add(rows.count, rows.row);
      const double q = density();
      add(1.0, witness.added);
      const double p = density();
      forward += std::max(0.0, p - std::exp(claim.epsilon) * q);
      reverse += std::max(0.0, q - std::exp(claim.epsilon) * p);
    }
    EXPECT_LE(audit.everywhere.forward.lower(), forward * (1.0 + 1e-3)) << loss.name();
    EXPECT_LE(audit.everywhere.reverse.lower(), reverse * (1.0 + 1e-3)) << loss.name();
    EXPECT_LE(std::max(forward, reverse), audit.everywhere.delta().upper() * (1.0 + 1e-3));
    EXPECT_GT(audit.everywhere.delta().lower(), 0.3 * std::max(forward, reverse));
  }
}

TEST(AuditObjective, LowerEndsOfGivenTablesAreBelowTheTruthAndNearIt) {
  SeededRandom random(14);
  for (const PredictionLoss& loss : {losses[0], losses[2], losses[4]}) {
    const Eigen::MatrixXd with = responding_rows(random, 6, 3);
    const double lambda = 2.0, sigma = 0.6;
    RespondingTable larger(with, 1.0, loss), smaller(with.topRows(5), 1.0, loss);
    larger.draws = 10000.0;
    const NeighborAudit audit = larger.audit(lambda, sigma, true, &smaller);
    ASSERT_TRUE(audit.given);
    EXPECT_EQ(audit.given->number, 6.0);
    Eigen::MatrixXd clipped(6, 3);
    clipped << as_clipped(with.leftCols(2), 1.0), with.col(2);
    if (loss.takes_labels())
      clipped.col(2) = with.col(2).unaryExpr([](double y) { return y > 0.0 ? 1.0 : -1.0; });
    const GridDeltas truth = grid_deltas(loss, clipped, lambda, sigma, claim.epsilon);
    ASSERT_NEAR(truth.mass, 1.0, 1e-3);
    const ProfilePoint& found = audit.given->found;
    EXPECT_LE(found.forward.lower(), truth.forward + 1e-4);
    EXPECT_LE(found.reverse.lower(), truth.reverse + 1e-4);
    EXPECT_GE(found.forward.upper(), truth.forward * (1.0 - 1e-3));
    EXPECT_GE(found.reverse.upper(), truth.reverse * (1.0 - 1e-3));
    EXPECT_GT(found.delta().lower(), 0.5 * std::max(truth.forward, truth.reverse) - 1e-4)
        << loss.name() << " " << truth.forward << " " << truth.reverse;
    EXPECT_GT(audit.given->chance, 0.0);
    EXPECT_LE(audit.given->found.delta().lower(), audit.everywhere.delta().upper());
  }
}

TEST(AuditObjective, FindsTheRowsThatGiveMostAway) {
  SeededRandom random(15);
  Eigen::MatrixXd all = responding_rows(random, 30, 3);
  all.leftCols(2) *= 0.1;
  all.row(17) << 0.6, 0.7, -1.0;
  const PredictionLoss loss = PredictionLoss::logistic();
  const RespondingTable table(all, 1.0, loss);
  const NeighborAudit audit = table.audit(1.0, 0.5, true);
  ASSERT_TRUE(audit.removed && audit.added);
  EXPECT_EQ(audit.removed->number, 18.0);
  EXPECT_EQ(audit.rows, 30.0);
  EXPECT_EQ(audit.verdict, Verdict::violated);
  EXPECT_GE(audit.added->found.delta().lower(), 0.5 * audit.removed->found.delta().lower());
  for (const auto& worst : {audit.removed, audit.added}) {
    EXPECT_LE(worst->found.delta().lower(), worst->bound);
    EXPECT_LE(worst->bound, audit.everywhere.delta().upper());
  }
}

TEST(AuditObjective, ARowOfZerosGivesNothingAway) {
  Eigen::MatrixXd with = Eigen::MatrixXd::Constant(4, 3, 0.3);
  with.row(3) << 0.0, 0.0, 1.0;
  const PredictionLoss loss = PredictionLoss::logistic();
  const RespondingTable larger(with, 1.0, loss), smaller(with.topRows(3), 1.0, loss);
  const NeighborAudit audit = larger.audit(1.0, 0.5, true, &smaller);
  ASSERT_TRUE(audit.given);
  EXPECT_EQ(audit.given->found.delta().upper(), 0.0);
}

TEST(AuditObjective, RefusesWhatIsOutOfBounds) {
  SeededRandom random(16);
  const RespondingTable table(responding_rows(random, 5, 3), 1.0, PredictionLoss::logistic());
  for (const double bad : {0.0, -1.0, not_a_number, infinity}) {
    EXPECT_TRUE(refuses("regularization", [&] { return table.audit(bad, 1.0, false); }));
    EXPECT_TRUE(refuses("standard_deviation", [&] { return table.audit(1.0, bad, false); }));
  }
  RespondingTable other(responding_rows(random, 5, 3), 1.0, PredictionLoss::logistic());
  other.loss = PredictionLoss::huber(0.5);
  EXPECT_TRUE(refuses("loss", [&] { return other.audit(1.0, 1.0, false); }));
  EXPECT_TRUE(refuses("neighbor", [&] { return table.audit(1.0, 1.0, true, &other); }));
}

}  // namespace
}  // namespace modicum::testing::neighbor_objective_test
