// serve: the explorer, pages on this machine for everything that can be asked.
#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <thread>

#include "interfaces/command_line/standard_streams.h"
#include "interfaces/job.h"
#include "interfaces/serve/confined_jobs.h"
#include "interfaces/serve/http_server.h"
#include "modicum/randomness/random_source.h"

extern char** environ;

namespace modicum {
namespace {

struct ServeJob {
  double port = 0.0;
  bool no_browser = false;
  std::vector<std::string> folders = {};

  void fields(Fields& fields) {
    fields.add("port", port, "of this machine; any that is free by default");
    fields.add("no_browser", no_browser, "only print the address");
    Field& folder =
        fields
            .add("folder", folders,
                 "tables, ledgers and releases on the pages are in this folder; may be\n"
                 "repeated; the current folder by default")
            .shown_as("FOLDER");
    folder.is_repeated = true;
  }
};

std::string new_token() {
  SecureSource source;
  return fmt::format("{:016x}{:016x}", source.next(), source.next());
}

// Whether there is a browser is not the server's business.
void open_browser(const std::string& address) {
#ifdef __APPLE__
  const char* const opener = "open";
#else
  const char* const opener = "xdg-open";
#endif
  char* const words[] = {const_cast<char*>(opener), const_cast<char*>(address.c_str()), nullptr};
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // The server leaves signals to one of its threads; a browser does not.
  posix_spawnattr_t usual;
  posix_spawnattr_init(&usual);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&usual, &none);
  posix_spawnattr_setflags(&usual, POSIX_SPAWN_SETSIGMASK);
  pid_t process;
  if (posix_spawnp(&process, opener, &quiet, &usual, words, environ) == 0)
    std::thread([process] { ::waitpid(process, nullptr, 0); }).detach();
  posix_spawnattr_destroy(&usual);
  posix_spawn_file_actions_destroy(&quiet);
}

// Until the signal comes; every thread of the server leaves it to this one.
sigset_t signals_that_end() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  return signals;
}

Reply run(const ServeJob& job, Progress&) {
  if (!(job.port >= 0.0 && job.port <= 65535.0 && job.port == std::floor(job.port)))
    throw InvalidParameter("port", job.port, "must be a whole number from 0 to 65535");
  const ServedFolders folders(job.folders.empty() ? std::vector<std::string>{"."} : job.folders);
  Nursery nursery([&folders](const Value& question, Progress& progress) {
    return answer_question(question, folders, progress);
  });
  const sigset_t signals = signals_that_end();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  HttpServer server(static_cast<int>(job.port));
  Runs runs(nursery, std::max(4u, std::thread::hardware_concurrency()));
  const std::string token = new_token();
  Site site(token, server.port(), runs);
  const std::string address = fmt::format("http://127.0.0.1:{}/{}/", server.port(), token);
  write_standard_output(address + "\n");
  if (!job.no_browser) open_browser(address);
  std::thread end([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    server.stop();
  });
  server.serve([&site](const SiteRequest& request) { return site.respond(request); });
  end.join();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return {};
}

}  // namespace

std::vector<JobKind> serve_jobs() {
  return {job_kind<ServeJob>("serve", "pages in a browser, on this machine, to try everything",
                             "  modicum serve --folder examples",
                             "Prints one line, the address with its secret, and serves until it is "
                             "interrupted. Only this\n"
                             "machine is answered, and nothing is loaded from elsewhere. Anyone "
                             "who has the address can\n"
                             "read and write files in the folders: keep it to yourself.")};
}

}  // namespace modicum
