#include "privacy/laws/discrete_law.h"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace modicum {
namespace {

// Products of three doubles and their sums are exact at this precision, as long as no exponents lie
// further apart.
constexpr long exact_bits = 8192;

// The least whole k for which L(k) > loss, L(k) = (slope k - offset) / divisor rising with k.
struct Ladder {
  double slope, offset;
  Ball divisor;
  // Empty beyond the whole numbers that doubles hold, or where no double could tell.
  std::optional<double> first_above(double loss) const {
    const PrecisionScope scope(exact_bits);
    const Ball level = Ball(loss) * divisor;
    double k = std::floor(((level + Ball(offset)) / Ball(slope)).middle());
    if (!(std::abs(k) < 0x1p52)) return std::nullopt;
    const auto above = [&](double place) -> std::optional<bool> {
      const Ball gap = Ball(slope) * Ball(place) - Ball(offset) - level;
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
    return {upper(*first - shift_), upper(1.0 - (*first - shift_)), upper(*first),
            upper(1.0 - *first)};
  }
  bool is_discrete() const override { return true; }
  LossNodes nodes(double, double, int) const override { return {}; }

 protected:
  /// P[noise >= m]; that of < m is upper(1 - m).
  virtual Ball upper(double m) const = 0;
  double width_, shift_;
  Ladder ladder_;
};

class DiscreteGaussianLaw final : public DiscreteLaw {
 public:
  // L(k) = (2 k D - D^2) / (2 sigma^2).
  DiscreteGaussianLaw(double sigma, double shift)
      : DiscreteLaw(sigma, shift, ladder(sigma, shift)) {}

  double cost(Accuracy) const override { return 2e-5; }
  Enclosure support() const override { return {-infinity, infinity}; }
  // E_X[e^{xL}] = e^{x (x+1) D^2 / (2 sigma^2)} theta(xD) / theta(0), theta(c) the sum of
  // e^{-(k-c)^2 / (2 sigma^2)} over all k.
  QuantityValue moment(const Ball& x) const override {
    const PrecisionScope scope(192);
    const Ball d = shift_, variance = Ball(width_) * Ball(width_);
    return {exp(x * (x + 1.0) * d * d / (variance * 2.0)) * theta(x * d) / theta(Ball(0.0))};
  }
  bool equals(const LossLaw& other) const override {
    const auto* same = dynamic_cast<const DiscreteGaussianLaw*>(&other);
    return same != nullptr && width_ == same->width_ && shift_ == same->shift_;
  }

 private:
  static Ladder ladder(double sigma, double shift) {
    const PrecisionScope scope(exact_bits);
    return {2.0 * shift, shift * shift, Ball(2.0) * Ball(sigma) * Ball(sigma)};
  }
  // By Poisson's formula for wide noise, the sum itself for narrow noise.
  Ball theta(const Ball& c) const {
    const Ball variance = Ball(width_) * Ball(width_);
    if (width_ < 1.0) {
      const double nearest = std::floor(c.middle());
      Ball sum;
      for (double k = -24.0; k <= 24.0; k += 1.0) {
        const Ball distance = Ball(nearest) + Ball(k) - c;
        sum += exp(-distance * distance / (variance * 2.0));
      }
      // Beyond 23 each is at most e^{-23/2} of the one before, for sigma < 1.
      const Ball last = exp(Ball(-23.0 * 23.0) / (variance * 2.0));
      return sum + Ball::between(0.0, (last * 4.0).upper());
    }
    const Ball factor = Ball::pi() * Ball::pi() * variance * 2.0;
    Ball sum = 1.0;
    for (double k = 1.0; k <= 6.0; k += 1.0) {
      Ball cosine;
      arb_cos(cosine.raw(), (Ball::pi() * Ball(2.0 * k) * c).raw(), PrecisionScope::bits());
      sum += cosine * exp(-factor * Ball(k * k)) * 2.0;
    }
    return (sum.widened(exp(-factor * Ball(49.0)) * 4.0)) * sqrt(Ball::pi() * 2.0) * Ball(width_);
  }
  Ball upper(double m) const override {
    if (m <= 0.0) return Ball(1.0) - upper(1.0 - m);
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
    total_ = theta(Ball(0.0));
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
  mutable std::mutex mutex_;
  mutable std::vector<Ball> sums_;
  mutable Ball total_;
};

class DiscreteLaplaceLaw final : public DiscreteLaw {
 public:
  // L(k) = (2k - D) / scale between 0 and D, and no larger beyond.
  DiscreteLaplaceLaw(double scale, double shift)
      : DiscreteLaw(scale, shift, {2.0, shift, Ball(scale)}) {}

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
  // Over k = 0 ... D, the ends with all beyond them.
  QuantityValue moment(const Ball& x) const override {
    const PrecisionScope scope(160);
    if (shift_ > 1e5) return {Ball::between(0.0, infinity)};  // not worth the time
    Ball sum;
    for (double k = 0.0; k <= shift_; k += 1.0) {
      const Ball from = k == 0.0 ? Ball(1.0) : upper(k - shift_);
      const Ball to = k == shift_ ? Ball(0.0) : upper(k + 1.0 - shift_);
      sum += (from - to) * exp(x * Ball(2.0 * k - shift_) / Ball(width_));
    }
    return {sum};
  }
  bool equals(const LossLaw& other) const override {
    const auto* same = dynamic_cast<const DiscreteLaplaceLaw*>(&other);
    return same != nullptr && width_ == same->width_ && shift_ == same->shift_;
  }

 private:
  // r^m / (1 + r), r = e^{-1/scale}, for m >= 1.
  Ball upper(double m) const override {
    const Ball rate = Ball(-1.0) / Ball(width_);
    if (m >= 1.0) return exp(rate * Ball(m)) / (exp(rate) + 1.0);
    return Ball(1.0) - exp(rate * Ball(1.0 - m)) / (exp(rate) + 1.0);
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
