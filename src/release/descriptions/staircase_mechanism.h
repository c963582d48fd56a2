// The staircase on the integers, as it is described.
#pragma once

#include "modicum/mechanisms/discrete_staircase.h"
#include "release/descriptions/mechanisms.h"

namespace modicum::described {

struct DiscreteStaircase {
  static constexpr const char* name = "discrete_staircase";
  Staircase staircase = {};
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

}  // namespace modicum::described
