// Sums, means, histograms and vectors computed elsewhere, with exact noise.
#pragma once

#include <optional>
#include <vector>

#include "modicum/data/gram.h"
#include "modicum/mechanisms/disc_noise.h"
#include "modicum/mechanisms/spherical.h"
#include "modicum/release/released.h"

namespace modicum {

/// The last one is the least noise there is for two numbers.
enum class VectorNoise { gaussian, l2, spherical, optimal };

/// What the answer of a vector release is made of: whole multiples of `grid`, a power of two, or,
/// with grid 0, any doubles.
struct VectorAnswer {
  double grid = 0.0;
  std::vector<Integer128> multiples;  ///< of the grid
  std::vector<double> values;         ///< where there is no grid
};

/// How the noise is drawn. The calibration on the grid is part of it.
struct VectorNoisePlan {
  VectorNoise noise;
  double dimension, sensitivity;
  double grid;  ///< of the released numbers: a power of two near 2^-24 of the noise
  /// Besides `sensitivity`, what rounding the answer to the grid adds, where it is rounded.
  double calibrated_sensitivity;
  std::optional<double> standard_deviation;  ///< gaussian
  std::optional<SphericalNoise> spherical;   ///< l2 and spherical
  ProfilePoint achieved;
  std::optional<DiscNoise> discs = {};  ///< optimal
};

/// `answer_grid` is that of the answer. Throws InvalidParameter, CalibrationFailed.
VectorNoisePlan plan_vector_noise(const PrivacyTarget& target, VectorNoise noise, double dimension,
                                  double sensitivity, double answer_grid);
/// Gaussian noise of this deviation, calibrated elsewhere: alone or as a part of a composition that
/// achieves this.
VectorNoisePlan plan_gaussian_noise(double standard_deviation, double dimension, double sensitivity,
                                    double answer_grid, const ProfilePoint& achieved);
/// Multiples of plan.grid, with the law of the rounding of answer + noise.
std::vector<double> draw_vector(const VectorNoisePlan& plan, const VectorAnswer& answer,
                                RandomSource& source);

enum class Statistic { sum, mean, histogram, given };

struct VectorPlan {
  Statistic statistic;
  VectorNoisePlan noise;
  std::vector<std::string> names;     ///< of the numbers
  std::optional<PublicRows> rows;     ///< sum and mean
  std::optional<double> public_rows;  ///< mean: the number of rows, if that is public
  double count_weight = 0.0;          ///< mean: the number of rows is released times this
  Certificate certificate;
};

/// The sum of the rows: sensitivity row_norm_bound.
VectorPlan plan_sum(const PrivacyTarget& target, const PublicRows& rows, VectorNoise noise);
/// Sum and number of rows are released together, unless the number is public.
VectorPlan plan_mean(const PrivacyTarget& target, const PublicRows& rows, VectorNoise noise,
                     std::optional<double> public_rows = {});
Released release_sum(const VectorPlan& plan, const IntegerSum& sum, RandomSource& source);
Released release_mean(const VectorPlan& plan, const IntegerSum& sum, RandomSource& source);

/// Public bins of one column: categories, or intervals between edges in rising order. The interval
/// [edge, next edge) has its left end, the last one both ends. Rows in none of them are dropped.
struct Bins {
  std::vector<std::string> categories;
  std::vector<double> edges;

  /// Throw InvalidParameter: at least one, all different; at least two, rising and finite.
  static Bins of_categories(std::vector<std::string> categories);
  static Bins of_edges(std::vector<double> edges);
  std::vector<std::string> names() const;
  std::string interval_name(std::size_t place) const;  ///< "18:30"
  std::size_t size() const { return edges.empty() ? categories.size() : edges.size() - 1; }
  /// The interval between edges that holds the value, if one does.
  std::optional<std::size_t> interval_of(double value) const;
};
/// How many rows fall into each.
std::vector<Integer128> count_bins(const Table& table, std::size_t column, const Bins& bins,
                                   const ReadOptions& options = {});
/// For questions about tables that lie elsewhere (modicum/data/gathered.h), and back. Bins without
/// categories and edges stay so.
Value to_value(const Bins& bins);
Bins bins_in(const Value& value);
VectorPlan plan_histogram(const PrivacyTarget& target, const std::string& column, const Bins& bins,
                          VectorNoise noise, BadRows bad_rows = BadRows::dropped,
                          const FileAssumptions& files = {});
Released release_histogram(const VectorPlan& plan, const std::vector<Integer128>& counts,
                           RandomSource& source);

/// A vector from elsewhere, with a declared bound on the Euclidean distance between its values on
/// neighboring data sets.
VectorPlan plan_given(const PrivacyTarget& target, double dimension, double sensitivity,
                      VectorNoise noise);
Released release_given(const VectorPlan& plan, const std::vector<double>& answer,
                       RandomSource& source);

}  // namespace modicum
