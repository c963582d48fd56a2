// What an accountant is asked in a day, with the error beside the time. The engine that answered
// before the bent path, the discretized one, runs in the same table; a plain discretization without
// bounds is in law_bench.cpp.
#include <benchmark/benchmark.h>

#include <cmath>

#include "modicum/mechanisms/subsampled.h"
#include "modicum/privacy/profile.h"
#include "privacy/engines/bent_paths.h"
#include "privacy/engines/discretized.h"

namespace modicum {
namespace {

PrivacyLoss training(double count) { return subsampled_gaussian(1.0, 1.0, 0.01).repeated(count); }

double middle(const Enclosure& value) {
  return value.lower() + (value.upper() - value.lower()) / 2;
}

void report(benchmark::State& state, const Enclosure& value, double truth) {
  state.counters["relative_error"] = std::abs(middle(value) - truth) / truth;
  state.counters["relative_width"] = value.relative_width();
}

// delta at 0.5 after so many steps. Two steps: tests/privacy/engines/bent_path_test.cpp.
constexpr double known_after_two = 4.497212184766133068551e-7;
double truth_after(double count) {
  return count == 2.0
             ? known_after_two
             : middle(directed_delta(training(count).forward(), 0.5, Accuracy::certified).value);
}

void BentPathDelta(benchmark::State& state) {
  const auto count = static_cast<double>(state.range(0));
  const PrivacyLoss loss = training(count);
  Enclosure value(0.0, 0.0);
  for (auto _ : state) {
    value = BentPaths(loss.forward()).at(0.5, Kernel::profile)->value.enclosure();
    benchmark::DoNotOptimize(&value);
  }
  report(state, value, truth_after(count));
}
BENCHMARK(BentPathDelta)->Arg(2)->Arg(1000)->Unit(benchmark::kMillisecond);

void DiscretizedDelta(benchmark::State& state) {
  const auto count = static_cast<double>(state.range(0));
  const PrivacyLoss loss = training(count);
  Enclosure value(0.0, 0.0);
  for (auto _ : state) {
    value = DiscretizedProfile(loss.forward(), Accuracy::fast).at(0.5).value.enclosure();
    benchmark::DoNotOptimize(&value);
  }
  report(state, value, truth_after(count));
}
BENCHMARK(DiscretizedDelta)->Arg(2)->Arg(1000)->Unit(benchmark::kMillisecond);

// Of a curve the error is that of its last point.
void ProfileCurve(benchmark::State& state) {
  Enclosure value(0.0, 0.0);
  for (auto _ : state) {
    const PrivacyLoss loss = training(1000.0);  // no path is known yet
    for (int i = 1; i <= 200; ++i) value = profile(loss, 0.02 * i, Accuracy::fast).delta();
    benchmark::DoNotOptimize(&value);
  }
  report(state, value, middle(profile(training(1000.0), 4.0, Accuracy::certified).delta()));
}
BENCHMARK(ProfileCurve)->Unit(benchmark::kMillisecond);

void TradeoffCurve(benchmark::State& state) {
  Enclosure value(0.0, 0.0);
  for (auto _ : state) {
    const PrivacyLoss loss = training(1000.0);
    for (int i = 1; i <= 200; ++i) value = tradeoff(loss, i / 201.0, Accuracy::fast).value;
    benchmark::DoNotOptimize(&value);
  }
  report(state, value, middle(tradeoff(training(1000.0), 200 / 201.0, Accuracy::certified).value));
}
BENCHMARK(TradeoffCurve)->Unit(benchmark::kMillisecond);

void Calibrate(benchmark::State& state, Accuracy accuracy) {
  const PrivacyTarget target(1.0, 1e-5);
  Calibration found = calibrate_subsampled_gaussian(target, 1.0, 0.01, 15000.0, accuracy);
  for (auto _ : state) {
    found = calibrate_subsampled_gaussian(target, 1.0, 0.01, 15000.0, accuracy);
    benchmark::DoNotOptimize(&found);
  }
  report(state, found.achieved.delta(), target.delta);
}
BENCHMARK_CAPTURE(Calibrate, fast, Accuracy::fast)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Calibrate, certified, Accuracy::certified)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace modicum
