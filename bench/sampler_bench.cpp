// Random numbers: how many a second. Beside them, in the same run, what one would otherwise take:
// the standard library's generator and normal law, and the operating system's own bits.
// `items_per_second` counts words or draws.
#include <benchmark/benchmark.h>
#include <sys/random.h>

#include <array>
#include <random>
#include <vector>

#include "modicum/mechanisms/discrete_staircase.h"
#include "modicum/randomness/samplers.h"

namespace modicum {
namespace {

template <class Draw>
void time_draws(benchmark::State& state, Draw draw) {
  for (auto _ : state) benchmark::DoNotOptimize(draw());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void SecureWord(benchmark::State& state) {
  SecureSource source;
  RandomSource& bits = source;
  benchmark::DoNotOptimize(&bits);
  time_draws(state, [&] { return bits.next(); });
}
BENCHMARK(SecureWord);

void RivalWordFromSystem(benchmark::State& state) {
  std::array<std::uint64_t, 512> buffer{};
  for (auto _ : state) {
    if (getrandom(buffer.data(), sizeof buffer, 0) != sizeof buffer)
      state.SkipWithError("no random bits");
    benchmark::DoNotOptimize(buffer.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * buffer.size()));
}
BENCHMARK(RivalWordFromSystem);

void StandardNormal(benchmark::State& state) {
  SecureSource source;
  time_draws(state, [&] { return standard_normal(source); });
}
BENCHMARK(StandardNormal);

void FillStandardNormals(benchmark::State& state) {
  SecureSource source;
  std::vector<double> values(4096);
  for (auto _ : state) {
    fill_standard_normals(values, source);
    benchmark::DoNotOptimize(values.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * values.size()));
}
BENCHMARK(FillStandardNormals);

void RivalStandardLibraryNormal(benchmark::State& state) {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  time_draws(state, [&] { return normal(generator); });
}
BENCHMARK(RivalStandardLibraryNormal);

void ChiSquare(benchmark::State& state, double degrees) {
  SecureSource source;
  time_draws(state, [&] { return chi_square(degrees, source); });
}
BENCHMARK_CAPTURE(ChiSquare, half, 0.5);
BENCHMARK_CAPTURE(ChiSquare, sixty, 60.0);

void WishartFactor(benchmark::State& state) {
  SecureSource source;
  for (auto _ : state) benchmark::DoNotOptimize(wishart_factor(100, 300.5, source));
}
BENCHMARK(WishartFactor);

void RoundedNormal(benchmark::State& state, double scale) {
  SecureSource source;
  time_draws(state, [&] { return rounded_normal(scale, 0.25, source); });
}
BENCHMARK_CAPTURE(RoundedNormal, scale_1, 1.0);
BENCHMARK_CAPTURE(RoundedNormal, scale_1000, 1000.0);
BENCHMARK_CAPTURE(RoundedNormal, scale_2_to_30, 0x1p30);
BENCHMARK_CAPTURE(RoundedNormal, scale_2_to_40, 0x1p40);
// Above 2^52 every draw takes the slow way.
BENCHMARK_CAPTURE(RoundedNormal, scale_2_to_55, 0x1p55);

void DiscreteGaussian(benchmark::State& state, double deviation) {
  SecureSource source;
  const DiscreteGaussianSampler sampler(deviation);
  time_draws(state, [&] { return sampler.draw(source); });
}
BENCHMARK_CAPTURE(DiscreteGaussian, deviation_half, 0.5);
BENCHMARK_CAPTURE(DiscreteGaussian, deviation_1, 1.0);
BENCHMARK_CAPTURE(DiscreteGaussian, deviation_20, 20.0);
BENCHMARK_CAPTURE(DiscreteGaussian, deviation_1000, 1000.0);
BENCHMARK_CAPTURE(DiscreteGaussian, deviation_1e9, 1e9);

// What a single release pays.
void DiscreteGaussianTable(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(DiscreteGaussianSampler(32.0));
}
BENCHMARK(DiscreteGaussianTable);

void DiscreteLaplace(benchmark::State& state, double scale) {
  SecureSource source;
  const StaircaseSampler sampler({1.0 / scale, 1.0, 1.0});
  time_draws(state, [&] { return sampler.draw(source); });
}
BENCHMARK_CAPTURE(DiscreteLaplace, scale_half, 0.5);
BENCHMARK_CAPTURE(DiscreteLaplace, scale_20, 20.0);
BENCHMARK_CAPTURE(DiscreteLaplace, scale_1e6, 1e6);

void Bernoulli(benchmark::State& state) {
  SecureSource source;
  time_draws(state, [&] { return bernoulli(0.3, source); });
}
BENCHMARK(Bernoulli);

}  // namespace
}  // namespace modicum
