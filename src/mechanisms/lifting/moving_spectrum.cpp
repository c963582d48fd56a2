#include "mechanisms/lifting/moving_spectrum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <optional>

#include "numerics/contour.h"
#include "numerics/gauss_legendre.h"
#include "numerics/precise_ball.h"
#include "privacy/engines/engine.h"
#include "privacy/gaussian/gaussian_moment.h"

namespace modicum {
namespace {

using Complex = std::complex<double>;

// Below this deltas are not told from 0.
constexpr double least_delta_told = 1e-300;

// K over a ball of the parameter, in one direction: K(-1 - z) is that of the other.
class MovingMoment {
 public:
  MovingMoment(std::vector<MovingCoordinates> coordinates, bool reversed)
      : coordinates_(std::move(coordinates)), reversed_(reversed) {
    for (const MovingCoordinates& each : coordinates_) logs_.push_back(log1p_minus(each.excess));
  }

  ComplexBall value(const ComplexBall& at) const {
    const ComplexBall z = place(at), twice = z * (z + one());
    ComplexBall sum;
    for (std::size_t i = 0; i < coordinates_.size(); ++i) {
      const MovingCoordinates& each = coordinates_[i];
      sum += twice / room(z, each) * (each.mean_square / 2.0) -
             (z * logs_[i] + log1p_minus(-(z * each.excess))) * Ball(each.multiplicity / 2.0);
    }
    return sum;
  }
  /// dK/dz.
  ComplexBall slope(const ComplexBall& at) const {
    const ComplexBall z = place(at);
    ComplexBall sum;
    for (std::size_t i = 0; i < coordinates_.size(); ++i) {
      const MovingCoordinates& each = coordinates_[i];
      const ComplexBall w = room(z, each);
      const Ball half = each.multiplicity / 2.0, t = each.excess;
      sum += z / w * (half * t * t) - ComplexBall(half * logs_[i]) +
             (one() + z * Ball(2.0) - z * z * t) / (w * w) * (each.mean_square / 2.0);
    }
    return reversed_ ? -sum : sum;
  }
  /// dK/dv, v the parameter, in which K is linear.
  ComplexBall change(const ComplexBall& at) const {
    const ComplexBall z = place(at), half = z * (z + one()) * Ball(0.5);
    ComplexBall sum;
    for (const MovingCoordinates& each : coordinates_)
      sum += half / room(z, each) * each.mean_square_slope;
    return sum;
  }

 private:
  static ComplexBall one() { return ComplexBall(Ball(1.0)); }
  ComplexBall place(const ComplexBall& z) const { return reversed_ ? -(z + one()) : z; }
  static ComplexBall room(const ComplexBall& z, const MovingCoordinates& each) {
    return one() - z * each.excess;
  }
  std::vector<MovingCoordinates> coordinates_;
  std::vector<Ball> logs_;
  bool reversed_;
};

GaussianSpectrum spectrum_of(const std::vector<MovingCoordinates>& coordinates) {
  GaussianSpectrum spectrum;
  for (const MovingCoordinates& each : coordinates)
    spectrum.add({to_precise("variance_excess", each.excess),
                  to_precise("mean_square", each.mean_square), each.multiplicity});
  return spectrum;
}

// An interval of parameters in one direction.
struct Stretch {
  double from, to;
  bool reversed;
  double middle() const { return 0.5 * (from + to); }
  double radius() const { return 0.5 * (to - from) + 0x1p-50; }
};

// What one path says about a stretch at a shift.
struct StretchBound {
  double upper, lower;  // of the largest delta of the stretch
  bool by_distance;     // most of what is between them comes from the path's being made for another
};

// The integral of contour-integral.md along one path, for all parameters of a stretch and for many
// shifts: nodes of Gauss's rule on the sides of a polygon, each with the integrand and with the
// slope of its exponent in the parameter.
class StretchPath {
 public:
  static std::optional<StretchPath> make(const MovingSpectrum& spectrum, const Stretch& stretch,
                                         double shift, double slack) {
    StretchPath path(spectrum, stretch, shift, slack < 1e-4 ? 16 : 10);
    const GaussianSpectrum middle = spectrum_of(spectrum(Ball(stretch.middle())));
    const GaussianMoment moment(stretch.reversed ? middle.reversed() : middle);
    const auto estimate = contour_integral(moment, shift, Kernel::profile);
    if (!estimate) return std::nullopt;
    path.path_ = estimate->path;
    path.center_ = ComplexBall(Ball(estimate->path.center));
    path.base_ = path.at_middle_.value(path.center_).real();
    path.spread_ = Ball(path.radius_) * abs(path.at_middle_.change(path.center_));
    if (!path.base_.finite() || !path.spread_.finite()) return std::nullopt;
    path.shorten(moment);
    const double size = path.path_.scale / std::abs(path.path_.center * (path.path_.center + 1.0));
    path.wanted_ = std::log(size * slack) - 7.0;
    return path;
  }

  // Chernoff's bound with the center of the path, for the whole stretch.
  double chernoff(double shift) const {
    const double c = path_.center;
    const Ball exponent = base_ + spread_ + Ball(c) * log(Ball(c)) -
                          (Ball(c) + 1.0) * log1p(Ball(c)) - Ball(shift) * Ball(c);
    return std::max(exp(exponent).upper(), least_delta_told);
  }

  // False where nothing finite comes out.
  bool add_nodes() {
    const int segments = std::max(1, static_cast<int>(std::ceil(path_.end / 0.5)));
    Complex from = 0.0;
    for (int k = 1; k <= segments; ++k) {
      const Complex to = path_.displacement(path_.end * k / segments);
      if (!add_segment(from, to)) return false;
      from = to;
    }
    return add_ray(from);
  }

  StretchBound at(double shift) const {
    const double moved = shift - home_;
    std::array<double, orders> coefficients{};
    double wrong = 0.0, far = 0.0;
    for (const Node& node : nodes_) {
      const Complex term = node.value * std::exp(-moved * node.place);
      const double size = std::abs(term.real()) + std::abs(term.imag());
      wrong += size * node.wrong;
      far += size * (std::abs(moved) * std::abs(node.place) + 1.0) * rounding;
      for (std::size_t j = 0; j < orders; ++j)
        coefficients[j] +=
            term.real() * node.powers[j].imag() + term.imag() * node.powers[j].real();
    }
    for (const Strip& each : strips_)
      far += std::exp(each.log_error - moved * each.middle + std::abs(moved) * each.reach);
    const Peak peak = largest_on_stretch(coefficients);
    const Ball scale = exp(base_ - Ball(shift) * Ball(path_.center)) / Ball::pi();
    const double most = (scale * Ball(peak.upper + wrong + far)).upper();
    const double least = (scale * Ball(std::max(0.0, peak.value - wrong - far))).lower();
    const bool by_distance = far > wrong + (peak.upper - peak.value);
    return {most > 0.0 ? std::max(most, least_delta_told) : infinity, least, by_distance};
  }
  double home() const { return home_; }

 private:
  static constexpr std::size_t orders = 8;         // in the parameter
  static constexpr std::size_t most_nodes = 1500;  // some hundred are usual
  static constexpr double ellipse = 2.5;           // on which the integrand is bounded
  static constexpr double rounding = 0x1p-40;      // of a sum over the nodes, relative to its sizes

  struct Node {
    Complex place, value;
    std::array<Complex, orders> powers;  // coefficients of the powers of tau
    double wrong;
  };
  // An error exp(log_error) at home that grows with a shift as e^{-shift z} does within `reach`.
  struct Strip {
    double log_error, middle, reach;
  };
  struct Side {
    Strip strip;
    double growth;
  };
  struct Peak {
    double value, upper;
  };

  StretchPath(const MovingSpectrum& spectrum, const Stretch& stretch, double shift, int points)
      : at_middle_(spectrum(Ball(stretch.middle())), stretch.reversed),
        all_(spectrum(Ball(stretch.middle()).widened(Ball(stretch.radius())))),
        at_all_(all_, stretch.reversed),
        reversed_(stretch.reversed),
        radius_(stretch.radius()),
        home_(shift),
        points_(points) {}

  // As far as the digits that are wanted need it, and as the bound on the ray allows.
  void shorten(const GaussianMoment& moment) {
    const auto expansion = moment.expand(path_.center);
    const auto slope = static_cast<double>(moment.jet(path_.center).first - home_);
    const double size = path_.scale / std::abs(path_.center * (path_.center + 1.0));
    for (double u = 0.5; u < path_.end; u += 0.25) {
      const Complex d = path_.displacement(u), z = path_.center + d;
      const VerticalBound above = expansion->above(d);
      const double y = d.imag(),
                   rate = above.power - 1.0 + y * y / std::norm(z) + y * y / std::norm(z + 1.0);
      if (!(rate > 0.1)) continue;
      const double rest = above.bound + slope * d.real() - std::log(std::abs(z * (z + 1.0))) +
                          std::log(y / rate) - std::log(size);
      if (!(rest < -28.0)) continue;
      path_.end = u;
      return;
    }
  }

  ComplexBall at_place(Complex d) const {
    return center_ + ComplexBall(Ball(d.real()), Ball(d.imag()));
  }
  static ComplexBall poles(const ComplexBall& z) { return z * (z + ComplexBall(Ball(1.0))); }
  // K(z) - K(c) - home (z - c) of the middle.
  ComplexBall exponent(const ComplexBall& z) const {
    return at_middle_.value(z) - ComplexBall(base_) - (z - center_) * Ball(home_);
  }

  // Halved where the integrand may grow too much beside it.
  bool add_segment(Complex from, Complex to, int depth = 0) {
    const Complex middle = 0.5 * (from + to), half = 0.5 * (to - from);
    if (nodes_.size() > most_nodes) return false;
    const std::optional<Side> side = error_beside(middle, std::abs(half));
    constexpr int deepest = 12;
    if (depth < deepest && (!side || (side->strip.log_error > wanted_ && side->growth > 1.5)))
      return add_segment(from, middle, depth + 1) && add_segment(middle, to, depth + 1);
    if (!side) return false;
    strips_.push_back(side->strip);
    const GaussRule& rule = gauss_legendre(points_);
    for (std::size_t i = 0; i < rule.points.size(); ++i)
      if (!add_node(middle + half * rule.points[i], half * rule.weights[i])) return false;
    return true;
  }

  // exp(tau G), |tau| <= r, as a polynomial of tau.
  bool add_node(Complex d, Complex weight) {
    const ComplexBall z = at_place(d);
    const ComplexBall value = exp(exponent(z)) / poles(z);
    const ComplexBall change = at_middle_.change(z);
    if (!value.finite() || !change.finite()) return false;
    const auto middle_of = [](const ComplexBall& x) {
      return Complex{x.real().middle(), x.imaginary().middle()};
    };
    const Complex f = middle_of(value), g = middle_of(change);
    const double size = abs(value).upper(),
                 off = abs(value - ComplexBall(Ball(f.real()), Ball(f.imag()))).upper(),
                 slope_off = abs(change - ComplexBall(Ball(g.real()), Ball(g.imag()))).upper();
    if (size == 0.0) return true;
    Node node{d, f * weight, {1.0}, 0.0};
    for (std::size_t j = 1; j < orders; ++j) node.powers[j] = g * node.powers[j - 1] / double(j);
    // The powers left out are at most those of exp(tau |G|) in size.
    const double r = radius_, x = r * std::abs(g);
    double left_out = infinity;
    for (double l = 1.0; l < 1e6; l *= 1.5)
      left_out = std::min(left_out, std::exp(l * x - orders * std::log(l)));
    node.wrong = 1.01 * (left_out +
                         (off / std::abs(f) + std::expm1(r * slope_off) + rounding) * std::exp(x));
    if (!std::isfinite(node.wrong)) return false;
    nodes_.push_back(node);
    return true;
  }

  // Gauss's rule with n points errs by at most 64/15 M rho^{-2n} / (1 - rho^{-2}) on [-1, 1] where
  // |f| <= M on the ellipse with foci -1 and 1 and semiaxes rho +- 1/rho, halved; its points and
  // weights, known to 2^-52, add less than 2^-46 M, and the rounding of places beside a middle
  // 2^-50 |middle| / half.
  std::optional<Side> error_beside(Complex middle, double half) const {
    const double reach = 1.001 * half * 0.5 * (ellipse + 1.0 / ellipse);
    const ComplexBall b = at_place(middle), region = b.widened(Ball(reach));
    const Ball growth = Ball(reach) * abs(at_all_.slope(region) - ComplexBall(Ball(home_)));
    const Ball log_size = exponent(b).real() + growth - log(abs(poles(region))) +
                          Ball(radius_) * abs(at_middle_.change(b));
    if (!log_size.finite()) return std::nullopt;
    const double rule = 64.0 / 15.0 * std::pow(ellipse, -2.0 * points_) /
                            (1.0 - 1.0 / (ellipse * ellipse)) * 1.001 +
                        0x1p-46 + 0x1p-50 * std::abs(middle) / half;
    const double log_error = log_size.upper() + std::log(rule * half) + 1e-9;
    return Side{{log_error, middle.real(), reach}, growth.upper()};
  }

  // What lies above the last corner, by the bound of contour-integral.md over all of the stretch.
  bool add_ray(Complex d) {
    const GaussianSpectrum all = spectrum_of(all_);
    const auto expansion =
        GaussianMoment(reversed_ ? all.reversed() : all).expand_ball(path_.center);
    const ComplexBall place(Ball(d.real()), Ball(d.imag()));
    const BallVerticalBound above = expansion->above(place);
    const Ball x = Ball(path_.center) + Ball(d.real()), y = d.imag();
    const auto decay = [&](const Ball& distance) { return y * y / (distance * distance + y * y); };
    const Ball rate = above.power - 1.0 + decay(x) + decay(x + 1.0);
    if (!rate.surely_positive()) return false;
    const Ball log_size = expansion->value() - base_ + above.bound +
                          (expansion->slope() - Ball(home_)) * Ball(d.real()) -
                          log(abs(poles(at_place(d)))) + log(y / rate);
    if (!log_size.finite()) return false;
    strips_.push_back({log_size.upper() + 1e-9, d.real(), 0.0});
    return true;
  }

  // The largest value of the polynomial on the stretch, from steps on which it either surely rises
  // or falls, or exceeds its ends by no more than step^2/8 times the second derivative.
  Peak largest_on_stretch(const std::array<double, orders>& coefficients) const {
    const auto value_at = [&](double tau) {
      double value = 0.0;
      for (std::size_t j = orders; j-- > 0;) value = value * tau + coefficients[j];
      return value;
    };
    const auto slope_at = [&](double tau) {
      double slope = 0.0;
      for (std::size_t j = orders; j-- > 1;)
        slope = slope * tau + static_cast<double>(j) * coefficients[j];
      return slope;
    };
    double curvature = 0.0, power = 1.0;
    for (std::size_t j = 2; j < orders; ++j, power *= radius_)
      curvature += static_cast<double>(j * (j - 1)) * std::abs(coefficients[j]) * power;
    curvature *= 1.001;
    constexpr int steps = 16;
    const double step = 2.0 * radius_ / steps;
    double before = value_at(-radius_);
    Peak peak{before, before};
    for (int i = 1; i <= steps; ++i) {
      const double end = -radius_ + step * i, value = value_at(end);
      const bool turns = std::abs(slope_at(end - 0.5 * step)) <= 0.5001 * step * curvature;
      const double larger = std::max(before, value);
      peak.value = std::max(peak.value, value);
      peak.upper = std::max(peak.upper, larger + (turns ? step * step / 8.0 * curvature : 0.0));
      before = value;
    }
    return peak;
  }

  MovingMoment at_middle_;
  std::vector<MovingCoordinates> all_;
  MovingMoment at_all_;
  bool reversed_;
  double radius_, home_;
  int points_;           // of the rule, on each side of the polygon
  double wanted_ = 0.0;  // log of the error that a side may have
  ContourPath path_{};
  ComplexBall center_;
  Ball base_, spread_;  // K(c) of the middle, and how far others of the stretch are from it
  std::vector<Node> nodes_;
  std::vector<Strip> strips_;
};

// Stretches are cut in two, and shifts parted among paths, until all are proved.
class LargestDeltas {
 public:
  LargestDeltas(const MovingSpectrum& spectrum, const std::vector<double>& epsilons, double slack)
      : spectrum_(spectrum),
        epsilons_(epsilons),
        slack_(slack),
        found_(epsilons.size(), 0.0),
        bounds_(epsilons.size(), 0.0) {}

  std::vector<double> prove() {
    std::vector<Open> all;
    for (std::size_t i = 0; i < epsilons_.size(); ++i) all.push_back({i, infinity});
    constexpr int first = 4;
    const std::size_t most_tasks = 120 + epsilons_.size();  // twenty are usual for one
    for (int i = 0; i < first; ++i)
      for (const bool reversed : {false, true})
        tasks_.push_back(
            {{static_cast<double>(i) / first, static_cast<double>(i + 1) / first, reversed}, all});
    for (std::size_t done = 0; !tasks_.empty(); ++done) {
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      std::erase_if(task.open, [&](const Open& each) { return settles(each.place, each.upper); });
      if (task.open.empty()) continue;
      if (done < most_tasks && failures_ < 16 && task.stretch.to - task.stretch.from > 1e-9)
        run(task);
      else
        for (const Open& each : task.open) bounds_[each.place] = infinity;
    }
    return bounds_;
  }

 private:
  // A stretch, the epsilons that are open on it, and what is known there already.
  struct Open {
    std::size_t place;
    double upper;
  };
  struct Task {
    Stretch stretch;
    std::vector<Open> open;
  };

  bool settles(std::size_t i, double bound) {
    if (!(bound <= std::max(found_[i] * (1.0 + slack_), least_delta_told))) return false;
    bounds_[i] = std::max(bounds_[i], bound);
    return true;
  }
  void halve(const Stretch& stretch, const std::vector<Open>& open) {
    if (open.empty()) return;
    const double middle = stretch.middle();
    tasks_.push_back({{stretch.from, middle, stretch.reversed}, open});
    tasks_.push_back({{middle, stretch.to, stretch.reversed}, open});
  }

  void run(const Task& task) {
    const std::size_t home = task.open[task.open.size() / 2].place;
    auto path = StretchPath::make(spectrum_, task.stretch, epsilons_[home], slack_);
    if (!path) return halve(task.stretch, task.open);
    std::vector<Open> open;
    bool at_home = false;
    for (Open each : task.open) {
      each.upper = std::min(each.upper, path->chernoff(epsilons_[each.place]));
      if (settles(each.place, each.upper)) continue;
      open.push_back(each);
      at_home = at_home || each.place == home;
    }
    if (open.empty()) return;
    // Of the rest the middle one may be far from this home.
    if (!at_home) return tasks_.push_front({task.stretch, std::move(open)});
    if (!path->add_nodes()) {
      ++failures_;
      return halve(task.stretch, open);
    }
    std::vector<Open> wide, below, above;
    for (Open each : open) {
      const StretchBound bound = path->at(epsilons_[each.place]);
      found_[each.place] = std::max(found_[each.place], bound.lower);
      each.upper = std::min(each.upper, bound.upper);
      if (settles(each.place, each.upper)) continue;
      if (each.place == home || !bound.by_distance) wide.push_back(each);
      else (each.place < home ? below : above).push_back(each);
    }
    halve(task.stretch, wide);
    if (!below.empty()) tasks_.push_back({task.stretch, std::move(below)});
    if (!above.empty()) tasks_.push_back({task.stretch, std::move(above)});
  }

  const MovingSpectrum& spectrum_;
  const std::vector<double>& epsilons_;
  double slack_;
  std::vector<double> found_, bounds_;
  int failures_ = 0;  // paths without a finite bound: there is little hope in more of them
  std::deque<Task> tasks_;
};

}  // namespace

GaussianSpectrum spectrum_at(const MovingSpectrum& spectrum, const Ball& parameter) {
  return spectrum_of(spectrum(parameter));
}

std::vector<double> largest_deltas(const MovingSpectrum& spectrum,
                                   const std::vector<double>& epsilons, double slack) {
  const PrecisionScope scope(96);
  return LargestDeltas(spectrum, epsilons, slack).prove();
}

double about_largest_delta(const MovingSpectrum& spectrum, double epsilon) {
  const PrecisionScope scope(96);
  double largest = 0.0;
  for (const double parameter : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const GaussianSpectrum one = spectrum_at(spectrum, Ball(parameter));
    for (const GaussianSpectrum& pair : {one, one.reversed()})
      largest = std::max(
          largest,
          gaussian_quantity(pair, Ball(epsilon), Kernel::profile, Accuracy::fast).value.middle());
  }
  return largest;
}

}  // namespace modicum
