// One reader for each kind of file.
#pragma once

#include "modicum/release/import.h"

namespace modicum {

/// A tree with `class_name`.
Value description_of_event(const Value& event, Adjacency adjacency);
/// Triples of noise multiplier, sampling rate and steps.
Value description_of_history(const Value& history, Adjacency adjacency);
/// A record with one probability mass function, or with two.
Value description_of_distribution(const Value& tree, Adjacency adjacency, bool symmetric);

/// {"mechanism": .., "adjacency": ..}, to which other keys are added.
Value stated_mechanism(std::string_view name, Adjacency adjacency);
/// One Gaussian of this noise multiplier on a Poisson sample; nothing at rate 0.
Value sampled_gaussian(double noise_multiplier, double rate, Adjacency adjacency);
/// What releases nothing.
Value nothing_released(Adjacency adjacency);

}  // namespace modicum
