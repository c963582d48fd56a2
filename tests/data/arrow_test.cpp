#include "modicum/data/arrow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "data/columns_in_memory.h"
#include "data/temporary_files.h"

namespace modicum::testing::arrow_test {
namespace {

int released = 0;  // how many structs were let go

// Arrays and their schema, as another library would hold them.
struct Produced {
  std::deque<ArrowArray> arrays;
  std::deque<ArrowSchema> schemas;
  std::deque<std::vector<const void*>> buffers;
  std::vector<ArrowArray*> children;
  std::vector<ArrowSchema*> child_schemas;
  ArrowArray whole{};
  ArrowSchema schema{};

  static void let_go(ArrowArray* array) { ++released, array->release = nullptr; }
  static void let_go(ArrowSchema* schema) { ++released, schema->release = nullptr; }

  ArrowArray& column(const char* format, const char* name, std::int64_t rows,
                     std::vector<const void*> own, bool is_child = true) {
    auto& kept = buffers.emplace_back(std::move(own));
    arrays.push_back({rows, -1, 0, static_cast<std::int64_t>(kept.size()), 0, kept.data(), nullptr,
                      nullptr, nullptr, nullptr});
    schemas.push_back({format, name, nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr});
    if (is_child) {
      children.push_back(&arrays.back());
      child_schemas.push_back(&schemas.back());
    }
    return arrays.back();
  }
  void finish(std::int64_t rows, std::int64_t offset = 0) {
    static const void* none = nullptr;
    whole = {rows,
             0,
             offset,
             1,
             static_cast<std::int64_t>(children.size()),
             &none,
             children.data(),
             nullptr,
             [](ArrowArray* a) { let_go(a); },
             nullptr};
    schema = {"+s",
              "",
              nullptr,
              0,
              static_cast<std::int64_t>(children.size()),
              child_schemas.data(),
              nullptr,
              [](ArrowSchema* s) { let_go(s); },
              nullptr};
  }
};

// Each cell as text, and as a number where it is stored as one.
std::vector<std::string> texts(const data::ColumnsInMemory& columns, std::size_t column) {
  std::vector<std::string> all;
  for (const auto& batch : columns.batches())
    for (std::size_t i = 0; i < batch.rows; ++i) batch.columns[column]->text(i, all.emplace_back());
  return all;
}

using Texts = std::vector<std::string>;

TEST(Arrow, ReadsWhatItKnowsWhereItLies) {
  const std::int64_t wide[] = {1, -2, 3};
  const float narrow[] = {0.5F, 1.25F, 3.0F};
  const std::uint8_t second_missing = 0b101, bits = 0b011;
  const std::int32_t offsets[] = {0, 5, 5, 8};
  const std::int64_t large_offsets[] = {0, 1, 2, 3};
  const char* const letters = "northeast";
  const std::int32_t days[] = {0, 18444, -1};
  const std::int64_t times[] = {86399, 86400, -1};
  const std::int8_t places[] = {1, 0, 7};
  __extension__ const __int128 decimals[] = {12345, -5, 0};
  struct View {
    std::int32_t length;
    char bytes[12];
  } views[3] = {{5, "short"}, {0, ""}, {14, ""}};
  const char* const long_text = "....fourteen bytes";
  std::memcpy(views[2].bytes, long_text + 4, 4);
  const std::int32_t where[2] = {0, 4};
  std::memcpy(views[2].bytes + 4, where, 8);

  Produced made;
  made.column("l", "wide", 3, {nullptr, wide});
  made.column("f", "narrow", 3, {&second_missing, narrow});
  made.column("b", "bits", 3, {nullptr, &bits});
  made.column("u", "text", 3, {nullptr, offsets, letters});
  made.column("U", "large", 3, {&second_missing, large_offsets, letters});
  made.column("vu", "views", 3, {nullptr, views, long_text, nullptr});
  made.column("tdD", "days", 3, {nullptr, days});
  made.column("tss:UTC", "times", 3, {nullptr, times});
  ArrowArray& coded = made.column("c", "coded", 3, {nullptr, places});
  ArrowSchema& coded_schema = made.schemas.back();
  coded.dictionary = &made.column("u", "", 2, {nullptr, offsets, letters}, false);
  coded_schema.dictionary = &made.schemas.back();
  made.column("d:9,2", "money", 3, {nullptr, decimals});
  made.column("+l", "lists", 3, {nullptr, offsets});
  made.finish(3);
  released = 0;
  {
    const auto columns = columns_from_arrow(made.schema, made.whole);
    EXPECT_EQ(made.schema.release, nullptr);
    EXPECT_EQ(made.whole.release, nullptr);
    EXPECT_EQ(columns->rows(), 3u);
    EXPECT_EQ(columns->names().size(), 11u);
    EXPECT_EQ(texts(*columns, 0), (Texts{"1", "-2", "3"}));
    EXPECT_EQ(texts(*columns, 1), (Texts{"0.5", "", "3"}));
    EXPECT_EQ(texts(*columns, 2), (Texts{"true", "true", "false"}));
    EXPECT_EQ(texts(*columns, 3), (Texts{"north", "", "eas"}));
    EXPECT_EQ(texts(*columns, 4), (Texts{"n", "", "r"}));
    EXPECT_EQ(texts(*columns, 5), (Texts{"short", "", "fourteen bytes"}));
    EXPECT_EQ(texts(*columns, 6), (Texts{"1970-01-01", "2020-07-01", "1969-12-31"}));
    EXPECT_EQ(texts(*columns, 7),
              (Texts{"1970-01-01T23:59:59", "1970-01-02", "1969-12-31T23:59:59"}));
    EXPECT_EQ(texts(*columns, 8), (Texts{"", "north", ""}));
    EXPECT_EQ(texts(*columns, 9), (Texts{"123.45", "-0.05", "0"}));
    EXPECT_EQ(texts(*columns, 10), (Texts{"", "", ""}));

    TableFiles files;
    files.columns = columns;
    files.rules.booleans = {"bits"};
    files.rules.dates = {{"days", DateUnit::year}};
    const Table table(files);
    EXPECT_EQ(rows_of(table, {0, 1, 2, 6}), matrix({{1, 0.5, 1, 1970}, {3, 3, 0, 1969}}));
    EXPECT_EQ(table.count_rows({1}, {}, {3}).used, 2u);
    EXPECT_EQ(table.count_rows({1}, {}, {8}).missing, 2u);
    EXPECT_EQ(refusal([&] { rows_of(table, {1}, strict()); }),
              "rows, row 2, column narrow: not a finite number");
  }
  EXPECT_EQ(released, 2);
}

TEST(Arrow, RowsBeginAtTheOffsetOfTheirStruct) {
  const double values[] = {1, 2, 3, 4, 5};
  const std::int32_t offsets[] = {0, 1, 2, 3, 4, 5};
  const std::uint8_t third_missing = 0b11011;
  Produced made;
  made.column("g", "x", 4, {&third_missing, values}).offset = 1;
  made.column("u", "t", 5, {nullptr, offsets, "abcde"});
  made.finish(2, 1);
  const auto columns = columns_from_arrow(made.schema, made.whole);
  EXPECT_EQ(texts(*columns, 0), (Texts{"", "4"}));
  EXPECT_EQ(texts(*columns, 1), (Texts{"b", "c"}));
}

TEST(Arrow, StreamsOfBatches) {
  struct State {
    Produced first, second;
    int next = 0;
  } state;
  const std::int16_t values[] = {7, 8};
  for (Produced* made : {&state.first, &state.second}) {
    made->column("s", "x", 2, {nullptr, values});
    made->finish(2);
  }
  ArrowArrayStream stream{[](ArrowArrayStream* self, ArrowSchema* out) {
                            *out = static_cast<State*>(self->private_data)->first.schema;
                            return 0;
                          },
                          [](ArrowArrayStream* self, ArrowArray* out) {
                            State& own = *static_cast<State*>(self->private_data);
                            ++own.next;
                            if (own.next > 2) out->release = nullptr;
                            else *out = (own.next == 1 ? own.first : own.second).whole;
                            return 0;
                          },
                          [](ArrowArrayStream*) { return "Smith"; },
                          [](ArrowArrayStream* self) { ++released, self->release = nullptr; },
                          &state};
  released = 0;
  {
    const auto columns = columns_from_arrow(stream);
    EXPECT_EQ(columns->rows(), 4u);
    EXPECT_EQ(texts(*columns, 0), (Texts{"7", "8", "7", "8"}));
    EXPECT_EQ(stream.release, nullptr);
    EXPECT_THROW(columns_from_arrow(stream), InvalidParameter);
  }
  EXPECT_EQ(released, 4);  // a schema, two batches, the stream

  state.next = 0;
  stream.release = [](ArrowArrayStream* self) { self->release = nullptr; };
  stream.get_next = [](ArrowArrayStream*, ArrowArray*) { return 5; };
  EXPECT_EQ(refusal([&] { columns_from_arrow(stream); }), "the stream of rows broke off");
}

// One odd cell, which makes another type of its column, changes no other row.
TEST(ColumnsInMemory, CellsMeanTheSameWhateverTheyAreStoredAs) {
  const std::int64_t whole[] = {3, 4};
  const double real[] = {3.0, std::nan("")};
  const std::int32_t offsets[] = {0, 1, 2};
  const auto as_whole = data::number_cells("q", whole, 8, {});
  const auto as_real = data::number_cells("d", real, 8, {});
  const auto as_text = data::text_cells(4, offsets, "34", {});
  std::string text;
  for (const auto& cells : {as_whole, as_real, as_text}) {
    cells->text(0, text);
    EXPECT_EQ(text, "3");
  }
  as_real->text(1, text);
  EXPECT_EQ(text, "");
  EXPECT_EQ(data::number_cells("Zd", real, 8, {}), nullptr);
  EXPECT_THROW(data::ColumnsInMemory({"a", "b"}, {{2, {as_whole}}}), InvalidParameter);
}

}  // namespace
}  // namespace modicum::testing::arrow_test
