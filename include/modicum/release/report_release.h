// Reports on what records lost to a release by objective perturbation, made from its data.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "modicum/release/objective_release.h"
#include "modicum/release/per_instance.h"

namespace modicum {

/// How far released coefficients are from the exact minimizer: the noise on top of what the solver
/// finds exceeds sqrt(d) + 8 deviations with probability e^-32.
inline double output_spread(const SolvedObjectiveNoise& noise, Eigen::Index dimension) {
  const double reach = std::sqrt(static_cast<double>(dimension)) + 8.0;
  return 1.001 * (noise.minimizer_error + noise.output_standard_deviation * reach);
}

/// A release by objective perturbation, as its two files tell it. All of it is public.
struct ReleasedObjective {
  PublicRows rows;  ///< the features
  PredictionLoss loss;
  ResponseRule response;
  double regularization;
  SolvedObjectiveNoise noise;
  PrivacyTarget target;
  Eigen::VectorXd coefficients;  ///< standardized

  std::vector<std::string> assumptions = {};  ///< of its certificate
  std::string sha256 = {};                    ///< of the file of coefficients, if there is one

  ObjectiveRelease law() const {
    return {loss,           rows.row_norm_bound,
            regularization, noise.standard_deviation,
            coefficients,   output_spread(noise, coefficients.size())};
  }
  PrivacyLoss privacy_loss() const { return solved_objective_perturbation(law().bounds(), noise); }
};

// --- For the holder of the data alone ---------------------------------------------------------

/// What one pass over the data finds at the released coefficients.
struct ObjectiveOnData {
  double rows;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian, rest;  ///< their sum is the Hessian: twice the digits of doubles
};
ObjectiveOnData objective_on(const ReleasedObjective& from, const PassOverRows& data,
                             const IntegerClip& clip);

/// On the table of the release the gradient is the noise of the release, but for what hides the
/// solver. Throws InvalidParameter, naming `table`, for one that is longer than noise is but once
/// in 10^9 releases.
void require_table_of(const ReleasedObjective& from, const ObjectiveOnData& found);

/// Two passes in all for the losses of a table: one for gradient and Hessian of the objective,
ExPostLoss ex_post_losses(const ReleasedObjective& from, const ObjectiveOnData& found);
ExPostLoss ex_post_losses_on(const ReleasedObjective& from, const PassOverRows& data,
                             const IntegerClip& clip);
/// and this one for the losses themselves, signed, in the order of the rows: of the data (inside)
/// or of other records (outside).
Confidential losses_of_rows(const ExPostLoss& losses, const PassOverRows& records,
                            const IntegerClip& clip, Membership membership);
/// What a report would tell the owner of each row.
Confidential bounds_of_rows(const PublishableReport& report, const PassOverRows& records,
                            const IntegerClip& clip, Membership membership);

// --- To be published --------------------------------------------------------------------------

struct ReportRequest {
  ReportKind kind = ReportKind::data_independent;
  Coverage coverage = Coverage::one_record;
  double failure = 0.05;
  std::optional<double> largest_rows;
  std::optional<ReportShares> shares;           ///< else ReportShares::of(kind)
  std::optional<FailureShares> failure_shares;  ///< else FailureShares::of(kind)
};

struct ReportPlan {
  ReleasedObjective from;
  PublishableReport::Settings settings;
  double mu;  ///< what the report adds to the loss of the release: Gaussian, exactly
  Certificate certificate;
};

/// `total` is what coefficients and report together may cost; not given for data_independent, which
/// costs nothing. Throws InvalidParameter, CalibrationFailed.
ReportPlan plan_report_release(const ReleasedObjective& from,
                               const std::optional<PrivacyTarget>& total,
                               const ReportRequest& request);

/// One pass; none for data_independent. Throws Error for more rows than promised: nothing is
/// released then.
PublishableReport release_report(const ReportPlan& plan, const PassOverRows& data,
                                 const IntegerClip& clip, RandomSource& source);

}  // namespace modicum
