#include "interfaces/calibrate/calibrate.h"

namespace modicum {

std::vector<JobKind> calibrate_jobs() {
  return joined({{{"calibrate", "least noise that meets a privacy target",
                   "  modicum calibrate gaussian --epsilon 1 --delta 1e-6 --sensitivity 1"}},
                 noise_calibrations(),
                 {projection_calibration()},
                 moment_calibrations(),
                 {objective_calibration(), component_calibration()},
                 lifting_calibrations()});
}

}  // namespace modicum
