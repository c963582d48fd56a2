#include <gmp.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "modicum/data/rows.h"

namespace modicum::integer_clip_test {
namespace {

__extension__ using Integer = __int128;

// |v|^2 grid^2 <= bound^2 in rational arithmetic.
bool within_bound(const RowBlock& row, const IntegerClip& clip) {
  mpq_t sum, value, bound;
  mpq_inits(sum, value, bound, nullptr);
  for (Eigen::Index j = 0; j < row.cols(); ++j) {
    mpq_set_d(value, row(0, j));
    mpq_mul(value, value, value);
    mpq_add(sum, sum, value);
  }
  mpq_set_d(value, clip.grid());
  mpq_mul(sum, sum, value);
  mpq_mul(sum, sum, value);
  mpq_set_d(bound, clip.row_norm_bound());
  mpq_mul(bound, bound, bound);
  const bool result = mpq_cmp(sum, bound) <= 0;
  mpq_clears(sum, value, bound, nullptr);
  return result;
}

double random_bound(std::mt19937_64& generator) {
  std::uniform_real_distribution<double> uniform(1.0, 2.0);
  const int exponent = static_cast<int>(generator() % 660) - 330;
  switch (generator() % 4) {
    case 0:
      return std::ldexp(1.0, exponent);
    case 1:
      return std::nextafter(std::ldexp(1.0, exponent), generator() % 2 ? 0.0 : 1e300);
    default:
      return std::ldexp(uniform(generator), exponent);
  }
}

// Rows of every size against the bound, and of the sizes at the ends of the doubles.
RowBlock random_row(std::mt19937_64& generator, double bound) {
  std::normal_distribution<double> normal;
  RowBlock row(1, 1 + static_cast<Eigen::Index>(generator() % 40));
  double scale = bound;
  switch (generator() % 6) {
    case 0:
      scale = bound / std::sqrt(static_cast<double>(row.cols()));
      break;
    case 1:
      scale = std::ldexp(1.0, static_cast<int>(generator() % 2000) - 1000);
      break;
    case 2:
      scale = 1e307;
      break;
    case 3:
      scale = 1e-320;
      break;
    default:
      break;
  }
  for (Eigen::Index j = 0; j < row.cols(); ++j) {
    row(0, j) = std::clamp(normal(generator) * scale, -1.7e308, 1.7e308);
    if (generator() % 10 == 0) row(0, j) = generator() % 2 ? 1.7976931348623157e308 : -5e-324;
    if (generator() % 10 == 0) row(0, j) = 0.0;
  }
  return row;
}

TEST(IntegerClip, ChoosesTheGridByTheBound) {
  std::mt19937_64 generator(8);
  for (int i = 0; i < 10000; ++i) {
    const IntegerClip clip(random_bound(generator));
    int exponent = 0;
    ASSERT_EQ(std::frexp(clip.grid(), &exponent), 0.5);
    ASSERT_LE(clip.row_norm_bound() * 0x1p-20, clip.grid());
    ASSERT_LT(clip.grid(), clip.row_norm_bound() * 0x1p-19);
  }
  EXPECT_EQ(IntegerClip(1.0).grid(), 0x1p-20);
}

TEST(IntegerClip, KeepsEveryRowWithinTheBoundExactly) {
  std::mt19937_64 generator(9);
  for (int i = 0; i < 30000; ++i) {
    const IntegerClip clip(random_bound(generator));
    const RowBlock row = random_row(generator, clip.row_norm_bound());
    RowBlock clipped = row;
    clip.apply(clipped);
    ASSERT_TRUE(within_bound(clipped, clip)) << clip.row_norm_bound() << ": " << row;
    for (Eigen::Index j = 0; j < row.cols(); ++j) {
      ASSERT_EQ(clipped(0, j), std::floor(clipped(0, j)));
      ASSERT_LE(std::abs(clipped(0, j)), 0x1p20);
    }
  }
}

// Long double arithmetic, whose range is larger, is the second way.
TEST(IntegerClip, RoundsRowsWithinTheRadiusAndScalesTheOthers) {
  std::mt19937_64 generator(10);
  for (int i = 0; i < 30000; ++i) {
    const IntegerClip clip(random_bound(generator));
    const RowBlock row = random_row(generator, clip.row_norm_bound());
    RowBlock clipped = row;
    clip.apply(clipped);
    const auto radius =
        static_cast<long double>(clip.inner_radius(static_cast<std::size_t>(row.cols())));
    long double squares = 0.0L;
    for (Eigen::Index j = 0; j < row.cols(); ++j)
      squares += static_cast<long double>(row(0, j)) * static_cast<long double>(row(0, j));
    const long double factor = std::min(1.0L, radius / std::sqrt(squares));
    for (Eigen::Index j = 0; j < row.cols(); ++j) {
      const long double exact =
          factor * static_cast<long double>(row(0, j)) / static_cast<long double>(clip.grid());
      ASSERT_NEAR(static_cast<double>(exact), clipped(0, j), 0.5 + 1e-8);
    }
  }
}

TEST(IntegerClip, LeavesRowsOnTheGridWithinTheRadiusAsTheyAre) {
  std::mt19937_64 generator(11);
  int kept = 0;
  for (int i = 0; i < 20000; ++i) {
    const IntegerClip clip(random_bound(generator));
    const auto width = 1 + static_cast<Eigen::Index>(generator() % 10);
    RowBlock whole(1, width);
    for (Eigen::Index j = 0; j < width; ++j)
      whole(0, j) = static_cast<double>(static_cast<std::int64_t>(generator() % 700001) - 350000);
    const double radius = clip.inner_radius(static_cast<std::size_t>(width)) / clip.grid();
    if (whole.norm() > radius * (1.0 - 1e-14)) continue;
    ++kept;
    RowBlock row = whole * clip.grid();
    clip.apply(row);
    ASSERT_EQ(row, whole);
  }
  EXPECT_GT(kept, 2000);
}

// Of neighboring tables all other rows must become the same, wherever in memory they come to lie.
TEST(IntegerClip, TreatsARowTheSameWhereverItLies) {
  std::mt19937_64 generator(12);
  std::normal_distribution<double> normal;
  for (const Eigen::Index width : {1, 2, 3, 5, 7, 8, 91}) {
    const IntegerClip clip(1.0);
    RowBlock table(64, width);
    for (Eigen::Index i = 0; i < table.rows(); ++i)
      for (Eigen::Index j = 0; j < width; ++j) table(i, j) = normal(generator);
    RowBlock all = table;
    clip.apply(all);
    for (Eigen::Index removed = 0; removed < table.rows(); ++removed) {
      RowBlock neighbor(table.rows() - 1, width), expected(table.rows() - 1, width);
      neighbor << table.topRows(removed), table.bottomRows(table.rows() - 1 - removed);
      expected << all.topRows(removed), all.bottomRows(table.rows() - 1 - removed);
      clip.apply(neighbor);
      ASSERT_EQ(neighbor, expected);
    }
  }
}

TEST(IntegerClip, RefusesWhatItCannotBound) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bound : {0.0, -1.0, 1e-101, 1e101, infinity, std::nan("")})
    EXPECT_THROW(IntegerClip{bound}, InvalidParameter) << bound;
  const IntegerClip clip(1.0);
  for (const double bad : {infinity, -infinity, std::nan("")}) {
    RowBlock row(1, 2);
    row << 0.5, bad;
    EXPECT_THROW(clip.apply(row), InvalidParameter);
  }
  EXPECT_NO_THROW(clip.inner_radius(std::size_t{1} << 30));
  EXPECT_THROW(clip.inner_radius(std::size_t{1} << 38), InvalidParameter);
  RowBlock none(0, 3), zeros = RowBlock::Zero(2, 3);
  EXPECT_NO_THROW(clip.apply(none));
  clip.apply(zeros);
  EXPECT_EQ(zeros, RowBlock::Zero(2, 3));
}

}  // namespace
}  // namespace modicum::integer_clip_test
