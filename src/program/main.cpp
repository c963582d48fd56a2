#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#ifdef __linux__
#include <malloc.h>
#include <sys/prctl.h>
#endif

#include "modicum/interfaces/command_line.h"

namespace {

// What cannot be written is an error, reported as such: a reader that went away, a file that is too
// large.
void ignore_signals_of_writing() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

// A file that is opened must not get the number of a stream that is closed. What is put in its
// place cannot be used: reading and writing fail as before.
void keep_closed_streams_closed() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1)
      ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

// Blocks of rows come and go: what the system got back after each it would have to clear anew for
// the next.
void keep_freed_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 1 << 25);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 26);
#endif
}

// Rows are in memory: they do not go to a file when the program crashes, and other processes of the
// same user cannot read them.
void forbid_core_dumps() {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

// An exception that nobody caught, on any thread.
[[noreturn]] void end_with_a_message() {
  constexpr char message[] = "modicum: ended by an error that nothing was prepared for\n";
  if (::write(STDERR_FILENO, message, std::strlen(message)) < 0) ::_exit(1);
  ::_exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(end_with_a_message);
  ignore_signals_of_writing();
  keep_closed_streams_closed();
  forbid_core_dumps();
  keep_freed_memory();
  return static_cast<int>(
      modicum::run_command_line(std::vector<std::string>(argv + (argc > 0), argv + argc)));
}
