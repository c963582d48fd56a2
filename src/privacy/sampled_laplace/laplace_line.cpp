#include "privacy/sampled_laplace/laplace_line.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "numerics/precise_ball.h"
#include "privacy/sampled_laplace/gauss_stretch.h"

namespace modicum {
namespace {

constexpr double log_piece_left_out = -41.0;  // by a piece, of what the atoms add up to
constexpr std::size_t most_pieces = 600;
constexpr double largest_range = 100.0;
constexpr double last_place = static_cast<double>(std::numeric_limits<long double>::epsilon());

// The integrand between the atoms.
class Middle {
 public:
  Middle(const LaplaceLine::Law& law, double center, double height)
      : steepness_(to_long_double(law.lower_excess + 1.0)),
        flat_((law.lower_excess / (law.lower_excess + 1.0)).middle()),
        center_(center),
        height_(height) {}

  long double loss(long double x) const { return std::log1p(std::expm1(2.0L * x) / steepness_); }
  /// log of at least the integrand on the real piece.
  double log_most(long double from, long double to) const {
    return -std::numbers::ln2 - static_cast<double>(from) +
           tilted(loss(center_ >= 0.0 ? to : from));
  }
  /// And on the disc. There b = 1 + (e^{2x} - 1)/k = flat + steep e^{2i Im x} has |b| at most its
  /// value at Re x and at least cos(Im x) times that, and flat + steep cos(2 Im x); its argument is
  /// at most 2 |Im x| steep/(flat + steep cos(2 Im x)).
  double log_most_around(long double middle, double radius) const {
    if (!(radius < 0.7)) return infinity;
    const double steep = static_cast<double>(std::exp(2.0L * (middle + radius)) / steepness_);
    const double turn =
        2.0 * radius * std::min(1.0, steep / (flat_ + steep * std::cos(2.0 * radius)));
    const long double left = middle - radius;
    const double least = static_cast<double>(std::max(
        loss(left) + std::log(std::cos(static_cast<long double>(radius))),
        std::log1p((std::exp(2.0L * left) * std::cos(2.0L * radius) - 1.0L) / steepness_)));
    return -std::numbers::ln2 - static_cast<double>(middle) + radius + height_ * turn +
           tilted(center_ >= 0.0 ? loss(middle + radius) : least);
  }

 private:
  // The last term is for rounding.
  double tilted(long double loss) const {
    const auto value = static_cast<double>(center_ * loss);
    return value + 1e-14 * (1.0 + std::abs(value));
  }

  long double steepness_;
  double flat_, center_, height_;
};

struct Piece {
  long double from, to;
};

}  // namespace

LaplaceLine::Law::Law(const SampledLaplace& noise) : range(to_ball(noise.range)) {
  const Ball rate = noise.rate, odds = (Ball(1.0) - rate) / rate;
  low = log1p(rate * expm1(-range));
  width = log1p(rate * expm1(range)) - low;
  lower_excess = odds * exp(range);
  upper_excess = odds * exp(-range);
}

std::optional<LaplaceLine> LaplaceLine::make(const Law& law, double center, double height) {
  const long double range = to_long_double(law.range), width = to_long_double(law.width);
  const long double log_two = std::numbers::ln2_v<long double>;
  const Middle middle(law, center, height);
  std::vector<long double> log_weights{-log_two, -log_two - range + center * width};
  if (!(range <= largest_range)) return std::nullopt;
  LaplaceLine line;
  line.center_ = center;
  line.loss_error_ = last_place * (16.0 + 4.0 * static_cast<double>(range));
  line.width_ = static_cast<double>(width);
  line.nodes_ = {{0.0L, 0.0L}, {width, 0.0L}};
  const double log_atoms =
      static_cast<double>(std::max(log_weights[0], log_weights[1]) +
                          std::log1p(std::exp(-std::abs(log_weights[0] - log_weights[1]))));
  double left_out = 0.0;
  std::vector<Piece> pieces{{0.0L, range}};
  for (std::size_t seen = 0; !pieces.empty(); ++seen) {
    if (seen > most_pieces) return std::nullopt;
    const Piece piece = pieces.back();
    pieces.pop_back();
    const long double center_of_piece = 0.5L * (piece.from + piece.to);
    // In a long double, as the ends are: the pieces meet to its last place.
    const long double half = 0.5L * (piece.to - piece.from);
    const auto rounded_half = static_cast<double>(half);
    const double whole =
        middle.log_most(piece.from, piece.to) + std::log(2.0 * rounded_half) - log_atoms;
    if (whole < log_piece_left_out) {
      left_out += std::exp(whole) * (1.0 + 1e-9);
      continue;
    }
    const double log_error = log_stretch_rule(rounded_half) - log_atoms +
                             middle.log_most_around(center_of_piece, stretch_disc * rounded_half);
    if (!(log_error < log_piece_left_out)) {
      pieces.push_back({piece.from, center_of_piece});
      pieces.push_back({center_of_piece, piece.to});
      continue;
    }
    left_out += std::exp(log_error) * (1.0 + 1e-9);
    for (const StretchPoint& gauss : stretch_points()) {
      const long double x = center_of_piece + half * gauss.place, loss = middle.loss(x);
      line.nodes_.push_back({loss, 0.0L});
      log_weights.push_back(std::log(0.5L * half * gauss.weight) - x + center * loss);
    }
  }
  const long double largest = *std::ranges::max_element(log_weights);
  long double sum = 0.0L;
  for (const long double log_weight : log_weights) sum += std::exp(log_weight - largest);
  line.log_scale_ = static_cast<double>(largest + std::log(sum));
  for (std::size_t i = 0; i < log_weights.size(); ++i)
    line.nodes_[i].weight = std::exp(log_weights[i] - line.log_scale_);
  // The atoms are a part of the sum.
  line.left_out_ = left_out * (1.0 + 1e-9);
  return line;
}

// A loss is known to 4 + 2 range units of itself in the last place of a long double: so much of
// |a| width are phases and weights wrong by. Of the sum each of some thousand terms rounds by one.
LaplaceLine::Value LaplaceLine::at(long double y) const {
  std::complex<long double> sum = 0.0L;
  for (const Node& node : nodes_) {
    const long double phase = y * node.loss;
    sum += std::complex<long double>(node.weight * std::cos(phase), node.weight * std::sin(phase));
  }
  const double phases = (std::abs(center_) + std::abs(static_cast<double>(y))) * width_;
  const double terms = 4.0 * static_cast<double>(nodes_.size());
  return {sum, left_out_ + loss_error_ * (2.0 + phases) + last_place * terms};
}

double LaplaceLine::log_most() const {
  return log_scale_ + left_out_ + 1e-14 + loss_error_ * (1.0 + std::abs(center_) * width_);
}

double LaplaceLine::variance() const {
  double mean = 0.0, square = 0.0;
  for (const Node& node : nodes_) mean += static_cast<double>(node.weight * node.loss);
  for (const Node& node : nodes_) {
    const double distance = static_cast<double>(node.loss) - mean;
    square += static_cast<double>(node.weight) * distance * distance;
  }
  return square;
}

}  // namespace modicum
