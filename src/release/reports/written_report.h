// Reports that may be published, as files.
#pragma once

#include <string>
#include <string_view>

#include "modicum/data/fields.h"
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

/// From its file (- is standard input), or as it is.
WrittenReport load_report(const Input<Value>& report);

/// The features in order, each {"name"} or {"name", "low", "high"}, without the column of ones.
Value features_json(const PublicRows& rows);
/// {"label", "threshold"} or {"target", "low", "high"}.
Value response_json(const ResponseRule& response);

}  // namespace modicum
