// Which mixture of discs has the least mean cost: a linear program, solved by an interior point
// method. What comes out is near the optimum; nothing about privacy rests on it.
#pragma once

#include <vector>

namespace modicum {

/// Of two discs whose centers are `distance` apart.
double lens_area(double radius, double other, double distance);

/// Noise in the plane whose density is constant on the rings between rising radii and never rises
/// outwards. A record moves the answer by 1.
struct DiscProgram {
  double epsilon, delta;
  std::vector<double> radii;  ///< of the discs, rising, above 0
  std::vector<double> costs;  ///< mean cost of a point in each ring
};

struct DiscProgramSolution {
  bool solved = false;
  std::vector<double> weights;  ///< of the discs, adding up to about 1
  double cost = 0.0;
};

DiscProgramSolution solve_disc_program(const DiscProgram& program);

}  // namespace modicum
