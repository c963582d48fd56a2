#include "modicum/auditing/run_pool.h"

#include <gtest/gtest.h>

namespace modicum::testing::run_pool_test {
namespace {

Samples samples_of(std::initializer_list<double> values) {
  Samples samples;
  for (const double& value : values) samples.add({&value, 1});
  return samples;
}

std::vector<double> values_of(const Samples& samples) {
  std::vector<double> values;
  for (std::size_t i = 0; i < samples.size(); ++i)
    values.push_back(samples.failed(i) ? -1.0 : samples.at(i)[0]);
  return values;
}

TEST(RunPool, TakesRunsInTheOrderOfTheirNumbers) {
  RunPool pool(4);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(pool.start(), i);
  EXPECT_FALSE(pool.needs_more());
  pool.finish(3, samples_of({3.0}), "");
  pool.finish(1, samples_of({1.0, 1.5}), "");
  pool.finish(2, samples_of({2.0}), "");
  EXPECT_EQ(pool.collected(), 4u);
  EXPECT_FALSE(pool.complete()) << "the first run is still under way";
  pool.finish(0, samples_of({0.0}), "");
  EXPECT_TRUE(pool.complete());
  EXPECT_EQ(values_of(pool.samples()), (std::vector<double>{0.0, 1.0, 1.5, 2.0}));
}

TEST(RunPool, AsksForAsManyRunsAsAreLikelyNeeded) {
  RunPool pool(100);
  pool.start();
  EXPECT_TRUE(pool.needs_more());
  Samples ten;
  for (int i = 0; i < 10; ++i) ten.add({});
  pool.finish(0, ten, "");
  for (int i = 0; i < 9; ++i) {
    EXPECT_TRUE(pool.needs_more());
    pool.start();
  }
  EXPECT_FALSE(pool.needs_more());
}

TEST(RunPool, CountsFailures) {
  RunPool pool(3);
  for (std::size_t i = 0; i < 3; ++i) {
    Samples one = samples_of({static_cast<double>(i)});
    if (i != 1) one.add_failure();
    pool.finish(i, one, i == 1 ? "" : "exit status 1");
  }
  EXPECT_EQ(pool.failed(), 2u);
  EXPECT_EQ(pool.failures().at("exit status 1"), 2u);
  // What was printed before a failure is no sample of its own.
  EXPECT_EQ(pool.collected(), 3u);
  EXPECT_EQ(values_of(pool.samples()), (std::vector<double>{-1.0, 1.0, -1.0}));
}

// From a journal: what is there is not run again, what is missing in between is.
TEST(RunPool, FillsTheGapsOfAJournal) {
  RunPool pool(5);
  pool.finish(0, samples_of({0.0}), "");
  pool.finish(3, samples_of({3.0}), "");
  EXPECT_EQ(pool.start(), 1u);
  EXPECT_EQ(pool.start(), 2u);
  EXPECT_EQ(pool.start(), 4u);
  EXPECT_FALSE(pool.needs_more());
  EXPECT_THROW(pool.finish(3, samples_of({3.0}), ""), Error);
}

}  // namespace
}  // namespace modicum::testing::run_pool_test
