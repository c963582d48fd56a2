#include "modicum/data/arrow.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include "data/cells/cell_text.h"
#include "data/columns_in_memory.h"
#include "modicum/data/unreadable_file.h"
#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

using data::Cells;
using data::CellsPointer;
using data::ColumnsInMemory;
using data::Validity;

// Takes over what was given, and calls its release in the end.
template <class Struct>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Struct& given) : content_(given) { given.release = nullptr; }
  Owned(Owned&& other) noexcept : content_(other.content_) { other.content_.release = nullptr; }
  Owned& operator=(Owned&&) = delete;
  ~Owned() {
    if (content_.release != nullptr) content_.release(&content_);
  }
  Struct* operator->() { return &content_; }
  Struct& operator*() { return content_; }
  bool released() const { return content_.release == nullptr; }

 private:
  Struct content_{};
};

class BitCells final : public Cells {
 public:
  BitCells(Validity truth, Validity validity) : truth_(truth), validity_(validity) {}
  bool number(std::size_t row, double& value) const override {
    value = validity_(row) ? (truth_(row) ? 1.0 : 0.0) : NAN;
    return true;
  }
  void text(std::size_t row, std::string& to) const override {
    to = !validity_(row) ? "" : truth_(row) ? "true" : "false";
  }

 private:
  Validity truth_, validity_;
};

// Whole numbers of 16 bytes, times a power of ten.
class DecimalCells final : public Cells {
 public:
  DecimalCells(const char* first, int scale, Validity validity)
      : first_(first), scale_(scale), unit_(std::pow(10.0, scale)), validity_(validity) {}
  bool number(std::size_t row, double& value) const override {
    value = validity_(row) ? static_cast<double>(whole(row)) / unit_ : NAN;
    return true;
  }
  // Exactly: two of them must not become one.
  void text(std::size_t row, std::string& to) const override {
    if (!validity_(row)) return to.clear();
    const Whole value = whole(row);
    __extension__ using Size = unsigned __int128;
    Size left = value < 0 ? -static_cast<Size>(value) : static_cast<Size>(value);
    std::string digits;
    for (; left > 0; left /= 10)
      digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(left % 10)));
    if (scale_ <= 0) digits.append(value == 0 ? 0 : static_cast<std::size_t>(-scale_), '0');
    while (static_cast<int>(digits.size()) <= std::max(scale_, 0))
      digits.insert(digits.begin(), '0');
    if (scale_ > 0) digits.insert(digits.end() - scale_, '.');
    to = data::text_of_decimal((value < 0 ? "-" : "") + digits);
  }

 private:
  __extension__ using Whole = __int128;
  Whole whole(std::size_t row) const {
    Whole value = 0;
    std::memcpy(&value, first_ + 16 * row, 16);
    return value;
  }

  const char* first_;
  int scale_;
  double unit_;
  Validity validity_;
};

// 16 bytes each: a length, then the text if it is short, else its place in one of several buffers.
class ViewCells final : public Cells {
 public:
  ViewCells(const char* first, const void* const* buffers, Validity validity)
      : first_(first), buffers_(buffers), validity_(validity) {}
  void text(std::size_t row, std::string& to) const override {
    if (!validity_(row)) return to.clear();
    const char* const view = first_ + 16 * row;
    std::int32_t length = 0, buffer = 0, offset = 0;
    std::memcpy(&length, view, 4);
    const auto size = static_cast<std::size_t>(length);
    if (length <= 12) {
      to.assign(view + 4, size);
      return;
    }
    std::memcpy(&buffer, view + 8, 4);
    std::memcpy(&offset, view + 12, 4);
    to.assign(static_cast<const char*>(buffers_[buffer]) + offset, size);
  }

 private:
  const char* first_;
  const void* const* buffers_;
  Validity validity_;
};

// How many units of a timestamp make a day: tss, tsm, tsu, tsn.
std::int64_t units_per_day(char unit) {
  constexpr std::int64_t seconds = 86400;
  switch (unit) {
    case 's':
      return seconds;
    case 'm':
      return seconds * 1000;
    case 'u':
      return seconds * 1000000;
    default:
      return seconds * 1000000000;
  }
}

// "d:19,10": the digits behind the point, of numbers of 16 bytes.
std::optional<int> decimal_scale(std::string_view format) {
  int digits = 0, scale = 0, bits = 128;
  const int found = std::sscanf(std::string(format).c_str(), "d:%d,%d,%d", &digits, &scale, &bits);
  if (found < 2 || bits != 128 || std::abs(scale) > 300) return {};
  return scale;
}

CellsPointer stored_cells(std::string_view format, const ArrowArray& array) {
  if (array.length == 0 || array.n_buffers < 2 || array.buffers[1] == nullptr)
    return data::empty_cells();
  const auto first = static_cast<std::size_t>(array.offset);
  const Validity validity{static_cast<const std::uint8_t*>(array.buffers[0]), first};
  const auto* const values = static_cast<const char*>(array.buffers[1]);
  const auto numbers = [&](const char* kind, std::size_t bytes) {
    return data::number_cells(kind, values + first * bytes, static_cast<std::ptrdiff_t>(bytes),
                              validity);
  };
  if (format == "c" || format == "C") return numbers(format == "c" ? "b" : "B", 1);
  if (format == "s" || format == "S") return numbers(format == "s" ? "h" : "H", 2);
  if (format == "i" || format == "I") return numbers(format == "i" ? "i" : "I", 4);
  if (format == "l" || format == "L") return numbers(format == "l" ? "q" : "Q", 8);
  if (format == "f") return numbers("f", 4);
  if (format == "g") return numbers("d", 8);
  if (format == "b")
    return std::make_shared<BitCells>(
        Validity{reinterpret_cast<const std::uint8_t*>(values), first}, validity);
  if ((format == "u" || format == "U") && array.n_buffers > 2) {
    const std::size_t bytes = format == "u" ? 4 : 8;
    return data::text_cells(bytes, values + first * bytes,
                            static_cast<const char*>(array.buffers[2]), validity);
  }
  if (format == "vu")
    return std::make_shared<ViewCells>(values + 16 * first, array.buffers + 2, validity);
  if (format == "tdD") return data::date_cells(4, values + 4 * first, 4, 1, validity);
  if (format == "tdm")
    return data::date_cells(8, values + 8 * first, 8, units_per_day('m'), validity);
  if (format.starts_with("ts") && format.size() > 3)
    return data::date_cells(8, values + 8 * first, 8, units_per_day(format[2]), validity);
  if (const std::optional<int> scale = decimal_scale(format))
    return std::make_shared<DecimalCells>(values + 16 * first, *scale, validity);
  return data::empty_cells();
}

CellsPointer cells_of(const ArrowSchema& schema, const ArrowArray& array) {
  CellsPointer own = stored_cells(schema.format, array);
  if (schema.dictionary == nullptr || array.dictionary == nullptr) return own;
  return data::dictionary_cells(std::move(own), cells_of(*schema.dictionary, *array.dictionary),
                                static_cast<std::size_t>(array.dictionary->length));
}

bool is_struct(const ArrowSchema& schema) { return std::string_view(schema.format) == "+s"; }

std::string name_in(const ArrowSchema& schema) {
  return schema.name == nullptr || *schema.name == '\0' ? "value" : schema.name;
}

std::vector<std::string> names_of(const ArrowSchema& schema) {
  if (!is_struct(schema)) return {name_in(schema)};
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < schema.n_children; ++i)
    names.push_back(name_in(*schema.children[i]));
  return names;
}

// Rows of a struct begin at its offset: in each child, too.
ColumnsInMemory::Batch batch_of(const ArrowSchema& schema, const ArrowArray& array) {
  ColumnsInMemory::Batch batch{static_cast<std::size_t>(array.length), {}};
  if (!is_struct(schema)) {
    batch.columns.push_back(cells_of(schema, array));
    return batch;
  }
  if (array.n_children != schema.n_children)
    throw InvalidParameter("rows", "a batch of other columns", "must have those of its schema");
  for (std::int64_t i = 0; i < array.n_children; ++i) {
    ArrowArray child = *array.children[i];
    child.offset += array.offset;
    batch.columns.push_back(cells_of(*schema.children[i], child));
  }
  return batch;
}

struct Source {
  Owned<ArrowSchema> schema;
  std::vector<std::unique_ptr<Owned<ArrowArray>>> arrays;
};

std::shared_ptr<const ColumnsInMemory> columns_of(std::shared_ptr<Source> source) {
  const ArrowSchema& schema = *source->schema;
  std::vector<std::string> names = names_of(schema);
  if (names.empty()) throw InvalidParameter("rows", "without columns", "must have one at least");
  std::vector<ColumnsInMemory::Batch> batches;
  for (const auto& array : source->arrays) batches.push_back(batch_of(schema, **array));
  return std::make_shared<const ColumnsInMemory>(std::move(names), std::move(batches),
                                                 std::move(source));
}

[[noreturn]] void refuse_released() {
  throw InvalidParameter("rows", "released already", "must be given while they are there");
}

}  // namespace

std::shared_ptr<const ColumnsInMemory> columns_from_arrow(ArrowArrayStream& given) {
  Owned<ArrowArrayStream> stream(given);
  if (stream.released()) refuse_released();
  // What the other library says of an error may be data.
  const auto require = [](int code) {
    if (code != 0) throw UnreadableFile("the stream of rows broke off");
  };
  const auto source = std::make_shared<Source>();
  require(stream->get_schema(&*stream, &*source->schema));
  for (;;) {
    auto next = std::make_unique<Owned<ArrowArray>>();
    require(stream->get_next(&*stream, &**next));
    if (next->released()) break;
    source->arrays.push_back(std::move(next));
  }
  return columns_of(source);
}

std::shared_ptr<const ColumnsInMemory> columns_from_arrow(ArrowSchema& schema, ArrowArray& array) {
  const auto source = std::make_shared<Source>(Source{Owned<ArrowSchema>(schema), {}});
  source->arrays.push_back(std::make_unique<Owned<ArrowArray>>(array));
  if (source->schema.released() || source->arrays.front()->released()) refuse_released();
  return columns_of(source);
}

}  // namespace modicum
