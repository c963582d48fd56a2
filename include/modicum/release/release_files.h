// Writing a release, so that whatever happens in between, no file is half written and no object is
// without its certificate.
#pragma once

#include <string>
#include <string_view>

#include "modicum/release/released.h"

namespace modicum {

/// 64 hexadecimal digits.
std::string sha256(std::string_view content);

/// Whether the two names lead to one file, which need not exist yet.
bool same_file(const std::string& a, const std::string& b);
/// Throws InvalidParameter, naming `option`, unless a file can be put there: in a folder that can
/// be written, and not in place of something that is no regular file.
void require_place(const char* option, const std::string& path);

/// Where a release goes. Constructed before any data are touched.
class ReleaseFiles {
 public:
  /// `certificate` empty: output + ".certificate.json". Throws InvalidParameter for an ending that
  /// is not known, for one file in both roles, and for folders where nothing can be written.
  /// Output "-": the object is shown, not written, and so is its certificate unless it is named.
  explicit ReleaseFiles(std::string output, std::string certificate = "");

  const std::string& output() const { return output_; }
  const std::string& certificate() const { return certificate_; }
  OutputFormat format() const { return format_; }
  bool shown() const { return output_ == "-"; }

 private:
  std::string output_, certificate_;
  OutputFormat format_ = OutputFormat::json;
};

/// Completes the certificate with the time and the hash of the object, removes an older object,
/// writes the certificate, then the object: what is spent is on record before it can be seen.
/// Throws Error, also for numbers that are not finite.
void write_release(Released& released, const ReleaseFiles& files,
                   std::chrono::system_clock::time_point time);
/// The same for an object that is no table of numbers, given by its bytes.
void write_release(Certificate& certificate, std::string_view object, const ReleaseFiles& files,
                   std::chrono::system_clock::time_point time);

/// A release that was shown earlier, to files: `certificate` is its tree. Throws InvalidParameter,
/// Error.
struct NumberTable;
void write_again(const NumberTable& numbers, Value certificate, const ReleaseFiles& files);

}  // namespace modicum
