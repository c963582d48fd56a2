// Claims of the literature that the library can check: what is claimed, what is true.
#pragma once

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

/// One choice of parameters: the claimed delta and the true one.
struct ClaimCase {
  double epsilon, claimed_delta;
  Enclosure delta;
  Proof proof;
  Verdict verdict;
  std::vector<ClaimParameter> parameters;  ///< the same names in every case of a claim
};

struct Claim {
  std::string name;
  std::string statement;  ///< one sentence
  std::string source;     ///< key and place, in docs/bibliography.md
  std::vector<ClaimCase> (*cases)();
};

/// All of them, by name.
const std::vector<Claim>& published_claims();

/// Throws InvalidParameter that names the known ones.
const Claim& published_claim(std::string_view name);

/// One violated case violates a claim; else one undecided case leaves it undecided.
Verdict verdict_of(const std::vector<ClaimCase>& cases);

}  // namespace modicum
