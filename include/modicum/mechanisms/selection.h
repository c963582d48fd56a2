// Mechanisms that select: one of several candidates, the queries above a threshold, the best of
// several runs. What is known of them are pure guarantees, ranges of the loss and Renyi divergences
// (docs/derivations/selection.md).
#pragma once

#include <utility>

#include "modicum/mechanisms/zero_concentrated.h"
#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// Candidates with probability proportional to exp(epsilon * score / (2 * sensitivity)), or without
/// the 2 where a record moves all scores in one direction: of bounded range epsilon.
/// [DongDurfeeRogers2020]
PrivacyLoss exponential_mechanism(double epsilon);

/// Candidates in random order, each taken with probability exp(epsilon (score - best) / (2 *
/// sensitivity)): epsilon-private, an upper bound. [McKennaSheldon2020]
PrivacyLoss permute_and_flip(double epsilon);

enum class SelectionNoise { laplace, exponential, gumbel };

/// The candidate with the largest score after noise of this scale on each; a record moves a score
/// by at most `sensitivity`, and with `monotone` all of them in one direction. [DworkRoth2014,
/// Claim 3.9], [McKennaSheldon2020]; with Gumbel's noise it is the exponential mechanism.
PrivacyLoss report_noisy_max(SelectionNoise noise, double scale, double sensitivity, bool monotone);

/// Laplace noise on a threshold, once, and on each query; which queries are above is told until
/// `answers` of them were. An upper bound. [LyuSuLi2017, Theorem 4]
struct SparseVector {
  double threshold_scale, query_scale, answers, sensitivity;
  bool monotone = false;
};
PrivacyLoss sparse_vector(const SparseVector& plan);

/// The best of a random number of runs: how that is distributed.
enum class Repetitions { poisson, negative_binomial };

/// Renyi divergences of the best of a random number of runs of a mechanism, of this mean. `shape`
/// above -1 is that of the truncated negative binomial distribution: 1 is geometric, 0 logarithmic.
/// A run has a loss, and beside it what only bounds on moments tell of, zCDP for one. Throws
/// TargetUnreachable where no divergence of the mechanism can be proved.
/// [PapernotSteinke2022, Theorems 2 and 6]
struct RepeatedRun {
  RepeatedRun(PrivacyLoss given_loss = {}, RenyiBounds given_moments = {})  // NOLINT: a loss is one
      : loss(std::move(given_loss)), moments(std::move(given_moments)) {}
  PrivacyLoss loss;
  RenyiBounds moments;
};
RenyiBounds repeat_and_select(const RepeatedRun& run, Repetitions distribution, double mean,
                              double shape);

}  // namespace modicum
