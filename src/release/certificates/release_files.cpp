#include "modicum/release/release_files.h"

#include <fmt/format.h>
#include <sodium.h>
#include <unistd.h>

#include <filesystem>

#include "modicum/data/json.h"
#include "modicum/release/number_table.h"
#include "modicum/release/write_file.h"

namespace modicum {
namespace {

namespace fs = std::filesystem;

std::string in_marks(const std::string& path) { return fmt::format("\"{}\"", path); }

}  // namespace

std::string sha256(std::string_view content) {
  if (::sodium_init() < 0) throw Error("the cryptographic library cannot be started");
  unsigned char digest[crypto_hash_sha256_BYTES];
  ::crypto_hash_sha256(digest, reinterpret_cast<const unsigned char*>(content.data()),
                       content.size());
  std::string out;
  for (const unsigned char byte : digest) out += fmt::format("{:02x}", byte);
  return out;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  if (fs::equivalent(a, b, none) && !none) return true;
  return fs::weakly_canonical(fs::absolute(a)) == fs::weakly_canonical(fs::absolute(b));
}

// A file is replaced by renaming another to it, so what counts is the folder. Whatever is there and
// is no regular file (a device, say) must not be replaced.
void require_place(const char* option, const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw InvalidParameter(option, in_marks(path), "must be a regular file, or not be there yet");
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, error) || ::access(folder.c_str(), W_OK | X_OK) != 0)
    throw InvalidParameter(option, in_marks(path), "must lie in a folder that can be written");
}

ReleaseFiles::ReleaseFiles(std::string output, std::string certificate)
    : output_(std::move(output)), certificate_(std::move(certificate)) {
  if (shown()) {
    if (!certificate_.empty()) require_place("certificate", certificate_);
    return;
  }
  if (certificate_.empty()) certificate_ = output_ + ".certificate.json";
  format_ = format_of(output_);
  require_place("output", output_);
  require_place("certificate", certificate_);
  if (same_file(output_, certificate_))
    throw InvalidParameter("certificate", in_marks(certificate_),
                           "must be another file than output");
}

namespace {

// No certificate beside numbers of an earlier release, and what is spent is on record before it can
// be seen.
void write_both(const std::string& certificate, std::string_view object,
                const ReleaseFiles& files) {
  remove_file(files.output());
  write_file(files.certificate(), certificate);
  write_file(files.output(), object);
}

}  // namespace

void write_release(Released& released, const ReleaseFiles& files,
                   std::chrono::system_clock::time_point time) {
  require_finite_values(released);
  write_release(released.certificate,
                files.shown() ? std::string() : encode(released, files.format()), files, time);
}

void write_release(Certificate& certificate, std::string_view object, const ReleaseFiles& files,
                   std::chrono::system_clock::time_point time) {
  certificate.time = time;
  if (files.shown()) {
    if (!files.certificate().empty())
      write_file(files.certificate(), certificate_text(certificate));
    return;
  }
  certificate.output = {fs::path(files.output()).filename().string(), sha256(object)};
  write_both(certificate_text(certificate), object, files);
}

void write_again(const NumberTable& numbers, Value certificate, const ReleaseFiles& files) {
  const std::string object = encode(numbers, files.format());
  certificate["output"] = {{"file", fs::path(files.output()).filename().string()},
                           {"sha256", sha256(object)}};
  write_both(json_lines(certificate, 2), object, files);
}

}  // namespace modicum
