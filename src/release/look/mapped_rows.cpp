#include "release/look/mapped_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "modicum/data/gathered.h"
#include "release/tables/kept_rows.h"

namespace modicum {
namespace {

// In four strands, each in its order: the same for a row wherever it lies.
double squared_norm(const double* values, std::size_t count) {
  double strands[4] = {0.0, 0.0, 0.0, 0.0};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (std::size_t k = 0; k < 4; ++k) strands[k] += values[i + k] * values[i + k];
  for (; i < count; ++i) strands[i % 4] += values[i] * values[i];
  return (strands[0] + strands[1]) + (strands[2] + strands[3]);
}

// The exponent of what is not has all its bits, and one more carries over.
bool all_finite(const double* values, std::size_t count) {
  constexpr std::uint64_t exponent = 0x7ff0000000000000, one = 0x0010000000000000;
  std::uint64_t carried = 0;
  for (std::size_t i = 0; i < count; ++i)
    carried |= (std::bit_cast<std::uint64_t>(values[i]) & exponent) + one;
  return (carried >> 63) == 0;
}

}  // namespace

AffineMap AffineMap::scaled(double constant, Eigen::VectorXd center, Eigen::VectorXd scales) {
  AffineMap map(constant, std::move(center));
  map.matrix_.assign(scales.begin(), scales.end());
  map.width_ = map.matrix_.size() + 1;
  return map;
}

AffineMap AffineMap::turned(double constant, Eigen::VectorXd center,
                            const Eigen::MatrixXd& matrix) {
  AffineMap map(constant, std::move(center));
  map.diagonal_ = false;
  map.matrix_.assign(matrix.data(), matrix.data() + matrix.size());
  map.width_ = static_cast<std::size_t>(matrix.rows()) + 1;
  return map;
}

AffineMap AffineMap::products() const {
  AffineMap map = *this;
  map.products_ = true;
  return map;
}

// Entry by entry, columns of the matrix in their order: several entries at a time, which changes
// none of them, and with nothing fused (-ffp-contract=off).
void AffineMap::apply(const double* row, std::vector<double>& scratch, double* to) const {
  const Eigen::Index from = center_.size(), made = static_cast<Eigen::Index>(width_) - 1;
  scratch.resize(static_cast<std::size_t>(from) + width_);
  double* const whole = products_ ? scratch.data() + from : to;
  Eigen::Map<Eigen::ArrayXd> moved(scratch.data(), from), mapped(whole + 1, made);
  moved = Eigen::Map<const Eigen::ArrayXd>(row, from) - center_.array();
  whole[0] = constant_;
  if (diagonal_) {
    mapped = moved * Eigen::Map<const Eigen::ArrayXd>(matrix_.data(), made);
  } else {
    const auto entries = [&]<int count>(Eigen::Index j, std::integral_constant<int, count>) {
      using Entries = Eigen::Array<double, count, 1>;
      Entries sums = Entries::Zero();
      for (Eigen::Index k = 0; k < from; ++k)
        sums += Eigen::Map<const Entries>(matrix_.data() + k * made + j) * moved[k];
      mapped.segment<count>(j) = sums;
      return count;
    };
    // As many at once as the processor holds.
    Eigen::Index j = 0;
    while (j + 8 <= made) j += entries(j, std::integral_constant<int, 8>());
    while (j + 4 <= made) j += entries(j, std::integral_constant<int, 4>());
    while (j < made) j += entries(j, std::integral_constant<int, 1>());
  }
  if (products_)
    for (Eigen::Index j = 0; j < made; ++j) to[j] = whole[j] * whole[made];
  if (!all_finite(to, width())) std::fill(to, to + width(), 0.0);
}

MappedRows::MappedRows(const Table& table, const RowRule& rule, const PublicRows& rows,
                       std::function<ReadOptions()> begin)
    : table_(table),
      rule_(rule),
      first_(rows.intercept ? 1 : 0),
      dimension_(rows.dimension() - first_),
      norm_bound_(rows.row_norm_bound),
      begin_(std::move(begin)) {
  rows.require_same(rule);
  table.keep_rows(rule.table_columns(), most_kept_bytes);
}

Value AffineMap::to_value() const {
  return Value{{"constant", constant_},
               {"center", std::vector<double>(center_.begin(), center_.end())},
               {"matrix", matrix_},
               {"diagonal", diagonal_},
               {"products", products_}};
}

AffineMap::AffineMap(const Value& value) : AffineMap(value.at("constant").number(), {}) {
  const std::vector<double> center = value.at("center").numbers();
  center_ =
      Eigen::Map<const Eigen::VectorXd>(center.data(), static_cast<Eigen::Index>(center.size()));
  matrix_ = value.at("matrix").numbers();
  diagonal_ = value.at("diagonal").boolean();
  products_ = value.at("products").boolean();
  const std::size_t from = center.size(),
                    made = diagonal_ || from == 0 ? from : matrix_.size() / from;
  if (from == 0 || matrix_.size() != (diagonal_ ? from : from * made))
    throw Error("a map of rows has another number of coordinates than its center");
  width_ = made + 1;
}

RowMap affine_row_map(AffineMap map, Eigen::Index first, Eigen::Index dimension,
                      double norm_bound) {
  Value description{{"first", first}, {"dimension", dimension}, {"norm_bound", norm_bound}};
  description["affine"] = map.to_value();
  const std::size_t width = map.width();
  return {width,
          [map = std::move(map), first, dimension, norm_bound](const RowBlock& rows) {
            RowBlock made(rows.rows(), static_cast<Eigen::Index>(map.width()));
            std::vector<double> row(static_cast<std::size_t>(dimension)), scratch;
            for (Eigen::Index i = 0; i < rows.rows(); ++i) {
              const double* const values = rows.data() + i * rows.cols() + first;
              std::copy(values, values + dimension, row.begin());
              const double norm = std::sqrt(squared_norm(row.data(), row.size()));
              if (!(norm <= norm_bound))  // 0 times a finite number where it overflows
                for (double& value : row) value *= norm_bound / norm;
              map.apply(row.data(), scratch, made.data() + i * made.cols());
            }
            return made;
          },
          std::move(description)};
}

RowMap affine_row_map(const Value& description) {
  return affine_row_map(AffineMap(description.at("affine")), description.at("first").whole(),
                        description.at("dimension").whole(), description.at("norm_bound").number());
}

RowMap MappedRows::row_map(const AffineMap& map) const {
  return affine_row_map(map, first_, dimension_, norm_bound_);
}

IntegerSum MappedRows::sum(const AffineMap& map, double bound) const {
  return accumulate_sum(table_, rule_, row_map(map), bound, begin_());
}

IntegerGram MappedRows::moments(const AffineMap& map, double bound) const {
  return accumulate_gram(table_, rule_, row_map(map), bound, begin_());
}

std::vector<Integer128> MappedRows::norm_counts(const AffineMap& map,
                                                const std::vector<double>& edges) const {
  return count_norms(table_, rule_, row_map(map), edges, begin_());
}

namespace {

WholeSums read_norms(const Table& table, const RowRule& rule, const RowMap& map,
                     const std::vector<double>& edges, const ReadOptions& options) {
  WholeSums counts{std::vector<Integer128>(edges.size(), 0)};
  table.for_each_block(rule.table_columns(), options, [&](const RowBlock& block) {
    const RowBlock rows = map.apply(rule.apply(block));
    std::vector<std::uint64_t> part(edges.size());
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      const double norm = std::sqrt(squared_norm(rows.data() + i * rows.cols(), map.width));
      // The last edge that is not below the norm; the first where none is.
      const auto above = std::partition_point(edges.begin(), edges.end(),
                                              [&](double edge) { return edge >= norm; });
      ++part[static_cast<std::size_t>(std::max<std::ptrdiff_t>(above - edges.begin() - 1, 0))];
    }
    return [&counts, part = std::move(part)] {
      for (std::size_t i = 0; i < part.size(); ++i)
        counts.entries[i] += static_cast<Integer128>(part[i]);
    };
  });
  return counts;
}

}  // namespace

std::vector<Integer128> count_norms(const Table& table, const RowRule& rule, const RowMap& map,
                                    const std::vector<double>& edges, const ReadOptions& options) {
  const Value question{
      {"sums", "norms"}, {"rows", to_value(rule)}, {"map", map.description}, {"edges", edges}};
  return sums_over(table, question, edges.size(),
                   [&] { return read_norms(table, rule, map, edges, options); })
      .entries;
}

}  // namespace modicum
