#include "interfaces/command_line/command_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

#include "interfaces/job.h"
#include "modicum/version.h"

namespace modicum {
namespace {

// Names that the command knows; anything else that looks like an option may be a value.
std::string known_options(const std::string& command, const std::vector<std::string>& words) {
  const JobKind* kind = find_job(command);
  if (kind == nullptr || !kind->make) return "";
  const std::unique_ptr<Job> job = kind->make();
  Fields fields;
  job->fields(fields);
  std::string out;
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    for (const Field& field : fields.all())
      if (!field.is_positional && name == in_style("`" + field.name + "`", NameStyle::option))
        out += " " + name;
  }
  return out;
}

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&time, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace

void log_command(const std::string& command, const std::vector<std::string>& words,
                 int status) noexcept {
  const char* const path = std::getenv("MODICUM_LOG");
  if (path == nullptr || *path == '\0') return;
  try {
    const std::string line =
        fmt::format("{} modicum {} [{}]{}{} exit {}\n", now(), version, ::getpid(),
                    command.empty() ? "" : " " + command, known_options(command, words), status);
    const int file = ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;
    // One write: lines of commands that end at once do not mix.
    if (::write(file, line.data(), line.size()) < 0) {
    }
    ::close(file);
  } catch (...) {
  }
}

}  // namespace modicum
