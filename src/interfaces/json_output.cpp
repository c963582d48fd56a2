#include "interfaces/json_output.h"

#include <cmath>
#include <utility>

namespace modicum {

Json to_json(const Enclosure& value) {
  return {{"lower", value.lower()}, {"upper", value.upper()}};
}

const char* to_string(Proof proof) { return proof == Proof::certified ? "certified" : "estimated"; }

Json profile_json(const ProfilePoint& point) {
  return {{"epsilon", point.epsilon},
          {"delta", to_json(point.delta())},
          {"forward", to_json(point.forward)},
          {"reverse", to_json(point.reverse)},
          {"proof", to_string(point.proof)}};
}

Json epsilon_json(double delta, const Answer& epsilon) {
  return {
      {"delta", delta}, {"epsilon", to_json(epsilon.value)}, {"proof", to_string(epsilon.proof)}};
}

Json tradeoff_json(double type1, const Answer& type2) {
  return {{"type1", type1}, {"type2", to_json(type2.value)}, {"proof", to_string(type2.proof)}};
}

Json renyi_json(double order, const Answer& divergence) {
  Json result;
  // JSON has no infinity.
  if (std::isinf(order)) result["order"] = "infinity";
  else result["order"] = order;
  if (std::isinf(divergence.value.upper())) {
    result["divergence"] = nullptr;
    result["infinite"] = std::isinf(divergence.value.lower());  // else only no bound was found
  } else {
    result["divergence"] = divergence.value.upper();
    result["enclosure"] = to_json(divergence.value);
  }
  result["proof"] = to_string(divergence.proof);
  return result;
}

Json audit_json(const PrivacyTarget& claim, const AuditResult& result) {
  return {{"verdict", to_string(result.verdict)},
          {"claim", {{"epsilon", claim.epsilon}, {"delta", claim.delta}}},
          {"delta", to_json(result.truth.delta())},
          {"forward", to_json(result.truth.forward)},
          {"reverse", to_json(result.truth.reverse)},
          {"proof", to_string(result.truth.proof)}};
}

Json one_or_several(std::vector<Json> points) {
  if (points.size() == 1) return std::move(points.front());
  return {{"points", std::move(points)}};
}

std::string json_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace modicum
