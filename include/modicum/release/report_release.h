// Reports on what records lost to a release by objective perturbation, made from its data.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "modicum/release/objective_release.h"
#include "modicum/release/per_instance.h"

namespace modicum {

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

  /// The noise on top of the minimizer exceeds sqrt(d) + 8 deviations with probability e^-32.
  ObjectiveRelease law() const {
    const double root = std::sqrt(static_cast<double>(coefficients.size()));
    return {loss,
            rows.row_norm_bound,
            regularization,
            noise.standard_deviation,
            coefficients,
            1.001 * (noise.minimizer_error + noise.output_standard_deviation * (root + 8.0))};
  }
  PrivacyLoss privacy_loss() const { return solved_objective_perturbation(law().bounds(), noise); }
};

// --- For the holder of the data alone ---------------------------------------------------------

/// Two passes in all for the losses of a table: this one for gradient and Hessian of the objective,
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
  std::optional<ReportShares> shares;  ///< else ReportShares::of(kind)
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

/// One pass; none for data_independent.
PublishableReport release_report(const ReportPlan& plan, const PassOverRows& data,
                                 const IntegerClip& clip, RandomSource& source);

}  // namespace modicum
