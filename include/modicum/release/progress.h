// How far a long piece of work has come, for whoever wants to know.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace modicum {

/// Tells nobody. An interface that shows progress overrides both.
class Progress {
 public:
  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  virtual ~Progress() = default;
  /// What is being done from now on: "calibrating".
  virtual void begin(std::string_view what);
  /// May be called from any thread, by one at a time.
  virtual void report(std::uint64_t done, std::uint64_t total);
};

}  // namespace modicum
