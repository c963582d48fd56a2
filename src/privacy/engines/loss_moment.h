// K of a whole loss, atoms included: for saddle points and straight lines.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "privacy/gaussian/gaussian_moment.h"
#include "privacy/laws/atomic_moment.h"
#include "privacy/laws/law_moment.h"

namespace modicum {

class LossMoment final : public LogMoment {
 public:
  /// `level` refines the quadrature of parts that need it (law_moment.h).
  explicit LossMoment(const DirectedLoss& loss, int level = 0)
      : gaussian_(loss.gaussian),
        lower_end_(gaussian_.lower_end()),
        upper_end_(gaussian_.upper_end()) {
    for (const TwoPointPart& part : loss.two_points)
      atomic_.push_back(std::make_unique<TwoPointMoment>(part));
    for (const LaplacePart& part : loss.laplaces)
      atomic_.push_back(std::make_unique<LaplaceMoment>(part));
    for (const LawPart& part : loss.laws) {
      atomic_.push_back(std::make_unique<LawMoment>(part, level));
      lower_end_ = std::max(lower_end_, part.law->lower_moment_end());
      upper_end_ = std::min(upper_end_, part.law->moment_end());
    }
  }
  double lower_end() const override { return lower_end_; }
  double upper_end() const override { return upper_end_; }
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
  double lower_end_, upper_end_;
  std::vector<std::unique_ptr<AtomicMoment>> atomic_;
};

}  // namespace modicum
