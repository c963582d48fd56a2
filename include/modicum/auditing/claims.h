// Claims of the literature that the library can check: what is claimed, what is true.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "modicum/auditing/pair_audit.h"

namespace modicum {

/// A number that belongs to a case, such as the noise that a theorem prescribes.
struct ClaimParameter {
  std::string name;
  double value;
};

/// One choice of parameters: what is claimed and what is true, both of the claim's quantity.
struct ClaimCase {
  std::optional<double> epsilon;  ///< where the quantity is a delta
  double claimed;
  Enclosure truth;
  Proof proof;
  Verdict verdict;
  std::vector<ClaimParameter> parameters;  ///< the same names in every case of a claim
};

/// A claim at every epsilon of an interval, all else fixed.
struct ClaimCurve {
  double epsilon_from, epsilon_to;
  std::string fixed;  ///< in words, such as "delta 1e-05"
  ClaimCase (*at)(double epsilon, Accuracy accuracy);
};

/// A case of one's own.
struct ClaimChoice {
  double dimension, epsilon, delta;
};

struct Claim {
  std::string name;
  std::string statement;  ///< one sentence
  std::string source;     ///< key and place, in docs/bibliography.md
  std::string quantity;   ///< what the numbers are: "delta" or "probability"
  std::vector<ClaimCase> (*cases)();
  std::optional<ClaimCurve> curve = {};
  /// Where it depends on dimension, epsilon and delta alone. Throws InvalidParameter.
  ClaimCase (*chosen)(const ClaimChoice&, Accuracy) = nullptr;
};

/// All of them, by name.
const std::vector<Claim>& published_claims();

/// Throws InvalidParameter that names the known ones.
const Claim& published_claim(std::string_view name);

/// One violated case violates a claim; else one undecided case leaves it undecided.
Verdict verdict_of(const std::vector<ClaimCase>& cases);

}  // namespace modicum
