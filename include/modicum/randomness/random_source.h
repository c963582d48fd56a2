// Where random bits come from. Everything that releases takes a SecureSource; a source that can be
// seeded exists in the tests only.
#pragma once

#include <array>
#include <cstdint>

namespace modicum {

class RandomSource {
 public:
  virtual ~RandomSource() = default;
  /// 64 independent fair bits.
  virtual std::uint64_t next() = 0;
};

/// The operating system's generator (getrandom), a few kilobytes at a time. Bits that were read
/// ahead are thrown away in a forked child, and overwritten when used. Throws Error if the system
/// has none to give.
class SecureSource final : public RandomSource {
 public:
  SecureSource() = default;
  ~SecureSource() override;
  SecureSource(const SecureSource&) = delete;
  SecureSource& operator=(const SecureSource&) = delete;
  std::uint64_t next() override;

 private:
  void refill();
  std::array<std::uint64_t, 512> buffer_{};
  std::size_t used_ = buffer_.size();
  int process_ = 0;
};

}  // namespace modicum
