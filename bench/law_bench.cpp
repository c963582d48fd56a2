// Time and accuracy of losses known by their law: subsampled noise, spherical noise, compositions
// by the discretized engine; beside them a plain discretization without bounds, the usual
// alternative. `relative_error` is measured against the certified answer.
#include <benchmark/benchmark.h>

#include <cmath>
#include <complex>
#include <unsupported/Eigen/FFT>

#include "modicum/mechanisms/optimal_disc_noise.h"
#include "modicum/mechanisms/spherical_optimum.h"
#include "modicum/mechanisms/spherical_sampler.h"
#include "modicum/mechanisms/subsampled.h"
#include "modicum/privacy/profile.h"

namespace modicum {
namespace {

double middle(const Enclosure& value) {
  return value.lower() + (value.upper() - value.lower()) / 2;
}

// Times `answer`, which returns an Enclosure, against a truth.
template <class Function>
void time_against(benchmark::State& state, double truth, Function answer) {
  Enclosure value = answer();
  for (auto _ : state) {
    value = answer();
    benchmark::DoNotOptimize(&value);
  }
  state.counters["relative_error"] = std::abs(middle(value) - truth) / truth;
  state.counters["relative_width"] = value.relative_width();
}

// q = 0.01, sigma = 1, 1000 steps, delta = 1e-5: epsilon to 19 digits (tests/reference).
constexpr double known_epsilon = 1.828236666516576873;

PrivacyLoss gradient_descent(double count) {
  return subsampled_gaussian(1.0, 1.0, 0.01).repeated(count);
}

void SubsampledEpsilon(benchmark::State& state, Accuracy accuracy) {
  time_against(state, known_epsilon,
               [&] { return epsilon_at(gradient_descent(1000.0), 1e-5, accuracy).value; });
}
BENCHMARK_CAPTURE(SubsampledEpsilon, fast, Accuracy::fast)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(SubsampledEpsilon, certified, Accuracy::certified)->Unit(benchmark::kMillisecond);

// The usual alternative: one grid, masses rounded to the next point, one transform, no bounds.
double plain_epsilon(double step, std::size_t size) {
  const double rate = 0.01, count = 1000.0;
  const auto above = [&](double loss) {
    const double ratio = (std::expm1(loss) + rate) / rate;
    if (ratio <= 0.0) return 1.0;
    const double x = std::log(ratio) + 0.5;
    return (1.0 - rate) * 0.5 * std::erfc(x / std::sqrt(2.0)) +
           rate * 0.5 * std::erfc((x - 1.0) / std::sqrt(2.0));
  };
  std::vector<double> masses(size);
  const auto half = static_cast<double>(size / 2);
  for (std::size_t i = 0; i < size; ++i) {
    const double place = i < size / 2 ? static_cast<double>(i) : static_cast<double>(i) - 2 * half;
    masses[i] = above((place - 0.5) * step) - above((place + 0.5) * step);
  }
  Eigen::FFT<double> transform;
  std::vector<std::complex<double>> spectrum;
  transform.fwd(spectrum, masses);
  for (auto& value : spectrum) value = std::pow(value, count);
  transform.inv(masses, spectrum);
  const auto delta = [&](double epsilon) {
    double sum = 0.0;
    for (std::size_t i = 0; i < size / 2; ++i) {
      const double loss = static_cast<double>(i) * step;
      if (loss > epsilon) sum += masses[i] * -std::expm1(epsilon - loss);
    }
    return sum;
  };
  double low = 0.0, high = 10.0;
  for (int i = 0; i < 50; ++i) {
    const double epsilon = 0.5 * (low + high);
    (delta(epsilon) > 1e-5 ? low : high) = epsilon;
  }
  return high;
}

void PlainDiscretization(benchmark::State& state) {
  const auto size = std::size_t{1} << static_cast<unsigned>(state.range(0));
  const double step = 24.0 / static_cast<double>(size);
  time_against(state, known_epsilon, [&] { return Enclosure::exactly(plain_epsilon(step, size)); });
}
BENCHMARK(PlainDiscretization)->Arg(16)->Arg(20)->Unit(benchmark::kMillisecond);

void SubsampledProfile(benchmark::State& state, Accuracy accuracy) {
  const PrivacyLoss loss = gradient_descent(static_cast<double>(state.range(0)));
  const double truth = middle(profile(loss, 0.5, Accuracy::certified).delta());
  time_against(state, truth, [&] { return profile(loss, 0.5, accuracy).delta(); });
}
BENCHMARK_CAPTURE(SubsampledProfile, fast, Accuracy::fast)
    ->Arg(1)
    ->Arg(10)
    ->Arg(1000)
    ->Arg(1000000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(SubsampledProfile, certified, Accuracy::certified)
    ->Arg(1)
    ->Arg(10)
    ->Arg(1000)
    ->Arg(1000000)
    ->Unit(benchmark::kMillisecond);

void SphericalProfile(benchmark::State& state, Accuracy accuracy) {
  const auto dimension = static_cast<double>(state.range(0));
  const double scale = calibrate_l2({1.0, 1e-5}, dimension, 1.0).parameter;
  const PrivacyLoss loss = spherical_mechanism(SphericalNoise::l2(dimension, scale), 1.0);
  const double truth = middle(profile(loss, 1.0, Accuracy::certified).delta());
  time_against(state, truth, [&] { return profile(loss, 1.0, accuracy).delta(); });
}
BENCHMARK_CAPTURE(SphericalProfile, fast, Accuracy::fast)
    ->Arg(3)
    ->Arg(100)
    ->Arg(1000000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(SphericalProfile, certified, Accuracy::certified)
    ->Arg(3)
    ->Arg(100)
    ->Arg(1000000)
    ->Unit(benchmark::kMillisecond);

void CalibrateL2(benchmark::State& state) {
  const auto dimension = static_cast<double>(state.range(0));
  for (auto _ : state) {
    const Calibration found = calibrate_l2({1.0, 1e-5}, dimension, 1.0);
    benchmark::DoNotOptimize(&found);
  }
}
BENCHMARK(CalibrateL2)->Arg(3)->Arg(10)->Arg(100)->Arg(1000000)->Unit(benchmark::kMillisecond);

void OptimizeSpherical(benchmark::State& state) {
  double gain = 0.0;
  for (auto _ : state) {
    const SphericalOptimum found =
        optimize_spherical({0.1, 1e-3}, static_cast<double>(state.range(0)), 1.0);
    gain = found.gain();
    benchmark::DoNotOptimize(&found);
  }
  state.counters["gain_percent"] = 100.0 * gain;
}
BENCHMARK(OptimizeSpherical)->Arg(3)->Arg(10)->Arg(1000)->Unit(benchmark::kMillisecond);

void SphericalComposition(benchmark::State& state, Accuracy accuracy) {
  const PrivacyLoss loss = spherical_mechanism({10.0, 9.0, 0.2, 1.0}, 1.0).repeated(32.0);
  const double truth = middle(profile(loss, 1.0, Accuracy::fast).delta());
  time_against(state, truth, [&] { return profile(loss, 1.0, accuracy).delta(); });
}
BENCHMARK_CAPTURE(SphericalComposition, fast, Accuracy::fast)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(SphericalComposition, certified, Accuracy::certified)
    ->Unit(benchmark::kMillisecond);

// Few and many copies in low dimension. The Gaussian member but for the last digit of p, which
// keeps it from its closed form: that is the truth. Noise is made anew, since densities are kept.
void SphericalCopies(benchmark::State& state) {
  const auto dimension = static_cast<double>(state.range(0)),
             copies = static_cast<double>(state.range(1));
  const double deviation = 1.5 * std::sqrt(copies), almost_two = std::nextafter(2.0, 3.0);
  const SphericalNoise gaussian = SphericalNoise::gaussian(dimension, deviation);
  const PrivacyLoss known = spherical_mechanism(gaussian, 1.0).repeated(copies);
  const double truth = middle(profile(known, 1.0, Accuracy::certified).delta());
  time_against(state, truth, [&] {
    const SphericalNoise noise(dimension, dimension - 1.0, gaussian.beta, almost_two);
    const PrivacyLoss loss = spherical_mechanism(noise, 1.0).repeated(copies);
    return profile(loss, 1.0, Accuracy::certified).delta();
  });
}
BENCHMARK(SphericalCopies)
    ->Args({1, 2})
    ->Args({1, 300})
    ->Args({2, 2})
    ->Args({2, 12})
    ->Args({3, 2})
    ->Unit(benchmark::kMillisecond);

// Each time another target: results are kept.
void OptimalIntegerNoise(benchmark::State& state, double epsilon, double delta) {
  const auto sensitivity = static_cast<double>(state.range(0));
  for (auto _ : state) {
    const auto found = optimal_integer_noise({epsilon, delta *= 1.0 + 1e-9}, sensitivity);
    benchmark::DoNotOptimize(found.get());
  }
}
BENCHMARK_CAPTURE(OptimalIntegerNoise, tight, 1.0, 1e-5)
    ->Arg(1)
    ->Arg(10)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(OptimalIntegerNoise, wide, 0.1, 3e-3)
    ->Arg(1)
    ->Arg(10)
    ->Unit(benchmark::kMillisecond);

void DrawOptimalNoise(benchmark::State& state) {
  SecureSource source;
  const WholeNoiseSampler sampler(optimal_integer_noise({1.0, 1e-5}, 1.0)->noise);
  for (auto _ : state) benchmark::DoNotOptimize(sampler.draw(source));
}
BENCHMARK(DrawOptimalNoise);

void DrawWholeNoise(benchmark::State& state, const WholeNoise& noise) {
  SecureSource source;
  const WholeNoiseSampler sampler(noise);
  for (auto _ : state) benchmark::DoNotOptimize(sampler.draw(source));
}
BENCHMARK_CAPTURE(DrawWholeNoise, staircase, Staircase{1.0, 2.0, 3.0});
BENCHMARK_CAPTURE(DrawWholeNoise, gaussian, DiscreteGaussianNoise{3.0});

void DrawDiscNoise(benchmark::State& state) {
  SecureSource source;
  const DiscNoiseSampler sampler(optimal_disc_noise({0.5, 1e-3}, 1.0)->noise, 0x1p-30);
  for (auto _ : state) benchmark::DoNotOptimize(sampler.draw(source));
}
BENCHMARK(DrawDiscNoise);

void OptimalDiscs(benchmark::State& state) {
  double delta = 3e-3;  // another one each time: results are kept
  for (auto _ : state)
    benchmark::DoNotOptimize(optimal_disc_noise({0.1, delta *= 1.0 - 1e-9}, 1.0));
}
BENCHMARK(OptimalDiscs)->Unit(benchmark::kMillisecond);

void DrawSphericalNoise(benchmark::State& state) {
  SecureSource source;
  const SphericalNoise noise = SphericalNoise::l2(static_cast<double>(state.range(0)), 1.0);
  for (auto _ : state) {
    const std::vector<double> drawn = draw_spherical_noise(noise, 0x1p-30, source);
    benchmark::DoNotOptimize(drawn.data());
  }
}
BENCHMARK(DrawSphericalNoise)->Arg(1)->Arg(100)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace modicum
