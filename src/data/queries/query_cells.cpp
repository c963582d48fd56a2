#include "data/queries/query_cells.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "data/cells/cell_text.h"
#include "data/cells/number_text.h"

namespace modicum::data {
namespace {

using Column = DuckDbStatement::Column;

// Types come from the file, not from its cells, so that whole numbers are told in full: nothing was
// rounded.
template <class Whole>
class WholeCells final : public Cells {
 public:
  WholeCells(const void* values, Validity validity)
      : values_(static_cast<const Whole*>(values)), validity_(validity) {}
  bool number(std::size_t row, double& value) const override {
    value = validity_(row) ? static_cast<double>(values_[row]) : NAN;
    return true;
  }
  bool numbers(std::size_t first, std::size_t rows, double* to, std::size_t step) const override {
    if (validity_.all())
      for (std::size_t i = 0; i < rows; ++i) to[i * step] = static_cast<double>(values_[first + i]);
    else
      for (std::size_t i = 0; i < rows; ++i) WholeCells::number(first + i, to[i * step]);
    return true;
  }
  void text(std::size_t row, std::string& to) const override {
    to = validity_(row) ? fmt::format("{}", values_[row]) : "";
  }

 private:
  const Whole* values_;
  Validity validity_;
};

class QueriedTextCells final : public Cells {
 public:
  QueriedTextCells(const void* values, Validity validity)
      : values_(static_cast<const DuckDbText*>(values)), validity_(validity) {}
  void text(std::size_t row, std::string& to) const override {
    if (validity_(row)) to.assign(values_[row].begin(), values_[row].size);
    else to.clear();
  }

 private:
  const DuckDbText* values_;
  Validity validity_;
};

// A whole number of the smallest unit: 150 with scale 2 is 1.5.
template <class Whole>
class QueriedDecimalCells final : public Cells {
 public:
  QueriedDecimalCells(const void* values, int scale, Validity validity)
      : values_(static_cast<const Whole*>(values)),
        scale_(scale),
        unit_(std::pow(10.0, scale)),
        validity_(validity) {}
  // The quotient of two doubles that are exact is the double nearest to the number.
  bool number(std::size_t row, double& value) const override {
    if (!validity_(row)) {
      value = NAN;
      return true;
    }
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    const std::int64_t digits = values_[row];
    if (digits > exact || digits < -exact) return false;
    value = static_cast<double>(digits) / unit_;
    return true;
  }
  void text(std::size_t row, std::string& to) const override {
    to.clear();
    if (!validity_(row)) return;
    const std::int64_t digits = values_[row];
    to = fmt::format("{:0{}}", digits < 0 ? -digits : digits, scale_ + 1);
    if (scale_ > 0) to.insert(to.size() - static_cast<std::size_t>(scale_), ".");
    if (digits < 0) to.insert(0, "-");
    to = text_of_decimal(to);
  }

 private:
  const Whole* values_;
  int scale_;
  double unit_;
  Validity validity_;
};

CellsPointer decimal_cells(const void* values, const Column& column, Validity validity) {
  const auto of = [&]<class Whole>(Whole) -> CellsPointer {
    return std::make_shared<QueriedDecimalCells<Whole>>(values, column.scale, validity);
  };
  if (column.width <= 4) return of(std::int16_t{});
  if (column.width <= 9) return of(std::int32_t{});
  return of(std::int64_t{});
}

CellsPointer cells_of_vector(const void* values, const Column& column, Validity validity) {
  const auto whole = [&]<class Whole>(Whole) -> CellsPointer {
    return std::make_shared<WholeCells<Whole>>(values, validity);
  };
  constexpr std::int64_t day = 86400;
  const auto moments = [&](std::int64_t units) {
    return date_cells(8, values, 8, day * units, validity);
  };
  switch (column.type) {
    case DuckDbType::boolean:
      return number_cells("?", values, 1, validity);
    case DuckDbType::int8:
      return whole(std::int8_t{});
    case DuckDbType::int16:
      return whole(std::int16_t{});
    case DuckDbType::int32:
      return whole(std::int32_t{});
    case DuckDbType::int64:
      return whole(std::int64_t{});
    case DuckDbType::uint8:
      return whole(std::uint8_t{});
    case DuckDbType::uint16:
      return whole(std::uint16_t{});
    case DuckDbType::uint32:
      return whole(std::uint32_t{});
    case DuckDbType::uint64:
      return whole(std::uint64_t{});
    case DuckDbType::float4:
      return number_cells("f", values, 4, validity);
    case DuckDbType::float8:
      return number_cells("d", values, 8, validity);
    case DuckDbType::decimal:
      return decimal_cells(values, column, validity);
    case DuckDbType::text:
      return std::make_shared<QueriedTextCells>(values, validity);
    case DuckDbType::date:
      return date_cells(4, values, 4, 1, validity);
    case DuckDbType::timestamp_s:
      return moments(1);
    case DuckDbType::timestamp_ms:
      return moments(1000);
    case DuckDbType::timestamp:
    case DuckDbType::timestamp_tz:
      return moments(1000000);
    case DuckDbType::timestamp_ns:
      return moments(1000000000);
    default:
      return empty_cells();
  }
}

}  // namespace

std::shared_ptr<const ColumnsInMemory> columns_of_chunk(void* chunk,
                                                        const std::vector<Column>& columns,
                                                        const std::vector<std::string>& names) {
  const DuckDbFunctions& own = duckdb();
  const std::shared_ptr<const void> owner(chunk,
                                          [](void* given) { duckdb().destroy_data_chunk(&given); });
  ColumnsInMemory::Batch batch{own.data_chunk_get_size(chunk), {}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    void* const vector = own.data_chunk_get_vector(chunk, i);
    const Validity validity{reinterpret_cast<const std::uint8_t*>(own.vector_get_validity(vector))};
    batch.columns.push_back(cells_of_vector(own.vector_get_data(vector), columns[i], validity));
  }
  return std::make_shared<const ColumnsInMemory>(
      names, std::vector<ColumnsInMemory::Batch>{std::move(batch)}, owner);
}

}  // namespace modicum::data
