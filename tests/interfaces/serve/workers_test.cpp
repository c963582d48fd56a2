#include "interfaces/serve/workers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "modicum/data/json.h"

namespace modicum::workers_test {
namespace {

using std::chrono::milliseconds;

// "long" never ends, "end" ends its process, all else comes back with the number of the process.
Value answer(const Value& question, Progress& progress) {
  const std::string& word = question.at("word").text();
  if (word == "throw") throw Error("thrown");
  if (word == "end") ::_exit(7);
  if (word == "long") {
    progress.begin("waiting");
    for (;;) ::usleep(1000);
  }
  return {{"word", word}, {"process", static_cast<double>(::getpid())}};
}

std::string question(const char* word) { return json_line({{"word", word}}); }

class RunsTest : public ::testing::Test {
 protected:
  Nursery nursery_{answer};
  Runs runs_{nursery_, 2};

  Value ask(const char* word) {
    const auto number = runs_.begin(question(word));
    const RunState state = runs_.wait(number.value(), milliseconds(60000));
    EXPECT_TRUE(state.finished);
    return parse_json(state.answer);
  }
};

TEST_F(RunsTest, AreAnsweredByAnotherProcess) {
  const Value given = ask("hello");
  EXPECT_EQ(given.at("word").text(), "hello");
  EXPECT_NE(given.at("process").number(), static_cast<double>(::getpid()));
}

TEST_F(RunsTest, CanBeFetchedOnce) {
  const auto number = runs_.begin(question("once")).value();
  EXPECT_TRUE(runs_.wait(number, milliseconds(60000)).finished);
  EXPECT_FALSE(runs_.wait(number, milliseconds(1)).found);
  EXPECT_FALSE(runs_.cancel(number));
  EXPECT_FALSE(runs_.wait(number + 1000, milliseconds(1)).found);
}

TEST_F(RunsTest, ThatFailAreAnswered) {
  EXPECT_EQ(ask("throw").at("error").at("message").text(), "thrown");
  EXPECT_TRUE(ask("end").contains("error"));
  EXPECT_EQ(ask("after").at("word").text(), "after");
}

TEST_F(RunsTest, EndWithTheirProcessWhenCancelled) {
  const auto first = runs_.begin(question("long")).value();
  const auto second = runs_.begin(question("long")).value();
  const auto third = runs_.begin(question("waits")).value();
  // Both workers are busy.
  EXPECT_FALSE(runs_.wait(third, milliseconds(200)).finished);
  EXPECT_EQ(runs_.wait(first, milliseconds(10)).what, "waiting");
  EXPECT_TRUE(runs_.cancel(first));
  EXPECT_TRUE(runs_.wait(third, milliseconds(60000)).finished);
  EXPECT_TRUE(runs_.cancel(second));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ask("next").at("word").text(), "next");
}

// Whether it is given up in the end. Every question about a run is a sign of life, so the next one
// comes long after its patience has ended; a busy machine only makes this slower.
bool given_up(Runs& runs, std::uint64_t number) {
  for (int asked = 0; asked < 60; ++asked) {
    if (!runs.wait(number, milliseconds(0)).found) return true;
    std::this_thread::sleep_for(milliseconds(1000));
  }
  return false;
}

// Nobody asks about the long ones, whose pages were closed; both keep a worker busy until then. On
// a busy machine one that is asked about late may be given up, too, and is asked again.
TEST(AbandonedRuns, AreGivenUp) {
  Nursery nursery{answer};
  Runs runs{nursery, 2, milliseconds(200)};
  const auto first = runs.begin(question("long")).value();
  const auto second = runs.begin(question("long")).value();
  while (!runs.wait(runs.begin(question("waits")).value(), milliseconds(60000)).finished) {
  }
  EXPECT_TRUE(given_up(runs, first));
  EXPECT_TRUE(given_up(runs, second));
}

TEST(AbandonedRuns, AreNotThoseThatSomebodyWaitsFor) {
  Nursery nursery{answer};
  Runs runs{nursery, 1, milliseconds(200)};
  RunState state{.found = false};
  while (!state.found) state = runs.wait(runs.begin(question("long")).value(), milliseconds(800));
  EXPECT_FALSE(state.finished);
}

TEST_F(RunsTest, AreRefusedWhenTooManyWait) {
  std::vector<std::uint64_t> all;
  for (int i = 0; i < 2000; ++i) {
    const auto number = runs_.begin(question("long"));
    if (!number) break;
    all.push_back(*number);
  }
  EXPECT_GT(all.size(), 100u);
  EXPECT_LT(all.size(), 2000u);
  for (const std::uint64_t number : all) runs_.cancel(number);
  EXPECT_EQ(ask("again").at("word").text(), "again");
}

}  // namespace
}  // namespace modicum::workers_test
