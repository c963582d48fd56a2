// calibrate: the least noise that meets a privacy target, by kinds of mechanisms.
#pragma once

#include <vector>

#include "interfaces/job.h"

namespace modicum {

std::vector<JobKind> noise_calibrations();

}  // namespace modicum
