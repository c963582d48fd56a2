// Time and accuracy of every kind of answer, and of the usual alternatives in the same run.
// `relative_error` is the distance of the middle of the answer from the middle of the certified
// enclosure, relative to it; `relative_width` is how wide the answer itself is.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <cmath>
#include <random>

#include "modicum/auditing/monte_carlo.h"
#include "modicum/calibration/calibrate.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/laplace.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/mechanisms/randomized_response.h"
#include "modicum/privacy/gaussian_pair.h"
#include "modicum/privacy/profile.h"

namespace modicum {
namespace {

double middle(const Enclosure& value) {
  return value.lower() + (value.upper() - value.lower()) / 2;
}

void report(benchmark::State& state, double value, const Enclosure& certified) {
  const double truth = middle(certified);
  state.counters["relative_error"] = std::abs(value - truth) / truth;
}

void report(benchmark::State& state, const Enclosure& value, const Enclosure& certified) {
  report(state, middle(value), certified);
  state.counters["relative_width"] = value.relative_width();
}

// Keeps a value alive. The library's overload for variables may overwrite them (1.7 with GCC).
template <class Value>
void keep(const Value& value) {
  benchmark::DoNotOptimize(value);
}

// Times `answer`, which returns an Enclosure; a proof that fails ends the case, not the run.
template <class Function>
void time_against(benchmark::State& state, const Enclosure& certified, Function answer) {
  try {
    Enclosure value = answer();
    for (auto _ : state) {
      value = answer();
      keep(value);
    }
    report(state, value, certified);
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

// The proof of the whole loss, computed outside the timed loop.
Enclosure certified_delta(const PrivacyLoss& loss, double epsilon) {
  return profile(loss, epsilon, Accuracy::certified).delta();
}

void time_profile(benchmark::State& state, const PrivacyLoss& loss, double epsilon,
                  Accuracy accuracy) {
  try {
    const Enclosure truth = certified_delta(loss, epsilon);
    time_against(state, truth, [&] { return profile(loss, epsilon, accuracy).delta(); });
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

// d different variance ratios around 1 and a mean that leaves delta moderate, whatever d.
GaussianSpectrum spectrum_of(int dimension) {
  GaussianSpectrum spectrum;
  const double size = 1.0 / std::sqrt(static_cast<double>(dimension));
  for (int i = 0; i < dimension; ++i) {
    const double place = (i + 0.5) / dimension;  // 0 .. 1
    spectrum.add(GaussianSpectrum::component(size * (0.3 + place), 1.0 + size * (place - 0.4)));
  }
  return spectrum;
}

// One direction of a pair that is given by its spectrum.
void pair_fast(benchmark::State& state) {
  const DirectedLoss loss =
      PrivacyLoss::gaussian(spectrum_of(static_cast<int>(state.range(0)))).forward();
  try {
    const Enclosure truth = directed_delta(loss, 1.0, Accuracy::certified).value;
    time_against(state, truth, [&] { return directed_delta(loss, 1.0, Accuracy::fast).value; });
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK(pair_fast)->Arg(1)->Arg(3)->Arg(20)->Arg(500)->Unit(benchmark::kMicrosecond);

void pair_certified(benchmark::State& state) {
  const DirectedLoss loss =
      PrivacyLoss::gaussian(spectrum_of(static_cast<int>(state.range(0)))).forward();
  try {
    const Enclosure truth = directed_delta(loss, 1.0, Accuracy::certified).value;
    time_against(state, truth,
                 [&] { return directed_delta(loss, 1.0, Accuracy::certified).value; });
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK(pair_certified)->Arg(1)->Arg(3)->Arg(20)->Unit(benchmark::kMillisecond);

// From dense matrices to delta in both directions. The truth is that of the diagonal pair, turned
// by one reflection: both covariances and the mean in another basis.
void dense_pair(benchmark::State& state) {
  const int dimension = static_cast<int>(state.range(0));
  const double size = 1.0 / std::sqrt(static_cast<double>(dimension));
  Eigen::VectorXd mean(dimension), ratios(dimension), axis(dimension);
  for (int i = 0; i < dimension; ++i) {
    const double place = (i + 0.5) / dimension;
    mean(i) = size * (0.3 + place);
    ratios(i) = 1.0 + size * (place - 0.4);
    axis(i) = std::sin(1.0 + i);
  }
  axis.normalize();
  const Eigen::MatrixXd turn =
      Eigen::MatrixXd::Identity(dimension, dimension) - 2.0 * axis * axis.transpose();
  Eigen::MatrixXd first = turn * ratios.asDiagonal() * turn;
  first = Eigen::MatrixXd((first + first.transpose()) / 2.0);
  const GaussianDistribution x{turn * mean, first};
  const GaussianDistribution y{Eigen::VectorXd::Zero(dimension),
                               Eigen::MatrixXd::Identity(dimension, dimension)};
  try {
    const Enclosure truth = certified_delta(PrivacyLoss::gaussian(spectrum_of(dimension)), 1.0);
    time_against(state, truth, [&] {
      const auto spectrum = reduce_pair(x, y, Accuracy::fast);
      return profile(PrivacyLoss::gaussian(spectrum.value()), 1.0, Accuracy::fast).delta();
    });
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK(dense_pair)->Arg(20)->Arg(500)->Unit(benchmark::kMillisecond);

PrivacyLoss thousand_gaussians() { return gaussian_mechanism(50.0, 1.0).repeated(1000.0); }

PrivacyLoss fifty_different_gaussians() {
  PrivacyLoss loss;
  for (int i = 0; i < 50; ++i) loss.compose(gaussian_mechanism(20.0 + 2.0 * i, 1.0));
  return loss;
}

void composed(benchmark::State& state, PrivacyLoss (*make)(), double epsilon, Accuracy accuracy) {
  time_profile(state, make(), epsilon, accuracy);
}
PrivacyLoss projection() { return random_projection(300.0, 0.02); }
PrivacyLoss hundred_laplaces() { return laplace_mechanism(10.0, 1.0).repeated(100.0); }
PrivacyLoss million_pure() { return pure_guarantee(0.001).repeated(1e6); }

BENCHMARK_CAPTURE(composed, gaussian_x1000_fast, thousand_gaussians, 1.0, Accuracy::fast)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(composed, gaussian_x1000_certified, thousand_gaussians, 1.0, Accuracy::certified)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(composed, gaussians_50_fast, fifty_different_gaussians, 1.0, Accuracy::fast)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(composed, gaussians_50_certified, fifty_different_gaussians, 1.0,
                  Accuracy::certified)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(composed, projection_fast, projection, 1.0, Accuracy::fast)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(composed, projection_certified, projection, 1.0, Accuracy::certified)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(composed, laplace_x100_fast, hundred_laplaces, 1.0, Accuracy::fast)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(composed, laplace_x100_certified, hundred_laplaces, 1.0, Accuracy::certified)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(composed, pure_x1e6_fast, million_pure, 1.0, Accuracy::fast)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(composed, pure_x1e6_certified, million_pure, 1.0, Accuracy::certified)
    ->Unit(benchmark::kMillisecond);

// The epsilon of 1000 Gaussians at delta 1e-6.
void epsilon_of(benchmark::State& state, Accuracy accuracy) {
  const PrivacyLoss loss = thousand_gaussians();
  try {
    const Enclosure truth = epsilon_at(loss, 1e-6, Accuracy::certified).value;
    time_against(state, truth, [&] { return epsilon_at(loss, 1e-6, accuracy).value; });
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK_CAPTURE(epsilon_of, fast, Accuracy::fast)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(epsilon_of, certified, Accuracy::certified)->Unit(benchmark::kMillisecond);

// The least sigma for (1, 1e-6). Its error is that of delta at the sigma found: how much of the
// delta allowed is given away.
void calibrate(benchmark::State& state, Accuracy accuracy) {
  const PrivacyTarget target(1.0, 1e-6);
  try {
    double sigma = calibrate_gaussian(target, 1.0, 1.0, accuracy).parameter;
    for (auto _ : state) {
      sigma = calibrate_gaussian(target, 1.0, 1.0, accuracy).parameter;
      keep(sigma);
    }
    report(state, target.delta, certified_delta(gaussian_mechanism(sigma, 1.0), target.epsilon));
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK_CAPTURE(calibrate, gaussian_fast, Accuracy::fast)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(calibrate, gaussian_certified, Accuracy::certified)
    ->Unit(benchmark::kMillisecond);

// Rival: the closed form of the Gaussian mechanism, as textbooks write it, in doubles.
double textbook_delta(double epsilon, double mu) {
  const double root = std::sqrt(2.0);
  return 0.5 * std::erfc((epsilon / mu - mu / 2.0) / root) -
         std::exp(epsilon) * 0.5 * std::erfc((epsilon / mu + mu / 2.0) / root);
}

void rival_textbook(benchmark::State& state, const PrivacyLoss& loss, double epsilon, double mu) {
  const volatile double given_epsilon = epsilon, given_mu = mu;  // read anew in each round
  double value = 0.0;
  for (auto _ : state) {
    value = textbook_delta(given_epsilon, given_mu);
    keep(value);
  }
  const Enclosure truth = certified_delta(loss, epsilon);
  report(state, value, truth);
  state.counters["delta"] = middle(truth);
}
BENCHMARK_CAPTURE(rival_textbook, gaussian_x1000_epsilon_3, thousand_gaussians(), 3.0,
                  std::sqrt(1000.0) / 50.0);
BENCHMARK_CAPTURE(rival_textbook, mu_half_epsilon_10, gaussian_differential_privacy(0.5), 10.0,
                  0.5);
BENCHMARK_CAPTURE(rival_textbook, mu_1e_6_epsilon_1e_5, gaussian_differential_privacy(1e-6), 1e-5,
                  1e-6);
// The same questions, answered here.
BENCHMARK_CAPTURE(composed, same_gaussian_x1000_epsilon_3, thousand_gaussians, 3.0, Accuracy::fast);
BENCHMARK_CAPTURE(
    composed, same_mu_half_epsilon_10, +[] { return gaussian_differential_privacy(0.5); }, 10.0,
    Accuracy::fast);
BENCHMARK_CAPTURE(
    composed, same_mu_1e_6_epsilon_1e_5, +[] { return gaussian_differential_privacy(1e-6); }, 1e-5,
    Accuracy::fast);

// Rival: importance sampling, within 1e-2 but for one run in a hundred. Repeatable noise: this is
// a benchmark, nothing is released.
void rival_monte_carlo(benchmark::State& state) {
  const GaussianSpectrum spectrum = spectrum_of(static_cast<int>(state.range(0)));
  std::mt19937_64 bits(1);
  std::normal_distribution<double> normal;
  try {
    const Enclosure truth =
        directed_delta(PrivacyLoss::gaussian(spectrum).forward(), 1.0, Accuracy::certified).value;
    time_against(state, truth, [&] {
      return monte_carlo_delta(spectrum, 1.0, 1e-2, 1e-2, [&] { return normal(bits); });
    });
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK(rival_monte_carlo)->Arg(3)->Arg(20)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace modicum
