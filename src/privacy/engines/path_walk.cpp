#include "privacy/engines/path_walk.h"

#include <algorithm>
#include <cmath>

#include "numerics/gauss_legendre.h"
#include "numerics/precise_ball.h"
#include "privacy/laws/subsampled_expansion.h"

namespace modicum {
namespace {

// Gauss's rule on each stretch of the path, and the ellipse around it on which the integrand is
// bounded: the sum of its semiaxes, and these, rounded up.
constexpr int gauss_count = 56;
constexpr double ellipse = 1.45, major_axis = 1.0698277, minor_axis = 0.3801725;
constexpr int most_stretches = 60;
// What a stretch and a ray cost beside the nodes of their contours, and what one in vain, in nodes.
constexpr double attempt_cost = 500.0, ray_cost = 2000.0, failure_cost = 4000.0;
constexpr double margin = 1e-6;  // for what is added up in doubles

// Corners of a convex set that holds the ellipse around a stretch; or, where that crosses the real
// axis, of a box that holds what is above it and the mirror image of what is below.
std::vector<std::complex<double>> corners_around(std::complex<double> middle,
                                                 std::complex<double> half) {
  std::vector<std::complex<double>> corners;
  for (const double along : {-major_axis, major_axis})
    for (const double across : {-minor_axis, minor_axis})
      corners.push_back(middle + half * std::complex<double>(along, across));
  if (std::ranges::all_of(corners, [](std::complex<double> a) { return a.imag() >= 0.0; }))
    return corners;
  double low = infinity, high = -infinity, top = 0.0;
  for (const std::complex<double> a : corners) {
    low = std::min(low, a.real());
    high = std::max(high, a.real());
    top = std::max(top, std::abs(a.imag()));
  }
  return {{low, 0.0}, {low, top}, {high, 0.0}, {high, top}};
}

}  // namespace

PathWalk::PathWalk(const DirectedLoss& loss, const LossMoment& moment, double shift, Effort effort)
    : loss_(loss), moment_(moment), log_enough_(effort.log_left_out), work_(effort.nodes) {
  path_.home_ = shift;
}

std::optional<ProvedPath> PathWalk::path() {
  if (!start() || !take_out_tangents() || !share_the_shift() || !choose_rise() || !walk())
    return std::nullopt;
  path_.at_home_ = path_.integral(path_.home_);
  path_.width_ = relative_width(path_.at_home_);
  return std::move(path_);
}

bool PathWalk::start() {
  for (const LawPart& part : loss_.laws) parts_.push_back({*part.law->sampled_shift(), part.count});
  path_.reversed_ = parts_.front().pair.reversed;
  const auto saddle = find_saddle(moment_, path_.home_, Kernel::profile);
  if (!saddle || !(saddle->point > 1e-9 && saddle->point < 1e6)) return false;
  // start - 1 is exact: the center is where the path starts, wherever the saddle point is.
  path_.start_ = path_.reversed_ ? -saddle->point : saddle->point + 1.0;
  path_.center_ = path_.reversed_ ? saddle->point : path_.start_ - 1.0;
  sigma_ = path_.reversed_ ? -path_.home_ : path_.home_;
  const double c = path_.center_;
  const double curvature =
      static_cast<double>(moment_.jet(c).second) + 1.0 / (c * c) + 1.0 / ((c + 1.0) * (c + 1.0));
  scale_ = std::min(1.0 / std::sqrt(curvature), c);
  for (const SpectrumComponent& component : loss_.gaussian.components())
    square_ += to_ball(component.mean_square);
  for (const auto& part : moment_.atomic())
    if (dynamic_cast<const LawMoment*>(part.get()) == nullptr) others_.push_back(part.get());
  for (const TwoPointPart& part : loss_.two_points)
    largest_other_ += to_ball(part.epsilon).upper() * part.count * (1.0 + margin);
  for (const LaplacePart& part : loss_.laplaces)
    largest_other_ += to_ball(part.range).upper() * part.count * (1.0 + margin);
  peak_ = log_others(path_.start_, path_.start_, 0.0) - std::log(c * (c + 1.0));
  taken_out_ = std::round(peak_);
  path_.log_scale_ = Ball(taken_out_);
  return std::isfinite(peak_) && scale_ > 0.0;
}

// What is left when they are taken out, with the factor of the shift, neither grows nor falls like
// an exponential: the slopes of log M at the start, less what these and the other parts have too
// much of, which is the slope of the kernel where the start is the saddle point itself.
bool PathWalk::take_out_tangents() {
  const double side = path_.reversed_ ? -1.0 : 1.0;
  const double excess = side * static_cast<double>(moment_.jet(path_.center_).first) - sigma_;
  double spread = 0.0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    part.expansion = loss_.laws[i].law->expand(path_.center_, part.count);
    const Jet jet = part.expansion->center();
    if (!std::isfinite(static_cast<double>(jet.uncertainty))) return false;
    part.tangent = {path_.start_, static_cast<double>(jet.value),
                    side * static_cast<double>(jet.first)};
    spread += part.count * (part.tangent.slope - part.least_loss());
  }
  if (!(spread > 0.0)) return false;
  for (Part& part : parts_) {
    part.tangent.slope -= excess * (part.tangent.slope - part.least_loss()) / spread;
    path_.log_scale_ += Ball(part.count) * Ball(part.tangent.value);
    path_.slope_ += Ball(part.count) * Ball(part.tangent.slope);
  }
  slope_ = path_.slope_.middle();
  return true;
}

// On the ray each part has to fall faster than e^{drift Re a} grows. The drifts lie between the
// least losses and the slopes; a tenth of the way is kept for smaller shifts.
bool PathWalk::share_the_shift() {
  double least = largest_other_, spread = 0.0;
  for (const Part& part : parts_) {
    least += part.count * part.least_loss();
    spread += part.count * (part.tangent.slope - part.least_loss());
  }
  const double share = 0.9 * (sigma_ - least) / spread;
  if (!(share > 0.0 && std::isfinite(share))) return false;
  double total = largest_other_, sizes = total;
  for (Part& part : parts_) {
    part.drift = part.least_loss() + share * (part.tangent.slope - part.least_loss());
    total += part.count * part.drift;
    sizes += part.count * std::abs(part.drift);
  }
  path_.least_sigma_ = total + 1e-12 * sizes;
  return path_.least_sigma_ <= sigma_;
}

double PathWalk::log_tolerated() const { return peak_ + std::log(scale_) + log_enough_; }

// log of the largest size of all other parts for these Re a and for heights from `least` on.
double PathWalk::log_others(double low, double high, double least) const {
  double sum = 0.0;
  const auto add_larger = [&](const auto& value) { sum += std::max(value(low), value(high)); };
  if (!loss_.gaussian.is_trivial())
    add_larger([&](double x) {
      const Ball a = x, y = least;
      return (square_ / 2.0 * (a * (a - 1.0) - y * y)).upper();
    });
  for (const AtomicMoment* part : others_)
    add_larger(
        [&](double x) { return part->value(path_.reversed_ ? Ball(-x) : Ball(x) - 1.0).upper(); });
  return sum;
}

// About log of the integrand, relative to the start.
double PathWalk::log_estimate(double along) const {
  const Complex a = point(along), d = a - path_.start_;
  double sum = -sigma_ * d.real() + log_others(a.real(), a.real(), a.imag()) -
               std::log(std::abs(a) * std::abs(a - 1.0)) - peak_;
  for (const Part& part : parts_) {
    const ExpansionValue value = part.expansion->at(path_.reversed_ ? -d : d);
    if (!(part.count * value.error < 1.0)) return infinity;
    const auto first = static_cast<double>(part.expansion->center().first);
    sum += part.count * (value.value.real() + (path_.reversed_ ? -first : first) * d.real());
  }
  return sum;
}

// log of the size of all subsampled parts on the ray from here on, at its largest.
double PathWalk::log_ray(double along) {
  work_ -= ray_cost;
  double sum = (slope_ - sigma_) * along;
  for (const Part& part : parts_)
    sum += part.count *
           log_bound_on_ray(part.pair, part.tangent, point(along), path_.rise_, part.drift);
  return sum;
}

// The integrand should not climb, and the ray at the end should be proved to be small.
bool PathWalk::choose_rise() {
  double best = infinity, chosen = 0.0;
  for (const double rise : {2.0, 4.0, 8.0, 16.0}) {
    path_.rise_ = rise;
    // Known beforehand where rare samples would be tried in vain: the path has to be so long that
    // it could not end.
    if (sigma_ > 0.0 && 300.0 / sigma_ > farthest() &&
        !(log_ray_integral(0.7 * farthest()) < log_tolerated()))
      continue;
    double along = 0.5 * scale_ / speed(), climb = 0.0, size = 0.0;
    for (; std::abs(size) < 1e3 && size > log_enough_; along *= 1.5) {
      size = log_estimate(along);
      climb = std::max(climb, size);
    }
    const bool known = size <= log_enough_;
    const double ray = log_ray(known ? along : 3.0 * scale_);
    if (!(ray < infinity)) continue;
    // Where nothing is known of it, a steep path hardly climbs.
    const double rank =
        known ? std::max(climb, 3.0) + std::max(ray - peak_ - log_enough_, 0.0) : 1e4 / rise;
    if (rank < best) {
      best = rank;
      chosen = rise;
    }
    if (rank == 3.0) break;
  }
  path_.rise_ = chosen;
  return chosen > 0.0;
}

// How far the path may be walked, as rays are to be had.
double PathWalk::farthest() const {
  double size = infinity;
  for (const Part& part : parts_) size = std::min(size, farthest_ray(part.pair));
  return size / speed();
}

bool PathWalk::walk() {
  const double pole = std::min(std::abs(path_.start_), std::abs(path_.start_ - 1.0));
  double along = 0.0, length = std::min(5.0 * scale_, 1.5 * pole) / speed();
  for (int i = 0; i < most_stretches && work_ > 0.0; ++i) {
    std::optional<Stretch> stretch;
    for (; !stretch && length > 1e-3 * along && work_ > 0.0; length *= 0.6)
      stretch = stretch_between(along, along + length);
    if (!stretch) return false;
    add_nodes(*stretch);
    path_.left_out_.push_back(stretch->left_out);
    along = stretch->to;
    if (add_ray(along)) return true;
    if (along > farthest()) return false;
    const double spare = log_tolerated() - taken_out_ - stretch->left_out.log_size;
    length = (stretch->to - stretch->from) * (spare > 12.0 ? 2.0 : spare > 5.0 ? 1.5 : 1.1);
  }
  return false;
}

// Empty if the rule would leave out too much.
std::optional<PathWalk::Stretch> PathWalk::stretch_between(double from, double to) {
  const Complex middle = point(0.5 * (from + to));
  const Complex half = Complex(1.0, path_.rise_) * (0.5 * (to - from));
  const double radius = major_axis * std::abs(half);
  const double to_zero = std::abs(middle) - radius, to_one = std::abs(middle - 1.0) - radius;
  work_ -= attempt_cost;
  if (!(to_zero > 0.0 && to_one > 0.0)) return std::nullopt;
  const std::vector<Complex> corners = corners_around(middle, half);
  std::vector<double> log_size;
  double low = infinity, high = -infinity, least = infinity;
  for (const Complex a : corners) {
    low = std::min(low, a.real());
    high = std::max(high, a.real());
    least = std::min(least, a.imag());
    log_size.push_back((slope_ - sigma_) * (a.real() - path_.start_));
  }
  Stretch stretch{from, to, {}, {}};
  for (const Part& part : parts_) {
    auto contour = SampledContour::make(part.pair, {part.tangent, corners},
                                        40.0 + std::log(part.count), part.count > many_copies);
    work_ -= contour ? contour->cost() : failure_cost;
    if (!contour) return std::nullopt;
    for (std::size_t i = 0; i < corners.size(); ++i)
      log_size[i] += part.count * contour->log_bounds()[i];
    stretch.contours.push_back(*std::move(contour));
  }
  // 64/15 M R^{-2n} / (1 - R^{-2}) on [-1, 1].
  const double rule = 64.0 / 15.0 * std::pow(ellipse, -2.0 * gauss_count) /
                      (1.0 - std::pow(ellipse, -2.0)) * std::abs(half) / (to_zero * to_one);
  const double log_error =
      *std::ranges::max_element(log_size) + log_others(low, high, least) + std::log(rule) + margin;
  if (!(log_error < log_tolerated())) return std::nullopt;
  stretch.left_out = {log_error - taken_out_, low - path_.start_, high - path_.start_};
  return stretch;
}

void PathWalk::add_nodes(const Stretch& stretch) {
  const Ball middle = (Ball(stretch.from) + Ball(stretch.to)) / 2.0;
  const Ball half = (Ball(stretch.to) - Ball(stretch.from)) / 2.0;
  const ComplexBall direction(Ball(1.0), Ball(path_.rise_)), one(Ball(1.0));
  const Ball unit = exp(Ball(-taken_out_));
  for (const BallGaussPoint& gauss : ball_gauss_legendre(gauss_count)) {
    const Ball along = middle + half * gauss.place;
    const long double r = to_long_double(along);
    ComplexBall value(gauss.weight * half);
    for (std::size_t i = 0; i < parts_.size(); ++i)
      value *= power(stretch.contours[i].at({path_.start_ + r, path_.rise_ * r}), parts_[i].count);
    const ComplexBall a = direction * along + ComplexBall(Ball(path_.start_));
    const ComplexBall square = a * (a - one);  // z (z + 1)
    if (!loss_.gaussian.is_trivial()) value *= exp(square * (square_ / 2.0));
    for (const AtomicMoment* part : others_) value *= part->moment(path_.reversed_ ? -a : a - one);
    value *= direction / square * unit;
    const Ball real = value.real(), imaginary = value.imaginary();
    const double widths = (real.upper() - real.lower()) + (imaginary.upper() - imaginary.lower());
    path_.nodes_.push_back({r, {real.middle(), imaginary.middle()}, 0.5 * widths});
  }
}

// log of at least what lies beyond this point: |da| / |a (a-1)| adds up to at most
// |1 + i rise| / (rise^2 r).
double PathWalk::log_ray_integral(double along) {
  const Complex a = point(along);
  return log_ray(along) + log_others(a.real(), a.real(), a.imag()) +
         std::log(speed() / (path_.rise_ * path_.rise_ * along)) + margin;
}

// Whether what lies beyond this point is proved to be negligible.
bool PathWalk::add_ray(double along) {
  const Complex a = point(along);
  // Not worth the time where the integrand is known to be larger.
  const double estimate = log_estimate(along) + std::log(along / scale_);
  if (std::isfinite(estimate) && estimate > log_enough_ + 4.0) return false;
  // A Gaussian part falls along the ray.
  if (!loss_.gaussian.is_trivial() && !(path_.rise_ * a.imag() > a.real())) return false;
  const double log_size = log_ray_integral(along);
  if (!(log_size < log_tolerated())) return false;
  path_.left_out_.push_back({log_size - taken_out_, along, along});
  return true;
}

}  // namespace modicum
