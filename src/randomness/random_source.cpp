#include "modicum/randomness/random_source.h"

#include <sys/random.h>
#include <unistd.h>

#include <cerrno>

#include "modicum/numerics/errors.h"

namespace modicum {

SecureSource::~SecureSource() {
  for (volatile std::uint64_t& word : buffer_) word = 0;
}

void SecureSource::refill() {
  auto* place = reinterpret_cast<unsigned char*>(buffer_.data());
  std::size_t missing = sizeof buffer_;
  while (missing > 0) {
    const ssize_t got = getrandom(place, missing, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Error("the operating system gives no random bits");
    place += got;
    missing -= static_cast<std::size_t>(got);
  }
  used_ = 0;
  process_ = getpid();
}

std::uint64_t SecureSource::next() {
  if (used_ == buffer_.size() || process_ != getpid()) refill();
  const std::uint64_t word = buffer_[used_];
  static_cast<volatile std::uint64_t&>(buffer_[used_]) = 0;
  ++used_;
  return word;
}

}  // namespace modicum
