// Certificates of regressions by objective perturbation, read back.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "modicum/data/value.h"
#include "modicum/release/report_release.h"

namespace modicum {

/// The release without its coefficients. `source` is where the certificate comes from;
/// `check_output` is asked whether the numbers are those that it is about. Throws InvalidParameter
/// for another mechanism, InvalidDescription for a certificate that is not as it was written.
ReleasedObjective objective_in(const Value& certificate, const std::string& source,
                               const std::function<void(const Value&)>& check_output);

/// Public rows from their parts, as certificates and reports tell them. Throws InvalidParameter.
PublicRows public_rows(std::vector<std::string> names, const std::map<std::string, Range>& ranges,
                       double row_norm_bound, bool intercept);

}  // namespace modicum
