#include "modicum/interfaces/description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "interfaces/description_fields.h"
#include "interfaces/files.h"
#include "interfaces/json_text.h"
#include "interfaces/loss_table.h"
#include "interfaces/number_text.h"
#include "modicum/mechanisms/bounded_range.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/gaussian_process.h"
#include "modicum/mechanisms/laplace.h"
#include "modicum/mechanisms/least_squares.h"
#include "modicum/mechanisms/lifting.h"
#include "modicum/mechanisms/matrix_noise.h"
#include "modicum/mechanisms/objective_perturbation.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/mechanisms/randomized_response.h"
#include "modicum/mechanisms/spherical.h"
#include "modicum/mechanisms/subsampled.h"
#include "modicum/mechanisms/tabulated.h"

namespace modicum {
namespace {

// What a description is read with, besides its text.
struct Setting {
  Accuracy accuracy;
  std::filesystem::path folder;  // of the files that it names
};

Description describe(const nlohmann::json& value, const std::string& path, const Setting& setting);

// ", sensitivity 2" where it is not 1.
std::string unless_one(std::string_view name, double value) {
  return value == 1.0 ? "" : fmt::format(", {} {}", name, value);
}

Description gaussian(const Fields& fields, const Setting&) {
  const double deviation = fields.number("standard_deviation");
  const double sensitivity = fields.number("sensitivity");
  return {gaussian_mechanism(deviation, sensitivity),
          fmt::format("Gaussian, sigma {}{}", deviation, unless_one("sensitivity", sensitivity))};
}

Description gaussian_pair(const Fields& fields, const Setting& setting) {
  const GaussianDistribution x{fields.vector("mean1"), fields.matrix("covariance1")};
  const GaussianDistribution y{fields.vector("mean2"), fields.matrix("covariance2")};
  const auto spectrum = reduce_pair(x, y, setting.accuracy);
  return {spectrum ? PrivacyLoss::gaussian(*spectrum) : PrivacyLoss::mutually_singular(),
          fmt::format("pair of Gaussians, dimension {}", x.mean.size())};
}

Description gaussian_spectrum(const Fields& fields, const Setting&) {
  GaussianSpectrum spectrum;
  const auto& components = fields.list("components");
  for (std::size_t i = 0; i < components.size(); ++i) {
    const Fields component(components[i], fmt::format("{}[{}]", fields.path_of("components"), i));
    component.require_keys({"mean", "variance_ratio"}, {"multiplicity"});
    component.refusing([&] {
      spectrum.add(GaussianSpectrum::component(component.number("mean"),
                                               component.number("variance_ratio"),
                                               component.count("multiplicity")));
    });
  }
  return {PrivacyLoss::gaussian(spectrum),
          fmt::format("Gaussian spectrum, {} component{}", components.size(),
                      components.size() == 1 ? "" : "s")};
}

Description laplace(const Fields& fields, const Setting&) {
  const double scale = fields.number("scale"), sensitivity = fields.number("sensitivity");
  return {laplace_mechanism(scale, sensitivity),
          fmt::format("Laplace, scale {}{}", scale, unless_one("sensitivity", sensitivity))};
}

// "Gaussian, sigma 2, sensitivity 3, sampling rate 0.01".
std::string subsampled_label(std::string_view noise, double sensitivity, double rate) {
  return fmt::format("{}{}, sampling rate {}", noise, unless_one("sensitivity", sensitivity), rate);
}

Description subsampled_gaussian_noise(const Fields& fields, const Setting&) {
  const double deviation = fields.number("standard_deviation");
  const double sensitivity = fields.number("sensitivity"), rate = fields.number("sampling_rate");
  return {subsampled_gaussian(deviation, sensitivity, rate),
          subsampled_label(fmt::format("Gaussian, sigma {}", deviation), sensitivity, rate)};
}

Description subsampled_laplace_noise(const Fields& fields, const Setting&) {
  const double scale = fields.number("scale");
  const double sensitivity = fields.number("sensitivity"), rate = fields.number("sampling_rate");
  return {subsampled_laplace(scale, sensitivity, rate),
          subsampled_label(fmt::format("Laplace, scale {}", scale), sensitivity, rate)};
}

Description spherical(const Fields& fields, const Setting&) {
  const SphericalNoise noise(fields.count("dimension"), fields.number("alpha"),
                             fields.number("beta"), fields.number("p"));
  const double sensitivity = fields.number("sensitivity");
  return {spherical_mechanism(noise, sensitivity),
          fmt::format("spherical, dimension {}, alpha {}, beta {}, p {}{}", noise.dimension,
                      noise.alpha, noise.beta, noise.p, unless_one("sensitivity", sensitivity))};
}

Description l2(const Fields& fields, const Setting&) {
  const double dimension = fields.count("dimension"), scale = fields.number("scale");
  const double sensitivity = fields.number("sensitivity");
  return {spherical_mechanism(SphericalNoise::l2(dimension, scale), sensitivity),
          fmt::format("l2, dimension {}, scale {}{}", dimension, scale,
                      unless_one("sensitivity", sensitivity))};
}

Description projection(const Fields& fields, const Setting&) {
  const double columns = fields.count("columns"), leverage = fields.number("leverage");
  return {random_projection(columns, leverage),
          fmt::format("projection, {} columns, leverage {}", columns, leverage)};
}

Description projection_release(const Fields& fields, const Setting&) {
  const double columns = fields.count("columns"), ridge = fields.number("ridge");
  const double bound = fields.number("row_norm_bound");
  return {ridge_projection(columns, ridge, bound),
          fmt::format("projection, {} columns, ridge {}{}", columns, ridge,
                      unless_one("row norm bound", bound))};
}

Description least_squares_pair(const Fields& fields, const Setting&) {
  const double columns = fields.count("columns"), features = fields.count("features");
  const double row = fields.number("row_leverage"), full = fields.number("full_leverage");
  return {least_squares(columns, features, row, full),
          fmt::format("least squares, columns {}, features {}, row leverage {}, full leverage {}",
                      columns, features, row, full)};
}

Description least_squares_release(const Fields& fields, const Setting&) {
  const double columns = fields.count("columns"), features = fields.count("features");
  const double ridge = fields.number("ridge"), bound = fields.number("row_norm_bound");
  return {least_squares_dominating(columns, features, ridge, bound),
          fmt::format("least squares, columns {}, features {}, ridge {}{}", columns, features,
                      ridge, unless_one("row norm bound", bound))};
}

Description lifted_release(const Fields& fields, const Setting&) {
  const OutputSensitivity sensitivity(fields.number("mean_shift"), fields.number("variance_excess"),
                                      fields.count("rank"));
  return {lifted_loss(sensitivity),
          fmt::format("lifted Gaussian output, mean shift {}, variance excess {}, rank {}",
                      sensitivity.mean_shift, sensitivity.variance_excess, sensitivity.rank)};
}

Description covariance_release(const Fields& fields, const Setting&) {
  const double deviation = fields.number("standard_deviation");
  const double bound = fields.number("row_norm_bound");
  return {
      covariance_mechanism(deviation, bound),
      fmt::format("second moments, sigma {}{}", deviation, unless_one("row norm bound", bound))};
}

Description gaussian_process_release(const Fields& fields, const Setting&) {
  const GaussianProcessBounds bounds(fields.number("kernel_bound"), fields.number("noise_variance"),
                                     fields.number("target_bound"), fields.number("largest_rows"),
                                     fields.number("prior_bound"));
  const double lift = fields.number("lift_variance");
  return {gaussian_process_loss(bounds, lift),
          fmt::format("Gaussian process, at most {} rows, lift variance {}", bounds.largest_rows,
                      lift)};
}

ObjectiveBounds objective_bounds(const Fields& fields) {
  SlopeSigns signs = SlopeSigns::both;
  if (fields.has("loss")) {
    const auto known = slope_signs_of(fields.text("loss"));
    if (!known)
      refuse(fields.path_of("loss"), in_quotes(fields.text("loss")),
             fmt::format("must be one of: {}", fmt::join(objective_loss_names(), ", ")));
    signs = *known;
  }
  return {fields.number("lipschitz"), fields.number("smoothness"), fields.number("regularization"),
          signs};
}

std::string objective_words(const ObjectiveBounds& bounds, double deviation) {
  return fmt::format(
      "objective perturbation, sigma {}, lipschitz {}, smoothness {}, regularization {}{}",
      deviation, bounds.lipschitz, bounds.smoothness, bounds.regularization,
      bounds.signs == SlopeSigns::one ? ", slopes of one sign" : "");
}

Description objective(const Fields& fields, const Setting&) {
  const ObjectiveBounds bounds = objective_bounds(fields);
  const double deviation = fields.number("standard_deviation");
  return {objective_perturbation(bounds, deviation), objective_words(bounds, deviation)};
}

Description objective_release(const Fields& fields, const Setting&) {
  const ObjectiveBounds bounds = objective_bounds(fields);
  const SolvedObjectiveNoise noise{fields.number("standard_deviation"),
                                   fields.number("minimizer_error"),
                                   fields.number("output_standard_deviation")};
  return {solved_objective_perturbation(bounds, noise),
          objective_words(bounds, noise.standard_deviation) + ", as computed"};
}

Description gaussian_dp(const Fields& fields, const Setting&) {
  const double mu = fields.number("mu");
  return {gaussian_differential_privacy(mu), fmt::format("Gaussian DP, mu {}", mu)};
}

Description pure(const Fields& fields, const Setting&) {
  const double epsilon = fields.number("epsilon");
  return {pure_guarantee(epsilon), fmt::format("pure DP, epsilon {}", epsilon)};
}

Description approximate(const Fields& fields, const Setting&) {
  const double epsilon = fields.number("epsilon"), delta = fields.number("delta");
  return {approximate_guarantee(epsilon, delta), fmt::format("({}, {})-DP", epsilon, delta)};
}

Description response(const Fields& fields, const Setting&) {
  const double truth = fields.number("truth_probability");
  return {randomized_response(truth), fmt::format("randomized response, truth {}", truth)};
}

Description range(const Fields& fields, const Setting&) {
  const double range = fields.number("range");
  return {bounded_range(range), fmt::format("bounded range {}", range)};
}

// What is wrong with a table is said with the file's name.
PrivacyLoss table_in(const std::string& path) {
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

Description table(const Fields& fields, const Setting& setting) {
  const std::string file = fields.text("file");
  if (file.empty() || file.find('\0') != std::string::npos)
    refuse(fields.path_of("file"), in_quotes(file), "must name a file");
  // With a folder, so that "-" is a file and not standard input.
  const std::filesystem::path folder = setting.folder.empty() ? "." : setting.folder;
  return {table_in((folder / file).string()), fmt::format("table {}", one_line(file, 60))};
}

struct Mechanism {
  std::string_view name;
  std::vector<std::string_view> keys;
  Description (*read)(const Fields&, const Setting&);
  std::vector<std::string_view> optional_keys = {};  // besides the count
};

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> known{
      {"gaussian", {"standard_deviation", "sensitivity"}, gaussian},
      {"gaussian_pair", {"mean1", "covariance1", "mean2", "covariance2"}, gaussian_pair},
      {"gaussian_spectrum", {"components"}, gaussian_spectrum},
      {"laplace", {"scale", "sensitivity"}, laplace},
      {"subsampled_gaussian",
       {"standard_deviation", "sensitivity", "sampling_rate"},
       subsampled_gaussian_noise},
      {"subsampled_laplace", {"scale", "sensitivity", "sampling_rate"}, subsampled_laplace_noise},
      {"spherical_generalized_gamma",
       {"dimension", "alpha", "beta", "p", "sensitivity"},
       spherical},
      {"l2", {"dimension", "scale", "sensitivity"}, l2},
      {"random_projection", {"columns", "leverage"}, projection},
      {"projection_release", {"columns", "ridge", "row_norm_bound"}, projection_release},
      {"least_squares",
       {"columns", "features", "row_leverage", "full_leverage"},
       least_squares_pair},
      {"least_squares_release",
       {"columns", "features", "ridge", "row_norm_bound"},
       least_squares_release},
      {"covariance_release", {"standard_deviation", "row_norm_bound"}, covariance_release},
      {"lifted_release", {"mean_shift", "variance_excess", "rank"}, lifted_release},
      {"gaussian_process_release",
       {"kernel_bound", "noise_variance", "target_bound", "largest_rows", "prior_bound",
        "lift_variance"},
       gaussian_process_release},
      {"objective_perturbation",
       {"standard_deviation", "lipschitz", "smoothness", "regularization"},
       objective,
       {"loss"}},
      {"objective_release",
       {"standard_deviation", "lipschitz", "smoothness", "regularization", "minimizer_error",
        "output_standard_deviation"},
       objective_release,
       {"loss"}},
      {"gaussian_dp", {"mu"}, gaussian_dp},
      {"pure", {"epsilon"}, pure},
      {"approximate", {"epsilon", "delta"}, approximate},
      {"randomized_response", {"truth_probability"}, response},
      {"bounded_range", {"range"}, range},
      {"tabulated", {"file"}, table},
  };
  return known;
}

Description describe_mechanism(const Fields& fields, const Setting& setting) {
  if (!fields.has("mechanism"))
    refuse(fields.path_of("mechanism"), "missing", "\"mechanism\" or \"compose\" must be given");
  const std::string name = fields.text("mechanism");
  const auto& known = mechanisms();
  const auto found = std::ranges::find(known, name, &Mechanism::name);
  if (found == known.end()) {
    std::vector<std::string_view> names;
    names.reserve(known.size());
    for (const Mechanism& mechanism : known) names.push_back(mechanism.name);
    refuse(fields.path_of("mechanism"), in_quotes(name),
           fmt::format("must be one of: {}", fmt::join(names, ", ")));
  }
  std::vector<std::string_view> required{"mechanism"};
  required.insert(required.end(), found->keys.begin(), found->keys.end());
  std::vector<std::string_view> optional = found->optional_keys;
  optional.push_back("count");
  fields.require_keys(required, optional);
  return found->read(fields, setting);
}

Description describe_composition(const Fields& fields, const Setting& setting) {
  fields.require_keys({"compose"}, {"count"});
  const auto& parts = fields.list("compose");
  Description result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Description part =
        describe(parts[i], fmt::format("{}[{}]", fields.path_of("compose"), i), setting);
    result.loss.compose(part.loss);
    if (parts.size() == 1) result.label = std::move(part.label);
  }
  if (parts.size() > 1) result.label = fmt::format("composition of {} parts", parts.size());
  return result;
}

Description describe(const nlohmann::json& value, const std::string& path, const Setting& setting) {
  const Fields fields(value, path);
  Description result;
  fields.refusing([&] {
    result = fields.has("compose") ? describe_composition(fields, setting)
                                   : describe_mechanism(fields, setting);
    const double count = fields.count("count");
    if (count == 1.0) return;
    result.loss = result.loss.repeated(count);
    result.label += fmt::format(", {} times", count);
  });
  return result;
}

}  // namespace

Description parse_description(std::string_view text, std::string_view source_name,
                              Accuracy accuracy, std::string_view folder) {
  try {
    return describe(parse_strict_json(text), "", {accuracy, folder});
  } catch (const InvalidDescription& error) {
    if (source_name.empty()) throw;
    throw InvalidDescription(fmt::format("{}: {}", one_line(source_name, 200), error.what()));
  }
}

}  // namespace modicum
