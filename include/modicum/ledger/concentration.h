// What a description says in terms of zero-concentrated differential privacy.
#pragma once

#include <optional>

#include "modicum/data/value.h"
#include "modicum/ledger/clocks.h"

namespace modicum {

/// A rho such that what is described is rho-zero-concentrated, rounded up: as declared, or that of
/// Gaussian noise, discrete Gaussian noise or a pure epsilon, added up over the parts of a
/// composition. Nothing where a part has none, and for tables in files. The description
/// must be valid.
std::optional<Reading> concentration_of(const Value& description);
/// The same where `left` has a clock for it, and there is a description.
std::optional<Reading> known_concentration(const Value& description, const Clocks& left);

}  // namespace modicum
