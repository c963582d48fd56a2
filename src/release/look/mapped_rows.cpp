#include "release/look/mapped_rows.h"

#include <algorithm>
#include <cmath>

namespace modicum {
namespace {

// One number after the other: the same for a row wherever it lies.
double squared_norm(const double* values, std::size_t count) {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) sum += values[i] * values[i];
  return sum;
}

bool all_finite(const double* values, std::size_t count) {
  return std::all_of(values, values + count, [](double value) { return std::isfinite(value); });
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

// Entry by entry, columns of the matrix in their order: a compiler may do several entries at a
// time, which changes none of them, and fuses nothing (-ffp-contract=off).
void AffineMap::apply(const double* row, std::vector<double>& centered, double* to) const {
  const std::size_t from = static_cast<std::size_t>(center_.size()), made = width_ - 1;
  centered.resize(from);
  for (std::size_t k = 0; k < from; ++k)
    centered[k] = row[k] - center_[static_cast<Eigen::Index>(k)];
  to[0] = constant_;
  double* const mapped = to + 1;
  if (diagonal_) {
    for (std::size_t k = 0; k < made; ++k) mapped[k] = centered[k] * matrix_[k];
  } else {
    std::fill(mapped, mapped + made, 0.0);
    for (std::size_t k = 0; k < from; ++k) {
      const double factor = centered[k];
      const double* const column = matrix_.data() + k * made;
      for (std::size_t j = 0; j < made; ++j) mapped[j] += column[j] * factor;
    }
  }
  if (!all_finite(to, width_)) std::fill(to, to + width_, 0.0);
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
}

RowMap MappedRows::row_map(const AffineMap& map) const {
  return {map.width(), [this, &map](const RowBlock& rows) {
            RowBlock made(rows.rows(), static_cast<Eigen::Index>(map.width()));
            std::vector<double> row(static_cast<std::size_t>(dimension_)), centered;
            for (Eigen::Index i = 0; i < rows.rows(); ++i) {
              const double* const values = rows.data() + i * rows.cols() + first_;
              std::copy(values, values + dimension_, row.begin());
              const double norm = std::sqrt(squared_norm(row.data(), row.size()));
              if (!(norm <= norm_bound_))  // 0 times a finite number where it overflows
                for (double& value : row) value *= norm_bound_ / norm;
              map.apply(row.data(), centered, made.data() + i * made.cols());
            }
            return made;
          }};
}

IntegerSum MappedRows::sum(const AffineMap& map, double bound) const {
  return accumulate_sum(table_, rule_, row_map(map), bound, begin_());
}

IntegerGram MappedRows::moments(const AffineMap& map, double bound) const {
  return accumulate_gram(table_, rule_, row_map(map), bound, begin_());
}

std::vector<Integer128> MappedRows::norm_counts(const AffineMap& map,
                                                const std::vector<double>& edges) const {
  const RowMap mapped = row_map(map);
  std::vector<Integer128> counts(edges.size(), 0);
  table_.for_each_block(rule_.table_columns(), begin_(), [&](const RowBlock& block) {
    const RowBlock rows = mapped.apply(rule_.apply(block));
    std::vector<std::uint64_t> part(edges.size());
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      const double norm = std::sqrt(squared_norm(rows.data() + i * rows.cols(), mapped.width));
      // The last edge that is not below the norm; the first where none is.
      const auto above = std::partition_point(edges.begin(), edges.end(),
                                              [&](double edge) { return edge >= norm; });
      ++part[static_cast<std::size_t>(std::max<std::ptrdiff_t>(above - edges.begin() - 1, 0))];
    }
    return [&counts, part = std::move(part)] {
      for (std::size_t i = 0; i < part.size(); ++i) counts[i] += static_cast<Integer128>(part[i]);
    };
  });
  return counts;
}

}  // namespace modicum
