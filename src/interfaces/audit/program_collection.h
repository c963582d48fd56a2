// Samples of a program on two inputs, run by run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interfaces/audit/program_journal.h"
#include "modicum/auditing/run_pool.h"
#include "modicum/release/progress.h"

namespace modicum {

class OutputFolder;

/// What is run, and how much of it at a time.
struct ProgramRuns {
  std::vector<std::string> words;  ///< of the command
  std::string inputs[2];
  std::size_t wanted;     ///< samples of each input
  std::size_t at_a_time;  ///< runs
  RunLimits limits;
};

/// Runs on both inputs in turn until both have samples enough.
class ProgramCollection {
 public:
  explicit ProgramCollection(ProgramRuns runs);
  ~ProgramCollection();
  ProgramCollection(const ProgramCollection&) = delete;
  ProgramCollection& operator=(const ProgramCollection&) = delete;

  const RunPool& pool(std::size_t side) const { return pools_[side]; }
  /// Takes up what is in the journal, if there is one, and appends to it. Throws Error where nearly
  /// every run fails: such a program was called in a wrong way, most likely.
  void collect(ProgramJournal* journal, Progress& progress);

 private:
  bool complete() const { return pools_[0].complete() && pools_[1].complete(); }
  bool start_one(ProgramRunner& runner, std::size_t turn);
  void run_all(ProgramJournal* journal, Progress& progress);
  void refuse_hopeless(std::size_t enough) const;
  std::string commonest_failure() const;

  ProgramRuns runs_;
  RunPool pools_[2];
  std::unique_ptr<OutputFolder> folder_;  // for programs that write files
};

}  // namespace modicum
