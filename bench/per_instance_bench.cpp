// What every record of a table lost to a release by objective perturbation: 100,000 rows of 50
// columns. The error is against the formula record by record, with a fresh factorization.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "modicum/release/report_release.h"
#include "numerics/dense.h"

namespace {

using namespace modicum;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class Work>
auto timed(const char* what, const Work& work) {
  const Clock::time_point start = Clock::now();
  auto result = work();
  fmt::print("{:<44}{:.3f} s\n", what, seconds_since(start));
  return result;
}

}  // namespace

int main() {
  constexpr Eigen::Index rows = 100000, columns = 50;
  const IntegerClip clip(1.0);
  std::srand(1);
  const RowBlock raw = RowBlock::Random(rows, columns) * 0.2;
  LabeledBlock block{raw, raw.col(0).unaryExpr([](double x) { return x > 0.0 ? 1.0 : -1.0; })};
  clip.apply(block.features);
  const PassOverRows pass = [&](const LabeledWork& work) {
    if (const auto finish = work(block)) finish();
  };
  std::vector<std::string> names;
  for (Eigen::Index j = 0; j < columns; ++j) names.push_back(fmt::format("x{}", j));
  const LabelRule label{"y", 0.0};
  const ObjectivePlan plan = timed("plan, to a proved delta", [&] {
    return plan_objective({1.0, 1e-6}, PublicRows(names, 1.0),
                          {PredictionLoss::logistic(), label, {}});
  });
  SecureSource source;
  const Eigen::VectorXd theta = timed("release, all passes of the solver",
                                      [&] { return draw_objective(plan, pass, clip, source); });
  const ReleasedObjective from{plan.rows,  plan.loss,   label, plan.regularization,
                               plan.noise, {1.0, 1e-6}, theta};
  const Clock::time_point start = Clock::now();
  const ExPostLoss losses = timed("gradient and Hessian, one thread",
                                  [&] { return ex_post_losses_on(from, pass, clip); });
  const Confidential all = timed("losses of all records, one thread", [&] {
    return losses_of_rows(losses, pass, clip, Membership::inside);
  });
  fmt::print("{:<44}{:.3f} s\n", "both", seconds_since(start));

  Eigen::MatrixXd hessian = plan.regularization * Eigen::MatrixXd::Identity(columns, columns);
  Eigen::VectorXd gradient = plan.regularization * theta;
  const RowBlock x = clip.grid() * block.features;
  const Eigen::VectorXd u = x * theta;
  for (Eigen::Index i = 0; i < rows; ++i) {
    const auto at = plan.loss.at(u[i], block.labels[i]);
    hessian.selfadjointView<Eigen::Lower>().rankUpdate(x.row(i).transpose(), at.curvature);
    gradient += at.slope * x.row(i).transpose();
  }
  hessian = hessian.selfadjointView<Eigen::Lower>();
  double worst = 0.0;
  const double variance = plan.noise.standard_deviation * plan.noise.standard_deviation;
  for (Eigen::Index i = 0; i < rows; i += rows / 50) {
    const auto at = plan.loss.at(u[i], block.labels[i]);
    const Eigen::VectorXd row = x.row(i), g = at.slope * row;
    const double m = at.curvature * row.dot(CholeskyFactor(hessian).solve(row).col(0));
    const double loss =
        -std::log1p(-m) + g.squaredNorm() / (2.0 * variance) - gradient.dot(g) / variance;
    worst = std::max(worst, std::abs(loss - all.values[i]) / std::abs(loss));
  }
  fmt::print("largest relative difference from the formula record by record: {:.1e}\n", worst);
  fmt::print("largest loss {:.4f}, mean {:.5f}, worst case epsilon 1\n",
             all.values.cwiseAbs().maxCoeff(), all.values.cwiseAbs().mean());
}
