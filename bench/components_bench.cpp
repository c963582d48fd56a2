// Private principal components: draws a second after the eigendecomposition, and calibration. Each
// sampler reports `overlap_error`, the distance of the mean overlap with the true components from
// its limit, and `standard_error`, what chance alone makes of it, from draws outside the timed
// loop.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/bounded_range.h"
#include "modicum/mechanisms/component_sampler.h"
#include "modicum/mechanisms/exponential_components.h"
#include "modicum/mechanisms/principal_components.h"

namespace modicum {
namespace {

/// k values above a bulk on [0, 1/2], and a beta of four times what shows them all.
struct Problem {
  Problem(int dimension, int components)
      : values(eigenvalues(dimension, components)),
        spectrum(values, 10.0 * dimension, components),
        beta(4.0 * spectrum.transform()),
        law(values, beta, components) {}

  static std::vector<double> eigenvalues(int dimension, int components) {
    std::vector<double> result;
    for (int i = 0; i < dimension; ++i)
      result.push_back(i < components ? 2.0 + components - i : 0.5 * (dimension - i) / dimension);
    return result;
  }

  std::vector<double> values;
  ComponentSpectrum spectrum;
  double beta;
  ComponentLaw law;
};

template <class Draw>
void time_draws(benchmark::State& state, const Draw& draw) {
  const Problem problem(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  SecureSource source;
  const auto overlap = [&] {
    return draw(problem.law, source).topRows(problem.law.components()).squaredNorm();
  };
  double limit = 0.0, sum = 0.0, squares = 0.0;
  for (const double share : predicted_utility(problem.spectrum, problem.beta).overlaps)
    limit += share;
  const int draws = state.range(0) > 1000 ? 20 : 200;
  for (int i = 0; i < draws; ++i) {
    const double found = overlap();
    sum += found, squares += found * found;
  }
  const double mean = sum / draws;
  state.counters["overlap_error"] = std::abs(mean - limit);
  state.counters["standard_error"] = std::sqrt((squares / draws - mean * mean) / draws);
  for (auto _ : state) benchmark::DoNotOptimize(overlap());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void Deflated(benchmark::State& state) { time_draws(state, draw_deflated_components); }
void Approximate(benchmark::State& state) { time_draws(state, draw_approximate_components); }
void Gibbs(benchmark::State& state) {
  time_draws(state, [](const ComponentLaw& law, RandomSource& source) {
    return draw_gibbs_components(law, source);
  });
}

BENCHMARK(Deflated)->Args({200, 1})->Args({200, 3})->Args({2000, 1})->Args({2000, 3});
BENCHMARK(Approximate)->Args({200, 1})->Args({200, 3})->Args({2000, 1})->Args({2000, 3});
BENCHMARK(Gibbs)->Args({200, 3})->Args({2000, 3})->Args({5000, 20})->Unit(benchmark::kMillisecond);

/// The largest beta for a mu, and how far its mu is from what was asked for.
void LargestBeta(benchmark::State& state) {
  const Problem problem(static_cast<int>(state.range(0)), 3);
  const double mu = 2.0 * privacy_plateau(problem.spectrum)->mu;
  const double found = *predicted_mu(problem.spectrum, largest_beta(problem.spectrum, mu));
  state.counters["relative_error"] = std::abs(found / mu - 1.0);
  for (auto _ : state) benchmark::DoNotOptimize(largest_beta(problem.spectrum, mu));
}
BENCHMARK(LargestBeta)->Arg(200)->Arg(5000);

/// delta of k draws in closed form, and how wide its enclosure is.
void ComposedRange(benchmark::State& state) {
  const auto draws = static_cast<double>(state.range(0));
  state.counters["relative_width"] = composed_bounded_range_delta(0.2, draws, 1.0).relative_width();
  for (auto _ : state)
    benchmark::DoNotOptimize(composed_bounded_range_delta(0.2, draws, 1.0).upper());
}
BENCHMARK(ComposedRange)->Arg(10)->Arg(20)->Arg(200);

/// The largest proved range for (1, 1e-6) over k draws.
void LargestRange(benchmark::State& state) {
  const auto draws = static_cast<double>(state.range(0));
  const PrivacyTarget target(1.0, 1e-6);
  const double range = largest_component_range(target, draws);
  state.counters["epsilon_short"] = 1.0 - component_guarantee(range, draws, 1e-6).epsilon;
  for (auto _ : state) benchmark::DoNotOptimize(largest_component_range(target, draws));
}
BENCHMARK(LargestRange)->Arg(1)->Arg(3)->Arg(20);

}  // namespace
}  // namespace modicum
