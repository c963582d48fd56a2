// Discrete parts of a loss.
#pragma once

#include <vector>

#include "numerics/contour.h"

namespace modicum {

struct Atom {
  Ball loss, weight, tilted;  // tilted = weight * exp(-loss), the weight under Y
};

/// Sum over all pairs of weight * weight * (the kernel's function of loss + loss - shift), in the
/// time of sorting rather than of all pairs: the right atoms are summed up from the largest down.
Ball paired_quantity(const std::vector<Atom>& left, const std::vector<Atom>& right,
                     const Ball& shift, Kernel kernel);

}  // namespace modicum
