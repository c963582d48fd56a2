// What can be said about the rows from released numbers alone.
#pragma once

#include <string>
#include <vector>

#include "modicum/release/everyday_release.h"

namespace modicum {

/// From released numbers alone, so that saying it tells nothing more.
std::vector<std::string> warnings_of(const EverydayPlan& plan, const Released& released);
std::vector<std::string> warnings_of(const QuantilePlan& plan, const Released& released);

}  // namespace modicum
