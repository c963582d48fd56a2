// Writing a release, so that whatever happens in between, no file is half written, no object is
// without its certificate, and none replaces an earlier one unasked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "modicum/release/released.h"
#include "modicum/release/write_file.h"

namespace modicum {

/// 64 hexadecimal digits.
std::string sha256(std::string_view content);

/// Whether the two names lead to one file, which need not exist yet.
bool same_file(const std::string& a, const std::string& b);
/// For what is no release: throws Error unless a file can be put there, and InvalidParameter,
/// naming `option`, where one of a release is.
void require_place(const char* option, const std::string& path);

/// Where a release goes. Constructed before any data are touched.
class ReleaseFiles {
 public:
  /// `certificate` empty: output + ".certificate.json". Throws InvalidParameter for an ending that
  /// is not known, for one file in two roles, and for files that are there already unless `old`
  /// allows it (the old certificate is then kept, see OldFiles::first_kept); Error for places where
  /// nothing can be written.
  /// Output "-": the object is shown, not written, and so is its certificate unless it is named.
  explicit ReleaseFiles(std::string output, std::string certificate = "",
                        OldFiles old = OldFiles::refused);
  /// One file more, a page that tells the same. Throws as above.
  void add_page(std::string path);

  const std::string& output() const { return output_; }
  const std::string& certificate() const { return certificate_; }
  const std::string& page() const { return page_; }
  OutputFormat format() const { return format_; }
  OldFiles old() const { return old_; }
  bool shown() const { return output_ == "-"; }

 private:
  void require_new(const char* option, const std::string& path) const;
  std::string output_, certificate_, page_;
  OutputFormat format_ = OutputFormat::json;
  OldFiles old_;
};

/// Completes the certificate with the time and the hash of the object; the bytes of the object,
/// which may be none where it is shown. The hash of numbers that are shown is that of a .json file.
/// Throws Error for numbers that are not finite.
std::string complete(Released& released, const ReleaseFiles& files,
                     std::chrono::system_clock::time_point time);
/// The same for an object that is no table of numbers.
void complete(Certificate& certificate, std::string_view object, const ReleaseFiles& files,
              std::chrono::system_clock::time_point time);

/// Writes certificate, page and object, in this order: what is spent is on record before it can be
/// seen. All of them or none. Throws InvalidParameter where another release was written meanwhile,
/// Error.
void write_completed(const Certificate& certificate, std::string_view object,
                     const ReleaseFiles& files, std::string_view page = "");

/// Both steps.
void write_release(Released& released, const ReleaseFiles& files,
                   std::chrono::system_clock::time_point time);

/// A release that was shown earlier, to files: `certificate` is its tree. Throws InvalidParameter,
/// Error.
struct NumberTable;
void write_again(const NumberTable& numbers, Value certificate, const ReleaseFiles& files);

}  // namespace modicum
