// Principal components about the mean of a table, which is released with them; and means and
// standard deviations of columns. They look first: docs/derivations/look.md.
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
  double components;                           ///< 0 for means and standard deviations
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
/// certificate: `mean`, in the units of the file, `explained_variance`, of coordinates, and
/// `explained_variance_ratio`, both as noisy as they are. Three passes; `begin` is called before
/// each.
Released release_centered_components(const CenteredPlan& plan, const Table& table,
                                     const RowRule& rule, const std::function<ReadOptions()>& begin,
                                     RandomSource& source);

/// Columns `mean` and `standard_deviation`, in the units of the file, a row for each column.
/// Deviations that the noise hides are said to be as large as it.
CenteredPlan plan_scales(const PrivacyTarget& target, const PublicRows& rows);
Released release_scales(const CenteredPlan& plan, const Table& table, const RowRule& rule,
                        const std::function<ReadOptions()>& begin, RandomSource& source);

/// How far components are from those of the covariance of the clipped rows about their mean. Not
/// private. One more pass.
Diagnostics diagnose_centered_components(const CenteredPlan& plan, const Released& released,
                                         const Table& table, const RowRule& rule,
                                         const ReadOptions& options);

}  // namespace modicum
