#include "data/csv/byte_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "modicum/data/unreadable_file.h"

namespace modicum::data {
namespace {

constexpr std::size_t input_bytes = std::size_t{1} << 18;
constexpr std::size_t first_bytes = 4096;  // tell what the file is

UnreadableFile system_failure(const std::string& path, const char* what) {
  return UnreadableFile(
      fmt::format("{}: {} ({})", path, what, std::generic_category().message(errno)));
}

// Calls until all that was asked for is there, or nothing more comes.
template <class Call>
std::size_t read_fully(const std::string& path, std::size_t wanted, const Call& call) {
  std::size_t done = 0;
  while (done < wanted) {
    const ssize_t got = call(done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_failure(path, "cannot be read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace

OpenFile::OpenFile(const std::string& path) : path_(path) {
  if (path.find('\0') != std::string::npos) throw UnreadableFile("a file name contains a NUL byte");
  // Without O_NONBLOCK, opening a pipe without a writer would wait forever.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) throw system_failure(path, "cannot be opened");
  struct stat status {};
  const bool known = ::fstat(descriptor_, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    const UnreadableFile failure =
        !known ? system_failure(path, "cannot be examined")
               : UnreadableFile(fmt::format("{}: is {}, not a file", path,
                                            S_ISDIR(status.st_mode) ? "a directory" : "a device"));
    ::close(descriptor_);
    throw failure;
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
  ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
}

OpenFile::~OpenFile() { ::close(descriptor_); }

std::size_t OpenFile::read(char* into, std::size_t wanted) {
  return read_fully(path_, wanted, [&](std::size_t done) {
    return ::read(descriptor_, into + done, wanted - done);
  });
}

std::size_t OpenFile::read_at(std::uint64_t offset, char* into, std::size_t wanted) const {
  return read_fully(path_, wanted, [&](std::size_t done) {
    return ::pread(descriptor_, into + done, wanted - done, static_cast<off_t>(offset + done));
  });
}

struct ByteStream::Inflater {
  z_stream state{};
  bool in_member = true;  // between the header and the checksum of a gzip member
  Inflater() {
    constexpr int gzip_only = 15 + 16;
    if (::inflateInit2(&state, gzip_only) != Z_OK) throw Error("zlib could not be started");
  }
  ~Inflater() { ::inflateEnd(&state); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

ByteStream::ByteStream(const std::string& path, Compression compression) : file_(path) {
  refill(first_bytes);
  const bool gzip =
      compression == Compression::by_name ? path.ends_with(".gz") : input_.starts_with("\x1f\x8b");
  if (gzip) inflater_ = std::make_unique<Inflater>();
}

ByteStream::~ByteStream() = default;

void ByteStream::refill(std::size_t wanted) {
  input_.resize(wanted);
  input_.resize(file_.read(input_.data(), input_.size()));
  file_position_ += input_.size();
  used_ = 0;
}

std::size_t ByteStream::read(char* into, std::size_t wanted) {
  std::size_t done = 0;
  if (compressed()) {
    while (done < wanted) {
      const std::size_t got = inflate_some(into + done, wanted - done);
      if (got == 0) break;
      done += got;
    }
    return done;
  }
  done = std::min(wanted, input_.size() - used_);  // what the constructor read ahead
  std::memcpy(into, input_.data() + used_, done);
  used_ += done;
  const std::size_t direct = done < wanted ? file_.read(into + done, wanted - done) : 0;
  file_position_ += direct;
  return done + direct;
}

// A gzip file may consist of several members; zeros after the last one are padding.
bool ByteStream::next_member() {
  const auto available = [this] {
    if (used_ == input_.size()) refill(input_bytes);
    return !input_.empty();
  };
  if (!available()) return false;
  if (input_[used_] == '\x1f') {
    ::inflateReset(&inflater_->state);
    return inflater_->in_member = true;
  }
  while (available() && input_[used_] == '\0') ++used_;
  if (available()) throw UnreadableFile(fmt::format("{}: data after the end of gzip", path()));
  return false;
}

std::size_t ByteStream::inflate_some(char* into, std::size_t wanted) {
  z_stream& state = inflater_->state;
  while (inflater_->in_member || next_member()) {
    if (used_ == input_.size()) refill(input_bytes);
    if (input_.empty())
      throw UnreadableFile(fmt::format("{}: the gzip data end too early: truncated?", path()));
    const auto room = static_cast<uInt>(std::min(wanted, input_bytes));
    state.next_in = reinterpret_cast<Bytef*>(input_.data() + used_);
    state.avail_in = static_cast<uInt>(input_.size() - used_);
    state.next_out = reinterpret_cast<Bytef*>(into);
    state.avail_out = room;
    const int status = ::inflate(&state, Z_NO_FLUSH);
    used_ = input_.size() - state.avail_in;
    if (status == Z_STREAM_END) inflater_->in_member = false;
    else if (status != Z_OK && status != Z_BUF_ERROR)
      throw UnreadableFile(fmt::format("{}: damaged gzip data", path()));
    if (state.avail_out < room) return room - state.avail_out;
  }
  return 0;
}

std::uint64_t line_at(const std::string& path, std::uint64_t offset, Compression compression) {
  ByteStream stream(path, compression);
  std::string buffer(input_bytes, '\0');
  std::uint64_t line = 1;
  while (offset > 0) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(offset, buffer.size()));
    const std::size_t got = stream.read(buffer.data(), wanted);
    line += static_cast<std::uint64_t>(
        std::count(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(got), '\n'));
    if (got < wanted) break;
    offset -= got;
  }
  return line;
}

}  // namespace modicum::data
