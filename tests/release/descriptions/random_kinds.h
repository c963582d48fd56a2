// Random descriptions of mechanisms of nearly all kinds.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace modicum::random_descriptions_test {

// Of a question about a composition with such a part: microseconds, hundredths of a second,
// seconds.
enum class Cost { light, middle, heavy };

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : bits_(seed) {}

  double between(double low, double high) {
    return low + (high - low) * std::uniform_real_distribution<>()(bits_);
  }
  double scale(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
  int whole(int low, int high) { return std::uniform_int_distribution<>(low, high)(bits_); }
  bool with_chance(double chance) { return between(0.0, 1.0) < chance; }

  /// A mechanism with a count; `composable` leaves out those that say for which neighbors they
  /// hold.
  std::string part(Cost most, bool composable);

 private:
  std::mt19937_64 bits_;
};

struct RandomKind {
  Cost cost;
  std::string (*keys)(Generator&);
  bool composable = true;
};

// Noise on -n..n that falls to both sides.
inline std::string whole_noise(Generator& g) {
  const int reach = g.whole(1, 12);
  const double fall = g.between(0.2, 0.99);
  std::vector<double> mass(static_cast<std::size_t>(2 * reach + 1));
  double sum = 0.0;
  for (int k = -reach; k <= reach; ++k)
    sum += mass[static_cast<std::size_t>(k + reach)] = std::pow(fall, std::abs(k));
  for (double& each : mass) each /= sum;
  return fmt::format(R"("integer_noise","probabilities":[{}],"first":{},"sensitivity":{})",
                     fmt::join(mass, ","), -reach, g.whole(1, 2));
}

inline std::string sampled(Generator& g, std::string_view more) {
  return fmt::format(
      R"("subsampled_gaussian","standard_deviation":{},"sensitivity":1,"sampling_rate":{}{})",
      g.scale(0.3, 30), g.with_chance(0.1) ? 1.0 - g.scale(1e-9, 0.1) : g.scale(1e-4, 1), more);
}

inline const std::vector<RandomKind>& random_kinds() {
  static const std::vector<RandomKind> all{
      {Cost::light,
       [](Generator& g) {
         return fmt::format(R"("gaussian","standard_deviation":{},"sensitivity":{})",
                            g.scale(1e-3, 1e4), g.scale(1e-2, 1e2));
       }},
      {Cost::light,
       [](Generator& g) {
         return fmt::format(R"("laplace","scale":{},"sensitivity":{})", g.scale(1e-5, 1e4),
                            g.scale(1e-2, 1e2));
       }},
      {Cost::light,
       [](Generator& g) {
         return fmt::format(
             R"("gaussian_spectrum","components":[{{"mean":{},"variance_ratio":{},"multiplicity":{}}}])",
             g.between(-2, 2), g.scale(1e-2, 1e2), g.whole(1, 50));
       }},
      {Cost::light,
       [](Generator& g) {
         return fmt::format(R"("random_projection","columns":{},"leverage":{})", g.whole(1, 20000),
                            g.scale(1e-9, 0.9));
       }},
      {Cost::light,
       [](Generator& g) {
         return fmt::format(R"("projection_release","columns":{},"ridge":{},"row_norm_bound":1)",
                            g.whole(1, 20000), g.scale(1e-2, 1e6));
       }},
      {Cost::light,
       [](Generator& g) {
         const double full = g.scale(1e-6, 0.9);
         return fmt::format(
             R"("least_squares","columns":{},"features":{},"row_leverage":{},"full_leverage":{})",
             g.whole(1, 20000), g.whole(1, 50), full * g.between(0, 1), full);
       }},
      {Cost::light,
       [](Generator& g) {
         return fmt::format(R"("covariance_release","standard_deviation":{},"row_norm_bound":{})",
                            g.scale(1e-1, 1e3), g.scale(1e-1, 10));
       }},
      {Cost::light,
       [](Generator& g) { return fmt::format(R"("gaussian_dp","mu":{})", g.scale(1e-4, 20)); }},
      {Cost::light,
       [](Generator& g) { return fmt::format(R"("pure","epsilon":{})", g.scale(1e-6, 30)); }},
      {Cost::light,
       [](Generator& g) {
         return fmt::format(R"("approximate","epsilon":{},"delta":{})", g.scale(1e-3, 10),
                            g.scale(1e-12, 0.5));
       }},
      {Cost::light,
       [](Generator& g) {
         return fmt::format(R"("randomized_response","truth_probability":{})", g.between(0, 1));
       }},
      {Cost::light,
       [](Generator& g) {
         return fmt::format(R"("tree_aggregation","noise_multiplier":{},"step_counts":[{}])",
                            g.scale(0.5, 50), g.whole(1, 500));
       }},
      {Cost::light,
       [](Generator& g) {
         return fmt::format(
             R"("matrix_mechanism","coefficients":[1,{}],"rounds":{},"noise_multiplier":{},"separation":5,"participations":{})",
             g.between(0, 0.9), g.whole(20, 60), g.scale(0.5, 50), g.whole(1, 3));
       }},
      {Cost::middle,
       [](Generator& g) { return fmt::format(R"("exponential","epsilon":{})", g.scale(1e-3, 5)); }},
      {Cost::middle,
       [](Generator& g) {
         return fmt::format(R"("permute_and_flip","epsilon":{})", g.scale(1e-3, 5));
       }},
      {Cost::light,
       [](Generator& g) {
         return fmt::format(
             R"("sparse_vector","threshold_scale":{},"query_scale":{},"answers":{},"sensitivity":1)",
             g.scale(1, 100), g.scale(1, 100), g.whole(1, 5));
       }},
      {Cost::middle,
       [](Generator& g) { return fmt::format(R"("bounded_range","range":{})", g.scale(1e-3, 5)); }},
      {Cost::middle, [](Generator& g) { return sampled(g, ""); }},
      {Cost::middle,
       [](Generator& g) {
         return fmt::format(R"("subsampled_laplace","scale":{},"sensitivity":1,"sampling_rate":{})",
                            g.scale(0.1, 30), g.scale(1e-4, 1));
       }},
      {Cost::middle,
       [](Generator& g) {
         return fmt::format(
             R"("objective_perturbation","standard_deviation":{},"lipschitz":1,"smoothness":0.25,"regularization":{})",
             g.scale(0.5, 50), g.scale(0.1, 100));
       }},
      {Cost::middle,
       [](Generator& g) {
         return fmt::format(R"("discrete_gaussian","sigma":{},"sensitivity":{})", g.scale(0.2, 50),
                            g.whole(1, 3));
       }},
      {Cost::middle,
       [](Generator& g) {
         return fmt::format(R"("discrete_laplace","scale":{},"sensitivity":{})", g.scale(0.2, 50),
                            g.whole(1, 3));
       }},
      {Cost::middle, whole_noise},
      {Cost::middle,
       [](Generator& g) { return fmt::format(R"("zcdp","rho":{})", g.scale(1e-4, 5)); }},
      {Cost::middle,
       [](Generator& g) {
         const double rho = g.scale(1e-4, 1);
         return fmt::format(R"("renyi","orders":[2,4,8,16],"divergences":[{},{},{},{}])", 2 * rho,
                            4 * rho, 8 * rho, 16 * rho);
       }},
      {Cost::middle,
       [](Generator& g) {
         return fmt::format(
             R"("mixture_of_gaussians","standard_deviation":{},"sensitivities":[0,1,2],"probabilities":[0.9,0.08,0.02])",
             g.scale(0.3, 30));
       }},
      {Cost::heavy,
       [](Generator& g) {
         const int dimension = g.whole(1, 40);
         return fmt::format(
             R"("spherical_generalized_gamma","dimension":{},"alpha":{},"beta":{},"p":{},"sensitivity":1)",
             dimension, (dimension - 1) * g.between(0, 1), g.scale(0.05, 1), g.between(0.8, 3));
       }},
      {Cost::middle,
       [](Generator& g) {
         return sampled(g, R"(,"sampling":"without_replacement","adjacency":"replace_one")");
       },
       false},
      {Cost::middle, [](Generator& g) { return sampled(g, R"(,"adjacency":"replace_one")"); },
       false},
      {Cost::heavy,
       [](Generator& g) {
         return fmt::format(R"("lifted_release","mean_shift":{},"variance_excess":{},"rank":{})",
                            g.scale(1e-3, 2), g.scale(1e-6, 0.5), g.whole(1, 20));
       }},
      {Cost::heavy,
       [](Generator& g) {
         return fmt::format(
             R"("least_squares_release","columns":{},"features":{},"ridge":{},"row_norm_bound":1)",
             g.whole(10, 5000), g.whole(1, 20), g.scale(1, 1e3));
       }},
      {Cost::heavy,
       [](Generator& g) {
         return fmt::format(R"("allocated_gaussian","noise_multiplier":{},"batches":{})",
                            g.scale(0.2, 20), g.whole(1, 20));
       }},
      {Cost::heavy, [](Generator& g) {
         return fmt::format(R"("l2","dimension":{},"scale":{},"sensitivity":1)", g.whole(1, 3),
                            g.scale(0.3, 30));
       }}};
  return all;
}

inline std::string Generator::part(Cost most, bool composable) {
  for (;;) {
    const auto& kinds = random_kinds();
    const RandomKind& kind =
        kinds[static_cast<std::size_t>(whole(0, static_cast<int>(kinds.size()) - 1))];
    if (kind.cost > most || (composable && !kind.composable)) continue;
    const std::string count =
        with_chance(0.3) ? fmt::format(R"(,"count":{})", std::floor(scale(2, 300))) : "";
    return fmt::format(R"({{"mechanism":{}{}}})", kind.keys(*this), count);
  }
}

}  // namespace modicum::random_descriptions_test
