#include "release/descriptions/mechanisms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "data/cells/number_text.h"
#include "data/counted.h"
#include "modicum/data/json.h"
#include "modicum/mechanisms/bounded_range.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/gaussian_process.h"
#include "modicum/mechanisms/laplace.h"
#include "modicum/mechanisms/least_squares.h"
#include "modicum/mechanisms/lifting.h"
#include "modicum/mechanisms/matrix_noise.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/mechanisms/randomized_response.h"
#include "modicum/mechanisms/spherical.h"
#include "modicum/mechanisms/subsampled.h"
#include "modicum/mechanisms/tabulated.h"
#include "release/certificates/read_file.h"
#include "release/descriptions/description_fields.h"
#include "release/descriptions/label_words.h"
#include "release/descriptions/loss_table.h"

namespace modicum::described {
namespace {

// How far replacing a record may move a sum of rows of norm 1.
double unit_sensitivity(Adjacency adjacency) {
  return adjacency == Adjacency::replace_one ? 2.0 : 1.0;
}

void add_sampling(Fields& fields, double& rate, Sampling& sampling) {
  static const Choices<Sampling> words{
      {"poisson", Sampling::poisson, "each record with this probability"},
      {"without_replacement", Sampling::without_replacement, "batches of a fixed size"}};
  fields.add("sampling_rate", rate, "probability that a record is drawn").required();
  fields.choice("sampling", sampling, words, "how the sample is drawn");
}

void require_replacement(Adjacency adjacency) {
  if (adjacency == Adjacency::add_remove)
    refuse("adjacency", "add_remove",
           "must be replace_one or zero_out where sampling is without_replacement");
}

std::string sampling_label(double rate, Sampling sampling) {
  return fmt::format(", sampling rate {}{}", rate,
                     sampling == Sampling::poisson ? "" : " without replacement");
}

constexpr const char* row_norm_help = "largest Euclidean norm of a row";

}  // namespace

void Gaussian::fields(Fields& fields) {
  fields.add("standard_deviation", standard_deviation, "of the noise");
  fields.add("sensitivity", sensitivity, sensitivity_help);
  fields.add("noise_multiplier", noise_multiplier, "in place of both: their ratio");
}

PrivacyLoss Gaussian::loss(const Setting& setting) const {
  if (noise_multiplier && (standard_deviation || sensitivity))
    throw InvalidParameter("noise_multiplier", *noise_multiplier,
                           "must not be given with a standard_deviation or a sensitivity");
  if (noise_multiplier)
    return gaussian_mechanism(require_positive("noise_multiplier", *noise_multiplier),
                              unit_sensitivity(setting.adjacency));
  if (!standard_deviation) refuse("standard_deviation", "missing", "must be given");
  if (!sensitivity) refuse("sensitivity", "missing", "must be given");
  return gaussian_mechanism(*standard_deviation, *sensitivity);
}

std::string Gaussian::label() const {
  return fmt::format("Gaussian, sigma {}{}",
                     noise_multiplier.value_or(standard_deviation.value_or(1.0)),
                     unless_one("sensitivity", sensitivity.value_or(1.0)));
}

void GaussianPair::fields(Fields& fields) {
  fields.add("mean1", mean1, "with the record").required();
  fields.add("covariance1", covariance1, "with the record").required();
  fields.add("mean2", mean2, "without the record").required();
  fields.add("covariance2", covariance2, "without the record").required();
}

PrivacyLoss GaussianPair::loss(const Setting& setting) const {
  const auto spectrum = reduce_pair({mean1, covariance1}, {mean2, covariance2}, setting.accuracy);
  return spectrum ? PrivacyLoss::gaussian(*spectrum) : PrivacyLoss::mutually_singular();
}

std::string GaussianPair::label() const {
  return fmt::format("pair of Gaussians, dimension {}", mean1.size());
}

void SpectrumComponent::fields(Fields& fields) {
  fields.add("mean", mean, "of X, whitened by Y").required();
  fields.add("variance_ratio", variance_ratio, "of X to Y").required();
  fields.add("multiplicity", multiplicity, "how many such coordinates");
}

void GaussianComponents::fields(Fields& fields) {
  fields
      .list(
          "components", "coordinates by mean, variance_ratio and multiplicity",
          [this](const Value::List& items) {
            components.clear();
            for (std::size_t i = 0; i < items.size(); ++i)
              components.push_back(read_record<SpectrumComponent>(
                  items[i], fmt::format("components[{}]", i), [](const SpectrumComponent& each) {
                    GaussianSpectrum::component(each.mean, each.variance_ratio, each.multiplicity);
                  }));
          },
          [this] {
            Value list = Value::list();
            for (const SpectrumComponent& each : components)
              list.push_back({{"mean", each.mean},
                              {"variance_ratio", each.variance_ratio},
                              {"multiplicity", each.multiplicity}});
            return list;
          })
      .required();
}

PrivacyLoss GaussianComponents::loss(const Setting&) const {
  GaussianSpectrum spectrum;
  for (const SpectrumComponent& each : components)
    spectrum.add(GaussianSpectrum::component(each.mean, each.variance_ratio,
                                             require_count("multiplicity", each.multiplicity)));
  return PrivacyLoss::gaussian(spectrum);
}

std::string GaussianComponents::label() const {
  return fmt::format("Gaussian spectrum, {} component{}", components.size(),
                     components.size() == 1 ? "" : "s");
}

void Laplace::fields(Fields& fields) {
  fields.add("scale", scale, "of the noise").required();
  fields.add("sensitivity", sensitivity, sensitivity_help).required();
}
PrivacyLoss Laplace::loss(const Setting&) const { return laplace_mechanism(scale, sensitivity); }
std::string Laplace::label() const {
  return fmt::format("Laplace, scale {}{}", scale, unless_one("sensitivity", sensitivity));
}

void SubsampledGaussian::fields(Fields& fields) {
  static const Choices<BatchBound> bounds{
      {"pair", BatchBound::pair, "one pair that dominates, the smaller bound"},
      {"renyi", BatchBound::renyi, "by Renyi divergences, to compare"}};
  noise.fields(fields);
  add_sampling(fields, sampling_rate, sampling);
  fields.choice("bound", bound, bounds, "how batches of a fixed size are accounted for");
}

namespace {

struct NoiseOnSample {
  double deviation, sensitivity;
};

NoiseOnSample noise_of(const SubsampledGaussian& described, const Setting& setting) {
  const Gaussian& noise = described.noise;
  noise.loss(setting);  // refuses what is missing
  const bool batches = described.sampling == Sampling::without_replacement;
  if (batches) require_replacement(setting.adjacency);
  if (described.bound && !batches)
    refuse("bound", "given", "must be given for without_replacement alone");
  const double unit = batches ? 2.0 : unit_sensitivity(setting.adjacency);
  return {noise.noise_multiplier.value_or(noise.standard_deviation.value_or(0.0)),
          noise.sensitivity.value_or(unit)};
}

}  // namespace

PrivacyLoss SubsampledGaussian::loss(const Setting& setting) const {
  const auto [deviation, sensitivity] = noise_of(*this, setting);
  if (sampling == Sampling::without_replacement)
    return batched_gaussian(deviation, sensitivity, sampling_rate);
  return setting.adjacency == Adjacency::replace_one
             ? replaced_subsampled_gaussian(deviation, sensitivity, sampling_rate)
             : subsampled_gaussian(deviation, sensitivity, sampling_rate);
}
std::optional<RenyiBounds> SubsampledGaussian::moments(const Setting& setting) const {
  if (bound != BatchBound::renyi) return std::nullopt;
  const auto [deviation, sensitivity] = noise_of(*this, setting);
  return batched_gaussian_moments(deviation, sensitivity, sampling_rate);
}
std::string SubsampledGaussian::label() const {
  return noise.label() + sampling_label(sampling_rate, sampling);
}

void SubsampledLaplace::fields(Fields& fields) {
  noise.fields(fields);
  add_sampling(fields, sampling_rate, sampling);
}
PrivacyLoss SubsampledLaplace::loss(const Setting& setting) const {
  if (sampling == Sampling::without_replacement) {
    require_replacement(setting.adjacency);
    return batched_laplace(noise.scale, noise.sensitivity, sampling_rate);
  }
  if (setting.adjacency == Adjacency::replace_one)
    refuse("adjacency", "replace_one",
           "must be add_remove or zero_out for Poisson samples with Laplace noise: no bound is "
           "proved for it");
  return subsampled_laplace(noise.scale, noise.sensitivity, sampling_rate);
}
std::string SubsampledLaplace::label() const {
  return noise.label() + sampling_label(sampling_rate, sampling);
}

void Spherical::fields(Fields& fields) {
  fields.add("dimension", dimension, "how many numbers an answer has").required();
  fields.add("alpha", alpha, "power of the radius").required();
  fields.add("beta", beta, "of exp(-beta r^p)").required();
  fields.add("p", p, "power of the radius in the exponent").required();
  fields.add("sensitivity", sensitivity, sensitivity_help).required();
}
PrivacyLoss Spherical::loss(const Setting&) const {
  return spherical_mechanism({require_count("dimension", dimension), alpha, beta, p}, sensitivity);
}
std::string Spherical::label() const {
  return fmt::format("spherical, dimension {}, alpha {}, beta {}, p {}{}", dimension, alpha, beta,
                     p, unless_one("sensitivity", sensitivity));
}

void L2::fields(Fields& fields) {
  fields.add("dimension", dimension, "how many numbers an answer has").required();
  fields.add("scale", scale, "of the noise, density proportional to exp(-|x| / scale)").required();
  fields.add("sensitivity", sensitivity, sensitivity_help).required();
}
PrivacyLoss L2::loss(const Setting&) const {
  return spherical_mechanism(SphericalNoise::l2(require_count("dimension", dimension), scale),
                             sensitivity);
}
std::string L2::label() const {
  return fmt::format("l2, dimension {}, scale {}{}", dimension, scale,
                     unless_one("sensitivity", sensitivity));
}

void RandomProjection::fields(Fields& fields) {
  fields.add("columns", columns, "of the sketch").required();
  fields.add("leverage", leverage, "of the row").required();
}
PrivacyLoss RandomProjection::loss(const Setting&) const {
  return random_projection(require_count("columns", columns), leverage);
}
std::string RandomProjection::label() const {
  return fmt::format("projection, {}, leverage {}", counted(columns, "column"), leverage);
}

void ProjectionRelease::fields(Fields& fields) {
  fields.add("columns", columns, "of the sketch").required();
  fields.add("ridge", ridge, "added to the second moments").required();
  fields.add("row_norm_bound", row_norm_bound, row_norm_help).required();
}
PrivacyLoss ProjectionRelease::loss(const Setting&) const {
  return ridge_projection(require_count("columns", columns), ridge, row_norm_bound);
}
std::string ProjectionRelease::label() const {
  return fmt::format("projection, {}, ridge {}{}", counted(columns, "column"), ridge,
                     unless_one("row norm bound", row_norm_bound));
}

void SubsampledProjection::fields(Fields& fields) {
  whole.fields(fields);
  fields.add("sampling_rate", sampling_rate, "probability that a row is drawn").required();
}
PrivacyLoss SubsampledProjection::loss(const Setting& setting) const {
  if (setting.adjacency != Adjacency::add_remove)
    refuse("adjacency", word_of(adjacency_words(), setting.adjacency),
           "must be add_remove for a projection of sampled rows");
  return subsampled_projection(require_count("columns", whole.columns), whole.ridge,
                               whole.row_norm_bound, sampling_rate);
}
std::string SubsampledProjection::label() const {
  return whole.label() + fmt::format(", sampling rate {}", sampling_rate);
}

void LeastSquares::fields(Fields& fields) {
  fields.add("columns", columns, "of the sketch").required();
  fields.add("features", features, "their number").required();
  fields.add("row_leverage", row_leverage, "of the row in the features").required();
  fields.add("full_leverage", full_leverage, "of the row in features and target").required();
}
PrivacyLoss LeastSquares::loss(const Setting&) const {
  return least_squares(require_count("columns", columns), require_count("features", features),
                       row_leverage, full_leverage);
}
std::string LeastSquares::label() const {
  return fmt::format("least squares, columns {}, features {}, row leverage {}, full leverage {}",
                     columns, features, row_leverage, full_leverage);
}

void LeastSquaresRelease::fields(Fields& fields) {
  fields.add("columns", columns, "of the sketch").required();
  fields.add("features", features, "their number").required();
  fields.add("ridge", ridge, "added to the second moments").required();
  fields.add("row_norm_bound", row_norm_bound, row_norm_help).required();
}
PrivacyLoss LeastSquaresRelease::loss(const Setting&) const {
  return least_squares_dominating(require_count("columns", columns),
                                  require_count("features", features), ridge, row_norm_bound);
}
std::string LeastSquaresRelease::label() const {
  return fmt::format("least squares, columns {}, features {}, ridge {}{}", columns, features, ridge,
                     unless_one("row norm bound", row_norm_bound));
}

void CovarianceRelease::fields(Fields& fields) {
  fields.add("standard_deviation", standard_deviation, "of the noise off the diagonal").required();
  fields.add("row_norm_bound", row_norm_bound, row_norm_help).required();
}
PrivacyLoss CovarianceRelease::loss(const Setting&) const {
  return covariance_mechanism(standard_deviation, row_norm_bound);
}
std::string CovarianceRelease::label() const {
  return fmt::format("second moments, sigma {}{}", standard_deviation,
                     unless_one("row norm bound", row_norm_bound));
}

void LiftedRelease::fields(Fields& fields) {
  fields.add("mean_shift", mean_shift, "how far a record moves the mean").required();
  fields.add("variance_excess", variance_excess, "how much a record changes the covariance")
      .required();
  fields.add("rank", rank, "of that change").required();
}
PrivacyLoss LiftedRelease::loss(const Setting&) const {
  return lifted_loss(OutputSensitivity(mean_shift, variance_excess, require_count("rank", rank)));
}
std::string LiftedRelease::label() const {
  return fmt::format("lifted Gaussian output, mean shift {}, variance excess {}, rank {}",
                     mean_shift, variance_excess, rank);
}

void GaussianProcessRelease::fields(Fields& fields) {
  fields.add("kernel_bound", kernel_bound, "largest value of the kernel").required();
  fields.add("noise_variance", noise_variance, "of the model").required();
  fields.add("target_bound", target_bound, "largest size of a target").required();
  fields.add("largest_rows", largest_rows, "no data set has more").required();
  fields.add("prior_bound", prior_bound, "largest eigenvalue of the prior covariance").required();
  fields.add("lift_variance", lift_variance, "added to each variance").required();
}
PrivacyLoss GaussianProcessRelease::loss(const Setting&) const {
  return gaussian_process_loss(
      GaussianProcessBounds(kernel_bound, noise_variance, target_bound, largest_rows, prior_bound),
      lift_variance);
}
std::string GaussianProcessRelease::label() const {
  return fmt::format("Gaussian process, at most {} rows, lift variance {}", largest_rows,
                     lift_variance);
}

void ObjectivePerturbation::fields(Fields& fields) {
  fields.add("standard_deviation", standard_deviation, "of the random linear term").required();
  fields.add("lipschitz", lipschitz, "largest norm of the gradient of one record").required();
  fields.add("smoothness", smoothness, "largest second derivative times squared norm").required();
  fields.add("regularization", regularization, "lambda of lambda/2 |theta|^2").required();
  fields.add("loss", objective, "name of the objective, which tells the signs of its slopes");
}
ObjectiveBounds ObjectivePerturbation::bounds() const {
  SlopeSigns signs = SlopeSigns::both;
  if (objective) {
    const auto known = slope_signs_of(*objective);
    if (!known)
      throw InvalidParameter(
          "loss", in_quotes(*objective),
          fmt::format("must be one of: {}", fmt::join(objective_loss_names(), ", ")));
    signs = *known;
  }
  return {lipschitz, smoothness, regularization, signs,
          objective ? curvature_tie_of(*objective) : CurvatureTie::none};
}
PrivacyLoss ObjectivePerturbation::loss(const Setting&) const {
  return objective_perturbation(bounds(), standard_deviation);
}
std::string ObjectivePerturbation::label() const {
  return fmt::format(
      "objective perturbation, sigma {}, lipschitz {}, smoothness {}, regularization {}{}",
      standard_deviation, lipschitz, smoothness, regularization,
      bounds().signs == SlopeSigns::one ? ", slopes of one sign" : "");
}

void ObjectiveRelease::fields(Fields& fields) {
  exact.fields(fields);
  fields.add("minimizer_error", minimizer_error, "how far the solver may stay away")
      .synonym("minimiser_error")
      .required();
  fields.add("output_standard_deviation", output_standard_deviation, "of noise on the minimizer")
      .required();
}
PrivacyLoss ObjectiveRelease::loss(const Setting&) const {
  return solved_objective_perturbation(
      exact.bounds(), {exact.standard_deviation, minimizer_error, output_standard_deviation});
}
std::string ObjectiveRelease::label() const { return exact.label() + ", as computed"; }

void GaussianPrivacy::fields(Fields& fields) {
  fields.add("mu", mu, "of Gaussian differential privacy").required();
}
PrivacyLoss GaussianPrivacy::loss(const Setting&) const {
  return gaussian_differential_privacy(mu);
}
std::string GaussianPrivacy::label() const { return fmt::format("Gaussian DP, mu {}", mu); }

void Pure::fields(Fields& fields) { fields.add("epsilon", epsilon, "largest loss").required(); }
PrivacyLoss Pure::loss(const Setting&) const { return pure_guarantee(epsilon); }
std::string Pure::label() const { return fmt::format("pure DP, epsilon {}", epsilon); }

void Approximate::fields(Fields& fields) {
  fields.add("epsilon", epsilon, "privacy loss bound").required();
  fields.add("delta", delta, "what may exceed it").required();
}
PrivacyLoss Approximate::loss(const Setting&) const {
  return approximate_guarantee(epsilon, delta);
}
std::string Approximate::label() const { return fmt::format("({}, {})-DP", epsilon, delta); }

void RandomizedResponse::fields(Fields& fields) {
  fields.add("truth_probability", truth_probability, "that the truth is reported").required();
  fields.add("categories", categories, "how many there are");
}
PrivacyLoss RandomizedResponse::loss(const Setting&) const {
  return randomized_response(truth_probability, categories);
}
std::string RandomizedResponse::label() const {
  return fmt::format("randomized response, truth {}{}", truth_probability,
                     categories == 2.0 ? "" : fmt::format(", {} categories", categories));
}

void BoundedRange::fields(Fields& fields) {
  fields.add("range", range, "by how much losses can differ").required();
}
PrivacyLoss BoundedRange::loss(const Setting&) const { return bounded_range(range); }
std::string BoundedRange::label() const { return fmt::format("bounded range {}", range); }

void Tabulated::fields(Fields& fields) {
  fields.add("file", file, "lines of loss,probability").required();
}

// What is wrong with a table is said with the file's name.
PrivacyLoss Tabulated::loss(const Setting& setting) const {
  if (file.empty() || file.find('\0') != std::string::npos)
    throw InvalidParameter("file", in_quotes(file), "must name a file");
  // With a folder, so that "-" is a file and not standard input.
  const std::filesystem::path folder = setting.folder.empty() ? "." : setting.folder;
  const std::string path = (folder / file).string();
  const std::string text = read_file(path);
  const auto named = [&](const Error& error) {
    return InvalidDescription(fmt::format("{}: {}", one_line(path, 200), error.what()));
  };
  try {
    return tabulated_loss(parse_loss_table(text));
  } catch (const InvalidDescription& error) {
    throw named(error);
  } catch (const InvalidParameter& error) {
    throw named(error);
  }
}
std::string Tabulated::label() const { return fmt::format("table {}", one_line(file, 60)); }

}  // namespace modicum::described
