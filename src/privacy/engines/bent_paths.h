// Every quantity of a loss whose moment is entire or a spectrum's, by the trapezium rule on a bent
// path in doubles. K at the nodes of one path serves all kernels and a range of shifts
// (docs/derivations/bent-path.md).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "modicum/privacy/privacy_loss.h"
#include "numerics/contour.h"
#include "privacy/quantity_value.h"

namespace modicum {

class BentPath;
class LossMoment;

/// Whether the loss has laws, all of which can be followed off the line.
bool has_bent_paths(const DirectedLoss& loss);

/// The paths of one loss: each is made where the last ones do not reach.
class BentPaths {
 public:
  explicit BentPaths(DirectedLoss loss);
  ~BentPaths();
  const DirectedLoss& loss() const { return loss_; }
  /// Empty where there is no path along which the integrand falls, or none with enough digits.
  std::optional<QuantityValue> at(double shift, Kernel kernel);

 private:
  std::unique_ptr<BentPath> make_path(double shift, Kernel kernel) const;

  DirectedLoss loss_;
  std::unique_ptr<LossMoment> moment_;
  std::vector<std::unique_ptr<BentPath>> paths_;
};

}  // namespace modicum
