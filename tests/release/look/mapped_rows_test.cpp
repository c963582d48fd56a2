// What one row can do to the sums of a look: tables with rows removed, added and made up to do
// harm, all compared in whole numbers.
#include "release/look/mapped_rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "release/memory_table.h"
#include "release/small_tables.h"

namespace modicum::testing::mapped_rows_test {
namespace {

constexpr double row_bound = 50.0;

struct Sums {
  IntegerSum sum;
  IntegerGram moments;
  std::vector<Integer128> norms;
};

const std::vector<double> edges{64.0, 16.0, 4.0, 1.0, 0.25};

Sums sums_of(const Eigen::MatrixXd& rows, const AffineMap& map, double radius) {
  const MemoryTable table(rows);
  const RowRule rule = table.rule();
  const PublicRows known(rule, row_bound, BadRows::refused);
  const MappedRows mapped(table.table(), rule, known, [] {
    ReadOptions options;
    options.threads = 1;
    return options;
  });
  return {mapped.sum(map, radius), mapped.moments(map, radius), mapped.norm_counts(map, edges)};
}

// The vector by which the sum differs, in whole numbers of its grid.
std::vector<Integer128> difference(const IntegerSum& more, const IntegerSum& fewer) {
  std::vector<Integer128> result;
  for (std::size_t i = 0; i < more.entries.size(); ++i)
    result.push_back(more.entries[i] - fewer.entries[i]);
  return result;
}

// Exactly one vector v, |v| <= radius, in both: v in the sum, v v^T in the moments, 1 in the norms.
::testing::AssertionResult differ_by_one_row(const Sums& more, const Sums& fewer, double radius) {
  const std::vector<Integer128> v = difference(more.sum, fewer.sum);
  const double ratio = radius / more.sum.grid;
  long double squares = 0.0L;
  for (const Integer128 entry : v)
    squares += static_cast<long double>(entry) * static_cast<long double>(entry);
  if (!(squares <= static_cast<long double>(ratio) * ratio))
    return ::testing::AssertionFailure() << "too long by " << static_cast<double>(squares);
  for (std::size_t i = 0; i < v.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const auto row = static_cast<Eigen::Index>(i), column = static_cast<Eigen::Index>(j);
      if (more.moments.at(row, column) - fewer.moments.at(row, column) != v[i] * v[j])
        return ::testing::AssertionFailure() << "other rows have moved at " << i << ", " << j;
    }
  Integer128 moved = 0, total = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Integer128 by = more.norms[i] - fewer.norms[i];
    moved += by < 0 ? -by : by;
    total += by;
  }
  if (moved != 1 || total != 1) return ::testing::AssertionFailure() << "norms";
  return ::testing::AssertionSuccess();
}

AffineMap some_map(SeededRandom& random, Eigen::Index columns, double size) {
  const Eigen::VectorXd center =
      Eigen::VectorXd::NullaryExpr(columns, [&] { return 3.0 * random.normal(); });
  if (random.unit() < 0.3)
    return AffineMap::scaled(
        0.7, center, Eigen::VectorXd::NullaryExpr(columns, [&] { return size * random.normal(); }));
  return AffineMap::turned(0.7, center, random_rows(random, columns + 1, columns, size));
}

// Rows that a map may choke on, among usual ones.
Eigen::MatrixXd nasty_rows(SeededRandom& random, long rows, long columns) {
  Eigen::MatrixXd result = random_rows(random, rows, columns, 4.0);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double kind = random.unit();
    if (kind < 0.1) result.row(i).setConstant(1.7e308);
    else if (kind < 0.2) result.row(i) *= 1e300;
    else if (kind < 0.3) result.row(i) *= 1e-310;
    else if (kind < 0.4) result.row(i).setZero();
    else if (kind < 0.5) result.row(i) *= row_bound / result.row(i).norm();
  }
  return result;
}

TEST(MappedRows, ARowChangesSumsByItselfAlone) {
  SeededRandom random(1);
  for (int repeat = 0; repeat < 40; ++repeat) {
    const long columns = 1 + repeat % 7;
    const Eigen::MatrixXd rows = nasty_rows(random, 30, columns);
    const double size = std::exp(random.normal() * (repeat % 5 == 0 ? 300.0 : 2.0));
    AffineMap map = some_map(random, columns, size);
    if (repeat % 3 == 0) map = map.products();
    const double radius = std::exp(3.0 * random.normal());
    const Sums all = sums_of(rows, map, radius);
    for (Eigen::Index dropped = 0; dropped < rows.rows(); dropped += 5)
      EXPECT_TRUE(differ_by_one_row(all, sums_of(without_row(rows, dropped), map, radius), radius));
    const Eigen::VectorXd added = nasty_rows(random, 1, columns).row(0);
    EXPECT_TRUE(differ_by_one_row(sums_of(with_row(rows, added), map, radius), all, radius));
  }
}

// What the check above is worth: a map that hangs on the table is caught.
TEST(MappedRows, ATwinThatCentersByTheTableIsCaught) {
  SeededRandom random(2);
  const Eigen::MatrixXd rows = random_rows(random, 30, 3, 1.0), fewer = without_row(rows, 4);
  const auto twin = [](const Eigen::MatrixXd& table) {
    return sums_of(table, AffineMap::scaled(0.7, table.colwise().mean(), Eigen::VectorXd::Ones(3)),
                   2.0);
  };
  EXPECT_FALSE(differ_by_one_row(twin(rows), twin(fewer), 2.0));
}

TEST(MappedRows, MapsAsWritten) {
  const Eigen::MatrixXd rows{{1.0, 2.0, 4.0}};
  const Eigen::MatrixXd matrix{{0.5, 0.0, 0.0}, {1.0, -1.0, 0.25}};
  const Sums sums =
      sums_of(rows, AffineMap::turned(2.0, Eigen::Vector3d(1.0, 0.0, 2.0), matrix), 64.0);
  EXPECT_EQ(static_cast<double>(sums.sum.entries[0]) * sums.sum.grid, 2.0);
  EXPECT_EQ(static_cast<double>(sums.sum.entries[1]) * sums.sum.grid, 0.0);
  EXPECT_EQ(static_cast<double>(sums.sum.entries[2]) * sums.sum.grid, -1.5);
  EXPECT_TRUE(sums.norms == (std::vector<Integer128>{0, 0, 1, 0, 0}));  // norm 2.5
}

TEST(MappedRows, ProductsWithTheLastNumber) {
  const Eigen::MatrixXd rows{{1.0, 2.0, 4.0}};
  const AffineMap map =
      AffineMap::scaled(2.0, Eigen::Vector3d(0.0, 1.0, 1.0), Eigen::Vector3d(1.0, -1.0, 0.5));
  EXPECT_EQ(map.width(), 4U);
  const AffineMap products = AffineMap(map.products().to_value());
  EXPECT_EQ(products.width(), 3U);
  const Sums sums = sums_of(rows, products, 64.0);
  ASSERT_EQ(sums.sum.entries.size(), 3U);
  // (2, 1, -1) times 1.5.
  EXPECT_EQ(static_cast<double>(sums.sum.entries[0]) * sums.sum.grid, 3.0);
  EXPECT_EQ(static_cast<double>(sums.sum.entries[1]) * sums.sum.grid, 1.5);
  EXPECT_EQ(static_cast<double>(sums.sum.entries[2]) * sums.sum.grid, -1.5);
}

// A bound on the factors is none on their product: a twin that clips rows before they are
// multiplied is caught.
TEST(MappedRows, ATwinThatClipsFactorsIsCaught) {
  const Eigen::MatrixXd rows{{30.0, 30.0}, {0.1, 0.1}}, fewer = rows.bottomRows(1);
  const AffineMap map =
      AffineMap::scaled(0.0, Eigen::Vector2d::Zero(), Eigen::Vector2d::Ones()).products();
  EXPECT_TRUE(differ_by_one_row(sums_of(rows, map, 42.0), sums_of(fewer, map, 42.0), 42.0));
  EXPECT_FALSE(differ_by_one_row(sums_of(rows, map, 1e4), sums_of(fewer, map, 1e4), 42.0));
}

TEST(MappedRows, WhatIsNotFiniteIsZero) {
  const Eigen::MatrixXd rows{{1.0, 1.0}};
  const Sums sums = sums_of(
      rows,
      AffineMap::turned(1.0, Eigen::Vector2d::Zero(), Eigen::MatrixXd::Constant(2, 2, 1.7e308)),
      1.0);
  for (const Integer128 entry : sums.sum.entries) EXPECT_TRUE(entry == 0);
  EXPECT_TRUE(sums.norms == (std::vector<Integer128>{0, 0, 0, 0, 1}));
}

// A rule of other rows would read beyond them.
TEST(MappedRows, AreThoseOfThePlan) {
  const MemoryTable narrow(Eigen::MatrixXd::Ones(3, 1)), wide(Eigen::MatrixXd::Ones(3, 2));
  const RowRule rule = narrow.rule(), other = wide.rule();
  const PublicRows known(other, row_bound, BadRows::refused);
  EXPECT_THROW(MappedRows(narrow.table(), rule, known, [] { return ReadOptions(); }),
               InvalidParameter);
  EXPECT_NO_THROW(MappedRows(wide.table(), other, known, [] { return ReadOptions(); }));
}

}  // namespace
}  // namespace modicum::testing::mapped_rows_test
