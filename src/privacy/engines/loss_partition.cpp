#include "privacy/engines/loss_partition.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace modicum {
namespace {

// Smallest power of two not below x.
double power_of_two(double x) { return std::exp2(std::ceil(std::log2(x))); }

// The difference of two tails, from whichever side loses fewer digits.
Ball between(const Ball& above_left, const Ball& above_right, const Ball& below_left,
             const Ball& below_right) {
  const bool right_side = above_left.middle() < below_right.middle();
  const Ball difference = right_side ? above_left - above_right : below_right - below_left;
  return max(difference, Ball(0.0));
}

}  // namespace

LossPartition::LossPartition(std::shared_ptr<const LossLaw> law, double count, Accuracy accuracy,
                             bool only_dominating)
    : law_(std::move(law)),
      atoms_(law_->atoms()),
      count_(count),
      accuracy_(accuracy),
      only_dominating_(only_dominating) {}

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

std::vector<LossPartition::Bin> LossPartition::bins() const {
  std::vector<Bin> result;
  result.reserve(cuts_.size());
  for (auto next = cuts_.begin(), cut = next++; next != cuts_.end(); cut = next++)
    result.push_back({cut->first, next->first, mass(cut->first, next->first, true),
                      mass(cut->first, next->first, false)});
  return result;
}

Ball LossPartition::beyond(bool under_x) const {
  const LossTails& last = cuts_.rbegin()->second;
  return max(under_x ? last.above_x : last.above_y, Ball(0.0));
}

// A convex function of exp(-loss) lies below its chord: the bin's mass goes to both its ends so
// that the masses under X and under Y are kept. What is uncertain goes to the right end.
LossMeasure LossPartition::dominating() const {
  const std::vector<Bin> all = bins();
  LossMeasure result;
  const auto place = [&](double loss, double added) {
    if (result.losses.empty() || result.losses.back() != loss) {
      result.losses.push_back(loss);
      result.masses.push_back(0.0);
    }
    // Next to the least double, rounding upwards would outweigh the mass itself after tilting.
    if (added < 1e-300) result.infinite += Ball(std::max(added, 0.0));
    else result.masses.back() = std::nextafter(result.masses.back() + added, infinity);
  };
  place(all.front().left, std::max(0.0, cuts_.begin()->second.below_x.upper()));
  Ball left_scale = exp(-Ball(all.front().left));
  for (const Bin& bin : all) {
    const Ball right_scale = exp(-Ball(bin.right));
    const double total = std::max(0.0, bin.x.upper());
    const Ball share = (bin.x * left_scale - bin.y) / (left_scale - right_scale);
    const double upper = share.finite() ? share.upper() : total;
    const double right = std::clamp(upper, 0.0, total);
    place(bin.left, total > right ? std::nextafter(total - right, infinity) : 0.0);
    place(bin.right, right);
    left_scale = right_scale;
  }
  // Beyond the last cut the chord ends at exp(-infinity) = 0.
  const double last = all.back().right;
  const Ball x = beyond(true), at_last = beyond(false) * exp(Ball(last));
  const double kept = std::clamp(at_last.lower(), 0.0, std::max(0.0, x.lower()));
  place(last, kept);
  result.infinite += max(x - Ball(kept), Ball(0.0));
  return result;
}

// By Jensen's inequality a convex decreasing function of exp(-loss) is at least its value at the
// mean. What is left of the bin before a cut is joined there by as much of the bins after it as
// makes the mean of exp(-loss) that of the cut or less; what finds no such company moves down to
// the cut before.
LossMeasure LossPartition::dominated() const {
  std::vector<Bin> all = bins();
  const double last = all.back().right;
  all.push_back({last, infinity, beyond(true), beyond(false)});
  constexpr std::size_t furthest = 12;  // bins that one cut may draw on
  LossMeasure result;
  std::vector<double> left(all.size(), 1.0);  // share of each bin that is not placed yet
  const auto add = [](double& to, double mass) {
    if (mass > 0.0) to = std::max(0.0, std::nextafter(to + mass * (1.0 - 0x1p-50), 0.0));
  };
  const auto lower_mass = [](const Bin& bin) { return std::max(0.0, bin.x.lower()); };
  const auto take = [](double& share, double taken) {
    share = std::max(0.0, (share - taken) * (1.0 - 0x1p-50));
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Ball scale = exp(-Ball(all[i].left));
    double mass = 0.0;
    // How far the bin before lies above the cut's exp(-loss), and the bins after it below.
    double load = i == 0 ? 0.0 : left[i - 1] * (all[i - 1].y - all[i - 1].x * scale).upper();
    const double whole = load;
    for (std::size_t j = i; load > 0.0 && j < std::min(all.size(), i + furthest); ++j) {
      const double support = (all[j].x * scale - all[j].y).lower();
      if (!(support > 0.0)) continue;
      const double needed = load / support * (1.0 + 0x1p-48);
      const double taken = std::min(left[j], needed);
      load = needed <= taken ? 0.0 : load - support * taken * (1.0 - 0x1p-48);
      add(mass, lower_mass(all[j]) * taken);
      take(left[j], taken);
    }
    if (i > 0) {
      const double settled = load > 0.0 ? std::max(0.0, 1.0 - load / whole * (1.0 + 0x1p-48)) : 1.0;
      add(mass, lower_mass(all[i - 1]) * left[i - 1] * settled);
      add(result.masses.back(), lower_mass(all[i - 1]) * left[i - 1] * (1.0 - settled));
    }
    result.losses.push_back(all[i].left);
    result.masses.push_back(mass);
  }
  add(result.masses.back(), lower_mass(all.back()) * left.back());
  return result;
}

}  // namespace modicum
