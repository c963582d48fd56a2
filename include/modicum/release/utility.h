// How well releases serve, over many trials on the same data. These numbers depend on the data and
// are not private: they are for the holder of the data only.
#pragma once

#include <vector>

#include "modicum/data/gram.h"
#include "modicum/release/released.h"

namespace modicum {

struct Spread {
  double mean;
  double half_width;  ///< of the 95 % confidence interval of the mean, by the normal approximation
  double median;
  double upper_decile = 0.0;  ///< the least value that nine tenths of them do not exceed
};
/// Needs at least two values. NaN where one of them is.
Spread spread_of(std::vector<double> values);

/// How far a sketch M with r columns keeps the geometry of the columns of D [LuWei2024, section
/// 5.3]. Needs a sketch with a row for each coordinate of the Gram matrix.
struct SketchGeometry {
  /// Mean over pairs of columns that differ of |M_i - M_j| / (sqrt(r) |D_i - D_j|); NaN without
  /// any.
  double distance_ratio;
  /// Correlation of the dot products of columns before and after, over all ordered pairs, those of
  /// a column with itself included: what the tables of the paper show. The ridge is on those only,
  /// so that even without any information it is above 0. NaN where either has no variance.
  double dot_product_correlation;
  /// The same over pairs of different columns; NaN for fewer than two of them.
  double off_diagonal_correlation;
};
SketchGeometry sketch_geometry(const Released& sketch, const IntegerGram& gram);

}  // namespace modicum
