#include <gtest/gtest.h>

#include <algorithm>

#include "release/audited_tables.h"

namespace modicum::testing::neighbor_gaussian_process_test {
namespace {

const PrivacyTarget claim(1.0, 1e-5);

struct Process {
  Process(PriorKernel kernel, const Eigen::MatrixXd& rows, double largest_rows)
      : table(rows, 2.0), plan(planned(kernel, rows.cols(), largest_rows)) {}

  static GaussianProcessPlan planned(PriorKernel kernel, Eigen::Index width, double largest_rows) {
    GaussianProcessRequest request;
    request.kernel = kernel;
    request.noise_variance = 0.4;
    request.target_bound = 1.0;
    request.largest_rows = largest_rows;
    std::vector<std::string> names;
    for (Eigen::Index i = 0; i < width; ++i) names.push_back(fmt::format("{}", i + 1));
    RowBlock queries = RowBlock::Zero(3, width - 1);
    queries.row(1).setConstant(0.5);
    queries(2, 0) = -1.0;
    return plan_gaussian_process(claim, {names, 2.0}, queries, request);
  }
  NeighborAudit audit(double share_of_lift) const {
    GaussianProcessPlan changed = plan;
    changed.lift *= share_of_lift;
    return audit_gaussian_process(
        changed, {table.table(), table.rule(), changed.rows.row_norm_bound}, claim);
  }
  // The law of the release on these rows.
  GaussianDistribution law(const Eigen::MatrixXd& rows, double share_of_lift) const {
    GaussianProcessPlan changed = plan;
    changed.lift *= share_of_lift;
    return GaussianProcessFit(changed, gaussian_process_data(changed, rows)).lifted();
  }
  double delta(const Eigen::MatrixXd& with, const Eigen::MatrixXd& without, double share) const {
    return dense_delta(law(with, share), law(without, share), claim.epsilon);
  }
  MadeTable table;
  GaussianProcessPlan plan;
};

Eigen::MatrixXd process_rows(SeededRandom& random, long count) {
  Eigen::MatrixXd rows = random_rows(random, count, 3, 0.8);
  rows.col(2) = rows.col(2).cwiseMin(1.0).cwiseMax(-1.0).eval();
  return rows;
}

TEST(GaussianProcessAudit, FindsWhatBruteForceFinds) {
  SeededRandom random(1);
  for (const PriorKernel kernel : {PriorKernel::rbf, PriorKernel::matern32, PriorKernel::linear}) {
    const Eigen::MatrixXd rows = process_rows(random, 15);
    const Process process(kernel, rows, 20.0);
    const double share = 1e-3;
    const NeighborAudit audit = process.audit(share);
    double exact = 0.0;
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
      exact = std::max(exact, process.delta(rows, without_row(rows, i), share));
    ASSERT_TRUE(audit.removed && audit.added);
    EXPECT_NEAR(audit.removed->found.delta().upper(), exact, 1e-5 * exact);
    const double named = process.delta(with_row(rows, audit.added->row), rows, share);
    EXPECT_NEAR(audit.added->found.delta().upper(), named, 1e-5 * named);
    for (int i = 0; i < 200; ++i) {
      Eigen::MatrixXd row = random_rows(random, 1, 3, 1.5);
      row(0, 2) = random.sign();
      EXPECT_LE(process.delta(with_row(rows, row.row(0)), rows, share),
                audit.added->found.delta().upper() * 1.01);
    }
  }
}

TEST(GaussianProcessAudit, CalibratedLiftsAreConsistentAndSmallOnesAreFoundOut) {
  SeededRandom random(2);
  for (const PriorKernel kernel : {PriorKernel::rbf, PriorKernel::linear})
    for (const Eigen::MatrixXd& rows :
         {Eigen::MatrixXd(0, 3), Eigen::MatrixXd::Constant(1, 3, 1.0).eval(),
          Eigen::MatrixXd::Constant(9, 3, 0.5).eval(), process_rows(random, 10)}) {
      const Process process(kernel, rows, 10.0);
      const NeighborAudit audit = process.audit(1.0);
      EXPECT_EQ(audit.verdict, Verdict::consistent);
      EXPECT_EQ(audit.removed.has_value(), rows.rows() > 0);
      EXPECT_EQ(audit.added.has_value(), rows.rows() < 10);  // the promise
      if (rows.rows() == 0) {
        EXPECT_EQ(process.audit(1e-3).verdict, Verdict::violated);
      }
    }
  EXPECT_THROW(Process(PriorKernel::rbf, process_rows(random, 11), 10.0).audit(1.0), Error);
}

// Without any data: too little noise is refuted by records that a file could hold, and enough is
// cleared by the bound.
TEST(GaussianProcessAudit, TheWitnessIsATableThatCouldBe) {
  for (const PriorKernel kernel : {PriorKernel::rbf, PriorKernel::matern32, PriorKernel::linear}) {
    const Process process(kernel, Eigen::MatrixXd(0, 3), 20.0);
    for (const double share : {1.0, 1e-3}) {
      GaussianProcessPlan changed = process.plan;
      changed.lift *= share;
      AuditedTable audited{process.table.table(), process.table.rule(),
                           changed.rows.row_norm_bound};
      audited.read = false;
      const NeighborAudit audit = audit_gaussian_process(changed, audited, claim);
      EXPECT_EQ(audit.verdict, share < 1.0 ? Verdict::violated : Verdict::consistent);
      EXPECT_EQ(audit.everywhere.proof, Proof::certified);
      EXPECT_FALSE(audit.added);
      Eigen::MatrixXd rows(0, 3);
      for (const Witness::Rows& each : audit.witness.table)
        for (double i = 0.0; i < each.count; ++i) rows = with_row(rows, each.row);
      EXPECT_LT(rows.rows(), 20);
      const double exact = process.delta(with_row(rows, audit.witness.added), rows, share);
      EXPECT_LE(audit.everywhere.delta().lower(), exact * (1.0 + 1e-6));
      EXPECT_GE(audit.everywhere.delta().lower(), 0.999 * exact);
      EXPECT_LE(audit.witness.added.cwiseAbs()[2], 1.0);
    }
  }
}

TEST(GaussianProcessAudit, ANeighborThatIsGiven) {
  SeededRandom random(3);
  for (const PriorKernel kernel : {PriorKernel::rbf, PriorKernel::linear}) {
    const Eigen::MatrixXd rows = process_rows(random, 12), less = without_row(rows, 4);
    const Process process(kernel, rows, 20.0), other(kernel, less, 20.0);
    const double share = 1e-3, exact = process.delta(rows, less, share);
    GaussianProcessPlan changed = process.plan;
    changed.lift *= share;
    for (const bool removed : {true, false}) {
      const MadeTable &from = removed ? process.table : other.table,
                      &to = removed ? other.table : process.table;
      AuditedTable audited{from.table(), from.rule(), changed.rows.row_norm_bound};
      audited.neighbor = &to.table();
      const NeighborAudit audit = audit_gaussian_process(changed, audited, claim);
      ASSERT_TRUE(audit.given);
      EXPECT_EQ(audit.given->number.has_value(), removed);
      EXPECT_EQ(audit.given->number.value_or(5.0), 5.0);
      EXPECT_NEAR(audit.given->found.delta().upper(), exact, 1e-5 * exact);
      EXPECT_GE(audit.given->found.delta().lower(), 0.999 * exact);
    }
  }
}

}  // namespace
}  // namespace modicum::testing::neighbor_gaussian_process_test
