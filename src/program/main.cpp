#include <csignal>
#include <string>
#include <vector>

#include "modicum/interfaces/command_line.h"

int main(int argc, char** argv) {
  // A reader that went away is an error of writing, reported as such.
  std::signal(SIGPIPE, SIG_IGN);
  return static_cast<int>(
      modicum::run_command_line(std::vector<std::string>(argv + (argc > 0), argv + argc)));
}
