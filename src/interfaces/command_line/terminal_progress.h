// Progress on a terminal.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "modicum/release/progress.h"

namespace modicum {

/// One line on standard error, from the second second on, only where that is a terminal.
class TerminalProgress : public Progress {
 public:
  TerminalProgress();
  ~TerminalProgress() override;
  void begin(std::string_view what) override;
  void report(std::uint64_t done, std::uint64_t total) override;

 private:
  void show();
  std::string what_ = "working", state_;
  std::mutex mutex_;
  std::condition_variable finished_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace modicum
