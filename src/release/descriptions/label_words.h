// Words that descriptions of mechanisms share.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace modicum::described {

inline constexpr const char* sensitivity_help = "how far a record moves the answer";

/// ", sensitivity 2" where it is not 1.
inline std::string unless_one(std::string_view name, double value) {
  return value == 1.0 ? "" : fmt::format(", {} {}", name, value);
}

}  // namespace modicum::described
