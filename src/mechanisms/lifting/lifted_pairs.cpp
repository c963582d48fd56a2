#include "mechanisms/lifting/lifted_pairs.h"

#include <algorithm>
#include <cmath>

#include "mechanisms/suprema/supremum.h"
#include "modicum/privacy/profile.h"
#include "numerics/contour.h"
#include "numerics/precise_ball.h"
#include "privacy/gaussian/gaussian_moment.h"

namespace modicum {
namespace {

// How K changes with the share w, on which it depends linearly: dK/dw = g with
//   g(z) = Delta^2 T/2 * z^2 (1 + z) / (1 - z T),
// and g(-1 - z) for the reversed pair.
struct ShareSlope {
  Ball factor, excess;  // Delta^2 T/2 and T
  bool reversed;

  ShareSlope(const OutputSensitivity& sensitivity, bool backwards)
      : factor(Ball(sensitivity.mean_shift) * Ball(sensitivity.mean_shift) *
               Ball(sensitivity.variance_excess) / 2.0),
        excess(sensitivity.variance_excess),
        reversed(backwards) {}

  template <class Number>
  Number at(const Number& place) const {
    const Number one(Ball(1.0)), z = reversed ? -(place + one) : place;
    return z * z * (z + one) / (one - z * excess) * factor;
  }
  // |g'|.
  Ball steepness(const Ball& place) const {
    const Ball z = reversed ? -(place + 1.0) : place, rest = Ball(1.0) - z * excess;
    return abs(factor * ((z * 2.0 + z * z * 3.0) * rest + excess * z * z * (z + 1.0)) /
               (rest * rest));
  }
};

// K of all pairs with shares within a radius of a middle one: about the middle, and g times what
// the share may be off.
class ShareExpansion final : public BallExpansion {
 public:
  ShareExpansion(std::unique_ptr<BallExpansion> middle, std::unique_ptr<BallExpansion> all,
                 const ShareSlope& slope, double center, double radius)
      : middle_(std::move(middle)),
        all_(std::move(all)),
        share_slope_(slope),
        center_(center),
        radius_(radius) {}
  Ball value() const override { return middle_->value(); }
  Ball slope() const override { return middle_->slope(); }
  ComplexBall at(const ComplexBall& d, const Ball& tilt) const override {
    return middle_->at(d, tilt).widened(radius_ * abs(share_slope_.at(d + ComplexBall(center_))));
  }
  // Of a pair about its own tangent, which is off by g and g'.
  BallVerticalBound above(const ComplexBall& d) const override {
    BallVerticalBound result = all_->above(d);
    result.bound +=
        radius_ * (abs(share_slope_.at(center_)) + share_slope_.steepness(center_) * abs(d.real()));
    return result;
  }

 private:
  std::unique_ptr<BallExpansion> middle_, all_;
  ShareSlope share_slope_;
  Ball center_, radius_;
};

class ShareMoment final : public LogMoment {
 public:
  ShareMoment(const GaussianSpectrum& middle, const GaussianSpectrum& all, const ShareSlope& slope,
              double radius)
      : middle_(middle), all_(all), slope_(slope), radius_(radius) {}
  double lower_end() const override { return middle_.lower_end(); }
  double upper_end() const override { return middle_.upper_end(); }
  Jet jet(long double x) const override { return middle_.jet(x); }
  std::unique_ptr<Expansion> expand(double center) const override { return middle_.expand(center); }
  std::unique_ptr<BallExpansion> expand_ball(double center) const override {
    return std::make_unique<ShareExpansion>(middle_.expand_ball(center), all_.expand_ball(center),
                                            slope_, center, radius_);
  }

 private:
  GaussianMoment middle_, all_;
  ShareSlope slope_;
  double radius_;
};

// Bits of a proof that is to be a little closer than the pieces are wide.
constexpr int bits_of_pieces = 15;

}  // namespace

GaussianSpectrum LiftedPairs::with_shares(const Ball& inside, const Ball& outside) const {
  const PrecisionScope scope(proof_bits);
  const Ball square = Ball(sensitivity_.mean_shift) * Ball(sensitivity_.mean_shift);
  GaussianSpectrum spectrum;
  spectrum.add({Precise::exactly(sensitivity_.variance_excess),
                to_precise("mean_shift", square * inside), sensitivity_.rank});
  spectrum.add({Precise::exactly(0.0), to_precise("mean_shift", square * outside), 1.0});
  return spectrum;
}

GaussianSpectrum LiftedPairs::at(double share) const {
  const PrecisionScope scope(proof_bits);
  return with_shares(Ball(share), Ball(1.0) - Ball(share));
}

double LiftedPairs::delta_at(double share, double epsilon) const {
  return profile(PrivacyLoss::gaussian(at(share)), epsilon, Accuracy::fast).delta().lower();
}

LiftedPairs::Worst LiftedPairs::search(double epsilon) const {
  if (is_one_pair()) return {1.0, delta_at(1.0, epsilon)};
  const Peak peak = search_peak([&](double share) { return delta_at(share, epsilon); });
  return {peak.place, peak.value};
}

// By lemma 1: delta grows with each squared mean.
bool LiftedPairs::piece_is_dominated(double low, double high, double epsilon,
                                     double threshold) const {
  const PrecisionScope scope(proof_bits);
  return proved_below(with_shares(Ball(high), Ball(1.0) - Ball(low)), epsilon, threshold);
}

// By one integral for all shares of the piece: where T is small they hardly differ.
bool LiftedPairs::piece_is_flat(double low, double high, double epsilon, double threshold) const {
  const PrecisionScope scope(64);
  // Rounded: a little more than the piece.
  const double share = 0.5 * (low + high), radius = 0.5 * (high - low) + 0x1p-50;
  const GaussianSpectrum middle = at(share),
                         all = with_shares(Ball(share).widened(radius),
                                           (Ball(1.0) - Ball(share)).widened(radius));
  for (const bool reversed : {false, true}) {
    const ShareSlope slope(sensitivity_, reversed);
    const ShareMoment moment(reversed ? middle.reversed() : middle, reversed ? all.reversed() : all,
                             slope, radius);
    const auto estimate = contour_integral(moment, epsilon, Kernel::profile);
    if (!estimate) return false;
    const double off = (Ball(radius) * abs(slope.at(Ball(estimate->path.center)))).upper();
    if (!(estimate->value() * std::exp(2.0 * off) <= threshold)) return false;
    const auto proved = certified_contour_integral(moment, Ball(epsilon), Kernel::profile,
                                                   estimate->path, bits_of_pieces);
    if (!proved || !(proved->upper() <= threshold)) return false;
  }
  return true;
}

bool LiftedPairs::piece_stays_below(double low, double high, double epsilon,
                                    double threshold) const {
  return piece_is_flat(low, high, epsilon, threshold) ||
         piece_is_dominated(low, high, epsilon, threshold);
}

bool LiftedPairs::stay_below(double epsilon, double threshold) const {
  if (is_one_pair()) return proved_below(at(1.0), epsilon, threshold);
  return covered_by_pieces(
      [&](double from, double to) { return piece_stays_below(from, to, epsilon, threshold); },
      [&](double place) { return delta_at(place, epsilon) <= threshold; });
}

MovingSpectrum LiftedPairs::moving() const {
  const PrecisionScope scope(proof_bits);
  const Ball square = Ball(sensitivity_.mean_shift) * Ball(sensitivity_.mean_shift);
  return {{{sensitivity_.variance_excess}, {0.0, square}, sensitivity_.rank},
          {{0.0}, {square, -square}, 1.0}};
}

double LiftedPairs::bound(double epsilon, double slack) const {
  if (is_one_pair())
    return profile(PrivacyLoss::gaussian(at(1.0)), epsilon, Accuracy::certified).delta().upper();
  if (const double bound = largest_deltas({moving()}, {epsilon}, slack).front(); bound < infinity)
    return std::min(1.0, bound);
  return proved_bound(search(epsilon).delta, std::max(slack, 1e-3),
                      [&](double threshold) { return stay_below(epsilon, threshold); });
}

}  // namespace modicum
