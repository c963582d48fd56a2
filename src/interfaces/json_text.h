// Strict JSON: what a description may be made of.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace modicum {

inline constexpr std::size_t deepest_nesting = 64;

/// Parses a whole text. Throws InvalidDescription for what is not JSON, for repeated keys, numbers
/// that double precision cannot hold, and nesting beyond `deepest_nesting`.
nlohmann::json parse_strict_json(std::string_view text);

/// Throws InvalidDescription: "path is value, but rule".
[[noreturn]] void refuse(std::string_view path, std::string_view value, std::string_view rule);

}  // namespace modicum
