#include "modicum/release/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "release/certificates/certificate_json.h"

namespace modicum {
namespace {

// What the proof is about, for people.
const char* scope_of(Guarantee guarantee) {
  switch (guarantee) {
    case Guarantee::proved:
      break;
    case Guarantee::relative:
      return " relative to a declared set of data sets";
    case Guarantee::asymptotic:
      return " in a limit only";
    case Guarantee::per_instance:
      return " for one data set and its neighbors only";
  }
  return "";
}

}  // namespace

const char* to_string(Guarantee guarantee) {
  switch (guarantee) {
    case Guarantee::proved:
      return "proved";
    case Guarantee::relative:
      return "relative";
    case Guarantee::asymptotic:
      return "asymptotic";
    case Guarantee::per_instance:
      return "per-instance";
  }
  return "";
}

const char* to_string(Exactness arithmetic) {
  return arithmetic == Exactness::exact ? "exact" : "mitigated";
}

const char* to_string(BadRows rule) { return rule == BadRows::dropped ? "dropped" : "refused"; }

void Certificate::set(const std::string& name, ParameterValue value) {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const Parameter& each) { return each.name == name; });
  if (found != parameters.end()) found->value = std::move(value);
  else parameters.push_back({name, std::move(value)});
}

const ParameterValue* Certificate::find(const std::string& name) const {
  for (const Parameter& each : parameters)
    if (each.name == name) return &each.value;
  return nullptr;
}

std::string proof_with_assumptions(const Certificate& certificate) {
  const bool mitigated = certificate.arithmetic == Exactness::mitigated;
  std::string out = fmt::format(
      "Proved{}{}{}, provided that\n", sampler_words(mitigated), scope_of(certificate.guarantee),
      mitigated ? " (double arithmetic comes close to it: mitigated)" : "");
  for (const std::string& assumption : certificate.assumptions)
    out += fmt::format("  - {}\n", assumption);
  return out;
}

std::string utc_time(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace modicum
