// An algorithm of somebody else, that answers with a draw from a Gaussian, by what its holder
// declares of it.
#pragma once

#include <algorithm>
#include <cmath>

#include "interfaces/job.h"
#include "modicum/data/fields.h"
#include "modicum/release/lift.h"

namespace modicum {

/// For all neighbors: the means are at most so far apart, and the larger covariance is at most the
/// smaller plus so much, in so many directions.
struct DeclaredOutput {
  using Data = GaussianDistribution;
  double mean_shift = 0.0, variance_excess = 0.0, rank = 1.0;

  void fields(Fields& fields) {
    fields
        .add("mean_shift", mean_shift,
             "largest Euclidean distance of the means of the output on neighboring data sets")
        .required();
    fields
        .add("variance_excess", variance_excess,
             "by how much a variance may differ on neighboring data sets, at most, in any\n"
             "direction; one of the covariances is the larger one in all of them")
        .required();
    fields.add("rank", rank, "in how many directions covariances differ, 1 by default");
  }

  std::string name() const { return "lifted_gaussian"; }
  std::vector<std::string> assumptions() const;
  GaussianDistribution output(const Data& given) const { return given; }
  /// Both covariances are at least the noise: it is the unit, at worst. Rounded upwards.
  OutputSensitivity sensitivity(double noise_variance) const {
    require_positive("noise_variance", noise_variance);
    constexpr double upwards = 1.0 + 0x1p-50;
    return {mean_shift / std::sqrt(noise_variance) * upwards,
            variance_excess / noise_variance * upwards, rank};
  }
  /// A guess to begin with.
  double start() const {
    const double size = std::max(mean_shift * mean_shift, variance_excess);
    return size > 0.0 ? size : 1.0;
  }
};

JobKind lift_release();

}  // namespace modicum
