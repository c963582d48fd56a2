#include "privacy/sampled_laplace/laplace_rays.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "privacy/quantity_value.h"
#include "privacy/sampled_laplace/gauss_stretch.h"

namespace modicum {
namespace {

constexpr long ray_bits = 128;
constexpr double log_stretch_left_out = -38.0;  // of the whole, by a stretch
constexpr double log_of_nothing = -48.0;
constexpr int most_ray_stretches = 300;
constexpr double ray_margin = 1e-6;
constexpr double place_unit = static_cast<double>(std::numeric_limits<long double>::epsilon());

std::complex<double> rounded(std::complex<long double> z) {
  return {static_cast<double>(z.real()), static_cast<double>(z.imag())};
}

double log_sum(double a, double b) {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

// Along the rays.
std::complex<double> direction_of(RaySide side) {
  return {side == RaySide::right ? 1.0 : -1.0, 1.0};
}

std::complex<long double> kernel(std::complex<long double> a) { return 1.0L / times(a, a - 1.0L); }

}  // namespace

LaplaceRays::LaplaceRays(const SampledLaplace& noise, double count, double shift)
    : law_(noise),
      reversed_(noise.reversed),
      lower_(LaplaceEnd::Which::lower, law_.lower_excess),
      upper_(LaplaceEnd::Which::upper, law_.upper_excess),
      terms_(count, law_.width),
      home_(shift),
      log_lower_mass_(-std::numbers::ln2),
      log_upper_mass_(-std::numbers::ln2 - law_.range.middle()),
      loss_width_(law_.width.middle()) {}

std::optional<RayShift> LaplaceRays::shifted(double shift) const {
  const Ball sigma = reversed_ ? -Ball(shift) : Ball(shift);
  return terms_.shifted(Ball(terms_.count()) * law_.low - sigma);
}

// Where the integrand is least on the real axis.
bool LaplaceRays::find_start(const RayShift& shift) {
  const double count = terms_.count(), offset = static_cast<double>(shift.offset);
  const auto place = [&](double t) { return reversed_ ? -std::exp(t) : 1.0 + std::exp(t); };
  const auto log_size = [&](double t) {
    const double a = place(t);
    const auto line = LaplaceLine::make(law_, a, 0.0);
    return line ? count * line->log_scale() + a * offset - std::log(std::abs(a * (a - 1.0)))
                : infinity;
  };
  double low = -14.0, high = std::max(0.0, -std::log(loss_width_)) + 11.0;
  for (int i = 0; i < 40 && high - low > 1e-2; ++i) {
    const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
    if (log_size(a) < log_size(b)) high = b;
    else low = a;
  }
  start_ = place(0.5 * (low + high));
  return std::isfinite(start_);
}

// So high that the terms at the top are no larger than the moment at the start.
bool LaplaceRays::find_rise() {
  const double count = terms_.count();
  const auto at_start = LaplaceLine::make(law_, start_, 0.0);
  if (!at_start) return false;
  const double least = std::max(lower_.least_height(), upper_.least_height());
  rise_ = std::max({least, 0.75 * std::abs(start_)});
  for (int i = 0; i < 24; ++i, rise_ *= 1.4) {
    const auto rules = rules_around({start_, rise_}, 0.0);
    if (!rules) return false;
    const double terms = log_sum(
        std::log(rules->lower.at({start_, rise_}).most()) + log_lower_mass_,
        std::log(rules->upper.at({start_, rise_}).most()) + log_upper_mass_ + start_ * loss_width_);
    if (count * (terms - at_start->log_scale()) < 1.0) break;
  }
  // Of many copies they are not even needed from a place that is not much higher.
  for (double higher = std::max(rise_, std::abs(start_) + 1.0); higher < 6.0 * rise_; higher *= 1.3)
    if (count * (log_ends(higher, start_) - at_start->log_scale()) < log_of_nothing) {
      rise_ = higher;
      break;
    }
  line_ = LaplaceLine::make(law_, start_, rise_);
  if (!line_) return false;
  const double to_pole = reversed_ ? -start_ : start_ - 1.0;
  const double spread = 1.0 / std::sqrt(count * line_->variance());
  log_tolerated_ = std::log(std::min(to_pole, spread) / std::abs(start_ * (start_ - 1.0))) +
                   log_stretch_left_out;
  return std::isfinite(log_tolerated_);
}

double LaplaceRays::log_ends(double height, double real) const {
  return log_sum(std::log(lower_.most(height)) + log_lower_mass_,
                 std::log(upper_.most(height)) + log_upper_mass_ + real * loss_width_);
}

double LaplaceRays::log_kernel_around(Complex middle, double radius) const {
  const double to_zero = std::abs(middle) - radius, to_one = std::abs(middle - 1.0) - radius;
  return to_zero > 0.0 && to_one > 0.0 ? -std::log(to_zero) - std::log(to_one) + 1e-12 : infinity;
}

std::optional<LaplaceRays::EndRules> LaplaceRays::rules_around(Complex middle,
                                                               double radius) const {
  const double height = (middle.imag() - radius) * (1.0 - 1e-12);
  const double size = (std::abs(middle + 1.0) + radius) * (1.0 + 1e-12);
  if (!(height > 0.0)) return std::nullopt;
  auto lower = lower_.rule(height, size), upper = upper_.rule(height, size);
  if (!lower || !upper) return std::nullopt;
  return EndRules{*std::move(lower), *std::move(upper)};
}

// |M(a)| is at most its value at Re a, and what the two ends are at most: of either the logarithm
// with the shift is convex in Re a, and the one that is better at home is kept.
std::optional<LaplaceRays::LeftOut> LaplaceRays::left_out_on_line(double middle, double half,
                                                                  const RayShift& shift) const {
  const double count = terms_.count(), radius = stretch_disc * half;
  LeftOut result{RaySide::line,
                 log_stretch_rule(half) + log_kernel_around({start_, middle}, radius),
                 start_ - radius, start_ + radius};
  const auto left = LaplaceLine::make(law_, result.least_real, 0.0),
             right = LaplaceLine::make(law_, result.largest_real, 0.0);
  if (!left || !right || !(result.log_size < infinity)) return std::nullopt;
  result.log_at_least = count * left->log_most();
  result.log_at_largest = count * right->log_most();
  const double height = middle - radius;
  if (!(height > 0.0)) return result;
  LeftOut other = result;
  other.log_at_least = count * log_ends(height, result.least_real);
  other.log_at_largest = count * log_ends(height, result.largest_real);
  return log_error(other, shift) < log_error(result, shift) ? other : result;
}

// All beyond a place from which |w|, w = a - 1/2, grows: |a (a - 1)| >= |w|^2 - 1/4, and |w|^2 is
// at least its value there plus the square of the distance, so that the kernel adds up to at most
// pi/2 / sqrt(|w|^2 - 1/4).
LaplaceRays::LeftOut LaplaceRays::left_out_beyond(RaySide side, Complex end) const {
  const double size = std::abs(end - 0.5) * (1.0 - 1e-12), height = end.imag() * (1.0 - 1e-12);
  return {side,
          std::log(0.5 * std::numbers::pi / std::sqrt((size - 0.5) * (size + 0.5))) + 1e-12,
          end.real(),
          end.real(),
          std::log(lower_.most(height)) + log_lower_mass_,
          std::log(upper_.most(height)) + log_upper_mass_};
}

// Divided by the moment at the start; with a margin for the rounding of all that is added up.
double LaplaceRays::log_error(const LeftOut& place, const RayShift& shift) const {
  const double count = terms_.count(), offset = static_cast<double>(shift.offset);
  const double scale = count * line_->log_scale() + start_ * offset;
  const double reals = std::abs(place.least_real) + std::abs(place.largest_real);
  const double sizes = std::abs(place.log_size) + std::abs(scale) + std::abs(place.log_at_least) +
                       std::abs(place.log_at_largest) +
                       count * (std::abs(place.log_lower) + std::abs(place.log_upper)) +
                       (count * loss_width_ + std::abs(offset)) * reals;
  const double most =
      place.side == RaySide::line
          ? std::max(place.log_at_least + offset * place.least_real,
                     place.log_at_largest + offset * place.largest_real)
          : terms_.log_most(place.side,
                            place.side == RaySide::left ? place.largest_real : place.least_real,
                            place.log_lower, place.log_upper, shift);
  return place.log_size + most - scale + ray_margin + 1e-13 * sizes;
}

void LaplaceRays::add_to_line(double from, double to) {
  const double count = terms_.count();
  const long double half = 0.5L * (static_cast<long double>(to) - from), middle = from + half;
  for (const StretchPoint& gauss : stretch_points()) {
    LineNode node;
    node.height = middle + half * gauss.place;
    node.weight = times(FineComplex(0.0L, half * gauss.weight),
                        kernel({static_cast<long double>(start_), node.height}));
    const auto moment = line_->at(node.height);
    const long double size = size_of(moment.value),
                      angle = std::atan2(moment.value.imag(), moment.value.real());
    node.power = std::polar(std::pow(size, static_cast<long double>(count)), count * angle);
    // |u^n - v^n| <= n |u - v| max^{n-1}; size and argument round by a few units for each factor.
    const double most = static_cast<double>(size) + moment.error + 1e-18;
    node.slope = count * std::pow(most, count - 1.0) * (1.0 + 1e-12);
    node.error = node.slope * (moment.error + 32.0 * place_unit * most) + 1e-300;
    line_nodes_.push_back(node);
  }
}

void LaplaceRays::add_to_ray(RaySide side, FineComplex middle, long double half,
                             const EndRules& rules) {
  const Complex direction = direction_of(side);
  const long double log_two = std::numbers::ln2_v<long double>;
  const long double range = to_long_double(law_.range);
  for (const StretchPoint& gauss : stretch_points()) {
    const FineComplex a = middle + FineComplex(direction) * (half * gauss.place);
    const Disc lower = rules.lower.at(rounded(a)), upper = rules.upper.at(rounded(a));
    // The factors are taken where a is rounded to; the terms are where the rule's place is rounded
    // to, and change by their own slopes.
    const double size = static_cast<double>(size_of(a)),
                 height = static_cast<double>(a.imag()) * (1.0 - 1e-12);
    const auto unsure = [&](const Disc& factor, double slope) {
      const double wrong = factor.radius() + size * (0x1p-52 + 4.0 * place_unit) * slope;
      const double left = size_of(factor.middle()) * (1.0 - 1e-12) - wrong;
      return left > 0.0 ? wrong / left : infinity;
    };
    const double error = std::max(unsure(lower, lower_.most_slope(height)),
                                  unsure(upper, upper_.most_slope(height)));
    const auto logarithm = [](const Disc& factor) {
      const FineComplex z(factor.middle());
      return FineComplex(std::log(std::norm(z)) / 2.0L, std::atan2(z.imag(), z.real()));
    };
    RayNode node{
        side, direction * static_cast<double>(half * gauss.weight) * rounded(kernel(a)),
        terms_.place(a, logarithm(lower) - log_two, logarithm(upper) - log_two - range, error)};
    ray_nodes_.push_back(node);
  }
}

bool LaplaceRays::walk_line(const RayShift& shift) {
  double from = 0.0, step = rise_;
  for (int i = 0; i < most_ray_stretches; ++i) {
    const double to = from + step > rise_ * (1.0 - 1e-9) ? rise_ : from + step;
    const auto left_out = left_out_on_line(0.5 * (from + to), 0.5 * (to - from), shift);
    if (!left_out || !(log_error(*left_out, shift) < log_tolerated_)) {
      step = 0.7 * (to - from);
      if (!(step > 1e-9 * rise_)) return false;
      continue;
    }
    add_to_line(from, to);
    left_out_.push_back(*left_out);
    if (to == rise_) return true;
    from = to;
    step *= 1.5;
  }
  return false;
}

// Stretch by stretch, until what is beyond is negligible.
bool LaplaceRays::walk_ray(RaySide side, const RayShift& shift) {
  const Complex top(start_, rise_), direction = direction_of(side);
  const double speed = std::numbers::sqrt2 * (1.0 + 1e-15);
  double from = 0.0, step = 0.5 * rise_;
  for (int i = 0; i < most_ray_stretches; ++i) {
    const Complex end = top + direction * from;
    if (std::abs(end) > 2.0 && (std::conj(direction) * (end - 0.5)).real() > 0.0) {
      const LeftOut beyond = left_out_beyond(side, end);
      if (log_error(beyond, shift) < log_tolerated_) {
        left_out_.push_back(beyond);
        return true;
      }
    }
    const double to = from + step, half = 0.5 * (to - from);
    const FineComplex fine_middle =
        FineComplex(top) + FineComplex(direction) * (0.5L * (static_cast<long double>(from) + to));
    const Complex middle = rounded(fine_middle);
    const double radius = stretch_disc * half * speed * (1.0 + 1e-12);
    const auto rules = rules_around(middle, radius);
    LeftOut left_out{side, log_stretch_rule(half * speed) + log_kernel_around(middle, radius),
                     middle.real() - radius, middle.real() + radius};
    if (rules) {
      const double height = middle.imag() - radius;
      const auto most = [&](const LaplaceEnd& end_part, const LaplaceEnd::Rule& rule) {
        return std::log(std::min(end_part.most(height),
                                 rule.at(middle).most() + radius * end_part.most_slope(height)));
      };
      left_out.log_lower = most(lower_, rules->lower) + log_lower_mass_;
      left_out.log_upper = most(upper_, rules->upper) + log_upper_mass_;
    }
    if (!rules || !(log_error(left_out, shift) < log_tolerated_)) {
      step *= 0.7;
      if (!(step > 1e-6 * (rise_ + from))) return false;
      continue;
    }
    add_to_ray(side, fine_middle, 0.5L * (static_cast<long double>(to) - from), *rules);
    left_out_.push_back(left_out);
    from = to;
    step *= 1.8;
  }
  return false;
}

bool LaplaceRays::lay() {
  const auto shift = shifted(home_);
  return shift && find_start(*shift) && find_rise() && walk_line(*shift) &&
         (shift->left > terms_.count() || walk_ray(RaySide::right, *shift)) &&
         (shift->left == 0.0 || walk_ray(RaySide::left, *shift));
}

std::optional<LaplaceRays> LaplaceRays::make(const SampledLaplace& noise, double count,
                                             double shift) {
  const PrecisionScope scope(ray_bits);
  LaplaceRays path(noise, count, shift);
  if (!path.lay()) return std::nullopt;
  path.width_ = relative_width(path.at(shift));
  return path;
}

Ball LaplaceRays::at(double at_shift) const {
  const PrecisionScope scope(ray_bits);
  const auto shift = shifted(at_shift);
  if (!shift) return Ball::between(0.0, 1.0);
  const double count = terms_.count(), log_scale = line_->log_scale();
  const double offset = std::abs(static_cast<double>(shift->offset));
  long double sum = 0.0L;
  double error = 0.0;
  for (const LineNode& node : line_nodes_) {
    const long double phase = node.height * shift->offset;
    const FineComplex value = times(node.power, FineComplex(std::cos(phase), std::sin(phase)));
    sum += times(node.weight, value).imag();
    // The place is known to some units, the power changes by its slope and the shift by itself.
    const double size = static_cast<double>(size_of(node.power)) + node.error,
                 height = static_cast<double>(node.height);
    const double moved =
        8.0 * place_unit * height * (node.slope * loss_width_ + 2.0 * offset * size);
    error +=
        static_cast<double>(size_of(node.weight)) * (node.error + moved + 32.0 * place_unit * size);
  }
  bool right_found = shift->left > count, left_found = shift->left == 0.0;
  for (const RayNode& node : ray_nodes_) {
    if ((node.side == RaySide::left ? shift->left == 0.0 : shift->left > count)) continue;
    (node.side == RaySide::left ? left_found : right_found) = true;
    const RaySum terms = terms_.sum(node.side, node.place, *shift, log_scale, start_);
    sum += times(node.weight, terms.value).imag();
    error += size_of(node.weight) * (terms.error + 0x1p-48 * size_of(terms.value));
  }
  Ball left_out;
  for (const LeftOut& place : left_out_) {
    (place.side == RaySide::left ? left_found : right_found) |= place.side != RaySide::line;
    const double log_size = log_error(place, *shift);
    if (log_size > -infinity) left_out += exp(Ball(log_size));
  }
  if (!right_found || !left_found || !std::isfinite(error)) return Ball::between(0.0, 1.0);
  const Ball scale = exp(Ball(count) * Ball(log_scale) + Ball(start_) * shift->exact_offset +
                         (reversed_ ? Ball(0.0) : Ball(at_shift)));
  return Ball(static_cast<double>(sum)).widened(Ball(error * (1.0 + 1e-9)) + left_out) * scale /
         Ball::pi();
}

}  // namespace modicum
