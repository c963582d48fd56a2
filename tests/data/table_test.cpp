#include "modicum/data/table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <random>

#include "data/temporary_files.h"
#include "modicum/data/fields.h"

namespace modicum::table_test {
namespace {

using testing::all_columns;
using testing::gzipped;
using testing::matrix;
using testing::refusal;
using testing::rows_of;
using testing::strict;
using testing::table_of;
using testing::table_without_header;
using testing::TemporaryFolder;
using testing::text_of;

Table table_of_files(std::vector<std::string> paths, bool header = true) {
  TableFiles files;
  files.paths = std::move(paths);
  files.header = header;
  return Table(files);
}

TEST(Table, ReadsPlainCsvWithAnyLineEnds) {
  const TemporaryFolder folder;
  const RowBlock expected = matrix({{1, -2.5}, {3e2, 4}});
  for (const char* text :
       {"a,b\n1,-2.5\n3e2,4\n", "a,b\n1,-2.5\n3e2,4", "a,b\r\n1,-2.5\r\n3e2,4\r\n",
        "a,b\r\n1,-2.5\r\n3e2,4\r",
        "\xEF\xBB\xBF"
        "a,b\n1,-2.5\n3e2,4\n",
        "\n\r\n\na,b\n\n\n1,-2.5\r\n\r\n3e2,4\n\n\n", "a,b\n 1 ,\t-2.5\n+3e2, +4\n",
        "\"a\",\"b\"\n\"1\",\"-2.5\"\n\"3e2\",4\n", " a , b\n1,-2.5\n3e2,4.\n"}) {
    const Table table = table_of(folder.write("t.csv", text));
    EXPECT_EQ(table.columns(), (std::vector<std::string>{"a", "b"})) << text;
    EXPECT_EQ(rows_of(table), expected) << text;
    EXPECT_EQ(rows_of(table, strict()), expected) << text;
  }
}

TEST(Table, ReadsQuotedFields) {
  const TemporaryFolder folder;
  const Table table =
      table_of(folder.write("t.csv",
                            "\"a \"\"quoted\"\", name\",\"b c\",d\n"
                            "\"x,\"\"y\"\"z\",1,plain \"quote\"\r\n\"\",2,\"closed\"early\n"));
  EXPECT_EQ(table.columns(), (std::vector<std::string>{"a \"quoted\", name", "b c", "d"}));
  EXPECT_EQ(text_of(table),
            (TextBlock{{"x,\"y\"z", "1", "plain \"quote\""}, {"", "2", "closedearly"}}));
  EXPECT_EQ(rows_of(table, {1}), matrix({{1}, {2}}));
}

TEST(Table, ReadsOtherSeparators) {
  const TemporaryFolder folder;
  for (const char separator : {';', '\t', ' ', '|', '\x01'}) {
    const std::string text = fmt::format("a{0}b\n1{0}2\n\"3\"{0}4\n", separator);
    EXPECT_EQ(rows_of(table_of(folder.write("t.csv", text), true, separator)),
              matrix({{1, 2}, {3, 4}}));
  }
  const std::string path = folder.write("t.csv", "a,b\n1,2\n");
  for (const char separator : {'"', '\n', '\r', '.', '-', '+', '5', 'e', '\0'})
    EXPECT_THROW(table_of(path, true, separator), InvalidParameter);
}

TEST(Table, NumbersTheColumnsWithoutAHeader) {
  const TemporaryFolder folder;
  const Table table = table_of(folder.write("t.csv", "1,2,3\n4,5\n6,7,8\n"), false);
  EXPECT_EQ(table.columns(), (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(rows_of(table), matrix({{1, 2, 3}, {6, 7, 8}}));
}

TEST(Table, TakesNamesForFilesThatHaveNone) {
  const TemporaryFolder folder;
  const std::string bare = folder.write("bare.csv", "1,2\n3,4\n");
  TableFiles files{{bare}, false};
  files.names = {"a", "b"};
  const Table table(files);
  EXPECT_EQ(table.columns(), files.names);
  EXPECT_FALSE(table.assumptions().width_of_first_line);  // the names tell the width
  EXPECT_EQ(rows_of(table), matrix({{1, 2}, {3, 4}}));

  files.names = {"a", "b", "c"};  // every row has too few fields then
  EXPECT_EQ(rows_of(Table(files)).rows(), 0);
  TableFiles named{{folder.write("named.csv", "x,y\n1,2\n")}};
  named.names = {"a", "b"};
  EXPECT_THROW(Table{named}, InvalidParameter);
}

TEST(Table, SelectsColumnsInAnyOrderAndTwice) {
  const TemporaryFolder folder;
  const Table table = table_of(folder.write("t.csv", "a,b,c\n1,word,3\n4,,6\n"));
  EXPECT_EQ(rows_of(table, {2, 0, 2}), matrix({{3, 1, 3}, {6, 4, 6}}));
  EXPECT_EQ(rows_of(table, std::vector<std::size_t>{}).rows(), 2);
  EXPECT_THROW(rows_of(table, {3}), InvalidParameter);
  EXPECT_EQ(table.index_of("column", "c"), 2u);
  EXPECT_THROW(table.index_of("column", "d"), InvalidParameter);
}

TEST(Table, RefusesDuplicateNamesOnlyWhenTheyAreAskedFor) {
  const TemporaryFolder folder;
  const Table table = table_of(folder.write("t.csv", "a,b,a\n1,2,3\n"));
  EXPECT_EQ(table.index_of("column", "b"), 1u);
  EXPECT_THROW(table.index_of("column", "a"), InvalidParameter);
}

TEST(Table, DropsBadRowsOrSaysWhereTheyAre) {
  const TemporaryFolder folder;
  const std::string good = "\na,\"b b\",c\n1,2,x\n\n\n\"3\",4,\"two, fields\"\n";  // 6 lines
  struct Case {
    const char *row, *place;
  };
  for (const Case& bad :
       {Case{"1,,x", "line 7, column b b"}, Case{"NA,2,x", "line 7, column a"},
        Case{"1,nan,x", "line 7, column b b"}, Case{"inf,2,x", "line 7, column a"},
        Case{"1e999,2,x", "line 7, column a"}, Case{"secret,2,x", "line 7, column a"},
        Case{"1,2\"3\",x", "line 7, column b b"}, Case{"1 2,3,x", "line 7, column a"},
        Case{"1,2", "line 7: "}, Case{"1,2,x,", "line 7: "}, Case{"1", "line 7: "},
        Case{",,", "line 7, column a"}, Case{"1,2,x,secret,5", "line 7: "}, Case{" ", "line 7: "},
        Case{"1,\"2,x", "line 7: "}, Case{"\"1,2,x", "line 7: "}, Case{"1,2,\x07", "line 7: "}}) {
    const std::string path = folder.write("t.csv", fmt::format("{}{}\n5,6,x\n", good, bad.row));
    const Table table = table_of(path);
    EXPECT_EQ(rows_of(table, {0, 1}), matrix({{1, 2}, {3, 4}, {5, 6}})) << bad.row;
    const std::string message = refusal([&] { rows_of(table, {0, 1}, strict()); });
    EXPECT_CONTAINS(message, path + ", " + bad.place);
    EXPECT_EQ(message.find("secret"), std::string::npos);
  }
}

TEST(Table, CountsOnlyFieldsWhereTextIsRead) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.csv", "a,b\nx,\n1,2,3\ny,z\n");
  EXPECT_EQ(text_of(table_of(path)), (TextBlock{{"x", ""}, {"y", "z"}}));
  EXPECT_CONTAINS(refusal([&] { text_of(table_of(path), strict()); }), path + ", line 3: ");
}

TEST(Table, RefusesFilesThatAreNoTablesInOneLineThatNamesThem) {
  const TemporaryFolder folder;
  const auto expect_refused = [&](const std::string& content) {
    const std::string path = folder.write("bad.csv", content);
    EXPECT_CONTAINS(refusal([&] { rows_of(table_of(path)); }), path);
    EXPECT_CONTAINS(refusal([&] { rows_of(table_of(path, false)); }), path);
  };
  expect_refused("");
  expect_refused("\n\r\n\n");
  expect_refused("\xEF\xBB\xBF");
  expect_refused(gzipped(""));
  expect_refused(std::string("a,\0\n1,2\n", 8));
  expect_refused(std::string(2000000, '\n') + std::string(1, '\0'));
  expect_refused("PK\x03\x04zip");
  expect_refused("\"a,b\n1,2\n3,4\n5,6\n");
  expect_refused("a\rb\r1\r2");
  const std::string all = gzipped("a,b\n1,2\n3,4\n5,6\n7,8\n");
  expect_refused(all.substr(0, all.size() - 5));
  EXPECT_CONTAINS(refusal([&] { table_of(folder.path("")); }), "directory");
  EXPECT_CONTAINS(refusal([&] { table_of(folder.path("missing.csv")); }), "missing.csv");
  EXPECT_CONTAINS(refusal([&] { table_of(folder.path("none-*.csv")); }), "none-*.csv");
  EXPECT_THROW(table_of_files({}), InvalidParameter);
}

// Whatever a first line says is published as names of columns: it must not be a person's.
TEST(Table, RefusesAFirstLineThatMayBeARowAndTellsNothingOfIt) {
  const TemporaryFolder folder;
  for (const char* line : {"Jane Smith,HIV",
                           "52;3.2;41",
                           "Smith;HIV",
                           "Smith\tHIV",
                           "Smith HIV",
                           "Smith|HIV",
                           "$52",
                           "2020-01-05,52kg",
                           "1,2.5",
                           "0.25",
                           "1,,3",
                           "7,NA",
                           "x1,2",
                           "a,\" -2.5e0\"",
                           "age,wage 52",
                           "\"Smith, Jane\",HIV",
                           "x1,2nd",
                           ",HIV",
                           "NA,NA",
                           "true,false",
                           "HIV,Smith,HIV",
                           "E11.9,x",
                           "M\xC3\xBCller,HIV",
                           "Smith,,HIV,",
                           "Smith-HIV",
                           ","}) {
    TableFiles files{{folder.write("t.csv", std::string(line) + "\n3,4\n")}};
    const std::string message = refusal<UsageError>([&] { Table{files}; });
    EXPECT_CONTAINS(message, files.paths.front());
    for (const char* way_out : {"`header`", "`no_header`", "`names`", "`separator`"})
      EXPECT_CONTAINS(message, way_out);
    for (const char* field : {"Smith", "HIV", "2.5", "52", "NA", "2020", "E11"})
      EXPECT_EQ(message.find(field), std::string::npos) << message;
    files.header_declared = true;
    EXPECT_NO_THROW(Table{files}) << line;
    files.header = false;
    EXPECT_NO_THROW(Table{files}) << line;
  }
}

TEST(Table, TakesIdentifiersForAHeader) {
  const TemporaryFolder folder;
  for (const char* line : {"a,b", " a ,\tb", "\"a\",\"b\"",
                           "\xEF\xBB\xBF"
                           "a,b"}) {
    const Table table(TableFiles{{folder.write("t.csv", std::string(line) + "\n3,4\n")}});
    EXPECT_EQ(table.columns(), (std::vector<std::string>{"a", "b"})) << line;
    EXPECT_EQ(rows_of(table), matrix({{3, 4}}));
    EXPECT_TRUE(table.assumptions().header);
  }
  EXPECT_FALSE(table_without_header(folder.path("t.csv"), 2).assumptions().header);
}

TEST(Table, SaysThatAHeaderEndsWithASeparator) {
  const TemporaryFolder folder;
  TableFiles files{{folder.write("t.csv", "a,b,\n1,2,\n3,4,\n")}};
  EXPECT_CONTAINS(refusal<UsageError>([&] { Table{files}; }), "ends with a separator");
  files.header_declared = true;
  EXPECT_EQ(rows_of(Table(files), {0, 1}), matrix({{1, 2}, {3, 4}}));
}

TEST(Table, LooksAtTheShapeOfTheFirstRowIfThatIsPublic) {
  const TemporaryFolder folder;
  const auto table = [&](const char* text, bool header = true) {
    TableFiles files{{folder.write("t.csv", text)}, header};
    files.public_shape = true;
    return Table(files);
  };
  const Table fits = table("a,b\n\n1,\"2\"\nx,y,z\n");
  EXPECT_TRUE(fits.assumptions().public_shape);
  EXPECT_NO_THROW(RowRule(fits, {}));
  EXPECT_EQ(rows_of(fits), matrix({{1, 2}}));
  EXPECT_NO_THROW(RowRule(table("a,b\n"), {}));  // no row, no shape
  for (const char* ragged : {"a,b\n1,2,3\n1,2\n", "a,b\n1;2\n", "a,b\n1,2,\n"})
    EXPECT_CONTAINS(refusal<UsageError>([&] { table(ragged); }), "but there are 2 columns");
  EXPECT_THROW(table("a,b\n1,\"2\n"), UnreadableFile);

  const Table text = table("name,b\nSmith,2\n3,4\n");
  EXPECT_NO_THROW(RowRule(text, {"b"}));
  const std::string message = refusal<UsageError>([&] { RowRule(text, {}); });
  EXPECT_CONTAINS(message, "no number in column \"name\"");
  EXPECT_EQ(message.find("Smith"), std::string::npos);
  EXPECT_THROW(RowRule(table("1,\n3,4\n", false), {"2"}), UsageError);
  EXPECT_FALSE(Table(TableFiles{{folder.path("t.csv")}, false}).assumptions().public_shape);
}

TEST(Table, LooksAtTheShapeOfEveryFile) {
  const TemporaryFolder folder;
  folder.write("1.csv", "a,b\n1,2\n");
  folder.write("2.csv", "a,b\n");
  folder.write("3.csv", "a,b\nx,2\n");
  TableFiles files{{folder.path("?.csv")}};
  files.public_shape = true;
  const Table table(files);
  EXPECT_NO_THROW(table.require_numbers(1));
  EXPECT_CONTAINS(refusal<UsageError>([&] { table.require_numbers(0); }), "3.csv");
}

TEST(Table, CountsWhatBecomesOfRows) {
  const TemporaryFolder folder;
  const Table table = table_of(folder.write(
      "t.csv", "a,b\n1,2\n1,2,3\n\n1\n1,x\nx,1\n1,\"2\n1,\x07\n3,4\n1e400,0\n0x10,0\n"));
  for (const unsigned threads : {1u, 3u}) {
    ReadOptions options;
    options.threads = threads;
    EXPECT_EQ(table.count_rows({0, 1}, options), (RowCounts{2, 2, 2, 4}));
    EXPECT_EQ(table.count_rows({1}, options), (RowCounts{5, 2, 2, 1}));
    EXPECT_EQ(table.count_rows({}, options), (RowCounts{6, 2, 2, 0}));
  }
  EXPECT_EQ(table.count_rows({0, 1}, {}).used, static_cast<std::uint64_t>(rows_of(table).rows()));
  const std::vector<double> numbers{1, 2, NAN, 4, INFINITY, 6};
  TableFiles memory;
  memory.memory = RowsInMemory{numbers.data(), 3, 2, 2, 1};
  EXPECT_EQ(Table(memory).count_rows({0, 1}, {}), (RowCounts{1, 0, 0, 2}));
  EXPECT_EQ(Table(memory).count_rows({1}, {}), (RowCounts{3, 0, 0, 0}));
}

TEST(Table, RefusesAFileThatIsThereTwiceByAnyName) {
  const TemporaryFolder folder;
  const std::string path = folder.write("part-1.csv", "a,b\n1,2\n");
  std::filesystem::create_hard_link(path, folder.path("hard.csv"));
  std::filesystem::create_symlink(path, folder.path("soft.csv"));
  for (const std::string& other :
       {path, folder.path("./part-1.csv"), folder.path("part-*.csv"), folder.path("hard.csv"),
        folder.path("soft.csv"), folder.path("*.csv")})
    EXPECT_THROW(table_of_files({path, other}), InvalidParameter) << other;
  folder.write("part-2.csv", "a,b\n1,2\n");  // a copy is another file
  EXPECT_NO_THROW(table_of_files({folder.path("part-*.csv")}));
}

TEST(Table, ReadsSeveralFilesAsOneSortedByName) {
  const TemporaryFolder folder;
  folder.write("part-2.csv", "a,b\n3,4\n");
  folder.write("part-10.csv", "a,b\n1,2");
  folder.write("part-3.csv", gzipped("a,b\n5,6\n"));
  folder.write("empty.csv", "a,b\n");
  folder.write("odd[1].csv", "a,b\n9,9\n");
  EXPECT_EQ(rows_of(table_of(folder.path("part-*.csv"))), matrix({{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(rows_of(table_of_files({folder.path("part-3.csv"), folder.path("empty.csv"),
                                    folder.path("part-[!3].csv"), folder.path("odd[1].csv")})),
            matrix({{5, 6}, {3, 4}, {9, 9}}));
  folder.write("part-4.csv", "b,a\n5,6\n");
  EXPECT_THROW(table_of(folder.path("part-*.csv")), InvalidParameter);
}

std::string many_rows(int rows) {
  std::mt19937_64 generator(6);
  std::string text = "a,b,c\n";
  for (int i = 0; i < rows; ++i)
    text += i % 1000 == 7 ? std::string("bad,1,2\n")
            : i % 1000 == 8
                ? std::string("\"1\",\"2\",\"3\"\n")
                : fmt::format("{},{:.4f},{}\n", i, static_cast<double>(generator() % 100000) / 7.0,
                              generator() % 100);
  return text;
}

TEST(Table, ReadsTheSameBlocksWithAnyNumberOfThreads) {
  const TemporaryFolder folder;
  const std::string text = many_rows(200000);
  const Table plain = table_of(folder.write("t.csv", text));
  const Table zipped = table_of(folder.write("t.csv.gz", gzipped(text)));
  const RowBlock expected = rows_of(plain);
  EXPECT_EQ(expected.rows(), 200000 - 200);
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    ReadOptions options;
    options.threads = threads;
    EXPECT_EQ(rows_of(plain, options), expected);
    EXPECT_EQ(rows_of(zipped, options), expected);
    options.bad_rows = BadRows::refused;
    EXPECT_CONTAINS(refusal([&] { rows_of(zipped, options); }), "line 9, column a");
  }
}

TEST(Table, FindsTheLineOfABadRowFarIntoTheFile) {
  const TemporaryFolder folder;
  std::string text = "a,b,c\n";
  for (int i = 0; i < 300000; ++i) text += "1.25,2,3\n";
  const std::string path = folder.write("t.csv.gz", gzipped(text + "1,,3\n4,5\n"));
  EXPECT_CONTAINS(refusal([&] {
                    rows_of(table_of(path), {0, 1}, strict());
                  }),
                  path + ", line 300002, column b");
}

TEST(Table, PassesOnTheFirstExceptionOfTheWork) {
  const TemporaryFolder folder;
  const Table table = table_of(folder.write("t.csv", many_rows(200000)));
  double expected = -1.0;
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    ReadOptions options;
    options.threads = threads;
    double first_row = -1.0;
    try {
      table.for_each_block({0}, options, [&](const RowBlock& block) -> std::function<void()> {
        if (block(0, 0) > 50000.0) throw block(0, 0);
        return {};
      });
    } catch (const double value) {
      first_row = value;
    }
    if (threads == 1) expected = first_row;
    EXPECT_GT(first_row, 50000.0);
    EXPECT_EQ(first_row, expected);
    EXPECT_THROW(table.for_each_block({0}, options,
                                      [](const RowBlock&) -> std::function<void()> {
                                        return [] { throw Error("no"); };
                                      }),
                 Error);
  }
}

TEST(Table, ShowsProgressUpToTheTotal) {
  const TemporaryFolder folder;
  const std::string text = many_rows(100000);
  folder.write("1.csv", text);
  folder.write("2.csv", gzipped(text));
  folder.write("3.csv", "a,b,c\n");
  std::uint64_t last = 0, size = 0, calls = 0;
  ReadOptions options;
  options.threads = 3;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, total);
    last = done;
    size = total;
    ++calls;
  };
  rows_of(table_of(folder.path("*.csv")), options);
  EXPECT_EQ(size, text.size() + gzipped(text).size() + 6);
  EXPECT_EQ(last, size);
  EXPECT_GE(calls, 4u);
}

TEST(Table, KeepsRowsForTheNextPassWhereTheyFit) {
  const TemporaryFolder folder;
  std::string text = "a,b,c\n";
  for (int i = 0; i < 200000; ++i) text += fmt::format("{},{},x\n", i, i % 7 == 0 ? "NA" : "2");
  const std::string path = folder.write("t.csv", text);
  const auto seen = [](const Table& table, std::vector<std::size_t> columns, ReadOptions options) {
    std::vector<double> all;
    table.for_each_block(columns, options, [&](const RowBlock& block) -> std::function<void()> {
      return [&all, block] { all.insert(all.end(), block.data(), block.data() + block.size()); };
    });
    return all;
  };
  const std::vector<double> expected = seen(table_of(path), {1, 0}, {});
  ASSERT_EQ(expected.size(), 2u * (200000 - 28572));
  for (const unsigned threads : {1u, 3u}) {
    const std::string copy = folder.write("copy.csv", text);
    const ReadOptions options{BadRows::dropped, threads, nullptr};
    const Table kept = table_of(copy), too_large = table_of(copy);
    kept.keep_rows({1, 0}, 8.0 * static_cast<double>(expected.size()));
    too_large.keep_rows({1, 0}, 8.0 * static_cast<double>(expected.size()) - 1.0);
    for (const Table* each : {&kept, &too_large}) EXPECT_EQ(seen(*each, {1, 0}, options), expected);
    std::filesystem::remove(copy);
    EXPECT_EQ(seen(kept, {1, 0}, options), expected);
    EXPECT_EQ(seen(kept, {1, 0}, options), expected);
    EXPECT_THROW(seen(kept, {0, 1}, options), UnreadableFile);  // they are others
    EXPECT_THROW(seen(kept, {1, 0}, {BadRows::refused, threads, nullptr}), UnreadableFile);
    EXPECT_THROW(seen(too_large, {1, 0}, options), UnreadableFile);
  }
}

// A pass that fails keeps nothing: the next one reads all.
TEST(Table, KeepsNothingOfAPassThatFails) {
  const TemporaryFolder folder;
  std::string text = "a\n";
  for (int i = 0; i < 500000; ++i) text += fmt::format("{}\n", i);
  const Table table = table_of(folder.write("t.csv", text));
  table.keep_rows({0}, 1e9);
  int blocks = 0;
  EXPECT_THROW(table.for_each_block({0}, {},
                                    [&](const RowBlock&) -> std::function<void()> {
                                      return [&] {
                                        if (++blocks == 2) throw Error("enough");
                                      };
                                    }),
               Error);
  const RowBlock all = rows_of(table);
  EXPECT_EQ(all.rows(), 500000);
  EXPECT_EQ(rows_of(table), all);
}

TEST(Table, HoldsLittleMemoryForManyShortLines) {
  const TemporaryFolder folder;
  std::string text = "c0";
  for (int i = 1; i < 5000; ++i) text += fmt::format(",c{}", i);
  text += "\n" + std::string(1000000, 'x');
  for (std::size_t i = text.size() - 1000000; i < text.size(); i += 2) text[i] = '\n';
  const Table table = table_of(folder.write("t.csv", text));
  EXPECT_EQ(rows_of(table).rows(), 0);  // would be 20 GB at a row a line
}

}  // namespace
}  // namespace modicum::table_test
