#include "privacy/laws/contour_choice.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace modicum {
namespace {

using Complex = std::complex<double>;

// The sum of |phi B^a dt| on a few points; infinite on a contour that is no good because it would
// have to reach over too many of them.
class ContourSketch {
 public:
  ContourSketch(const BentContour& c, const ContourEnds& ends) {
    constexpr double most_points = 4000.0;
    const double width = std::min(0.4, 0.4 / static_cast<double>(c.mu));
    if (!(ends.to - ends.from < most_points * width)) return;
    for (double v = ends.from; v < ends.to; v += width) {
      const auto s = contour_sample<double>(c, v);
      parts_.push_back({std::log(width * size_of(s.turned)) - 0.5 * times(s.t, s.t).real() -
                            static_cast<double>(log_root_two_pi),
                        s.log_base});
    }
  }
  double log_sum(Complex a) const {
    if (parts_.empty()) return infinity;
    double largest = -infinity, total = 0.0;
    for (const Part& part : parts_)
      largest = std::max(largest, part.log_size + times(a, part.log_base).real());
    for (const Part& part : parts_)
      total += std::exp(part.log_size + times(a, part.log_base).real() - largest);
    return largest + std::log(total);
  }
  // log of the largest of it at the corners, e^{-T} times.
  double worst(const ContourTask& task) const {
    double worst = -infinity;
    for (const Complex a : task.corners)
      worst = std::max(worst, log_sum(a) - task.tangent.at(a.real()));
    return worst;
  }

 private:
  struct Part {
    double log_size;
    Complex log_base;
  };
  std::vector<Part> parts_;
};

// As far to the left as the lines on either side of the contour, and itself, can pass below the
// branch points: there it has turned by this.
double leftmost_place(const BentContour& c, double turn) {
  return c.middle() -
         std::log(std::expm1(std::min(turn / c.bend.slope, 600.0))) / static_cast<double>(c.mu);
}

}  // namespace

double ContourTask::largest() const {
  double size = 0.0;
  for (const Complex a : corners) size = std::max(size, size_of(a));
  return size;
}

std::optional<ContourEnds> choose_ends(const BentContour& c, const ContourTask& task, double most,
                                       ContourEnds start) {
  const auto enough = [&](const ContourEnds& ends) {
    return std::ranges::all_of(task.corners, [&](Complex a) {
      return outside_of(c, ends.from, ends.to, a, task.tangent.at(a.real())) <= most;
    });
  };
  double step = 0.5;
  for (int i = 0; i < 200; ++i, step *= 1.03) {
    if (enough(start)) return start;
    start.to += step;
    if (enough(start)) return start;
    start.from -= step;
  }
  return std::nullopt;
}

ContourEnds first_ends(const BentContour& c, const ContourTask& task) {
  const double mu = static_cast<double>(c.mu), k = c.bend.slope;
  double peak = 0.0;
  for (const Complex a : task.corners)
    peak = std::max(peak, mu * (a.real() - k * a.imag()) / (1.0 - k * k));
  return {std::min(0.0, c.middle() - 0.7 / mu) - 4.0,
          std::max({peak, c.middle() + 0.7 / mu, c.bend.place}) + 4.0};
}

NodeStrip choose_strip(const SampledShift& pair, ContourBend bend, const ContourEnds& ends,
                       const ContourTask& task, double digits) {
  NodeStrip best{0.0, 0.0};
  double last = 0.0;
  for (const double turn : {1.5, 1.1, 0.8, 0.55, 0.4, 0.28, 0.2, 0.1, 0.05, 0.02, 0.01}) {
    const double height = std::min(turn / pair.mu.high, 9.0);
    if (height == last) continue;
    last = height;
    const BentContour above = bent_contour(pair, bend, height);
    if (!above.passes_below_branch_points()) continue;
    const BentContour below = bent_contour(pair, bend, -height);
    const double growth = std::max(
        {0.0, ContourSketch(above, ends).worst(task), ContourSketch(below, ends).worst(task)});
    const double step = 2.0 * std::numbers::pi * height / (digits + growth + 1.0);
    if (step < best.step) break;
    best = {height, step};
  }
  return best;
}

ContourBend choose_bend(const SampledShift& pair, const ContourTask& task) {
  const double mu = pair.mu.high;
  // B^a turns from where |a| q e^u is about 1.
  const double turn =
      (-std::log(std::max(1.0, task.largest())) - std::log(pair.rate)) / mu + 0.5 * mu;
  ContourBend best{0.0, turn};
  double least = infinity;
  for (const double slope : {0.0, 0.15, 0.3, 0.45, 0.6})
    for (const double moved : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
      if (slope == 0.0 && moved != 0.0) continue;
      BentContour c = bent_contour(pair, {slope, turn + moved / mu}, 0.0);
      if (slope > 0.0) c.bend.place = std::max(c.bend.place, leftmost_place(c, 2.0));
      const double worst = ContourSketch(c, first_ends(c, task)).worst(task);
      if (worst < least) {
        least = worst;
        best = c.bend;
      }
    }
  return best;
}

std::vector<BentContour> steep_contours(const SampledShift& pair, const ContourTask& task,
                                        double least_slope) {
  struct Candidate {
    double worst;
    BentContour contour;
  };
  std::vector<Candidate> candidates;
  for (const double factor : {1.1, 1.25, 1.5}) {
    BentContour c = bent_contour(pair, {factor * least_slope, 0.0}, 0.0);
    if (c.bend.slope > 0.7) continue;
    const double leftmost = leftmost_place(c, 2.5);
    for (double moved = 0.0; moved < 7.0; moved += 1.0) {
      c.bend.place = leftmost + moved / pair.mu.high;
      candidates.push_back({ContourSketch(c, first_ends(c, task)).worst(task), c});
    }
  }
  std::ranges::sort(candidates, {}, &Candidate::worst);
  std::vector<BentContour> contours;
  for (const Candidate& candidate : candidates) contours.push_back(candidate.contour);
  return contours;
}

}  // namespace modicum
