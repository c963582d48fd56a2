#include "modicum/auditing/run_pool.h"

#include <algorithm>

namespace modicum {
namespace {

// Numbers in all samples of one input: 1 GiB of memory.
constexpr std::size_t most_values_in_memory = std::size_t{1} << 27;

}  // namespace

bool RunPool::needs_more() const {
  const double each =
      finished_ > 0
          ? std::max(1.0, static_cast<double>(collected_) / static_cast<double>(finished_))
          : 1.0;
  return static_cast<double>(collected_) + each * static_cast<double>(under_way_) <
         static_cast<double>(wanted_);
}

std::size_t RunPool::start() {
  while (next_ < started_.size() && started_[next_]) ++next_;
  if (next_ == started_.size()) {
    started_.push_back(false);
    runs_.emplace_back();
  }
  started_[next_] = true;
  ++under_way_;
  return next_;
}

void RunPool::finish(std::size_t number, Samples samples, const std::string& failure) {
  if (number >= runs_.size()) {
    runs_.resize(number + 1);
    started_.resize(number + 1, false);
  }
  if (runs_[number]) throw Error("a run has finished twice");
  if (started_[number]) --under_way_;
  started_[number] = true;
  ++finished_;
  if (!failure.empty()) {
    samples = {};
    samples.add_failure();
  }
  collected_ += samples.size();
  for (std::size_t i = 0; i < samples.size(); ++i) values_ += samples.at(i).size();
  if (values_ > most_values_in_memory)
    throw Error("the samples do not fit in memory: use fewer trials");
  if (!failure.empty()) ++failures_[failure];
  runs_[number] = std::move(samples);
  for (; settled_ < runs_.size() && runs_[settled_]; ++settled_)
    in_order_ += runs_[settled_]->size();
}

std::size_t RunPool::failed() const {
  std::size_t count = 0;
  for (const auto& [way, times] : failures_) count += times;
  return count;
}

Samples RunPool::samples() const {
  Samples result;
  for (std::size_t run = 0; run < settled_; ++run)
    for (std::size_t i = 0; i < runs_[run]->size() && result.size() < wanted_; ++i) {
      if (runs_[run]->failed(i)) result.add_failure();
      else result.add(runs_[run]->at(i));
    }
  return result;
}

}  // namespace modicum
