#include "privacy/laws/discrete_law.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "privacy/laws/discrete_gaussian_sum.h"
#include "privacy/laws/lattice_power.h"
#include "privacy/laws/turning_sum.h"

namespace modicum {
namespace {

// Products of three doubles and their sums are exact at this precision, as long as no exponents lie
// further apart.
constexpr long exact_bits = 8192;

// The least whole k for which L(k) > loss, L(k) = (slope k - offset) / divisor rising with k.
struct Ladder {
  double slope;
  Ball offset, divisor;
  // Empty beyond the whole numbers that doubles hold, or where no double could tell.
  std::optional<double> first_above(double loss) const {
    const PrecisionScope scope(exact_bits);
    const Ball level = Ball(loss) * divisor;
    double k = std::floor(((level + offset) / Ball(slope)).middle());
    if (!(std::abs(k) < 0x1p52)) return std::nullopt;
    const auto above = [&](double place) -> std::optional<bool> {
      const Ball gap = Ball(slope) * Ball(place) - offset - level;
      if (gap.surely_positive()) return true;
      if (gap.surely_nonpositive()) return false;
      return std::nullopt;
    };
    for (k -= 1.0;; k += 1.0) {
      const auto found = above(k);
      if (!found) return std::nullopt;
      if (*found) return k;
    }
  }
};

// X is the noise moved by the shift, Y the noise: P_Y[k >= m] = upper(m), P_X = upper(m - shift).
class DiscreteLaw : public LossLaw {
 public:
  DiscreteLaw(double width, double shift, Ladder ladder)
      : width_(width), shift_(shift), ladder_(std::move(ladder)) {}

  LossTails tails(double loss, Accuracy) const override {
    const PrecisionScope scope(192);
    const auto first = ladder_.first_above(loss);
    if (!first) return LossTails::unknown();
    const auto [above_x, below_x] = sides(*first - shift_);
    const auto [above_y, below_y] = sides(*first);
    return {above_x, below_x, above_y, below_y};
  }
  bool is_discrete() const override { return true; }
  LossNodes nodes(double, double, int) const override { return {}; }

 protected:
  /// P[noise >= m], m >= 1; that of noise < 1 - m is the same.
  virtual Ball upper(double m) const = 0;
  /// P[noise >= m] and P[noise < m], the smaller one with all its digits.
  std::pair<Ball, Ball> sides(double m) const {
    const Ball small = upper(m >= 1.0 ? m : 1.0 - m), large = Ball(1.0) - small;
    return m >= 1.0 ? std::pair{small, large} : std::pair{large, small};
  }
  double width_, shift_;
  Ladder ladder_;
};

class DiscreteGaussianLaw final : public DiscreteLaw {
 public:
  // L(k) = (2 k D - D^2) / (2 sigma^2); for several copies k is their sum, and n D^2 stands for
  // D^2.
  DiscreteGaussianLaw(double sigma, double shift, double copies = 1.0)
      : DiscreteLaw(sigma, copies * shift, ladder(sigma, shift, copies)),
        each_(shift),
        copies_(copies) {}

  double cost(Accuracy) const override { return copies_ > 1.0 ? 5e-3 : 2e-5; }
  Enclosure support() const override { return {-infinity, infinity}; }
  // E_X[e^{xL}] = e^{x (x+1) D^2 / (2 sigma^2)} theta(xD) / theta(0), theta(c) the sum of
  // e^{-(k-c)^2 / (2 sigma^2)} over all k.
  QuantityValue moment(const Ball& x) const override {
    const PrecisionScope scope(192);
    const Ball d = each_, variance = Ball(width_) * Ball(width_);
    const Ball quotient = gaussian_theta(width_, x * d) / gaussian_theta(width_, Ball(0.0));
    return {exp(x * (x + 1.0) * d * d * Ball(copies_) / (variance * 2.0)) *
            power(ComplexBall(quotient), copies_).real()};
  }
  // The values around the mean of the tilted law, (center + 1) D, for sums beside other parts: with
  // k less that, P_X[k] e^{center L} = e^{center (center + 1) D^2 / (2 sigma^2)} e^{-k^2 / (2
  // sigma^2)} over theta(0).
  LossNodes nodes(double center, double, int) const override {
    LossNodes rule;
    if (copies_ > 1.0 || !is_short()) return rule;
    const double mean = std::round((center + 1.0) * each_), variance = width_ * width_;
    const double log_total = log(gaussian_theta(width_, Ball(0.0))).middle();
    for (double k = mean - reach(); k <= mean + reach(); k += 1.0) {
      rule.losses.push_back((2.0 * k * each_ - each_ * each_) / (2.0 * variance));
      rule.log_weights.push_back(-(k - each_) * (k - each_) / (2.0 * variance) - log_total);
    }
    return rule;
  }
  MomentLine moment_line(const Ball& center, double) const override {
    if (copies_ > 1.0 || !is_short()) return nullptr;
    const Ball d = each_, variance = Ball(width_) * Ball(width_), order = center + 1.0;
    const double mean = std::round((order * d).middle());
    std::vector<Ball> losses, weights;
    const Ball total = gaussian_theta(width_, Ball(0.0));
    for (double place = mean - reach(); place <= mean + reach(); place += 1.0) {
      const Ball k = place;
      losses.push_back((k * d * 2.0 - d * d) / (variance * 2.0));
      weights.push_back(exp(center * losses.back() - (k - d) * (k - d) / (variance * 2.0)) / total);
    }
    // Beyond, on both sides, at most a geometric series; the mean was rounded.
    const Ball end = reach() - 0.5;
    const Ball left_out =
        exp(center * order * d * d / (variance * 2.0) - end * end / (variance * 2.0)) * 2.0 /
        (-expm1(-end / variance)) / total;
    const auto sum = std::make_shared<TurningSum>(losses, weights);
    if (sum->empty()) return nullptr;
    return [sum, left_out](const Ball& y) { return sum->at(y).widened(left_out); };
  }
  bool proves_quickly() const override { return is_short(); }
  std::shared_ptr<const LossLaw> copies(double count) const override {
    if (!(count * each_ < 0x1p50)) return nullptr;  // of which doubles hold all whole numbers
    return std::make_shared<DiscreteGaussianLaw>(width_, each_, copies_ * count);
  }
  bool equals(const LossLaw& other) const override {
    const auto* same = dynamic_cast<const DiscreteGaussianLaw*>(&other);
    return same != nullptr && width_ == same->width_ && each_ == same->each_ &&
           copies_ == same->copies_;
  }

 private:
  // e^{-90} beyond.
  double reach() const { return std::ceil(13.5 * width_ + 2.0); }
  bool is_short() const { return width_ <= 128.0; }
  static Ladder ladder(double sigma, double shift, double copies) {
    const PrecisionScope scope(exact_bits);
    return {2.0 * shift, Ball(shift) * Ball(shift) * Ball(copies),
            Ball(2.0) * Ball(sigma) * Ball(sigma)};
  }
  Ball upper(double m) const override {
    if (copies_ > 1.0) return gaussian_sum_above(width_, copies_, m);
    const std::lock_guard lock(mutex_);
    if (sums_.empty()) add_up();
    const auto place = static_cast<std::size_t>(std::min(m, 0x1p40));
    if (place < sums_.size()) return sums_[place];
    // e^{-m^2/(2 sigma^2)} times a geometric series of ratio e^{-m/sigma^2}, over the whole sum.
    const Ball variance = Ball(width_) * Ball(width_), from = m;
    const Ball most = exp(-from * from / (variance * 2.0)) / (-expm1(-from / variance));
    return Ball::between(0.0, 1.0) * most / total_;
  }
  // P[noise >= m] for m = 0 ... 40 sigma, from the far end.
  void add_up() const {
    const Ball variance = Ball(width_) * Ball(width_);
    const auto reach = static_cast<std::size_t>(40.0 * width_ + 40.0);
    total_ = gaussian_theta(width_, Ball(0.0));
    const Ball beyond = Ball(static_cast<double>(reach));
    Ball sum = Ball::between(0.0, 1.0) * exp(-beyond * beyond / (variance * 2.0)) /
               (-expm1(-beyond / variance));
    sums_.resize(reach);
    for (std::size_t k = reach; k-- > 0;) {
      const Ball place = static_cast<double>(k);
      sum += exp(-place * place / (variance * 2.0));
      sums_[k] = sum / total_;
    }
  }
  double each_, copies_;
  mutable std::mutex mutex_;
  mutable std::vector<Ball> sums_;
  mutable Ball total_;
};

// P_X[L = (2k - D) / scale] for k = 0 ... D, the ends with all beyond them; r = e^{-1/scale}.
std::vector<Ball> laplace_masses(double scale, double shift) {
  const Ball rate = Ball(-1.0) / Ball(scale), one = 1.0, share = one / (one + exp(rate));
  std::vector<Ball> masses{share * exp(rate * Ball(shift))};
  for (double k = 1.0; k < shift; k += 1.0)
    masses.push_back(share * -expm1(rate) * exp(rate * Ball(shift - k)));
  masses.push_back(share);
  return masses;
}

Ball laplace_moment(double scale, double shift, const Ball& x) {
  Ball sum;
  double k = 0.0;
  for (const Ball& mass : laplace_masses(scale, shift))
    sum += mass * exp(x * Ball(2.0 * k++ - shift) / Ball(scale));
  return sum;
}

// Of several answers: k adds up to S from 0 to n D, with the coefficients of a power of a
// polynomial. Y has n D - S for S, by symmetry.
constexpr double longest_sum = 20000.0;
constexpr long sum_bits = 1400;

class DiscreteLaplaceSumLaw final : public LossLaw {
 public:
  DiscreteLaplaceSumLaw(double scale, double shift, double count)
      : scale_(scale),
        shift_(shift),
        count_(count),
        ladder_{2.0, Ball(count * shift), Ball(scale)},
        above_(static_cast<std::size_t>(count * shift) + 2),
        below_(above_.size()) {
    const std::vector<Ball> masses = whole_power(laplace_masses(scale, shift), count).masses;
    const PrecisionScope scope(sum_bits);
    for (std::size_t m = 0; m < masses.size(); ++m) below_[m + 1] = below_[m] + masses[m];
    for (std::size_t m = masses.size(); m-- > 0;) above_[m] = above_[m + 1] + masses[m];
  }

  LossTails tails(double loss, Accuracy) const override {
    const Enclosure all = support();
    if (loss < all.lower()) return LossTails::all_above();
    if (loss > all.upper()) return LossTails::all_below();
    const auto first = ladder_.first_above(loss);
    if (!first) return LossTails::unknown();
    const auto last = static_cast<double>(above_.size() - 1);  // n D + 1
    const auto m = static_cast<std::size_t>(std::clamp(*first, 0.0, last));
    const std::size_t mirrored = above_.size() - 1 - m;
    return {above_[m], below_[m], below_[mirrored], above_[mirrored]};
  }
  bool is_discrete() const override { return true; }
  double cost(Accuracy) const override { return 1e-5; }
  LossNodes nodes(double, double, int) const override { return {}; }
  Enclosure support() const override {
    const PrecisionScope scope(128);
    const Ball largest = Ball(shift_) * Ball(count_) / Ball(scale_);
    return {-largest.upper(), largest.upper()};
  }
  QuantityValue moment(const Ball& x) const override {
    const PrecisionScope scope(160);
    return {power(ComplexBall(laplace_moment(scale_, shift_, x)), count_).real()};
  }
  bool equals(const LossLaw& other) const override {
    const auto* same = dynamic_cast<const DiscreteLaplaceSumLaw*>(&other);
    return same != nullptr && scale_ == same->scale_ && shift_ == same->shift_ &&
           count_ == same->count_;
  }

 private:
  double scale_, shift_, count_;
  Ladder ladder_;
  std::vector<Ball> above_, below_;  // P_X[S >= m], P_X[S < m]
};

class DiscreteLaplaceLaw final : public DiscreteLaw {
 public:
  // L(k) = (2k - D) / scale between 0 and D, and no larger beyond.
  DiscreteLaplaceLaw(double scale, double shift)
      : DiscreteLaw(scale, shift, {2.0, Ball(shift), Ball(scale)}) {}

  LossTails tails(double loss, Accuracy accuracy) const override {
    const PrecisionScope scope(exact_bits);
    const Ball level = Ball(loss) * Ball(width_);
    if ((level + Ball(shift_)).surely_negative()) return LossTails::all_above();
    if ((Ball(shift_) - level).surely_nonpositive()) return LossTails::all_below();
    return DiscreteLaw::tails(loss, accuracy);
  }
  double cost(Accuracy) const override { return 1e-5; }
  Enclosure support() const override {
    const PrecisionScope scope(128);
    const Ball largest = Ball(shift_) / Ball(width_);
    return {-largest.upper(), largest.upper()};
  }
  QuantityValue moment(const Ball& x) const override {
    const PrecisionScope scope(160);
    if (shift_ > 1e5) return {Ball::between(0.0, infinity)};  // not worth the time
    return {laplace_moment(width_, shift_, x)};
  }
  std::vector<LossValue> values() const override {
    constexpr double few = 64.0;
    if (shift_ > few) return {};
    const PrecisionScope scope(160);
    std::vector<LossValue> result;
    double k = 0.0;
    for (const Ball& mass : laplace_masses(width_, shift_))
      result.push_back({Ball(2.0 * k++ - shift_) / Ball(width_), mass});
    return result;
  }
  LossNodes nodes(double, double, int) const override { return nodes_of(values()); }
  MomentLine moment_line(const Ball& center, double) const override {
    return line_of(values(), center);
  }
  bool proves_quickly() const override { return true; }
  std::shared_ptr<const LossLaw> copies(double count) const override {
    if (!(count * shift_ <= longest_sum)) return nullptr;
    return std::make_shared<DiscreteLaplaceSumLaw>(width_, shift_, count);
  }
  bool equals(const LossLaw& other) const override {
    const auto* same = dynamic_cast<const DiscreteLaplaceLaw*>(&other);
    return same != nullptr && width_ == same->width_ && shift_ == same->shift_;
  }

 private:
  // r^m / (1 + r), r = e^{-1/scale}, for m >= 1.
  Ball upper(double m) const override {
    const Ball rate = Ball(-1.0) / Ball(width_);
    return exp(rate * Ball(m)) / (exp(rate) + 1.0);
  }
};

}  // namespace

std::shared_ptr<const LossLaw> discrete_gaussian_law(double sigma, double shift) {
  return std::make_shared<DiscreteGaussianLaw>(sigma, shift);
}

std::shared_ptr<const LossLaw> discrete_laplace_law(double scale, double shift) {
  return std::make_shared<DiscreteLaplaceLaw>(scale, shift);
}

}  // namespace modicum
