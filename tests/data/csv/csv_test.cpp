// What is told about a CSV file: its header, how many fields, its kind, line ends in fields.
#include <gtest/gtest.h>

#include "data/temporary_files.h"

namespace modicum::testing::csv_test {
namespace {

TEST(CsvFile, TakesNothingFromTheFirstLineIfTheNumberOfFieldsIsGiven) {
  const TemporaryFolder folder;
  for (const std::string& empty : {std::string(), std::string("\n\r\n"), std::string("\0\n", 2)}) {
    const Table table = table_without_header(folder.write("t.csv", empty), 3);
    EXPECT_EQ(table.columns(), (std::vector<std::string>{"1", "2", "3"}));
    EXPECT_EQ(rows_of(table).rows(), 0);
    EXPECT_FALSE(table.assumptions().width_of_first_line);
  }
  const std::string path = folder.write("t.csv", "1\n2,3\n");
  EXPECT_EQ(rows_of(table_without_header(path, 2)), matrix({{2, 3}}));
  EXPECT_EQ(rows_of(table_without_header(path, {})), matrix({{1}}));
  EXPECT_TRUE(table_without_header(path, {}).assumptions().width_of_first_line);
  EXPECT_FALSE(
      testing::table_of(folder.write("h.csv", "a\n1\n")).assumptions().width_of_first_line);
  EXPECT_THROW(table_without_header(path, 0), InvalidParameter);
  EXPECT_THROW(table_without_header(path, 1000001), InvalidParameter);
  TableFiles files;
  files.paths = {path};
  files.fields = 1;
  EXPECT_THROW(Table{files}, InvalidParameter);
}

TEST(CsvFile, IsWhatItsNameSaysWithoutAHeader) {
  const TemporaryFolder folder;
  const std::string zipped = gzipped("1,2\n");
  EXPECT_EQ(rows_of(table_without_header(folder.write("a.csv.gz", zipped), 2)), matrix({{1, 2}}));
  const std::string text = zipped.substr(0, 3) + "\n3,4\n";
  EXPECT_EQ(rows_of(table_without_header(folder.write("a.csv", text), 2)), matrix({{3, 4}}));
  EXPECT_CONTAINS(refusal([&] { table_without_header(folder.path("a.csv"), {}); }),
                  "is not a CSV file");
  const std::string cut = folder.write("b.csv.gz", zipped.substr(0, zipped.size() - 4));
  EXPECT_CONTAINS(refusal([&] { rows_of(table_without_header(cut, 2)); }), cut);
  std::string npy("\x93NUMPY\x01\x00", 8);
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2)}\n";
  npy += static_cast<char>(header.size());
  npy += '\0';
  npy += header + "12";
  EXPECT_EQ(rows_of(table_without_header(folder.write("a.npy", npy), 2)), matrix({{49, 50}}));
  EXPECT_THROW(table_without_header(folder.path("a.npy"), 3), InvalidParameter);
  EXPECT_EQ(rows_of(table_without_header(folder.write("c.csv", npy), 1)), matrix({{12}}));
}

TEST(CsvFile, HasLineEndsInFieldsIfAskedFor) {
  const TemporaryFolder folder;
  TableFiles files;
  files.paths = {
      folder.write("t.csv", "a,b\n\"x\ny\",1\r\n\xEF\xBB\xBF\"\r\n\",2\n3,\"4\n\"\n5,6\n")};
  EXPECT_EQ(text_of(Table(files)), (TextBlock{{"y\"", "1"}, {"5", "6"}}));
  EXPECT_FALSE(Table(files).assumptions().multiline);
  files.multiline = true;
  const Table table(files);
  EXPECT_TRUE(table.assumptions().multiline);
  EXPECT_EQ(text_of(table), (TextBlock{{"x\ny", "1"}, {"\r\n", "2"}, {"3", "4\n"}, {"5", "6"}}));
  EXPECT_EQ(rows_of(table, {1}), matrix({{1}, {2}, {6}}));
  EXPECT_CONTAINS(refusal([&] { rows_of(table, {1}, strict()); }), ", line 6, column b");
  files.paths = {folder.write("open.csv", "a,b\n1,2\n\n3,\"4\n5,6\n")};
  EXPECT_CONTAINS(refusal([&] { rows_of(Table(files)); }), "open.csv, line 4: ");
  std::string endless = "a,b\n1,2\n3,\"";
  while (endless.size() < 70000000) endless += "1,2\n";
  files.paths = {folder.write("endless.csv", endless)};
  EXPECT_CONTAINS(refusal([&] { rows_of(Table(files)); }), "endless.csv, line 3: ");
}

TEST(CsvFile, HasAHeaderOfOneLineOfText) {
  const TemporaryFolder folder;
  TableFiles files;
  for (const std::string& header :
       {std::string("a,\"b\nc\""), std::string("\"a,b"), std::string("a,b\0", 4),
        std::string("a\rb,c"), std::string("a,\x07")})
    for (const bool multiline : {false, true}) {
      files.paths = {folder.write("t.csv", header + "\n1,2\n")};
      files.multiline = multiline;
      EXPECT_CONTAINS(refusal([&] { Table{files}; }), "t.csv") << header;
    }
}

}  // namespace
}  // namespace modicum::testing::csv_test
