#include "release/certificate_json.h"

#include "modicum/version.h"

namespace modicum {
namespace {

Value parameters_json(const std::vector<Parameter>& parameters) {
  Value result = Value::record();
  for (const Parameter& parameter : parameters)
    std::visit([&](const auto& value) { result[parameter.name] = value; }, parameter.value);
  return result;
}

}  // namespace

Value to_json(const Certificate& certificate) {
  Value result{
      {"mechanism", certificate.mechanism},
      {"parameters", parameters_json(certificate.parameters)},
      {"target", {{"epsilon", certificate.target.epsilon}, {"delta", certificate.target.delta}}},
      {"forward", certificate.achieved.forward},
      {"reverse", certificate.achieved.reverse},
      {"delta", certificate.achieved.delta()}};
  if (certificate.attained) result["attained"] = *certificate.attained;
  result["guarantee"] = to_string(certificate.guarantee);
  if (certificate.arithmetic) result["arithmetic"] = to_string(*certificate.arithmetic);
  result["adjacency"] = certificate.adjacency;
  if (certificate.bad_rows) result["bad_rows"] = to_string(*certificate.bad_rows);
  result["assumptions"] = certificate.assumptions;
  result["theorem"] = certificate.theorem;
  if (!certificate.loss.is_null()) result["loss"] = certificate.loss;
  result["version"] = version;
  if (certificate.time) result["time"] = utc_time(*certificate.time);
  if (certificate.output)
    result["output"] = {{"file", certificate.output->file}, {"sha256", certificate.output->sha256}};
  return result;
}

std::string certificate_text(const Certificate& certificate) {
  // Names of columns and files may be any bytes: what is not UTF-8 is replaced.
  return json_lines(to_json(certificate), 2);
}

}  // namespace modicum
