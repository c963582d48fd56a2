// The quantities of a loss that is a known number.
#pragma once

#include "numerics/contour.h"

namespace modicum {

/// 1 if surely x > 0, 0 if surely x <= 0, else [0, 1].
Ball step(const Ball& x);

/// The quantity of the kernel for L = 0.
Ball point_quantity(const Ball& shift, Kernel kernel);

}  // namespace modicum
