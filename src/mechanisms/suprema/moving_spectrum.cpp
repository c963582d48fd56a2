#include "mechanisms/suprema/moving_spectrum.h"

#include <algorithm>
#include <deque>

#include "mechanisms/suprema/stretch_path.h"
#include "privacy/gaussian/gaussian_moment.h"

namespace modicum {
namespace {

// An interval of parameters in one direction.
struct Stretch {
  double from, to;
  bool reversed;
  double middle() const { return 0.5 * (from + to); }
  double radius() const { return 0.5 * (to - from) + 0x1p-50; }
};

// One parameter in one direction.
struct Candidate {
  const MovingSpectrum* spectrum;
  double parameter;
  bool reversed;
};

std::optional<ContourValue> about(const Candidate& one, double epsilon) {
  const GaussianSpectrum pair = spectrum_at(*one.spectrum, Ball(one.parameter));
  return contour_integral(GaussianMoment(one.reversed ? pair.reversed() : pair), epsilon,
                          Kernel::profile);
}

// Stretches are cut in two, and shifts parted among paths, until all are proved.
class LargestDeltas {
 public:
  LargestDeltas(const std::vector<MovingSpectrum>& spectra, const std::vector<double>& epsilons,
                double slack)
      : spectra_(spectra),
        epsilons_(epsilons),
        slack_(slack),
        found_(epsilons.size(), 0.0),
        bounds_(epsilons.size(), 0.0),
        centers_(epsilons.size(), 1.0) {}

  std::vector<double> prove() {
    std::vector<Open> all;
    for (std::size_t i = 0; i < epsilons_.size(); ++i) all.push_back({i, 1.0});
    constexpr int first = 4;
    const std::size_t most_paths = 120 + epsilons_.size();  // twenty are usual for one
    for (const MovingSpectrum& each : spectra_)
      for (int i = 0; i < first; ++i)
        for (const bool reversed : {false, true})
          tasks_.push_back({&each, {1.0 * i / first, 1.0 * (i + 1) / first, reversed}, all});
    look_around();
    for (std::size_t done = 0; !tasks_.empty(); ++done) {
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      std::erase_if(task.open, [&](const Open& each) { return settles(each.place, each.upper); });
      if (task.open.empty()) continue;
      if (done < 20 * most_paths && paths_ < most_paths && failures_ < 24 &&
          task.stretch.to - task.stretch.from > 1e-9)
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
    const MovingSpectrum* spectrum;
    Stretch stretch;
    std::vector<Open> open;
  };

  // About the largest at some of the epsilons, from a few parameters, and what these have at the
  // others. Only where to stop depends on it.
  void look_around() {
    constexpr std::size_t every = 8;
    std::vector<Candidate> worst;  // of each spectrum and direction
    double center = 1.0;           // that of the first serves those next to it
    for (std::size_t i = 0; i < epsilons_.size(); ++i) {
      if (i % every == 0) follow(worst, epsilons_[std::min(i + every / 2, epsilons_.size() - 1)]);
      const auto value = about(worst.front(), epsilons_[i]);
      if (!value || !(value->value() > least_delta_told)) continue;
      found_[i] = (1.0 - 1e-9) * value->value();
      if (i % every == 0 || found_[i - 1] == 0.0) center = value->path.center;
      centers_[i] = center;
    }
  }
  // The largest first: sixteenths at first, then next to those of the epsilon before.
  void follow(std::vector<Candidate>& worst, double epsilon) const {
    constexpr double step = 1.0 / 16;
    const bool first = worst.empty();
    double largest = -1.0;
    if (first)
      for (const MovingSpectrum& spectrum : spectra_)
        for (const bool reversed : {false, true}) worst.push_back({&spectrum, 0.5, reversed});
    for (Candidate& each : worst) {
      const double from = first ? 0.0 : std::max(each.parameter - step, 0.0),
                   to = first ? 1.0 : std::min(each.parameter + step, 1.0);
      double own = -1.0;
      Candidate next = each;
      for (next.parameter = from; next.parameter <= to; next.parameter += step)
        if (const auto value = about(next, epsilon); value && value->value() > own) {
          own = value->value();
          each.parameter = next.parameter;
        }
      if (!(own > largest)) continue;
      largest = own;
      std::swap(each, worst.front());
    }
  }

  bool settles(std::size_t i, double bound) {
    if (!(bound <= std::max(found_[i] * (1.0 + slack_), least_delta_told))) return false;
    bounds_[i] = std::max(bounds_[i], bound);
    return true;
  }
  void halve(const Task& task, const std::vector<Open>& open) {
    if (open.empty()) return;
    const auto [from, to, reversed] = task.stretch;
    const double middle = task.stretch.middle();
    tasks_.push_back({task.spectrum, {from, middle, reversed}, open});
    tasks_.push_back({task.spectrum, {middle, to, reversed}, open});
  }

  // What Chernoff's bound at c, a function of the place, settles needs no path.
  template <class Center>
  void settle_by_chernoff(const MovingMoment& moment, std::vector<Open>& open, const Center& c_at) {
    double most = infinity, center = 0.0;
    std::erase_if(open, [&](Open& each) {
      const double c = c_at(each.place);
      if (c != center) most = moment.most(center = c);
      each.upper = std::min(each.upper, chernoff_bound(most, c, epsilons_[each.place]));
      return settles(each.place, each.upper);
    });
  }

  void run(const Task& task) {
    const MovingMoment moment(*task.spectrum, task.stretch.middle(), task.stretch.radius(),
                              task.stretch.reversed);
    // At the center of the path of the largest found so far, or further out, since losses that are
    // bounded below epsilon have no saddle point; where delta vanishes, next to the pole.
    std::vector<Open> open = task.open;
    for (const double further : {1.0, 4.0, 16.0})
      settle_by_chernoff(moment, open, [&](std::size_t i) { return further * centers_[i]; });
    const auto vanishes = [&](const Open& each) { return found_[each.place] == 0.0; };
    const double furthest = std::min(moment.furthest(), 1e150);
    for (double share = 0.95; share > 1e-150; share *= share > 0.01 ? 0.7 : 0.1) {
      if (std::none_of(open.begin(), open.end(), vanishes)) break;
      settle_by_chernoff(moment, open, [&](std::size_t) { return share * furthest; });
    }
    if (open.empty()) return;
    const std::size_t home = open[open.size() / 2].place;
    auto path = StretchPath::make(moment, epsilons_[home], slack_);
    if (!path) return halve(task, open);
    settle_by_chernoff(moment, open, [&](std::size_t) { return path->center(); });
    if (open.empty()) return;
    // Of the rest the middle one may be far from this home.
    if (std::none_of(open.begin(), open.end(), [&](const Open& e) { return e.place == home; }))
      return tasks_.push_front({task.spectrum, task.stretch, std::move(open)});
    if (path->is_too_wide()) return halve(task, open);
    if (!path->add_nodes()) {
      if (!path->is_too_wide()) ++failures_;
      return halve(task, open);
    }
    ++paths_;
    const StretchBound own = path->at(epsilons_[home]);
    const bool wide_at_home = !(own.upper <= own.lower * (1.0 + slack_));
    std::vector<Open> wide, below, above;
    for (Open each : open) {
      const StretchBound bound = each.place == home ? own : path->at(epsilons_[each.place]);
      if (bound.lower > found_[each.place]) {
        found_[each.place] = bound.lower;
        centers_[each.place] = path->center();
      }
      each.upper = std::min(each.upper, bound.upper);
      if (settles(each.place, each.upper)) continue;
      if (wide_at_home || each.place == home || !bound.by_distance) wide.push_back(each);
      else (each.place < home ? below : above).push_back(each);
    }
    halve(task, wide);
    if (!below.empty()) tasks_.push_back({task.spectrum, task.stretch, std::move(below)});
    if (!above.empty()) tasks_.push_back({task.spectrum, task.stretch, std::move(above)});
  }

  const std::vector<MovingSpectrum>& spectra_;
  const std::vector<double>& epsilons_;
  double slack_;
  std::vector<double> found_, bounds_;
  std::vector<double> centers_;  // of the paths by which the largest were found
  std::size_t paths_ = 0;
  int failures_ = 0;  // paths without a finite bound: there is little hope in more of them
  std::deque<Task> tasks_;
};

}  // namespace

std::vector<double> largest_deltas(const std::vector<MovingSpectrum>& spectra,
                                   const std::vector<double>& epsilons, double slack) {
  const PrecisionScope scope(96);
  if (spectra.empty()) return std::vector<double>(epsilons.size(), infinity);
  return LargestDeltas(spectra, epsilons, slack).prove();
}

double about_largest_delta(const std::vector<MovingSpectrum>& spectra, double epsilon) {
  const PrecisionScope scope(96);
  double largest = 0.0;
  for (const MovingSpectrum& each : spectra)
    for (const double parameter : {0.0, 0.25, 0.5, 0.75, 1.0})
      for (const bool reversed : {false, true})
        if (const auto value = about({&each, parameter, reversed}, epsilon))
          largest = std::max(largest, value->value());
  return largest;
}

}  // namespace modicum
