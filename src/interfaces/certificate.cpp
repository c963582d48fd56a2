#include "interfaces/certificate.h"

#include <fmt/format.h>

#include <ctime>
#include <utility>

#include "modicum/version.h"

namespace modicum {
namespace {

std::vector<std::string> assumptions(const AddedNoise& noise) {
  std::vector<std::string> result{
      fmt::format("the answers on neighbouring data sets differ by at most {} in {}",
                  noise.sensitivity, noise.distance),
      "the noise has exactly the continuous law named, independent of the data; how it is sampled "
      "and rounded is not covered"};
  if (noise.count > 1.0)
    result.push_back(
        fmt::format("{} answers, each with fresh noise of this size; later questions "
                    "may depend on earlier answers",
                    noise.count));
  return result;
}

}  // namespace

Certificate noise_certificate(const AddedNoise& noise, const PrivacyTarget& target,
                              const ProfilePoint& achieved) {
  Json parameters = noise.parameters;
  parameters["sensitivity"] = noise.sensitivity;
  parameters["count"] = noise.count;
  return {noise.mechanism,
          std::move(parameters),
          target,
          achieved,
          fmt::format("two data sets whose answers differ by at most {} in {}", noise.sensitivity,
                      noise.distance),
          assumptions(noise),
          noise.theorem,
          std::chrono::system_clock::now()};
}

std::string proof_with_assumptions(const Certificate& certificate) {
  std::string out = "Proved, provided that\n";
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

Json to_json(const Certificate& certificate) {
  return {
      {"mechanism", certificate.mechanism},
      {"parameters", certificate.parameters},
      {"target", {{"epsilon", certificate.target.epsilon}, {"delta", certificate.target.delta}}},
      {"forward", to_json(certificate.achieved.forward)},
      {"reverse", to_json(certificate.achieved.reverse)},
      {"delta", to_json(certificate.achieved.delta())},
      {"guarantee", "proved"},
      {"adjacency", certificate.adjacency},
      {"assumptions", certificate.assumptions},
      {"theorem", certificate.theorem},
      {"version", version},
      {"time", utc_time(certificate.time)}};
}

}  // namespace modicum
