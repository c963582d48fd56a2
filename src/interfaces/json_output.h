// Results as JSON objects, with the keys in the order in which they are documented.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interfaces/wording.h"
#include "modicum/auditing/pair_audit.h"
#include "modicum/calibration/calibrate.h"
#include "modicum/data/json.h"
#include "modicum/privacy/profile.h"

namespace modicum {

inline Value to_json(const Enclosure& value) { return value; }

Value profile_json(const ProfilePoint& point);
Value epsilon_json(double delta, const Answer& epsilon);
Value tradeoff_json(double type1, const Answer& type2);
Value renyi_json(double order, const Answer& divergence);
Value audit_json(const PrivacyTarget& claim, const AuditResult& result);

/// One point as it is, several as {"points": [..]}.
Value one_or_several(std::vector<Value> points);

}  // namespace modicum
