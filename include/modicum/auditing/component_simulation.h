// What the limits of principal_components.h leave out: the exponential mechanism at finite size, by
// simulation. From the eigenvalues alone, which are as confidential as the rows.
#pragma once

#include <vector>

#include "modicum/mechanisms/component_sampler.h"
#include "modicum/mechanisms/principal_components.h"

namespace modicum {

struct SimulatedMean {
  double mean;
  double standard_error;  ///< for successive frames of a chain, their correlation included
};

/// Against the axes; the limits are predicted_utility.
struct SimulatedUtility {
  std::vector<SimulatedMean> overlaps;
  SimulatedMean spectral, frobenius;
};
/// `draws` >= 100: independent ones, or for ComponentSampler::gibbs and more than one component the
/// successive frames of one chain, after a tenth as many that are left out.
SimulatedUtility simulate_utility(const ComponentSpectrum& spectrum, double beta,
                                  ComponentSampler sampler, std::size_t draws,
                                  RandomSource& source);

/// The least type II error of telling whether the worst row was there (worst_row_share) at each
/// level: estimates, and a band that holds the whole curve with this confidence, by the inequality
/// of [DvoretzkyKieferWolfowitz1956] with the constant of [Massart1990] for both samples. Draws are
/// independent; where the sampler is approximate, so is the law that the band speaks of. The null
/// hypothesis is that the row was not there.
struct SimulatedTradeoff {
  std::vector<double> type1, type2, lower, upper;
};
/// The statistic is |V^T x|^2, of which the likelihood ratio is an increasing function. (Not so for
/// ComponentSampler::deflation of several components: there the curve is that of this test, and
/// the least error may be smaller.) beta > H, no tie, draws >= 100 of each law, levels in [0, 1],
/// 0 < confidence < 1. Throws InvalidParameter.
SimulatedTradeoff simulate_tradeoff(const ComponentSpectrum& spectrum, double beta,
                                    ComponentSampler sampler, std::size_t draws,
                                    const std::vector<double>& levels, double confidence,
                                    RandomSource& source);

}  // namespace modicum
