// Objective perturbation in its plainest form, for tests: small data, Newton's method, noise from a
// seeded generator.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "modicum/release/per_instance.h"
#include "numerics/dense.h"
#include "support/seeded_random.h"

namespace modicum::testing {

struct SmallData {
  RowBlock rows;
  Eigen::VectorXd responses;

  SmallData without(Eigen::Index record) const {
    SmallData result{RowBlock(rows.rows() - 1, rows.cols()), Eigen::VectorXd(rows.rows() - 1)};
    for (Eigen::Index from = 0, to = 0; from < rows.rows(); ++from) {
      if (from == record) continue;
      result.rows.row(to) = rows.row(from);
      result.responses[to++] = responses[from];
    }
    return result;
  }
  SmallData with(const Eigen::VectorXd& row, double response) const {
    SmallData result{RowBlock(rows.rows() + 1, row.size()), Eigen::VectorXd(rows.rows() + 1)};
    if (rows.rows() > 0) result.rows.topRows(rows.rows()) = rows;
    result.rows.bottomRows(1) = row.transpose();
    result.responses.head(rows.rows()) = responses;
    result.responses[rows.rows()] = response;
    return result;
  }
};

/// Rows in the unit ball; labels or numbers that a linear rule explains in part.
inline SmallData made_up_data(SeededRandom& random, Eigen::Index records, Eigen::Index dimension,
                              bool labels) {
  const Eigen::VectorXd truth = random_vector(random, dimension, 2.0);
  SmallData data{RowBlock(records, dimension), Eigen::VectorXd(records)};
  for (Eigen::Index i = 0; i < records; ++i) {
    Eigen::VectorXd row = random_vector(random, dimension, 1.0);
    row *= random.uniform(0.3, 1.0) / row.norm();
    const double signal = row.dot(truth) + random.normal();
    data.rows.row(i) = row.transpose();
    data.responses[i] = labels ? (signal > 0.0 ? 1.0 : -1.0) : std::tanh(signal);
  }
  return data;
}

/// J and its derivatives, without the noise.
struct Objective {
  double value;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian;
};

inline Objective objective_at(const PredictionLoss& loss, double regularization,
                              const SmallData& data, const Eigen::VectorXd& theta) {
  const Eigen::Index dimension = theta.size();
  Objective result{0.5 * regularization * theta.squaredNorm(), regularization * theta,
                   regularization * Eigen::MatrixXd::Identity(dimension, dimension)};
  for (Eigen::Index i = 0; i < data.rows.rows(); ++i) {
    const Eigen::VectorXd row = data.rows.row(i);
    const auto at = loss.at(row.dot(theta), data.responses[i]);
    result.value += at.value;
    result.gradient += at.slope * row;
    result.hessian += at.curvature * row * row.transpose();
  }
  return result;
}

/// The minimizer of J + noise^T theta, by Newton's method with halved steps.
inline Eigen::VectorXd perturbed_minimizer(const PredictionLoss& loss, double regularization,
                                           const SmallData& data, const Eigen::VectorXd& noise) {
  Eigen::VectorXd theta = Eigen::VectorXd::Zero(noise.size());
  Objective here = objective_at(loss, regularization, data, theta);
  for (int step = 0; step < 200; ++step) {
    const Eigen::VectorXd slope = here.gradient + noise;
    if (slope.norm() <= 1e-11 * (1.0 + noise.norm())) break;
    const Eigen::VectorXd move = CholeskyFactor(here.hessian).solve(slope);
    for (double share = 1.0; share > 1e-9; share *= 0.5) {
      const Eigen::VectorXd next = theta - share * move;
      const Objective there = objective_at(loss, regularization, data, next);
      const double fall = (here.value + noise.dot(theta)) - (there.value + noise.dot(next));
      if (share > 2e-9 && !(fall >= 1e-4 * share * slope.dot(move) - 1e-13)) continue;
      theta = next;
      here = there;
      break;
    }
  }
  return theta;
}

}  // namespace modicum::testing
