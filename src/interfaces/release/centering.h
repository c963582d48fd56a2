// What second moments are about: private means, public centers, or the origin.
#pragma once

#include <optional>
#include <vector>

#include "modicum/data/fields.h"

namespace modicum {

enum class Centering { by_private_means, by_given_centers, not_at_all };

struct CenteringFields {
  std::optional<Centering> center = {};
  std::vector<double> centers = {};

  /// `usual` says when private means are the default.
  void fields(Fields& fields, const char* what, const char* usual);
  /// What was asked for, else `usual`. Throws UsageError where the fields do not agree, or where it
  /// is anything but the origin and that cannot be: `where` says for what it can.
  Centering chosen(bool can, Centering usual, const char* where) const;
  std::optional<std::vector<double>> given() const {
    return centers.empty() ? std::nullopt : std::optional(centers);
  }
};

}  // namespace modicum
