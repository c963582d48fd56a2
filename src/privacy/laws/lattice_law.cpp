#include "privacy/laws/lattice_law.h"

#include <algorithm>
#include <cmath>

#include "privacy/laws/lattice_power.h"

namespace modicum {
namespace {

constexpr double most_values_on_lattice = 2000.0, sums_for_all_digits = 4000.0;
// How far sums may be from the lattice: as much of the answer, or some ten times that, is unsure.
constexpr double furthest_off = 1e-9;

struct Lattice {
  Ball first, step;
  std::vector<std::size_t> places;  // value i is first + places[i] * step, up to `off`
  double off;
};

// The largest length of which both are multiples, up to less than the tolerance; Euclid's.
double common_measure(double a, double b, double tolerance) {
  while (b > tolerance) {
    double rest = std::fmod(a, b);
    if (b - rest < tolerance) rest = 0.0;
    a = b;
    b = rest;
  }
  return a;
}

std::optional<Lattice> lattice_of(const std::vector<LossValue>& values, double most_places) {
  if (values.size() < 2) return std::nullopt;
  const Ball &first = values.front().loss, whole = values.back().loss - first;
  const double size = whole.middle();
  if (!(size > 0.0 && std::isfinite(size) && most_places >= 1.0)) return std::nullopt;
  double measure = size;
  for (const LossValue& each : values)
    measure = common_measure(measure, (each.loss - first).middle(), 0.5 * size / most_places);
  const double parts = std::round(size / measure);
  if (!(parts >= 1.0 && parts <= most_places)) return std::nullopt;
  Lattice lattice{first, whole / Ball(parts), {}, 0.0};
  for (const LossValue& each : values) {
    const Ball from_first = each.loss - first;
    const double place = std::round((from_first / lattice.step).middle());
    const double off = abs(from_first - lattice.step * Ball(place)).upper();
    if (!(place >= 0.0 && place <= parts && off <= furthest_off)) return std::nullopt;
    lattice.places.push_back(static_cast<std::size_t>(place));
    lattice.off = std::max(lattice.off, off);
  }
  return lattice;
}

class LatticeSumLaw final : public LossLaw {
 public:
  LatticeSumLaw(std::vector<LossValue> values, double count, const Lattice& lattice,
                LatticePower power)
      : values_(std::move(values)),
        count_(count),
        first_(lattice.first * Ball(count) + lattice.step * Ball(power.first)),
        step_(lattice.step),
        off_(lattice.off * count * (1.0 + ulp)),
        x_(std::move(power.masses)),
        outside_{power.below_x, power.above_x, power.below_y, power.above_y} {
    const PrecisionScope scope(sum_bits);
    const std::size_t size = x_.size();
    above_x_.resize(size + 1);
    above_y_.resize(size + 1);
    below_x_.resize(size + 1);
    below_y_.resize(size + 1);
    // Y has exp(-loss) times the mass of X.
    const Ball at_zero = exp(-(lattice.first * Ball(count)).widened(off_));
    outside_.below_y *= at_zero;
    outside_.above_y *= at_zero;
    above_x_[size] = outside_.above_x;
    below_x_[0] = outside_.below_x;
    above_y_[size] = outside_.above_y;
    below_y_[0] = outside_.below_y;
    std::vector<Ball> y;
    const Ball fall = exp(-step_);
    Ball factor = exp(-first_.widened(off_));
    for (std::size_t k = 0; k < size; ++k) {
      y.push_back(x_[k] * factor);
      factor *= fall;
      below_x_[k + 1] = below_x_[k] + x_[k];
      below_y_[k + 1] = below_y_[k] + y[k];
    }
    for (std::size_t k = size; k-- > 0;) {
      above_x_[k] = above_x_[k + 1] + x_[k];
      above_y_[k] = above_y_[k + 1] + y[k];
    }
  }

  LossTails tails(double loss, Accuracy) const override {
    const PrecisionScope scope(tail_bits);
    const Places place = places_above(loss);
    const auto at = [&place](const std::vector<Ball>& sums, const Ball& unseen) {
      const Ball both = hull(sums[place.from], sums[place.to]);
      return max(unseen.exactly_zero() ? both : both + unseen, Ball(0.0));
    };
    // What lies below the window may be above a loss that does, and the other way round.
    const Ball none;
    return {at(above_x_, place.below_window ? outside_.below_x : none),
            at(below_x_, place.above_window ? outside_.above_x : none),
            at(above_y_, place.below_window ? outside_.below_y : none),
            at(below_y_, place.above_window ? outside_.above_y : none)};
  }
  // A sum at the shift itself hardly adds to the profile, whichever side it is counted on.
  std::optional<QuantityValue> profile(double epsilon, Accuracy) const override {
    const PrecisionScope scope(sum_bits);
    const Places place = places_above(epsilon);
    Ball value = outside_.above_x;
    if (place.to < x_.size()) value = above_x_[place.to] - exp(Ball(epsilon)) * above_y_[place.to];
    for (std::size_t k = place.from; k < place.to; ++k)
      value += x_[k] * max(-expm1(Ball(epsilon) - loss_at(k)), Ball(0.0));
    if (place.below_window) value += outside_.below_x;
    return QuantityValue{max(value, Ball(0.0))};
  }
  bool is_discrete() const override { return true; }
  double cost(Accuracy) const override { return 1e-5; }
  LossNodes nodes(double, double, int) const override { return {}; }
  Enclosure support() const override {
    const PrecisionScope scope(tail_bits);
    const Ball count = count_;
    return {(values_.front().loss * count).lower(), (values_.back().loss * count).upper()};
  }
  QuantityValue moment(const Ball& x) const override {
    const PrecisionScope scope(160);
    Ball sum;
    for (const LossValue& each : values_) sum += each.mass * exp(x * each.loss);
    return {exp(Ball(count_) * log(sum))};
  }
  std::optional<LossValue> largest_value() const override {
    const PrecisionScope scope(tail_bits);
    const LossValue& largest = values_.back();
    return LossValue{largest.loss * Ball(count_), exp(log(largest.mass) * Ball(count_))};
  }
  bool equals(const LossLaw& other) const override {
    const auto* same = dynamic_cast<const LatticeSumLaw*>(&other);
    const auto equal = [](const Ball& a, const Ball& b) {
      return arb_equal(a.raw(), b.raw()) != 0;
    };
    return same != nullptr && count_ == same->count_ &&
           std::ranges::equal(values_, same->values_, [&](const LossValue& a, const LossValue& b) {
             return equal(a.loss, b.loss) && equal(a.mass, b.mass);
           });
  }

 private:
  static constexpr long sum_bits = 1400, tail_bits = 192;

  Ball loss_at(std::size_t k) const {
    return (first_ + step_ * Ball(static_cast<double>(k))).widened(off_);
  }
  struct Places {
    std::size_t from, to;
    bool below_window, above_window;
  };
  // Sums from `to` on are surely above the loss, those before `from` surely not.
  Places places_above(double loss) const {
    const Ball place = (Ball(loss) - first_).widened(off_) / step_;
    const double last = static_cast<double>(x_.size());
    const auto next = [&](double end) {
      // A loss that is no number has no place.
      return static_cast<std::size_t>(std::clamp(std::floor(end) + 1.0, 0.0, last));
    };
    if (!place.finite()) return {0, x_.size(), true, true};
    return {next(place.lower()), next(place.upper()), !(place.lower() >= 0.0),
            !(place.upper() < last)};
  }

  std::vector<LossValue> values_;
  double count_;
  Ball first_, step_;
  double off_;
  std::vector<Ball> x_;
  struct Outside {
    Ball below_x, above_x, below_y, above_y;
  } outside_;
  // Index k: of the sums from the k-th on, or before it.
  std::vector<Ball> above_x_, above_y_, below_x_, below_y_;
};

}  // namespace

std::shared_ptr<const LossLaw> sum_of_values(std::vector<LossValue> values, double count) {
  const PrecisionScope scope(256);
  const auto lattice = lattice_of(values, most_values_on_lattice);
  if (!lattice || !(lattice->off * count <= furthest_off)) return nullptr;
  std::vector<Ball> masses(*std::ranges::max_element(lattice->places) + 1);
  for (std::size_t i = 0; i < values.size(); ++i) masses[lattice->places[i]] += values[i].mass;
  std::optional<LatticePower> power;
  if (count * static_cast<double>(masses.size()) <= sums_for_all_digits)
    power = whole_power(masses, count);
  else power = power_in_window(masses, count, lattice->step);
  if (!power) return nullptr;
  return std::make_shared<LatticeSumLaw>(std::move(values), count, *lattice, *std::move(power));
}

}  // namespace modicum
