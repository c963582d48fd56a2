// A table that shows how much a logistic regression can give away, made from public numbers alone.
#pragma once

#include "modicum/release/neighbor_audit.h"

namespace modicum {

struct ProvedWitness {
  Witness witness;
  ProfilePoint point;  ///< certified; the lower ends count
};

/// The worst of the tables of docs/derivations/neighbors.md ("Witnesses") that rows under the rule
/// of the audited table can make; labels come behind the features.
ProvedWitness logistic_witness(const AuditedTable& features, const AuditedLogistic& mechanism,
                               double tolerance, double epsilon);

}  // namespace modicum
