// Minimizers of logistic regressions, against gradient descent in long double.
#include <gtest/gtest.h>

#include <map>

#include "modicum/release/logistic_release.h"
#include "release/small_tables.h"
#include "support/refusals.h"

namespace modicum::testing::logistic_fit_test {
namespace {

LabeledBlock labeled(const Eigen::MatrixXd& features, const Eigen::VectorXd& labels, double bound) {
  return {clipped(features, IntegerClip(bound)), labels};
}

// Labels by a plane, some of them wrong.
LabeledBlock random_block(SeededRandom& random, long rows, long features, double bound) {
  const Eigen::MatrixXd x = random_rows(random, rows, features, 0.7 * bound);
  Eigen::VectorXd y(rows);
  for (long i = 0; i < rows; ++i) y[i] = x(i, 0) + 0.5 * bound * random.normal() > 0.0 ? 1.0 : -1.0;
  return labeled(x, y, bound);
}

using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

// Steps of 1 / L, L = lambda + |X|^2 / 4, shrink the distance by 1 - lambda / L at least.
LongVector by_gradient_descent(const LabeledBlock& block, const IntegerClip& clip, double lambda) {
  const LongMatrix x = block.features.cast<long double>() * static_cast<long double>(clip.grid());
  const LongVector y = block.labels.cast<long double>();
  const long double steepest = lambda + x.squaredNorm() / 4;
  const auto steps = static_cast<long>(60.0L * steepest / lambda) + 10;
  LongVector theta = LongVector::Zero(x.cols());
  for (long step = 0; step < steps; ++step) {
    const LongVector margins = (x * theta).cwiseProduct(y);
    const LongVector pulls = (1 / (1 + margins.array().exp())) * y.array();
    theta -= (lambda * theta - x.transpose() * pulls) / steepest;
  }
  return theta;
}

TEST(FitLogistic, EndsWhereGradientDescentDoes) {
  SeededRandom random(1);
  for (int trial = 0; trial < 30; ++trial) {
    const double bound = random.log_uniform(0.1, 10.0);
    const double lambda = random.log_uniform(0.3, 30.0) * bound * bound;
    const LabeledBlock block = random_block(random, random.whole(1, 60), random.whole(1, 5), bound);
    const double tolerance = 1e-10 * bound / lambda;
    const IntegerClip clip(bound);
    const LogisticModel model = fit_logistic(block, clip, lambda, tolerance);
    EXPECT_LE(model.minimizer_error, tolerance);
    const LongVector other = by_gradient_descent(block, clip, lambda);
    EXPECT_LE((model.minimizer.cast<long double>() - other).norm(),
              model.minimizer_error + 1e-16L * other.norm());
    const Eigen::MatrixXd x = block.features * clip.grid();
    const Eigen::MatrixXd precision =
        0.25 * x.transpose() * x + lambda * Eigen::MatrixXd::Identity(x.cols(), x.cols());
    EXPECT_TRUE(model.precision.isApprox(precision, 1e-14));
    EXPECT_EQ(model.rows, static_cast<double>(x.rows()));
  }
}

TEST(FitLogistic, AnEmptyTableHasThePriorForAPosterior) {
  const LogisticModel model = fit_logistic(labeled(Eigen::MatrixXd(0, 3), Eigen::VectorXd(0), 2.0),
                                           IntegerClip(2.0), 5.0, 1e-6);
  EXPECT_EQ(model.minimizer, Eigen::VectorXd::Zero(3));
  EXPECT_EQ(model.precision, 5.0 * Eigen::MatrixXd::Identity(3, 3));
  EXPECT_EQ(model.rows, 0.0);
}

// n equal rows x = 1, y = +1: lambda theta = n / (1 + e^theta), by bisection.
TEST(FitLogistic, OneClassAndEqualRows) {
  for (const long n : {1L, 10L, 1000L, 100000L})
    for (const double lambda : {1e-6, 1e-2, 1.0, 100.0}) {
      double low = 0.0, high = static_cast<double>(n) / lambda;
      while (std::nextafter(low, high) < high) {
        const double middle = 0.5 * (low + high);
        (lambda * middle < static_cast<double>(n) / (1.0 + std::exp(middle)) ? low : high) = middle;
      }
      const LogisticModel model =
          fit_logistic(labeled(Eigen::MatrixXd::Ones(n, 1), Eigen::VectorXd::Ones(n), 1.0),
                       IntegerClip(1.0), lambda, 0x1p-16 / lambda);
      // The clip leaves rows of norm 1 a grid shorter: 2^-20.
      EXPECT_NEAR(model.minimizer[0], high, model.minimizer_error + 1e-5 * (1.0 + high));
      EXPECT_LE(model.minimizer_error, 0x1p-16 / lambda);
      EXPECT_LE(model.passes, 60.0);
    }
}

TEST(FitLogistic, SeparableAndContradictoryRowsNeedFewPasses) {
  SeededRandom random(4);
  double most = 0.0;
  for (int trial = 0; trial < 150; ++trial) {
    const long d = random.whole(1, 6), n = random.whole(1, 400);
    const double lambda = random.log_uniform(1e-6, 1e2);
    Eigen::MatrixXd x = random_rows(random, n, d, random.log_uniform(0.01, 3.0));
    // Columns of very different sizes, planes without exceptions, and labels that say nothing.
    for (long j = 0; j < d; ++j) x.col(j) *= random.log_uniform(1e-3, 1.0);
    Eigen::VectorXd y = Eigen::VectorXd::Ones(n);
    if (trial % 3 == 1)
      for (long i = 0; i < n; ++i) y[i] = x(i, 0) > 0.0 ? 1.0 : -1.0;
    if (trial % 3 == 2)
      for (long i = 0; i < n; ++i) y[i] = random.sign();
    const LogisticModel model =
        fit_logistic(labeled(x, y, 1.0), IntegerClip(1.0), lambda, 0x1p-16 / lambda);
    EXPECT_LE(model.minimizer_error, 0x1p-16 / lambda);
    most = std::max(most, model.passes);
  }
  EXPECT_LE(most, 60.0);
}

// Rows that pull with all their force and bend nothing: the full Newton step overshoots by far.
TEST(FitLogistic, SaturatedRows) {
  const long many = 200000;
  Eigen::MatrixXd x(many + 40, 2);
  Eigen::VectorXd y(many + 40);
  x.topRows(many).rowwise() = Eigen::RowVector2d(0.0, 1.0);
  y.head(many).setConstant(-1.0);
  x.bottomRows(40).rowwise() = Eigen::RowVector2d(0.6, 0.8);
  y.tail(40).setConstant(1.0);
  for (const double lambda : {1e-3, 1e-1, 1.0, 10.0}) {
    const LogisticModel model =
        fit_logistic(labeled(x, y, 1.0), IntegerClip(1.0), lambda, 0x1p-16 / lambda);
    EXPECT_LE(model.minimizer_error, 0x1p-16 / lambda);
    EXPECT_LE(model.passes, 60.0);
  }
}

// Powers of two change nothing but the unit of theta.
TEST(FitLogistic, UnitsDoNotMatter) {
  SeededRandom random(5);
  const Eigen::MatrixXd x = random_rows(random, 50, 3, 0.5);
  const Eigen::VectorXd y = Eigen::VectorXd::NullaryExpr(50, [&] { return random.sign(); });
  const LogisticModel model = fit_logistic(labeled(x, y, 1.0), IntegerClip(1.0), 2.0, 1e-9);
  for (const double unit : {0x1p-300, 0x1p-20, 0x1p300}) {
    const LogisticModel scaled =
        fit_logistic(labeled(unit * x, y, unit), IntegerClip(unit), 2.0 * unit * unit, 1e-9 / unit);
    EXPECT_EQ(scaled.minimizer * unit, model.minimizer);
    EXPECT_EQ(scaled.precision / unit / unit, model.precision);
  }
}

TEST(FitLogistic, GivesUpWhereRoundingHidesTheMinimizer) {
  SeededRandom random(6);
  const LabeledBlock block = random_block(random, 100, 2, 1.0);
  EXPECT_THROW(fit_logistic(block, IntegerClip(1.0), 1.0, 1e-18), Error);
  for (const double bad : {0.0, -1.0, not_a_number, infinity}) {
    EXPECT_TRUE(refuses("regularization",
                        [&] { return fit_logistic(block, IntegerClip(1.0), bad, 1e-6); }));
    EXPECT_TRUE(
        refuses("tolerance", [&] { return fit_logistic(block, IntegerClip(1.0), 1.0, bad); }));
  }
  EXPECT_TRUE(refuses("regularization",
                      [&] { return fit_logistic(block, IntegerClip(1.0), 1e-40, 1e-6); }));
}

class LabeledTable : public ::testing::Test {
 protected:
  // Large enough for several blocks.
  std::string text(long rows) {
    SeededRandom random(7);
    std::string out = "u,v,y\n";
    for (long i = 0; i < rows; ++i) {
      const double u = random.uniform(-1.0, 1.0), v = random.uniform(-1.0, 1.0);
      out += std::to_string(u) + "," + std::to_string(v) + "," +
             (u + random.normal() > 0.0 ? "1" : "0") + "\n";
    }
    return out;
  }
  TemporaryFolder folder;
};

TEST_F(LabeledTable, TheNumberOfThreadsDoesNotMatter) {
  const Table table({{folder.write("x.csv", text(200000))}, true, ','});
  const LabeledRows rows(table, RowRule(table, {"u", "v"}, {}, true), LabelRule{"y", 0.5}, 2.0);
  std::optional<LogisticModel> first;
  for (const unsigned threads : {1u, 2u, 5u}) {
    ReadOptions options;
    options.threads = threads;
    const LogisticModel model = fit_logistic(rows, 10.0, 1e-6, options);
    EXPECT_EQ(model.rows, 200000.0);
    if (!first) first = model;
    EXPECT_EQ(model.minimizer, first->minimizer);
    EXPECT_EQ(model.precision, first->precision);
  }
}

// Labels, clipping and dropped rows, against the same rows in memory.
TEST_F(LabeledTable, RowsAreMadeByThePublicRule) {
  const std::string path = folder.write("x.csv",
                                        "a,y,b\n"
                                        "10,1,0.5\n"
                                        "20,0,-0.5\n"
                                        "99,0.5,4\n"    // clamped, clipped; not above: negative
                                        "15,,0.1\n"     // no label
                                        "x,1,0.1\n"     // no feature
                                        "5,0.6,0.25\n"  // clamped from below
                                        "12,-7,0\n");
  const Table table({{path}, true, ','});
  const std::map<std::string, Range> ranges{{"a", {10.0, 20.0}}};
  const LabeledRows rows(table, RowRule(table, {"a", "b"}, ranges), LabelRule{"y", 0.5}, 1.5);
  Eigen::MatrixXd expected(5, 2);
  expected << -1.0, 0.5, 1.0, -0.5, 1.0, 4.0, -1.0, 0.25, -0.6, 0.0;
  Eigen::VectorXd labels(5);
  labels << 1.0, -1.0, -1.0, 1.0, -1.0;
  const LabeledBlock memory = labeled(expected, labels, 1.5);
  rows.for_each_block({}, [&](const LabeledBlock& block) -> std::function<void()> {
    EXPECT_EQ(block.features, memory.features);
    EXPECT_EQ(block.labels, memory.labels);
    EXPECT_EQ(block.clipped, 1.0);
    return {};
  });
  const LogisticModel model = fit_logistic(rows, 1.0, 1e-9);
  EXPECT_EQ(model.minimizer, fit_logistic(memory, IntegerClip(1.5), 1.0, 1e-9).minimizer);
  EXPECT_EQ(model.label, (LabelRule{"y", 0.5}));
}

TEST_F(LabeledTable, AFileThatChangesBetweenPassesIsNoticed) {
  const std::string path = folder.write("x.csv", text(10));
  const Table table({{path}, true, ','});
  const LabeledRows rows(table, RowRule(table, {"u", "v"}), LabelRule{"y", 0.5}, 2.0);
  ReadOptions options;
  long more = 10;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    if (done == total) folder.write("x.csv", text(++more));
  };
  EXPECT_THROW(fit_logistic(rows, 1.0, 1e-6, options), Error);
  EXPECT_GT(more, 10);
  EXPECT_EQ(fit_logistic(rows, 1.0, 1e-6).rows, static_cast<double>(more));
}

TEST_F(LabeledTable, RefusesALabelAmongTheFeaturesAndWhatIsNotThere) {
  const Table table({{folder.write("x.csv", "a,y\n1,1\n")}, true, ','});
  EXPECT_TRUE(refuses("target", [&] {
    return LabeledRows(table, RowRule(table, {"a", "y"}), LabelRule{"y", 0.0}, 1.0).response();
  }));
  EXPECT_TRUE(refuses("target", [&] {
    return LabeledRows(table, RowRule(table, {"a"}), LabelRule{"z", 0.0}, 1.0).response();
  }));
  for (const double bad : not_finite)
    EXPECT_TRUE(refuses("threshold", [&] {
      return LabeledRows(table, RowRule(table, {"a"}), LabelRule{"y", bad}, 1.0).response();
    }));
}

}  // namespace
}  // namespace modicum::testing::logistic_fit_test
