// Arguments that must be refused, by name.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

#include "modicum/numerics/errors.h"

namespace modicum::testing {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<double, 3> not_finite{not_a_number, infinity, -infinity};

/// Whether the call throws InvalidParameter with this name at the start of its message.
template <class Call>
::testing::AssertionResult refuses(const std::string& name, Call call) {
  try {
    static_cast<void>(call());
  } catch (const InvalidParameter& error) {
    if (std::string(error.what()).starts_with(name + " is ")) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "blames another parameter: " << error.what();
  } catch (const std::exception& error) {
    return ::testing::AssertionFailure() << "throws something else: " << error.what();
  }
  return ::testing::AssertionFailure() << "is accepted; " << name << " should be refused";
}

}  // namespace modicum::testing
