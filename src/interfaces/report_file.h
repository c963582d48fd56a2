// Reports that may be published, as files.
#pragma once

#include <string>
#include <string_view>

#include "interfaces/json_output.h"
#include "modicum/release/report_release.h"

namespace modicum {

/// The reporting function with the way from a record to its arguments. All of it is public.
struct WrittenReport {
  PublicRows rows;
  ResponseRule response;
  PrivacyTarget released;  ///< what the coefficients alone promise
  PublishableReport report;
};

/// One JSON object. Numbers are written so that they are read back as they are.
std::string report_text(const WrittenReport& report);

/// Throws InvalidDescription, which names `source`, for anything that report_text does not write.
WrittenReport parse_report(std::string_view text, const std::string& source);

/// By the names that to_string gives. Throws InvalidParameter, naming the option.
ReportKind report_kind_of(const std::string& option, const std::string& text);
Coverage coverage_of(const std::string& option, const std::string& text);

/// The features in order, each {"name"} or {"name", "low", "high"}, without the column of ones.
Value features_json(const PublicRows& rows);
/// {"label", "threshold"} or {"target", "low", "high"}.
Value response_json(const ResponseRule& response);

}  // namespace modicum
