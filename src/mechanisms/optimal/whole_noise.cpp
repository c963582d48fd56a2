#include "mechanisms/optimal/whole_noise.h"

#include <algorithm>

#include "mechanisms/optimal/staircase_sums.h"
#include "modicum/mechanisms/discrete.h"

namespace modicum {
namespace {

Ball sum_of_heights(const Heights& heights) {
  Ball sum = heights[0];
  for (std::size_t k = 1; k < heights.size(); ++k) sum += Ball(heights[k]) * 2.0;
  return sum;
}

// The half of a table that is symmetric about 0.
Heights heights_of(const IntegerNoise& noise) {
  const std::size_t middle = noise.probabilities.size() / 2;
  if (noise.first != -static_cast<double>(middle))
    throw InvalidParameter("first", noise.first, "must make the noise symmetric about 0");
  return {noise.probabilities.begin() + static_cast<std::ptrdiff_t>(middle),
          noise.probabilities.end()};
}

// Sums over k = 0, 1, .. of e^{-k^2 / (2 sigma^2)}, the total with all that is beyond.
double error_of_gaussian(double sigma, const NoiseError& error) {
  if (error.kind == NoiseError::Kind::squared)  // [CanonneKamathSteinke2020, Corollary 9]
    return (Ball(sigma) * Ball(sigma)).upper();
  const Ball variance = Ball(sigma) * Ball(sigma);
  const double reach = std::ceil(12.0 * sigma + 40.0);
  const auto mass = [&](double k) { return exp(-Ball(k) * Ball(k) / (variance * 2.0)); };
  // Beyond the reach, terms (2 k + 1) mass(k) are at most half the one before.
  const Ball beyond = Ball::between(0.0, 1.0) * mass(reach) * Ball(4.0 * reach + 4.0);
  Ball total = 1.0, sum;
  for (double k = 1.0; k < reach; ++k) {
    const Ball each = mass(k) * 2.0;
    total += each;
    sum += each * Ball(k);
  }
  total += beyond;
  if (error.kind == NoiseError::Kind::absolute) return ((sum + beyond) / total).upper();
  Ball inside = 1.0;
  for (double k = 0.0; k < reach; ++k) {
    if (k > 0.0) inside += mass(k) * 2.0;
    if ((Ball(error.level) * total - inside).surely_nonpositive()) return k;
  }
  throw TargetUnreachable("the level of the interval is too close to 1");
}

}  // namespace

void require_error(const NoiseError& error) {
  if (error.kind == NoiseError::Kind::interval) require_open_unit("level", error.level);
}

void require_real_sensitivity(double sensitivity) {
  require_positive("sensitivity", sensitivity);
  if (!(sensitivity >= 1e-100 && sensitivity <= 1e100))
    throw InvalidParameter("sensitivity", sensitivity, "must be between 1e-100 and 1e100");
}

double bound_off_grid(double bound, const NoiseError& error) {
  if (error.kind == NoiseError::Kind::absolute) return bound;
  const double lost = error.kind == NoiseError::Kind::squared ? 0.25 : 1.0;
  return std::max(0.0, std::nextafter(bound - lost, -HUGE_VAL));
}

// Only k > -D/2 contribute, where p(k + D) <= p(k).
Ball delta_of_heights(const Heights& heights, double epsilon, long sensitivity) {
  const auto size = static_cast<long>(heights.size());
  const auto height = [&](long k) { return k < size ? heights[static_cast<std::size_t>(k)] : 0.0; };
  const Ball factor = exp(Ball(epsilon));
  Ball sum;
  for (long k = -(sensitivity - 1) / 2; k < size; ++k)
    if (const double own = height(std::abs(k)); own > 0.0)
      sum += max(Ball(own) - factor * Ball(height(k + sensitivity)), Ball(0.0));
  return sum / sum_of_heights(heights);
}

double error_of_heights(const Heights& heights, const NoiseError& error) {
  const Ball sum = sum_of_heights(heights);
  if (error.kind == NoiseError::Kind::interval) {
    Ball inside;
    for (std::size_t k = 0; k < heights.size(); ++k) {
      inside += Ball(heights[k]) * (k == 0 ? 1.0 : 2.0);
      if (!(Ball(error.level) * sum - inside).surely_nonpositive()) continue;
      return static_cast<double>(k);
    }
    return static_cast<double>(heights.size()) - 1.0;
  }
  const IntegerCost cost{error.kind};
  Ball total;
  for (std::size_t k = 1; k < heights.size(); ++k)
    total += Ball(heights[k]) * Ball(2.0 * cost(static_cast<double>(k)));
  return (total / sum).upper();
}

IntegerNoise table_of(const Heights& heights) {
  IntegerNoise noise{{}, 1.0 - static_cast<double>(heights.size())};
  noise.probabilities.assign(heights.rbegin(), heights.rend());
  noise.probabilities.insert(noise.probabilities.end(), heights.begin() + 1, heights.end());
  return noise;
}

double error_of_staircase(const Staircase& staircase, const NoiseError& error) {
  StaircaseTask task{staircase.epsilon, static_cast<long>(staircase.sensitivity), {error.kind}};
  const auto inner = static_cast<long>(staircase.inner);
  if (error.kind != NoiseError::Kind::interval) return endless_cost(task, inner).upper();
  return least_width([&](double width) {
    task.cost.width = width;
    return endless_cost(task, inner).upper() <= 1.0 - error.level;
  });
}

PrivacyLoss whole_noise_loss(const WholeNoise& noise, double sensitivity) {
  if (const auto* table = std::get_if<IntegerNoise>(&noise))
    return integer_noise(*table, sensitivity);
  if (const auto* gaussian = std::get_if<DiscreteGaussianNoise>(&noise))
    return discrete_gaussian(gaussian->sigma, sensitivity);
  const auto& staircase = std::get<Staircase>(noise);
  if (staircase.sensitivity != sensitivity)
    throw InvalidParameter("sensitivity", sensitivity, "must be that of the staircase");
  return discrete_staircase(staircase);
}

double whole_noise_error(const WholeNoise& noise, const NoiseError& error) {
  require_error(error);
  const PrecisionScope scope(proof_bits);
  if (const auto* table = std::get_if<IntegerNoise>(&noise))
    return error_of_heights(heights_of(*table), error);
  if (const auto* gaussian = std::get_if<DiscreteGaussianNoise>(&noise))
    return error_of_gaussian(gaussian->sigma, error);
  return error_of_staircase(std::get<Staircase>(noise), error);
}

namespace {

std::variant<TableSampler, StaircaseSampler, DiscreteGaussianSampler> sampler_of(
    const WholeNoise& noise) {
  if (const auto* table = std::get_if<IntegerNoise>(&noise))
    return TableSampler(table->probabilities);
  if (const auto* staircase = std::get_if<Staircase>(&noise)) return StaircaseSampler(*staircase);
  return DiscreteGaussianSampler(std::get<DiscreteGaussianNoise>(noise).sigma);
}

}  // namespace

WholeNoiseSampler::WholeNoiseSampler(const WholeNoise& noise) : sampler_(sampler_of(noise)) {
  if (const auto* table = std::get_if<IntegerNoise>(&noise))
    first_ = static_cast<std::int64_t>(table->first);
}

std::int64_t WholeNoiseSampler::draw(RandomSource& source) const {
  return std::visit(
      [&](const auto& sampler) { return first_ + static_cast<std::int64_t>(sampler.draw(source)); },
      sampler_);
}

}  // namespace modicum
