#include "interfaces/command_line/standard_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

// Whether all of it arrived.
bool write_to(int descriptor, std::string_view content) noexcept {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

[[noreturn]] void refuse_standard_output(int error) {
  throw Error(fmt::format("standard output cannot be written: {}", std::strerror(error)));
}

}  // namespace

void write_standard_output(std::string_view content) {
  if (!write_to(STDOUT_FILENO, content)) refuse_standard_output(errno);
}

void require_standard_output() {
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) refuse_standard_output(EBADF);
}

void write_standard_error(std::string_view content) noexcept { write_to(STDERR_FILENO, content); }

}  // namespace modicum
