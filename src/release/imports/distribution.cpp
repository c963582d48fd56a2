// Privacy loss distributions of Google's library.
#include <cmath>

#include "data/cells/number_text.h"
#include "modicum/data/json.h"
#include "release/descriptions/description_fields.h"
#include "release/imports/imports.h"

namespace modicum {
namespace {

// As the messages of the protocol are named in JSON, one way or the other.
struct MassFunction {
  double min_key = 0.0, infinity_mass = 0.0, interval = 1e-4;
  std::vector<double> values = {};
  void fields(Fields& fields) {
    const auto whole = [this](const Value& given) {
      // JSON of a protocol writes 64 bits in quotation marks.
      const auto read = given.is_text() ? read_number(given.text()) : std::nullopt;
      if (read) min_key = *read;
      else if (given.is_number()) min_key = given.number();
      else throw InvalidParameter("min_key", shown(given), "must be a whole number");
    };
    fields
        .custom({"min_key", FieldKind::number, "of the first value", whole, [] { return Value(); }})
        .required()
        .synonym("minKey");
    fields.add("values", values, "probabilities").required();
    fields.add("infinity_mass", infinity_mass, "probability of an infinite loss")
        .synonym("infinityMass");
    fields.add("discretization_interval", interval, "from a loss to the next")
        .synonym("discretizationInterval");
  }
};

Value direction_of(const Value& tree, const std::string& key) {
  const auto read = read_record<MassFunction>(tree.at(key), key, [](const MassFunction& function) {
    if (!(std::abs(function.min_key) <= 0x1p52 && function.min_key == std::floor(function.min_key)))
      throw InvalidParameter("min_key", function.min_key, "must be a whole number");
  });
  std::vector<double> masses = read.values;
  // What was rounded because it is so small is rounded to the safe side.
  for (double& mass : masses)
    if (mass > 0.0 && mass < 0x1p-1021) mass = std::nextafter(mass, 1.0);
  return {{"lowest", static_cast<std::int64_t>(read.min_key)},
          {"interval", read.interval},
          {"probabilities", masses},
          {"infinite", read.infinity_mass}};
}

}  // namespace

Value description_of_distribution(const Value& tree, Adjacency adjacency, bool symmetric) {
  const auto key_among = [&](std::initializer_list<const char*> keys) -> std::string {
    for (const char* each : keys)
      if (tree.contains(each)) return each;
    return "";
  };
  for (const auto& [key, value] : tree.members())
    if (key != "pessimistic_pmf" && key != "pessimisticPmf" && key != "pmf_remove" &&
        key != "pmf_add")
      refuse(key, "an unknown key",
             "must be one of: class_name, history, pessimistic_pmf, pmf_remove, pmf_add");
  const auto given = [&](const char* key) { return tree.contains(key) ? 1 : 0; };
  if (given("pmf_remove") + given("pessimistic_pmf") + given("pessimisticPmf") > 1)
    refuse("pmf_remove", "given together with another", "must be the only one of its direction");
  const std::string remove = key_among({"pmf_remove", "pessimistic_pmf", "pessimisticPmf"});
  if (remove.empty()) refuse("pmf_remove", "missing", "must be given");
  Value description = stated_mechanism("loss_distribution", adjacency);
  description["remove"] = direction_of(tree, remove);
  if (tree.contains("pmf_add")) {
    description["add"] = direction_of(tree, "pmf_add");
  } else if (!symmetric) {
    throw UsageError(
        "the file has one direction alone: `symmetric` must say that the other has "
        "the same loss");
  }
  return description;
}

}  // namespace modicum
