// Plots of noise beside what is possible at all.
#pragma once

#include "interfaces/job.h"

namespace modicum {

std::vector<JobKind> optimum_plots();  // optimality, optimum

}  // namespace modicum
