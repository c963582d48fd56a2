#include "privacy/laws/tied_law.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "numerics/gauss_legendre.h"
#include "numerics/precise_ball.h"
#include "privacy/laws/normal_pieces.h"
#include "privacy/laws/normal_tail.h"
#include "privacy/laws/objective_law.h"

namespace modicum {
namespace {

constexpr long tied_bits = 192;
// For compositions, where each costs time, and for the profile of one.
constexpr int few_chords = 4, many_chords = 256;

// On `from` < t: U = loss + slope (t - from), up to the next piece. e^{-U} phi(t) is
// `reverse_scale` phi(t + slope).
struct Chord {
  Ball from, loss, slope;
  Ball reverse_scale, reverse_above;  // and E[exp(-U); t beyond the piece]
};

// The last chord has no end.
std::vector<Chord> chords_of(const TiedLoss& tied, const Ball& least, const Ball& a, int number) {
  struct Corner {
    double place;
    Ball loss;
  };
  const Ball last = a * (a / 2.0 + Ball(tied.end()));
  std::vector<Corner> corners{{tied.start(), least}};
  for (const double place : tied.places(number)) {
    const Ball loss = tied.at(place);
    if (place <= tied.start() || place >= tied.end()) continue;
    // Where rounding hides how U grows, a longer chord is as good.
    if ((loss - corners.back().loss).surely_positive() && (last - loss).surely_positive())
      corners.push_back({place, loss});
  }
  corners.push_back({tied.end(), last});
  std::vector<Chord> chords(corners.size());
  Ball above = 0.0;
  for (std::size_t i = corners.size(); i-- > 0;) {
    Chord& chord = chords[i];
    const bool ends = i + 1 < corners.size();
    chord.from = corners[i].place;
    chord.loss = corners[i].loss;
    chord.slope =
        ends ? (corners[i + 1].loss - chord.loss) / (Ball(corners[i + 1].place) - chord.from) : a;
    chord.reverse_scale =
        exp(chord.slope * chord.slope / 2.0 + chord.slope * chord.from - chord.loss);
    chord.reverse_above = above;
    Ball inside = normal_above(chord.from + chord.slope);
    if (ends) inside -= normal_above(Ball(corners[i + 1].place) + chord.slope);
    above += chord.reverse_scale * inside;
  }
  return chords;
}

// Above and below a loss, as LossTails has them.
LossTails tails_of(const std::vector<Chord>& chords, double loss) {
  const Ball at = loss;
  const Chord& first = chords.front();
  const Ball atom = Ball(1.0) - normal_above(first.from);
  const auto from_on = [&](std::size_t i, const Ball& t) {
    const Chord& chord = chords[i];
    Ball inside = normal_above(t + chord.slope);
    if (i + 1 < chords.size()) inside -= normal_above(chords[i + 1].from + chord.slope);
    return chord.reverse_above + chord.reverse_scale * inside;
  };
  const Ball whole = exp(-first.loss) * atom + from_on(0, first.from);
  if ((at - first.loss).surely_negative()) return {Ball(1.0), Ball(0.0), whole, Ball(0.0)};
  std::size_t i = 0;
  while (i + 1 < chords.size() && !(at - chords[i + 1].loss).surely_negative()) ++i;
  const Ball above_start = at - chords[i].loss;
  if (!above_start.surely_positive() && !above_start.exactly_zero()) return LossTails::unknown();
  const Ball t = chords[i].from + above_start / chords[i].slope;
  const Ball above_x = normal_above(t), above_y = from_on(i, t);
  return {above_x, Ball(1.0) - above_x, above_y, whole - above_y};
}

class TiedLaw final : public LossLaw {
 public:
  TiedLaw(SlopeTie tie, const Ball& b, const Precise& a) : tie_(tie), b_(b), precise_(a) {
    const PrecisionScope scope(tied_bits);
    a_ = to_ball(a);
    least_ = tie == SlopeTie::logistic ? Ball(0.0) : log1p(b_);
    chords_ = chords_of(loss_of(), least_, a_, few_chords);
    atom_ = Ball(1.0) - normal_above(chords_.front().from);
  }

  bool is_pair() const override { return false; }
  std::optional<QuantityValue> profile(double epsilon, Accuracy) const override {
    const PrecisionScope scope(tied_bits);
    const TiedLoss tied = loss_of();
    const bool beyond = (Ball(epsilon) - chords_.back().loss).surely_positive();
    const LossTails tails =
        tails_of(beyond ? chords_ : chords_of(tied, least_, a_, many_chords), epsilon);
    return QuantityValue{max(tails.quantity(Kernel::profile, exp(Ball(epsilon))), Ball(0.0))};
  }
  LossTails tails(double loss, Accuracy) const override {
    const PrecisionScope scope(tied_bits);
    return tails_of(chords_, loss);
  }
  double cost(Accuracy) const override { return 4e-5; }
  Enclosure support() const override { return {least_.lower(), infinity}; }

  QuantityValue moment(const Ball& x) const override {
    const PrecisionScope scope(tied_bits);
    return {moment_at(ComplexBall(x)).real()};
  }
  std::optional<Ball> mean() const override {
    const PrecisionScope scope(tied_bits);
    Ball sum = least_ * atom_;
    for (std::size_t i = 0; i < chords_.size(); ++i) {
      const Chord& chord = chords_[i];
      Ball mass = normal_above(chord.from), density = normal_density(chord.from);
      if (i + 1 < chords_.size()) {
        mass -= normal_above(chords_[i + 1].from);
        density -= normal_density(chords_[i + 1].from);
      }
      sum += (chord.loss - chord.slope * chord.from) * mass + chord.slope * density;
    }
    return sum;
  }

  // The atom, and Gauss's rule on panels of each chord near the peaks of the tilted density.
  LossNodes nodes(double center, double height, int level) const override {
    LossNodes rule;
    rule.losses.push_back(least_.middle());
    rule.log_weights.push_back(log(atom_).middle());
    const GaussRule& gauss = gauss_legendre(24);
    for (std::size_t i = 0; i < chords_.size(); ++i) {
      const double start = chords_[i].from.middle(), slope = chords_[i].slope.middle();
      const double stop = i + 1 < chords_.size() ? chords_[i + 1].from.middle() : infinity;
      const double peak = std::clamp(slope * center, start, stop);
      const double from = std::max(start, peak - 9.5), to = std::min(stop, peak + 9.5);
      const double panels =
          std::ldexp(std::ceil(0.5 * (to - from) * (1.0 + 0.1 * height * slope)), level);
      if (!(panels <= 5e3)) return {};
      const double half = 0.5 * (to - from) / panels;
      for (double panel = 0.0; panel < panels; panel += 1.0)
        for (std::size_t k = 0; k < gauss.points.size(); ++k) {
          const double t = from + half * (2.0 * panel + 1.0 + gauss.points[k]);
          rule.losses.push_back(chords_[i].loss.middle() + slope * (t - start));
          rule.log_weights.push_back(std::log(gauss.weights[k] * half) - 0.5 * t * t -
                                     0.5 * std::log(2.0 * std::numbers::pi));
        }
    }
    return rule;
  }
  MomentLine moment_line(const Ball& center, double) const override {
    return [this, center](const Ball& y) { return moment_at(ComplexBall(center, y)); };
  }
  MomentLine quick_moment_line(const Ball& center) const override {
    const PrecisionScope scope(tied_bits);
    NormalPieces pieces{{}, atom_};
    for (const Chord& chord : chords_)
      pieces.pieces.push_back({chord.from, chord.loss, chord.slope});
    return quick_line(pieces, center, moment(center).value * exp(-center * least_));
  }
  // Of the last chord, which has nearly all of what is far out.
  std::vector<UniformPart> uniform_parts(const Ball& center) const override {
    const Chord& last = chords_.back();
    const Ball scale = Ball(1.0) / (a_ * moment(center).value);
    const auto loss = [&](const Ball& t) { return last.loss + a_ * (t - last.from); };
    const auto density = [&](const Ball& t) {
      return scale * exp(center * loss(t)) * normal_density(t);
    };
    const double peak = std::max(last.from.upper(), a_.middle() * center.middle());
    return layers_under(density, loss, std::max(last.from.upper(), peak - 6.0), peak + 6.0);
  }
  bool equals(const LossLaw& other) const override {
    const auto* same = dynamic_cast<const TiedLaw*>(&other);
    return same != nullptr && tie_ == same->tie_ && precise_ == same->precise_ &&
           arb_equal(b_.raw(), same->b_.raw()) != 0;
  }

 private:
  TiedLoss loss_of() const { return {tie_, b_.upper(), a_.middle()}; }
  // On a chord e^{zU} phi(t) = e^{z (loss - slope from) + z^2 slope^2/2} phi(t - z slope).
  ComplexBall moment_at(const ComplexBall& z) const {
    ComplexBall sum = exp(z * least_) * atom_;
    for (std::size_t i = 0; i < chords_.size(); ++i) {
      const Chord& chord = chords_[i];
      const ComplexBall tilt = z * chord.slope, v = ComplexBall(chord.from) - tilt;
      const ComplexBall scale = z * (chord.loss - chord.slope * chord.from);
      const ComplexBall growth = exp(scale + tilt * tilt * Ball(0.5));
      if (i + 1 < chords_.size()) {
        const ComplexBall w = ComplexBall(chords_[i + 1].from) - tilt;
        sum += growth * (normal_above(v) - normal_above(w));
      } else if (far_right(-v)) {
        // 1 - P[N > -v], whose exponent cancels that of the growth.
        const ComplexBall rest = scaled_normal_above(-v);
        sum += growth - exp(z * chord.loss - ComplexBall(chord.from * chord.from / 2.0)) * rest;
      } else {
        sum += growth * normal_above(v);
      }
    }
    return sum;
  }

  SlopeTie tie_;
  Ball b_, a_, least_, atom_;
  Precise precise_;
  std::vector<Chord> chords_;
};

}  // namespace

std::shared_ptr<const LossLaw> tied_law(SlopeTie tie, const Ball& b, const Precise& a) {
  const PrecisionScope scope(tied_bits);
  // Then p = 0 and p = 1 are best, by turns.
  const Ball half = to_ball(a) * to_ball(a) / 2.0;
  if (tie == SlopeTie::logistic && (Ball(4.0) * b - half).surely_nonpositive())
    return cut_normal_law(Ball(0.0), a);
  return std::make_shared<TiedLaw>(tie, b, a);
}

}  // namespace modicum
