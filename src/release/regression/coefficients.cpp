#include "release/regression/coefficients.h"

#include <algorithm>

namespace modicum {

Released coefficients_in_units(const PublicRows& rows, const TargetUnits& target,
                               const Eigen::VectorXd& standardized,
                               const Certificate& certificate) {
  const Eigen::Index d = standardized.size();
  const Eigen::Map<const Eigen::ArrayXd> centers(rows.centers.data(), d);
  const Eigen::Map<const Eigen::ArrayXd> scales(rows.scales.data(), d);
  const Eigen::ArrayXd coefficients = target.scale * standardized.array() / scales;
  const bool moved = target.center != 0.0 || (centers != 0.0).any();
  const Eigen::Index extra = moved && !rows.intercept ? 1 : 0;
  Eigen::MatrixXd values = Eigen::MatrixXd::Zero(d + extra, 2);
  values.col(0).tail(d) = coefficients;
  values.col(1).tail(d) = standardized;
  if (moved) values(0, 0) += target.center - (coefficients * centers).sum();
  std::vector<std::string> names(rows.names.begin(), rows.names.begin() + d);
  if (extra == 1) names.insert(names.begin(), "intercept");
  return {std::move(names), {"coefficient", "standardized"}, std::move(values), certificate};
}

}  // namespace modicum
