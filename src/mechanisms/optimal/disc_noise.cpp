#include "modicum/mechanisms/disc_noise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "mechanisms/optimal/finite_pair.h"
#include "mechanisms/optimal/whole_noise.h"
#include "modicum/numerics/errors.h"
#include "randomness/exact_real.h"

namespace modicum {
namespace {

constexpr double most_discs = 1e5;
constexpr std::size_t most_cells = 200000;

// Of two discs whose centers are `distance` > |a - b| apart. All three are exact, so that which
// case holds is no matter of rounding.
Ball lens(const Ball& a, const Ball& b, const Ball& distance) {
  const Ball sum = a + b, difference = a - b;
  const Ball square = distance * distance, apart = difference * sum;
  const Ball root =
      sqrt((sum - distance) * (distance + difference) * (distance - difference) * (sum + distance));
  const auto angle = [&](const Ball& along) {
    Ball result;
    arb_atan2(result.raw(), root.raw(), along.raw(), PrecisionScope::bits());
    return result;
  };
  return a * a * angle(square + apart) + b * b * angle(square - apart) - root / 2.0;
}

// The rings between discs of positive probability, and how a shift carries one into another.
struct Rings {
  struct Cell {
    std::size_t inner, outer;
    Ball area;  // of the points of the inner ring that come to lie in the outer one
  };
  std::vector<Ball> densities;  // falling
  std::vector<Ball> staying;    // area that stays in the same ring
  std::vector<Ball> leaving;    // area that comes to lie beyond the last ring
  std::vector<Cell> cells;      // of different rings
};

class RingGeometry {
 public:
  RingGeometry(std::vector<Ball> radii, double sensitivity)
      : radii_(std::move(radii)), shift_(sensitivity) {}

  Ball disc(std::size_t i) const { return Ball::pi() * radii_[i] * radii_[i]; }
  // Points of the disc i that come to lie in disc j; index 0 is the empty disc.
  Ball common(std::size_t i, std::size_t j) const {
    const Ball &a = radii_[std::min(i, j)], &b = radii_[std::max(i, j)];
    if ((a + b - shift_).surely_nonpositive()) return 0.0;
    if ((shift_ + a - b).surely_nonpositive()) return disc(std::min(i, j));
    return lens(a, b, shift_);
  }
  bool reaches(std::size_t inner, std::size_t outer) const {
    return (radii_[outer - 1] - radii_[inner] - shift_).surely_negative();
  }
  bool is_short_of(std::size_t inner, std::size_t outer) const {
    return (radii_[outer] + radii_[inner] - shift_).surely_nonpositive();
  }
  bool leaves(std::size_t ring) const {
    return (radii_.back() - radii_[ring] - shift_).surely_negative();
  }

 private:
  std::vector<Ball> radii_;  // 0, then those of the discs
  Ball shift_;
};

std::vector<Ball> radii_of(const DiscNoise& noise) {
  std::vector<Ball> radii{0.0};
  for (std::size_t i = 0; i < noise.probabilities.size(); ++i)
    if (noise.probabilities[i] > 0.0)
      radii.push_back(Ball(noise.width) * static_cast<double>(i + 1));
  return radii;
}

Rings rings_of(const DiscNoise& noise, double sensitivity) {
  const RingGeometry geometry(radii_of(noise), sensitivity);
  Rings rings;
  Ball total;
  for (const double each : noise.probabilities) total += Ball(each);
  for (std::size_t i = 0; i < noise.probabilities.size(); ++i)
    if (noise.probabilities[i] > 0.0)
      rings.densities.push_back(Ball(noise.probabilities[i]) /
                                (total * geometry.disc(rings.densities.size() + 1)));
  const std::size_t size = rings.densities.size();
  for (std::size_t i = size - 1; i-- > 0;) rings.densities[i] += rings.densities[i + 1];
  // Sums over the discs up to j of what two neighboring discs leave between them.
  for (std::size_t i = 1; i <= size; ++i) {
    const auto within = [&](std::size_t j) {
      return geometry.common(i, j) - geometry.common(i - 1, j);
    };
    Ball before = within(i);
    rings.staying.push_back(before - within(i - 1));
    for (std::size_t j = i + 1; j <= size; ++j) {
      if (geometry.is_short_of(i, j)) continue;  // within(j) is 0, and so was what came before
      if (!geometry.reaches(i, j)) break;
      const Ball next = within(j);
      const Ball area = next - before;
      if (!area.surely_positive())
        throw InvalidParameter("width", noise.width, "leaves rings that hardly overlap");
      rings.cells.push_back({i - 1, j - 1, area});
      if (rings.cells.size() > most_cells)
        throw InvalidParameter("width", noise.width,
                               "leaves more than 200000 pairs of rings that a shift makes overlap");
      before = next;
    }
    rings.leaving.push_back(
        geometry.leaves(i) ? geometry.disc(i) - geometry.disc(i - 1) - within(size) : Ball(0.0));
  }
  return rings;
}

// A uniform number between -1 and 1 whose first 64 digits are drawn, and what follows on demand.
class UniformSide {
 public:
  explicit UniformSide(RandomSource& source) : word_(source.next()), source_(source) {}

  /// Of its 2^63-fold: the least and the largest size that the digits leave open.
  std::array<std::uint64_t, 2> sizes() const {
    constexpr std::uint64_t middle = std::uint64_t{1} << 63;
    if (word_ >= middle) return {word_ - middle, word_ - middle + 1};
    return {middle - word_ - 1, middle - word_};
  }
  Ball at(long bits) {
    if (!uniform_) uniform_.emplace(word_, source_);
    return uniform_->at(bits) * 2.0 - 1.0;
  }

  /// The integer nearest to its product with `scale` = width * discs / grid.
  std::int64_t nearest(double width, double discs, double grid) {
    const long double scale = static_cast<long double>(width / grid) * discs;
    const auto places = static_cast<std::int64_t>(word_ - (std::uint64_t{1} << 63));
    const long double shifted = std::ldexp(static_cast<long double>(places), -63) * scale + 0.5L;
    const long double below = std::floor(shifted);
    // The digits not drawn are worth 2^-63, three roundings a few units of the last place.
    const long double room =
        (scale + 1.0L) *
        std::ldexp(1.0L, 4 - std::min(63, std::numeric_limits<long double>::digits));
    if (shifted - below > room && below + 1.0L - shifted > room)
      return static_cast<std::int64_t>(below);
    Product product(*this, width, discs);
    return static_cast<std::int64_t>(nearest_multiple(product, grid));
  }

 private:
  class Product final : public ExactReal {
   public:
    Product(UniformSide& side, double width, double discs)
        : side_(side), width_(width), discs_(discs) {}
    Ball at(long bits) override {
      const PrecisionScope scope(bits + 64);
      return side_.at(bits) * width_ * discs_;
    }

   private:
    UniformSide& side_;
    Ball width_, discs_;
  };

  std::uint64_t word_;
  RandomSource& source_;
  std::optional<ExactUniform> uniform_;  // where more digits are needed
};

// Whether x^2 + y^2 < 1.
bool within_disc(UniformSide& x, UniformSide& y) {
  __extension__ using Wide = unsigned __int128;
  constexpr Wide one = Wide{1} << 126;
  const auto square = [](std::uint64_t size) { return static_cast<Wide>(size) * size; };
  const auto [x_least, x_most] = x.sizes();
  const auto [y_least, y_most] = y.sizes();
  if (square(x_most) + square(y_most) <= one) return true;
  if (square(x_least) + square(y_least) >= one) return false;
  for (long bits = 128; bits <= 1L << 16; bits *= 2) {
    const PrecisionScope scope(2 * bits + 64);
    const Ball a = x.at(bits), b = y.at(bits), room = Ball(1.0) - a * a - b * b;
    if (room.surely_positive()) return true;
    if (room.surely_negative()) return false;
  }
  throw Error("65536 random bits did not decide a comparison");
}

}  // namespace

const DiscNoise& require_disc_noise(const DiscNoise& noise) {
  require_positive("width", noise.width);
  const std::vector<double>& masses = noise.probabilities;
  if (masses.empty() || !(static_cast<double>(masses.size()) <= most_discs))
    throw InvalidParameter("number of probabilities", static_cast<double>(masses.size()),
                           "must be from 1 to 100000");
  double sum = 0.0;
  for (const double mass : masses) sum += require_probability("probability", mass);
  if (!(std::abs(sum - 1.0) <= 1e-9))
    throw InvalidParameter("sum of the probabilities", sum, "must be 1");
  if (!(masses.back() > 0.0))
    throw InvalidParameter("probability", masses.back(), "must be above 0 for the last disc");
  return noise;
}

// Under X a point is uniform in its ring; Y sees it in the ring that the shift carries it to. The
// reflection in the line midway between the centers exchanges the two.
PrivacyLoss disc_noise(const DiscNoise& noise, double sensitivity) {
  require_disc_noise(noise);
  if (require_non_negative("sensitivity", sensitivity) == 0.0) return {};
  const PrecisionScope scope(320);
  const Rings rings = rings_of(noise, sensitivity);
  std::vector<Ball> x, y;
  const auto add = [&](const Ball& own, const Ball& other) {
    x.push_back(own);
    y.push_back(other);
  };
  Ball same;
  for (std::size_t i = 0; i < rings.densities.size(); ++i) {
    same += rings.densities[i] * max(rings.staying[i], Ball(0.0));
    const Ball beyond = rings.densities[i] * max(rings.leaving[i], Ball(0.0));
    if (beyond.exactly_zero()) continue;
    add(beyond, 0.0);
    add(0.0, beyond);
  }
  if (!same.exactly_zero()) add(same, same);
  for (const auto& [inner, outer, area] : rings.cells) {
    const Ball high = rings.densities[inner] * area, low = rings.densities[outer] * area;
    add(high, low);
    add(low, high);
  }
  return finite_pair_loss(x, y, true);
}

Enclosure disc_noise_delta(const DiscNoise& noise, double sensitivity, double epsilon) {
  require_disc_noise(noise);
  require_non_negative("epsilon", epsilon);
  if (require_non_negative("sensitivity", sensitivity) == 0.0) return Enclosure::exactly(0.0);
  const PrecisionScope scope(proof_bits);
  const Rings rings = rings_of(noise, sensitivity);
  const Ball factor = exp(Ball(epsilon));
  Ball sum;
  for (std::size_t i = 0; i < rings.densities.size(); ++i)
    sum += rings.densities[i] * max(rings.leaving[i], Ball(0.0));
  for (const auto& [inner, outer, area] : rings.cells)
    sum += max(rings.densities[inner] - factor * rings.densities[outer], Ball(0.0)) * area;
  return min(sum, Ball(1.0)).enclosure();
}

// Of a point of a disc of radius r: r^2/2, 2r/3, and (h/r)^2 within h.
double disc_noise_error(const DiscNoise& noise, const NoiseError& error) {
  require_disc_noise(noise);
  require_error(error);
  const PrecisionScope scope(proof_bits);
  Ball total, sum;
  const auto radius = [&](std::size_t i) { return Ball(noise.width) * static_cast<double>(i + 1); };
  for (std::size_t i = 0; i < noise.probabilities.size(); ++i) {
    const Ball mass = noise.probabilities[i];
    total += mass;
    sum += mass * (error.kind == NoiseError::Kind::squared ? radius(i) * radius(i) / 2.0
                                                           : radius(i) * 2.0 / 3.0);
  }
  if (error.kind != NoiseError::Kind::interval) return (sum / total).upper();
  // Within disc k lie the smaller discs, and of each larger one a share.
  const auto within = [&](double h) {
    Ball inside;
    for (std::size_t i = 0; i < noise.probabilities.size(); ++i) {
      const Ball share = Ball(h) / radius(i);
      inside += Ball(noise.probabilities[i]) * min(share * share, Ball(1.0));
    }
    return inside;
  };
  double low = 0.0, high = radius(noise.probabilities.size() - 1).upper();
  while (high - low > 1e-12 * high) {
    const double middle = low + (high - low) / 2.0;
    ((Ball(error.level) * total - within(middle)).surely_nonpositive() ? high : low) = middle;
  }
  return high;
}

DiscNoiseSampler::DiscNoiseSampler(const DiscNoise& noise, double grid)
    : table_(require_disc_noise(noise).probabilities), width_(noise.width), grid_(grid) {
  int exponent = 0;
  if (!(grid > 0.0 && std::isfinite(grid) && std::frexp(grid, &exponent) == 0.5))
    throw InvalidParameter("grid", grid, "must be a power of two");
  if (!(noise.width / grid * static_cast<double>(noise.probabilities.size()) < 0x1p52))
    throw InvalidParameter("grid", grid, "is too fine for the noise");
}

// A point of the square around the disc, until it lies in the disc.
std::array<std::int64_t, 2> DiscNoiseSampler::draw(RandomSource& source) const {
  const auto discs = static_cast<double>(table_.draw(source) + 1);
  for (;;) {
    UniformSide x(source), y(source);
    if (!within_disc(x, y)) continue;
    return {x.nearest(width_, discs, grid_), y.nearest(width_, discs, grid_)};
  }
}

}  // namespace modicum
