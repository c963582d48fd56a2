// Draws of private principal components: V with k orthonormal columns and density proportional to
// exp((p beta / 2) Tr V^T Sigma V), the matrix Bingham law. Everything here is in the eigenbasis of
// Sigma: the components are U V, U the eigenvectors in decreasing order of the eigenvalues. In
// doubles.
//
//   draw_deflated_components     exact for k = 1; for more, k exact draws one after the
//                                other: another law, and the one with a proof
//   draw_gibbs_components        a Markov chain whose limit is the law: approximate
//   draw_approximate_components  Gaussian, right in the limit of many dimensions: approximate
#pragma once

#include <Eigen/Core>
#include <vector>

#include "modicum/randomness/bingham.h"

namespace modicum {

class ComponentLaw {
 public:
  /// Eigenvalues finite, in any order; beta >= 0; 1 <= components <= p, whole. p beta / 2 times the
  /// spread of the eigenvalues must be at most 1e11. Throws InvalidParameter.
  ComponentLaw(std::vector<double> eigenvalues, double beta, double components);

  Eigen::Index dimension() const { return exponents_.size(); }
  Eigen::Index components() const { return components_; }
  /// (p beta / 2)(lambda_1 - lambda_i), ascending.
  const Eigen::VectorXd& exponents() const { return exponents_; }
  /// Up to a constant; 0 at the true components' span for k = 1.
  double log_density(const Eigen::MatrixXd& frame) const;
  /// H(lambda_k) / beta, which must be below 1 for the approximate sampler.
  double noise_share() const;

 private:
  Eigen::VectorXd exponents_;
  Eigen::Index components_;
};

/// Each column drawn exactly from the law of one component on the complement of those before.
Eigen::MatrixXd draw_deflated_components(const ComponentLaw& law, RandomSource& source);

/// V = [(I - Z^T Z)^{1/2}; Z] Q, Z_ij from N(0, 1/(p beta (lambda_j - lambda_{k+i}))), Q uniform
/// [YunDudeja2025, Algorithm 2], redrawn until I - Z^T Z is positive. Throws InvalidParameter
/// unless noise_share() < 1, Error where 1000 draws of Z were in vain.
Eigen::MatrixXd draw_approximate_components(const ComponentLaw& law, RandomSource& source);

enum class ChainStart {
  axes,         ///< the true components: the most likely frame
  uniform,      ///< any frame
  approximate,  ///< the approximate sampler, without its Q; where that fails, uniform
};

/// Gibbs sampling [Hoff2009]: a sweep turns the columns by a uniform Q, draws one after the other,
/// given the rest, and turns the frame in the planes of the k-th axis and each other one; all
/// exactly. Then the frame is exchanged for one of the approximate sampler, or kept, by Metropolis'
/// rule.
class ComponentChain {
 public:
  ComponentChain(const ComponentLaw& law, ChainStart start, RandomSource& source);
  void sweep(RandomSource& source);
  const Eigen::MatrixXd& frame() const { return frame_; }
  double acceptance() const;  ///< of the proposals, mean over the columns

 private:
  std::vector<BinghamSampler> samplers_;  // one a column: each remembers what served it last
  Eigen::MatrixXd frame_;
};

/// The frame after so many sweeps from the approximate start, turned by a uniform Q.
constexpr int usual_sweeps = 8;
Eigen::MatrixXd draw_gibbs_components(const ComponentLaw& law, RandomSource& source,
                                      int sweeps = usual_sweeps);

enum class ComponentSampler {
  deflation,  ///< draw_deflated_components: another law for more than one component, proved
  gibbs,      ///< draw_gibbs_components
  gaussian,   ///< draw_approximate_components
};
/// One frame by the sampler of this name. For one component all are exact. Where the Gaussian law
/// does not serve, which depends on the eigenvalues, Gibbs sampling takes its place.
Eigen::MatrixXd draw_components(const ComponentLaw& law, ComponentSampler sampler,
                                RandomSource& source, int sweeps = usual_sweeps);

/// Two chains, one from the axes and one from a uniform frame; the first half of each is left out.
/// Watched are log density and overlap with the axes. A chain that looks converged need not be.
struct ChainDiagnostics {
  int sweeps;
  double potential_scale;  ///< near 1 if the chains agree [GelmanRubin1992]; the larger of both
  double autocorrelation_time;  ///< in sweeps, at least 1; the larger of both
  double acceptance;            ///< of the proposals within the columns
  bool agree() const { return potential_scale < 1.1; }
};
/// sweeps >= 20.
ChainDiagnostics diagnose_chain(const ComponentLaw& law, int sweeps, RandomSource& source);

}  // namespace modicum
