#include "numerics/dense.h"

#include <lapacke.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "modicum/numerics/errors.h"
#include "numerics/single_threaded_blas.h"

// The functions of LAPACKE that take workspace: the others allocate it for each call, which small
// matrices in samplers would feel, and print where memory is short.
namespace modicum {
namespace {

constexpr int layout = LAPACK_COL_MAJOR;
constexpr Eigen::Index block = 64;  // LAPACK works on so many columns at once, or fewer

lapack_int size_of(Eigen::Index size) {
  if (!(size <= std::numeric_limits<lapack_int>::max())) throw Error("a matrix is too large");
  return static_cast<lapack_int>(size);
}

// The stride of columns, which is never 0.
lapack_int stride(const Eigen::MatrixXd& matrix) {
  return size_of(std::max<Eigen::Index>(matrix.rows(), 1));
}

struct Workspace {
  explicit Workspace(Eigen::Index count) : size(size_of(std::max<Eigen::Index>(count, 1))) {
    numbers.resize(size);
  }
  double* data() { return numbers.data(); }
  lapack_int size;
  Eigen::VectorXd numbers;
};

using Integers = Eigen::Matrix<lapack_int, Eigen::Dynamic, 1>;

void require_finite_entries(const Eigen::MatrixXd& matrix) {
  if (!matrix.allFinite()) throw Error("a matrix has entries that are not finite");
}

void require_size(bool right) {
  if (!right) throw Error("the sizes of matrices do not agree");
}

Eigen::VectorXd eigenvalues_in_place(Eigen::MatrixXd& matrix, bool with_vectors) {
  require_size(matrix.rows() == matrix.cols());
  require_finite_entries(matrix);
  const Eigen::Index d = matrix.rows();
  const lapack_int n = size_of(d);
  Eigen::VectorXd values(d);
  Workspace work(with_vectors ? 1 + 6 * d + 2 * d * d : 1 + (2 + block) * d);
  Integers integers(with_vectors ? 3 + 5 * d : 1);
  const SingleThreadedBlas no_threads_below;
  if (LAPACKE_dsyevd_work(layout, with_vectors ? 'V' : 'N', 'L', n, matrix.data(), stride(matrix),
                          values.data(), work.data(), work.size, integers.data(),
                          size_of(integers.size())) != 0)
    throw Error("the symmetric eigenvalue problem did not converge");
  return values;
}

Eigen::MatrixXd triangular_solve(const Eigen::MatrixXd& lower, char transposed,
                                 Eigen::MatrixXd right) {
  require_size(right.rows() == lower.rows());
  require_finite_entries(right);
  const SingleThreadedBlas no_threads_below;
  if (LAPACKE_dtrtrs_work(layout, 'L', transposed, 'N', size_of(lower.rows()),
                          size_of(right.cols()), lower.data(), stride(lower), right.data(),
                          stride(right)) != 0)
    throw Error("the triangular system is singular");
  return right;
}

// 'S': as many vectors as the smaller side, 'N': none.
ThinSvd singular_value_decomposition(Eigen::MatrixXd matrix, char job) {
  require_finite_entries(matrix);
  const Eigen::Index rows = matrix.rows(), columns = matrix.cols();
  const Eigen::Index smaller = std::min(rows, columns), vectors = job == 'S' ? smaller : 0;
  ThinSvd result{Eigen::MatrixXd(rows, vectors), Eigen::VectorXd(smaller), {}};
  Eigen::MatrixXd transposed(vectors, columns);
  Integers integers(8 * smaller);
  const SingleThreadedBlas no_threads_below;
  const auto run = [&](double* work, lapack_int size) {
    if (LAPACKE_dgesdd_work(layout, job, size_of(rows), size_of(columns), matrix.data(),
                            stride(matrix), result.values.data(), result.left.data(),
                            stride(result.left), transposed.data(), stride(transposed), work, size,
                            integers.data()) != 0)
      throw Error("the singular value decomposition did not converge");
  };
  double needed = 0.0;
  run(&needed, -1);
  Workspace work(static_cast<Eigen::Index>(needed));
  run(work.data(), work.size);
  result.right = transposed.transpose();
  return result;
}

// L and U in place, with unit diagonal in L; the rows that were swapped. False if U is singular.
bool eliminate(Eigen::MatrixXd& matrix, Integers& swaps) {
  require_size(matrix.rows() == matrix.cols());
  require_finite_entries(matrix);
  const lapack_int n = size_of(matrix.rows());
  swaps.resize(n);
  const SingleThreadedBlas no_threads_below;
  return LAPACKE_dgetrf_work(layout, n, n, matrix.data(), stride(matrix), swaps.data()) == 0;
}

}  // namespace

SymmetricEigen symmetric_eigen(Eigen::MatrixXd symmetric) {
  Eigen::VectorXd values = eigenvalues_in_place(symmetric, true);
  return {std::move(values), std::move(symmetric)};
}

Eigen::VectorXd symmetric_eigenvalues(Eigen::MatrixXd symmetric) {
  return eigenvalues_in_place(symmetric, false);
}

CholeskyFactor::CholeskyFactor(Eigen::MatrixXd symmetric)
    : lower_(std::move(symmetric)), norm_(0.0), positive_definite_(false) {
  require_size(lower_.rows() == lower_.cols());
  if (!lower_.allFinite()) return;
  const lapack_int n = size_of(lower_.rows());
  Workspace work(n);
  const SingleThreadedBlas no_threads_below;
  norm_ = LAPACKE_dlansy_work(layout, '1', 'L', n, lower_.data(), stride(lower_), work.data());
  if (LAPACKE_dpotrf_work(layout, 'L', n, lower_.data(), stride(lower_)) != 0) return;
  // OpenBLAS looks for pivots that are not positive, and NaN, which overflow may leave, is none.
  if (!(lower_.diagonal().array() > 0.0).all() || !lower_.diagonal().allFinite()) return;
  lower_.triangularView<Eigen::StrictlyUpper>().setZero();
  positive_definite_ = true;
}

const Eigen::MatrixXd& CholeskyFactor::lower() const {
  if (!positive_definite_) throw Error("a matrix is not positive definite to working precision");
  return lower_;
}

double CholeskyFactor::condition() const {
  if (!positive_definite_) return std::numeric_limits<double>::infinity();
  const lapack_int n = size_of(lower_.rows());
  Workspace work(3 * n);
  Integers integers(n);
  double reciprocal = 0.0;
  const SingleThreadedBlas no_threads_below;
  if (LAPACKE_dpocon_work(layout, 'L', n, lower_.data(), stride(lower_), norm_, &reciprocal,
                          work.data(), integers.data()) != 0)
    return std::numeric_limits<double>::infinity();
  return 1.0 / reciprocal;
}

Eigen::MatrixXd CholeskyFactor::solve(Eigen::MatrixXd right) const {
  return other_half_solve(half_solve(std::move(right)));
}

Eigen::MatrixXd CholeskyFactor::half_solve(Eigen::MatrixXd right) const {
  return triangular_solve(lower(), 'N', std::move(right));
}

Eigen::MatrixXd CholeskyFactor::other_half_solve(Eigen::MatrixXd right) const {
  return triangular_solve(lower(), 'T', std::move(right));
}

Eigen::MatrixXd CholeskyFactor::whitened(Eigen::MatrixXd symmetric) const {
  require_size(symmetric.rows() == lower().rows() && symmetric.cols() == lower_.cols());
  require_finite_entries(symmetric);
  const SingleThreadedBlas no_threads_below;
  if (LAPACKE_dsygst_work(layout, 1, 'L', size_of(lower_.rows()), symmetric.data(),
                          stride(symmetric), lower_.data(), stride(lower_)) != 0)
    throw Error("the whitening failed");
  return symmetric.selfadjointView<Eigen::Lower>();
}

Eigen::MatrixXd CholeskyFactor::inverse() const {
  return solve(Eigen::MatrixXd::Identity(lower().rows(), lower().rows()));
}

// Cholesky's factorization with the largest pivot first, P^T A P = L L^T, until none is positive.
Eigen::MatrixXd solve_semidefinite(Eigen::MatrixXd symmetric, const Eigen::MatrixXd& right) {
  require_size(symmetric.rows() == symmetric.cols() && right.rows() == symmetric.rows());
  require_finite_entries(symmetric);
  require_finite_entries(right);
  const lapack_int n = size_of(symmetric.rows());
  Integers order(n);
  lapack_int rank = 0;
  Workspace work(2 * symmetric.rows());
  const SingleThreadedBlas no_threads_below;
  if (LAPACKE_dpstrf_work(layout, 'L', n, symmetric.data(), stride(symmetric), order.data(), &rank,
                          0.0, work.data()) < 0)
    throw Error("a matrix could not be factorized");
  const Integers kept = order.head(rank).array() - 1;
  const Eigen::MatrixXd lower = symmetric.topLeftCorner(rank, rank);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(right.rows(), right.cols());
  result(kept, Eigen::all) =
      triangular_solve(lower, 'T', triangular_solve(lower, 'N', right(kept, Eigen::all)));
  return result;
}

HouseholderQr::HouseholderQr(Eigen::MatrixXd matrix)
    : reflections_(std::move(matrix)), scales_(std::min(reflections_.rows(), reflections_.cols())) {
  require_finite_entries(reflections_);
  Workspace work(block * reflections_.cols());
  const SingleThreadedBlas no_threads_below;
  if (LAPACKE_dgeqrf_work(layout, size_of(reflections_.rows()), size_of(reflections_.cols()),
                          reflections_.data(), stride(reflections_), scales_.data(), work.data(),
                          work.size) != 0)
    throw Error("the orthogonal factorization failed");
}

Eigen::MatrixXd HouseholderQr::triangle() const {
  return reflections_.topRows(scales_.size()).triangularView<Eigen::Upper>();
}

Eigen::MatrixXd HouseholderQr::thin_orthogonal() const { return first_columns(scales_.size()); }

Eigen::MatrixXd HouseholderQr::orthogonal() const { return first_columns(reflections_.rows()); }

Eigen::MatrixXd HouseholderQr::first_columns(Eigen::Index columns) const {
  Eigen::MatrixXd result(reflections_.rows(), columns);
  result.leftCols(scales_.size()) = reflections_.leftCols(scales_.size());
  Workspace work(block * columns);
  const SingleThreadedBlas no_threads_below;
  if (LAPACKE_dorgqr_work(layout, size_of(result.rows()), size_of(columns), size_of(scales_.size()),
                          result.data(), stride(result), scales_.data(), work.data(),
                          work.size) != 0)
    throw Error("the orthogonal factorization failed");
  return result;
}

Eigen::Index PivotedQr::rank(double share) const {
  const Eigen::VectorXd pivots = triangle.diagonal().cwiseAbs();
  if (pivots.size() == 0) return 0;
  return (pivots.array() > share * pivots.maxCoeff()).count();
}

PivotedQr pivoted_qr(Eigen::MatrixXd matrix) {
  require_finite_entries(matrix);
  const Eigen::Index rows = matrix.rows(), columns = matrix.cols();
  const Eigen::Index smaller = std::min(rows, columns);
  Integers order = Integers::Zero(columns);  // 0: may be moved
  Eigen::VectorXd scales(smaller);
  Workspace work(2 * columns + (columns + 1) * block);
  const SingleThreadedBlas no_threads_below;
  if (LAPACKE_dgeqp3_work(layout, size_of(rows), size_of(columns), matrix.data(), stride(matrix),
                          order.data(), scales.data(), work.data(), work.size) != 0)
    throw Error("the orthogonal factorization failed");
  PivotedQr result{matrix.topRows(smaller).triangularView<Eigen::Upper>(), {}};
  for (const lapack_int column : order) result.order.push_back(column - 1);
  return result;
}

ThinSvd thin_svd(Eigen::MatrixXd matrix) {
  return singular_value_decomposition(std::move(matrix), 'S');
}

Eigen::VectorXd singular_values(Eigen::MatrixXd matrix) {
  return singular_value_decomposition(std::move(matrix), 'N').values;
}

Eigen::MatrixXd solve_square(Eigen::MatrixXd matrix, Eigen::MatrixXd right) {
  require_size(matrix.rows() == right.rows());
  require_finite_entries(right);
  Integers swaps;
  if (!eliminate(matrix, swaps)) throw Error("the system of equations is singular");
  const SingleThreadedBlas no_threads_below;
  if (LAPACKE_dgetrs_work(layout, 'N', size_of(matrix.rows()), size_of(right.cols()), matrix.data(),
                          stride(matrix), swaps.data(), right.data(), stride(right)) != 0)
    throw Error("the system of equations could not be solved");
  return right;
}

double determinant(Eigen::MatrixXd matrix) {
  Integers swaps;
  eliminate(matrix, swaps);
  double result = matrix.diagonal().prod();
  for (Eigen::Index i = 0; i < swaps.size(); ++i)
    if (swaps[i] != i + 1) result = -result;
  return result;
}

}  // namespace modicum
