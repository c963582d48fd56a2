#include "numerics/adaptive_quadrature.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace modicum {
namespace {

// Kronrod's extension of the ten-point Gauss rule: node, weight, and the Gauss weight of every
// second node.
struct Node {
  double place, weight, gauss_weight;
};
constexpr std::array<Node, 11> rule{
    {{0.9956571630258080807355, 0.0116946388673718742781, 0.0},
     {0.9739065285171717200780, 0.0325581623079647274788, 0.0666713443086881375936},
     {0.9301574913557082260012, 0.0547558965743519960314, 0.0},
     {0.8650633666889845107321, 0.0750396748109199527670, 0.1494513491505805931459},
     {0.7808177265864168970637, 0.0931254545836976055351, 0.0},
     {0.6794095682990244062343, 0.1093871588022976418992, 0.2190863625159820439955},
     {0.5627571346686046833390, 0.1234919762620658510780, 0.0},
     {0.4333953941292471907993, 0.1347092173114733259281, 0.2692667193099963550912},
     {0.2943928627014601981311, 0.1427759385770600807971, 0.0},
     {0.1488743389816312108848, 0.1477391049013384913748, 0.2955242247147528701738},
     {0.0, 0.1494455540029169056649, 0.0}}};

struct Segment {
  double low, high, ceiling;
  double at(double angle) const {
    // From the nearer end, so that distances to it keep their digits.
    const double half = std::sin(std::min(angle, M_PI - angle) / 2.0), part = half * half;
    return angle < M_PI / 2.0 ? low + (high - low) * part : high - (high - low) * part;
  }
};

struct Panel {
  const Segment* segment;
  double low, high;  // angles
  double value = 0.0, error = 0.0, noise = 0.0;
  bool operator<(const Panel& other) const { return error < other.error; }
};

// The error by the usual rule: the difference of the two rules, raised to the power 3/2 relative to
// the variation of f, since the finer rule is that much better.
Panel evaluated(const std::function<Sample(double)>& f, const Segment& segment, double low,
                double high) {
  Panel panel{&segment, low, high};
  const double center = (low + high) / 2.0, half = (high - low) / 2.0;
  std::array<double, 22> values{};
  double gauss = 0.0;
  for (int i = 0; i < 11; ++i)
    for (int sign = -1; sign <= (i < 10 ? 1 : -1); sign += 2) {
      const double angle = center + sign * half * rule[i].place;
      const double jacobian = (segment.high - segment.low) / 2.0 * std::sin(angle) * half;
      const Sample sample = f(segment.at(angle));
      const double value = sample.value * jacobian;
      values[2 * i + (sign > 0)] = value;
      panel.value += rule[i].weight * value;
      gauss += rule[i].gauss_weight * value;
      panel.noise += rule[i].weight * sample.noise * jacobian;
    }
  double variation = 0.0;
  for (int i = 0; i < 21; ++i)
    variation += rule[i / 2].weight * std::abs(values[i] - panel.value / 2.0);
  const double difference = std::abs(panel.value - gauss);
  panel.error = variation > 0.0
                    ? variation * std::min(1.0, std::pow(200.0 * difference / variation, 1.5))
                    : difference;
  return panel;
}

std::vector<Segment> segments_between(const std::function<double(double, double)>& ceiling,
                                      const std::vector<double>& breakpoints) {
  std::vector<Segment> segments;
  for (std::size_t i = 1; i < breakpoints.size(); ++i)
    if (breakpoints[i] > breakpoints[i - 1])
      segments.push_back(
          {breakpoints[i - 1], breakpoints[i], ceiling(breakpoints[i - 1], breakpoints[i])});
  std::sort(segments.begin(), segments.end(),
            [](const Segment& a, const Segment& b) { return a.ceiling > b.ceiling; });
  return segments;
}

}  // namespace

QuadratureEstimate integrate_adaptively(const std::function<Sample(double)>& f,
                                        const std::function<double(double, double)>& ceiling,
                                        const std::vector<double>& breakpoints,
                                        const QuadratureOptions& options) {
  const std::vector<Segment> segments = segments_between(ceiling, breakpoints);
  std::vector<Panel> panels;
  double value = 0.0, error = 0.0, noise = 0.0, left_out = 0.0;
  const auto add = [&](const Panel& panel) {
    value += panel.value, error += panel.error, noise += panel.noise;
    panels.push_back(panel);
    std::push_heap(panels.begin(), panels.end());
  };
  for (const Segment& segment : segments) {
    const double most = segment.ceiling * (segment.high - segment.low);
    if (most <= 1e-3 * options.relative_tolerance * value) left_out += most;
    else add(evaluated(f, segment, 0.0, M_PI));
  }
  while (error > std::max(options.relative_tolerance * value, noise / 50.0) &&
         panels.size() < static_cast<std::size_t>(options.most_panels)) {
    std::pop_heap(panels.begin(), panels.end());
    const Panel worst = panels.back();
    panels.pop_back();
    value -= worst.value, error -= worst.error, noise -= worst.noise;
    const double middle = (worst.low + worst.high) / 2.0;
    add(evaluated(f, *worst.segment, worst.low, middle));
    add(evaluated(f, *worst.segment, middle, worst.high));
  }
  // Summed afresh: the running sums have canceled.
  QuadratureEstimate result;
  for (const Panel& panel : panels) {
    result.value += panel.value;
    result.error += panel.error + panel.noise;
    result.panels.push_back({panel.segment->at(panel.low), panel.segment->at(panel.high)});
  }
  result.error += left_out + 1e-15 * std::abs(result.value);
  return result;
}

}  // namespace modicum
