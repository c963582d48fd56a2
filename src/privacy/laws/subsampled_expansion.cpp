#include "privacy/laws/subsampled_expansion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <vector>

#include "numerics/complex_functions.h"
#include "privacy/laws/normal_tail.h"

namespace modicum {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;

}  // namespace

// Nodes on t(v) = v + i (slope / mu) log(1 + e^{mu (v - place)}), or with two such bends: the
// integrand is e^{log_weight} B^a.
struct SubsampledContours::Contour {
  double from = 0.0, end = 0.0;
  std::vector<Complex> log_base, log_weight;
  std::vector<Complex> weight, weighted_base;  // e^log_weight, and times B
  std::vector<Complex> beyond_base;            // log B - (B - 1)
};

// All nodes, every other one, and what rounding may have changed of all.
struct SubsampledContours::Sums {
  Complex all, even;
  double rounding = 0.0;
  // By how much halving the step would change it, of which two thirds are claimed, and rounding.
  double error() const {
    if (all == 0.0) return rounding;
    return std::pow(size_of(2.0 * even - all) / size_of(all), 1.5) * size_of(all) + rounding;
  }
};

SubsampledContours::SubsampledContours(const Precise& mu, double rate)
    : mu_(static_cast<long double>(mu.high) + mu.low), rate_(rate) {}
SubsampledContours::~SubsampledContours() = default;

// Left of here phi(t) B^a is negligible: B^a <= (1-q)^a for a < 0, which moves the peak.
double SubsampledContours::left_end(double a, double reach) const {
  if (a >= 0.0) return -reach;
  const double gain = a * std::log1p(-rate_);
  const double pull = -a * rate_ * static_cast<double>(mu_) / (1.0 - rate_);
  return -reach - std::min(pull, std::sqrt(2.0 * gain));
}

// log(1 - q + q e^u), continued from the real line past Im u = pi where q e^u is the larger part.
Complex SubsampledContours::log_base_at(Complex u) const {
  const double q = rate_;
  const Complex second = q * exponential(Complex{std::min(u.real(), 600.0), u.imag()});
  if (size_of(second) <= 1.0 - q) {
    const Complex excess = second - q, base = second + (1.0 - q);
    if (std::norm(excess) < 0.25) return log_of_one_plus(excess);
    return {0.5 * std::log(std::norm(base)), std::atan2(base.imag(), base.real())};
  }
  return u + std::log(q) + log_of_one_plus((1.0 - q) / q * exponential(-u));
}

// The contour turns where |a| q e^{mu t} is 1, but lifts the bulk no further than to its own saddle
// point, t = q mu a; and rises as far as the peak of the second part at t = mu a asks for, up to
// where phi would grow. Where it turns long before the branch points of log B it rises slowly until
// there, and the rest of the way behind them.
SubsampledContours::Shape SubsampledContours::shape_for(Complex a, int level) const {
  const double mu = static_cast<double>(mu_), q = rate_;
  const double middle = std::log((1.0 - q) / q) / mu + mu / 2.0;  // both parts of B alike
  const double coarseness = mu < 0.3 ? 1.0 : 4.0;
  const double turns = coarseness * std::round(4.0 / coarseness * std::log(size_of(a)));
  const double turn = 0.25 * turns;
  double place = (-turn - std::log(q)) / mu + mu / 2.0;
  const double distance = mu * a.real() - std::max(place, middle - 3.0 / mu);
  double wanted = 0.6 * std::min(1.0, std::arg(a) / 1.1);
  if (distance > 0.0) wanted = std::min(0.65, mu * a.imag() / distance);
  Shape shape{static_cast<int>(16.0 * wanted), static_cast<int>(turns), level, middle, {}, {}};
  const double slope = shape.slope / 16.0;
  if (slope > 0.0) {
    const double lift = q * mu * mu * std::exp(turn) / slope;
    place = std::max(place, lift < 30.0 ? -std::log(std::expm1(lift)) / mu : -lift / mu);
  }
  shape.first = {slope, place};
  if (place < middle - 3.0 / mu) {
    const double early = 1.5 / std::log1p(std::exp(mu * (middle - place)));
    shape.first.slope = std::min(slope, early);
    shape.second = {slope - shape.first.slope, middle - 1.0 / mu};
  }
  return shape;
}

std::shared_ptr<const SubsampledContours::Contour> SubsampledContours::contour_for(
    const Shape& shape, Complex a, bool less_one) const {
  const double slope = shape.slope / 16.0, mu = static_cast<double>(mu_);
  const double room = 1.0 - slope * slope;
  const double tilt = std::max(0.0, mu * (a.real() - slope * a.imag())) / room;
  const double end = std::max(0.0, shape.middle) + tilt + 10.0 / std::sqrt(room);
  const double from = left_end(std::min(a.real(), 0.0), 10.0);
  const std::lock_guard lock(mutex_);
  auto& known = contours_[{shape.slope, shape.turn, shape.level}];
  const bool enough = known && (!less_one || !known->beyond_base.empty());
  if (enough && known->end >= end && known->from <= from) return known;
  const double step = std::ldexp(std::min(0.35, 0.16 / mu), -shape.level);
  auto contour = std::make_shared<Contour>();
  contour->from = from < -10.0 ? left_end(1.5 * a.real(), 10.0) : from;
  contour->end = end + 0.5 * tilt;
  if (!((contour->end - contour->from) / step < 6000.0)) return nullptr;
  for (double k = 0.0; contour->from + k * step < contour->end; k += 1.0) {
    const double v = contour->from + k * step;
    Complex t = v, turned = 1.0;
    for (const Shape::Bend& bend : {shape.first, shape.second}) {
      const double e = mu * (v - bend.place), power = std::exp(-std::abs(e));
      const double soft = std::max(e, 0.0) + std::log1p(power);
      t += Complex(0.0, bend.slope / mu * soft);
      turned += Complex(0.0, bend.slope * (e > 0.0 ? 1.0 : power) / (1.0 + power));
    }
    const Complex log_base = log_base_at(mu * t - mu * mu / 2.0);
    const Complex log_weight = -0.5 * times(t, t) + std::log(turned) + std::log(step) -
                               static_cast<double>(log_root_two_pi);
    contour->log_base.push_back(log_base);
    contour->log_weight.push_back(log_weight);
    if (!less_one) continue;
    contour->weight.push_back(exponential(log_weight));
    contour->weighted_base.push_back(exponential(log_weight + log_base));
    contour->beyond_base.push_back(-beyond_tangent(log_base));
  }
  known = contour;
  return contour;
}

// e^{-offset} times the integral of phi B^a.
SubsampledContours::Sums SubsampledContours::whole_moment(const Contour& contour, Complex a,
                                                          Complex offset) {
  Sums sums;
  for (std::size_t i = 0; i < contour.log_base.size(); ++i) {
    const Complex power = times(a, contour.log_base[i]);
    const Complex exponent = contour.log_weight[i] + power - offset;
    if (exponent.real() < -100.0) continue;
    const Complex term = exponential(exponent);
    sums.all += term;
    if (i % 2 == 0) sums.even += term;
    sums.rounding +=
        ulp * size_of(term) *
        (4.0 + std::abs(exponent.imag()) + std::abs(power.real()) + std::abs(power.imag()));
  }
  return sums;
}

// Phi and phi (B - 1) integrate to 1 and 0 along the contour too: what is left is the integral of
// phi (B^a - 1 - a (B - 1)), whose rounding is relative to itself. Of rare samples it is tiny, and
// there are many copies of it. B^a - 1 - a (B - 1) = (e^x - 1 - x) + a (log B - (B - 1)) with
// x = a log B.
SubsampledContours::Sums SubsampledContours::moment_less_one(const Contour& contour, Complex a) {
  Sums sums;
  for (std::size_t i = 0; i < contour.log_base.size(); ++i) {
    const Complex power = times(a, contour.log_base[i]);
    Complex term;
    double rounding = 0.0;
    if (std::norm(power) < 0.25) {
      const Complex first = times(contour.weight[i], beyond_tangent(power)),
                    second = times(contour.weight[i], times(a, contour.beyond_base[i]));
      term = first + second;
      rounding = 8.0 * (size_of(first) + size_of(second)) * (1.0 + size_of(contour.log_weight[i]));
    } else {
      const Complex exponent = contour.log_weight[i] + power;
      const Complex first = exponent.real() < -100.0 ? Complex{} : exponential(exponent);
      const Complex second = times(a, contour.weighted_base[i] - contour.weight[i]);
      term = first - contour.weight[i] - second;
      rounding = size_of(first) * (4.0 + std::abs(exponent.imag()) + size_of(power)) +
                 (size_of(contour.weight[i]) +
                  size_of(a) * (size_of(contour.weight[i]) + size_of(contour.weighted_base[i]))) *
                     (4.0 + size_of(contour.log_weight[i]));
    }
    sums.all += term;
    if (i % 2 == 0) sums.even += term;
    sums.rounding += ulp * rounding;
  }
  return sums;
}

// The trapezium rule; halving the step squares its error.
ExpansionValue SubsampledContours::log_moment(Complex a, Complex offset, double count) const {
  constexpr double rare = 0.02, little = 0.5;
  ExpansionValue best{0.0, infinity};
  bool less_one = rate_ < rare && count > many_copies;
  for (int level = 0; level < 4; ++level) {
    const auto contour = contour_for(shape_for(a, level), a, less_one);
    if (!contour) break;
    Sums sums = less_one ? moment_less_one(*contour, a) : Sums{};
    if (less_one && !(size_of(sums.all) < little)) less_one = false;
    if (!less_one) sums = whole_moment(*contour, a, offset);
    const double whole = less_one ? size_of(1.0 + sums.all) : size_of(sums.all);
    if (less_one) sums.rounding += 2.0 * ulp * (size_of(offset) + size_of(sums.all));
    const double error = sums.error() / whole;
    if (!(whole > 0.0) || !std::isfinite(sums.rounding)) break;
    const Complex value = less_one ? log_of_one_plus(sums.all) - offset
                                   : Complex{std::log(whole), std::arg(sums.all)};
    if (error < best.error) best = {value, error};
    if (error * whole < 2.0 * sums.rounding) break;
  }
  return best;
}

namespace {

class SubsampledGaussianExpansion final : public LawExpansion {
 public:
  SubsampledGaussianExpansion(std::shared_ptr<const SubsampledContours> contours, double center,
                              double count)
      : contours_(std::move(contours)),
        mu_(contours_->mu()),
        shift_(static_cast<double>(mu_)),
        rate_(contours_->rate()),
        power_(1.0L + center),
        count_(count),
        digits_(40.0 + std::log(count)),
        longest_(count <= many_copies ? 400.0 : infinity) {
    const Rule rule = make_rule(0.0);
    if (rule.loss.empty()) {
      jet_.uncertainty = infinity;
      return;
    }
    const long double largest = *std::ranges::max_element(rule.exponent);
    long double sum = 0.0L, first = 0.0L, second = 0.0L;
    for (std::size_t i = 0; i < rule.loss.size(); ++i) {
      const long double weight = std::exp(rule.exponent[i] - largest);
      sum += weight;
      first += weight * rule.loss[i];
    }
    jet_.first = first / sum;
    for (std::size_t i = 0; i < rule.loss.size(); ++i) {
      const long double distance = rule.loss[i] - jet_.first;
      second += std::exp(rule.exponent[i] - largest) * distance * distance;
    }
    jet_.second = second / sum;
    jet_.value = largest + std::log(sum);
    keep_tails(rule);
    // Positive terms: a few units each, and as many as the size of their exponents.
    const long double exponents = std::abs(power_ * rule.loss.back()) + digits_ + 100.0L;
    jet_.uncertainty = 0x1p-63L * exponents + 4.0L * std::exp(-static_cast<long double>(digits_));
  }

  Jet center() const override { return jet_; }

  double mass_beyond(double distance) const override {
    const auto above = std::ranges::upper_bound(losses_, distance),
               below = std::ranges::lower_bound(losses_, -distance);
    return (below == losses_.begin() ? 0.0 : up_to_[below - losses_.begin() - 1]) +
           (above == losses_.end() ? 0.0 : from_[above - losses_.begin()]);
  }

  Mode smaller_mode() const override { return mode_; }

  ExpansionValue at(Complex d) const override {
    if (d.imag() < 0.0) {
      ExpansionValue mirrored = at(std::conj(d));
      mirrored.value = std::conj(mirrored.value);
      return mirrored;
    }
    if (!std::isfinite(static_cast<double>(jet_.uncertainty))) return {0.0, infinity};
    const double spread = std::sqrt(static_cast<double>(jet_.second));
    ExpansionValue near{0.0, infinity};
    if (size_of(d) * spread < 1.5 && worth_a_line(d)) near = on_the_line(d);
    if (near.error < 1e-15) return near;
    const auto mean = static_cast<double>(jet_.first);
    const Complex tangent{static_cast<double>(jet_.value) + d.real() * mean, d.imag() * mean};
    const ExpansionValue far =
        contours_->log_moment(static_cast<double>(power_) + d, tangent, count_);
    return near.error <= far.error ? near : far;
  }

 private:
  // The trapezium rule on the real line: E_X[e^{cL} g(L)] is the sum of e^exponent g(loss).
  struct Rule {
    std::vector<long double> loss, exponent;
  };
  // Losses rise with the nodes.
  void keep_tails(const Rule& rule) {
    std::vector<double> masses;
    for (std::size_t i = 0; i < rule.loss.size(); ++i) {
      losses_.push_back(static_cast<double>(rule.loss[i] - jet_.first));
      masses.push_back(static_cast<double>(std::exp(rule.exponent[i] - jet_.value)));
    }
    up_to_.resize(masses.size());
    from_.resize(masses.size());
    std::partial_sum(masses.begin(), masses.end(), up_to_.begin());
    std::partial_sum(masses.rbegin(), masses.rend(), from_.rbegin());
    find_modes(masses);
  }
  // Two modes have a valley between them; what is left or right of it and weighs less.
  void find_modes(const std::vector<double>& masses) {
    const auto peak = static_cast<std::size_t>(std::ranges::max_element(masses) - masses.begin());
    const auto valley = [&](std::size_t at, int step) -> std::size_t {
      std::size_t lowest = at, found = masses.size();
      for (; at < masses.size(); at += static_cast<std::size_t>(step)) {
        if (masses[at] < masses[lowest]) lowest = at;
        if (masses[at] > 1.5 * masses[lowest] && masses[at] > 1e-17) found = lowest;
        if (found != masses.size() && found != lowest) break;
      }
      return found;
    };
    for (const int step : {1, -1}) {
      const std::size_t cut = valley(peak, step);
      if (cut == masses.size()) continue;
      const std::size_t first = step > 0 ? cut : 0, last = step > 0 ? masses.size() : cut + 1;
      Mode found;
      for (std::size_t i = first; i < last; ++i) {
        found.mass += masses[i];
        found.distance += masses[i] * losses_[i];
      }
      found.distance /= found.mass;
      for (std::size_t i = first; i < last; ++i)
        found.variance += masses[i] * std::pow(losses_[i] - found.distance, 2.0);
      found.variance /= found.mass;
      if (found.mass > mode_.mass) mode_ = found;
    }
    if (mode_.mass > 0.5) {  // the side of the highest peak weighs less: by the means of both
      const double rest = 1.0 - mode_.mass;
      mode_ = {rest, -mode_.distance * mode_.mass / rest, 0.0};
    }
  }
  // Its weights divided by E_X[e^{cL}].
  struct LineNodes {
    std::vector<double> loss, weight;  // loss less its mean
  };

  // Nodes k * step for displacements up to this height; wrong by e^{-digits} of the moment at the
  // real part, as derived for the line integral.
  struct Spacing {
    double from, to, step;
    double count() const { return (to - from) / step; }
  };
  Spacing spacing_for(double height) const {
    const double a = static_cast<double>(power_), low = a - height, high = a + height;
    const TrapeziumStrip strip = trapezium_strip(shift_, low, height, digits_);
    const double step = 2.0 * pi * strip.half_width / (strip.growth + digits_),
                 reach = std::sqrt(2.0 * digits_) + 1.0;
    return {contours_->left_end(low, reach), std::max(0.0, high * shift_) + reach, step};
  }
  // Empty where it would take too many nodes.
  Rule make_rule(double height) const {
    const Spacing spacing = spacing_for(height);
    const auto [from, to, step] = spacing;
    Rule rule;
    if (!(spacing.count() < 20000.0)) return rule;
    const auto first = static_cast<long>(std::floor(from / step));
    const auto last = static_cast<long>(std::ceil(to / step));
    const long double log_step = std::log(static_cast<long double>(step)) - log_root_two_pi;
    for (long k = first; k <= last; ++k) {
      const long double t = static_cast<long double>(step) * static_cast<long double>(k);
      const long double loss = loss_at(mu_ * t - mu_ * mu_ / 2.0L);
      rule.loss.push_back(loss);
      rule.exponent.push_back(power_ * loss - t * t / 2.0L + log_step);
    }
    return rule;
  }
  long double loss_at(long double u) const {
    const long double q = rate_;
    if (u > 40.0L) return u + std::log(q) + std::log1p((1.0L - q) / q * std::exp(-u));
    return std::log1p(q * std::expm1(u));
  }

  // Lines are made for one height and twice, four times, ... it.
  double line_unit() const { return 8.0 / 1.5 / std::max(shift_, 0.2); }
  int octave_of(Complex d) const {
    const double height = std::max(std::abs(d.real()), d.imag()), unit = line_unit();
    return height <= unit ? 0 : static_cast<int>(std::ceil(std::log2(height / unit)));
  }
  bool worth_a_line(Complex d) const {
    return spacing_for(std::ldexp(line_unit(), octave_of(d))).count() < longest_;
  }
  const LineNodes& line_for(int octave) const {
    auto& line = lines_[octave];
    if (line.loss.empty()) {
      const Rule rule = make_rule(std::ldexp(line_unit(), octave));
      for (std::size_t i = 0; i < rule.loss.size(); ++i) {
        line.loss.push_back(static_cast<double>(rule.loss[i] - jet_.first));
        line.weight.push_back(static_cast<double>(std::exp(rule.exponent[i] - jet_.value)));
      }
    }
    return line;
  }

  // log E[e^x] = log(1 + E[e^x - 1 - x]), x = d (L - mean), under the tilted law.
  ExpansionValue on_the_line(Complex d) const {
    const LineNodes& line = line_for(octave_of(d));
    if (line.loss.empty()) return {0.0, infinity};
    Complex sum;
    double size = 0.0, whole = 0.0;
    for (std::size_t i = 0; i < line.loss.size(); ++i) {
      const double weight = line.weight[i];
      const Complex x = line.loss[i] * d;
      if (weight < 1e-18 && std::log(weight) + x.real() < -60.0) continue;
      const Complex term = beyond_tangent(x);
      const double length = size_of(term);
      sum += weight * term;
      size += weight * length;
      whole += weight * (length + 1.0);
    }
    const double rest = size_of(1.0 + sum);
    const double error =
        (ulp * 4.0 * size + whole * 4.0 * std::exp(-digits_)) / rest + ulp * 2.0 * size_of(sum);
    return {log_of_one_plus(sum), error};
  }

  std::shared_ptr<const SubsampledContours> contours_;
  long double mu_;
  double shift_, rate_;
  long double power_;  // the center's z + 1
  double count_, digits_;
  double longest_;  // of few copies a contour is exact enough, and sooner laid than a long line
  Jet jet_;
  // At the center: losses less their mean, and the masses of each and less, of each and more.
  std::vector<double> losses_, up_to_, from_;
  Mode mode_;
  mutable std::map<int, LineNodes> lines_;
};

}  // namespace

// On Im t = b the integrand grows at most by exp(b^2/2 + |y| mu b), and for negative powers a by
// cos(mu b / 2)^a, about exp(-a mu^2 b^2 / 8): a narrower strip is better for large ones.
TrapeziumStrip trapezium_strip(double mu, double least, double height, double digits) {
  double b = std::min(1.5 / mu, 8.0);
  if (least < 0.0) b = std::min(b, std::sqrt(8.0 * digits / -least) / mu);
  return {b,
          b * b / 2.0 + height * mu * b + std::min(least, 0.0) * std::log(std::cos(mu * b / 2.0))};
}

std::unique_ptr<LawExpansion> expand_subsampled_gaussian(
    std::shared_ptr<const SubsampledContours> contours, double center, double count) {
  return std::make_unique<SubsampledGaussianExpansion>(std::move(contours), center, count);
}

}  // namespace modicum
