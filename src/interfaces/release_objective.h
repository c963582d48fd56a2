// release logistic and release regression, by objective perturbation.
#pragma once

#include "interfaces/release_options.h"

namespace modicum {

/// --target. Throws UsageError where it is missing.
const std::string& required_target(const ReleaseOptions& options);

CommandResult release_objective_of_label(const ReleaseOptions& options);
CommandResult release_objective_of_number(const ReleaseOptions& options);
void add_objective_options_for_numbers(CLI::App& command, ReleaseOptions& options);

}  // namespace modicum
