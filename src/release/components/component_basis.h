// The second moments of rows, turned to their axes: what draws and predictions of components need.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "modicum/mechanisms/principal_components.h"
#include "modicum/release/component_release.h"

namespace modicum {

/// Of sum x x^T / bound^2, |x| <= bound: a row adds at most 1 to an eigenvalue.
struct ComponentBasis {
  Eigen::VectorXd eigenvalues;  ///< descending, at least 0
  Eigen::MatrixXd vectors;      ///< columns, in the same order
};
ComponentBasis component_basis(const Eigen::MatrixXd& moments, double squared_bound);

/// l^2; p for ranks.
double squared_row_bound(const ComponentPlan& plan);

/// The spectrum of the mean over so many rows, in the units of rows of norm sqrt p. Over more,
/// where `rows` is less than the trace allows: nothing but beta depends on what that number is, and
/// beta grows in proportion (docs/derivations/principal-components.md).
ComponentSpectrum component_spectrum(const ComponentBasis& basis, double components, double rows);

/// Less than what ComponentLaw takes by more than the rounding there.
constexpr double largest_exponent = 0.999e11;

/// The law with exponent factor * (sum over the rows x, over bound^2, of |V^T x|^2). Lower factors
/// where the law does not take this one.
ComponentLaw component_law(const ComponentBasis& basis, double components, double factor);

/// What the exponents are multiplied with, for the methods that have such: from the range, of the
/// plan or in the certificate of the release. None if there was nothing to draw.
std::optional<double> exponent_factor(const ComponentPlan& plan, const Certificate& certificate);

/// The entry of largest size in each column is positive.
Eigen::MatrixXd with_positive_signs(Eigen::MatrixXd columns);

/// The same as component_errors, from the axes.
ComponentErrors component_errors(const Eigen::MatrixXd& components, const ComponentBasis& basis);

}  // namespace modicum
