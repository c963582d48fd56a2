// compare: what could be used, side by side.
#pragma once

#include <vector>

#include "interfaces/job.h"

namespace modicum {

JobKind noise_comparison();                  // kinds of additive noise for one target
std::vector<JobKind> release_comparisons();  // regression, projection, components of one data set
JobKind component_comparison();              // the last of these

}  // namespace modicum
