// Where random bits come from. Every command uses a SecureSource; a source that can be seeded exists
// in the tests only.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace modicum {

class RandomSource {
 public:
  virtual ~RandomSource() = default;
  /// 64 independent fair bits.
  virtual std::uint64_t next() = 0;
};

/// A ChaCha20 stream whose key comes from the operating system (getrandom) and is replaced with
/// every block, so that what was drawn cannot be found again from what is in memory later. Words
/// are overwritten when used; a forked child throws away what it inherited and takes a new key.
/// One thread at a time. Throws Error if the system has no random bits to give.
class SecureSource final : public RandomSource {
 public:
  SecureSource();
  ~SecureSource() override;
  SecureSource(const SecureSource&) = delete;
  SecureSource& operator=(const SecureSource&) = delete;
  std::uint64_t next() override;

 private:
  void refill();

  static constexpr std::size_t key_words = 4;
  // The key of the next block, then the words of this one.
  std::array<std::uint64_t, key_words + 512> block_{};
  std::size_t used_ = block_.size();
  std::uint64_t process_ = 0;  // the mark of the process that chose the key
  const std::atomic<std::uint64_t>& current_process_;
};

}  // namespace modicum
