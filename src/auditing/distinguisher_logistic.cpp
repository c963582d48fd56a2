// Logistic regression by Newton's method, with a slight pull of the coefficients to zero.
#include <algorithm>
#include <cmath>

#include "auditing/distinguisher.h"
#include "auditing/distinguisher_features.h"
#include "numerics/dense.h"

namespace modicum {
namespace {

constexpr std::size_t chunk = 2048;
// A step of Newton's method may cost so many multiplications; fewer trials are read beyond that.
constexpr double most_work = 1e9;

class LogisticDistinguisher final : public Distinguisher {
 public:
  explicit LogisticDistinguisher(bool with_products) : features_(with_products) {}

  void learn(const Trials& trials, std::size_t begin, std::size_t end) override {
    features_.learn(trials, begin, end);
    const Eigen::Index size = features_.size(trials.dimension);
    if (coefficients_.size() != size) coefficients_ = Eigen::VectorXd::Zero(size);
    const auto square = static_cast<double>(size * size);
    const auto readable = static_cast<std::size_t>(most_work / square);
    fit(trials, std::max(features_.begin(), end > readable ? end - readable : 0), end);
  }

  std::vector<double> log_odds(const Trials& trials, std::size_t begin,
                               std::size_t end) const override {
    std::vector<double> result(end - begin, 0.0);
    for (std::size_t i = begin; i < end; i += chunk) {
      const std::size_t last = std::min(i + chunk, end);
      const Eigen::VectorXd answers = features_.apply(trials, i, last).transpose() * coefficients_;
      for (std::size_t k = i; k < last; ++k)
        if (trials.regular[k] != 0) result[k - begin] = answers[static_cast<Eigen::Index>(k - i)];
    }
    return result;
  }

 private:
  struct Slope {
    double objective;
    Eigen::VectorXd gradient;
    Eigen::MatrixXd curvature;  // lower triangle
  };

  // Of the penalized negative log-likelihood.
  Slope slope(const Trials& trials, std::size_t begin, std::size_t end) const {
    const Eigen::Index size = coefficients_.size();
    Slope result{0.5 * pull * coefficients_.squaredNorm(), pull * coefficients_,
                 pull * Eigen::MatrixXd::Identity(size, size)};
    for (std::size_t i = begin; i < end; i += chunk) {
      const std::size_t last = std::min(i + chunk, end);
      Eigen::MatrixXd part = features_.apply(trials, i, last);
      const Eigen::VectorXd answers = part.transpose() * coefficients_;
      Eigen::VectorXd residuals(answers.size());
      for (Eigen::Index k = 0; k < answers.size(); ++k) {
        const std::size_t trial = i + static_cast<std::size_t>(k);
        const double used = trials.regular[trial] != 0 ? 1.0 : 0.0;
        const double one = trials.bit[trial] != 0 ? 1.0 : 0.0;
        const double p = 1.0 / (1.0 + std::exp(-answers[k]));
        residuals[k] = used * (p - one);
        result.objective += used * (softplus(answers[k]) - one * answers[k]);
        sqrt_weights_[k] = used * std::sqrt(p * (1.0 - p));
      }
      result.gradient.noalias() += part * residuals;
      part.array().rowwise() *= sqrt_weights_.head(part.cols()).transpose().array();
      result.curvature.selfadjointView<Eigen::Lower>().rankUpdate(part);
    }
    return result;
  }

  // Newton's steps, halved while they do not descend.
  void fit(const Trials& trials, std::size_t begin, std::size_t end) {
    Slope here = slope(trials, begin, end);
    for (int iteration = 0; iteration < 30; ++iteration) {
      const CholeskyFactor curvature(here.curvature);
      if (!curvature.positive_definite()) return;
      Eigen::VectorXd step = curvature.solve(here.gradient);
      const double expected = here.gradient.dot(step);
      if (!(expected > 1e-3)) return;  // in units of log-likelihood: far below the noise
      const Eigen::VectorXd start = coefficients_;
      const double objective = here.objective;
      for (int halving = 0; halving < 20; ++halving, step *= 0.5) {
        coefficients_ = start - step;
        here = slope(trials, begin, end);
        if (here.objective <= objective) break;
      }
      if (!(here.objective <= objective)) {
        coefficients_ = start;
        return;
      }
    }
  }

  static constexpr double pull = 1.0;
  FeatureMap features_;
  Eigen::VectorXd coefficients_;
  mutable Eigen::VectorXd sqrt_weights_ = Eigen::VectorXd::Zero(chunk);
};

}  // namespace

std::unique_ptr<Distinguisher> logistic_distinguisher(bool with_products) {
  return std::make_unique<LogisticDistinguisher>(with_products);
}

}  // namespace modicum
