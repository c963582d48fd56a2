// Rows that are centered and scaled by a private look at them, before something else is released
// from them (docs/derivations/standardized.md).
#pragma once

#include "modicum/randomness/random_source.h"
#include "modicum/release/labeled_rows.h"
#include "modicum/release/released.h"

namespace modicum {

/// What of mu^2 is spent on the look.
inline constexpr double look_share = 0.1;
/// The column of ones becomes one of this: easier to learn than the other coefficients.
inline constexpr double standardized_constant = 2.0;

/// Not above the norm bound of standardized rows; public.
double standardized_norm_bound(const PublicRows& rows);

/// z = (x - center) / scale of the coordinates x of the first rows, and a constant for the column
/// of ones, if there is one; scaled down to a norm bound. A function of released numbers.
class Standardization {
 public:
  /// Counts rows, and adds up coordinates and their squares, with noise that costs `mu`. One pass.
  Standardization(const PublicRows& rows, const PassOverRows& pass, double mu,
                  RandomSource& source);

  /// For who has the rows, and back. Throws Error, InvalidParameter.
  Value to_value() const;
  explicit Standardization(const Value& value);

  const IntegerClip& clip() const { return clip_; }
  double count() const { return count_; }  ///< about how many rows there are; above 0
  /// Each row by itself.
  PassOverRows pass(const PassOverRows& rows) const;
  /// The same coordinates in other units.
  PublicRows rows(const PublicRows& first) const;

 private:
  void look(const PublicRows& rows, const PassOverRows& pass, double mu, RandomSource& source);
  IntegerClip from_, clip_;
  Eigen::Index ones_;               // coordinates before the features: 1 with an intercept
  Eigen::VectorXd center_, scale_;  // of the features
  double count_ = 1.0;
};

/// What the rows add up to for the question of a look.
std::vector<Integer128> answer_look(const PassOverRows& pass, const Value& question);

}  // namespace modicum
