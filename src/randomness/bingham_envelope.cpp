#include "randomness/bingham_envelope.h"

#include <algorithm>
#include <cmath>

#include "modicum/randomness/samplers.h"
#include "numerics/dense.h"

namespace modicum {

// J: the first coordinates, those with entries of D = 2 (a + shift) below 1/2, negative ones among
// them; R: the others. If M >= 1 on the complement, no vector there lives on J alone, so W has full
// rank on J and gives y_J in terms of y_R.
BinghamEnvelope::BinghamEnvelope(const Eigen::VectorXd& exponents, const Eigen::MatrixXd& columns,
                                 double shift)
    : shift_(shift), dimension_(exponents.size()), head_(0), kept_(0) {
  const Eigen::VectorXd diagonal = 2.0 * (exponents.array() + shift);
  while (head_ < dimension_ && !(diagonal[head_] >= 0.5)) ++head_;
  if (head_ > columns.cols()) return;
  root_ = diagonal.tail(dimension_ - head_).cwiseSqrt().cwiseInverse();
  take_out(columns, diagonal);
}

void BinghamEnvelope::take_out(const Eigen::MatrixXd& columns, const Eigen::VectorXd& diagonal) {
  const Eigen::Index rest = dimension_ - head_, count = columns.cols();
  kept_ = count - head_;
  // Columns may be rotated among themselves: W_J = [L, 0], L lower triangular.
  Eigen::MatrixXd rotated = columns;
  tie_.resize(rest, head_);
  if (head_ > 0) {
    const HouseholderQr factors(columns.topRows(head_).transpose());
    rotated = columns * factors.orthogonal();
    tie_ = factors.triangle()
               .triangularView<Eigen::Upper>()
               .solve(rotated.bottomLeftCorner(rest, head_).transpose())
               .transpose();
    if (!tie_.allFinite()) return;
  }
  const Eigen::Index changes = std::min(rest, head_);
  basis_.resize(rest, kept_ + changes);
  weights_ = Eigen::VectorXd::Ones(kept_ + changes);
  // In h = D_R^{1/2} y_R the columns without part in J are plain constraints: Q_2.
  if (kept_ > 0) {
    const Eigen::MatrixXd scaled = root_.asDiagonal() * rotated.bottomRightCorner(rest, kept_);
    basis_.leftCols(kept_) = HouseholderQr(scaled).thin_orthogonal();
  }
  // The others change the precision of h from I to I + F D_J F^T, F = D_R^{-1/2} B without Q_2.
  double tied = 0.0;
  if (head_ > 0) {
    Eigen::MatrixXd changed = root_.asDiagonal() * tie_;
    for (int pass = 0; pass < 2; ++pass)
      changed -= basis_.leftCols(kept_) * (basis_.leftCols(kept_).transpose() * changed).eval();
    if (!changed.allFinite()) return;
    const HouseholderQr factors(changed);
    const Eigen::MatrixXd triangle = factors.triangle();
    const Eigen::MatrixXd added =
        triangle * diagonal.head(head_).asDiagonal() * triangle.transpose();
    if (!added.allFinite()) return;
    const SymmetricEigen spectrum = symmetric_eigen(added);
    const Eigen::VectorXd precision = 1.0 + spectrum.values.array();
    if (!(precision.minCoeff() > 1e-12)) return;
    basis_.rightCols(changes) = factors.thin_orthogonal() * spectrum.vectors;
    weights_.tail(changes) = 1.0 - precision.array().rsqrt();
    const Eigen::MatrixXd turned = spectrum.vectors.transpose() * triangle;
    tied = (precision.cwiseInverse().asDiagonal() * turned.cwiseAbs2()).sum();
  }
  const Eigen::VectorXd removed = weights_.array() * (2.0 - weights_.array());
  const Eigen::VectorXd variances =
      root_.array().square() * (1.0 - (basis_.cwiseAbs2() * removed).array());
  trace_ = tied + variances.sum();
  // Var |y|^2 = 2 Tr M^{-2}, and the squares on the diagonal are part of that.
  const double head = static_cast<double>(std::max<Eigen::Index>(head_, 1));
  spread_ = std::sqrt(2.0 * (variances.squaredNorm() + tied * tied / head));
  positive_ = trace_ > 0.0 && std::isfinite(trace_);
}

BinghamEnvelope::Proposal BinghamEnvelope::propose(Eigen::VectorXd& y, RandomSource& source) const {
  const Eigen::Index rest = dimension_ - head_;
  y.resize(dimension_);
  fill_standard_normals({y.data() + head_, static_cast<std::size_t>(rest)}, source);
  auto normal = y.tail(rest);
  double energy = normal.squaredNorm();
  if (basis_.cols() > 0) {
    Eigen::VectorXd along = basis_.transpose() * normal;
    energy -= along.head(kept_).squaredNorm();
    along.array() *= weights_.array();
    normal.noalias() -= basis_ * along;
  }
  normal.array() *= root_.array();
  if (head_ > 0) y.head(head_).noalias() = -tie_.transpose() * normal;
  return {energy, y.squaredNorm()};
}

}  // namespace modicum
