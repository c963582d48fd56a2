// A uniform point of a disc of random radius, as it is described.
#pragma once

#include "modicum/mechanisms/disc_noise.h"
#include "release/descriptions/mechanisms.h"

namespace modicum::described {

struct Discs {
  static constexpr const char* name = "disc_noise";
  DiscNoise noise = {};
  double sensitivity = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

}  // namespace modicum::described
