// Several processes at once, some of them killed: nothing is spent twice, and nothing is lost.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <random>
#include <set>
#include <thread>

#include "modicum/ledger/ledger.h"
#include "modicum/mechanisms/gaussian.h"
#include "support/temporary_folder.h"

namespace modicum::concurrency_test {
namespace {

const Circumstances now{std::chrono::system_clock::time_point{}, "tester", "{}"};
constexpr double standard_deviation = 64.0;
constexpr std::int64_t answers_in_budget = 4096;  // mu^2 = 1 in all: some last all kills

Ledger budget_in(const std::string& store) {
  Ledger ledger = Ledger::open_or_make(store);
  BudgetDeclaration declaration;
  declaration.name = "study";
  declaration.terms.mu = 1.0;
  ledger.create(declaration, now);
  return ledger;
}

// Charges until nothing is left, and tells the number of each entry only after it was charged.
[[noreturn]] void spend_all(const std::string& store, int told) {
  try {
    Ledger ledger(store);
    const Spending answer{gaussian_mechanism(standard_deviation, 1.0), "an answer", {}};
    for (;;) {
      const std::int64_t entry = ledger.charge("", answer, EntryState::reserved, now).number;
      if (::write(told, &entry, sizeof entry) != sizeof entry) ::_exit(2);
    }
  } catch (const TargetUnreachable&) {
    ::_exit(0);
  } catch (...) {
    ::_exit(3);
  }
}

pid_t start(const std::string& store, int told) {
  const pid_t child = ::fork();
  if (child == 0) spend_all(store, told);
  return child;
}

TEST(LedgerOfManyProcesses, NeverSpendsTheSameRemainderTwice) {
  const testing::TemporaryFolder folder;
  const std::string store = folder.path("ledger.db");
  budget_in(store);
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) children.push_back(start(store, pipe_ends[1]));
  // The seed only decides whom and when to kill.
  std::mt19937 chance(20);
  int killed = 0;
  for (; killed < 300; ++killed) {
    std::this_thread::sleep_for(
        std::chrono::microseconds(std::uniform_int_distribution<int>(100, 2000)(chance)));
    pid_t& child = children[std::uniform_int_distribution<std::size_t>(0, 7)(chance)];
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) == child) {  // nothing is left
      ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
      child = 0;
      break;
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    child = start(store, pipe_ends[1]);
  }
  for (const pid_t child : children) {
    if (child == 0) continue;
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status)) << status;
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  EXPECT_GE(killed, 200);
  ::close(pipe_ends[1]);

  Ledger ledger(store);
  std::set<std::int64_t> on_record;
  for (const Entry& entry : ledger.entries()) on_record.insert(entry.number);
  std::int64_t told = 0, tellings = 0;
  while (::read(pipe_ends[0], &told, sizeof told) == sizeof told) {
    EXPECT_EQ(on_record.count(told), 1u) << told;
    ++tellings;
  }
  ::close(pipe_ends[0]);
  const BudgetStatus status = ledger.budget("study");
  EXPECT_EQ(status.entries, answers_in_budget);
  EXPECT_EQ(static_cast<std::int64_t>(on_record.size()), answers_in_budget);
  EXPECT_LE(tellings, answers_in_budget);
  EXPECT_GE(tellings, answers_in_budget - killed);
  EXPECT_TRUE(fits(status.spent(), status.total));
  EXPECT_EQ(ledger.verify().records, answers_in_budget + 1);
}

}  // namespace
}  // namespace modicum::concurrency_test
