#include "interfaces/audit/program_collection.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace modicum {

// Files that runs write to, in a folder that is removed afterwards.
class OutputFolder {
 public:
  OutputFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "modicum-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw Error("no temporary folder can be made");
    path_ = pattern;
  }
  ~OutputFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  // A file of its own in a folder of its own: programs may write others beside it.
  std::string file(std::size_t ticket) const {
    const std::filesystem::path folder = path_ / std::to_string(ticket);
    std::filesystem::create_directory(folder);
    return (folder / "output.csv").string();
  }
  void forget(std::size_t ticket) const {
    std::error_code ignored;
    std::filesystem::remove_all(path_ / std::to_string(ticket), ignored);
  }

 private:
  std::filesystem::path path_;
};

ProgramCollection::ProgramCollection(ProgramRuns runs)
    : runs_(std::move(runs)), pools_{RunPool(runs_.wanted), RunPool(runs_.wanted)} {
  if (asks_for_output(runs_.words)) folder_ = std::make_unique<OutputFolder>();
}

ProgramCollection::~ProgramCollection() = default;

void ProgramCollection::collect(ProgramJournal* journal, Progress& progress) {
  if (journal != nullptr)
    journal->replay(
        [&](std::size_t side, std::size_t number, Samples samples, const std::string& failure) {
          pools_[side].finish(number, std::move(samples), failure);
        });
  if (!complete()) run_all(journal, progress);
  refuse_hopeless(1);
}

void ProgramCollection::run_all(ProgramJournal* journal, Progress& progress) {
  ProgramRunner runner(runs_.limits);
  progress.begin("running the program");
  for (std::size_t turn = 0; !complete();) {
    while (runner.running() < runs_.at_a_time && start_one(runner, turn)) ++turn;
    FinishedRun run = runner.wait();
    const std::size_t side = run.ticket % 2, number = run.ticket / 2;
    if (folder_) folder_->forget(run.ticket);
    if (journal != nullptr) journal->append(side, number, run);
    pools_[side].finish(number, std::move(run.samples), run.failure);
    refuse_hopeless(30);
    progress.report(std::min(pools_[0].collected(), runs_.wanted) +
                        std::min(pools_[1].collected(), runs_.wanted),
                    2 * runs_.wanted);
  }
}

bool ProgramCollection::start_one(ProgramRunner& runner, std::size_t turn) {
  std::size_t side = turn % 2;
  if (!pools_[side].needs_more()) side = 1 - side;
  if (!pools_[side].needs_more()) {
    // What was expected did not come: one run more, of the side that lacks samples.
    if (runner.running() > 0) return false;
    side = pools_[0].complete() ? 1 : 0;
  }
  const std::size_t ticket = 2 * pools_[side].start() + side;
  const std::string output = folder_ ? folder_->file(ticket) : "";
  runner.start(ticket, command_words(runs_.words, runs_.inputs[side], output), output);
  return true;
}

void ProgramCollection::refuse_hopeless(std::size_t enough) const {
  for (const RunPool& pool : pools_) {
    const auto finished = static_cast<double>(pool.finished());
    if (pool.finished() < enough || static_cast<double>(pool.failed()) < 0.99 * finished) return;
  }
  throw Error(fmt::format(
      "nearly every run failed on both inputs ({} of {}, and {} of {}), most often with: {}",
      pools_[0].failed(), pools_[0].finished(), pools_[1].failed(), pools_[1].finished(),
      commonest_failure()));
}

std::string ProgramCollection::commonest_failure() const {
  std::string way;
  std::size_t most = 0;
  for (const RunPool& pool : pools_)
    for (const auto& [name, times] : pool.failures())
      if (times > most) way = name, most = times;
  return way;
}

}  // namespace modicum
