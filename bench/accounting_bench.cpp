// What an accountant is asked in a day, with the error beside the time, and a rival in the same
// run: a plain discretized accountant, its losses rounded to a grid and convolved without a
// tilt.
#include <benchmark/benchmark.h>

#include <cmath>
#include <complex>
#include <unsupported/Eigen/FFT>
#include <vector>

#include "modicum/mechanisms/bounded_range.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/laplace.h"
#include "modicum/mechanisms/least_squares.h"
#include "modicum/mechanisms/lifting.h"
#include "modicum/mechanisms/random_allocation.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/mechanisms/randomized_response.h"
#include "modicum/mechanisms/spherical.h"
#include "modicum/mechanisms/subsampled.h"
#include "modicum/privacy/profile.h"

namespace modicum {
namespace {

constexpr double steps = 1000.0, rate = 0.01, target_delta = 1e-5;
// tests/reference/composed_laws.json, to 24 digits.
constexpr double known_epsilon = 1.828236666516576873073615;

// A loss of its own each time: nothing is known about it yet.
PrivacyLoss training(double count = steps) {
  return subsampled_gaussian(1.0, 1.0, rate).repeated(count);
}

double middle(const Enclosure& value) {
  return value.lower() + (value.upper() - value.lower()) / 2;
}

void report(benchmark::State& state, const Enclosure& value, double truth) {
  state.counters["relative_error"] = std::abs(middle(value) - truth) / truth;
  state.counters["relative_width"] = value.relative_width();
}

// The mixture (1 - q) N(0, 1) + q N(1, 1) first: losses rounded to multiples of `grid`, upwards,
// which is a bound but for what wraps, or to the nearest, which is none.
class PlainAccountant {
 public:
  PlainAccountant(double grid, double reach, bool upwards, double count = steps)
      : grid_(grid), size_(1) {
    while (static_cast<double>(size_) * grid < 2.0 * reach) size_ *= 2;
    std::vector<double> mass(size_);
    const auto half = static_cast<long>(size_ / 2);
    double before = 1.0;
    for (long k = -half; k < half; ++k) {
      const double end = (static_cast<double>(k) + (upwards ? 0.0 : 0.5)) * grid;
      const double above = k == half - 1 ? 0.0 : tail(end);
      mass[static_cast<std::size_t>((k + 2 * half) % (2 * half))] = before - above;
      before = above;
    }
    Eigen::FFT<double> transform;
    std::vector<std::complex<double>> spectrum;
    transform.fwd(spectrum, mass);
    for (auto& value : spectrum) value = std::pow(value, count);
    transform.inv(sum_, spectrum);
  }
  double delta(double epsilon) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < size_ / 2; ++i) {
      const double loss = static_cast<double>(i) * grid_;
      if (loss > epsilon) sum += sum_[i] * -std::expm1(epsilon - loss);
    }
    return sum;
  }
  double epsilon(double delta_wanted) const {
    double low = 0.0, high = 20.0;
    for (int i = 0; i < 50; ++i) {
      const double between = 0.5 * (low + high);
      (delta(between) > delta_wanted ? low : high) = between;
    }
    return high;
  }

 private:
  static double tail(double loss) {
    const double ratio = (std::expm1(loss) + rate) / rate;
    if (!(ratio > 0.0)) return 1.0;
    const double x = std::log(ratio) + 0.5;
    return (1.0 - rate) * 0.5 * std::erfc(x / M_SQRT2) +
           rate * 0.5 * std::erfc((x - 1.0) / M_SQRT2);
  }
  double grid_;
  std::size_t size_;
  std::vector<double> sum_;
};

void Rival(benchmark::State& state, bool upwards) {
  const double grid = std::pow(10.0, -static_cast<double>(state.range(0)));
  double found = 0.0;
  for (auto _ : state) {
    found = PlainAccountant(grid, 20.0, upwards).epsilon(target_delta);
    benchmark::DoNotOptimize(&found);
  }
  report(state, {found, found}, known_epsilon);
}
BENCHMARK_CAPTURE(Rival, upwards, true)->Arg(4)->Arg(5)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Rival, nearest, false)->Arg(4)->Unit(benchmark::kMillisecond);

void Epsilon(benchmark::State& state, Accuracy accuracy) {
  Enclosure value(0.0, 0.0);
  for (auto _ : state) {
    value = epsilon_at(training(), target_delta, accuracy).value;
    benchmark::DoNotOptimize(&value);
  }
  report(state, value, known_epsilon);
}
// Few steps; the truth is the middle of a proof that has nothing in common with the estimate but
// the integral.
void FewSteps(benchmark::State& state, Accuracy accuracy) {
  const auto count = static_cast<double>(state.range(0));
  Enclosure value(0.0, 0.0);
  for (auto _ : state) {
    // Of another loss each time, so that nothing is kept.
    const double deviation = 1.0 + 1e-9 * static_cast<double>(state.iterations() % 1000);
    value = epsilon_at(subsampled_gaussian(deviation, 1.0, rate).repeated(count), target_delta,
                       accuracy)
                .value;
    benchmark::DoNotOptimize(&value);
  }
  value = epsilon_at(training(count), target_delta, accuracy).value;
  report(state, value,
         middle(epsilon_at(training(count), target_delta, Accuracy::certified).value));
}
BENCHMARK_CAPTURE(FewSteps, fast, Accuracy::fast)
    ->Arg(1)
    ->Arg(2)
    ->Arg(5)
    ->Arg(10)
    ->Arg(30)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FewSteps, proved, Accuracy::certified)
    ->Arg(2)
    ->Arg(10)
    ->Arg(30)
    ->Arg(100)
    ->Unit(benchmark::kMillisecond);

void FewStepsRival(benchmark::State& state) {
  const auto count = static_cast<double>(state.range(0));
  double found = 0.0;
  for (auto _ : state) {
    found = PlainAccountant(1e-5, 20.0, true, count).epsilon(target_delta);
    benchmark::DoNotOptimize(&found);
  }
  report(state, {found, found},
         middle(epsilon_at(training(count), target_delta, Accuracy::certified).value));
}
BENCHMARK(FewStepsRival)->Arg(2)->Arg(10)->Arg(30)->Unit(benchmark::kMillisecond);

BENCHMARK_CAPTURE(Epsilon, fast, Accuracy::fast)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Epsilon, proved, Accuracy::certified)->Unit(benchmark::kMillisecond);

// Of a curve the error is that of its last point.
void PointsOfProfile(benchmark::State& state, PrivacyLoss (*make)()) {
  Enclosure value(0.0, 0.0);
  for (auto _ : state) {
    ProfileCurve curve(make(), Accuracy::fast);
    for (int i = 1; i <= 200; ++i) value = curve.at(0.02 * i).delta();
    benchmark::DoNotOptimize(&value);
  }
  report(state, value, middle(profile(make(), 4.0, Accuracy::certified).delta()));
}
BENCHMARK_CAPTURE(PointsOfProfile, training, [] {
  return training();
})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(PointsOfProfile, on_a_lattice, [] {
  return spherical_mechanism(SphericalNoise{2.0, 1.0, 0.5, 1.5}, 1.0).repeated(2.0);
})->Unit(benchmark::kMillisecond);

void TradeoffCurve(benchmark::State& state) {
  Enclosure value(0.0, 0.0);
  for (auto _ : state) {
    const PrivacyLoss loss = training();
    for (int i = 1; i <= 200; ++i) value = tradeoff(loss, i / 201.0, Accuracy::fast).value;
    benchmark::DoNotOptimize(&value);
  }
  report(state, value, middle(tradeoff(training(), 200 / 201.0, Accuracy::automatic).value));
}
BENCHMARK(TradeoffCurve)->Unit(benchmark::kMillisecond);

void Calibrate(benchmark::State& state, Accuracy accuracy) {
  const PrivacyTarget target(1.0, target_delta);
  Calibration found = calibrate_subsampled_gaussian(target, 1.0, rate, 15000.0, accuracy);
  for (auto _ : state) {
    found = calibrate_subsampled_gaussian(target, 1.0, rate, 15000.0, accuracy);
    benchmark::DoNotOptimize(&found);
  }
  report(state, found.achieved.delta(), target.delta);
}
BENCHMARK_CAPTURE(Calibrate, fast, Accuracy::fast)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Calibrate, proved, Accuracy::certified)->Unit(benchmark::kMillisecond);

// A thousand different parts of ten kinds; `wobble` makes every history another.
PrivacyLoss history(double wobble) {
  PrivacyLoss all;
  for (int i = 0; i < 100; ++i) {
    const double x = 1.0 + 0.01 * i + wobble;
    for (const PrivacyLoss& part :
         {gaussian_mechanism(50.0 * x, 1.0), gaussian_mechanism(60.0 * x, 1.0),
          gaussian_differential_privacy(0.02 * x), laplace_mechanism(80.0 * x, 1.0),
          laplace_mechanism(90.0 * x, 1.0), randomized_response(0.5 + 0.01 / x),
          randomized_response(0.5 + 0.005 / x), pure_guarantee(0.01 * x),
          approximate_guarantee(0.01 / x, 1e-9), random_projection(300.0, 0.001 / x)})
      all.compose(part);
  }
  return all;
}

void History(benchmark::State& state) {
  Enclosure value(0.0, 0.0);
  double wobble = 0.0;
  for (auto _ : state) {
    value = epsilon_at(history(wobble += 1e-9), target_delta, Accuracy::fast).value;
    benchmark::DoNotOptimize(&value);
  }
  report(state, value, middle(value));
}
BENCHMARK(History)->Unit(benchmark::kMillisecond);

// Compositions on a lattice, or in closed form; upper bounds have no width.
template <class Make>
void composed(benchmark::State& state, Make make) {
  Enclosure value(0.0, 0.0);
  for (auto _ : state) {
    value = epsilon_at(make(), target_delta, Accuracy::automatic).value;
    benchmark::DoNotOptimize(&value);
  }
  state.counters["epsilon"] = value.upper();
  state.counters["relative_width"] = value.lower() > 0.0 ? value.relative_width() : 0.0;
}
void Replaced(benchmark::State& state) {
  composed(state, [] { return replaced_subsampled_gaussian(2.0, 2.0, rate).repeated(steps); });
}
void Batched(benchmark::State& state) {
  composed(state, [] { return batched_gaussian(2.0, 2.0, rate).repeated(steps); });
}
// Ten epochs of 100 batches, of another deviation each time: the last few are remembered.
void Allocated(benchmark::State& state) {
  double deviation = 1.0;
  composed(state, [&] {
    deviation = std::nextafter(deviation, 2.0);
    return allocated_gaussian(deviation, 1.0, 100.0).repeated(10.0);
  });
}
void SampledLaplace(benchmark::State& state) {
  composed(state, [] { return subsampled_laplace(1.0, 1.0, rate).repeated(steps); });
}
void BoundedRange(benchmark::State& state) {
  composed(state, [] { return bounded_range(0.5).repeated(5.0); });
}
void LeastSquares(benchmark::State& state) {
  composed(state, [] { return least_squares_dominating(1000.0, 10.0, 1000.0, 1.0).repeated(2.0); });
}
void OneLeastSquares(benchmark::State& state) {
  composed(state, [] { return least_squares_dominating(1000.0, 10.0, 1000.0, 1.0); });
}
void Lifted(benchmark::State& state) {
  composed(state, [] { return lifted_loss({0.1, 0.001, 50.0}).repeated(2.0); });
}
BENCHMARK(LeastSquares)->Unit(benchmark::kMillisecond);
BENCHMARK(OneLeastSquares)->Unit(benchmark::kMillisecond);
BENCHMARK(Lifted)->Unit(benchmark::kMillisecond);
BENCHMARK(Replaced)->Unit(benchmark::kMillisecond);
BENCHMARK(Batched)->Unit(benchmark::kMillisecond);
BENCHMARK(Allocated)->Unit(benchmark::kMillisecond);
BENCHMARK(SampledLaplace)->Unit(benchmark::kMillisecond);
BENCHMARK(BoundedRange)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace modicum
