// Many points of a trade-off curve, for pictures.
#pragma once

#include <memory>

#include "modicum/privacy/accuracy.h"
#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// The lower end of tradeoff() at any level, or a little less: where the tails of a loss are not
/// quickly known, tangents at some points of its profile are kept, and the highest of them is the
/// answer. With 160 of them it is within about a thousandth of the truth, and never above it.
class TradeoffCurve {
 public:
  TradeoffCurve(PrivacyLoss loss, Accuracy accuracy);
  ~TradeoffCurve();
  TradeoffCurve(TradeoffCurve&&) noexcept;
  /// Throws as tradeoff() does.
  double lower(double type1);

 private:
  struct Tangents;
  PrivacyLoss loss_;
  Accuracy accuracy_;
  std::unique_ptr<Tangents> tangents_;
};

}  // namespace modicum
