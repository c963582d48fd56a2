// Names and families of the methods of regression.
#pragma once

#include "modicum/release/regression_release.h"

namespace modicum {

const char* name_of(RegressionMethod method);  ///< as in the command: "least-squares"

/// Whether a sketch of the rows is drawn and solved.
bool solves_a_sketch(RegressionMethod method);

}  // namespace modicum
