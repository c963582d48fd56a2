// White-box audit: what a release with given parameters gives away on one data set, against all of
// its neighbors by one row. Every row is removed in turn, and the worst row that could be added is
// looked for. Formulas and proofs: docs/derivations/neighbors.md.
//
// All of it but `everywhere` and its witness depends on the data and is not private: for the holder
// of the data only. Even the verdict is a statement about the data, unless nothing was read.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "modicum/auditing/pair_audit.h"
#include "modicum/data/rows.h"
#include "modicum/release/gaussian_process_release.h"
#include "modicum/release/logistic_release.h"
#include "modicum/release/objective_release.h"

namespace modicum {

/// A table and how its rows are clipped: as a release would do it.
struct AuditedTable {
  const Table& table;
  const RowRule& rule;
  double row_norm_bound;
  ReadOptions options = {};
  bool read = true;                 ///< else only what is public is found
  const Table* neighbor = nullptr;  ///< a table with one row more or less, to be looked at, too
};

/// The worst neighbor of its kind that was found, and a bound on all of the kind.
struct WorstNeighbor {
  /// Of the removed row in the table (Table::dropped_rows); none for one that is added.
  std::optional<double> number;
  Eigen::VectorXd row;  ///< in coordinates, as clipped
  /// Between the two outputs; X is the one with the row. The lower ends are proved, 0 where they
  /// could not be; the upper ones are if it says so.
  ProfilePoint found;
  /// No neighbor of the kind has a larger delta, in either direction.
  double bound;
  /// Whether nothing was searched: all rows were looked at, or the maximum is known in closed form.
  bool exhaustive;
  /// Over the draws of the audit: with so much probability at most a lower end does not hold.
  double chance = 0.0;
};

/// How a number that each row has is spread over the rows; least upper edges of bins that are one
/// percent wide, but for the largest.
struct RowFigures {
  std::string name;
  double median = 0.0, upper_quartile = 0.0, upper_percent = 0.0, largest = 0.0;
};

/// A data set, made from public numbers alone, and a row to be added to it.
struct Witness {
  struct Rows {
    double count;
    Eigen::VectorXd row;  ///< in coordinates, as clipped
  };
  std::vector<Rows> table;
  Eigen::VectorXd added;
};

struct NeighborAudit {
  /// violated: by a neighbor that was found; consistent: by both bounds. Where nothing was read: by
  /// `everywhere`.
  Verdict verdict;
  /// The largest delta over all data sets and their neighbors, certified: the upper end holds for
  /// all of them, the lower one is that of the witness. Public.
  ProfilePoint everywhere;
  Witness witness = {};
  double rows = 0.0;
  std::optional<WorstNeighbor> removed = {};  ///< none for a table without rows
  std::optional<WorstNeighbor> added = {};    ///< none where a promise allows no further row
  std::optional<WorstNeighbor> given = {};    ///< the neighbor that was given
  RowFigures figures = {};
};

// Each throws InvalidParameter, naming `neighbor`, for a table that is no neighbor.

/// D^T G over a ridge: the leverages of the rows.
NeighborAudit audit_projection(const AuditedTable& audited, double columns, double ridge,
                               const PrivacyTarget& claim);
/// D^T D with noise of this deviation off the diagonal: squared norms of the rows, certified.
NeighborAudit audit_covariance(const AuditedTable& audited, double standard_deviation,
                               const PrivacyTarget& claim);
/// The sum of the rows with Gaussian noise: norms of the rows, certified.
NeighborAudit audit_sum(const AuditedTable& audited, double standard_deviation,
                        const PrivacyTarget& claim);
/// A draw around the solution over a ridge; the last coordinate is the target. `everywhere` is what
/// a calibration has proved at the epsilon of the claim, if one has: finding it again takes time.
NeighborAudit audit_least_squares(const AuditedTable& audited, double columns, double ridge,
                                  const PrivacyTarget& claim,
                                  const std::optional<ProfilePoint>& everywhere = {});

/// A draw from the lifted posterior of a logistic regression; `regularization`, `noise_variance`
/// and `largest_rows` as in the plan of the release. Rows are screened by one step of Newton's
/// method; for the worst of them, and for the row to be added, the minimizer is found.
struct AuditedLogistic {
  double regularization, noise_variance;
  std::optional<double> largest_rows = std::nullopt;
};
NeighborAudit audit_logistic(const AuditedTable& features, const LabelRule& label,
                             const AuditedLogistic& mechanism, const PrivacyTarget& claim,
                             const std::optional<ProfilePoint>& everywhere = {});

/// The minimizer with a random linear term, b of this deviation in each coordinate; the response
/// comes behind the features. The output is no Gaussian: lower ends for tables of more than one
/// coordinate come from draws of the noise across the row, and hold but for their `chance`.
struct AuditedObjective {
  PredictionLoss loss;
  double regularization, standard_deviation;
  std::optional<double> largest_rows = std::nullopt;
  double draws = 0.0;  ///< for each neighbor; 0: 200 to 3000, by the size of the table
};
NeighborAudit audit_objective(const AuditedTable& features, const ResponseRule& response,
                              const AuditedObjective& mechanism, const PrivacyTarget& claim,
                              RandomSource& source);

/// A draw from the posterior of a Gaussian process, with the lift and the norm bound of the plan.
/// Throws Error where there are more rows than promised.
NeighborAudit audit_gaussian_process(const GaussianProcessPlan& plan, const AuditedTable& audited,
                                     const PrivacyTarget& claim);

}  // namespace modicum
