#include "modicum/interfaces/description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "interfaces/description_fields.h"
#include "interfaces/json_text.h"
#include "interfaces/number_text.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/laplace.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/mechanisms/randomized_response.h"

namespace modicum {
namespace {

Description describe(const nlohmann::json& value, const std::string& path, Reduction reduction);

// ", sensitivity 2" where it is not 1.
std::string unless_one(std::string_view name, double value) {
  return value == 1.0 ? "" : fmt::format(", {} {}", name, value);
}

Description gaussian(const Fields& fields, Reduction) {
  const double deviation = fields.number("standard_deviation");
  const double sensitivity = fields.number("sensitivity");
  return {gaussian_mechanism(deviation, sensitivity),
          fmt::format("Gaussian, sigma {}{}", deviation, unless_one("sensitivity", sensitivity))};
}

Description gaussian_pair(const Fields& fields, Reduction reduction) {
  const GaussianDistribution x{fields.vector("mean1"), fields.matrix("covariance1")};
  const GaussianDistribution y{fields.vector("mean2"), fields.matrix("covariance2")};
  const auto spectrum = reduce_pair(x, y, reduction);
  return {spectrum ? PrivacyLoss::gaussian(*spectrum) : PrivacyLoss::mutually_singular(),
          fmt::format("pair of Gaussians, dimension {}", x.mean.size())};
}

Description gaussian_spectrum(const Fields& fields, Reduction) {
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

Description laplace(const Fields& fields, Reduction) {
  const double scale = fields.number("scale"), sensitivity = fields.number("sensitivity");
  return {laplace_mechanism(scale, sensitivity),
          fmt::format("Laplace, scale {}{}", scale, unless_one("sensitivity", sensitivity))};
}

Description projection(const Fields& fields, Reduction) {
  const double columns = fields.count("columns"), leverage = fields.number("leverage");
  return {random_projection(columns, leverage),
          fmt::format("projection, {} columns, leverage {}", columns, leverage)};
}

Description gaussian_dp(const Fields& fields, Reduction) {
  const double mu = fields.number("mu");
  return {gaussian_differential_privacy(mu), fmt::format("Gaussian DP, mu {}", mu)};
}

Description pure(const Fields& fields, Reduction) {
  const double epsilon = fields.number("epsilon");
  return {pure_guarantee(epsilon), fmt::format("pure DP, epsilon {}", epsilon)};
}

Description approximate(const Fields& fields, Reduction) {
  const double epsilon = fields.number("epsilon"), delta = fields.number("delta");
  return {approximate_guarantee(epsilon, delta), fmt::format("({}, {})-DP", epsilon, delta)};
}

Description response(const Fields& fields, Reduction) {
  const double truth = fields.number("truth_probability");
  return {randomized_response(truth), fmt::format("randomized response, truth {}", truth)};
}

struct Mechanism {
  std::string_view name;
  std::vector<std::string_view> keys;
  Description (*read)(const Fields&, Reduction);
};

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> known{
      {"gaussian", {"standard_deviation", "sensitivity"}, gaussian},
      {"gaussian_pair", {"mean1", "covariance1", "mean2", "covariance2"}, gaussian_pair},
      {"gaussian_spectrum", {"components"}, gaussian_spectrum},
      {"laplace", {"scale", "sensitivity"}, laplace},
      {"random_projection", {"columns", "leverage"}, projection},
      {"gaussian_dp", {"mu"}, gaussian_dp},
      {"pure", {"epsilon"}, pure},
      {"approximate", {"epsilon", "delta"}, approximate},
      {"randomized_response", {"truth_probability"}, response},
  };
  return known;
}

Description describe_mechanism(const Fields& fields, Reduction reduction) {
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
  fields.require_keys(required, {"count"});
  return found->read(fields, reduction);
}

Description describe_composition(const Fields& fields, Reduction reduction) {
  fields.require_keys({"compose"}, {"count"});
  const auto& parts = fields.list("compose");
  Description result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Description part =
        describe(parts[i], fmt::format("{}[{}]", fields.path_of("compose"), i), reduction);
    result.loss.compose(part.loss);
    if (parts.size() == 1) result.label = std::move(part.label);
  }
  if (parts.size() > 1) result.label = fmt::format("composition of {} parts", parts.size());
  return result;
}

Description describe(const nlohmann::json& value, const std::string& path, Reduction reduction) {
  const Fields fields(value, path);
  Description result;
  fields.refusing([&] {
    result = fields.has("compose") ? describe_composition(fields, reduction)
                                   : describe_mechanism(fields, reduction);
    const double count = fields.count("count");
    if (count == 1.0) return;
    result.loss = result.loss.repeated(count);
    result.label += fmt::format(", {} times", count);
  });
  return result;
}

}  // namespace

Description parse_description(std::string_view text, std::string_view source_name,
                              Reduction reduction) {
  try {
    return describe(parse_strict_json(text), "", reduction);
  } catch (const InvalidDescription& error) {
    if (source_name.empty()) throw;
    throw InvalidDescription(fmt::format("{}: {}", one_line(source_name, 200), error.what()));
  }
}

}  // namespace modicum
