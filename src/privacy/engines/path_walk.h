// How a proved path is made: stretch by stretch, until the ray beyond is proved to be negligible
// (docs/derivations/proved-path.md).
#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <vector>

#include "privacy/engines/loss_moment.h"
#include "privacy/engines/proved_path.h"
#include "privacy/laws/sampled_contour.h"

namespace modicum {

class PathWalk {
 public:
  /// What each stretch may leave out of the whole, and how many nodes of contours may be laid.
  struct Effort {
    double log_left_out, nodes;
  };
  PathWalk(const DirectedLoss& loss, const LossMoment& moment, double shift, Effort effort);
  std::optional<ProvedPath> path();

 private:
  using Complex = std::complex<double>;
  // A subsampled part of the loss.
  struct Part {
    SampledShift pair;
    double count;
    RealTangent tangent{};
    double drift = 0.0;  // its share of the shift on the ray
    std::unique_ptr<LawExpansion> expansion = nullptr;
    double least_loss() const { return std::log1p(-pair.rate); }
  };
  struct Stretch {
    double from, to;
    std::vector<SampledContour> contours;
    ProvedPath::LeftOut left_out;
  };

  bool start();
  bool take_out_tangents();
  bool share_the_shift();
  bool choose_rise();
  bool walk();
  std::optional<Stretch> stretch_between(double from, double to);
  void add_nodes(const Stretch& stretch);
  bool add_ray(double along);

  Complex point(double along) const { return {path_.start_ + along, path_.rise_ * along}; }
  /// |da| for dr = 1.
  double speed() const { return std::hypot(1.0, path_.rise_); }
  /// log of what each stretch may leave out.
  double log_tolerated() const;
  double log_others(double low, double high, double least) const;
  double log_estimate(double along) const;
  double log_ray(double along);
  double log_ray_integral(double along);
  double farthest() const;

  const DirectedLoss& loss_;
  const LossMoment& moment_;
  ProvedPath path_;
  std::vector<Part> parts_;
  std::vector<const AtomicMoment*> others_;
  Ball square_;                 // mu^2 of the Gaussian part
  double largest_other_ = 0.0;  // sum of the largest losses of the others
  double sigma_ = 0.0;          // e^{-sigma a} is the factor of the shift
  double slope_ = 0.0;          // of all tangents
  double scale_ = 0.0;          // width of the saddle
  double peak_ = 0.0;           // log of the size at the start
  double taken_out_ = 0.0;      // about that, out of the nodes
  double log_enough_;
  double work_;  // nodes of contours that may still be laid
};

}  // namespace modicum
