// Events of dp_accounting.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "data/cells/number_text.h"
#include "modicum/data/json.h"
#include "modicum/mechanisms/subsampled.h"
#include "numerics/ball.h"
#include "release/descriptions/description_fields.h"
#include "release/imports/imports.h"

namespace modicum {
namespace {

using Numbers = std::initializer_list<std::pair<const char*, double*>>;

// The values of an event: these numbers, and keys that the caller reads.
void read_event(const Value& event, const Numbers& numbers, std::vector<std::string> also = {}) {
  Fields fields;
  for (const auto& [name, target] : numbers) fields.add(name, *target, "").required();
  also.insert(also.end(), {"class_name", "module_name"});
  read_keys(fields, event, also);
}

// How far replacing a record moves a sum, over how far adding one does.
double records_moved(Adjacency adjacency) {
  return adjacency == Adjacency::replace_one ? 2.0 : 1.0;
}

struct EventReader {
  Adjacency adjacency;

  Value stated(std::string_view name, const Value::Record& keys) const {
    Value tree = stated_mechanism(name, adjacency);
    for (const auto& [key, value] : keys) tree[key] = value;
    return tree;
  }
  Value inner(const Value& event, const std::string& key) const {
    if (!event.contains(key)) refuse(key, "missing", "must be given");
    return at(event.at(key), key);
  }
  Value at(const Value& event, const std::string& path) const {
    Value read;
    at_path(path, event, [&] { read = description(event); });
    return read;
  }
  Value description(const Value& event) const;
};

Value gaussian_event(const Value& event, const EventReader& reader) {
  double noise = 0.0;
  read_event(event, {{"noise_multiplier", &noise}});
  require_positive("noise_multiplier", noise);
  return reader.stated("gaussian", {{"noise_multiplier", noise}});
}

Value laplace_event(const Value& event, const EventReader& reader) {
  double noise = 0.0;
  read_event(event, {{"noise_multiplier", &noise}});
  return reader.stated("laplace", {{"scale", require_positive("noise_multiplier", noise)},
                                   {"sensitivity", records_moved(reader.adjacency)}});
}

// Mass e^{-a|k|}: its scale is 1/a, rounded down.
Value discrete_laplace_event(const Value& event, const EventReader& reader) {
  double noise = 0.0, sensitivity = 1.0;
  read_event(event, {{"noise_parameter", &noise}, {"sensitivity", &sensitivity}});
  require_positive("noise_parameter", noise);
  const PrecisionScope scope(128);
  return reader.stated("discrete_laplace",
                       {{"scale", (Ball(1.0) / Ball(noise)).lower()},
                        {"sensitivity", sensitivity * records_moved(reader.adjacency)}});
}

// In several dimensions the discrete Gaussian is no function of the norm of the shift: what is
// known is its rho.
Value discrete_gaussian_event(const Value& event, const EventReader& reader) {
  double sigma = 0.0, sensitivity = 1.0;
  std::optional<double> dimension;
  Fields fields;
  fields.add("sigma", sigma, "").required();
  fields.add("sensitivity", sensitivity, "");
  Value given = event;
  const Value* stated = event.find("dimension");
  const bool unknown = stated == nullptr || stated->is_null();
  if (!unknown) fields.add("dimension", dimension, "");
  read_keys(fields, given, {"class_name", "module_name", unknown ? "dimension" : "class_name"});
  require_positive("sigma", sigma);
  const double shift =
      require_positive("sensitivity", sensitivity) * records_moved(reader.adjacency);
  if (dimension == 1.0)
    return reader.stated("discrete_gaussian",
                         {{"sigma", sigma}, {"sensitivity", std::floor(shift)}});
  const PrecisionScope scope(128);
  const Ball ratio = Ball(shift) / Ball(sigma);
  return reader.stated("zcdp", {{"rho", (ratio * ratio / 2.0).upper()}});
}

Value guarantee_event(const Value& event, const EventReader& reader) {
  double epsilon = 0.0, delta = 0.0;
  read_event(event, {{"epsilon", &epsilon}, {"delta", &delta}});
  if (delta == 0.0) return reader.stated("pure", {{"epsilon", epsilon}});
  return reader.stated("approximate", {{"epsilon", epsilon}, {"delta", delta}});
}

Value concentrated_event(const Value& event, const EventReader& reader) {
  double rho = 0.0, xi = 0.0;
  Fields fields;
  fields.add("rho", rho, "").required();
  fields.add("xi", xi, "");
  read_keys(fields, event, {"class_name", "module_name"});
  if (xi == 0.0) return reader.stated("zcdp", {{"rho", rho}});
  return reader.stated("zcdp", {{"rho", rho}, {"xi", xi}});
}

Value exponential_event(const Value& event, const EventReader& reader) {
  double epsilon = 0.0;
  read_event(event, {{"epsilon", &epsilon}});
  return reader.stated("exponential", {{"epsilon", epsilon}});
}

Value permute_and_flip_event(const Value& event, const EventReader& reader) {
  double epsilon = 0.0;
  read_event(event, {{"epsilon", &epsilon}});
  return reader.stated("permute_and_flip", {{"epsilon", epsilon}});
}

// With probability 1 - p the truth, else one of k buckets at random.
Value response_event(const Value& event, const EventReader& reader) {
  double noise = 0.0, buckets = 2.0;
  read_event(event, {{"noise_parameter", &noise}, {"num_buckets", &buckets}});
  if (reader.adjacency == Adjacency::add_remove)
    refuse("RandomizedResponseDpEvent", "of one record",
           "needs the adjacency replace_one or zero_out");
  if (!(noise > 0.0 && noise <= 1.0))
    throw InvalidParameter("noise_parameter", noise, "must be above 0 and at most 1");
  if (require_count("num_buckets", buckets) == 1.0) return nothing_released(reader.adjacency);
  const PrecisionScope scope(128);
  const Ball truth = Ball(1.0) - Ball(noise) + Ball(noise) / Ball(buckets);
  return reader.stated("randomized_response",
                       {{"truth_probability", truth.upper()}, {"categories", buckets}});
}

Value repeated_event(const Value& event, const EventReader& reader) {
  double count = 1.0;
  read_event(event, {{"count", &count}}, {"event"});
  require_count("count", count);
  if (const Value& given = event.at("count");
      given.is_whole() && given.whole() > (std::int64_t{1} << 53))
    throw InvalidParameter("count", shown(given), "must be a whole number from 1 to 2^53");
  Value part = reader.inner(event, "event");
  if (count == 1.0) return part;
  if (part.contains("count"))
    return {{"compose", Value(std::vector<Value>{part})}, {"count", count}};
  part["count"] = count;
  return part;
}

Value composed_event(const Value& event, const EventReader& reader) {
  read_event(event, {}, {"events"});
  const Value* events = event.find("events");
  if (events == nullptr || !events->is_list())
    refuse("events", events == nullptr ? "missing" : shown(*events), "must be a list of events");
  Value parts = Value::list();
  for (std::size_t i = 0; i < events->size(); ++i)
    parts.push_back(reader.at(events->at(i), fmt::format("events[{}]", i)));
  if (parts.size() == 0) return nothing_released(reader.adjacency);
  if (parts.size() == 1) return parts.at(std::size_t{0});
  return {{"compose", std::move(parts)}};
}

// Several Gaussians on one and the same sample are one: the sum of 1/z^2. Nothing for others.
std::optional<Ball> gaussian_precision(const Value& part) {
  Ball sum;
  if (const Value* parts = part.find("compose"); parts != nullptr) {
    for (const Value& each : parts->items()) {
      const auto own = gaussian_precision(each);
      if (!own) return std::nullopt;
      sum += *own;
    }
  } else if (part.at("mechanism") == Value("gaussian")) {
    const Ball noise = part.at("noise_multiplier").number();
    sum = Ball(1.0) / (noise * noise);
  } else if (!(part.at("mechanism") == Value("pure") && part.at("epsilon").number() == 0.0)) {
    return std::nullopt;
  }
  const Value* count = part.find("count");
  return count == nullptr ? sum : sum * Ball(count->number());
}

Value poisson_event(const Value& event, const EventReader& reader) {
  double rate = 0.0;
  read_event(event, {{"sampling_probability", &rate}}, {"event"});
  require_probability("sampling_probability", rate);
  Value part = reader.inner(event, "event");
  if (rate == 1.0) return part;
  if (rate == 0.0) return nothing_released(reader.adjacency);
  const PrecisionScope scope(128);
  if (const auto precision = gaussian_precision(part)) {
    if (precision->exactly_zero()) return nothing_released(reader.adjacency);
    const bool single = part.contains("noise_multiplier") && !part.contains("count");
    return sampled_gaussian(
        single ? part.at("noise_multiplier").number() : sqrt(Ball(1.0) / *precision).lower(), rate,
        reader.adjacency);
  }
  const Value* mechanism = part.find("mechanism");
  const std::string name = mechanism == nullptr ? "a composition" : mechanism->text();
  const bool once = !part.contains("count");
  if (name == "laplace" && once)
    return reader.stated("subsampled_laplace", {{"scale", part.at("scale")},
                                                {"sensitivity", part.at("sensitivity")},
                                                {"sampling_rate", rate}});
  const bool guarantee = name == "pure" || name == "approximate";
  if (guarantee && once && reader.adjacency == Adjacency::add_remove) {
    const double delta = name == "pure" ? 0.0 : part.at("delta").number();
    const PrivacyTarget sampled = amplified_by_sampling({part.at("epsilon").number(), delta}, rate);
    if (delta == 0.0) return reader.stated("pure", {{"epsilon", sampled.epsilon}});
    return reader.stated("approximate", {{"epsilon", sampled.epsilon}, {"delta", sampled.delta}});
  }
  refuse("event", name,
         "has no bound on a Poisson sample here; must be Gaussian or Laplace noise, "
         "or a guarantee under add_remove");
}

Value batch_event(const Value& event, const EventReader& reader) {
  double records = 0.0, batch = 0.0;
  read_event(event, {{"source_dataset_size", &records}, {"sample_size", &batch}}, {"event"});
  require_count("source_dataset_size", records);
  if (!(require_count("sample_size", batch) <= records))
    throw InvalidParameter("sample_size", batch, "must be at most the size of the data set");
  if (reader.adjacency == Adjacency::add_remove)
    refuse("SampledWithoutReplacementDpEvent", "of a public number of records",
           "needs the adjacency replace_one or zero_out");
  Value part = reader.inner(event, "event");
  if (batch == records) return part;
  const PrecisionScope scope(128);
  const double share = (Ball(batch) / Ball(records)).upper();
  const Value* name = part.find("mechanism");
  const bool once = name != nullptr && !part.contains("count");
  if (once && *name == Value("gaussian"))
    return reader.stated("subsampled_gaussian", {{"noise_multiplier", part.at("noise_multiplier")},
                                                 {"sampling_rate", share},
                                                 {"sampling", "without_replacement"}});
  if (once && *name == Value("laplace"))
    return reader.stated("subsampled_laplace", {{"scale", part.at("scale")},
                                                {"sensitivity", 2.0},
                                                {"sampling_rate", share},
                                                {"sampling", "without_replacement"}});
  refuse("event", name == nullptr ? "a composition" : name->text(),
         "has no bound on such a batch here; must be Gaussian or Laplace noise, once");
}

std::vector<double> numbers_of(const Value& event, const std::string& key) {
  const Value* list = event.find(key);
  if (list == nullptr) refuse(key, "missing", "must be given");
  if (list->is_number()) return {list->number()};
  if (!list->is_list()) refuse(key, shown(*list), "must be a list of numbers");
  for (const Value& each : list->items())
    if (!each.is_number()) refuse(key, shown(each), "must be a number");
  return list->numbers();
}

Value mixture_event(const Value& event, const EventReader& reader) {
  double deviation = 0.0;
  read_event(event, {{"standard_deviation", &deviation}}, {"sensitivities", "sampling_probs"});
  return reader.stated("mixture_of_gaussians",
                       {{"standard_deviation", deviation},
                        {"sensitivities", numbers_of(event, "sensitivities")},
                        {"probabilities", numbers_of(event, "sampling_probs")}});
}

Value tree_event(const Value& event, const EventReader& reader) {
  double noise = 0.0;
  read_event(event, {{"noise_multiplier", &noise}}, {"step_counts"});
  return reader.stated("tree_aggregation", {{"noise_multiplier", noise},
                                            {"step_counts", numbers_of(event, "step_counts")}});
}

Value truncated_event(const Value& event, const EventReader& reader) {
  double records = 0.0, rate = 0.0, batch = 0.0, noise = 0.0;
  read_event(event, {{"dataset_size", &records},
                     {"sampling_probability", &rate},
                     {"truncated_batch_size", &batch},
                     {"noise_multiplier", &noise}});
  require_probability("sampling_probability", rate);
  if (rate == 0.0 || batch == 0.0 || records == 0.0) return nothing_released(reader.adjacency);
  return reader.stated("truncated_subsampled_gaussian", {{"noise_multiplier", noise},
                                                         {"sampling_rate", rate},
                                                         {"dataset_size", records},
                                                         {"largest_batch", batch}});
}

Value selected_event(const Value& event, const EventReader& reader) {
  double mean = 0.0, shape = 0.0;
  read_event(event, {{"mean", &mean}, {"shape", &shape}}, {"event"});
  const bool poisson = std::isinf(shape) && shape > 0.0;
  Value tree = reader.stated("repeat_and_select",
                             {{"repeated", reader.inner(event, "event")},
                              {"distribution", poisson ? "poisson" : "negative_binomial"},
                              {"mean", mean}});
  if (!poisson) tree["shape"] = shape;
  return tree;
}

Value no_event(const Value& event, const EventReader& reader) {
  read_event(event, {});
  return nothing_released(reader.adjacency);
}

struct EventKind {
  std::string name;
  Value (*read)(const Value& event, const EventReader& reader);
};

const std::vector<EventKind>& event_kinds() {
  static const std::vector<EventKind> kinds{{"NoOpDpEvent", no_event},
                                            {"GaussianDpEvent", gaussian_event},
                                            {"LaplaceDpEvent", laplace_event},
                                            {"DiscreteLaplaceDpEvent", discrete_laplace_event},
                                            {"DiscreteGaussianDpEvent", discrete_gaussian_event},
                                            {"EpsilonDeltaDpEvent", guarantee_event},
                                            {"ZCDpEvent", concentrated_event},
                                            {"ExponentialMechanismDpEvent", exponential_event},
                                            {"PermuteAndFlipDpEvent", permute_and_flip_event},
                                            {"RandomizedResponseDpEvent", response_event},
                                            {"MixtureOfGaussiansDpEvent", mixture_event},
                                            {"TruncatedSubsampledGaussianDpEvent", truncated_event},
                                            {"SingleEpochTreeAggregationDpEvent", tree_event},
                                            {"RepeatAndSelectDpEvent", selected_event},
                                            {"SelfComposedDpEvent", repeated_event},
                                            {"ComposedDpEvent", composed_event},
                                            {"PoissonSampledDpEvent", poisson_event},
                                            {"SampledWithoutReplacementDpEvent", batch_event}};
  return kinds;
}

Value EventReader::description(const Value& event) const {
  const Value* name = event.find("class_name");
  if (name == nullptr || !name->is_text())
    refuse("class_name", name == nullptr ? "missing" : shown(*name), "must name an event");
  for (const EventKind& kind : event_kinds())
    if (kind.name == name->text()) return kind.read(event, *this);
  if (name->text() == "NonPrivateDpEvent")
    refuse("class_name", "NonPrivateDpEvent", "must be private: no epsilon holds for it");
  std::vector<std::string> known;
  for (const EventKind& kind : event_kinds()) known.push_back(kind.name);
  refuse(
      "class_name", one_line(name->text(), 60),
      fmt::format("must be one of: {}{}", fmt::join(known, ", "), suggestion(name->text(), known)));
}

}  // namespace

Value description_of_event(const Value& event, Adjacency adjacency) {
  return EventReader{adjacency}.at(event, "");
}

}  // namespace modicum
