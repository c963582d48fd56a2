// A certificate as a JSON object, with the keys in the order in which they are documented.
#pragma once

#include "modicum/data/json.h"
#include "modicum/release/certificate.h"

namespace modicum {

Value to_json(const Certificate& certificate);

/// What words about a guarantee go on with, where the numbers were not drawn exactly.
inline const char* sampler_words(bool mitigated) {
  return mitigated ? " for the ideal sampler" : "";
}

/// Such a tree in words, whole: promise, parameters, neighbors, assumptions. Numbers in full: noise
/// that is rounded down would no longer be safe.
std::string certificate_words(const Value& tree);

}  // namespace modicum
