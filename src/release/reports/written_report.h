// Reports that may be published, as files.
#pragma once

#include <string>
#include <string_view>

#include "modicum/data/fields.h"
#include "release/reports/report_promise.h"

namespace modicum {

/// The reporting function with the way from a record to its arguments. All of it is public.
struct WrittenReport {
  PublicRows rows;
  ResponseRule response;
  PrivacyTarget released;  ///< what the coefficients alone promise
  PublishableReport report;
  SolvedObjectiveNoise noise;  ///< of the coefficients
  /// None where the report costs nothing.
  std::optional<ReportPromise> promise = std::nullopt;

  /// Of the coefficients alone.
  PrivacyLoss privacy_loss() const {
    return solved_objective_perturbation(report.release().bounds(), noise);
  }
};

/// One JSON object. Numbers are written so that they are read back as they are.
std::string report_text(const WrittenReport& report);

/// Throws InvalidDescription, which names `source`, for anything that report_text does not write.
WrittenReport parse_report(std::string_view text, const std::string& source);

/// Where a report and its certificate are.
struct ReportSource {
  Input<Value> report = {};
  Input<Value> certificate = {};  ///< else beside the file of the report

  void fields(Fields& fields);
  /// A report in memory may come without a certificate, a file may not. Throws InvalidDescription,
  /// UnreadableFile, UsageError; InvalidParameter for a report that is not the one of its
  /// certificate, and for one whose promises are not what its noise makes of them.
  WrittenReport load() const;

 private:
  Value certificate_of() const;
};

/// Computes again what follows from other numbers: what one record can cost, alone and with the
/// coefficients. Throws InvalidParameter.
void require_kept(const WrittenReport& report);

/// The features in order, each {"name"} or {"name", "low", "high"}, without the column of ones.
Value features_json(const PublicRows& rows);
/// {"label", "threshold"} or {"target", "low", "high"}.
Value response_json(const ResponseRule& response);

}  // namespace modicum
