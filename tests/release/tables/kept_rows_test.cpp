#include "release/tables/kept_rows.h"

#include <gtest/gtest.h>

#include "release/small_tables.h"
#include "support/seeded_random.h"

namespace modicum::testing::kept_rows_test {
namespace {

// Blocks of different sizes, and how often they were read.
struct Source {
  std::vector<LabeledBlock> blocks;
  int passes = 0;

  explicit Source(long count) {
    SeededRandom random(21);
    for (long i = 0; i < count; ++i)
      blocks.push_back({clipped(random_rows(random, i + 1, 3, 0.5), IntegerClip(1.0)),
                        Eigen::VectorXd::Constant(i + 1, random.sign()), static_cast<double>(i)});
  }
  PassOverRows pass() {
    return [this](const LabeledWork& work) {
      ++passes;
      for (const LabeledBlock& block : blocks)
        if (const std::function<void()> finish = work(block)) finish();
    };
  }
};

// All that a pass shows, in its order.
std::vector<double> seen(const PassOverRows& pass) {
  std::vector<double> all;
  pass([&](const LabeledBlock& block) -> std::function<void()> {
    return [&all, block] {
      all.insert(all.end(), block.features.data(), block.features.data() + block.features.size());
      all.insert(all.end(), block.labels.begin(), block.labels.end());
      all.push_back(block.clipped);
    };
  });
  return all;
}

TEST(KeptRows, AreTheSameRowsReadOnce) {
  Source source(30);
  const std::vector<double> wanted = seen(source.pass());
  source.passes = 0;
  for (const unsigned threads : {1U, 4U}) {
    const PassOverRows kept = kept_rows(source.pass(), threads);
    for (int pass = 0; pass < 3; ++pass) EXPECT_EQ(seen(kept), wanted);
  }
  EXPECT_EQ(source.passes, 2);
}

TEST(KeptRows, AreReadAgainWhereTheyDoNotFit) {
  Source source(30);
  const std::vector<double> wanted = seen(source.pass());
  source.passes = 0;
  const PassOverRows kept = kept_rows(source.pass(), 1, 1000.0);
  for (int pass = 0; pass < 3; ++pass) EXPECT_EQ(seen(kept), wanted);
  EXPECT_EQ(source.passes, 3);
}

// A pass that was broken off has kept nothing that counts.
TEST(KeptRows, StartOverAfterAnException) {
  Source source(5);
  const std::vector<double> wanted = seen(source.pass());
  const PassOverRows kept = kept_rows(source.pass(), 1);
  const auto fails = [](const LabeledBlock& block) -> std::function<void()> {
    if (block.features.rows() == 3) throw std::runtime_error("stop");
    return {};
  };
  EXPECT_THROW(kept(fails), std::runtime_error);
  EXPECT_EQ(seen(kept), wanted);
  EXPECT_EQ(seen(kept), wanted);
}

TEST(KeptRows, NoRowsAreKeptToo) {
  Source source(0);
  const PassOverRows kept = kept_rows(source.pass(), 2);
  EXPECT_TRUE(seen(kept).empty());
  EXPECT_TRUE(seen(kept).empty());
  EXPECT_EQ(source.passes, 1);
}

}  // namespace
}  // namespace modicum::testing::kept_rows_test
