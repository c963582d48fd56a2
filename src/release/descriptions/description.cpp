#include "modicum/release/description.h"

#include <fmt/format.h>

#include "data/number_text.h"
#include "modicum/data/json.h"
#include "release/certificates/read_file.h"
#include "release/descriptions/description_fields.h"
#include "release/descriptions/mechanisms.h"

namespace modicum {
namespace {

using described::Setting;

struct Kind {
  const char* name;
  Description (*read)(const Value& record, double& count, const Setting& setting);
};

template <class Mechanism>
Kind kind() {
  return {Mechanism::name, [](const Value& record, double& count, const Setting& setting) {
            Mechanism mechanism;
            Fields fields;
            mechanism.fields(fields);
            fields.add("count", count, "how often").synonym("steps");
            read_keys(fields, record, {"mechanism"});
            return Description{mechanism.loss(setting), mechanism.label()};
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

Description read(const Value& record, const std::string& path, const Setting& setting);

Description read_mechanism(const Value& record, double& count, const Setting& setting) {
  const Value* mechanism = record.find("mechanism");
  if (mechanism == nullptr)
    refuse("mechanism", "missing", "\"mechanism\" or \"compose\" must be given");
  if (!mechanism->is_text()) refuse("mechanism", shown(*mechanism), "must be a string");
  std::vector<std::string> names;
  for (const Kind& each : kinds()) names.emplace_back(each.name);
  return kinds()[place_of_word("mechanism", mechanism->text(), names)].read(record, count, setting);
}

Description read_composition(const Value& record, double& count, const Setting& setting) {
  Description whole;
  Fields fields;
  fields
      .list(
          "compose", "parts",
          [&](const Value::List& parts) {
            for (std::size_t i = 0; i < parts.size(); ++i) {
              Description part = read(parts[i], fmt::format("compose[{}]", i), setting);
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
  return whole;
}

// 2^53 + 1 would round to 2^53.
void require_counted(const Value& record) {
  const Value* count = record.contains("count") ? record.find("count") : record.find("steps");
  if (count != nullptr && count->is_whole() && count->whole() > (std::int64_t{1} << 53))
    throw InvalidParameter("count", shown(*count), "must be a whole number from 1 to 2^53");
}

Description read(const Value& record, const std::string& path, const Setting& setting) {
  Description result;
  at_path(path, record, [&] {
    double count = 1.0;
    result = record.contains("compose") ? read_composition(record, count, setting)
                                        : read_mechanism(record, count, setting);
    require_counted(record);
    if (require_count("count", count) == 1.0) return;
    result.loss = result.loss.repeated(count);
    result.label += fmt::format(", {} times", count);
  });
  return result;
}

}  // namespace

Description describe(const Value& tree, Accuracy accuracy, std::string_view folder) {
  return read(tree, "", {accuracy, std::string(folder)});
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

}  // namespace modicum
