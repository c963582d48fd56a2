#include "modicum/release/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace modicum {
namespace {

// How the guarantee is introduced to people.
const char* sentence_of(Guarantee guarantee) {
  switch (guarantee) {
    case Guarantee::proved:
      return "Proved, provided that";
    case Guarantee::relative:
      return "Proved relative to a declared set of data sets, provided that";
    case Guarantee::asymptotic:
      return "Proved in a limit only, provided that";
    case Guarantee::per_instance:
      return "Proved for one data set and its neighbors only, provided that";
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
  std::string out = fmt::format("{}\n", sentence_of(certificate.guarantee));
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
