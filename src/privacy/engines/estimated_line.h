// The profile of any finite loss on a straight line in doubles, with an estimate of its error.
#pragma once

#include <complex>
#include <vector>

#include "privacy/engines/line_plan.h"

namespace modicum {

/// The exponent K(z) - sz at the nodes of one line: (h/pi) (G(c)/2 + sum Re G(c + i k h)).
class EstimatedLine {
 public:
  EstimatedLine(LinePlan plan, const LossMoment& moment, double shift);
  double home() const { return home_; }
  double width() const { return width_; }
  std::size_t size() const { return nodes_.size(); }
  Ball at(double shift) const { return shift == home_ ? at_home_ : integral(shift); }

 private:
  Ball integral(double shift) const;
  struct Node {
    std::complex<double> exponent;  // at home, less that of the saddle point
    double units;                   // its rounding, in units of the last place
  };
  LinePlan plan_;
  double home_, width_;
  Ball at_home_;
  std::vector<Node> nodes_;
};

}  // namespace modicum
