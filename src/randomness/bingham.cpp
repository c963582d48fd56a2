#include "modicum/randomness/bingham.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "modicum/numerics/errors.h"
#include "randomness/bingham_envelope.h"
#include "randomness/bingham_shift.h"
#include "randomness/unit_interval.h"

namespace modicum {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// Solves sum over i >= first of 1/(2 (a_i - a_first + shift)) = 1. The solution has
// 1/2 <= shift <= (p - first)/2: there the first term, or p - first times it, is 1.
double shift_without(const Eigen::VectorXd& exponents, Eigen::Index first) {
  const auto rest = (exponents.tail(exponents.size() - first).array() - exponents[first]).eval();
  double low = 0.5, high = 0.5 * static_cast<double>(rest.size());
  while (high - low > 1e-6 * high) {
    const double middle = 0.5 * (low + high);
    ((0.5 / (rest + middle)).sum() > 1.0 ? low : high) = middle;
  }
  return high;
}

// 1/trace - 1, which increases with the shift; -1 where M is not positive, its limit there.
double imbalance(const BinghamEnvelope& envelope) {
  return envelope.positive() ? 1.0 / envelope.trace() - 1.0 : -1.0;
}

// |y|^2 must not be far from 1, in its own spread and in the 1/sqrt(p) that rejection tolerates.
bool is_good(const BinghamEnvelope& envelope, Eigen::Index dimension) {
  const double tolerance =
      std::max(0.5 * envelope.spread(), 0.5 / std::sqrt(static_cast<double>(dimension)));
  return envelope.positive() && std::abs(imbalance(envelope)) < std::min(tolerance, 0.5);
}

// Any shift with M positive gives the exact law; near trace = 1 it is quick. By false position
// from a guess. The exponents are taken relative to that of the first axis which is left
// if the columns are the axes before it: by interlacing the shift is then positive. The upper end
// always serves: there M >= p.
BinghamEnvelope find_envelope(const Eigen::VectorXd& given, const Eigen::MatrixXd& columns,
                              double guess) {
  const Eigen::VectorXd exponents = given.array() - given[columns.cols()];
  // With few directions left over, the search below is as good.
  if (columns.cols() > 0 && exponents.size() > 3 * columns.cols() + 2)
    guess = balanced_shift(exponents, columns, guess);
  BinghamEnvelope found(exponents, columns, guess);
  if (is_good(found, exponents.size())) return found;
  double low = 0.0, at_low = -1.0;
  double high = 0.5 * static_cast<double>(exponents.size()) - exponents[0];
  BinghamEnvelope last(exponents, columns, high);
  if (!last.positive()) throw Error("the columns to be taken out are not orthonormal");
  double at_high = imbalance(last), shift = guess, stride = 1.0;
  bool low_is_near = false, high_is_near = false;
  for (int step = 0; step < 200; ++step) {
    const double value = imbalance(found);
    if (value < 0.0) low = shift, at_low = value, low_is_near = true;
    else last = found, high = shift, at_high = value, high_is_near = true;
    // From the guess outwards in growing strides, then between two near ends. 1/trace rises by at
    // most 2 for each 1 of the shift, and by just that where one direction dominates.
    if (!high_is_near) shift = std::min(low + (stride *= 4.0), 0.5 * (low + high));
    else if (step % 3 == 0) shift = high - 0.5 * at_high;
    else if (!low_is_near)
      shift = std::max(high - std::max(stride *= 4.0, at_high), 0.5 * (low + high));
    else if (step % 3 == 1) shift = low + (high - low) * at_low / (at_low - at_high);
    else shift = 0.5 * (low + high);
    if (!(shift > low && shift < high)) shift = 0.5 * (low + high);
    if (!(shift > low && shift < high)) break;
    found = BinghamEnvelope(exponents, columns, shift);
    if (is_good(found, exponents.size())) return found;
  }
  return last;
}

}  // namespace

BinghamSampler::BinghamSampler(Eigen::VectorXd exponents) : exponents_(std::move(exponents)) {
  if (exponents_.size() == 0) throw InvalidParameter("exponents", 0.0, "must not be empty");
  for (Eigen::Index i = 0; i < exponents_.size(); ++i) {
    require_finite("exponents", exponents_[i]);
    if (!(exponents_[i] - exponents_[0] <= 1e11))
      throw InvalidParameter("exponents", exponents_[i], "must be within 1e11 of the least");
    if (i > 0 && !(exponents_[i] >= exponents_[i - 1]))
      throw InvalidParameter("exponents", exponents_[i], "must be in ascending order");
  }
}

double& BinghamSampler::remembered_shift(Eigen::Index columns) {
  const auto place = static_cast<std::size_t>(columns);
  if (shifts_.size() <= place) shifts_.resize(place + 1, unknown);
  if (std::isnan(shifts_[place])) shifts_[place] = shift_without(exponents_, columns);
  return shifts_[place];
}

Eigen::VectorXd BinghamSampler::draw(RandomSource& source) {
  return draw_orthogonal_to(Eigen::MatrixXd(dimension(), 0), source);
}

// With q the dimension of the complement and m = x^T M x, the wanted density over that of the
// proposal is proportional to exp(-m/2) m^{q/2}, largest at m = q.
Eigen::VectorXd BinghamSampler::draw_orthogonal_to(const Eigen::MatrixXd& columns,
                                                   RandomSource& source) {
  if (columns.rows() != dimension() || columns.cols() >= dimension())
    throw InvalidParameter("columns", static_cast<double>(columns.cols()),
                           "must be fewer than the dimension, and as long");
  double& guess = remembered_shift(columns.cols());
  const BinghamEnvelope envelope = find_envelope(exponents_, columns, guess);
  guess = envelope.shift();
  const auto degrees = static_cast<double>(dimension() - columns.cols());
  Eigen::VectorXd y;
  draws_ += 1.0;
  for (int trial = 0;; ++trial) {
    // At a rate of 1/sqrt(p) a million refusals do not happen; a broken envelope must not hang.
    if (trial == 1000000) throw Error("no draw was accepted: the columns are not orthonormal");
    proposals_ += 1.0;
    const auto [energy, square] = envelope.propose(y, source);
    const double excess = energy / (square * degrees) - 1.0;
    if (std::log(unit_interval(source)) < 0.5 * degrees * (std::log1p(excess) - excess)) break;
  }
  // What rounding left along the columns would grow over many draws.
  if (columns.cols() > 0) y -= columns * (columns.transpose() * y).eval();
  return y / y.norm();
}

double BinghamSampler::acceptance() const { return proposals_ > 0.0 ? draws_ / proposals_ : 1.0; }

}  // namespace modicum
