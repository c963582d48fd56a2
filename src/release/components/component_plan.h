// Parts of plans of component releases: each from public numbers alone.
#pragma once

#include "modicum/release/component_release.h"

namespace modicum {

/// The exponential mechanism, in any form; the others release second moments with noise.
bool draws_frames(ComponentMethod method);

/// Throws InvalidParameter for what no method takes, and for options that this one does not use.
void require_component_request(const ComponentRequest& request, double dimension);

/// What the certificates of all methods begin with. Throws CalibrationFailed unless the target is
/// achieved.
ComponentPlan begin_component_plan(const PrivacyTarget& target, const PublicRows& rows,
                                   const ComponentRequest& request, const ProfilePoint& achieved,
                                   decltype(ComponentPlan::draw) draw);

/// `exponential` and `joint`.
ComponentPlan plan_component_draws(const PrivacyTarget& target, const PublicRows& rows,
                                   const ComponentRequest& request);
ComponentPlan plan_adaptive_components(const PrivacyTarget& target, const PublicRows& rows,
                                       const ComponentRequest& request);

}  // namespace modicum
