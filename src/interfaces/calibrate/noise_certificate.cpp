#include "interfaces/calibrate/noise_certificate.h"

#include <fmt/format.h>

#include <chrono>

namespace modicum {
namespace {

std::vector<std::string> assumptions(const AddedNoise& noise) {
  std::vector<std::string> result{
      fmt::format("the answers on neighboring data sets differ by at most {} in {}",
                  noise.sensitivity, noise.distance),
      "the noise has exactly the continuous distribution named, independent of the data; how it is "
      "sampled "
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
  Certificate certificate(noise.mechanism, target, achieved);
  certificate.parameters = noise.parameters;
  certificate.set("sensitivity", noise.sensitivity);
  certificate.set("count", noise.count);
  certificate.adjacency = fmt::format("two data sets whose answers differ by at most {} in {}",
                                      noise.sensitivity, noise.distance);
  certificate.assumptions = assumptions(noise);
  certificate.theorem = noise.theorem;
  certificate.loss = noise.loss;
  certificate.time = std::chrono::system_clock::now();
  return certificate;
}

}  // namespace modicum
