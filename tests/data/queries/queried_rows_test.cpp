#include "data/queries/queried_rows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <limits>

#include "data/queries/duckdb_here.h"
#include "data/queries/text_rows.h"
#include "data/temporary_files.h"
#include "modicum/data/fields.h"
#include "modicum/data/query.h"

namespace modicum::testing::queried_rows_test {
namespace {

class QueriedRowsTest : public ::testing::Test {
 protected:
  void SetUp() override { find_duckdb(); }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  // The statement makes the rows; the path of the file.
  std::string parquet(const std::string& name, const std::string& statement) const {
    FreeDatabase().run(fmt::format("COPY ({}) TO '{}' (FORMAT parquet)", statement, path(name)));
    return path(name);
  }
  static Table asked(const std::string& query) {
    TableFiles files;
    files.queried = queried_rows(query);
    return Table(files);
  }
  static Table opened(const std::vector<std::string>& paths) {
    TableFiles files;
    files.paths = paths;
    return Table(files);
  }
  static TextTable texts(const Table& table, const ReadOptions& options = {}) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < table.columns().size(); ++i) all.push_back(i);
    TextTable rows;
    table.for_each_text_block(all, options, [&](const TextBlock& block) -> std::function<void()> {
      return [&rows, block] { rows.insert(rows.end(), block.begin(), block.end()); };
    });
    return rows;
  }
  static TextTable texts(const std::string& query) { return texts(asked(query)); }
  // Numbers of the first column.
  static std::vector<double> numbers(const Table& table, unsigned threads = 2) {
    std::vector<double> all;
    table.for_each_block({0}, {BadRows::dropped, threads, nullptr},
                         [&](const RowBlock& block) -> std::function<void()> {
                           return [&all, block] {
                             for (Eigen::Index i = 0; i < block.rows(); ++i)
                               all.push_back(block(i, 0));
                           };
                         });
    return all;
  }

  TemporaryFolder folder_;
};

TEST_F(QueriedRowsTest, CellsOfParquetAreThoseOfAFile) {
  const std::string path = parquet(
      "types.parquet",
      "SELECT true AS b, 9007199254740993 AS i, 18446744073709551615::UBIGINT AS u, "
      "-5::TINYINT AS t, 2.5::DOUBLE AS d, 3::DOUBLE AS whole, 0.1::FLOAT AS f, "
      "1.50::DECIMAL(9,2) AS p, -0.05::DECIMAL(4,2) AS n, "
      "123456789012345678901234567.80::DECIMAL(38,2) AS long, 'a,\"b' AS s, date '2020-07-02' AS "
      "day, "
      "timestamp '2020-07-02 00:00:00' AS midnight, timestamp '2020-07-02 01:02:03.5' AS moment, "
      "NULL::INTEGER AS none, '' AS empty UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, "
      "NULL, "
      "NULL, NULL, NULL, NULL, NULL, NULL, NULL, 7, 'x'");
  const Table table = opened({path});
  EXPECT_EQ(table.columns(),
            (std::vector<std::string>{"b", "i", "u", "t", "d", "whole", "f", "p", "n", "long", "s",
                                      "day", "midnight", "moment", "none", "empty"}));
  const TextTable rows = texts(table);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0], (std::vector<std::string>{
                         "true", "9007199254740993", "18446744073709551615", "-5", "2.5", "3",
                         "0.10000000149011612", "1.5", "-0.05", "123456789012345678901234567.8",
                         "a,\"b", "2020-07-02", "2020-07-02", "2020-07-02T01:02:03.5", "", ""}));
  std::vector<std::string> second(16);
  second[14] = "7";
  second[15] = "x";
  EXPECT_EQ(rows[1], second);
  EXPECT_EQ(texts(fmt::format("select i from '{}' where i = 9007199254740993", path)).size(), 1U);
  EXPECT_EQ(texts(fmt::format("select i from '{}' where i = 9007199254740992", path)).size(), 0U);
  EXPECT_EQ(numbers(asked(fmt::format("select p from '{}'", path))), (std::vector<double>{1.5}));
}

TEST_F(QueriedRowsTest, ManyRowsInTheirOrderWhateverTheThreads) {
  const std::string first =
      parquet("part-1.parquet", "SELECT i AS x, 'r' || (i % 3) AS r FROM range(300000) t(i)");
  parquet("part-2.parquet", "SELECT i AS x, 'r' || (i % 3) AS r FROM range(300000, 400000) t(i)");
  const std::string query =
      fmt::format("select x * 2 as y, r from '{}' where r = 'r1'", path("part-*.parquet"));
  const std::vector<double> one = numbers(asked(query), 1);
  EXPECT_EQ(one, numbers(asked(query), 3));
  ASSERT_EQ(one.size(), 133333U);
  for (std::size_t i = 0; i < one.size(); ++i)
    ASSERT_EQ(one[i], 2.0 * (3.0 * static_cast<double>(i) + 1));
  EXPECT_EQ(numbers(opened({path("part-*.parquet")})).size(), 400000U);
  const TextTable rows = texts(opened({first}));
  ASSERT_EQ(rows.size(), 300000U);
  for (std::size_t i = 0; i < rows.size(); ++i)
    ASSERT_EQ(rows[i], (std::vector<std::string>{fmt::format("{}", i), fmt::format("r{}", i % 3)}));
  for (const auto& row : texts(
           fmt::format("select 1 as one, 'a' as a, null as n, r from '{}' where x % 3 = 2", first)))
    ASSERT_EQ(row, (std::vector<std::string>{"1", "a", "", "r2"}));
}

TEST_F(QueriedRowsTest, ZeroIsOneCellWhateverItsSign) {
  const std::string zeros = "SELECT unnest([0.0, -0.0])::{} AS x";
  for (const char* const type : {"DOUBLE", "FLOAT"})
    EXPECT_EQ(texts(opened({parquet("zeros.parquet", fmt::format(fmt::runtime(zeros), type))})),
              (TextTable{{"0"}, {"0"}}));
}

TEST_F(QueriedRowsTest, FilesOfOneTableHaveTheSameTypes) {
  parquet("part-1.parquet", "SELECT 1 AS x");
  parquet("part-2.parquet", "SELECT 'one' AS x");
  EXPECT_THROW(opened({path("part-*.parquet")}), InvalidParameter);
  EXPECT_THROW(asked(fmt::format("select x from '{}'", path("part-*.parquet"))), InvalidParameter);
}

TEST_F(QueriedRowsTest, ADamagedFileIsNeverAShorterOne) {
  const std::string good =
      parquet("good.parquet", "SELECT i AS x, hash(i) AS h FROM range(300000) t(i)");
  std::ifstream from(good, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(from)), {});
  const std::size_t size = bytes.size();
  EXPECT_THROW(opened({file("cut.parquet", bytes.substr(0, size / 2))}), UnreadableFile);
  for (std::size_t i = size / 2; i < size / 2 + 100000; ++i)
    bytes[i] = static_cast<char>(bytes[i] ^ 0x5a);
  const Table damaged = opened({file("damaged.parquet", bytes)});
  try {
    texts(damaged);
    FAIL() << "a damaged file was read";
  } catch (const UnreadableFile& error) {
    EXPECT_STREQ(error.what(), "the rows of the query cannot be read to their end");
  }
}

// No writer makes such values from sound ones, but a file may hold them.
TEST_F(QueriedRowsTest, TimesAndMomentsOutsideTheirRangeAreEmpty) {
  constexpr std::int64_t known = 37056789012, least = std::numeric_limits<std::int64_t>::min(),
                         most = std::numeric_limits<std::int64_t>::max();
  const auto bytes_of = [](std::int64_t number) {
    return std::string(reinterpret_cast<const char*>(&number), sizeof number);
  };
  struct Case {
    const char *value, *cell, *text;
    std::vector<std::int64_t> outside;
  };
  for (const Case& each :
       {Case{"TIME '10:17:36.789012'",
             "10:17:36.789012",
             "10:17:36.789012",
             {-1, 86400000000, least, least + 1, most}},
        Case{"TIMESTAMP '1970-01-01 10:17:36.789012'",
             "1970-01-01T10:17:36.789012",
             "1970-01-01 10:17:36.789012",
             {-62135596800000001, 253402300800000000, least, least + 1, most - 1, most}},
        Case{"TIMESTAMP_NS '1970-01-01 00:00:37.056789012'",
             "1970-01-01T00:00:37.056789012",
             "1970-01-01 00:00:37.056789",
             {least, least + 1, most - 1, most}}}) {
    const std::string path = this->path("times.parquet");
    FreeDatabase().run(
        fmt::format("COPY (SELECT {} AS t) TO '{}' (FORMAT parquet, COMPRESSION uncompressed)",
                    each.value, path));
    const std::string query = fmt::format(
        "select t, cast(t as varchar) as w, upper(t) as u, left(concat(t, '-'), 1) as c, "
        "t like '1%' as l, t is null as n from '{}'",
        path);
    const TextTable good = texts(query);
    ASSERT_EQ(good.size(), 1U);
    EXPECT_EQ(good[0][0], each.cell);
    EXPECT_TRUE(good[0][1].starts_with(each.text)) << good[0][1];
    EXPECT_EQ(good[0][5], "false");
    std::ifstream from(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(from)), {});
    for (const std::int64_t number : each.outside) {
      SCOPED_TRACE(fmt::format("{} {}", each.value, number));
      std::string changed = bytes;
      for (auto place = changed.find(bytes_of(known)); place != std::string::npos;
           place = changed.find(bytes_of(known), place))
        changed.replace(place, sizeof number, bytes_of(number));
      ASSERT_NE(changed, bytes);
      file("times.parquet", changed);
      EXPECT_EQ(texts(opened({path})), (TextTable{{""}}));
      EXPECT_EQ(texts(query), (TextTable{{"", "", "", "-", "", "true"}}));
      if (std::string(each.value).starts_with("TIMESTAMP")) {
        EXPECT_EQ(texts(fmt::format("select year(t) as y, minute(t) as m, cast(t as date) as d, "
                                    "cast(t as timestamp) as s from '{}'",
                                    path)),
                  (TextTable{{"", "", "", ""}}));
      }
    }
  }
}

TEST_F(QueriedRowsTest, TheEndingSaysWhatAFileIs) {
  const auto rows = [&](const std::string& name, bool header) {
    TableFiles files;
    files.header = header;
    if (!header) {
      files.names = {"a", "b"};
      files.fields = 2;
    }
    files.queried =
        queried_rows(fmt::format("select * from '{}'", file(name, "PAR1,x\n3,4\n")), files);
    return texts(Table(files)).size();
  };
  EXPECT_EQ(rows("people.csv", true), 1U);
  EXPECT_EQ(rows("people.csv", false), 2U);
  EXPECT_EQ(rows("people", false), 2U);
  EXPECT_THROW(rows("people.parquet", false), UnreadableFile);
  EXPECT_THROW(rows("people.db", false), UsageError);
  EXPECT_EQ(texts(fmt::format("select x from '{}'", parquet("people", "SELECT 7 AS x"))),
            (TextTable{{"7"}}));
}

TEST_F(QueriedRowsTest, ColumnsThatHoldNoCellsMustNotBeAskedFor) {
  const std::string path = parquet("nested.parquet", "SELECT 1 AS x, [1, 2] AS l, 'ab'::BLOB AS b");
  EXPECT_EQ(texts(opened({path})), (TextTable{{"1", "", ""}}));
  EXPECT_EQ(texts(fmt::format("select x from '{}'", path)), (TextTable{{"1"}}));
  EXPECT_THROW(asked(fmt::format("select l from '{}'", path)), UsageError);
  EXPECT_THROW(asked(fmt::format("select x from '{}' where b is not null and length(b) > 1", path)),
               UsageError);
}

TEST_F(QueriedRowsTest, LinesOfJsonAreRowsByThemselves) {
  const std::string path =
      file("people.jsonl",
           "{\"age\": 30, \"wage\": 12.50, \"name\": \"Ann\", \"id\": 9007199254740993}\n"
           "{\"age\": \"41\", \"name\": null, \"extra\": {\"a\": [1]}}\n"
           "{\"age\": 50, broken\n"
           "[1, 2]\n"
           "\n"
           "\xff\xfe\n"
           "{\"age\": true}\r\n"
           "{\"age\": 61}");
  EXPECT_EQ(texts(fmt::format("select age, wage, name, id from '{}'", path)),
            (TextTable{{"30", "12.5", "Ann", "9007199254740993"},
                       {"41", "", "", ""},
                       {"true", "", "", ""},
                       {"61", "", "", ""}}));
  EXPECT_EQ(texts(fmt::format("select extra from '{}' where age > 35", path)),
            (TextTable{{"{\"a\":[1]}"}, {""}}));
  EXPECT_THROW(asked(fmt::format("select * from '{}'", path)), UsageError);
  EXPECT_EQ(texts(fmt::format("select age from '{}' where age >= 60",
                              file("more.jsonl.gz", gzipped("{\"age\": 60}\n{\"age\": 3}\n")))),
            (TextTable{{"60"}}));
}

TEST_F(QueriedRowsTest, CsvFilesAreReadByTheirOwnRules) {
  const std::string content =
      "age,wage,region\n30,10,\"north, east\"\n\"40,2,\n50,,south\n60,3\n70,4,\xff\n";
  for (const std::string& path :
       {file("people.csv", content), file("people.csv.gz", gzipped(content))}) {
    EXPECT_EQ(texts(fmt::format("select region, age + 1 as next from '{}'", path)),
              (TextTable{{"north, east", "31"}, {"south", "51"}, {"", "71"}}));
    EXPECT_EQ(texts(fmt::format("select age from '{}' where wage is null", path)),
              (TextTable{{"50"}}));
  }
  EXPECT_THROW(texts(asked(fmt::format("select age from '{}'", path("people.csv"))),
                     {BadRows::refused, 1, nullptr}),
               UnreadableFile);
}

TEST_F(QueriedRowsTest, TablesOfSqliteButNoViews) {
  const std::string path = folder_.path() / "people.db";
  ::sqlite3* database = nullptr;
  ASSERT_EQ(::sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(::sqlite3_exec(
                database,
                "CREATE TABLE people (age, wage REAL, \"odd \"\"name\" TEXT);"
                "INSERT INTO people VALUES (30, 1.5, 'x'), ('forty', NULL, ''), (50.5, 2, x'ff'),"
                " (9007199254740993, 3, 'y');"
                "CREATE VIEW pairs AS SELECT a.age FROM people a, people b;"
                "CREATE INDEX by_age ON people (age); ANALYZE;",
                nullptr, nullptr, nullptr),
            SQLITE_OK);
  ::sqlite3_close(database);
  EXPECT_EQ(texts(fmt::format("select * from sqlite_scan('{}', 'people')", path)),
            (TextTable{{"30", "1.5", "x"},
                       {"forty", "", ""},
                       {"50.5", "2", ""},
                       {"9007199254740993", "3", "y"}}));
  EXPECT_EQ(texts(fmt::format(
                "select age from sqlite_scan('{}', 'people') where age between 40 and 60", path)),
            (TextTable{{"50.5"}}));
  for (const char* const other : {"pairs", "nobody", "sqlite_master", "sqlite_stat1"})
    EXPECT_THROW(asked(fmt::format("select * from sqlite_scan('{}', '{}')", path, other)),
                 UsageError);
  EXPECT_THROW(asked(fmt::format("select * from '{}'", path)), UsageError);
  EXPECT_THROW(
      asked(fmt::format("select * from sqlite_scan('{}', 'people')", file("no.db", "text"))),
      UnreadableFile);
}

TEST_F(QueriedRowsTest, OfSqliteWhatIsUsedIsRead) {
  const std::string path = folder_.path() / "people.db";
  ::sqlite3* database = nullptr;
  ASSERT_EQ(::sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(::sqlite3_exec(database,
                           "CREATE TABLE people (age, wage, kept AS (wage + 1) STORED, zero REAL);"
                           "INSERT INTO people (age, wage, zero) VALUES (30, 1, -0.0), "
                           "(-9223372036854775807 - 1, 2, 0.0);"
                           "ALTER TABLE people ADD COLUMN far AS (abs(age)) VIRTUAL;"
                           "CREATE VIRTUAL TABLE notes USING fts5(word);"
                           "INSERT INTO notes VALUES ('one'), ('two');"
                           "CREATE TABLE other_notes (x); CREATE TABLE Notes_ (x);",
                           nullptr, nullptr, nullptr),
            SQLITE_OK);
  ::sqlite3_close(database);
  const std::string table = fmt::format("sqlite_scan('{}', 'people')", path);
  // The absolute value of the second row does not exist.
  EXPECT_EQ(texts(fmt::format("select wage, zero from {} where kept is not null", table)),
            (TextTable{{"1", "0"}, {"2", "0"}}));
  EXPECT_EQ(texts(fmt::format("select 5 as five from {}", table)), (TextTable{{"5"}, {"5"}}));
  const Table all = asked(fmt::format("select * from {}", table));
  EXPECT_EQ(all.columns(), (std::vector<std::string>{"age", "wage", "kept", "zero", "far"}));
  EXPECT_EQ(numbers(all), (std::vector<double>{30.0, -9223372036854775808.0}));
  for (const char* const query : {"select far from {}", "select age from {} where far > 0"})
    EXPECT_THROW(texts(fmt::format(fmt::runtime(query), table)), UsageError) << query;
  EXPECT_THROW(texts(all), UsageError);
  for (const char* const shadow :
       {"notes", "notes_data", "notes_content", "Notes_config", "Notes_"})
    EXPECT_THROW(asked(fmt::format("select * from sqlite_scan('{}', '{}')", path, shadow)),
                 UsageError)
        << shadow;
  EXPECT_TRUE(texts(fmt::format("select x from sqlite_scan('{}', 'other_notes')", path)).empty());
}

TEST_F(QueriedRowsTest, RowsAreThoseOfTheTableBesideTheQuery) {
  const auto of = [&](const std::string& query, const std::vector<std::string>& paths) {
    TableFiles files, plain;
    files.paths = paths;
    plain.queried = queried_rows(query, files);
    return Table(plain);
  };
  const std::string first = parquet("1.parquet", "SELECT 1 AS x, 'a' AS s");
  const std::string second = parquet("2.parquet", "SELECT 2 AS x, 'b' AS s");
  const std::string third = parquet("3.parquet", "SELECT 3.0::DOUBLE AS x, 'b' AS s");
  const std::string csv = file("4.csv", "x,s\n4,b\n");
  const std::string query = "select x + 1 as x from rows where s = 'b'";
  EXPECT_EQ(texts(of(query, {first, second})), (TextTable{{"3"}}));
  EXPECT_EQ(texts(of(query, {path("[12].parquet")})), (TextTable{{"3"}}));
  EXPECT_EQ(texts(of(query, {csv})), (TextTable{{"5"}}));
  // What becomes of a row is the same for all tables of these types, and for no others.
  const auto rule = [&](const std::string& each) {
    return of(query, {each}).assumptions().query_rule;
  };
  EXPECT_EQ(rule(first), rule(second));
  EXPECT_NE(rule(first), rule(third));
  EXPECT_NE(rule(first), rule(csv));
  EXPECT_THROW(of(fmt::format("select x from '{}'", first), {first}), UsageError);
  EXPECT_THROW(of("select x from postgres_scan('rows', 'public', 'rows')", {first}), UsageError);
  EXPECT_THROW(of(query, {}), UsageError);
  EXPECT_TRUE(reads_given_table(query));
  EXPECT_FALSE(reads_given_table("select x from 'rows.csv'"));
  EXPECT_FALSE(reads_given_table("select x from postgres_scan('rows', 'public', 'rows')"));
}

// A column that is not used is not read: what DuckDB could not make of it ends no run.
TEST_F(QueriedRowsTest, OfParquetWhatIsUsedIsRead) {
  const std::string good = path("moments.parquet");
  FreeDatabase().run(fmt::format(
      "COPY (SELECT 7 AS x, TIMESTAMP_MS '1970-01-01 10:17:36.789' AS t) TO '{}' (FORMAT parquet, "
      "COMPRESSION uncompressed)",
      good));
  std::ifstream from(good, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(from)), {});
  const auto bytes_of = [](std::int64_t number) {
    return std::string(reinterpret_cast<const char*>(&number), sizeof number);
  };
  bool changed = false;
  for (auto place = bytes.find(bytes_of(37056789)); place != std::string::npos;
       place = bytes.find(bytes_of(37056789), place)) {
    bytes.replace(place, 8, bytes_of(std::numeric_limits<std::int64_t>::max() / 2));
    changed = true;
  }
  ASSERT_TRUE(changed);
  const std::string bad = file("moments.parquet", bytes);
  EXPECT_THROW(texts(opened({bad})), UnreadableFile);
  EXPECT_EQ(numbers(opened({bad})), (std::vector<double>{7.0}));
  EXPECT_EQ(texts(fmt::format("select x from '{}'", bad)), (TextTable{{"7"}}));
  EXPECT_EQ(numbers(asked(fmt::format("select * from '{}' where x > 1", bad))),
            (std::vector<double>{7.0}));
}

TEST_F(QueriedRowsTest, ASessionReadsTheFilesItIsGivenAndNothingElse) {
  const std::string own = parquet("own.parquet", "SELECT 1 AS x");
  const std::string other = parquet("other.parquet", "SELECT 1 AS x");
  data::DuckDbSession session({own}, 2);
  const auto scan = [](const std::string& path) {
    return fmt::format("SELECT * FROM read_parquet('{}')", path);
  };
  EXPECT_TRUE(session.run(scan(own)));
  EXPECT_FALSE(session.run(scan(other)));
  for (const char* const statement :
       {"SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM glob('/etc/*')", "COPY (SELECT 1) TO '/tmp/x.csv'", "ATTACH '/tmp/x.db'",
        "INSTALL httpfs", "LOAD httpfs", "SET threads = 1", "SET enable_external_access = true",
        "SET lock_configuration = false", "SET allowed_paths = ['/etc/passwd']",
        "RESET allowed_paths", "EXPORT DATABASE '/tmp/x'"})
    EXPECT_FALSE(session.run(statement)) << statement;
}

TEST(IsUtf8, IsStrict) {
  for (const char* const good :
       {"", "a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(data::is_utf8(good)) << good;
  for (const char* const bad :
       {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\xaf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "a\xff"})
    EXPECT_FALSE(data::is_utf8(bad)) << bad;
}

}  // namespace
}  // namespace modicum::testing::queried_rows_test
