#include "privacy/spherical/spherical_line_bins.h"

#include <algorithm>
#include <cmath>

namespace modicum {
namespace {

constexpr double units = 16.0 * ulp;   // what a value is counted as rounded by, with margin
constexpr double pieces_drop = 700.0;  // radii are looked at where the density is above e^-700
// Half width of a piece in units of the radius of its disc: wider where there is less mass.
double share_of_disc(double log_density_below_mode) {
  return std::min(0.2, 0.01 * std::exp(log_density_below_mode / 6.0));
}

// From the radius e^x the loss is that of a move to r + s (away from the other center), or to s - r
// for r < s/2 (towards it). All other outcomes are mirror images.
enum class Move { away, towards };

// What is known at one log radius.
struct Place {
  double x, loss, loss_error;
  double log_x, log_y, error;  // densities of x under X and Y, times 2, and their relative error
  double slope, slope_error;   // of the loss, and rounding of it
  double disc;                 // radius of a disc on which both densities change by less than e^3.4
};

class LinePieces {
 public:
  LinePieces(const SphericalGeometry& geometry, const std::vector<double>& cuts)
      : geometry_(geometry),
        cuts_(cuts),
        log_step_(std::log(geometry.step)),
        low_(geometry.where_density_drops(pieces_drop, -1.0)),
        high_(geometry.where_density_drops(pieces_drop, 1.0)) {
    for (std::size_t i = 0; i < cuts.size(); ++i)
      result_.bins.push_back({cuts[i], i + 1 < cuts.size() ? cuts[i + 1] : infinity, 0, 0, 0, 0});
    // log f is concave: beyond an end lies at most f over its slope. Radii next to zero are missing
    // around the other center too.
    const auto beyond = [&](double x) {
      return std::exp(geometry.log_density_at(x)) / std::abs(geometry.log_density_slope(x));
    };
    result_.lost = 2.0 * (beyond(low_) + beyond(high_)) +
                   4.0 * std::exp(geometry.log_density + low_ - log_step_);
  }

  std::optional<LossBins> sorted();

 private:
  Place at(double x, Move move) const;
  Place root(double loss, double tolerated, double guess, const Place& from, double end,
             Move move) const;
  bool add_away();
  void add_towards();
  void add_monotone(const Place& first, const Place& last, Move move, double dip);
  void add(const Place& first, const Place& last, Move move, LossBin& to);
  std::size_t bin_of(double loss) const {
    const auto above = std::upper_bound(cuts_.begin(), cuts_.end(), loss);
    return above == cuts_.begin() ? 0 : static_cast<std::size_t>(above - cuts_.begin()) - 1;
  }

  const SphericalGeometry& geometry_;
  const std::vector<double>& cuts_;
  double log_step_, low_, high_;
  LossBins result_;
  long pieces_ = 0;
  bool failed_ = false;  // by more pieces than are worth while, or shorter than numbers can tell
};

// With ratio = r/s, x2 = log r2 and u = x2 - x: L = c u + far - near, near = k e^{px} and far = k
// e^{p x2}; under Y the density is that under X times e^-L. Units of the last place are counted
// with their derivatives.
Place LinePieces::at(double x, Move move) const {
  const double k = geometry_.shape, p = geometry_.p, c = geometry_.deficit;
  const bool away = move == Move::away;
  const double ratio = std::exp(x - log_step_), size = 1.0 + std::abs(x) + std::abs(log_step_);
  double u = log_step_ - x + std::log1p(away ? ratio : -std::min(ratio, 0.5));
  if (away && ratio > 1.0) u = std::log1p(1.0 / ratio);
  const double near = k * std::exp(p * x), far = k * std::exp(p * (x + u));
  const double gained = p * u > 1.0 ? far - near : near * std::expm1(p * u);
  // d x2 / dx, and how far r2 moves with log s.
  const double turned = away ? ratio / (1.0 + ratio) : -ratio / (1.0 - std::min(ratio, 0.5));
  const double moved = 1.0 - turned;
  Place place{};
  place.x = x;
  place.loss = c * u + gained;
  place.loss_error =
      units * (c * (u + moved * size) + gained * (1.0 + p * size) + far * p * (u + moved * size));
  place.log_x = geometry_.log_density_at(x);
  place.log_y = place.log_x - place.loss;
  place.error = units * (2.0 + std::abs(place.log_x) + std::abs(geometry_.log_density) +
                         (std::abs(k - near) + near * ulp) * p * size) +
                place.loss_error;
  place.disc =
      0.5 /
      (1.0 + p * (1.0 + std::sqrt(std::max(near, far)) + std::abs(k - near) + std::abs(k - far)));
  // With the difference of two powers in one piece.
  const double grown = p * u > 1.0 ? far * std::exp(-u) - near : near * std::expm1((p - 1.0) * u);
  place.slope = away ? p * grown - c * moved : (c + p * far) * turned - (c + p * near);
  place.slope_error =
      units * (p * (1.0 + p * size) * (std::abs(grown) + far * moved * size) + c * size);
  return place;
}

// A place between `from` and `end`, where the loss is monotone, at which it is about this; a good
// guess is at hand.
Place LinePieces::root(double loss, double tolerated, double guess, const Place& from, double end,
                       Move move) const {
  const double toward = end > from.x ? 1.0 : -1.0;
  double inside = from.x, outside = end, x = guess;
  const bool falls = from.loss > loss;
  Place here = from;
  for (int i = 0; i < 200; ++i) {
    if (!((x - inside) * toward > 0.0 && (outside - x) * toward > 0.0))
      x = 0.5 * (inside + outside);
    if (x == inside || x == outside) break;
    here = at(x, move);
    const double missing = here.loss - loss;
    if (std::abs(missing) <= here.loss_error + tolerated) break;
    ((missing > 0.0) == falls ? inside : outside) = x;
    x -= missing / here.slope;
  }
  return here;
}

// Lobatto's rule with four points is wrong by at most 2/23625 h^7 times the sixth derivative, which
// Cauchy bounds by 720 times the largest value on a disc, e^3.43 times that in the middle, over the
// sixth power of its radius; beside h/6 times one of its nodes.
void LinePieces::add(const Place& first, const Place& last, Move move, LossBin& to) {
  constexpr long most_pieces = 1'000'000;
  constexpr double inner = 0.44721359549995793928;  // sqrt(1/5)
  const double toward = last.x > first.x ? 1.0 : -1.0;
  const double lift = to.left;  // masses under Y are times exp(left)
  double x_mass = 0.0, y_mass = 0.0, x_error = 0.0, y_error = 0.0;
  for (Place from = first; from.x != last.x;) {
    const double widest = 2.0 * from.disc * share_of_disc(geometry_.log_density - from.log_x);
    const bool ends = std::abs(last.x - from.x) <= widest;
    const Place next = ends ? last : at(from.x + toward * widest, move);
    failed_ = ++pieces_ > most_pieces || !(toward * next.x > toward * from.x);
    if (failed_) return;
    const double h = 0.5 * std::abs(next.x - from.x), middle = 0.5 * (from.x + next.x);
    const Place left = at(middle - inner * h, move), right = at(middle + inner * h, move);
    const auto sum = [&](double Place::*log, double lifted) {
      return h / 6.0 *
             (std::exp(from.*log + lifted) + std::exp(next.*log + lifted) +
              5.0 * (std::exp(left.*log + lifted) + std::exp(right.*log + lifted)));
    };
    const double x_more = sum(&Place::log_x, 0.0), y_more = sum(&Place::log_y, lift);
    const double error = 12.0 * std::pow(h / (from.disc - 2.0 * h), 6.0) + units * (1.0 + lift) +
                         std::max({from.error, next.error, left.error, right.error});
    x_mass += x_more;
    y_mass += y_more;
    x_error += x_more * error + x_mass * ulp;
    y_error += y_more * error + y_mass * ulp;
    from = next;
  }
  to.x_low += 0.5 * (x_mass - x_error);
  to.x_high += 0.5 * (x_mass + x_error);
  to.y_low += 0.5 * (y_mass - y_error);
  to.y_high += 0.5 * (y_mass + y_error);
}

// The loss is monotone from the first place to the last, but for the dip.
void LinePieces::add_monotone(const Place& first, const Place& last, Move move, double dip) {
  const bool rises = last.loss > first.loss;
  Place from = first, before = first;
  std::size_t bin = bin_of(first.loss);
  while (from.x != last.x) {
    // Where the loss leaves the bin.
    LossBin& here = result_.bins[bin];
    const bool more = rises ? here.right < last.loss : here.left > last.loss;
    Place to = last;
    if (more) {
      const double cut = rises ? here.right : here.left, ahead = (cut - from.loss) / from.slope;
      const double bend =
          from.x != before.x ? (from.slope - before.slope) / (from.x - before.x) / from.slope : 0.0;
      to = root(cut, 1e-7 * std::min(here.right - here.left, 1.0),
                from.x + ahead * (1.0 - 0.5 * bend * ahead), from, last.x, move);
    }
    const Place &lower = rises ? from : to, &upper = rises ? to : from;
    const double unsure = std::max(lower.loss_error, upper.loss_error) + dip;
    here.early = std::max(here.early, here.left - lower.loss + unsure);
    here.late = std::max(here.late, upper.loss - here.right + unsure);
    add(from, to, move, here);
    if (!more || failed_) return;
    before = from;
    from = to;
    bin = rises ? bin + 1 : bin - 1;
  }
}

// Away from the other center the loss falls, then rises: on either side of a place that is near the
// turn it is monotone but for a little.
bool LinePieces::add_away() {
  const Place first = at(low_, Move::away), last = at(high_, Move::away);
  const auto surely = [](const Place& place, double sign) {
    return sign * place.slope > place.slope_error;
  };
  const double c = geometry_.deficit, p = geometry_.p;
  if (p <= 1.0 || c == 0.0 || surely(first, 1.0) || surely(last, -1.0)) {
    add_monotone(first, last, Move::away, 0.0);
    return true;
  }
  double left = low_, right = high_;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (left + right);
    if (middle <= left || middle >= right) break;
    (at(middle, Move::away).slope < 0.0 ? left : right) = middle;
  }
  const Place turn = at(left, Move::away);
  for (double apart = 1e-12 * std::max(1.0, std::abs(left)); apart < 0.25 * turn.disc;
       apart *= 4.0) {
    const double before = turn.x - apart, after = turn.x + apart;
    if (!(before > low_ && after < high_)) break;
    if (!surely(at(before, Move::away), -1.0) || !surely(at(after, Move::away), 1.0)) continue;
    // Cauchy: the loss changes by less than 4.1 on the disc, so that its second derivative is below
    // 15 / disc^2 within a quarter of it.
    const double dip =
        apart * (std::abs(turn.slope) + turn.slope_error + 15.0 * apart / (turn.disc * turn.disc));
    add_monotone(first, turn, Move::away, dip);
    add_monotone(turn, last, Move::away, dip);
    return true;
  }
  return false;
}

// Up to the middle between the centers, but for a few units of its place, where the loss is about
// 0.
void LinePieces::add_towards() {
  const double middle = log_step_ - M_LN2 - units * (1.0 + std::abs(log_step_));
  if (!(low_ < middle)) return;
  const Place nearest = at(low_, Move::towards), half = at(std::min(middle, high_), Move::towards);
  add_monotone(nearest, half, Move::towards, 0.0);
  const double rest = 4.0 * std::exp(half.log_x) * units * (1.0 + std::abs(log_step_));
  result_.bins.front().x_high += rest;
  result_.bins.front().y_high += rest;
}

std::optional<LossBins> LinePieces::sorted() {
  if (!add_away()) return std::nullopt;
  if (!failed_) add_towards();
  if (failed_) return std::nullopt;
  constexpr double sums = 0x1p-49;
  for (LossBin& bin : result_.bins) {
    bin.x_low *= 1.0 - sums;
    bin.x_high *= 1.0 + sums;
    bin.y_low *= 1.0 - sums;
    bin.y_high *= 1.0 + sums;
    if (!(bin.x_high < 2.0 && bin.y_high < 4.0 && bin.x_low >= 0.0 && bin.y_low >= 0.0))
      return std::nullopt;
  }
  return std::move(result_);
}

}  // namespace

std::optional<LossBins> spherical_line_bins(const SphericalGeometry& geometry,
                                            const std::vector<double>& cuts) {
  // The loss of Laplace noise has atoms.
  if (geometry.p == 1.0 && geometry.deficit == 0.0) return std::nullopt;
  return LinePieces(geometry, cuts).sorted();
}

}  // namespace modicum
