#include "modicum/release/description.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <type_traits>

#include "data/number_text.h"
#include "modicum/data/json.h"
#include "modicum/mechanisms/zero_concentrated.h"
#include "release/certificates/read_file.h"
#include "release/descriptions/description_fields.h"
#include "release/descriptions/mechanism_forms.h"
#include "release/descriptions/integer_mechanisms.h"
#include "release/descriptions/mechanisms.h"
#include "release/descriptions/staircase_mechanism.h"

namespace modicum {
namespace {

using described::Setting;

const Choices<Adjacency>& adjacency_words() {
  static const Choices<Adjacency> words{
      {"add_remove", Adjacency::add_remove, "with and without a record"},
      {"replace_one", Adjacency::replace_one, "with another record in its place"},
      {"zero_out", Adjacency::zero_out, "with nothing in its place"}};
  return words;
}

// What is read of a record. Zero-concentrated guarantees are added up before they become a loss.
struct Part {
  Description description = {};
  double rho = 0.0;
};

// Upwards.
double sum_of(double a, double b) { return b == 0.0 ? a : std::nextafter(a + b, HUGE_VAL); }
double product_of(double a, double b) { return a == 0.0 ? a : std::nextafter(a * b, HUGE_VAL); }

struct Kind {
  const char* name;
  Part (*read)(const Value& record, double& count, const Setting& setting);
  void (*form)(const std::function<void(const char* name, const Fields& fields)>& use);
};

template <class Mechanism>
Kind kind() {
  return {Mechanism::name, [](const Value& record, double& count, const Setting& setting) {
            Mechanism mechanism;
            Fields fields;
            mechanism.fields(fields);
            fields.add("count", count, "how often").synonym("steps");
            Setting own = setting;
            fields.choice("adjacency", own.adjacency, adjacency_words(),
                          "which data sets are neighbors");
            read_keys(fields, record, {"mechanism"});
            Part part{{mechanism.loss(own), mechanism.label(), own.adjacency}};
            if constexpr (std::is_same_v<Mechanism, described::ZeroConcentrated>)
              part.rho = mechanism.rho;
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
                                     kind<ZeroConcentrated>(),
                                     kind<Spherical>(),
                                     kind<L2>(),
                                     kind<RandomProjection>(),
                                     kind<ProjectionRelease>(),
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
                                     kind<Tabulated>()};
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
  Description& whole = sum.description;
  Fields fields;
  fields
      .list(
          "compose", "parts",
          [&](const Value::List& parts) {
            for (std::size_t i = 0; i < parts.size(); ++i) {
              auto [part, rho] = read(parts[i], fmt::format("compose[{}]", i), setting);
              sum.rho = sum_of(sum.rho, rho);
              if (i == 0) whole.adjacency = part.adjacency;
              if (part.adjacency != whole.adjacency)
                refuse(fmt::format("compose[{}].adjacency", i),
                       word_of(adjacency_words(), part.adjacency),
                       fmt::format("must be that of the parts before it, {}: a composition holds "
                                   "for one kind of neighbors",
                                   word_of(adjacency_words(), whole.adjacency)));
              whole.loss.compose(part.loss);
              if (parts.size() == 1) whole.label = std::move(part.label);
            }
            if (parts.size() > 1)
              whole.label = fmt::format("composition of {} parts", parts.size());
          },
          [] { return Value(); })
      .required();
  fields.add("count", count, "how often").synonym("steps");
  read_keys(fields, record);
  return sum;
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
    result = record.contains("compose") ? read_composition(record, count, setting)
                                        : read_mechanism(record, count, setting);
    require_counted(record);
    if (require_count("count", count) == 1.0) return;
    result.description.loss = result.description.loss.repeated(count);
    result.description.label += fmt::format(", {} times", count);
    result.rho = product_of(result.rho, count);
  });
  return result;
}

}  // namespace

Description describe(const Value& tree, Accuracy accuracy, std::string_view folder) {
  Part part = read(tree, "", {accuracy, std::string(folder)});
  part.description.loss.compose(zero_concentrated(part.rho));
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
