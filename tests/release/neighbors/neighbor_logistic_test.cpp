#include <gtest/gtest.h>

#include <algorithm>

#include "modicum/mechanisms/bayesian_logistic.h"
#include "numerics/dense.h"
#include "release/audited_tables.h"
#include "release/neighbors/neighbor_pairs.h"
#include "support/refusals.h"

namespace modicum::testing::neighbor_logistic_test {
namespace {

const PrivacyTarget claim(1.0, 1e-6);

// A table whose last column is the label, and its audit.
struct LabeledTable {
  LabeledTable(const Eigen::MatrixXd& all, double row_norm_bound, unsigned threads = 0)
      : rows(all), bound(row_norm_bound), table(all, row_norm_bound, {}, false, threads) {
    std::vector<std::string> names;
    for (Eigen::Index j = 1; j < all.cols(); ++j) names.push_back(fmt::format("{}", j));
    features.emplace(table.table(), names);
    options.threads = threads;
  }
  NeighborAudit audit(double regularization, double noise,
                      std::optional<ProfilePoint> everywhere = {}) const {
    return audit_logistic({table.table(), *features, bound, options},
                          {fmt::format("{}", rows.cols()), 0.0}, {regularization, noise}, claim,
                          everywhere);
  }
  Eigen::MatrixXd rows;
  double bound;
  MadeTable table;
  std::optional<RowRule> features;
  ReadOptions options;
};

// Features clipped, labels -1 or +1.
Eigen::MatrixXd as_labeled(const Eigen::MatrixXd& rows, double bound) {
  Eigen::MatrixXd result = rows;
  const Eigen::Index d = rows.cols() - 1;
  if (rows.rows() > 0) result.leftCols(d) = as_clipped(rows.leftCols(d), bound);
  result.col(d) = rows.col(d).unaryExpr([](double y) { return y > 0.0 ? 1.0 : -1.0; });
  return result;
}

// By Newton's method in long doubles with halved steps, from the definition.
GaussianDistribution law_of(const Eigen::MatrixXd& labeled, double lambda, double noise) {
  using Vector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Eigen::Index d = labeled.cols() - 1;
  const Matrix x = labeled.leftCols(d).cast<long double>();
  const Vector y = labeled.col(d).cast<long double>();
  const auto value = [&](const Vector& theta) {
    long double sum = lambda / 2.0L * theta.squaredNorm();
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      sum += std::log1p(std::exp(-y[i] * x.row(i).dot(theta)));
    return sum;
  };
  Vector theta = Vector::Zero(d);
  for (int step = 0; step < 60; ++step) {
    Vector gradient = lambda * theta;
    Matrix hessian = lambda * Matrix::Identity(d, d);
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      const long double pull = 1.0L / (1.0L + std::exp(y[i] * x.row(i).dot(theta)));
      gradient -= y[i] * pull * x.row(i).transpose();
      hessian += pull * (1.0L - pull) * x.row(i).transpose() * x.row(i);
    }
    // In doubles: a direction need not be exact.
    Vector move =
        CholeskyFactor(hessian.cast<double>()).solve(gradient.cast<double>()).cast<long double>();
    for (int half = 0; half < 30 && value(theta - move) > value(theta); ++half) move *= 0.5L;
    theta -= move;
  }
  const Eigen::MatrixXd features = labeled.leftCols(d);
  const Eigen::MatrixXd precision =
      lambda * Eigen::MatrixXd::Identity(d, d) + 0.25 * features.transpose() * features;
  const Eigen::MatrixXd inverse = CholeskyFactor(precision).inverse();
  return {theta.cast<double>(),
          0.5 * (inverse + inverse.transpose()) + noise * Eigen::MatrixXd::Identity(d, d)};
}

double delta_between(const Eigen::MatrixXd& with, const Eigen::MatrixXd& without, double lambda,
                     double noise) {
  return dense_delta(law_of(with, lambda, noise), law_of(without, lambda, noise), claim.epsilon);
}

Eigen::MatrixXd labeled_table(SeededRandom& random, long rows, long features) {
  Eigen::MatrixXd result = uneven_table(random, rows, features + 1);
  for (Eigen::Index i = 0; i < rows; ++i)
    result(i, features) = result(i, 0) + 0.3 * random.normal() > 0.0 ? 1.0 : 0.0;
  return result;
}

TEST(LogisticAudit, FindsTheWorstRemovedRow) {
  SeededRandom random(1);
  for (const long features : {1L, 3L})
    for (const double lambda : {0.3, 5.0}) {
      const Eigen::MatrixXd rows = labeled_table(random, 25, features);
      const double noise = 0.1 / (lambda * lambda);
      const NeighborAudit audit = LabeledTable(rows, 1.0).audit(lambda, noise);
      const Eigen::MatrixXd labeled = as_labeled(rows, 1.0);
      double exact = 0.0;
      for (Eigen::Index i = 0; i < rows.rows(); ++i)
        exact = std::max(exact, delta_between(labeled, without_row(labeled, i), lambda, noise));
      ASSERT_TRUE(audit.removed);
      EXPECT_EQ(audit.rows, 25.0);
      const ProfilePoint& found = audit.removed->found;
      EXPECT_LE(found.delta().lower(), exact * (1.0 + 1e-6));
      EXPECT_GE(found.delta().upper(), exact * (1.0 - 1e-6));
      EXPECT_LE(found.delta().upper(), exact * 1.001);
      EXPECT_GE(audit.removed->bound, exact);
      const auto worst = static_cast<Eigen::Index>(*audit.removed->number) - 1;
      EXPECT_EQ(audit.removed->row, labeled.row(worst).transpose());
    }
}

TEST(LogisticAudit, TheAddedRowIsAsBadAsRandomOnes) {
  SeededRandom random(2);
  for (const long features : {1L, 3L}) {
    const double lambda = 1.0, noise = 0.1;
    const Eigen::MatrixXd rows = labeled_table(random, 25, features);
    const NeighborAudit audit = LabeledTable(rows, 1.0).audit(lambda, noise);
    const Eigen::MatrixXd labeled = as_labeled(rows, 1.0);
    const double named = delta_between(with_row(labeled, audit.added->row), labeled, lambda, noise);
    EXPECT_LE(audit.added->found.delta().lower(), named * (1.0 + 1e-6));
    EXPECT_GE(audit.added->found.delta().upper(), named * (1.0 - 1e-6));
    EXPECT_LE(audit.added->row.head(features).norm(), 1.0);
    for (int i = 0; i < 200; ++i) {
      Eigen::MatrixXd row = random_rows(random, 1, features + 1, 3.0);
      const double exact =
          delta_between(with_row(labeled, as_labeled(row, 1.0).row(0)), labeled, lambda, noise);
      EXPECT_LE(exact, audit.added->found.delta().upper() * 1.001);
    }
  }
}

TEST(LogisticAudit, CalibratedNoiseIsConsistentAndLessIsFoundOut) {
  for (const double lambda : {1.0, 20.0}) {
    const LiftCalibration calibrated = calibrate_bayesian_logistic(
        claim, LogisticShape(lambda, 1.0, std::ldexp(1.0 / lambda, -16)));
    SeededRandom random(3);
    Eigen::MatrixXd one(1, 3), same = Eigen::MatrixXd::Constant(20, 3, 0.7);
    one << 1.0, 0.0, 1.0;
    for (const Eigen::MatrixXd& rows :
         {Eigen::MatrixXd(0, 3), one, same, labeled_table(random, 30, 2)}) {
      const NeighborAudit audit = LabeledTable(rows, 1.0).audit(lambda, calibrated.noise_variance,
                                                                calibrated.bounds.delta());
      EXPECT_EQ(audit.verdict, Verdict::consistent);
      EXPECT_EQ(audit.removed.has_value(), rows.rows() > 0);
    }
  }
}

// Many equal rows make a large coefficient, against which a row across it pulls with all its force.
TEST(LogisticAudit, TooLittleNoiseIsFoundOut) {
  const double lambda = 5.0;
  const LiftCalibration calibrated =
      calibrate_bayesian_logistic(claim, LogisticShape(lambda, 1.0, std::ldexp(1.0 / lambda, -16)));
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(4000, 3);
  rows.col(0).setOnes();
  rows.col(2).setOnes();
  const NeighborAudit broken =
      LabeledTable(rows, 1.0).audit(lambda, 0.4 * calibrated.noise_variance);
  EXPECT_EQ(broken.verdict, Verdict::violated);
  EXPECT_GT(broken.added->found.delta().lower(), claim.delta);
  EXPECT_LE(broken.added->found.delta().lower(), broken.everywhere.delta().upper());
}

TEST(LogisticAudit, ThreadsDoNotMatter) {
  SeededRandom random(4);
  const Eigen::MatrixXd rows = labeled_table(random, 100, 3);
  const ProfilePoint anything{claim.epsilon, {0.0, 1.0}, {0.0, 1.0}, Proof::certified};
  const NeighborAudit one = LabeledTable(rows, 1.0, 1).audit(1.0, 0.5, anything);
  const NeighborAudit three = LabeledTable(rows, 1.0, 3).audit(1.0, 0.5, anything);
  EXPECT_EQ(one.removed->number, three.removed->number);
  EXPECT_EQ(one.removed->found.delta().upper(), three.removed->found.delta().upper());
  EXPECT_EQ(one.added->row, three.added->row);
}

TEST(LogisticAudit, KeepsThePromiseAboutTheRows) {
  const LabeledTable table(Eigen::MatrixXd::Ones(3, 2), 1.0);
  const auto audit = [&](double largest_rows) {
    return audit_logistic({table.table.table(), *table.features, 1.0}, {"2", 0.0},
                          {1.0, 1.0, largest_rows}, claim);
  };
  EXPECT_TRUE(audit(4.0).added);
  EXPECT_FALSE(audit(3.0).added);
  EXPECT_THROW(audit(2.0), Error);
}

TEST(LogisticAudit, RefusesBadParameters) {
  const LabeledTable table(Eigen::MatrixXd::Ones(3, 2), 1.0);
  for (const double bad : {0.0, -1.0, not_a_number, infinity}) {
    EXPECT_TRUE(refuses("regularization", [&] { return table.audit(bad, 1.0); }));
    EXPECT_TRUE(refuses("noise_variance", [&] { return table.audit(1.0, bad); }));
  }
}

// What is thrown away has nowhere a larger delta than the worst of those that are kept.
TEST(PairFrontier, KeepsTheWorst) {
  SeededRandom random(5);
  PairFrontier frontier;
  std::vector<RankOnePair> all;
  for (int i = 0; i < 300; ++i) {
    const double size = random.log_uniform(0.01, 1.0);
    all.push_back({random.log_uniform(1e-3, 1.0) * size, random.log_uniform(1e-3, 2.0) * size,
                   random.whole(0, 2) == 0 ? 0.0 : random.log_uniform(1e-4, 1.0) * size});
    frontier.add(all.back(), i);
  }
  EXPECT_LT(frontier.entries().size(), 60U);
  for (const double epsilon : {0.0, 1.0, 4.0}) {
    const auto delta = [&](const RankOnePair& pair) {
      return profile(pair.loss(), epsilon, Accuracy::fast).delta().upper();
    };
    double kept = 0.0, exact = 0.0;
    for (const PairFrontier::Entry& entry : frontier.entries())
      kept = std::max(kept, delta(entry.pair));
    for (const RankOnePair& pair : all) exact = std::max(exact, delta(pair));
    EXPECT_NEAR(kept, exact, 1e-9 * exact);
  }
  EXPECT_THROW(frontier.add(RankOnePair{not_a_number, 1.0, 1.0}, 0.0), Error);
}

// Public audits: with the noise of a calibration nothing is violated; with a third less of it, a
// table that public numbers alone make refutes the claim, with a proof.
TEST(LogisticAudit, TheWitnessRefutesTooLittleNoise) {
  for (const long features : {2L, 5L}) {
    const LabeledTable made(Eigen::MatrixXd::Zero(0, features + 1), 1.0);
    const PublicRows rows(*made.features, 1.0, BadRows::dropped);
    const LabelRule label{fmt::format("{}", features + 1), 0.0};
    const LogisticPlan plan = plan_logistic(claim, rows, {label, {}, {}});
    for (const double share : {1.0, 0.66}) {
      AuditedTable audited{made.table.table(), *made.features, 1.0};
      audited.read = false;
      const NeighborAudit audit =
          audit_logistic(audited, label, {plan.regularization, share * plan.noise_variance}, claim,
                         share == 1.0 ? std::optional(plan.certificate.achieved) : std::nullopt);
      EXPECT_EQ(audit.verdict, share == 1.0 ? Verdict::consistent : Verdict::violated) << features;
      EXPECT_EQ(audit.everywhere.proof, Proof::certified);
      EXPECT_FALSE(audit.removed || audit.added);
      for (const Witness::Rows& each : audit.witness.table) {
        EXPECT_EQ(each.count, std::floor(each.count));
        EXPECT_LE(each.row.head(features).norm(), 1.0);
      }
    }
  }
}

// The same of few rows that can be written down: the proof is below what brute force finds.
TEST(LogisticAudit, TheWitnessIsBelowBruteForce) {
  for (const long features : {1L, 2L})
    for (const double lambda : {0.02, 1.0})
      for (const double most : {1.0, 40.0}) {
        const double noise = 0.003 / (lambda * lambda);
        const LabeledTable made(Eigen::MatrixXd::Zero(0, features + 1), 1.0);
        AuditedTable audited{made.table.table(), *made.features, 1.0};
        audited.read = false;
        const NeighborAudit audit = audit_logistic(audited, {fmt::format("{}", features + 1), 0.0},
                                                   {lambda, noise, most}, claim);
        Eigen::MatrixXd rows(0, features + 1);
        for (const Witness::Rows& each : audit.witness.table)
          for (double i = 0.0; i < each.count; ++i) rows = with_row(rows, each.row);
        EXPECT_LT(rows.rows(), static_cast<Eigen::Index>(most));
        const double exact =
            delta_between(with_row(rows, audit.witness.added), rows, lambda, noise);
        const double proved = audit.everywhere.delta().lower();
        EXPECT_LE(proved, exact * (1.0 + 1e-6));
        EXPECT_GE(proved, 0.9 * exact) << features << " " << lambda << " " << most;
        EXPECT_GT(proved, 0.0);
      }
}

TEST(LogisticAudit, LowerEndsAreProved) {
  SeededRandom random(7);
  const Eigen::MatrixXd rows = labeled_table(random, 25, 2);
  const double lambda = 0.3, noise = 0.02 / (lambda * lambda);
  const NeighborAudit audit = LabeledTable(rows, 1.0).audit(lambda, noise);
  for (const auto& kind : {audit.removed, audit.added}) {
    EXPECT_LE(kind->found.delta().lower(), kind->found.delta().upper());
    EXPECT_GE(kind->found.delta().lower(), 0.5 * kind->found.delta().upper());
  }
}

TEST(LogisticAudit, ANeighborThatIsGiven) {
  SeededRandom random(8);
  const Eigen::MatrixXd rows = labeled_table(random, 20, 2), less = without_row(rows, 6);
  const double lambda = 0.5, noise = 0.05;
  const LabeledTable one(rows, 1.0), other(less, 1.0);
  const Eigen::MatrixXd labeled = as_labeled(rows, 1.0);
  const double exact = delta_between(labeled, without_row(labeled, 6), lambda, noise);
  for (const bool removed : {true, false}) {
    const LabeledTable &from = removed ? one : other, &to = removed ? other : one;
    AuditedTable audited{from.table.table(), *from.features, 1.0};
    audited.neighbor = &to.table.table();
    const auto audit = [&] { return audit_logistic(audited, {"3", 0.0}, {lambda, noise}, claim); };
    const NeighborAudit found = audit();
    ASSERT_TRUE(found.given);
    EXPECT_EQ(found.given->number.value_or(7.0), 7.0);
    EXPECT_EQ(found.given->number.has_value(), removed);
    EXPECT_NEAR(found.given->found.delta().upper(), exact, 1e-4 * exact);
    EXPECT_LE(found.given->found.delta().lower(), exact * (1.0 + 1e-9));
    audited.neighbor = &from.table.table();
    EXPECT_TRUE(refuses("neighbor", audit));
  }
}

}  // namespace
}  // namespace modicum::testing::neighbor_logistic_test
