// The bytes of a file from its beginning to its end, inflated if they are gzip.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace modicum::data {

/// How to tell whether a file is gzip: by its first bytes, or, where these belong to a row and so
/// may say anything, by its name, which then ends with .gz.
enum class Compression { by_content, by_name };

/// A file that is open for reading. Refuses what is not a regular file.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  /// As many bytes as asked for, less only where the file ends.
  std::size_t read(char* into, std::size_t wanted);
  std::size_t read_at(std::uint64_t offset, char* into, std::size_t wanted) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

class ByteStream {
 public:
  explicit ByteStream(const std::string& path, Compression compression = Compression::by_content);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// As many bytes as asked for, less only at the end. A gzip file that is cut off or damaged
  /// throws UnreadableFile: never a silently shorter file.
  std::size_t read(char* into, std::size_t wanted);
  bool compressed() const { return inflater_ != nullptr; }
  /// Bytes of the file itself that were read so far, and altogether.
  std::uint64_t file_position() const { return file_position_; }
  std::uint64_t file_size() const { return file_.size(); }
  const std::string& path() const { return file_.path(); }

 private:
  struct Inflater;
  void refill(std::size_t wanted);
  std::size_t inflate_some(char* into, std::size_t wanted);
  bool next_member();

  OpenFile file_;
  std::string input_;  // bytes of the file that were read, from used_ on not yet handed out
  std::size_t used_ = 0;
  std::uint64_t file_position_ = 0;
  std::unique_ptr<Inflater> inflater_;
};

/// The line, counted from 1, in which the byte at this offset of the (inflated) file lies.
std::uint64_t line_at(const std::string& path, std::uint64_t offset,
                      Compression compression = Compression::by_content);

}  // namespace modicum::data
