#include "modicum/release/release_files.h"

#include <fmt/format.h>
#include <sodium.h>

#include <filesystem>
#include <fstream>

#include "modicum/data/json.h"
#include "modicum/release/number_table.h"

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

namespace {

constexpr const char* certificate_ending = ".certificate.json";

bool is_there(const std::string& path) {
  std::error_code none;
  return fs::exists(fs::symlink_status(path, none));
}

// A ledger, or what its library keeps beside it: never to be replaced.
bool is_database(std::string path) {
  for (const char* ending : {"-wal", "-shm", "-journal"})
    if (path.ends_with(ending)) {
      path.resize(path.size() - std::string_view(ending).size());
      break;
    }
  constexpr std::string_view mark = "SQLite format 3";
  std::string start(mark.size(), ' ');
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) && start == mark;
}

void refuse_database(const char* option, const std::string& path) {
  if (is_database(path))
    throw InvalidParameter(option, in_marks(path), "must be another file than a database");
}

[[noreturn]] void refuse_old(const char* option, const std::string& path) {
  throw InvalidParameter(option, in_marks(path),
                         "must not exist yet: no release is overwritten unless `replace` is given");
}

}  // namespace

void require_place(const char* option, const std::string& path) {
  require_writable(path);
  refuse_database(option, path);
  if (is_there(path) && (path.ends_with(certificate_ending) || is_there(path + certificate_ending)))
    throw InvalidParameter(option, in_marks(path), "must be another file than those of a release");
}

ReleaseFiles::ReleaseFiles(std::string output, std::string certificate, OldFiles old)
    : output_(std::move(output)), certificate_(std::move(certificate)), old_(old) {
  if (!shown()) {
    if (certificate_.empty()) certificate_ = output_ + certificate_ending;
    format_ = format_of(output_);
    require_new("output", output_);
  }
  if (!certificate_.empty()) require_new("certificate", certificate_);
  if (!shown() && same_file(output_, certificate_))
    throw InvalidParameter("certificate", in_marks(certificate_),
                           "must be another file than output");
}

void ReleaseFiles::add_page(std::string path) {
  page_ = std::move(path);
  require_new("page", page_);
}

void ReleaseFiles::require_new(const char* option, const std::string& path) const {
  require_writable(path);
  refuse_database(option, path);
  if (old_ == OldFiles::refused && is_there(path)) refuse_old(option, path);
}

std::string complete(Released& released, const ReleaseFiles& files,
                     std::chrono::system_clock::time_point time) {
  require_finite_values(released);
  const bool nowhere = files.shown() && files.certificate().empty();
  std::string object = nowhere ? "" : encode(released, files.format());
  complete(released.certificate, object, files, time);
  return object;
}

void complete(Certificate& certificate, std::string_view object, const ReleaseFiles& files,
              std::chrono::system_clock::time_point time) {
  certificate.time = time;
  if (!files.certificate().empty())
    certificate.output = {fs::path(files.output()).filename().string(), sha256(object)};
}

namespace {

void write_all(const std::string& certificate, std::string_view object, const ReleaseFiles& files,
               std::string_view page) {
  std::vector<FileContent> all;
  if (!files.certificate().empty()) all.push_back({files.certificate(), certificate});
  if (!files.page().empty()) all.push_back({files.page(), page});
  if (!files.shown()) all.push_back({files.output(), object});
  if (all.empty()) return;
  try {
    write_files(all, files.old() == OldFiles::refused ? files.old() : OldFiles::first_kept);
  } catch (const FileExists& error) {
    refuse_old(error.path() == files.output() ? "output" : "certificate", error.path());
  }
}

}  // namespace

void write_completed(const Certificate& certificate, std::string_view object,
                     const ReleaseFiles& files, std::string_view page) {
  write_all(certificate_text(certificate), object, files, page);
}

void write_release(Released& released, const ReleaseFiles& files,
                   std::chrono::system_clock::time_point time) {
  const std::string object = complete(released, files, time);
  write_completed(released.certificate, object, files);
}

void write_again(const NumberTable& numbers, Value certificate, const ReleaseFiles& files) {
  if (files.shown()) throw InvalidParameter("output", in_marks("-"), "must be a file");
  const std::string object = encode(numbers, files.format());
  certificate["output"] = {{"file", fs::path(files.output()).filename().string()},
                           {"sha256", sha256(object)}};
  write_all(json_lines(certificate, 2), object, files, "");
}

}  // namespace modicum
