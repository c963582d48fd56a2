// These bits cannot be repeated: the false-alarm rates, given with each test, are those of every
// run.
#include "modicum/randomness/random_source.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <set>
#include <vector>

namespace modicum::testing::random_source_test {
namespace {

using Words = std::vector<std::uint64_t>;

Words words_of(RandomSource& source, std::size_t count) {
  Words words(count);
  for (std::uint64_t& word : words) word = source.next();
  return words;
}

// How many of the words are different.
std::size_t different(const std::vector<Words>& streams) {
  std::set<std::uint64_t> seen;
  for (const Words& words : streams) seen.insert(words.begin(), words.end());
  return seen.size();
}

// What `draw` gives in a child made by `fork_like`. Empty if the child fails.
Words words_of_child(const std::function<pid_t()>& fork_like, const std::function<Words()>& draw) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  const pid_t child = fork_like();
  if (child == 0) {
    const Words words = draw();
    const std::size_t size = words.size() * sizeof(std::uint64_t);
    _exit(write(ends[1], words.data(), size) == static_cast<ssize_t>(size) ? 0 : 1);
  }
  close(ends[1]);
  Words words(8);
  const std::size_t size = words.size() * sizeof(std::uint64_t);
  const bool whole = read(ends[0], words.data(), size) == static_cast<ssize_t>(size);
  close(ends[0]);
  int status = 1;
  waitpid(child, &status, 0);
  return whole && status == 0 ? words : Words{};
}

// Parent, two children and a grandchild draw from copies of the same source. 40 words: two are the
// same by chance with probability 5e-17.
void expect_own_streams(const std::function<pid_t()>& fork_like, std::size_t drawn_before) {
  SecureSource source;
  words_of(source, drawn_before);
  const auto draw = [&] { return words_of(source, 8); };
  const Words first = words_of_child(fork_like, draw), second = words_of_child(fork_like, draw),
              third = words_of_child(fork_like, [&] {
                draw();
                return words_of_child(fork_like, draw);
              });
  ASSERT_EQ(first.size() + second.size() + third.size(), 24U);
  EXPECT_EQ(different({first, second, third, draw(), draw()}), 40U) << drawn_before;
}

bool kernel_wipes_pages() {
#ifdef MADV_WIPEONFORK
  void* const page = mmap(nullptr, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool wipes = madvise(page, 1, MADV_WIPEONFORK) == 0;
  munmap(page, 1);
  return wipes;
#else
  return false;
#endif
}

TEST(SecureSource, GivesFairBits) {
  SecureSource source;
  double ones = 0.0;
  const int words = 20000;
  for (int i = 0; i < words; ++i) ones += __builtin_popcountll(source.next());
  // 64 words bits of variance 1/4: six and a half standard deviations, 1e-10 both sides.
  EXPECT_NEAR(ones, 32.0 * words, 6.5 * 0.5 * std::sqrt(64.0 * words));
}

TEST(SecureSource, IsFairInEveryBit) {
  SecureSource source;
  const int words = 100000;
  std::array<int, 64> ones{}, changes{};
  std::uint64_t previous = source.next();
  for (int i = 0; i < words; ++i) {
    const std::uint64_t word = source.next();
    for (std::size_t bit = 0; bit < 64; ++bit) {
      ones[bit] += static_cast<int>(word >> bit & 1);
      changes[bit] += static_cast<int>((word ^ previous) >> bit & 1);
    }
    previous = word;
  }
  // 128 counts, seven standard deviations each: 4e-10 together.
  for (std::size_t bit = 0; bit < 64; ++bit) {
    EXPECT_NEAR(ones[bit], words / 2, 7.0 * 0.5 * std::sqrt(words)) << bit;
    EXPECT_NEAR(changes[bit], words / 2, 7.0 * 0.5 * std::sqrt(words)) << bit;
  }
}

// 60 000 words are more than a hundred blocks. Two are the same with probability 1e-10.
TEST(SecureSource, RepeatsNothingFromBlockToBlock) {
  SecureSource source;
  EXPECT_EQ(different({words_of(source, 60000)}), 60000U);
}

// 2e-13.
TEST(SecureSource, DiffersFromAnotherSource) {
  SecureSource first, second;
  EXPECT_EQ(different({words_of(first, 1000), words_of(second, 1000)}), 2000U);
}

// What was given out is nowhere in the object any more; by chance with probability 3e-14.
TEST(SecureSource, ForgetsWhatItGave) {
  SecureSource source;
  for (const std::size_t count : {1U, 100U, 511U, 1U, 600U}) {
    const Words drawn = words_of(source, count);
    const std::set<std::uint64_t> given(drawn.begin(), drawn.end());
    Words memory(sizeof source / sizeof(std::uint64_t));
    std::memcpy(memory.data(), static_cast<const void*>(&source),
                memory.size() * sizeof(std::uint64_t));
    for (const std::uint64_t word : memory) EXPECT_FALSE(given.contains(word));
  }
}

TEST(SecureSource, TakesANewKeyInAForkedChild) {
  for (const std::size_t drawn_before : {0U, 1U, 300U, 511U, 512U, 513U})
    expect_own_streams(fork, drawn_before);
}

// _Fork tells nobody in the process: only the kernel's wiping of the page shows it.
TEST(SecureSource, NoticesAForkThatTheLibraryDoesNotAnnounce) {
  if (!kernel_wipes_pages()) GTEST_SKIP() << "this kernel cannot wipe pages";
  for (const std::size_t drawn_before : {0U, 1U, 512U}) expect_own_streams(_Fork, drawn_before);
}

}  // namespace
}  // namespace modicum::testing::random_source_test
