// K of a whole loss, atoms included: for saddle points and straight lines.
#pragma once

#include <memory>
#include <vector>

#include "privacy/atomic_moment.h"
#include "privacy/gaussian_moment.h"

namespace modicum {

class LossMoment final : public LogMoment {
 public:
  explicit LossMoment(const DirectedLoss& loss) : gaussian_(loss.gaussian) {
    for (const TwoPointPart& part : loss.two_points)
      atomic_.push_back(std::make_unique<TwoPointMoment>(part));
    for (const LaplacePart& part : loss.laplaces)
      atomic_.push_back(std::make_unique<LaplaceMoment>(part));
  }
  double lower_end() const override { return gaussian_.lower_end(); }
  double upper_end() const override { return gaussian_.upper_end(); }
  Jet jet(long double x) const override {
    Jet sum = gaussian_.jet(x);
    for (const auto& part : atomic_) sum += part->jet(x);
    return sum;
  }
  // Atoms allow no bent path, so there is nothing to expand.
  std::unique_ptr<Expansion> expand(double) const override { return nullptr; }
  std::unique_ptr<BallExpansion> expand_ball(double) const override { return nullptr; }

  const GaussianMoment& gaussian() const { return gaussian_; }
  const std::vector<std::unique_ptr<AtomicMoment>>& atomic() const { return atomic_; }

 private:
  GaussianMoment gaussian_;
  std::vector<std::unique_ptr<AtomicMoment>> atomic_;
};

}  // namespace modicum
