// Results as JSON objects, with the keys in the order in which they are documented.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "modicum/auditing/pair_audit.h"
#include "modicum/calibration/calibrate.h"
#include "modicum/privacy/profile.h"

namespace modicum {

using Json = nlohmann::ordered_json;

Json to_json(const Enclosure& value);  ///< {"lower", "upper"}
const char* to_string(Proof proof);    ///< "certified" or "estimated"

Json profile_json(const ProfilePoint& point);
Json epsilon_json(double delta, const Answer& epsilon);
Json tradeoff_json(double type1, const Answer& type2);
Json renyi_json(double order, const Answer& divergence);
Json audit_json(const PrivacyTarget& claim, const AuditResult& result);

/// One point as it is, several as {"points": [..]}.
Json one_or_several(std::vector<Json> points);

/// One line of text. Bytes that are not UTF-8 are replaced.
std::string json_line(const Json& value);

}  // namespace modicum
