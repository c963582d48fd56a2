// The trials of a guessing game, in the form in which distinguishers read them.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "modicum/auditing/black_box.h"

namespace modicum {

/// A value that is seen again and again, such as a whole number or a failure.
inline constexpr std::int32_t seen_once = -1;

struct Trials {
  std::size_t dimension = 0;
  std::vector<char> bit;
  /// One column a trial; zero where an output is not `regular`.
  Eigen::MatrixXd outputs;
  /// An output of the common dimension, all of it finite.
  std::vector<char> regular;
  /// Equal for equal outputs; `seen_once` for a regular output that is unlike all others.
  std::vector<std::int32_t> repeat;
  std::int32_t repeats = 0;  ///< how many values `repeat` has

  std::size_t size() const { return bit.size(); }
};

/// Trial i takes the next unused sample of the side that bit i says. Ends before the first trial
/// whose pool is empty.
Trials play(const Samples& with, const Samples& without, const std::vector<bool>& secret_bits);

}  // namespace modicum
