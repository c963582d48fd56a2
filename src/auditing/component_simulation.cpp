#include "modicum/auditing/component_simulation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mechanisms/components/chain_statistics.h"
#include "modicum/numerics/errors.h"
#include "numerics/dense.h"

namespace modicum {
namespace {

constexpr std::size_t fewest_draws = 100;

void require_draws(std::size_t draws) {
  if (!(draws >= fewest_draws))
    throw InvalidParameter("draws", static_cast<double>(draws), "must be at least 100");
}

ComponentLaw law_of(const ComponentSpectrum& spectrum, double beta) {
  return {spectrum.eigenvalues(), beta, static_cast<double>(spectrum.components())};
}

// One value a frame.
struct Traces {
  std::vector<std::vector<double>> overlaps;
  std::vector<double> spectral, frobenius;
};

// With A the rows of V on the true components and B the others, A^T A + B^T B = I, and the squared
// sines of the angles between both spans are the eigenvalues of B^T B. From B and not from A: for
// large beta they are small.
void append(Traces& traces, const Eigen::MatrixXd& frame) {
  const Eigen::Index k = frame.cols();
  for (Eigen::Index i = 0; i < k; ++i)
    traces.overlaps[static_cast<std::size_t>(i)].push_back(frame.row(i).squaredNorm());
  const auto others = frame.bottomRows(frame.rows() - k);
  const Eigen::MatrixXd sines = others.transpose() * others;
  traces.frobenius.push_back(2.0 * sines.trace());
  traces.spectral.push_back(k == 1 ? sines(0, 0) : symmetric_eigenvalues(sines)[k - 1]);
}

Traces chain_traces(const ComponentLaw& law, Traces traces, std::size_t draws,
                    RandomSource& source) {
  ComponentChain chain(law, ChainStart::approximate, source);
  for (std::size_t i = 0; i < draws / 10; ++i) chain.sweep(source);
  for (std::size_t i = 0; i < draws; ++i) {
    chain.sweep(source);
    append(traces, chain.frame());
  }
  return traces;
}

Traces independent_traces(const ComponentLaw& law, ComponentSampler sampler, Traces traces,
                          std::size_t draws, RandomSource& source) {
  for (std::size_t i = 0; i < draws; ++i) append(traces, draw_components(law, sampler, source));
  return traces;
}

// Where the Gaussian sampler does not serve, a chain takes its place.
bool is_chain(const ComponentLaw& law, ComponentSampler sampler) {
  if (law.components() == 1) return false;
  return sampler == ComponentSampler::gibbs ||
         (sampler == ComponentSampler::gaussian && !(law.noise_share() < 1.0));
}

// n values with autocorrelation time tau tell as much as n / tau independent ones [Geyer1992].
SimulatedMean mean_of(const std::vector<double>& trace, bool chain) {
  const auto size = static_cast<double>(trace.size());
  const double mean = std::accumulate(trace.begin(), trace.end(), 0.0) / size;
  double variance = 0.0;
  for (const double value : trace) variance += (value - mean) * (value - mean) / (size - 1.0);
  const double time = chain ? autocorrelation_time(trace) : 1.0;
  return {mean, std::sqrt(variance * time / size)};
}

}  // namespace

SimulatedUtility simulate_utility(const ComponentSpectrum& spectrum, double beta,
                                  ComponentSampler sampler, std::size_t draws,
                                  RandomSource& source) {
  require_draws(draws);
  const ComponentLaw law = law_of(spectrum, beta);
  SimulatedUtility result{{}, {0.0, 0.0}, {0.0, 0.0}};
  if (spectrum.is_whole_space()) {  // V V^T = I, whatever was drawn
    result.overlaps.resize(spectrum.components(), {1.0, 0.0});
    return result;
  }
  const bool chain = is_chain(law, sampler);
  const Traces empty{std::vector<std::vector<double>>(spectrum.components()), {}, {}};
  const Traces traces = chain ? chain_traces(law, empty, draws, source)
                              : independent_traces(law, sampler, empty, draws, source);
  for (const std::vector<double>& overlap : traces.overlaps)
    result.overlaps.push_back(mean_of(overlap, chain));
  result.spectral = mean_of(traces.spectral, chain);
  result.frobenius = mean_of(traces.frobenius, chain);
  return result;
}

}  // namespace modicum
