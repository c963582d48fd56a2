// The page on which the owner of a record asks a published report about it.
#pragma once

#include <string>

#include "release/reports/written_report.h"

namespace modicum {

/// A form with one field for each feature and for the response, in the units of the file, and a
/// script that computes what PublishableReport::at does. Everything on it may be published; what is
/// typed in stays in the browser.
std::string report_page(const WrittenReport& report);

/// The script, report_page.js: functions of a report and a record, and what connects them to the
/// form.
extern const char* const report_page_script;

}  // namespace modicum
