#include "modicum/release/description.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <type_traits>

#include "data/cells/number_text.h"
#include "modicum/data/json.h"
#include "release/certificates/read_file.h"
#include "release/descriptions/certificate_tree.h"
#include "release/descriptions/description_fields.h"
#include "release/descriptions/disc_mechanism.h"
#include "release/descriptions/discovery_mechanism.h"
#include "release/descriptions/guarantee_mechanisms.h"
#include "release/descriptions/integer_mechanisms.h"
#include "release/descriptions/mechanism_forms.h"
#include "release/descriptions/selection_mechanisms.h"
#include "release/descriptions/staircase_mechanism.h"
#include "release/descriptions/training_mechanisms.h"

namespace modicum {
namespace {

using described::Setting;

// What is read of a record. Bounds on moments are added up before they become a loss.
struct Part {
  Description description = {};
  RenyiBounds moments = {};
};

struct Kind {
  const char* name;
  Part (*read)(const Value& record, double& count, const Setting& setting);
  void (*form)(const std::function<void(const char* name, const Fields& fields)>& use);
};

template <class Mechanism>
Kind kind() {
  return {Mechanism::name,
          [](const Value& record, double& count, const Setting& setting) {
            Mechanism mechanism;
            Fields fields;
            mechanism.fields(fields);
            fields.add("count", count, "how often").synonym("steps");
            Setting own = setting;
            fields.choice("adjacency", own.adjacency, adjacency_words(),
                          "which data sets are neighbors");
            read_keys(fields, record, {"mechanism"});
            Part part{{{}, mechanism.label(), own.adjacency}};
            if constexpr (requires { mechanism.unit(own); })
              part.description.unit = mechanism.unit(own);
            std::optional<RenyiBounds> moments;
            if constexpr (requires { mechanism.moments(own); }) moments = mechanism.moments(own);
            if (moments) part.moments = *std::move(moments);
            else if constexpr (requires { mechanism.loss(own); })
              part.description.loss = mechanism.loss(own);
            return part;
          },
          [](const std::function<void(const char* name, const Fields& fields)>& use) {
            Mechanism mechanism;
            Fields fields;
            mechanism.fields(fields);
            use(Mechanism::name, fields);
          }};
}

const std::vector<Kind>& kinds() {
  using namespace described;
  static const std::vector<Kind> all{kind<Gaussian>(),
                                     kind<GaussianPair>(),
                                     kind<GaussianComponents>(),
                                     kind<Laplace>(),
                                     kind<SubsampledGaussian>(),
                                     kind<SubsampledLaplace>(),
                                     kind<DiscreteGaussian>(),
                                     kind<DiscreteLaplace>(),
                                     kind<Geometric>(),
                                     kind<AnyIntegerNoise>(),
                                     kind<DiscreteStaircase>(),
                                     kind<Discs>(),
                                     kind<ZeroConcentrated>(),
                                     kind<Renyi>(),
                                     kind<LossDistribution>(),
                                     kind<Exponential>(),
                                     kind<PermuteAndFlip>(),
                                     kind<ReportNoisyMax>(),
                                     kind<AboveThreshold>(),
                                     kind<RepeatAndSelect>(),
                                     kind<MixtureOfGaussians>(),
                                     kind<TruncatedGaussian>(),
                                     kind<ShuffledGaussian>(),
                                     kind<AllocatedGaussian>(),
                                     kind<MatrixMechanism>(),
                                     kind<TreeAggregation>(),
                                     kind<Spherical>(),
                                     kind<L2>(),
                                     kind<RandomProjection>(),
                                     kind<ProjectionRelease>(),
                                     kind<SubsampledProjection>(),
                                     kind<LeastSquares>(),
                                     kind<LeastSquaresRelease>(),
                                     kind<CovarianceRelease>(),
                                     kind<LiftedRelease>(),
                                     kind<GaussianProcessRelease>(),
                                     kind<ObjectivePerturbation>(),
                                     kind<ObjectiveRelease>(),
                                     kind<GaussianPrivacy>(),
                                     kind<Pure>(),
                                     kind<Approximate>(),
                                     kind<RandomizedResponse>(),
                                     kind<BoundedRange>(),
                                     kind<Tabulated>(),
                                     kind<DiscoveredGroups>()};
  return all;
}

Part read(const Value& record, const std::string& path, const Setting& setting);

Part read_mechanism(const Value& record, double& count, const Setting& setting) {
  const Value* mechanism = record.find("mechanism");
  if (mechanism == nullptr)
    refuse("mechanism", "missing", "\"mechanism\" or \"compose\" must be given");
  if (!mechanism->is_text()) refuse("mechanism", shown(*mechanism), "must be a string");
  std::vector<std::string> names;
  for (const Kind& each : kinds()) names.emplace_back(each.name);
  return kinds()[place_of_word("mechanism", mechanism->text(), names)].read(record, count, setting);
}

Part read_composition(const Value& record, double& count, const Setting& setting) {
  Part sum;
  Fields fields;
  fields
      .list(
          "compose", "parts",
          [&](const Value::List& parts) {
            std::vector<Description> described;
            for (std::size_t i = 0; i < parts.size(); ++i) {
              Part part = read(parts[i], fmt::format("compose[{}]", i), setting);
              sum.moments.add(part.moments);
              described.push_back(std::move(part.description));
            }
            sum.description = composed("compose", std::move(described));
          },
          [] { return Value(); })
      .required();
  fields.add("count", count, "how often").synonym("steps");
  read_keys(fields, record);
  return sum;
}

// What it promises about all neighbors is its loss.
Part read_certificate(const Value& certificate, const Setting& setting) {
  const Value& guarantee = certificate.at("guarantee");
  if (guarantee != Value("proved"))
    refuse("guarantee", shown(guarantee), "must be proved: others do not compose");
  const Value* loss = certificate.find("loss");
  if (loss == nullptr) refuse("loss", "missing", "must be in a certificate that is composed");
  for (const char* key : {"count", "steps"})
    if (certificate.contains(key))
      refuse(key, shown(certificate.at(key)),
             "must not be in a certificate: put it beside \"compose\"");
  Part part = read(*loss, "loss", setting);
  const Value* adjacency = certificate.find("adjacency");
  const auto stated = adjacency != nullptr && adjacency->is_text()
                          ? adjacency_in_sentence(adjacency->text())
                          : std::nullopt;
  // Other sentences are about answers that were given: those of any neighbors.
  const bool unread = adjacency != nullptr && !adjacency->is_text();
  if (unread || (stated && *stated != part.description.adjacency))
    refuse("adjacency", shown(*adjacency),
           fmt::format("must be that of the loss, {}",
                       word_of(adjacency_words(), part.description.adjacency)));
  part.description.unit = unit_of_certificate(certificate).value_or(ProtectedUnit{});
  return part;
}

// 2^53 + 1 would round to 2^53.
void require_counted(const Value& record) {
  const Value* count = record.contains("count") ? record.find("count") : record.find("steps");
  if (count != nullptr && count->is_whole() && count->whole() > (std::int64_t{1} << 53))
    throw InvalidParameter("count", shown(*count), "must be a whole number from 1 to 2^53");
}

Part read(const Value& record, const std::string& path, const Setting& setting) {
  Part result;
  at_path(path, record, [&] {
    double count = 1.0;
    result = is_certificate(record)       ? read_certificate(record, setting)
             : record.contains("compose") ? read_composition(record, count, setting)
                                          : read_mechanism(record, count, setting);
    require_counted(record);
    if (require_count("count", count) == 1.0) return;
    result.description.loss = result.description.loss.repeated(count);
    result.description.label += fmt::format(", {} times", count);
    result.moments = result.moments.repeated(count);
  });
  return result;
}

}  // namespace

Description composed(const char* list, std::vector<Description> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  Description whole{{}, fmt::format("composition of {} parts", parts.size())};
  const auto require_same = [&](std::size_t i, const char* what, const std::string& own,
                                const std::string& before) {
    if (own != before)
      throw InvalidParameter(fmt::format("{}[{}].{}", list, i, what), one_line(own, 300),
                             fmt::format("must be that of the parts before it, {}: a composition "
                                         "holds for one kind of neighbors",
                                         one_line(before, 300)));
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Description& part = parts[i];
    if (i == 0) whole.adjacency = part.adjacency;
    require_same(i, "adjacency", word_of(adjacency_words(), part.adjacency),
                 word_of(adjacency_words(), whole.adjacency));
    if (part.unit && whole.unit) require_same(i, "unit", part.unit->words(), whole.unit->words());
    if (!whole.unit) whole.unit = part.unit;
    whole.loss.compose(part.loss);
  }
  return whole;
}

described::DescribedRun described::describe_run(const Value& tree, const Setting& setting) {
  Part part = read(tree, "", {setting.accuracy, setting.folder});
  return {std::move(part.description), std::move(part.moments)};
}

Description describe(const Value& tree, Accuracy accuracy, std::string_view folder) {
  Part part = read(tree, "", {accuracy, std::string(folder)});
  part.description.loss.compose(renyi_guarantee(part.moments));
  return std::move(part.description);
}

Description parse_description(std::string_view text, std::string_view source_name,
                              Accuracy accuracy, std::string_view folder) {
  try {
    return describe(parse_json(text), accuracy, folder);
  } catch (const InvalidDescription& error) {
    if (source_name.empty()) throw;
    throw InvalidDescription(fmt::format("{}: {}", one_line(source_name, 200), error.what()));
  }
}

void for_each_mechanism(const std::function<void(const char* name, const Fields& fields)>& use) {
  for (const Kind& each : kinds()) each.form(use);
}

}  // namespace modicum
