// Principal components and covariances about the mean of a table, which is released with them; and
// means and standard deviations of columns. They look first: docs/derivations/look.md.
#pragma once

#include <functional>
#include <optional>

#include "modicum/data/gram.h"
#include "modicum/release/diagnostics.h"
#include "modicum/release/released.h"

namespace modicum {

struct CenteredPlan {
  PublicRows rows;
  PrivacyTarget target;
  double components;                           ///< 0 for covariances and deviations
  std::optional<std::vector<double>> centers;  ///< public ones, in the units of the file
  Certificate certificate;
};

/// About `centers`, one for each column, or about private means. Throws InvalidParameter,
/// CalibrationFailed.
CenteredPlan plan_centered_components(const PrivacyTarget& target, const PublicRows& rows,
                                      double components,
                                      const std::optional<std::vector<double>>& centers = {});

/// A column for each component, of eigenvectors of the released covariance in coordinates, in the
/// order of the eigenvalues; the entry of largest size is positive. Released with them, in the
/// certificate: `mean`, in the units of the file, `explained_variance`, of coordinates, with
/// `explained_variance_error`, standard errors of noise and sampling for normal rows, and
/// `explained_variance_ratio`, as noisy as they are. Three passes; `begin` is called before each.
Released release_centered_components(const CenteredPlan& plan, const Table& table,
                                     const RowRule& rule, const std::function<ReadOptions()>& begin,
                                     RandomSource& source);

/// A symmetric matrix, in the units of the file; it need not be positive definite. Released with
/// it, in the certificate: `mean`, `rows_released` and `covariance_noise`, the standard deviation
/// of an entry off the diagonal in coordinates; on it sqrt 2 times as much. Throws as above.
CenteredPlan plan_centered_covariance(const PrivacyTarget& target, const PublicRows& rows,
                                      const std::optional<std::vector<double>>& centers = {});
Released release_centered_covariance(const CenteredPlan& plan, const Table& table,
                                     const RowRule& rule, const std::function<ReadOptions()>& begin,
                                     RandomSource& source);

/// Columns `mean` and `standard_deviation`, in the units of the file, a row for each column.
/// Deviations that the noise hides are said to be as large as it.
CenteredPlan plan_scales(const PrivacyTarget& target, const PublicRows& rows);
Released release_scales(const CenteredPlan& plan, const Table& table, const RowRule& rule,
                        const std::function<ReadOptions()>& begin, RandomSource& source);

/// What to expect of components about private means, from public numbers alone: about how many rows
/// there are, and what the eigenvalues of their covariance may be, in any unit. For normal rows, in
/// the limit of many dimensions (docs/derivations/look.md): no bound, no promise.
struct ComponentOutlook {
  double noise;      ///< of an entry of the covariance, in units of the eigenvalues
  double least_gap;  ///< between a variance and the rest that shows at all, over the sum
  std::vector<double> overlaps;      ///< what is found of each component, from 0 to 1
  double frobenius_error, captured;  ///< as ComponentErrors
};
/// Throws InvalidParameter unless mu and rows are above 0, eigenvalues fall and are not negative
/// and there are as many as components at least.
ComponentOutlook centered_outlook(double mu, double rows, const std::vector<double>& eigenvalues,
                                  double components);

/// How far components are from those of the covariance of the clipped rows about their mean. Not
/// private. Two more passes.
Diagnostics diagnose_centered_components(const CenteredPlan& plan, const Released& released,
                                         const Table& table, const RowRule& rule,
                                         const ReadOptions& options);
/// The same of a covariance: `relative_error`, in Frobenius' norm of coordinates.
Diagnostics diagnose_centered_covariance(const CenteredPlan& plan, const Released& released,
                                         const Table& table, const RowRule& rule,
                                         const ReadOptions& options);

}  // namespace modicum
