#include "interfaces/data_commands.h"

#include <fmt/format.h>

#include <cmath>

namespace modicum {

std::optional<double> optional_number(std::string_view option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  return parse_number(option, text);
}

void add_report_options(CLI::App& command, ReleaseOptions& options) {
  options.add_data_to(command);
  options.add_columns_to(command);
  options.add_intercept_to(command);
  command.get_option("--confidential")
      ->description("required: what is printed is not private, for the holder of the data only");
}

void require_confidential(const ReleaseOptions& options, const std::string& because) {
  if (!options.confidential())
    throw UsageError(fmt::format("--confidential is missing, but must be given: {}", because));
}

double value_of(const Diagnostics& diagnostics, const std::string& name) {
  for (const Diagnostic& each : diagnostics)
    if (each.name == name) return each.value;
  throw Error(fmt::format("there is no diagnostic {}", name));
}

Value number_or_null(double value) { return std::isfinite(value) ? Value(value) : Value(nullptr); }

}  // namespace modicum
