// Blocks of rows that the first of several passes keeps for the next ones, where they fit.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "data/ordered_work.h"

namespace modicum::data {

template <class Block>
class KeptBlocks {
 public:
  explicit KeptBlocks(double most_bytes) : most_bytes_(most_bytes) {}

  bool are_there() const { return state_ == State::complete; }
  bool are_wanted() const { return state_ == State::unread; }

  /// Before the first pass, also where one has failed.
  void begin() {
    blocks_.clear();
    bytes_ = 0.0;
  }
  /// In the order of the rows, one at a time.
  void add(std::shared_ptr<const Block> block, double bytes) {
    if (state_ == State::too_large) return;
    bytes_ += bytes;
    if (bytes_ <= most_bytes_) return blocks_.push_back(std::move(block));
    state_ = State::too_large;
    blocks_.clear();
    blocks_.shrink_to_fit();
  }
  /// After all rows.
  void end() {
    if (state_ == State::unread) state_ = State::complete;
  }

  /// `handle` turns a block into what is to be done in order. It runs on any thread.
  template <class Handle>
  void pass(unsigned threads, const Handle& handle) const {
    std::size_t place = 0;
    run_in_order(threads, [&]() -> Task {
      if (place == blocks_.size()) return {};
      return [&handle, block = blocks_[place++]]() -> Finish { return handle(*block); };
    });
  }

 private:
  enum class State { unread, complete, too_large };
  std::vector<std::shared_ptr<const Block>> blocks_;
  double bytes_ = 0.0, most_bytes_;
  State state_ = State::unread;
};

}  // namespace modicum::data
