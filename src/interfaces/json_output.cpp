#include "interfaces/json_output.h"

#include <cmath>
#include <utility>

namespace modicum {

Value profile_json(const ProfilePoint& point) {
  return {{"epsilon", point.epsilon},
          {"delta", to_json(point.delta())},
          {"forward", to_json(point.forward)},
          {"reverse", to_json(point.reverse)},
          {"proof", to_string(point.proof)}};
}

Value epsilon_json(double delta, const Answer& epsilon) {
  return {
      {"delta", delta}, {"epsilon", to_json(epsilon.value)}, {"proof", to_string(epsilon.proof)}};
}

Value tradeoff_json(double type1, const Answer& type2) {
  return {{"type1", type1}, {"type2", to_json(type2.value)}, {"proof", to_string(type2.proof)}};
}

Value renyi_json(double order, const Answer& divergence) {
  Value result;
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

Value audit_json(const PrivacyTarget& claim, const AuditResult& result) {
  return {{"verdict", to_string(result.verdict)},
          {"claim", {{"epsilon", claim.epsilon}, {"delta", claim.delta}}},
          {"delta", to_json(result.truth.delta())},
          {"forward", to_json(result.truth.forward)},
          {"reverse", to_json(result.truth.reverse)},
          {"proof", to_string(result.truth.proof)}};
}

Value one_or_several(std::vector<Value> points) {
  if (points.size() == 1) return std::move(points.front());
  return {{"points", points}};
}

}  // namespace modicum
