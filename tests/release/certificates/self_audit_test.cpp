// Every release is audited as any program would be: by its outputs on two neighbors alone. Its
// broken twin claims as much and was calibrated for less; the audit must tell the two apart.
#include <gtest/gtest.h>

#include <functional>

#include "modicum/auditing/black_box.h"
#include "modicum/release/covariance_release.h"
#include "modicum/release/gaussian_process_release.h"
#include "modicum/release/lift.h"
#include "modicum/release/logistic_release.h"
#include "modicum/release/objective_release.h"
#include "modicum/release/projection_release.h"
#include "modicum/release/regression_release.h"
#include "modicum/release/vector_release.h"
#include "release/small_tables.h"
#include "support/seeded_source.h"

namespace modicum::testing::self_audit_test {
namespace {

const PrivacyTarget claim(0.5, 1e-3), kept_by_the_twin(8.0, 0.3);
constexpr double bound = 1.0;

/// One output on the data set with the record, or without it.
using Draw = std::function<Eigen::MatrixXd(bool with, RandomSource& source)>;

struct Subject {
  std::string name;
  std::function<Draw(const PrivacyTarget& calibrated_for)> make;
  PrivacyTarget twin = kept_by_the_twin;
};
void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }

PublicRows coordinates() { return {{"x", "y"}, bound}; }

// A few short rows, and one of full length for the record.
Eigen::MatrixXd rows(bool with) {
  Eigen::MatrixXd base(3, 2);
  base << 0.1, 0.05, -0.08, 0.1, 0.02, -0.1;
  return with ? with_row(base, Eigen::Vector2d(0.8, -0.6)) : base;
}
// The audited releases from sums: two of each, made once.
template <class Sum>
struct Both {
  Sum with, without;
  const Sum& of(bool which) const { return which ? with : without; }
};
Both<IntegerGram> grams() { return {gram_of(rows(true), bound), gram_of(rows(false), bound)}; }
Both<IntegerSum> sums() { return {sum_of(rows(true), bound), sum_of(rows(false), bound)}; }

Subject sum_with(const std::string& name, VectorNoise noise) {
  return {"sum_" + name, [noise](const PrivacyTarget& target) -> Draw {
            return [plan = plan_sum(target, coordinates(), noise), both = sums()](
                       bool with, RandomSource& source) {
              return release_sum(plan, both.of(with), source).values;
            };
          }};
}

Subject mean_with(const std::string& name, std::optional<double> public_rows) {
  return {"mean_" + name, [public_rows](const PrivacyTarget& target) -> Draw {
            return [plan = plan_mean(target, coordinates(), VectorNoise::gaussian, public_rows),
                    both = sums()](bool with, RandomSource& source) {
              return release_mean(plan, both.of(with), source).values;
            };
          }};
}

Subject histogram() {
  return {"histogram", [](const PrivacyTarget& target) -> Draw {
            return [plan = plan_histogram(target, "c", Bins::of_categories({"a", "b"}),
                                          VectorNoise::gaussian)](bool with, RandomSource& source) {
              return release_histogram(plan, {3, with ? 2 : 1}, source).values;
            };
          }};
}

Subject given() {
  return {"given", [](const PrivacyTarget& target) -> Draw {
            return [plan = plan_given(target, 2.0, 0.1, VectorNoise::l2)](bool with,
                                                                          RandomSource& source) {
              return release_given(plan, {5.0, with ? 7.1 : 7.0}, source).values;
            };
          }};
}

Subject projection_by(const std::string& name, const ProjectionRequest& request) {
  return {"projection_" + name, [request](const PrivacyTarget& target) -> Draw {
            return [plan = plan_projection(target, coordinates(), request), both = grams()](
                       bool with, RandomSource& source) {
              return release_projection(plan, both.of(with), source).values;
            };
          }};
}

// Every draw is from a sample of its own.
Subject subsampled_projection() {
  return {"projection_subsampled", [](const PrivacyTarget& target) -> Draw {
            const double rate = 0.7;
            const auto plan = plan_projection(
                target, coordinates(), {ProjectionMethod::subsampled, 3.0, rate, {}, {}, {}});
            return [plan, rate](bool with, RandomSource& source) {
              const Eigen::MatrixXd all = rows(with);
              Eigen::MatrixXd taken(0, all.cols());
              for (Eigen::Index i = 0; i < all.rows(); ++i)
                if (static_cast<double>(source.next()) < rate * 0x1p64)
                  taken = with_row(taken, all.row(i).transpose());
              IntegerGram gram = gram_of(taken, bound);
              gram.sampling_rate = rate;
              return release_projection(plan, gram, source).values;
            };
          }};
}

Subject covariance_by(const std::string& name, const CovarianceRequest& request) {
  return {"covariance_" + name, [request](const PrivacyTarget& target) -> Draw {
            return [plan = plan_covariance(target, coordinates(), request), both = grams()](
                       bool with, RandomSource& source) {
              return release_covariance(plan, both.of(with), source).values;
            };
          }};
}

Subject regression_by(const std::string& name, const RegressionRequest& request) {
  return {"regression_" + name, [request](const PrivacyTarget& target) -> Draw {
            return [plan = plan_regression(target, coordinates(), request), both = grams()](
                       bool with, RandomSource& source) -> Eigen::MatrixXd {
              return release_regression(plan, both.of(with), source).values.col(1);
            };
          }};
}

// Earlier calibrations ask for much more than is needed: their twins must be broken further.
Subject by_singular_values(Subject subject, double epsilon) {
  subject.twin = PrivacyTarget(epsilon, 0.9);
  return subject;
}

// Forty rows that hide one another, and for the twin one that none of them hides: it does not
// belong to the declared set.
Both<IntegerGram> declared_set(bool outlier) {
  SeededRandom random(70);
  const Eigen::MatrixXd base = random_rows(random, 40, 2, 0.3);
  const Eigen::Vector2d record = outlier ? Eigen::Vector2d(0.8, -0.6) : Eigen::Vector2d(0.1, -0.1);
  const Eigen::MatrixXd rest = outlier ? Eigen::MatrixXd(0.05 * base) : base;
  return {gram_of(with_row(rest, record), bound), gram_of(rest, bound)};
}

Subject relative_projection() {
  return {"projection_relative", [](const PrivacyTarget& target) -> Draw {
            const bool broken = target.epsilon > claim.epsilon;
            const auto plan = plan_projection(claim, coordinates(),
                                              {ProjectionMethod::relative, 3.0, {}, 0.05, {}, {}});
            EXPECT_EQ(plan.ridge, 0.0);
            return [plan, both = declared_set(broken)](bool with, RandomSource& source) {
              return release_projection(plan, both.of(with), source).values;
            };
          }};
}

Subject relative_regression(const std::string& name, const RegressionRequest& request) {
  return {"regression_" + name, [request](const PrivacyTarget& target) -> Draw {
            const bool broken = target.epsilon > claim.epsilon;
            return
                [plan = plan_regression(claim, coordinates(), request),
                 both = declared_set(broken)](bool with, RandomSource& source) -> Eigen::MatrixXd {
                  return release_regression(plan, both.of(with), source).values.col(1);
                };
          }};
}

Subject logistic() {
  return {
      "logistic", [](const PrivacyTarget& target) -> Draw {
        const LogisticPlan plan = plan_logistic(target, coordinates(), {{"label", 0.0}, 0.5, {}});
        const auto model = [&](bool with) {
          const IntegerClip clip(bound);
          LabeledBlock block;
          block.features = clipped(rows(with), clip);
          block.labels = Eigen::VectorXd::Ones(block.features.rows());
          LogisticModel fitted = fit_logistic(block, clip, plan.regularization, plan.tolerance);
          fitted.label = plan.label;
          return fitted;
        };
        return [plan, both = Both<LogisticModel>{model(true), model(false)}](
                   bool with, RandomSource& source) -> Eigen::MatrixXd {
          return release_logistic(plan, both.of(with), source).values.col(1);
        };
      }};
}

Subject objective(const PredictionLoss& loss) {
  return {"objective_" + loss.name(), [loss](const PrivacyTarget& target) -> Draw {
            const ResponseRule response = loss.takes_labels()
                                              ? ResponseRule(LabelRule{"label", 0.0})
                                              : ResponseRule(TargetRule{"label", {-1.0, 1.0}});
            const IntegerClip clip(bound);
            const auto block = [&](bool with) {
              const RowBlock features = clipped(rows(with), clip);
              return LabeledBlock{features, Eigen::VectorXd::Ones(features.rows())};
            };
            return [plan = plan_objective(target, coordinates(), {loss, response, {}}), clip,
                    both = Both<LabeledBlock>{block(true), block(false)}](
                       bool with, RandomSource& source) -> Eigen::MatrixXd {
              const PassOverRows pass = [&](const LabeledWork& work) { work(both.of(with))(); };
              return draw_objective(plan, pass, clip, source);
            };
          }};
}

Subject gaussian_process() {
  return {"gaussian_process", [](const PrivacyTarget& target) -> Draw {
            GaussianProcessRequest request;
            request.noise_variance = 0.25;
            request.target_bound = 1.0;
            request.largest_rows = 4.0;
            RowBlock query(1, 1);
            query << 0.8;
            const auto plan = plan_gaussian_process(target, coordinates(), query, request);
            const auto fitted = [&](bool with) {
              return GaussianProcessFit(plan, gaussian_process_data(plan, rows(with)));
            };
            return [plan, both = Both<GaussianProcessFit>{fitted(true), fitted(false)}](
                       bool with, RandomSource& source) {
              return release_gaussian_process(plan, both.of(with), source).values;
            };
          }};
}

// N(sum, 1 / (1 + rows)) of values in [-1, 1].
struct NoisySum {
  using Data = std::vector<double>;
  std::string name() const { return "noisy_sum"; }
  std::vector<std::string> assumptions() const { return {}; }
  GaussianDistribution output(const Data& values) const {
    double sum = 0.0;
    for (const double value : values) sum += value;
    return {Eigen::VectorXd::Constant(1, sum),
            Eigen::MatrixXd::Constant(1, 1, 1.0 / (1.0 + static_cast<double>(values.size())))};
  }
  OutputSensitivity sensitivity(double noise) const {
    return {1.0 / std::sqrt(noise), 0.5 / (0.5 + noise)};
  }
};

Subject lifted() {
  return {"lift", [](const PrivacyTarget& target) -> Draw {
            return [plan = plan_lift(NoisySum{}, target)](bool with, RandomSource& source) {
              const NoisySum::Data data = with ? NoisySum::Data{1.0} : NoisySum::Data{};
              return release_lift(plan, NoisySum{}, data, source).values;
            };
          }};
}

std::vector<Subject> subjects() {
  using P = ProjectionMethod;
  using C = CovarianceMethod;
  using R = RegressionMethod;
  return {
      sum_with("gaussian", VectorNoise::gaussian),
      sum_with("l2", VectorNoise::l2),
      sum_with("spherical", VectorNoise::spherical),
      mean_with("and_number", {}),
      mean_with("of_public_number", 4.0),
      histogram(),
      given(),
      projection_by("ridge", {P::projection, 3.0, {}, {}, {}, {}}),
      projection_by("propose_test_release", {P::propose_test_release, 3.0, {}, {}, {}, {}}),
      by_singular_values(projection_by("singular_value", {P::singular_value, 3.0, {}, {}, {}, {}}),
                         16.0),
      relative_projection(),
      projection_by("additive", {P::additive, 3.0, {}, {}, {}, {}}),
      subsampled_projection(),
      covariance_by("noise", {C::gaussian_orthogonal_ensemble, {}}),
      covariance_by("projection", {C::projection, 10.0}),
      by_singular_values(covariance_by("singular_value", {C::singular_value, 10.0}), 25.0),
      regression_by("covariance", {R::covariance, {}, {}, {}, {}}),
      regression_by("least_squares", {R::least_squares, 10.0, {}, {}, {}}),
      regression_by("projection", {R::projection, 10.0, {}, {}, {}}),
      regression_by("adaptive", {R::adaptive_sufficient_statistics, {}, {}, {}, {}}),
      by_singular_values(regression_by("singular_value", {R::singular_value, 10.0, {}, {}, {}}),
                         25.0),
      regression_by("approximate", {R::approximate, 100.0, {}, {}, {}}),
      relative_regression("relative", {R::relative, 10.0, 0.05, 0.05, {}}),
      relative_regression("relative_gaussian", {R::relative_gaussian, {}, {}, {}, 0.1}),
      regression_by("additive", {R::additive, 10.0, {}, {}, {}}),
      logistic(),
      objective(PredictionLoss::logistic()),
      objective(PredictionLoss::smoothed_hinge(0.5)),
      objective(PredictionLoss::huber(0.25)),
      objective(PredictionLoss::squared(1.0)),
      gaussian_process(),
      lifted(),
  };
}

BlackBoxAudit audit(const Draw& draw, std::uint64_t seed) {
  constexpr int samples = 4000;
  constexpr double confidence = 1.0 - 1e-6;
  SeededSource source(seed);
  Samples with, without;
  for (int i = 0; i < samples; ++i)
    for (const bool side : {true, false}) {
      const Eigen::MatrixXd output = draw(side, source);
      (side ? with : without).add({output.data(), static_cast<std::size_t>(output.size())});
    }
  return audit_samples(with, without, claim, confidence, source);
}

class SelfAudit : public ::testing::TestWithParam<Subject> {};

// A release that keeps its claim is accused with probability 1e-6 at most.
TEST_P(SelfAudit, FindsNothingInTheRelease) {
  const BlackBoxAudit found = audit(GetParam().make(claim), 7001);
  EXPECT_EQ(found.verdict, BlackBoxVerdict::not_refuted) << found.epsilon_lower_bound;
}

TEST_P(SelfAudit, CatchesTheBrokenTwin) {
  const BlackBoxAudit found = audit(GetParam().make(GetParam().twin), 7002);
  EXPECT_EQ(found.verdict, BlackBoxVerdict::violated) << found.epsilon_lower_bound;
}

INSTANTIATE_TEST_SUITE_P(Releases, SelfAudit, ::testing::ValuesIn(subjects()),
                         [](const auto& subject) { return subject.param.name; });

}  // namespace
}  // namespace modicum::testing::self_audit_test
