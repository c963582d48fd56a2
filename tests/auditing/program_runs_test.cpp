#include "modicum/auditing/program_runs.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <map>
#include <thread>

#include "support/refusals.h"
#include "support/temporary_folder.h"

namespace modicum::testing::program_runs_test {
namespace {

using Words = std::vector<std::string>;

FinishedRun run_one(const Words& words, RunLimits limits = {}, const std::string& output = "") {
  ProgramRunner runner(limits);
  runner.start(7, words, output);
  FinishedRun run = runner.wait();
  EXPECT_EQ(run.ticket, 7u);
  EXPECT_EQ(runner.running(), 0u);
  return run;
}

FinishedRun run_shell(const std::string& script, RunLimits limits = {}) {
  return run_one({"sh", "-c", script}, limits);
}

TEST(ProgramRunner, TakesWhatAProgramPrints) {
  const FinishedRun run = run_shell("cat; echo 1,2; echo oh dear >&2; echo 3,4");
  EXPECT_EQ(run.failure, "");
  ASSERT_EQ(run.samples.size(), 2u);
  EXPECT_EQ(run.samples.at(1)[1], 4.0);
}

TEST(ProgramRunner, TakesMoreThanAPipeHolds) {
  const FinishedRun run = run_shell("seq 1 200000");
  EXPECT_EQ(run.failure, "");
  ASSERT_EQ(run.samples.size(), 200000u);
  EXPECT_EQ(run.samples.at(199999)[0], 200000.0);
}

TEST(ProgramRunner, AFailureIsOneMoreSample) {
  for (const auto& [script, failure] : std::map<std::string, std::string>{
           {"echo 5; exit 3", "exit status 3"},
           {"echo 5; kill -9 $$", "killed by signal 9"},
           {"echo 5; kill -SEGV $$", "killed by signal 11"},
           {"echo 5; echo no", "line 2 of its output is not a list of numbers"}}) {
    const FinishedRun run = run_shell(script);
    EXPECT_EQ(run.failure, failure);
    EXPECT_EQ(run.samples.size(), 2u) << script;
    EXPECT_EQ(run.samples.failures(), 1u) << script;
  }
}

TEST(ProgramRunner, EndsWhatTakesTooLongWithAllItStarted) {
  const TemporaryFolder folder;
  RunLimits limits;
  limits.seconds = 0.3;
  const auto start = std::chrono::steady_clock::now();
  const FinishedRun run =
      run_shell("(sleep 2; touch " + folder.path("late") + ") & echo 1; sleep 30", limits);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(run.failure, "timed out");
  EXPECT_EQ(run.samples.size(), 2u);
  EXPECT_LT(taken.count(), 20.0);
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  EXPECT_EQ(folder.size(), 0) << "a process that it started went on";
}

// A process that it left behind holds the pipe; one that prints for ever is stopped.
TEST(ProgramRunner, DoesNotWaitForWhatIsLeftBehind) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run_shell("echo 1; sleep 30 &").failure, "");
  RunLimits limits;
  limits.bytes = 100000;
  EXPECT_EQ(run_shell("yes 1", limits).failure, "it printed more than 100000 bytes");
  EXPECT_EQ(run_shell("exec >&-; sleep 0.1; exit 4").failure, "exit status 4");
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(), 20.0);
}

TEST(ProgramRunner, ReadsAFileInstead) {
  const TemporaryFolder folder;
  const std::string output = folder.path("out.csv");
  const FinishedRun run = run_one(
      {"sh", "-c", "echo talk; printf 'name,value\\na,1\\nb,2\\n' > " + output}, {}, output);
  EXPECT_EQ(run.failure, "");
  ASSERT_EQ(run.samples.size(), 1u);
  EXPECT_EQ(run.samples.at(0)[1], 2.0);
  EXPECT_EQ(folder.size(), 0) << "the file is still there";
  EXPECT_EQ(run_one({"true"}, {}, output).failure, "it wrote no output file");
  EXPECT_EQ(run_one({"sh", "-c", "echo a,b > " + output}, {}, output).failure,
            "its output file has no numbers");
  EXPECT_EQ(run_one({"sh", "-c", "echo 1 > " + output + "; exit 1"}, {}, output).failure,
            "exit status 1");
}

TEST(ProgramRunner, RunsSeveralAtATime) {
  ProgramRunner runner({});
  for (std::size_t i = 0; i < 8; ++i) runner.start(i, {"sh", "-c", "echo " + std::to_string(i)});
  std::vector<bool> seen(8, false);
  while (runner.running() > 0) {
    const FinishedRun run = runner.wait();
    EXPECT_EQ(run.samples.at(0)[0], static_cast<double>(run.ticket));
    seen[run.ticket] = true;
  }
  EXPECT_EQ(seen, std::vector<bool>(8, true));
  EXPECT_THROW(runner.wait(), Error);
}

TEST(ProgramRunner, ACommandThatIsNotThereIsAnError) {
  ProgramRunner runner({});
  EXPECT_THROW(runner.start(0, {"/no/such/program"}), Error);
  EXPECT_EQ(runner.running(), 0u);
  RunLimits limits;
  for (const double bad : {0.0, -1.0, not_a_number}) {
    limits.seconds = bad;
    EXPECT_TRUE(refuses("timeout", [&] { return ProgramRunner(limits).running(); }));
  }
}

TEST(ProgramRunner, LeavesNoProcessBehind) {
  {
    ProgramRunner runner({});
    runner.start(0, {"sleep", "30"});
    runner.start(1, {"sh", "-c", "exit 1"});
    EXPECT_EQ(runner.wait().ticket, 1u);
  }
  errno = 0;
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ProgramRunner, ASignalEndsTheWaiting) {
  ProgramRunner runner({});
  runner.start(0, {"sleep", "30"});
  ::raise(SIGTERM);
  EXPECT_THROW(runner.wait(), Interrupted);
}

}  // namespace
}  // namespace modicum::testing::program_runs_test
