// What can be described: each mechanism with its keys, its loss and its words.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "modicum/data/fields.h"
#include "modicum/mechanisms/objective_perturbation.h"
#include "modicum/mechanisms/zero_concentrated.h"
#include "modicum/release/description.h"

namespace modicum::described {

/// What a loss depends on besides the numbers of its description.
struct Setting {
  Accuracy accuracy = Accuracy::automatic;
  std::string folder = {};  ///< of the files that it names
  Adjacency adjacency = Adjacency::add_remove;
};

enum class Sampling { poisson, without_replacement };
/// How batches are accounted for.
enum class BatchBound { pair, renyi };

// Each is an aggregate with `name`, the word that stands for it, `fields`, `loss` and `label`.

struct Gaussian {
  static constexpr const char* name = "gaussian";
  std::optional<double> standard_deviation, sensitivity, noise_multiplier = {};
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct GaussianPair {
  static constexpr const char* name = "gaussian_pair";
  Eigen::VectorXd mean1 = {};
  Eigen::MatrixXd covariance1 = {};
  Eigen::VectorXd mean2 = {};
  Eigen::MatrixXd covariance2 = {};
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting& setting) const;
  std::string label() const;
};

struct SpectrumComponent {
  double mean = 0.0, variance_ratio = 1.0, multiplicity = 1.0;
  void fields(Fields& fields);
};

struct GaussianComponents {
  static constexpr const char* name = "gaussian_spectrum";
  std::vector<SpectrumComponent> components = {};
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct Laplace {
  static constexpr const char* name = "laplace";
  double scale = 0.0, sensitivity = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct SubsampledGaussian {
  static constexpr const char* name = "subsampled_gaussian";
  Gaussian noise = {};
  double sampling_rate = 0.0;
  Sampling sampling = Sampling::poisson;
  std::optional<BatchBound> bound = {};
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  /// Where the bound by Renyi divergences was asked for.
  std::optional<RenyiBounds> moments(const Setting&) const;
  std::string label() const;
};

struct SubsampledLaplace {
  static constexpr const char* name = "subsampled_laplace";
  Laplace noise = {};
  double sampling_rate = 0.0;
  Sampling sampling = Sampling::poisson;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct Spherical {
  static constexpr const char* name = "spherical_generalized_gamma";
  double dimension = 0.0, alpha = 0.0, beta = 0.0, p = 0.0, sensitivity = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct L2 {
  static constexpr const char* name = "l2";
  double dimension = 0.0, scale = 0.0, sensitivity = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

/// One pair of neighbors, by its leverage.
struct RandomProjection {
  static constexpr const char* name = "random_projection";
  double columns = 0.0, leverage = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

/// All pairs of rows up to the norm bound; so are the others that end in Release.
struct ProjectionRelease {
  static constexpr const char* name = "projection_release";
  double columns = 0.0, ridge = 0.0, row_norm_bound = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

/// A projection of a Poisson sample of the rows.
struct SubsampledProjection {
  static constexpr const char* name = "subsampled_projection";
  ProjectionRelease whole = {};
  double sampling_rate = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct LeastSquares {
  static constexpr const char* name = "least_squares";
  double columns = 0.0, features = 0.0, row_leverage = 0.0, full_leverage = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct LeastSquaresRelease {
  static constexpr const char* name = "least_squares_release";
  double columns = 0.0, features = 0.0, ridge = 0.0, row_norm_bound = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct CovarianceRelease {
  static constexpr const char* name = "covariance_release";
  double standard_deviation = 0.0, row_norm_bound = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct LiftedRelease {
  static constexpr const char* name = "lifted_release";
  double mean_shift = 0.0, variance_excess = 0.0, rank = 1.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct GaussianProcessRelease {
  static constexpr const char* name = "gaussian_process_release";
  double kernel_bound = 0.0, noise_variance = 0.0, target_bound = 0.0, largest_rows = 0.0,
         prior_bound = 0.0, lift_variance = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct ObjectivePerturbation {
  static constexpr const char* name = "objective_perturbation";
  double standard_deviation = 0.0, lipschitz = 0.0, smoothness = 0.0, regularization = 0.0;
  std::optional<std::string> objective = {};  ///< its name, which tells the signs of its slopes
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
  ObjectiveBounds bounds() const;
};

/// As computed: an approximate minimizer with noise of its own.
struct ObjectiveRelease {
  static constexpr const char* name = "objective_release";
  ObjectivePerturbation exact = {};
  double minimizer_error = 0.0, output_standard_deviation = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct GaussianPrivacy {
  static constexpr const char* name = "gaussian_dp";
  double mu = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct Pure {
  static constexpr const char* name = "pure";
  double epsilon = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct Approximate {
  static constexpr const char* name = "approximate";
  double epsilon = 0.0, delta = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct RandomizedResponse {
  static constexpr const char* name = "randomized_response";
  double truth_probability = 0.0, categories = 2.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct BoundedRange {
  static constexpr const char* name = "bounded_range";
  double range = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct Tabulated {
  static constexpr const char* name = "tabulated";
  std::string file = {};
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting& setting) const;
  std::string label() const;
};

/// {"mechanism": name, its keys and values, and the count unless that is 1}.
template <class Mechanism>
Value description_of(Mechanism mechanism, double count = 1.0) {
  Fields fields;
  mechanism.fields(fields);
  Value tree{{"mechanism", Mechanism::name}};
  const Value values = fields.values();
  for (const auto& [key, value] : values.members()) tree[key] = value;
  if (count != 1.0) tree["count"] = count;
  return tree;
}

/// {"compose": [..]}.
inline Value composition_of(std::vector<Value> parts) { return {{"compose", std::move(parts)}}; }

}  // namespace modicum::described
