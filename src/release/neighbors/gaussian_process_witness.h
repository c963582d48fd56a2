// Records that show how much a Gaussian process can give away, made from public numbers alone.
#pragma once

#include "release/neighbors/logistic_witness.h"

namespace modicum {

/// A record at a query or between them, added to none, to copies of itself or to records around it
/// that predict the other end of the targets. Of the norm bound of the plan; targets come last.
ProvedWitness gaussian_process_witness(const GaussianProcessPlan& plan, const AuditedTable& audited,
                                       double epsilon);

}  // namespace modicum
