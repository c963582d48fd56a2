// Regressions by objective perturbation, read back from what `release` has written of them.
#pragma once

#include <string>

#include "modicum/release/report_release.h"

namespace modicum {

/// The numbers and their certificate (empty: path + ".certificate.json"). Throws InvalidParameter
/// for a certificate that belongs to other numbers or to another mechanism, InvalidDescription for
/// one that is not as it was written, UnreadableFile for files that cannot be read.
ReleasedObjective read_released_objective(const std::string& release_path,
                                          const std::string& certificate_path);

/// The rows of a table as the release saw them. Both must outlive them. Throws InvalidParameter
/// where the table has other columns.
LabeledRows rows_of(const Table& table, const ReleasedObjective& from);
LabeledRows rows_of(const Table& table, const PublicRows& features, const ResponseRule& response);

/// Public rows from their parts, as certificates and reports tell them. Throws InvalidParameter.
PublicRows public_rows(std::vector<std::string> names, const std::map<std::string, Range>& ranges,
                       double row_norm_bound, bool intercept);

struct CoefficientFile {
  std::vector<std::string> names;  ///< of the rows; none in NPY
  Eigen::MatrixXd values;          ///< columns `coefficient` and `standardized`
};
/// `content` is a file of coefficients, as encode() makes it; the format goes by the path. Throws
/// UnreadableFile.
CoefficientFile coefficients_in(const std::string& content, const std::string& path);

}  // namespace modicum
