// Samples from what a program prints or writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "modicum/auditing/program_runs.h"

namespace modicum {

/// Reads lines of numbers as they arrive in pieces.
class OutputReader {
 public:
  explicit OutputReader(const RunLimits& limits) : limits_(limits) {}
  /// False once the output cannot be what was asked for; failure() says why.
  bool read(std::string_view piece);
  /// After the last piece: a last line without its end, too few samples.
  void finish();
  const std::string& failure() const { return failure_; }
  Samples& samples() { return samples_; }

 private:
  bool take_line(std::string_view line);
  bool fail(std::string why);
  RunLimits limits_;
  Samples samples_;
  std::string rest_, failure_;
  std::vector<double> numbers_;
  std::size_t bytes_ = 0, lines_ = 0, values_ = 0;
};

/// All cells of a text that are numbers, in their order.
std::vector<double> numbers_in_cells(std::string_view text);

}  // namespace modicum
