// Certificates of component releases: what is promised, on which grounds, for which options.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/bounded_range.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/matrix_noise.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/privacy/conversions.h"
#include "modicum/release/description.h"
#include "release/component_tables.h"
#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::component_plan_test {
namespace {

using enum ComponentMethod;

const PrivacyTarget target(1.0, 1e-6);

bool has(const ComponentMethod method, RowScaling scaling) {
  return method != wishart || scaling == RowScaling::separate;
}

// The loss as a reader of the certificate would make it.
PrivacyLoss loss_in(const Certificate& certificate) { return describe(certificate.loss).loss; }

TEST(PlanComponents, SaysAsymptoticExactlyWhereItIs) {
  for (const RowScaling scaling : {RowScaling::separate, RowScaling::ranks})
    for (const ComponentMethod method : component_methods)
      for (const double components : {1.0, 2.0, 5.0}) {
        if (!has(method, scaling) || (method == adaptive && components == 5.0)) continue;
        const Certificate certificate =
            plan_components(target, coordinates(5, 1.5), asking(components, method, scaling))
                .certificate;
        // One component is drawn exactly, and all of them do not depend on the data.
        const bool expected = method == adaptive || (method == joint && components == 2.0);
        EXPECT_EQ(certificate.guarantee, expected ? Guarantee::asymptotic : Guarantee::proved)
            << name_of(method) << " " << components;
        EXPECT_EQ(certificate.loss.is_null(), expected) << name_of(method);
        if (method == joint) {
          EXPECT_EQ(
              text_in(certificate, "sampler").find("approximate sampler") != std::string::npos,
              expected);
        }
      }
}

TEST(PlanComponents, CertifiesTheTargetAndALossThatGivesIt) {
  for (const RowScaling scaling : {RowScaling::separate, RowScaling::ranks})
    for (const ComponentMethod method : component_methods)
      for (const double components : {1.0, 2.0, 3.0}) {
        if (!has(method, scaling)) continue;
        const ComponentPlan plan =
            plan_components(target, coordinates(4, 1.5), asking(components, method, scaling));
        const Certificate& certificate = plan.certificate;
        EXPECT_EQ(certificate.achieved.epsilon, 1.0);
        EXPECT_EQ(certificate.achieved.proof, Proof::certified);
        EXPECT_LE(certificate.achieved.delta().upper(), 1e-6);
        EXPECT_EQ(certificate.attained, false);
        EXPECT_EQ(certificate.adjacency, add_or_remove_one_row);
        EXPECT_EQ(certificate.theorem, "docs/derivations/principal-components.md");
        EXPECT_EQ(text_in(certificate, "method"), name_of(method));
        EXPECT_EQ(number_in(certificate, "components"), components);
        const bool noise = method == gaussian_orthogonal_ensemble || method == analyze_gauss;
        EXPECT_EQ(certificate.arithmetic, noise && scaling == RowScaling::separate
                                              ? Exactness::exact
                                              : Exactness::mitigated);
        if (certificate.loss.is_null()) continue;
        // Another route than the closed form for two draws and more.
        const Enclosure again = profile(loss_in(certificate), 1.0, Accuracy::certified).delta();
        EXPECT_TRUE(again.overlaps(certificate.achieved.delta())) << name_of(method);
        EXPECT_LT(again.relative_width(), 1e-6);
        EXPECT_GE(again.lower(), 0.99e-6) << name_of(method);  // nothing of the budget is left
      }
}

TEST(PlanComponents, ManyDrawsStandOnConcentratedPrivacyWhereThatAllowsMore) {
  const PrivacyTarget small(0.4843, 1e-6);
  const ComponentPlan plan = plan_components(small, coordinates(30, 1.0), {20.0});
  EXPECT_EQ(plan.frames().draws, 20.0);
  EXPECT_EQ(plan.frames().range, largest_component_range(small, 20.0));
  EXPECT_GT(composed_bounded_range_delta(plan.frames().range, 20.0, small.epsilon).lower(),
            small.delta);
  EXPECT_LE(epsilon_from_zcdp(20.0 * plan.frames().range * plan.frames().range / 8.0, small.delta),
            small.epsilon);
  EXPECT_EQ(plan.certificate.achieved.delta().upper(), small.delta);
  EXPECT_EQ(plan.certificate.guarantee, Guarantee::proved);
}

TEST(PlanComponents, ServesPurePrivacyByDrawsOnly) {
  const PrivacyTarget pure(2.0, 0.0);
  for (const double components : {1.0, 3.0}) {
    const ComponentPlan plan = plan_components(pure, coordinates(3, 1.0), {components});
    EXPECT_LE(plan.frames().range * components, 2.0);
    EXPECT_NEAR(plan.frames().range * components, 2.0, 1e-12);
    EXPECT_TRUE(plan.certificate.achieved.delta().is_exactly_zero());
    EXPECT_GE(number_in(plan.certificate, "pure_epsilon"), plan.frames().range * components);
  }
  for (const ComponentMethod method : {gaussian_orthogonal_ensemble, analyze_gauss, wishart})
    EXPECT_THROW(plan_components(pure, coordinates(3, 1.0), asking(1.0, method)), Error);
  EXPECT_THROW(plan_components(pure, coordinates(3, 1.0), asking(1.0, adaptive)),
               CalibrationFailed);
}

TEST(PlanComponents, APublicBetaHasTheRangeOfItsFormula) {
  // beta p^2 / (2 n) for p = 200, n = 2504: half of the 0.16, 3.19 and 19.17 of the paper, which
  // are for replacing a row.
  const double betas[] = {0.01, 0.2, 1.2}, epsilons[] = {0.16, 3.19, 19.17};
  for (int i = 0; i < 3; ++i) {
    ComponentRequest request{1.0};
    request.rows = 2504.0;
    request.beta = betas[i];
    const double pure = epsilon_of_beta(request, 200.0, 0.0);
    EXPECT_NEAR(2.0 * pure, epsilons[i], 0.005);
    EXPECT_GE(2504.0 * 2.0 * pure, betas[i] * 40000.0);
    const ComponentPlan plan =
        plan_components(PrivacyTarget(pure, 0.0), coordinates(200, 1.0), request);
    EXPECT_EQ(plan.frames().range, pure);
    EXPECT_EQ(number_in(plan.certificate, "beta"), betas[i]);
    EXPECT_EQ(number_in(plan.certificate, "rows"), 2504.0);
    // Less was promised than asked for; more is not.
    plan_components(PrivacyTarget(1.01 * pure, 0.0), coordinates(200, 1.0), request);
    EXPECT_THROW(plan_components(PrivacyTarget(0.99 * pure, 0.0), coordinates(200, 1.0), request),
                 CalibrationFailed);
    request.scaling = RowScaling::ranks;
    EXPECT_NEAR(epsilon_of_beta(request, 200.0, 0.0), 4.5 * pure, 1e-12 * pure);
  }
}

TEST(PlanComponents, TheEpsilonOfABetaIsEnoughForItsPlan) {
  SeededRandom random(1);
  for (int trial = 0; trial < 40; ++trial) {
    ComponentRequest request{static_cast<double>(random.whole(1, 6))};
    request.method = trial % 2 == 0 ? exponential : joint;
    request.scaling = trial % 3 == 0 ? RowScaling::ranks : RowScaling::separate;
    request.rows = 500.0;
    request.beta = random.log_uniform(0.01, 10.0);
    const double delta = trial % 5 == 0 ? 0.0 : random.log_uniform(1e-9, 1e-2);
    const double epsilon = epsilon_of_beta(request, 8.0, delta);
    const ComponentPlan plan =
        plan_components(PrivacyTarget(epsilon, delta), coordinates(8, 1.0), request);
    EXPECT_LE(plan.certificate.achieved.delta().upper(), delta);
    EXPECT_EQ(plan.frames().draws, trial % 2 == 0 ? request.components : 1.0);
    EXPECT_THROW(
        plan_components(PrivacyTarget(0.999 * epsilon, delta), coordinates(8, 1.0), request),
        CalibrationFailed);
  }
}

TEST(PlanComponents, TheNumberOfRowsTellsBeta) {
  ComponentRequest request{2.0};
  request.rows = 400.0;
  const ComponentPlan plan = plan_components(target, coordinates(10, 1.0), request);
  EXPECT_LE(component_range(number_in(plan.certificate, "beta"), 10.0, 400.0, RowScaling::separate),
            plan.frames().range);
  EXPECT_NEAR(number_in(plan.certificate, "beta"), 8.0 * plan.frames().range, 1e-12);
}

TEST(PlanComponents, AnAdaptiveCertificateTellsItsBudgetAndWhatIsNotProved) {
  for (const double share : {0.2, 0.4}) {
    ComponentRequest request = asking(2.0, adaptive);
    if (share != 0.2) request.calibration_share = share;
    const ComponentPlan plan = plan_components(target, coordinates(10, 1.0), request);
    const Certificate& certificate = plan.certificate;
    const double mu = matching_gaussian_mu(1.0, 1e-6).lower();
    EXPECT_DOUBLE_EQ(number_in(certificate, "gap_mu"), std::sqrt(share) * mu);
    EXPECT_LT(number_in(certificate, "components_mu"), std::sqrt(1.0 - share) * mu);
    EXPECT_EQ(number_in(certificate, "margin"), std::get<AdaptiveCalibration>(plan.draw).margin());
    EXPECT_EQ(certificate.achieved.delta().upper(),
              std::get<AdaptiveCalibration>(plan.draw).delta());
    EXPECT_TRUE(std::ranges::any_of(certificate.assumptions, [](const std::string& each) {
      return each.find("not proved") != std::string::npos &&
             each.find("average") != std::string::npos;
    }));
  }
}

TEST(PlanComponents, RefusesWhatAMethodDoesNotUseOrNeeds) {
  const auto with = [&](ComponentMethod method, std::optional<double> ComponentRequest::*option,
                        double value, double components = 2.0) {
    return [=] {
      ComponentRequest request = asking(components, method);
      request.*option = value;
      return plan_components(target, coordinates(4, 1.0), request).frames().range;
    };
  };
  for (const ComponentMethod method : component_methods) {
    const bool noise = method >= gaussian_orthogonal_ensemble;
    if (method == exponential || noise) {
      EXPECT_TRUE(refuses("sweeps", with(method, &ComponentRequest::sweeps, 10.0)));
    }
    if (noise) {
      EXPECT_TRUE(refuses("rows", with(method, &ComponentRequest::rows, 10.0)));
    }
    if (noise || method == adaptive) {
      EXPECT_TRUE(refuses("beta", with(method, &ComponentRequest::beta, 1.0)));
    }
    if (method == adaptive) continue;
    EXPECT_TRUE(
        refuses("calibration_share", with(method, &ComponentRequest::calibration_share, 0.1)));
  }
  EXPECT_TRUE(refuses("rows", with(exponential, &ComponentRequest::beta, 1.0)));
  EXPECT_TRUE(refuses("method", [&] {
    return plan_components(target, coordinates(4, 1.0), {1.0, wishart, RowScaling::ranks})
        .frames()
        .range;
  }));
}

TEST(PlanComponents, RefusesNumbersThatMakeNoSense) {
  const auto plan = [](const ComponentRequest& request) {
    return
        [request] { return plan_components(target, coordinates(4, 1.0), request).frames().range; };
  };
  for (const ComponentMethod method : component_methods)
    for (const double bad : {0.0, 1.5, 5.0, -1.0, not_a_number, infinity})
      EXPECT_TRUE(refuses("components", plan(asking(bad, method)))) << bad;
  EXPECT_TRUE(refuses("components", plan(asking(4.0, adaptive))));
  for (const double bad : {0.0, 0.5, -1.0, not_a_number, infinity}) {
    ComponentRequest request = asking(2.0, joint);
    request.sweeps = bad;
    EXPECT_TRUE(refuses("sweeps", plan(request)));
    request = asking(2.0, adaptive);
    request.rows = bad;
    EXPECT_TRUE(refuses("rows", plan(request)));
  }
  for (const double bad : {0.0, 1.0, -1.0, not_a_number, infinity}) {
    ComponentRequest request = asking(2.0, adaptive);
    request.calibration_share = bad;
    EXPECT_TRUE(refuses("calibration_share", plan(request)));
  }
  for (const double bad : {-1.0, not_a_number, infinity}) {
    ComponentRequest request = asking(2.0, exponential);
    request.rows = 10.0;
    request.beta = bad;
    EXPECT_TRUE(refuses("beta", plan(request)));
  }
  ComponentRequest request{2.0, joint};
  request.sampler = ComponentSampler::deflation;
  EXPECT_TRUE(refuses("sampler", plan(request)));
  EXPECT_TRUE(refuses("beta", [] { return epsilon_of_beta({1.0}, 4.0, 0.0); }));
  EXPECT_TRUE(refuses("beta", [] { return epsilon_of_beta(asking(1.0, adaptive), 4.0, 0.0); }));
}

TEST(PlanComponents, NamesTheArgumentThatItStandsOn) {
  const auto argument = [](const PrivacyTarget& aim, double components) {
    return text_in(plan_components(aim, coordinates(30, 1.0), {components}).certificate,
                   "bounded_by");
  };
  EXPECT_EQ(argument(target, 2.0), "the dominating pair");
  EXPECT_EQ(argument(PrivacyTarget(2.0, 0.0), 2.0), "pure privacy");
  EXPECT_EQ(argument(PrivacyTarget(0.4843, 1e-6), 20.0), "zero-concentrated privacy");
}

TEST(PlanComponents, RefusesRangesThatHardlyAnyTableCouldBeDrawnWith) {
  ComponentRequest request{1.0};
  plan_components(PrivacyTarget(9e6, 0.0), coordinates(4, 1.0), request);
  EXPECT_THROW(plan_components(PrivacyTarget(1e7, 0.0), coordinates(4, 1.0), request),
               CalibrationFailed);
  request.rows = 1e9;
  plan_components(PrivacyTarget(99.0, 0.0), coordinates(4, 1.0), request);
  EXPECT_THROW(plan_components(PrivacyTarget(100.0, 0.0), coordinates(4, 1.0), request),
               CalibrationFailed);
}

TEST(PlanComponents, DrawsSoManyDirectionsAtMost) {
  for (const ComponentMethod method : {exponential, joint, adaptive})
    EXPECT_TRUE(refuses("components", [&] {
      return plan_components(target, coordinates(300, 1.0), asking(257.0, method)).frames().range;
    }));
  plan_components(target, coordinates(300, 1.0), asking(257.0, analyze_gauss));
}

TEST(PlanComponents, TellsNoNumberOfRowsForRanks) {
  const Certificate certificate =
      plan_components(target, coordinates(4, 1.0), {2.0, exponential, RowScaling::ranks})
          .certificate;
  EXPECT_EQ(text_in(certificate, "scaling"), "ranks");
  EXPECT_EQ(certificate.find("row_norm_bound"), nullptr);
  EXPECT_EQ(certificate.find("rows"), nullptr);
}

}  // namespace
}  // namespace modicum::testing::component_plan_test
