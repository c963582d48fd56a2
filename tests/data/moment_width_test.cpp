#include "data/moment_width.h"

#include <gtest/gtest.h>

#include "data/temporary_files.h"
#include "modicum/data/gram.h"
#include "modicum/data/ranks.h"
#include "support/refusals.h"

namespace modicum::testing::moment_width_test {
namespace {

// Thirty gigabytes are refused before they are asked for.
TEST(MomentWidth, IsBoundedBeforeAnythingIsRead) {
  const TemporaryFolder folder;
  std::string header = "c0";
  for (int i = 1; i < 60000; ++i) header += ",c" + std::to_string(i);
  const Table table = table_of(folder.write("wide.csv", header + "\n"));
  const RowRule rule(table, {});
  EXPECT_TRUE(refuses("coordinates", [&] { return accumulate_gram(table, rule, 1.0); }));
  EXPECT_TRUE(refuses("coordinates", [&] { return accumulate_plain_gram(table, rule); }));
  EXPECT_TRUE(refuses("coordinates", [&] { return accumulate_rank_moments(table, rule); }));
  EXPECT_EQ(accumulate_sum(table, rule, 1.0).entries.size(), 60000u);
  EXPECT_NO_THROW(data::require_moment_width(data::most_coordinates_of_moments));
}

}  // namespace
}  // namespace modicum::testing::moment_width_test
