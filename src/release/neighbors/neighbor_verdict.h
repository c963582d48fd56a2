// What the audits of all methods end with.
#pragma once

#include "modicum/release/neighbor_audit.h"

namespace modicum {

/// Takes the bound that holds for all data sets where it is smaller, and compares with the claim.
NeighborAudit judged(NeighborAudit audit, const PrivacyTarget& claim);

/// Between two points of the profile of a family that only grows from the first to the second.
ProfilePoint between(const ProfilePoint& smaller, const ProfilePoint& larger, Proof proof);

}  // namespace modicum
