// A dense pair in double arithmetic, with radii that estimate its rounding, and pairs that differ
// by a low rank.
#include <cmath>
#include <limits>

#include "modicum/numerics/errors.h"
#include "numerics/dense.h"
#include "privacy/gaussian/dense_reduction.h"

namespace modicum {
namespace {

constexpr double unit = std::numeric_limits<double>::epsilon();
constexpr double largest_eigenvalue_error = 1e-11;

// S2 = D L L^T D with unit diagonal inside: the condition number that matters is that of L L^T.
struct Whitening {
  Eigen::VectorXd scales;
  CholeskyFactor factor;
  double relative_error;  // estimate for whitened quantities

  explicit Whitening(const Eigen::MatrixXd& covariance)
      : scales(covariance.diagonal().array().sqrt().inverse()),
        factor(scaled(covariance)),
        relative_error(4.0 * std::sqrt(static_cast<double>(covariance.rows())) * unit *
                       factor.condition()) {}
  bool usable() const { return factor.positive_definite() && relative_error < 1e-3; }
  Eigen::MatrixXd scaled(const Eigen::MatrixXd& matrix) const {
    return scales.asDiagonal() * matrix * scales.asDiagonal();
  }
  Eigen::MatrixXd whitened(const Eigen::MatrixXd& symmetric) const {
    return factor.whitened(scaled(symmetric));
  }
  Eigen::MatrixXd half(const Eigen::MatrixXd& columns) const {
    return factor.half_solve(scales.asDiagonal() * columns);
  }
};

// Of computed eigenvalues, absolute.
double eigenvalue_error(const Eigen::VectorXd& values) {
  return 4.0 * std::sqrt(static_cast<double>(values.size())) * unit * values.cwiseAbs().maxCoeff();
}

// (t, m) with what the whitening and the eigenvalues leave open.
GaussianSpectrum estimated_spectrum(const Eigen::VectorXd& excesses, const Eigen::VectorXd& means,
                                    double relative_error) {
  const double norm = excesses.cwiseAbs().maxCoeff();
  const double absolute_error = eigenvalue_error(excesses);
  GaussianSpectrum spectrum;
  for (long i = 0; i < excesses.size(); ++i) {
    // An eigenvalue that is 1 up to rounding is 1.
    const bool equal = std::abs(excesses(i)) <= absolute_error;
    const double t = equal ? 0.0 : excesses(i);
    if (!(t > -1.0))
      throw InvalidParameter("covariance1", "not positive definite", "must be positive definite");
    const double square = means(i) * means(i);
    spectrum.add({{t, 0.0, equal ? 0.0 : std::abs(t) * relative_error + absolute_error},
                  {square, 0.0, square * (2.0 * relative_error + 8.0 * unit)},
                  1.0});
  }
  spectrum.set_off_diagonal({norm * relative_error + absolute_error, 0.0});
  spectrum.set_estimated();
  return spectrum;
}

}  // namespace

std::optional<GaussianSpectrum> estimated_dense_spectrum(const GaussianDistribution& x,
                                                         const GaussianDistribution& y) {
  if (!(y.covariance.diagonal().minCoeff() > 0.0)) return std::nullopt;
  const Whitening whitening(y.covariance);
  if (!whitening.usable()) return std::nullopt;
  // The difference first: near-equal covariances keep their digits.
  const SymmetricEigen eigen = symmetric_eigen(whitening.whitened(x.covariance - y.covariance));
  // Eigenvalues far below the largest are known to its rounding only, which the error estimate,
  // made at the saddle point, does not see along a path of many scales.
  const double absolute_error = eigenvalue_error(eigen.values);
  if (absolute_error > largest_eigenvalue_error) return std::nullopt;
  if (!(eigen.values.minCoeff() > -1.0 + whitening.relative_error + absolute_error))
    return std::nullopt;
  const Eigen::VectorXd means = eigen.vectors.transpose() * whitening.half(x.mean - y.mean);
  return estimated_spectrum(eigen.values, means, whitening.relative_error);
}

GaussianSpectrum reduce_low_rank(const Eigen::MatrixXd& covariance, const Eigen::MatrixXd& update,
                                 double sign, const Eigen::VectorXd& shift) {
  const long d = covariance.rows();
  if (covariance.cols() != d || update.rows() != d || shift.size() != d)
    throw InvalidParameter("update", "of another size than the covariance", "sizes must agree");
  if (!(sign == 1.0 || sign == -1.0)) throw InvalidParameter("sign", sign, "must be 1 or -1");
  if (!covariance.allFinite() || !update.allFinite() || !shift.allFinite())
    throw InvalidParameter("covariance, update or shift", "not finite", "entries must be finite");
  const Whitening whitening(covariance);
  if (!whitening.usable())
    throw InvalidParameter("covariance", "not safely positive definite",
                           "must be positive definite");
  const Eigen::MatrixXd w = whitening.half(update);
  const Eigen::VectorXd m = whitening.half(shift);
  // W W^T = Z diag(values) Z^T with Z = W Q / sqrt(values), from the small W^T W = Q diag Q^T.
  const SymmetricEigen eigen = symmetric_eigen(w.transpose() * w);
  const long k = update.cols();
  Eigen::VectorXd excesses(k + 1), means(k + 1);
  double along = 0.0;
  for (long i = 0; i < k; ++i) {
    const double value = std::max(eigen.values(i), 0.0);
    excesses(i) = sign * value;
    means(i) = value > 0.0 ? m.dot(w * eigen.vectors.col(i)) / std::sqrt(value) : 0.0;
    along += means(i) * means(i);
  }
  excesses(k) = 0.0;
  means(k) = std::sqrt(std::max(m.squaredNorm() - along, 0.0));
  return estimated_spectrum(excesses, means, whitening.relative_error);
}

}  // namespace modicum
