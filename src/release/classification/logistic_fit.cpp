// The minimizer and the second moments behind the posterior of a logistic regression.
#include <algorithm>
#include <memory>

#include "modicum/numerics/errors.h"
#include "modicum/release/logistic_release.h"
#include "release/classification/logistic_features.h"
#include "release/regression/linear_fit.h"

namespace modicum {
namespace {

struct Moments {
  Eigen::MatrixXd matrix;  // sum of v v^T in whole numbers of grids: rounded at the end only
  double rows = 0.0;
};

// The number of rows, and all entries by columns, those above the diagonal 0.
//
// As in data/gram.cpp: |v| <= 2^20, so over 2^13 rows every sum of products is a whole number below
// 2^53, and nothing is rounded.
std::vector<Integer128> read_moments(const PassOverRows& pass, Eigen::Index dimension) {
  constexpr Eigen::Index exact_rows = 8192;
  std::vector<Integer128> entries(1 + static_cast<std::size_t>(dimension * dimension), 0);
  pass([&](const LabeledBlock& block) -> std::function<void()> {
    auto parts = std::make_shared<std::vector<Eigen::MatrixXd>>();
    for (Eigen::Index first = 0; first < block.features.rows(); first += exact_rows) {
      const Eigen::Index count = std::min(exact_rows, block.features.rows() - first);
      Eigen::MatrixXd part = Eigen::MatrixXd::Zero(dimension, dimension);
      part.selfadjointView<Eigen::Lower>().rankUpdate(
          block.features.middleRows(first, count).transpose());
      parts->push_back(std::move(part));
    }
    return [&entries, parts, count = block.labels.size()] {
      entries[0] += count;
      for (const Eigen::MatrixXd& part : *parts)
        for (Eigen::Index i = 0; i < part.size(); ++i)
          entries[static_cast<std::size_t>(1 + i)] += static_cast<std::int64_t>(part.data()[i]);
    };
  });
  return entries;
}

Moments moments_of(const PassOverRows& pass, Eigen::Index dimension) {
  const std::vector<Integer128> entries =
      pass.sums(Value{{"sums", "features"}}, 1 + static_cast<std::size_t>(dimension * dimension),
                [&] { return read_moments(pass, dimension); });
  Moments moments{Eigen::MatrixXd(dimension, dimension), static_cast<double>(entries[0])};
  for (Eigen::Index i = 0; i < moments.matrix.size(); ++i)
    moments.matrix.data()[i] = static_cast<double>(entries[static_cast<std::size_t>(1 + i)]);
  moments.matrix = moments.matrix.selfadjointView<Eigen::Lower>().toDenseMatrix().eval();
  return moments;
}

LogisticModel fit(const PassOverRows& pass, Eigen::Index dimension, const IntegerClip& clip,
                  double regularization, double tolerance) {
  const RegressionProblem problem{PredictionLoss::logistic(), regularization,
                                  LongVector::Zero(dimension)};
  const RegressionMinimizer found = minimize(pass, clip, problem, tolerance);
  const Moments moments = moments_of(pass, dimension);
  if (!(moments.rows == found.rows))
    throw Error("the files have changed while they were read; nothing is released");
  LogisticModel model;
  model.regularization = regularization;
  model.row_norm_bound = clip.row_norm_bound();
  model.rows = found.rows;
  model.minimizer = found.coefficients;
  model.minimizer_error = found.error;
  model.precision = moments.matrix * (0.25 * clip.grid() * clip.grid());
  model.precision.diagonal().array() += regularization;
  model.passes = found.passes;
  return model;
}

}  // namespace

std::vector<Integer128> answer_features(const PassOverRows& pass, Eigen::Index dimension) {
  return read_moments(pass, dimension);
}

LogisticModel fit_logistic(const LabeledRows& rows, double regularization, double tolerance,
                           const ReadOptions& options) {
  LogisticModel model =
      fit(rows.pass(options), rows.dimension(), rows.clip(), regularization, tolerance);
  model.label = std::get<LabelRule>(rows.response());
  return model;
}

LogisticModel fit_logistic(const LabeledBlock& rows, const IntegerClip& clip, double regularization,
                           double tolerance) {
  const PassOverRows pass = [&](const LabeledWork& work) {
    if (rows.features.rows() == 0) return;
    if (const std::function<void()> finish = work(rows)) finish();
  };
  return fit(pass, rows.features.cols(), clip, regularization, tolerance);
}

}  // namespace modicum
