// Logistic regressions of several classes (softmax), by noisy gradient descent on rows that a
// private look has centered and scaled. Proofs: docs/derivations/standardized.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "modicum/randomness/random_source.h"
#include "modicum/release/diagnostics.h"
#include "modicum/release/labeled_rows.h"
#include "modicum/release/released.h"

namespace modicum {

/// A column of categories, and the public ones among which a class is predicted. Rows with another
/// value are dropped, each by itself.
struct ClassRule {
  std::string column;
  std::vector<std::string> classes;
  bool operator==(const ClassRule&) const = default;
};
inline constexpr std::size_t most_classes = 1000;

/// Clipped rows with the number of their class, from 0 on, for a label.
class ClassedRows {
 public:
  /// Throws InvalidParameter, naming `labels`, unless there are two classes at least, all different
  /// as categories of the table; `target` for a column that is not there or is a feature. Keeps a
  /// reference to the table.
  ClassedRows(const Table& table, RowRule features, ClassRule rule, double row_norm_bound);

  const ClassRule& rule() const { return rule_; }
  const RowRule& features() const { return features_; }
  const IntegerClip& clip() const { return clip_; }
  PassOverRows pass(const ReadOptions& options) const;

 private:
  const Table& table_;
  RowRule features_;
  ClassRule rule_;
  IntegerClip clip_;
  std::size_t place_;                    // of the class
  std::vector<std::string> categories_;  // as the rules of the table make them
};

/// Every step has Gaussian noise, and so has the look: squares of mu add up.
struct MultinomialPlan {
  PublicRows rows;  ///< the features, before the look
  ClassRule rule;
  int steps;
  double look_mu, step_mu;  ///< of the look, and of each step
  double clip;              ///< longest gradient of one row, over all classes
  Certificate certificate;
};

/// `steps` as for plan_gradient. Throws InvalidParameter, CalibrationFailed.
MultinomialPlan plan_multinomial(const PrivacyTarget& target, const PublicRows& features,
                                 const ClassRule& rule, std::optional<double> steps = {});

/// A column of coefficients for each class, in the units of the file; those of a feature add up to
/// 0 over the classes. Throws InvalidParameter for rows that are not those of the plan.
Released release_multinomial(const MultinomialPlan& plan, const ClassedRows& rows,
                             RandomSource& source, const ReadOptions& options = {});

/// How many rows are used, and the share of them whose class is predicted right. Confidential.
Diagnostics diagnose_multinomial(const Released& released, const PublicRows& first,
                                 const ClassedRows& rows, const ReadOptions& options = {});

}  // namespace modicum
