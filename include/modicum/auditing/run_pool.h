// The runs of a program on one input, in the order of their numbers.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "modicum/auditing/black_box.h"

namespace modicum {

/// Samples are taken in the order in which runs were started, not in which they finished: a quick
/// run must not be more likely to count.
class RunPool {
 public:
  explicit RunPool(std::size_t wanted) : wanted_(wanted) {}

  /// Whether the runs that were started are likely to give fewer samples than wanted.
  bool needs_more() const;
  /// The number of the next run, which counts as started.
  std::size_t start();
  /// Runs that were not started here may finish too (from a journal), each once. One that failed is
  /// one sample, whatever it printed before: the line and the failure come from one draw, and would
  /// count twice.
  void finish(std::size_t number, Samples samples, const std::string& failure);
  /// Whether the runs before the first that is not finished give all samples that are wanted.
  bool complete() const { return in_order_ >= wanted_; }

  std::size_t wanted() const { return wanted_; }
  std::size_t finished() const { return finished_; }
  /// Samples of finished runs.
  std::size_t collected() const { return collected_; }
  /// How often runs failed, by the way in which they did.
  const std::map<std::string, std::size_t>& failures() const { return failures_; }
  std::size_t failed() const;
  /// As many as wanted.
  Samples samples() const;

 private:
  std::size_t wanted_;
  std::vector<std::optional<Samples>> runs_;
  std::vector<bool> started_;
  std::size_t next_ = 0;     // all before it were started
  std::size_t settled_ = 0;  // all before it are finished
  std::size_t under_way_ = 0, finished_ = 0, collected_ = 0, in_order_ = 0, values_ = 0;
  std::map<std::string, std::size_t> failures_;
};

}  // namespace modicum
