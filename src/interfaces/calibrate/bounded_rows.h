// What the calibrations of mechanisms of rows with a bounded norm share.
#pragma once

#include <string>
#include <vector>

#include "interfaces/job.h"
#include "modicum/release/budget.h"
#include "modicum/release/certificate.h"

namespace modicum {

struct BoundedRows {
  double row_norm_bound = 0.0;
  PrivacyBudget budget = {};

  void fields(Fields& fields) {
    fields.add("row_norm_bound", row_norm_bound, "largest Euclidean norm of a row, above 0")
        .required();
    budget.fields(fields, "above 0 and below 1");
  }
  PrivacyTarget target() const { return budget.target(); }
};

/// A number of the answer.
struct Figure {
  std::string key, in_words;
  double value;
};

/// What was found, and what it rests on.
struct NoiseFound {
  std::string heading;  ///< "The least ridge that makes ..."
  Value mechanism;      ///< its name and parameters, as in a description
  bool is_sharp;        ///< whether that is a description from which the target follows
  std::vector<Figure> figures;
  ProfilePoint achieved;
  bool attained = true;
  std::string theorem = "docs/derivations/projection.md";
  Guarantee guarantee = Guarantee::proved;
  std::vector<std::string> assumptions = {};
};

Reply told(const BoundedRows& rows, const NoiseFound& noise);

}  // namespace modicum
