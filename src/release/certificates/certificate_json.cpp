#include "release/certificates/certificate_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "modicum/release/adjacency.h"
#include "modicum/release/neighbors.h"
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
  const auto neighbors = adjacency_in_sentence(certificate.adjacency);
  result["adjacency"] = neighbors ? word_of(adjacency_words(), *neighbors) : "declared";
  result["neighbors"] = certificate.adjacency;
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

namespace {

std::string with_spaces(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

std::string in_words(const Value& value) {
  if (value.is_text()) return value.text();
  if (value.is_number()) return fmt::format("{}", value.number());
  if (!value.is_list()) return shown(value);
  constexpr std::size_t most = 12;
  std::vector<std::string> parts;
  for (const Value& each : value.items())
    if (parts.size() < most) parts.push_back(in_words(each));
  return fmt::format("{}{}", fmt::join(parts, ", "),
                     value.size() > most ? fmt::format(", ... ({} in all)", value.size()) : "");
}

// As an enclosure, or as JSON has it.
double upper_end(const Value& value) {
  return value.is_enclosure() ? value.enclosure().upper() : value.at("upper").number();
}

}  // namespace

std::string certificate_words(const Value& tree) {
  const Value* const arithmetic = tree.find("arithmetic");
  const bool mitigated =
      arithmetic != nullptr && arithmetic->text() == to_string(Exactness::mitigated);
  std::string out = fmt::format(
      "({}, {})-differential privacy, {}{}: {}\n", in_words(tree.at("target").at("epsilon")),
      in_words(tree.at("target").at("delta")), tree.at("guarantee").text(),
      sampler_words(mitigated), with_spaces(tree.at("mechanism").text()));
  for (const auto& [key, value] : tree.at("parameters").members())
    out += fmt::format("  {}: {}\n", with_spaces(key), in_words(value));
  out += fmt::format("  delta at most {}\n", upper_end(tree.at("delta")));
  if (arithmetic != nullptr) out += fmt::format("  arithmetic: {}\n", arithmetic->text());
  out += fmt::format("  neighbors: {}\nprovided that\n", neighbors_in_certificate(tree));
  for (const Value& assumption : tree.at("assumptions").items())
    out += fmt::format("  - {}\n", assumption.text());
  out.pop_back();
  return out;
}

std::string certificate_text(const Certificate& certificate) {
  return json_lines(to_json(certificate), 2);
}

}  // namespace modicum
