// audit program: any executable, run on two inputs, against a claim.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "interfaces/command.h"
#include "interfaces/data_commands.h"
#include "release/read_file.h"
#include "data/number_text.h"
#include "interfaces/program_journal.h"
#include "interfaces/wording.h"
#include "modicum/auditing/run_pool.h"
#include "modicum/randomness/random_source.h"
#include "modicum/release/release_files.h"

namespace modicum {
namespace {

struct ProgramRequest {
  std::string command, input, neighbor, journal;
  NumberOptions numbers;
  bool json = false;

  std::size_t whole(const char* option, double least) const {
    const double value = numbers.at(option);
    if (!(value >= least && value <= 1e9 && value == std::floor(value)))
      throw InvalidParameter(option, value,
                             fmt::format("must be a whole number from {} to 1e9", least));
    return static_cast<std::size_t>(value);
  }
};

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

// Runs on both inputs in turn until both have samples enough.
class Collection {
 public:
  Collection(const ProgramRequest& request, const std::vector<std::string>& words,
             std::size_t wanted)
      : words_(words),
        inputs_{request.input, request.neighbor},
        pools_{RunPool(wanted), RunPool(wanted)},
        jobs_(request.whole("--jobs", 1.0)) {
    limits_.seconds = request.numbers.at("--timeout");
    limits_.samples = request.whole("--samples-per-run", 0.0);
    if (asks_for_output(words)) folder_.emplace();
  }

  RunPool& pool(std::size_t side) { return pools_[side]; }

  void collect(ProgramJournal* journal) {
    if (complete()) return;
    ProgramRunner runner(limits_);
    ProgressLine progress("running the program");
    for (std::size_t turn = 0; !complete();) {
      while (runner.running() < jobs_ && start_one(runner, turn)) ++turn;
      FinishedRun run = runner.wait();
      const std::size_t side = run.ticket % 2, number = run.ticket / 2;
      if (folder_) folder_->forget(run.ticket);
      if (journal != nullptr) journal->append(side, number, run);
      pools_[side].finish(number, std::move(run.samples), run.failure);
      refuse_hopeless(30);
      progress.report(std::min(pools_[0].collected(), pools_[0].wanted()) +
                          std::min(pools_[1].collected(), pools_[1].wanted()),
                      2 * pools_[0].wanted());
    }
  }

  // A program that does nothing but fail was called in a wrong way, most likely.
  void refuse_hopeless(std::size_t enough) const {
    for (const RunPool& pool : pools_) {
      const auto finished = static_cast<double>(pool.finished());
      if (pool.finished() < enough || static_cast<double>(pool.failed()) < 0.99 * finished) return;
    }
    throw Error(fmt::format(
        "nearly every run failed on both inputs ({} of {}, and {} of {}), most often with: {}",
        pools_[0].failed(), pools_[0].finished(), pools_[1].failed(), pools_[1].finished(),
        commonest_failure()));
  }

 private:
  bool complete() const { return pools_[0].complete() && pools_[1].complete(); }

  bool start_one(ProgramRunner& runner, std::size_t turn) {
    std::size_t side = turn % 2;
    if (!pools_[side].needs_more()) side = 1 - side;
    if (!pools_[side].needs_more()) {
      // What was expected did not come: one run more, of the side that lacks samples.
      if (runner.running() > 0) return false;
      side = pools_[0].complete() ? 1 : 0;
    }
    const std::size_t ticket = 2 * pools_[side].start() + side;
    const std::string output = folder_ ? folder_->file(ticket) : "";
    runner.start(ticket, command_words(words_, inputs_[side], output), output);
    return true;
  }

  std::string commonest_failure() const {
    std::string way;
    std::size_t most = 0;
    for (const RunPool& pool : pools_)
      for (const auto& [name, times] : pool.failures())
        if (times > most) way = name, most = times;
    return way;
  }

  std::vector<std::string> words_;
  std::string inputs_[2];
  RunPool pools_[2];
  std::size_t jobs_;
  RunLimits limits_;
  std::optional<OutputFolder> folder_;
};

Value failures_json(const RunPool& pool) {
  Value ways = Value::record();
  for (const auto& [way, times] : pool.failures()) ways[way] = times;
  return {{"runs", pool.finished()}, {"failed", pool.failed()}, {"ways", std::move(ways)}};
}

Value result_json(const PrivacyTarget& claim, double confidence, const BlackBoxAudit& audit,
                 Collection& runs) {
  return {{"verdict", to_string(audit.verdict)},
          {"epsilon_lower_bound", audit.epsilon_lower_bound},
          {"delta_lower_bound", audit.delta_lower_bound},
          {"p_value", audit.p_value},
          {"confidence", confidence},
          {"claim", {{"epsilon", claim.epsilon}, {"delta", claim.delta}}},
          {"trials", audit.trials},
          {"guesses", audit.guesses},
          {"right", audit.right},
          {"failed_runs",
           {{"input", failures_json(runs.pool(0))}, {"neighbor", failures_json(runs.pool(1))}}},
          {"dimension", audit.dimension},
          {"distinguisher", audit.distinguisher}};
}

std::string for_people(const ProgramRequest& request, const PrivacyTarget& claim, double confidence,
                       const BlackBoxAudit& audit, Collection& runs) {
  const bool violated = audit.verdict == BlackBoxVerdict::violated;
  const double percent = 100.0 * confidence;
  const auto failed = [&](std::size_t side) {
    return fmt::format("{} of {}", runs.pool(side).failed(), runs.pool(side).finished());
  };
  return fmt::format("{}\nClaim: epsilon {}, delta {}\nVerdict: {}\n\n{}\n{}",
                     one_line(request.command, 200), claim.epsilon, claim.delta,
                     violated ? "VIOLATED" : "not refuted",
                     table({{fmt::format("with {:.6g} % confidence", percent), "at least"},
                            {fmt::format("epsilon at delta {}", claim.delta),
                             rounded_down(audit.epsilon_lower_bound, 4)},
                            {fmt::format("delta at epsilon {}", claim.epsilon),
                             rounded_down(audit.delta_lower_bound, 4)}}),
                     table({{"p-value of the claim", fmt::format("{:.3g}", audit.p_value)},
                            {"trials", std::to_string(audit.trials)},
                            {"guesses that count", std::to_string(audit.guesses)},
                            {"right ones", std::to_string(audit.right)},
                            {"distinguisher", audit.distinguisher},
                            {"numbers a sample", std::to_string(audit.dimension)},
                            {"failed runs, input", failed(0)},
                            {"failed runs, neighbor", failed(1)}})) +
         (violated ? fmt::format("\nA program that keeps the claim gives such samples with "
                                 "probability at most {:.3g}, if\nthe lines of a run are "
                                 "independent draws.\n",
                                 audit.p_value)
                   : "\nThat a claim is not refuted proves nothing: more trials, or other inputs, "
                     "may refute it.\n");
}

// What the samples depend on.
Value identity_of(const ProgramRequest& request, const std::vector<std::string>& words) {
  return {{"command", words},
          {"input", std::vector{request.input, sha256(read_file(request.input))}},
          {"neighbor", std::vector{request.neighbor, sha256(read_file(request.neighbor))}},
          {"trials", request.whole("--trials", 2.0 * fewest_samples)},
          {"samples_per_run", request.whole("--samples-per-run", 0.0)},
          {"timeout", request.numbers.at("--timeout")}};
}

std::string answer(const ProgramRequest& request) {
  const NumberOptions& numbers = request.numbers;
  const PrivacyTarget claim(numbers.at("--epsilon"), numbers.at("--delta"));
  const double confidence = require_open_unit("--confidence", numbers.at("--confidence"));
  require_positive("--timeout", numbers.at("--timeout"));
  const std::vector<std::string> words = split_command(request.command);
  const std::size_t wanted = request.whole("--trials", 2.0 * fewest_samples) / 2;
  const Value identity = identity_of(request, words);
  Collection runs(request, words, wanted);
  SecureSource source;
  std::vector<bool> bits = draw_secret_bits(trial_count(wanted), source);
  std::unique_ptr<ProgramJournal> journal;
  if (!request.journal.empty()) {
    journal = std::make_unique<ProgramJournal>(request.journal, identity, bits);
    bits = journal->bits();
    journal->replay(
        [&](std::size_t side, std::size_t number, Samples samples, const std::string& failure) {
          runs.pool(side).finish(number, std::move(samples), failure);
        });
  }
  runs.collect(journal.get());
  runs.refuse_hopeless(1);
  const ProgressLine progress("auditing");
  const BlackBoxAudit audit =
      audit_samples(runs.pool(0).samples(), runs.pool(1).samples(), claim, confidence, bits);
  return request.json ? json_line(result_json(claim, confidence, audit, runs))
                      : for_people(request, claim, confidence, audit, runs);
}

}  // namespace

void add_program_command(CLI::App& audit, CommandResult& output) {
  CLI::App* command = add_command(
      audit, "program",
      "any program on two neighboring inputs: runs it, and tries to refute a claim",
      "  modicum audit program --command \"python3 noisy_count.py\" --input visits.csv \\\n"
      "      --neighbor fewer.csv --epsilon 1 --delta 1e-5 --trials 200000\n"
      "Each line that the program prints is one sample: numbers parted by commas, blanks or tabs.\n"
      "The command is not given to a shell (use sh -c '...' for one). {input} in it stands for "
      "the\n"
      "path of the input, which is appended if it is not asked for. With {output} the program "
      "writes\na file instead, whose numbers are one sample.\n"
      "A violation that is found is an answer: the exit code is 0.");
  const auto request = std::make_shared<ProgramRequest>();
  const auto text = [&](const char* name, std::string& value, const char* help, const char* type) {
    return command->add_option(name, value, help)->type_name(type);
  };
  text("--command", request->command, "the program and its arguments", "TEXT")->required();
  text("--input", request->input, "an input of the program", "FILE")->required();
  text("--neighbor", request->neighbor, "the same with one record more or less", "FILE")
      ->required();
  NumberOptions& numbers = request->numbers;
  numbers.add(*command, "--epsilon", "claimed epsilon, at least 0");
  numbers.add(*command, "--delta", "claimed delta, at least 0 and below 1");
  numbers.add(*command, "--trials", "samples over both inputs together, 10000 by default", "10000");
  numbers.add(*command, "--confidence", "0.95 by default", "0.95");
  numbers.add(*command, "--jobs", "runs at a time, by default one for each processor",
              std::to_string(std::max(1u, std::thread::hardware_concurrency())));
  numbers.add(*command, "--timeout", "seconds after which a run has failed, 60 by default", "60");
  numbers.add(*command, "--samples-per-run",
              "samples that each run must print; by default any number, each independent", "0");
  text("--journal", request->journal, "file to keep finished runs in, and to go on from", "FILE");
  command->add_flag("--json", request->json, "print one JSON object");
  command->callback([&output, request] { output = answer(*request); });
}

}  // namespace modicum
