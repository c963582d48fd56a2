// K of a loss that is known by its law: by quadrature in doubles, by a proven rule in balls.
#pragma once

#include <vector>

#include "privacy/laws/atomic_moment.h"
#include "privacy/laws/loss_law.h"

namespace modicum {

class LawMoment final : public AtomicMoment {
 public:
  /// `level` refines the rule in doubles; the difference of two levels tells its error.
  LawMoment(LawPart part, int level) : part_(std::move(part)), level_(level) {}

  Jet jet(long double x) const override;
  Ball value(const Ball& x) const override;
  LogMomentValue at(std::complex<double> z) const override;
  ComplexBall moment(const ComplexBall& z) const override;
  /// Proved where the law has uniform parts or a bound of its own; else infinite.
  Ball far_bound(const Ball& x, const Ball& height) const override;

 private:
  // What was made for one center, and how far up it may be used.
  struct Rule {
    double center = 0.0, height = -1.0;
    LossNodes nodes;
  };
  struct Line {
    double center = 0.0, height = -1.0;
    MomentLine line;
  };
  const LossNodes& nodes_at(double center, double height) const;

  LawPart part_;
  int level_;
  mutable Rule rule_;
  mutable Line line_;
  mutable double parts_center_ = infinity;
  mutable std::vector<UniformPart> parts_;
  mutable Ball value_at_center_;
};

}  // namespace modicum
