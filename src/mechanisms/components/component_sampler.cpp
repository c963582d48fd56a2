#include "modicum/mechanisms/component_sampler.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "mechanisms/lifting/plane_turns.h"
#include "modicum/numerics/errors.h"
#include "modicum/randomness/samplers.h"
#include "numerics/dense.h"
#include "randomness/unit_interval.h"

namespace modicum {
namespace {

constexpr int most_tries = 1000;

// Z below, the root of I - Z^T Z above; none if Z is too long.
std::optional<Eigen::MatrixXd> proposed_frame(const Eigen::VectorXd& exponents, Eigen::Index k,
                                              RandomSource& source) {
  const Eigen::Index p = exponents.size();
  Eigen::MatrixXd frame(p, k);
  for (Eigen::Index j = 0; j < k; ++j) {
    const auto spread = (exponents.tail(p - k).array() - exponents[j]) * 2.0;
    double* const below = frame.col(j).data() + k;
    fill_standard_normals({below, static_cast<std::size_t>(p - k)}, source);
    frame.col(j).tail(p - k).array() *= spread.rsqrt();
  }
  const auto below = frame.bottomRows(p - k);
  const Eigen::MatrixXd square = below.transpose() * below;
  if (!square.allFinite()) return {};
  const SymmetricEigen rest = symmetric_eigen(Eigen::MatrixXd::Identity(k, k) - square);
  if (!(rest.values[0] > 0.0)) return {};
  frame.topRows(k) = rest.vectors * rest.values.cwiseSqrt().asDiagonal() * rest.vectors.transpose();
  return frame;
}

std::optional<Eigen::MatrixXd> gaussian_frame(const ComponentLaw& law, int tries,
                                              RandomSource& source) {
  if (!(law.noise_share() < 1.0)) return {};
  for (int i = 0; i < tries; ++i)
    if (auto frame = proposed_frame(law.exponents(), law.components(), source)) return frame;
  return {};
}

// In the coordinates Z the law is the Gaussian one over the determinant of the upper block, so that
// is all that Metropolis' rule has to ask for (docs/derivations/principal-components.md). Near or
// below H few proposals are frames; above, nearly all are taken, and the chain forgets.
void exchange(Eigen::MatrixXd& frame, const Eigen::VectorXd& exponents, RandomSource& source) {
  const Eigen::Index k = frame.cols();
  if (!(exponents[k] > exponents[k - 1])) return;  // a tie: Z has no law
  const auto proposed = proposed_frame(exponents, k, source);
  if (!proposed) return;
  const auto above = [k](const Eigen::MatrixXd& of) {
    return std::abs(determinant(of.topRows(k)));
  };
  if (unit_interval(source) * above(*proposed) < above(frame)) frame = *proposed;
}

Eigen::MatrixXd without_column(const Eigen::MatrixXd& frame, Eigen::Index column) {
  Eigen::MatrixXd rest(frame.rows(), frame.cols() - 1);
  rest << frame.leftCols(column), frame.rightCols(frame.cols() - 1 - column);
  return rest;
}

Eigen::MatrixXd starting_frame(const ComponentLaw& law, ChainStart start, RandomSource& source) {
  const Eigen::Index p = law.dimension(), k = law.components();
  if (start == ChainStart::axes) return Eigen::MatrixXd::Identity(p, k);
  if (start == ChainStart::approximate)
    if (const auto frame = gaussian_frame(law, 20, source)) return *frame;
  return uniform_frame(p, k, source);
}

}  // namespace

ComponentLaw::ComponentLaw(std::vector<double> eigenvalues, double beta, double components)
    : exponents_(static_cast<Eigen::Index>(eigenvalues.size())),
      components_(static_cast<Eigen::Index>(require_count("components", components))) {
  require_non_negative("beta", beta);
  if (!(components <= static_cast<double>(eigenvalues.size())))
    throw InvalidParameter("components", components, "must be at most the number of eigenvalues");
  for (const double value : eigenvalues) require_finite("eigenvalues", value);
  std::sort(eigenvalues.begin(), eigenvalues.end(), std::greater<>());
  const double factor = 0.5 * static_cast<double>(eigenvalues.size()) * beta;
  for (Eigen::Index i = 0; i < exponents_.size(); ++i)
    exponents_[i] = factor * (eigenvalues[0] - eigenvalues[static_cast<std::size_t>(i)]);
  if (!(exponents_[exponents_.size() - 1] <= 1e11))
    throw InvalidParameter("beta", beta, "is too large for doubles: the draw is an eigenvector");
}

double ComponentLaw::log_density(const Eigen::MatrixXd& frame) const {
  return -exponents_.dot(frame.rowwise().squaredNorm());
}

double ComponentLaw::noise_share() const {
  const Eigen::Index p = dimension(), k = components_;
  return (0.5 / (exponents_.tail(p - k).array() - exponents_[k - 1])).sum();
}

Eigen::MatrixXd draw_deflated_components(const ComponentLaw& law, RandomSource& source) {
  BinghamSampler sampler(law.exponents());
  Eigen::MatrixXd frame(law.dimension(), law.components());
  for (Eigen::Index j = 0; j < law.components(); ++j)
    frame.col(j) = sampler.draw_orthogonal_to(frame.leftCols(j), source);
  return frame;
}

Eigen::MatrixXd draw_approximate_components(const ComponentLaw& law, RandomSource& source) {
  if (!(law.noise_share() < 1.0))
    throw InvalidParameter("beta", "too small",
                           "must be above H, the least at which all components show");
  const auto frame = gaussian_frame(law, most_tries, source);
  if (!frame) throw Error("the approximate sampler does not serve so near the least beta");
  return *frame * uniform_frame(law.components(), law.components(), source);
}

ComponentChain::ComponentChain(const ComponentLaw& law, ChainStart start, RandomSource& source)
    : samplers_(static_cast<std::size_t>(law.components()), BinghamSampler(law.exponents())),
      frame_(starting_frame(law, start, source)) {}

double ComponentChain::acceptance() const {
  double sum = 0.0;
  for (const BinghamSampler& sampler : samplers_) sum += sampler.acceptance();
  return sum / static_cast<double>(samplers_.size());
}

// Turning the columns among themselves leaves the law as it is. Without it a chain that starts with
// columns along the axes stays so for long: with p = 6, k = 5, say, a column along the first axis
// given the other four can only turn in a plane (docs/derivations/principal-components.md). But
// then a direction that is taken out is a mixture of components, and what is strongest in it comes
// back: the last component and one after it with nearly its eigenvalue would hardly ever change
// places. Turns in the planes of their axes do that, and so does an exchange for a Gaussian frame.
void ComponentChain::sweep(RandomSource& source) {
  const Eigen::Index k = frame_.cols();
  if (k > 1) frame_ = (frame_ * uniform_frame(k, k, source)).eval();
  for (Eigen::Index j = 0; j < k; ++j)
    frame_.col(j) = samplers_[static_cast<std::size_t>(j)].draw_orthogonal_to(
        without_column(frame_, j), source);
  if (k == 1 || k == frame_.rows()) return;
  turn_planes(frame_, samplers_[0].exponents(), k - 1, source);
  exchange(frame_, samplers_[0].exponents(), source);
}

Eigen::MatrixXd draw_gibbs_components(const ComponentLaw& law, RandomSource& source, int sweeps) {
  if (!(sweeps >= 1)) throw InvalidParameter("sweeps", sweeps, "must be at least 1");
  const Eigen::Index k = law.components();
  if (k == law.dimension()) return uniform_frame(k, k, source);
  ComponentChain chain(law, ChainStart::approximate, source);
  for (int i = 0; i < sweeps; ++i) chain.sweep(source);
  return chain.frame() * uniform_frame(k, k, source);
}

Eigen::MatrixXd draw_components(const ComponentLaw& law, ComponentSampler sampler,
                                RandomSource& source, int sweeps) {
  const Eigen::Index k = law.components();
  if (k == 1 || sampler == ComponentSampler::deflation)
    return draw_deflated_components(law, source);
  if (sampler == ComponentSampler::gaussian && k < law.dimension())
    if (const auto frame = gaussian_frame(law, most_tries, source))
      return *frame * uniform_frame(k, k, source);
  return draw_gibbs_components(law, source, sweeps);
}

}  // namespace modicum
