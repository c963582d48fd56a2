#include "data/files/file_patterns.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "modicum/data/unreadable_file.h"
#include "support/refusals.h"
#include "support/temporary_folder.h"

namespace modicum::testing::file_patterns_test {
namespace {

using data::expand_patterns;
using Paths = std::vector<std::string>;

TEST(FilePatterns, StandForAllThatMatchSortedByBytes) {
  const TemporaryFolder folder;
  for (const char* name : {"b.csv", "a.csv", "B.csv", "c.txt", "10.csv", "9.csv"})
    folder.write(name, "");
  EXPECT_EQ(expand_patterns({folder.path("*.csv")}),
            (Paths{folder.path("10.csv"), folder.path("9.csv"), folder.path("B.csv"),
                   folder.path("a.csv"), folder.path("b.csv")}));
  EXPECT_EQ(expand_patterns({folder.path("?.csv"), folder.path("c.txt")}).size(), 5u);
  EXPECT_EQ(expand_patterns({folder.path("[ab].csv")}),
            (Paths{folder.path("a.csv"), folder.path("b.csv")}));
}

TEST(FilePatterns, KeepTheOrderOfThePathsGiven) {
  const TemporaryFolder folder;
  const std::string a = folder.write("a.csv", ""), b = folder.write("b.csv", "");
  EXPECT_EQ(expand_patterns({b, a}), (Paths{b, a}));
}

TEST(FilePatterns, StandForNoFileTwice) {
  const TemporaryFolder folder;
  const std::string a = folder.write("a.csv", ""), b = folder.write("b.csv", "");
  std::filesystem::create_hard_link(a, folder.path("c.csv"));
  for (const Paths& paths : {Paths{b, a, b},
                             {a, folder.path("c.csv")},
                             {folder.path("*.csv")},
                             {folder.path("[ab].csv"), folder.path("a*")}})
    EXPECT_TRUE(refuses("data file", [&] { return expand_patterns(paths); })) << paths.back();
}

TEST(FilePatterns, AFileThatIsThereStandsForItself) {
  const TemporaryFolder folder;
  folder.write("ab.csv", "");
  const std::string literal = folder.write("a[b].csv", "");
  EXPECT_EQ(expand_patterns({literal}), Paths{literal});
}

TEST(FilePatterns, AreRefusedWhereNothingMatches) {
  const TemporaryFolder folder;
  EXPECT_THROW(expand_patterns({folder.path("*.csv")}), UnreadableFile);
  // A plain path is for the reader to refuse.
  EXPECT_EQ(expand_patterns({folder.path("none.csv")}), Paths{folder.path("none.csv")});
}

}  // namespace
}  // namespace modicum::testing::file_patterns_test
