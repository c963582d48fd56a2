// A dense pair in ball arithmetic. With V an exact matrix of approximate eigenvectors of the
// pencil (S1, S2), the congruent pair V^T S1 V, V^T S2 V is diagonal but for a small part whose
// norm is bounded: docs/derivations/dense-pairs.md.
#include <cmath>

#include "numerics/ball_matrix.h"
#include "numerics/dense.h"
#include "numerics/precise_ball.h"
#include "privacy/gaussian/dense_reduction.h"

namespace modicum {
namespace {

constexpr long bits = 224;

Eigen::MatrixXd unit_scales(const Eigen::MatrixXd& covariance) {
  // Powers of two, so that scaling is exact.
  Eigen::VectorXd scales(covariance.rows());
  for (long i = 0; i < covariance.rows(); ++i)
    scales(i) = std::exp2(-std::round(0.5 * std::log2(covariance(i, i))));
  return scales.asDiagonal();
}

// Approximate eigenvectors of the pencil, L^-T U with S2 = L L^T and L^-1 (S1 - S2) L^-T =
// U T U^T. Their error does not matter, V being taken as exact afterwards and refined.
Eigen::MatrixXd eigenvectors_in_doubles(const CholeskyFactor& factor,
                                        const Eigen::MatrixXd& difference) {
  const long d = difference.rows();
  const SymmetricEigen eigen = symmetric_eigen(factor.whitened(difference));
  return factor.half_solve(Eigen::MatrixXd::Identity(d, d)).transpose() * eigen.vectors;
}

// Where doubles cannot tell S2 from a singular matrix, the factor is computed at rising precision.
std::optional<BallMatrix> eigenvectors_in_balls(const BallMatrix& s2,
                                                const BallMatrix& difference) {
  const long d = s2.rows();
  for (long precision = 256 + 4 * d; precision <= 8192; precision *= 4) {
    const PrecisionScope scope(precision);
    BallMatrix lower(d, d);
    if (!cholesky(lower, s2)) continue;
    const BallMatrix half = solve_lower(lower, difference).transposed();
    const SymmetricEigen eigen = symmetric_eigen(solve_lower(lower, half).middles());
    const BallMatrix inverse = solve_lower(lower, BallMatrix(Eigen::MatrixXd::Identity(d, d)));
    return (inverse.transposed().midpoint() * BallMatrix(eigen.vectors)).midpoint();
  }
  return std::nullopt;
}

std::optional<BallMatrix> approximate_eigenvectors(const BallMatrix& s2,
                                                   const BallMatrix& difference) {
  const CholeskyFactor factor(s2.middles());
  if (factor.positive_definite() && factor.condition() < 1e10)
    return BallMatrix(eigenvectors_in_doubles(factor, difference.middles()));
  return eigenvectors_in_balls(s2, difference);
}

struct Congruent {
  BallMatrix difference, second;  // V^T (S1 - S2) V and V^T S2 V
  Congruent(const BallMatrix& v, const BallMatrix& s1_minus_s2, const BallMatrix& s2)
      : difference(v.transposed() * (s1_minus_s2 * v)), second(v.transposed() * (s2 * v)) {}
};

// Whether the eigenvalues i and j are too close for the first-order correction below.
bool clustered(const Eigen::MatrixXd& g, const Eigen::MatrixXd& b, long i, long j) {
  const double ti = g(i, i) / b(i, i), tj = g(j, j) / b(j, j);
  const double size = std::abs(g(i, j)) + std::abs(tj * b(i, j)) + std::abs(ti * b(i, j));
  return !(size < 1e-4 * std::abs(tj - ti));
}

// One step V <- V (I + X) of the refinement of [OgitaAishima2018], for a pencil:
//   X_ij = (G_ij - t_j F_ij) / (t_j - t_i),  X_ii = (1 - B_ii) / 2,
// with G, F the off-diagonal parts of V^T (S1 - S2) V and B = V^T S2 V; in clusters -F_ij / 2.
BallMatrix refined(const BallMatrix& v, const Congruent& pair) {
  const long d = v.rows();
  const Eigen::MatrixXd g = pair.difference.middles(), b = pair.second.middles();
  BallMatrix x(d, d);
  for (long i = 0; i < d; ++i) {
    for (long j = 0; j < d; ++j) {
      Ball step = (Ball(i == j ? 1.0 : 0.0) - pair.second.entry(i, j)) / 2.0;
      if (i != j && !clustered(g, b, i, j)) {
        const Ball tj = pair.difference.entry(j, j) / pair.second.entry(j, j);
        const Ball ti = pair.difference.entry(i, i) / pair.second.entry(i, i);
        const Ball correction =
            (pair.difference.entry(i, j) - tj * pair.second.entry(i, j)) / (tj - ti);
        // Not finite where the gap is no more than rounding: then a cluster after all.
        if (correction.finite()) step = correction;
      }
      arb_set(x.at(i, j), step.midpoint().raw());
    }
    arb_add_ui(x.at(i, i), x.at(i, i), 1, PrecisionScope::bits());
  }
  return (v * x).midpoint();
}

// Rotates each cluster of eigenvalues by the eigenvectors of its own block, whose entries are known
// far below the rounding of the whole: eigenvalues that differ by 1e-17 are told apart.
BallMatrix with_clusters_rotated(const BallMatrix& v, const Congruent& pair) {
  const long d = v.rows();
  const Eigen::MatrixXd g = pair.difference.middles(), b = pair.second.middles();
  Eigen::MatrixXd rotation = Eigen::MatrixXd::Identity(d, d);
  std::vector<bool> seen(static_cast<std::size_t>(d), false);
  for (long first = 0; first < d; ++first) {
    if (seen[static_cast<std::size_t>(first)]) continue;
    std::vector<long> cluster{first};
    seen[static_cast<std::size_t>(first)] = true;
    for (std::size_t k = 0; k < cluster.size(); ++k)
      for (long j = 0; j < d; ++j)
        if (!seen[static_cast<std::size_t>(j)] && clustered(g, b, cluster[k], j)) {
          cluster.push_back(j);
          seen[static_cast<std::size_t>(j)] = true;
        }
    if (cluster.size() == 1) continue;
    // About the cluster's own center, so that its digits are not spent on what is common.
    const long size = static_cast<long>(cluster.size());
    const Ball center = pair.difference.entry(first, first) / pair.second.entry(first, first);
    Eigen::MatrixXd block(size, size);
    for (long i = 0; i < size; ++i)
      for (long j = 0; j < size; ++j) {
        const long a = cluster[static_cast<std::size_t>(i)],
                   c = cluster[static_cast<std::size_t>(j)];
        block(i, j) = (pair.difference.entry(a, c) - center * pair.second.entry(a, c)).middle();
      }
    const double norm = block.cwiseAbs().maxCoeff();
    if (!(norm > 1e-45)) continue;  // equal up to the rounding of the balls: nothing to tell apart
    const SymmetricEigen eigen = symmetric_eigen(block / norm);
    rotation(cluster, cluster) = eigen.vectors;
  }
  return (v * BallMatrix(rotation)).midpoint();
}

// Upper bound on the Frobenius norm of the off-diagonal part of M_ij / sqrt(B_ii B_jj).
double off_diagonal_norm(const BallMatrix& matrix, const BallMatrix* addend,
                         const std::vector<Ball>& diagonal) {
  const PrecisionScope scope(64);
  Ball sum;
  for (long i = 0; i < matrix.rows(); ++i) {
    for (long j = 0; j < i; ++j) {
      const Ball entry =
          addend == nullptr ? matrix.entry(i, j) : matrix.entry(i, j) + addend->entry(i, j);
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      sum += entry * entry / (diagonal[a] * diagonal[b]) * 2.0;
    }
  }
  return std::sqrt(std::max(sum.upper(), 0.0)) * (1.0 + 0x1p-50);
}

}  // namespace

std::optional<GaussianSpectrum> certified_dense_spectrum(const GaussianDistribution& x,
                                                         const GaussianDistribution& y) {
  const long d = x.mean.size();
  for (long i = 0; i < d; ++i)
    if (!(y.covariance(i, i) > 0.0)) return std::nullopt;
  const PrecisionScope scope(bits);
  const BallMatrix scales{unit_scales(y.covariance)};
  const BallMatrix s2 = scales * BallMatrix(y.covariance) * scales;
  const BallMatrix difference =
      scales * (BallMatrix(x.covariance) - BallMatrix(y.covariance)) * scales;
  const BallMatrix shift = scales * (BallMatrix(x.mean) - BallMatrix(y.mean));
  std::optional<BallMatrix> v = approximate_eigenvectors(s2, difference);
  if (!v) return std::nullopt;
  // Quadratic convergence: 1e-12, 1e-24, 1e-48; then once more for what the rotations left.
  v = refined(*v, Congruent(*v, difference, s2));
  v = refined(*v, Congruent(*v, difference, s2));
  v = with_clusters_rotated(*v, Congruent(*v, difference, s2));
  v = refined(*v, Congruent(*v, difference, s2));
  v = refined(*v, Congruent(*v, difference, s2));
  const Congruent pair(*v, difference, s2);
  const BallMatrix means = v->transposed() * shift;

  const bool equal_covariances = x.covariance == y.covariance;
  GaussianSpectrum spectrum;
  std::vector<Ball> diagonal;
  double smallest_ratio = 1.0;
  for (long i = 0; i < d; ++i) {
    const Ball b = pair.second.entry(i, i), t = pair.difference.entry(i, i) / b;
    const Ball mean = means.entry(i, 0), ratio = t + 1.0;
    if (!b.surely_positive() || !ratio.surely_positive()) return std::nullopt;
    diagonal.push_back(b);
    smallest_ratio = std::min(smallest_ratio, ratio.lower());
    Precise excess = to_precise("variance ratio", t);
    // Kept though it looks trivial: the off-diagonal part reaches it too.
    if (!equal_covariances && excess.is_exactly(0.0)) excess.radius = 0x1p-1000;
    spectrum.add({excess, to_precise("squared mean", mean * mean / b), 1.0});
  }
  const OffDiagonal rest{off_diagonal_norm(pair.second, &pair.difference, diagonal),
                         off_diagonal_norm(pair.second, nullptr, diagonal)};
  // Diagonally dominant in norm: both matrices, hence both covariances, are positive definite.
  if (!(rest.with_record < 0.5 * smallest_ratio && rest.without_record < 0.5)) return std::nullopt;
  if (equal_covariances) {
    // m^T B^-1 m differs from sum m_i^2 / B_ii by at most |.| e / (1 - e).
    GaussianSpectrum result;
    for (const SpectrumComponent& component : spectrum.components()) {
      const Ball square = to_ball(component.mean_square), e = rest.without_record;
      result.add({component.excess,
                  to_precise("squared mean", square.widened(square * e / (Ball(1.0) - e))), 1.0});
    }
    return result;
  }
  spectrum.set_off_diagonal(rest);
  return spectrum;
}

}  // namespace modicum
