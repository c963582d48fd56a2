#include "release/certificate_json.h"

#include "modicum/version.h"

namespace modicum {
namespace {

using Json = nlohmann::ordered_json;

Json bounds(const Enclosure& value) { return {{"lower", value.lower()}, {"upper", value.upper()}}; }

Json parameters_json(const std::vector<Parameter>& parameters) {
  Json result = Json::object();
  for (const Parameter& parameter : parameters)
    std::visit([&](const auto& value) { result[parameter.name] = value; }, parameter.value);
  return result;
}

}  // namespace

Json to_json(const Certificate& certificate) {
  Json result{
      {"mechanism", certificate.mechanism},
      {"parameters", parameters_json(certificate.parameters)},
      {"target", {{"epsilon", certificate.target.epsilon}, {"delta", certificate.target.delta}}},
      {"forward", bounds(certificate.achieved.forward)},
      {"reverse", bounds(certificate.achieved.reverse)},
      {"delta", bounds(certificate.achieved.delta())}};
  if (certificate.attained) result["attained"] = *certificate.attained;
  result["guarantee"] = to_string(certificate.guarantee);
  if (certificate.arithmetic) result["arithmetic"] = to_string(*certificate.arithmetic);
  result["adjacency"] = certificate.adjacency;
  if (certificate.bad_rows) result["bad_rows"] = to_string(*certificate.bad_rows);
  result["assumptions"] = certificate.assumptions;
  result["theorem"] = certificate.theorem;
  if (!certificate.loss.empty()) result["loss"] = parameters_json(certificate.loss);
  result["version"] = version;
  if (certificate.time) result["time"] = utc_time(*certificate.time);
  if (certificate.output)
    result["output"] = {{"file", certificate.output->file}, {"sha256", certificate.output->sha256}};
  return result;
}

std::string certificate_text(const Certificate& certificate) {
  // Names of columns and files may be any bytes: what is not UTF-8 is replaced.
  return to_json(certificate).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace modicum
