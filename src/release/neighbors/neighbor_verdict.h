// What the audits of all methods end with.
#pragma once

#include "modicum/release/neighbor_audit.h"
#include "numerics/ball.h"

namespace modicum {

/// What is known without any data: `above` is proved for all data sets, `attained` for the witness.
NeighborAudit public_part(const ProfilePoint& above, const ProfilePoint& attained, Witness witness);

/// Takes the bound that holds for all data sets where it is smaller, and compares with the claim.
/// Where nothing was read, compares what holds for all data sets.
NeighborAudit judged(NeighborAudit audit, const PrivacyTarget& claim);

/// Between two points of the profile of a family that only grows from the first to the second.
ProfilePoint between(const ProfilePoint& smaller, const ProfilePoint& larger, Proof proof);

/// Of N(shift, with) against N(0, without), certified: what can be proved of a pair by looking at
/// one direction of the output. The shift counts as much as its least size; 0 at both lower ends
/// where the variances are not known well enough.
ProfilePoint proved_point(const Ball& shift, const Ball& with, const Ball& without, double epsilon);
/// The lower ends of the first, and the upper ends of the other, which is an estimate.
ProfilePoint with_lower_ends(const ProfilePoint& proved, const ProfilePoint& estimate);

}  // namespace modicum
