// Runs of any executable, as samples for a black-box audit.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "modicum/auditing/black_box.h"

namespace modicum {

/// Words as a shell splits them: blanks part words; '...' keeps all, "..." all but \" and \\, and
/// outside of marks \ keeps the next letter. Nothing is expanded. Throws InvalidParameter for no
/// word and for a mark that is not closed.
std::vector<std::string> split_command(std::string_view text);

/// `{input}` and `{output}` within words are replaced; an input that no word asks for is appended.
std::vector<std::string> command_words(std::vector<std::string> words, const std::string& input,
                                       const std::string& output);
/// Whether some word asks for a file to write to.
bool asks_for_output(const std::vector<std::string>& words);

struct RunLimits {
  double seconds = 60.0;          ///< then a run is ended, and has failed
  std::size_t samples = 0;        ///< a run must print exactly so many; 0: at least one
  std::size_t bytes = 1u << 30;   ///< of output
  std::size_t numbers = 1000000;  ///< in one sample
};

/// What one run gave. Failure is an outcome: whoever asked would see it too. What was printed before
/// it is kept; as a sample the run is a failure and nothing else (RunPool).
struct FinishedRun {
  std::size_t ticket = 0;
  Samples samples;
  std::string failure;  ///< "exit status 3"; empty for a run that went well
};

/// The run was ended from outside (SIGINT, SIGTERM, SIGHUP).
class Interrupted : public Error {
 public:
  using Error::Error;
};

/// Several runs at a time, each in a process group of its own with nothing on its standard input
/// and its standard error thrown away. While this object lives, the signals that ask the program to
/// end are held back; wait() turns them into Interrupted. Runs that are not finished when it dies
/// are killed, with all processes that they started in their group. One at a time, on one thread.
class ProgramRunner {
 public:
  explicit ProgramRunner(const RunLimits& limits);
  ~ProgramRunner();
  ProgramRunner(const ProgramRunner&) = delete;
  ProgramRunner& operator=(const ProgramRunner&) = delete;

  /// Each line of standard output is one sample: numbers separated by commas, blanks or tabs; blank
  /// lines are passed over. With `output_file` the numbers in that file (of a CSV file, without the
  /// cells that are none) are one sample instead; the file is removed.
  void start(std::size_t ticket, const std::vector<std::string>& words,
             const std::string& output_file = "");
  std::size_t running() const;
  /// The next that finishes. At least one must be running. Throws Interrupted.
  FinishedRun wait();

 private:
  struct Running;
  struct SignalWatch;
  bool read_some(Running& run) const;
  void settle(Running& run) const;
  RunLimits limits_;
  std::unique_ptr<SignalWatch> signals_;
  std::vector<std::unique_ptr<Running>> running_;
};

}  // namespace modicum
