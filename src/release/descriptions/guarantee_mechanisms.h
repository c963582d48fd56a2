// Guarantees that are known without the mechanism, as they are described.
#pragma once

#include "modicum/mechanisms/tabulated.h"
#include "modicum/mechanisms/zero_concentrated.h"
#include "release/descriptions/mechanisms.h"

namespace modicum::described {

// What has `moments` in place of a loss is added up by whoever reads the description, before it
// becomes one.

struct ZeroConcentrated {
  static constexpr const char* name = "zcdp";
  double rho = 0.0, xi = 0.0;
  void fields(Fields& fields);
  RenyiBounds moments(const Setting&) const;
  std::string label() const;
};

struct Renyi {
  static constexpr const char* name = "renyi";
  std::vector<double> orders = {}, divergences = {};
  void fields(Fields& fields);
  RenyiBounds moments(const Setting&) const;
  std::string label() const;
};

/// One direction: the losses (lowest + i) * interval.
struct LossMasses {
  double lowest = 0.0, interval = 0.0, infinite = 0.0;
  std::vector<double> probabilities = {};
  void fields(Fields& fields);
  LossTable table() const;
};

/// Rounded to the safe side by the tool that made it; without `add` both directions are the same.
struct LossDistribution {
  static constexpr const char* name = "loss_distribution";
  LossMasses remove = {};
  std::optional<LossMasses> add = {};
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

}  // namespace modicum::described
