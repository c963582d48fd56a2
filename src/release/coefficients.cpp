#include "release/coefficients.h"

#include <algorithm>

namespace modicum {

Released coefficients_in_units(const PublicRows& rows, const TargetUnits& target,
                               const Eigen::VectorXd& standardised,
                               const Certificate& certificate) {
  const Eigen::Index d = standardised.size();
  const Eigen::Map<const Eigen::ArrayXd> centres(rows.centres.data(), d);
  const Eigen::Map<const Eigen::ArrayXd> scales(rows.scales.data(), d);
  const Eigen::ArrayXd coefficients = target.scale * standardised.array() / scales;
  const bool moved = target.centre != 0.0 || (centres != 0.0).any();
  const Eigen::Index extra = moved && !rows.intercept ? 1 : 0;
  Eigen::MatrixXd values = Eigen::MatrixXd::Zero(d + extra, 2);
  values.col(0).tail(d) = coefficients;
  values.col(1).tail(d) = standardised;
  if (moved) values(0, 0) += target.centre - (coefficients * centres).sum();
  std::vector<std::string> names(rows.names.begin(), rows.names.begin() + d);
  if (extra == 1) names.insert(names.begin(), "intercept");
  return {std::move(names), {"coefficient", "standardised"}, std::move(values), certificate};
}

}  // namespace modicum
