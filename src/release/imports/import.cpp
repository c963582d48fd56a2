#include "modicum/release/import.h"

#include "modicum/data/json.h"
#include "release/imports/imports.h"
#include "release/imports/literal.h"

namespace modicum {

Value stated_mechanism(std::string_view name, Adjacency adjacency) {
  return {{"mechanism", name}, {"adjacency", word_of(adjacency_words(), adjacency)}};
}

Value nothing_released(Adjacency adjacency) {
  Value nothing = stated_mechanism("pure", adjacency);
  nothing["epsilon"] = 0;
  return nothing;
}

Value sampled_gaussian(double noise_multiplier, double rate, Adjacency adjacency) {
  if (rate == 0.0) return nothing_released(adjacency);
  Value noise = stated_mechanism(rate == 1.0 ? "gaussian" : "subsampled_gaussian", adjacency);
  noise["noise_multiplier"] = noise_multiplier;
  if (rate != 1.0) noise["sampling_rate"] = rate;
  return noise;
}

Imported import_tree(const Value& tree, Adjacency adjacency, bool symmetric) {
  const auto checked = [&](Value description, const char* format) -> Imported {
    describe(description);  // whatever its mechanisms refuse
    return {std::move(description), format};
  };
  if (tree.contains("class_name"))
    return checked(description_of_event(tree, adjacency), "event of dp_accounting");
  if (const Value* history = tree.find("history"); history != nullptr) {
    // What else an accountant was told would be lost.
    for (const auto& [key, value] : tree.members())
      if (key != "history" && key != "mechanism")
        refuse(key, shown(value), "must not stand beside \"history\"");
    return checked(description_of_history(*history, adjacency), "history of an Opacus accountant");
  }
  if (tree.is_list())
    return checked(description_of_history(tree, adjacency), "history of an Opacus accountant");
  if (tree.is_record())
    return checked(description_of_distribution(tree, adjacency, symmetric),
                   "privacy loss distribution");
  refuse("file", shown(tree),
         "must be an event of dp_accounting, a history of Opacus or a privacy loss distribution");
}

Imported import_description(std::string_view text, Adjacency adjacency, bool symmetric) {
  return import_tree(parse_literal(text), adjacency, symmetric);
}

}  // namespace modicum
