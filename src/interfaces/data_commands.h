// Commands about tables of rows with a bounded norm, each under the command of its kind.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "interfaces/json_output.h"
#include "interfaces/release_options.h"

namespace modicum {

/// Nothing for an option that was not given. Throws InvalidParameter that names the option.
std::optional<double> optional_number(std::string_view option, const std::string& text);

/// The options of `release` for a command that reads a table and only reports: all but those of
/// places to write to.
void add_report_options(CLI::App& command, ReleaseOptions& options);

/// Throws UsageError unless --confidential was given; `because` says what is private.
void require_confidential(const ReleaseOptions& options, const std::string& because);

inline constexpr const char* confidential_heading =
    "Confidential: these numbers are not private, and for the holder of the data only.\n";

/// The one of this name, which must be there.
double value_of(const Diagnostics& diagnostics, const std::string& name);

/// JSON has neither infinity nor NaN.
Value number_or_null(double value);

void add_matrix_calibrations(CLI::App& calibrate, CommandResult& output);
void add_objective_calibration(CLI::App& calibrate, CommandResult& output);
void add_component_calibration(CLI::App& calibrate, CommandResult& output);
void add_component_audit(CLI::App& audit, CommandResult& output);
void add_inherent_command(CLI::App& audit, CommandResult& output);
void add_mechanism_command(CLI::App& audit, CommandResult& output);
void add_program_command(CLI::App& audit, CommandResult& output);
void add_release_comparisons(CLI::App& compare, CommandResult& output);
void add_component_comparison(CLI::App& compare, CommandResult& output);
void add_spectrum_report(CLI::App& report, CommandResult& output);

}  // namespace modicum
