// An algorithm of one's own, made private: the posterior of a mean. Values lie in [-1, 1], their
// variance is taken to be 1, and the prior is worth `prior_rows` rows.
#include <modicum/release/lift.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

struct PosteriorMean {
  using Data = std::vector<double>;
  double prior_rows = 10.0;

  std::string name() const { return "posterior_mean"; }
  std::vector<std::string> assumptions() const {
    return {"what one person contributes is a value"};
  }

  modicum::GaussianDistribution output(const Data& values) const {
    double sum = 0.0, rows = prior_rows;
    for (const double value : values) {
      sum += std::clamp(value, -1.0, 1.0);  // never trusted
      rows += 1.0;
    }
    return {Eigen::VectorXd::Constant(1, sum / rows), Eigen::MatrixXd::Constant(1, 1, 1.0 / rows)};
  }

  // With N = prior + rows, one value more moves the mean by at most 2 / (N + 1), and the variance
  // from 1 / N to 1 / (N + 1), the smaller one. Both are worst for no rows at all.
  modicum::OutputSensitivity sensitivity(double noise_variance) const {
    const double smaller = 1.0 / (prior_rows + 1.0) + noise_variance;
    return {2.0 / (prior_rows + 1.0) / std::sqrt(smaller),
            (1.0 / prior_rows - 1.0 / (prior_rows + 1.0)) / smaller};
  }
};

}  // namespace

int main() {
  using namespace modicum;
  const PosteriorMean algorithm;
  const PosteriorMean::Data values{0.2, 0.7, -0.1, 0.4, 0.9}, neighbor{0.2, 0.7, -0.1, 0.4};

  // The noise is found, and proved to be enough, before any data are touched.
  const LiftPlan plan = plan_lift(algorithm, PrivacyTarget(1.0, 1e-6));
  std::printf("noise variance: %.6g\n", plan.noise_variance);

  // Is the declaration right? Two neighbors tell where it is not.
  const AuditResult audit = audit_lift(plan, algorithm, values, neighbor);
  std::printf("delta between two neighbors: %.3g, %s\n", audit.truth.delta().upper(),
              to_string(audit.verdict));

  SecureSource source;
  const Released released = release_lift(plan, algorithm, values, source);
  std::printf("released: %.3f\n", released.values(0, 0));
  return audit.verdict == Verdict::consistent ? 0 : 1;
}
