#include "release/components/component_basis.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numerics/dense.h"

namespace modicum {
ComponentBasis component_basis(const Eigen::MatrixXd& moments, double squared_bound) {
  SymmetricEigen found = symmetric_eigen(moments);
  return {(found.values.reverse() / squared_bound).cwiseMax(0.0),
          found.vectors.rowwise().reverse()};
}

double squared_row_bound(const ComponentPlan& plan) {
  if (plan.request.scaling == RowScaling::ranks) return static_cast<double>(plan.rows.dimension());
  return plan.rows.row_norm_bound * plan.rows.row_norm_bound;
}

ComponentSpectrum component_spectrum(const ComponentBasis& basis, double components, double rows) {
  const double counted = std::max(rows, std::ceil(basis.eigenvalues.sum()));
  const double scale = static_cast<double>(basis.eigenvalues.size()) / counted;
  std::vector<double> eigenvalues;
  for (const double value : basis.eigenvalues) eigenvalues.push_back(scale * value);
  return {std::move(eigenvalues), counted, components};
}

// ComponentLaw multiplies with p beta / 2.
ComponentLaw component_law(const ComponentBasis& basis, double components, double factor) {
  const Eigen::VectorXd& values = basis.eigenvalues;
  const double spread = values[0] - values[values.size() - 1];
  // Six roundings lie between the range and the exponents: none of them may enlarge these.
  double used = factor * (1.0 - 0x1p-49);
  if (!(used * spread <= largest_exponent)) used = largest_exponent / spread;
  return {std::vector<double>(values.begin(), values.end()),
          spread > 0.0 ? 2.0 * (used / static_cast<double>(values.size())) : 0.0, components};
}

std::optional<double> exponent_factor(const ComponentPlan& plan, const Certificate& certificate) {
  using enum ComponentMethod;
  const ComponentMethod method = plan.request.method;
  if (method == exponential || method == joint)
    return plan.frames().range / range_multiple(plan.request.scaling);
  const ParameterValue* const range = method == adaptive ? certificate.find("range") : nullptr;
  if (range == nullptr) return {};
  return std::get<double>(*range) / range_multiple(plan.request.scaling);
}

// The sign of a column tells nothing: the law of a draw is the same for both.
Eigen::MatrixXd with_positive_signs(Eigen::MatrixXd columns) {
  for (Eigen::Index j = 0; j < columns.cols(); ++j) {
    Eigen::Index largest = 0;
    columns.col(j).cwiseAbs().maxCoeff(&largest);
    if (columns(largest, j) < 0.0) columns.col(j) *= -1.0;
  }
  // No negative zeros: a sign would be left in them.
  return columns.array() + 0.0;
}

// With W an orthonormal basis of the released span, as wide as U: the sines of the angles between
// both spans are the singular values of W - U U^T W. Taken from there, and not from the cosines, so
// that small errors keep their digits.
ComponentErrors component_errors(const Eigen::MatrixXd& components, const ComponentBasis& basis) {
  const Eigen::Index k = components.cols();
  if (components.rows() != basis.vectors.rows() || k < 1 || k > components.rows())
    throw InvalidParameter("components", static_cast<double>(k),
                           "must be columns with an entry for each coordinate, no more of them");
  if (components.isZero(0.0)) return {1.0, 2.0 * static_cast<double>(k), 0.0};
  const Eigen::MatrixXd span = HouseholderQr(components).thin_orthogonal();
  const auto truth = basis.vectors.leftCols(k);
  const Eigen::MatrixXd outside = span - truth * (truth.transpose() * span);
  const double sine = singular_values(outside)[0];
  const double best = basis.eigenvalues.head(k).sum();
  const Eigen::MatrixXd turned = basis.vectors.transpose() * span;
  const double along = basis.eigenvalues.dot(turned.rowwise().squaredNorm());
  return {std::min(1.0, sine * sine), 2.0 * outside.squaredNorm(), best > 0.0 ? along / best : 1.0};
}

ComponentErrors component_errors(const Eigen::MatrixXd& components,
                                 const Eigen::MatrixXd& moments) {
  return component_errors(components, component_basis(moments, 1.0));
}

}  // namespace modicum
