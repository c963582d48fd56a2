// calibrate: the least noise that meets a privacy target, by kinds of mechanisms.
#pragma once

#include <vector>

#include "interfaces/job.h"

namespace modicum {

std::vector<JobKind> noise_calibrations();    // gaussian, laplace, l2, ..
JobKind projection_calibration();             // projection
std::vector<JobKind> moment_calibrations();   // least-squares, covariance
JobKind objective_calibration();              // objective
JobKind component_calibration();              // components
std::vector<JobKind> lifting_calibrations();  // lift, logistic, gaussian-process

}  // namespace modicum
