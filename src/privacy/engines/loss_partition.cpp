#include "privacy/engines/loss_partition.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <queue>

namespace modicum {
namespace {

// Smallest power of two not below x.
double power_of_two(double x) { return std::exp2(std::ceil(std::log2(x))); }

// The largest power of two of which x > 0 is a multiple.
double lowest_digit(double x) {
  int exponent = 0;
  const double digits = std::ldexp(std::frexp(x, &exponent), 53);
  return std::ldexp(1.0, exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(digits)));
}

// The difference of two tails, from whichever side loses fewer digits.
Ball between(const Ball& above_left, const Ball& above_right, const Ball& below_left,
             const Ball& below_right) {
  const bool right_side = above_left.middle() < below_right.middle();
  const Ball difference = right_side ? above_left - above_right : below_right - below_left;
  return max(difference, Ball(0.0));
}

// Eight bins an octave, and one up to the first; fewer where they are not quick.
std::vector<double> octaves(bool quick) {
  std::vector<double> cuts{0.0};
  for (int octave = quick ? -24 : -14; octave < (quick ? 14 : 10); ++octave)
    for (int eighth = 8; eighth < 16; eighth += quick ? 1 : 4)
      cuts.push_back(std::ldexp(eighth, octave - 3));
  return cuts;
}

constexpr std::size_t most_rough = 4000;

}  // namespace

LossPartition::LossPartition(std::shared_ptr<const LossLaw> law, double count, Accuracy accuracy,
                             bool only_dominating)
    : law_(std::move(law)),
      atoms_(law_->atoms()),
      count_(count),
      accuracy_(accuracy),
      only_dominating_(only_dominating),
      sorts_(law_->bin_cost(0.0) < infinity) {}

bool LossPartition::holds_atom(double left, double right) const {
  if (only_dominating_) return false;
  if (law_->is_discrete()) return true;
  return std::ranges::any_of(atoms_, [&](double atom) { return left <= atom && atom <= right; });
}

const LossTails& LossPartition::at(double loss) {
  const auto found = cuts_.find(loss);
  if (found != cuts_.end()) return found->second;
  LossTails tails = law_->tails(loss, accuracy_);
  // What came out as no number is unknown; taken for zero it would be lost from the upper bound.
  for (Ball* tail : {&tails.above_x, &tails.below_x, &tails.above_y, &tails.below_y})
    if (!tail->finite()) *tail = Ball::between(0.0, 1.0);
  proof_ = weaker_of(proof_, tails.proof);
  return cuts_.emplace(loss, std::move(tails)).first->second;
}

bool LossPartition::cover(double tail, double tilt) {
  if (sorts_ && rough_.bins.empty()) sort(octaves(sorts_quickly()));
  if (sorts_) return cover_sorted(tail);
  const Enclosure support = law_->support();
  // In doubles: where the ends lie is a matter of width, not of truth.
  const auto above = [&](double loss) {
    return law_->tails(loss, Accuracy::fast).above_x.upper() * count_;
  };
  const auto below = [&](double loss) {
    return law_->tails(loss, Accuracy::fast).below_x.upper() * count_ *
           std::exp(std::min(tilt * loss, 0.0));
  };
  // The least 2^j at which the tail is small enough, or the end of the support.
  const auto reach = [&](const auto& tail_at, double sign, double end) {
    double distance = std::isfinite(end) ? power_of_two(std::max(std::abs(end), 1e-300)) : 1.0;
    // At the end of the support too: an atom may sit on it.
    while (!(tail_at(sign * distance) <= tail) && distance < 0x1p40) distance *= 2.0;
    while (distance > 0x1p-200 && tail_at(sign * distance * 0.5) <= tail) distance *= 0.5;
    return distance;
  };
  const double right = reach(above, 1.0, std::max(support.upper(), 0.0));
  const double left = reach(below, -1.0, std::min(support.lower(), 0.0));
  const double half = std::max(left, right);
  const bool wider = cuts_.empty() || cuts_.rbegin()->first < half;
  if (cuts_.empty()) {
    at(-half);
    at(0.0);
    at(half);
    spacing_ = half;
  }
  // By doubling, so that every bin is a power of two wide.
  for (double end = cuts_.rbegin()->first; end < half; at(end), at(-end)) end *= 2.0;
  if (wider) summarize();
  return wider;
}

// The bins of a law that sorts. Where it fails, the law is cut by its tails.
void LossPartition::sort(const std::vector<double>& cuts) {
  auto found = law_->bins(cuts);
  if (!found) {
    sorts_ = !fine_.bins.empty();  // then those of before are as true
    return;
  }
  fine_ = *std::move(found);
  spacing_ = infinity;
  for (const double cut : cuts)
    if (cut > 0.0) spacing_ = std::min(spacing_, lowest_digit(cut));
  if (cuts.size() > most_rough) return;
  rough_ = fine_;
  summary_.clear();
  for (const LossBin& bin : unfolded(rough_).bins)
    if (bin.x_high > 0.0 && bin.right < infinity)
      summary_.push_back({bin.left, bin.right, std::log(bin.x_high)});
}

bool LossPartition::cover_sorted(double tail) {
  double beyond = rough_.bins.back().x_high * count_, end = rough_.bins.back().left;
  for (auto bin = rough_.bins.rbegin() + 1; bin != rough_.bins.rend(); ++bin) {
    beyond += bin->x_high * count_;
    if (beyond > tail) break;
    end = bin->left;
  }
  if (!(end > end_)) return false;
  end_ = end;
  return true;
}

// Each bin is halved m times so that mass * width^2 of what it leaves is at most some level: the
// masses are divided evenly for that. Cuts are multiples of the finest width.
void LossPartition::refine_sorted(double tilt, double enough, double finest, double most_cuts) {
  const double scale = moment(tilt).value, step = power_of_two(finest);
  struct Weighed {
    double left, width, weight;
  };
  std::vector<Weighed> bins;
  for (const LossBin& bin : rough_.bins) {
    if (!(bin.left < end_) || !(bin.right < infinity)) continue;
    const double width = bin.right - bin.left;
    const double above = bin.x_high * std::exp(std::min(tilt * bin.right - scale, 600.0));
    const double below = bin.y_high * std::exp(std::min(-(tilt + 1.0) * bin.left - scale, 600.0));
    bins.push_back({bin.left, width, (above + below) * width * width});
  }
  const auto halvings = [&](const Weighed& bin, double level) {
    const double most = std::max(0.0, std::floor(std::log2(bin.width / step)));
    return std::clamp(std::ceil(std::log2(std::max(bin.weight / level, 1e-300)) / 3.0), 0.0, most);
  };
  double level = enough;
  for (const Weighed& bin : bins) level = std::max(level, bin.weight);
  for (int i = 0; i < 200; ++i, level *= 0.5) {
    double left = 0.0, next = 0.0;
    for (const Weighed& bin : bins) {
      left += bin.weight * std::exp2(-2.0 * halvings(bin, level));
      next += std::exp2(halvings(bin, 0.5 * level));
    }
    if (left <= enough || next > most_cuts) break;
  }
  std::vector<double> cuts{0.0};
  for (const Weighed& bin : bins) {
    const double parts = std::exp2(halvings(bin, level));
    for (double i = 1.0; i <= parts; ++i) {
      const double cut = bin.left + bin.width * (i / parts);
      if (std::fmod(cut, step) == 0.0) cuts.push_back(cut);
    }
  }
  if (cuts.size() < 2) cuts.push_back(step);
  sort(cuts);
}

Ball LossPartition::mass(double left, double right, bool under_x) const {
  const LossTails &a = cuts_.at(left), &b = cuts_.at(right);
  return under_x ? between(a.above_x, b.above_x, a.below_x, b.below_x)
                 : between(a.above_y, b.above_y, a.below_y, b.below_y);
}

void LossPartition::summarize() {
  summary_.clear();
  for (auto next = cuts_.begin(), cut = next++; next != cuts_.end(); cut = next++) {
    const double p = mass(cut->first, next->first, true).middle();
    if (p > 0.0) summary_.push_back({cut->first, next->first, std::log(p)});
  }
}

void LossPartition::refine(double tilt, double tolerance, double finest, long evaluations) {
  const double enough = 8.0 * tolerance / (count_ * (tilt + 1.0) * (tilt + 1.0));
  if (sorts_) return refine_sorted(tilt, enough, finest, static_cast<double>(evaluations));
  while (evaluations > 0) {
    const auto round = std::min(evaluations, 64L + static_cast<long>(summary_.size()));
    const long used = refine_once(tilt, enough, finest, round);
    summarize();
    if (used == 0) return;
    evaluations -= used;
  }
}

long LossPartition::refine_once(double tilt, double enough, double finest, long evaluations) {
  struct Candidate {
    double weight, left, right;
    bool operator<(const Candidate& other) const { return weight < other.weight; }
  };
  // Mass * exp(tilt * right) * width^2, relative to the moment: what cutting here would gain.
  const double scale = moment(tilt).value;
  std::priority_queue<Candidate> queue;
  double spread = 0.0;
  const auto add = [&](const Interval& bin) {
    const double width = bin.right - bin.left;
    if (width < 2.0 * finest) return;
    const double exponent = bin.log_mass + tilt * bin.right - scale;
    // An atom inside a bin has no company to be averaged with: it loses the width itself.
    const double reach =
        holds_atom(bin.left, bin.right) ? 8.0 * width / (tilt + 1.0) : width * width;
    const double weight = std::exp(std::min(exponent, 600.0)) * std::max(reach, width * width);
    queue.push({weight, bin.left, bin.right});
    spread += weight;
  };
  for (const Interval& bin : summary_) add(bin);
  long used = 0;
  for (; used < evaluations && !queue.empty() && spread > enough; ++used) {
    const Candidate bin = queue.top();
    queue.pop();
    spread -= bin.weight;
    const double middle = 0.5 * (bin.left + bin.right);
    at(middle);
    spacing_ = std::min(spacing_, 0.5 * (bin.right - bin.left));
    for (const auto& [left, right] : {std::pair{bin.left, middle}, std::pair{middle, bin.right}}) {
      const double p = mass(left, right, true).middle();
      if (p > 0.0) add({left, right, std::log(p)});
    }
  }
  return used;
}

double LossPartition::spacing() const { return spacing_; }

LossPartition::Moment LossPartition::moment(double tilt) const {
  if (summary_.empty()) return {0.0, 0.0, 0.0};
  double largest = -infinity;
  for (const Interval& bin : summary_)
    largest = std::max(largest, bin.log_mass + tilt * bin.middle());
  double sum = 0.0, first = 0.0, second = 0.0;
  for (const Interval& bin : summary_) {
    const double loss = bin.middle(), weight = std::exp(bin.log_mass + tilt * loss - largest);
    sum += weight;
    first += weight * loss;
    second += weight * loss * loss;
  }
  const double mean = first / sum;
  return {largest + std::log(sum), mean, std::max(0.0, second / sum - mean * mean)};
}

namespace {

LossBin bin_between(double left, double right, const Ball& x, const Ball& y) {
  const Ball scaled = y * exp(Ball(left));
  return {left,          right, std::max(0.0, x.lower()), x.upper(), std::max(0.0, scaled.lower()),
          scaled.upper()};
}

}  // namespace

LossBins LossPartition::bins() const {
  if (sorts_) return unfolded(fine_);
  LossBins result{std::max(0.0, cuts_.begin()->second.below_x.upper()), 0.0, {}};
  result.bins.reserve(cuts_.size());
  for (auto next = cuts_.begin(), cut = next++; next != cuts_.end(); cut = next++)
    result.bins.push_back(bin_between(cut->first, next->first, mass(cut->first, next->first, true),
                                      mass(cut->first, next->first, false)));
  const auto& [end, last] = *cuts_.rbegin();
  result.bins.push_back(bin_between(end, infinity, last.above_x, last.above_y));
  return result;
}

}  // namespace modicum
