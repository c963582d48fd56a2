// Histories that other tools have written, as descriptions.
#pragma once

#include <string>
#include <string_view>

#include "modicum/release/description.h"

namespace modicum {

struct Imported {
  Value description;
  std::string format;  ///< for people: "event of dp_accounting"
};

/// What is in a text that another tool has written:
///
/// - an event of dp_accounting, as Python prints it or as JSON with `class_name`:
///   `SelfComposedDpEvent(event=PoissonSampledDpEvent(sampling_probability=0.01,
///   event=GaussianDpEvent(noise_multiplier=1.0)), count=1000)`;
/// - the history of an accountant of Opacus, `[(noise_multiplier, sample_rate, steps), ..]`, or its
///   state with the key `history`;
/// - a privacy loss distribution of Google's library as JSON: `pessimistic_pmf`, or `pmf_remove`
/// and
///   `pmf_add`, each with `min_key`, `values`, `infinity_mass` and `discretization_interval`. With
///   one of them alone `symmetric` says that it holds for both directions.
///
/// None of them says which data sets are neighbors, so the caller does. Throws InvalidDescription
/// with the place; what is not known is refused by its name.
Imported import_description(std::string_view text, Adjacency adjacency, bool symmetric = false);
/// The same from a tree of values.
Imported import_tree(const Value& tree, Adjacency adjacency, bool symmetric = false);

}  // namespace modicum
