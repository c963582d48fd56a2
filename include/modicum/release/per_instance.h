// What did this record lose? Exact losses after the fact for objective perturbation, which are
// confidential, and bounds on them that may be published. Proofs: docs/derivations/per-instance.md.
//
// J(theta) = sum of f(x_i^T theta; y_i) + regularization/2 |theta|^2 over the data D, and theta the
// released minimizer of J + b^T theta, b ~ N(0, standard_deviation^2 I), so that grad J = -b there.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <vector>

#include "modicum/calibration/calibrate.h"
#include "modicum/data/fields.h"
#include "modicum/data/table.h"
#include "modicum/mechanisms/prediction_loss.h"

namespace modicum {

class Leverages;

/// A release by objective perturbation, in the units of the clipped rows. All of it is public.
struct ObjectiveRelease {
  PredictionLoss loss;
  double row_norm_bound, regularization, standard_deviation;
  Eigen::VectorXd coefficients;
  /// How far they may be from the exact minimizer, but with probability 1e-14: for the noise that
  /// hides the solver. Losses are those of an exact minimizer at the released coefficients.
  double output_spread = 0.0;

  ObjectiveBounds bounds() const { return loss.bounds(row_norm_bound, regularization); }
};

/// Whether the record is one of the data (its loss is that of being removed) or not (of being
/// added).
enum class Membership { inside, outside };

/// A number about a record that depends on the data: for their holder alone. Nothing prints it,
/// and nothing puts it into a certificate.
struct Confidential {
  Eigen::VectorXd values;
};

/// log p_D(theta) / p_D'(theta) for every record, D' without it (inside) or with it (outside), by
/// the change of variables b = -grad J; epsilon_1 of the record is its absolute value. One
/// factorization, then O(d^2) a record.
class ExPostLoss {
 public:
  /// `gradient` and `hessian`: of J at the released coefficients, on D. What doubles cannot hold of
  /// the Hessian may be given as `rest`, to be added: with little regularization losses hang on it.
  /// Throws InvalidParameter for sizes that differ, Error for a Hessian that is not positive
  /// definite.
  ExPostLoss(const ObjectiveRelease& release, Eigen::VectorXd gradient,
             const Eigen::MatrixXd& hessian, const Eigen::MatrixXd& rest = {});
  /// `rows` are clipped, in the units of the release. Throws InvalidParameter for rows that are
  /// not, and for responses that the loss does not take.
  Confidential signed_losses(const RowBlock& rows, const Eigen::VectorXd& responses,
                             Membership membership) const;

 private:
  ObjectiveRelease release_;
  Eigen::VectorXd gradient_;
  std::shared_ptr<const Leverages> leverages_;
};

/// The same for any smooth loss: -log det(I -+ H^-1 H_z), minus inside, in place of its first term.
/// Throws Error where the matrix without the record is not positive definite.
Confidential general_ex_post_loss(double standard_deviation, const Eigen::VectorXd& gradient,
                                  const Eigen::MatrixXd& hessian,
                                  const Eigen::VectorXd& record_gradient,
                                  const Eigen::MatrixXd& record_hessian, Membership membership);

// --- What may be published --------------------------------------------------------------------

enum class ReportKind {
  data_independent,  ///< costs nothing
  data_dependent,    ///< noisy gradient and Hessian at the release [RedbergWang2021, Algorithm 2]
  adaptive,          ///< and a noisy least eigenvalue [RedbergWang2021, Algorithm 4]
};
const Choices<ReportKind>& report_kinds();
const char* to_string(ReportKind kind);  ///< "data-independent", ...

/// For whom the bound holds with the stated probability.
enum class Coverage {
  one_record,  ///< any record, chosen without looking at the noise
  all_rows,    ///< all of at most largest_rows records at once
  everyone,    ///< all records that could be, at once
};
const Choices<Coverage>& coverages();
const char* to_string(Coverage coverage);  ///< "one-record", "all-rows", "everyone"

/// Deviations of the noise: sigma_2 on each number of the gradient; sigma_3 (Z + Z^T)/sqrt 2 on the
/// Hessian; sigma_4 on its least eigenvalue. 0 where nothing of the kind is released.
struct ReportNoise {
  double gradient = 0.0, matrix = 0.0, eigenvalue = 0.0;
};

/// What the owner of a record is told. Never bound > published, but for rounding: all numbers are
/// raised by a share of 1e-9, which is far more than doubles lose on the way.
struct RecordReport {
  double bound;      ///< on epsilon_1: the larger end of an interval for the signed loss
  double published;  ///< the sum of the three terms, as in the paper but for its errors
  double leverage;   ///< bound on x^T H^-1 x
  double cost;       ///< mu of the noise of the report itself for this record
};

/// How the probability of failure is divided between the events that a bound rests on: the noise on
/// the gradient (both sides), the upper end of that on the matrix, the lower end of the eigenvalue,
/// and the gradient without any look at it (both sides), so that no bound is above that of the
/// data-independent report whose failure is that share. Public, and need not add up to 1; what a
/// kind of report does not release has no part. A data-independent report has one event only.
struct FailureShares {
  double gradient = 1.0, matrix = 0.5, eigenvalue = 0.5, free = 0.0;
  static FailureShares of(ReportKind kind);  ///< what releases take by default
};

inline constexpr double default_largest_rows = 1e6;

/// The reporting function. All of it may be published; its value at a record goes to its owner.
class PublishableReport {
 public:
  struct Settings {
    ReportKind kind = ReportKind::data_independent;
    Coverage coverage = Coverage::one_record;
    double failure = 0.05;  ///< probability, over all noise, that the bound fails
    /// Required for Coverage::all_rows, else default_largest_rows. All bounds hold for tables of up
    /// to so many rows, by which the noise on the coefficients moves grad J.
    std::optional<double> largest_rows;
    ReportNoise noise;
    FailureShares failure_shares = {};
  };
  /// What was released for it; empty where the kind has none. May be rounded to grids of up to
  /// 2^-24 of the noise. The Hessian is symmetric, with regularization I in it.
  struct Released {
    Eigen::VectorXd gradient;
    Eigen::MatrixXd hessian;
    double least_eigenvalue = 0.0;
  };
  /// Throws InvalidParameter.
  PublishableReport(ObjectiveRelease release, Settings settings, Released released);

  /// `row` is clipped, in the units of the release. Throws InvalidParameter for one that is not,
  /// and for a response that the loss does not take.
  RecordReport at(const Eigen::VectorXd& row, double response, Membership membership) const;

  const ObjectiveRelease& release() const { return release_; }
  const Settings& settings() const { return settings_; }
  const Released& released() const { return released_; }

  /// Numbers from which the function can be evaluated elsewhere.
  /// |g^T grad J - shrinkage g^T gradient| <= min(euclidean |g|_2, absolute |g|_1), g = f' x.
  struct Margins {
    double shrinkage;  ///< sigma^2/(sigma^2 + sigma_2^2); 0 without a noisy gradient
    double euclidean;
    std::optional<double> absolute;
  };
  const Margins& margins() const { return margins_; }
  /// The same without the noisy gradient, at its own share of the failure: both hold at once.
  const std::optional<Margins>& free_margins() const { return free_margins_; }
  /// What finite arithmetic can add to the slope and to the curvature of a record in what is
  /// released for the report: its cost is that of so much more.
  struct Arithmetic {
    double slope, curvature;
  };
  Arithmetic arithmetic() const;
  /// H >= a H^ + ((1 - a) floor - a matrix_margin) I for every a in [0, 1].
  double floor() const { return floor_; }
  double matrix_margin() const { return matrix_margin_; }
  const Eigen::VectorXd& eigenvalues() const { return eigenvalues_; }    ///< of the noisy Hessian
  const Eigen::MatrixXd& eigenvectors() const { return eigenvectors_; }  ///< in columns

 private:
  ObjectiveRelease release_;
  Settings settings_;
  Released released_;
  Margins margins_{}, published_margins_{};
  std::optional<Margins> free_margins_;
  double floor_ = 0.0, matrix_margin_ = 0.0;
  Eigen::VectorXd eigenvalues_;
  Eigen::MatrixXd eigenvectors_;
};

/// mu of the Gaussian that the noise of a report costs a record with |f'| |x| = slope and f'' |x|^2
/// = curvature, rounded upwards: mu^2 = slope^2/sigma_2^2 + curvature^2/(2 sigma_3^2) +
/// curvature^2/sigma_4^2.
double report_cost(const ReportNoise& noise, double slope, double curvature);

/// A bound on the epsilon at `delta` of noise that costs mu, rounded upwards, by elementary
/// functions alone, so that a page can compute it too: less than 1 % above the smallest for mu up
/// to 1 and delta up to 1e-6. 0 for mu = 0.
double report_epsilon(double mu, double delta);

/// The paper's epsilons for the same, each at `delta`, so that their sum holds at the sum of the
/// deltas; and the exact one.
struct PublishedReportCost {
  double gradient, matrix, eigenvalue;  ///< epsilon_2, epsilon_3, epsilon_4 (Theorems 14, 17, 11)
  double exact;                         ///< the smallest epsilon at `delta` for all three together
};
PublishedReportCost published_report_cost(const ReportNoise& noise, double slope, double curvature,
                                          double delta);

/// How the privacy that is left for a report is divided: shares of mu^2, which need not add up
/// to 1.
struct ReportShares {
  double gradient = 0.6, matrix = 0.4, eigenvalue = 0.0;
  static ReportShares of(ReportKind kind);  ///< the default
};

struct ReportBudget {
  double mu;
  ReportNoise noise;
  ProfilePoint achieved;  ///< of release and report together, certified
};

/// The least noise of a report such that it and what was released before, with this loss, meet the
/// target together. Throws CalibrationFailed where the release alone does not leave anything,
/// InvalidParameter for a kind that releases nothing and for shares that do not fit it.
ReportBudget plan_report(const PrivacyTarget& total, const PrivacyLoss& released_before,
                         const ObjectiveBounds& bounds, ReportKind kind,
                         const ReportShares& shares);

}  // namespace modicum
