#include "modicum/numerics/errors.h"

#include <fmt/format.h>

#include <cmath>

namespace modicum {

InvalidParameter::InvalidParameter(std::string_view name, double value, std::string_view rule)
    : Error(fmt::format("{} is {}, but {}", name, value, rule)), name_(name) {}

InvalidParameter::InvalidParameter(std::string_view name, std::string_view value,
                                   std::string_view rule)
    : Error(fmt::format("{} is {}, but {}", name, value, rule)), name_(name) {}

double require_finite(std::string_view name, double value) {
  if (!std::isfinite(value)) throw InvalidParameter(name, value, "must be finite");
  return value;
}

double require_positive(std::string_view name, double value) {
  if (!(value > 0.0 && std::isfinite(value)))
    throw InvalidParameter(name, value, "must be positive and finite");
  return value;
}

double require_non_negative(std::string_view name, double value) {
  if (!(value >= 0.0 && std::isfinite(value)))
    throw InvalidParameter(name, value, "must be non-negative and finite");
  return value;
}

double require_open_unit(std::string_view name, double value) {
  if (!(value > 0.0 && value < 1.0))
    throw InvalidParameter(name, value, "must lie strictly between 0 and 1");
  return value;
}

double require_probability(std::string_view name, double value) {
  if (!(value >= 0.0 && value <= 1.0))
    throw InvalidParameter(name, value, "must lie between 0 and 1");
  return value;
}

double require_count(std::string_view name, double value) {
  if (!(value >= 1.0 && value <= 0x1p53 && value == std::floor(value)))
    throw InvalidParameter(name, value, "must be a whole number from 1 to 2^53");
  return value;
}

}  // namespace modicum
