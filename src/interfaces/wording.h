// Answers in words and tables, for people.
#pragma once

#include <string>
#include <vector>

#include "modicum/numerics/enclosure.h"
#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// The end that is safe to quote, rounded to its side; "exactly zero" and "exactly one" in words.
std::string at_most(const Enclosure& value);
std::string at_least(const Enclosure& value);

/// Rows of cells as aligned columns, indented; the first row is the heading.
std::string table(const std::vector<std::vector<std::string>>& rows);

const char* to_string(Proof proof);  ///< "certified" or "estimated"

/// Whether the bounds are proved, and how close they are: "Proved. ...".
std::string proof_sentence(Proof proof, const std::vector<Enclosure>& values);

/// A sentence on two laws that one look tells apart; empty for other losses.
std::string singularity_sentence(const PrivacyLoss& loss);

}  // namespace modicum
