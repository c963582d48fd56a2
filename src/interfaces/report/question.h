// Which report on which release is asked for.
#pragma once

#include <optional>
#include <vector>

#include "release/reports/released_objective.h"
#include "release/reports/report_promise.h"

namespace modicum {

inline Value tree_of(const PrivacyTarget& target) {
  return {{"epsilon", target.epsilon}, {"delta", target.delta}};
}

/// Said of a report whose noisy gradient is too long.
inline constexpr const char* other_table_warning =
    "Warning: the numbers of this report are not those of the table that the coefficients were "
    "released\nfrom, but once in 10^9 reports: its bounds mean nothing.\n";

struct ReportQuestion {
  ReleaseSource source = {};
  std::optional<ReportKind> method = {};
  std::optional<Coverage> cover = {};
  double failure = 0.05;
  std::optional<double> largest_rows = {}, epsilon = {}, delta = {};
  std::vector<double> shares = {}, failure_shares = {};

  /// Where it is not `required`, neither method nor budget need be given.
  void fields(Fields& fields, bool required);

  /// Throws UsageError where something is given that only matters for a report; `because` says why
  /// there is none.
  void refuse_report(const char* because) const;
  /// Throws InvalidParameter.
  double checked_failure() const;
  /// Throws UsageError without a method, InvalidParameter.
  ReportRequest request() const;
  /// What coefficients and report may cost together; nothing for a report that costs nothing.
  /// Throws UsageError, InvalidParameter.
  std::optional<PrivacyTarget> total() const;

 private:
  std::optional<ReportShares> checked_shares() const;
  std::optional<FailureShares> checked_failure_shares() const;
};

}  // namespace modicum
