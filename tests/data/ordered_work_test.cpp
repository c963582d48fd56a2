#include "data/ordered_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace modicum::data::ordered_work_test {
namespace {

constexpr unsigned thread_counts[] = {1, 2, 3, 8};

// Tasks 0 to count - 1.
std::function<Task()> numbered(int count, const std::function<Finish(int)>& run) {
  return [=, next = 0]() mutable -> Task {
    if (next == count) return {};
    return [run, index = next++] { return run(index); };
  };
}

TEST(RunInOrder, FinishesInTheOrderOfTheTasks) {
  for (const unsigned threads : thread_counts) {
    std::vector<int> order;
    run_in_order(threads, numbered(500, [&](int index) -> Finish {
                   if (index % 7 == 0) std::this_thread::yield();
                   return [&order, index] { order.push_back(index); };
                 }));
    ASSERT_EQ(order.size(), 500u);
    for (int i = 0; i < 500; ++i) ASSERT_EQ(order[static_cast<std::size_t>(i)], i);
  }
}

TEST(RunInOrder, TakesTasksThatLeaveNothingToDo) {
  std::atomic<int> ran = 0;
  run_in_order(3, numbered(100, [&](int) -> Finish {
                 ++ran;
                 return {};
               }));
  EXPECT_EQ(ran, 100);
  run_in_order(2, [] { return Task(); });
}

TEST(RunInOrder, NeverHoldsMoreResultsThanItSays) {
  for (const unsigned threads : {2u, 4u}) {
    std::atomic<int> held = 0, most = 0;
    run_in_order(threads, numbered(300, [&](int index) -> Finish {
                   const int now = ++held;
                   int seen = most;
                   while (seen < now && !most.compare_exchange_weak(seen, now)) {
                   }
                   // The others could run far ahead of this one.
                   if (index % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
                   return [&held] { --held; };
                 }));
    EXPECT_LE(most, static_cast<int>(tasks_in_flight(threads)));
    EXPECT_EQ(held, 0);
  }
}

// Which exception comes must not depend on which thread was faster.
TEST(RunInOrder, RethrowsTheFirstExceptionInOrder) {
  for (const unsigned threads : thread_counts)
    for (int repeat = 0; repeat < 50; ++repeat) {
      int finished = 0;
      std::string message;
      try {
        run_in_order(threads, numbered(100, [&](int index) -> Finish {
                       if (index >= 20) throw std::runtime_error(std::to_string(index));
                       if (index == 19) std::this_thread::sleep_for(std::chrono::microseconds(300));
                       return [&finished] { ++finished; };
                     }));
      } catch (const std::runtime_error& error) {
        message = error.what();
      }
      ASSERT_EQ(message, "20");
      ASSERT_EQ(finished, 20);
    }
}

TEST(RunInOrder, StopsWhenFinishingFails) {
  for (const unsigned threads : thread_counts) {
    int finished = 0;
    EXPECT_THROW(run_in_order(threads, numbered(1000000,
                                                [&](int index) -> Finish {
                                                  return [&finished, index] {
                                                    if (index == 5) throw std::logic_error("5");
                                                    ++finished;
                                                  };
                                                })),
                 std::logic_error);
    EXPECT_EQ(finished, 5);
  }
}

TEST(RunInOrder, FinishesWhatCameBeforeAFailureToRead) {
  for (const unsigned threads : thread_counts) {
    int finished = 0, given = 0;
    EXPECT_THROW(run_in_order(threads,
                              [&]() -> Task {
                                if (given == 10) throw std::domain_error("unreadable");
                                ++given;
                                return [&] { return [&] { ++finished; }; };
                              }),
                 std::domain_error);
    EXPECT_EQ(finished, 10);
  }
}

}  // namespace
}  // namespace modicum::data::ordered_work_test
