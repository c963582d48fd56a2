// Commands of this chapter.
#pragma once

#include "interfaces/job.h"
#include "modicum/mechanisms/optimal_noise.h"

namespace modicum {

JobKind noise_optimum();         // optimize noise
JobKind spherical_oracle_job();  // oracle

/// squared, absolute, or interval=0.95. Throws InvalidParameter.
NoiseError read_noise_error(const std::string& text);
/// "mean squared error".
const char* measure_in_words(const NoiseError& measure);
inline constexpr const char* noise_error_help =
    "squared (the default), absolute, or interval=0.95: half the width of an interval of\nthat "
    "level";

/// A description of noise in units of its grid.
Value description_of_noise(const OptimalNoise& noise, double count);
/// "on 23 integers".
std::string noise_in_words(const OptimalNoise& noise);

}  // namespace modicum
