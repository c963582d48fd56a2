// "1 column", "3 columns": how many there are, in words of a message.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace modicum {

template <class Number>
std::string counted(const Number& count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == Number(1) ? "" : "s");
}

}  // namespace modicum
