// Black-box audits: the verdict from samples, and what it costs to run a program for them.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <vector>

#include "modicum/auditing/black_box.h"
#include "modicum/auditing/program_runs.h"
#include "modicum/randomness/samplers.h"

namespace modicum {
namespace {

const PrivacyTarget claim(1.0, 1e-5);
// 70 % of the deviation that the claim needs at sensitivity 1.
constexpr double deviation = 0.7 * 3.7304;

// Normal vectors, with the record moved by 1 along the first coordinate.
Samples gaussian_samples(std::size_t count, std::size_t dimension, bool with,
                         RandomSource& source) {
  Samples samples;
  std::vector<double> output(dimension);
  for (std::size_t i = 0; i < count; ++i) {
    fill_standard_normals(output, source);
    for (double& entry : output) entry *= deviation;
    if (with) output.front() += 1.0;
    samples.add(output);
  }
  return samples;
}

// Arguments: samples of both inputs together, numbers in each.
void black_box(benchmark::State& state) {
  SecureSource source;
  const auto count = static_cast<std::size_t>(state.range(0)) / 2;
  const auto dimension = static_cast<std::size_t>(state.range(1));
  const Samples with = gaussian_samples(count, dimension, true, source);
  const Samples without = gaussian_samples(count, dimension, false, source);
  for (auto _ : state)
    benchmark::DoNotOptimize(audit_samples(with, without, claim, 0.95, source).p_value);
}
BENCHMARK(black_box)
    ->Args({2000, 1})
    ->Args({200000, 1})
    ->Args({200000, 10})
    ->Args({200000, 20})
    ->Args({20000, 1000})
    ->Unit(benchmark::kMillisecond);

void program_run(benchmark::State& state) {
  ProgramRunner runner(RunLimits{});
  std::size_t ticket = 0;
  for (auto _ : state) {
    runner.start(ticket++, {"/bin/echo", "1"});
    benchmark::DoNotOptimize(runner.wait().samples.size());
  }
}
BENCHMARK(program_run)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace modicum
