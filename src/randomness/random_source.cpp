#include "modicum/randomness/random_source.h"

#include <sodium.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "modicum/numerics/errors.h"
#include "randomness/process_mark.h"

namespace modicum {
namespace {

using Key = std::array<unsigned char, crypto_stream_chacha20_KEYBYTES>;

void draw_from_system(Key& key) {
  std::size_t have = 0;
  while (have < key.size()) {
    const ssize_t got = getrandom(key.data() + have, key.size() - have, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Error("the operating system gives no random bits");
    have += static_cast<std::size_t>(got);
  }
}

}  // namespace

SecureSource::SecureSource() : current_process_(process_mark_place()) {
  if (sodium_init() < 0) throw Error("the cryptographic library does not start");
}

SecureSource::~SecureSource() { sodium_memzero(block_.data(), sizeof block_); }

void SecureSource::refill() {
  static_assert(sizeof(Key) == key_words * sizeof(std::uint64_t));
  used_ = block_.size();  // nothing is given out if the next lines throw
  Key key;
  if (const std::uint64_t process = process_mark(); process != process_) {
    draw_from_system(key);
    process_ = process;
  } else {
    std::memcpy(key.data(), block_.data(), sizeof key);
  }
  // A key makes one block only, so the nonce may be the same always.
  constexpr std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> nonce{};
  crypto_stream_chacha20(reinterpret_cast<unsigned char*>(block_.data()), sizeof block_,
                         nonce.data(), key.data());
  sodium_memzero(key.data(), sizeof key);
  used_ = key_words;
}

std::uint64_t SecureSource::next() {
  if (used_ == block_.size() || current_process_.load(std::memory_order_relaxed) != process_)
    refill();
  const std::uint64_t word = block_[used_];
  static_cast<volatile std::uint64_t&>(block_[used_]) = 0;
  ++used_;
  return word;
}

}  // namespace modicum
