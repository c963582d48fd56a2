// A table that shows how much objective perturbation can give away, made from public numbers alone.
#pragma once

#include "release/neighbors/logistic_witness.h"

namespace modicum {

/// Copies of the longest row that a file can hold, with one response, and the same row with another
/// response added to them: the law of the minimizer is one on a line, where chances of half-lines
/// are those of the noise. The response comes behind the features.
ProvedWitness objective_witness(const AuditedTable& features, const AuditedObjective& mechanism,
                                double epsilon);

}  // namespace modicum
