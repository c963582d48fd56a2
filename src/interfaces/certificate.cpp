#include "interfaces/certificate.h"

#include <fmt/format.h>

#include <ctime>

#include "modicum/version.h"

namespace modicum {

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
