// What a certificate says about neighboring data sets.
#pragma once

#include <string>

#include "modicum/data/value.h"

namespace modicum {

/// The sentence of a certificate, empty where it has none. Its `adjacency` is a word of
/// adjacency_words(), or "declared" where it speaks of the answers alone, and the sentence is its
/// `neighbors`; older certificates have the sentence as `adjacency`.
std::string neighbors_in_certificate(const Value& certificate);

}  // namespace modicum
