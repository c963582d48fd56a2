// Which data sets are neighbors.
#pragma once

#include <optional>
#include <string_view>

#include "modicum/data/fields.h"

namespace modicum {

/// With and without a record; with another record in its place; with nothing in its place.
enum class Adjacency { add_remove, replace_one, zero_out };

/// Their words: add_remove, replace_one, zero_out.
const Choices<Adjacency>& adjacency_words();

/// What the sentence of a certificate means: "add or remove one row", "replace one row". Nothing
/// where it speaks of the answers alone.
std::optional<Adjacency> adjacency_in_sentence(std::string_view sentence);

}  // namespace modicum
