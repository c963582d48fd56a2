// plot: curves and comparisons as SVG pictures, by what they show.
#pragma once

#include <vector>

#include "interfaces/job.h"

namespace modicum {

std::vector<JobKind> curve_plots();       // profile, tradeoff
std::vector<JobKind> noise_plots();       // radial, gain, composition
std::vector<JobKind> leverage_plots();    // leverage
std::vector<JobKind> claim_plots();       // claim
std::vector<JobKind> component_plots();   // components
std::vector<JobKind> projection_plots();  // projections
std::vector<JobKind> release_plots();     // release

}  // namespace modicum
