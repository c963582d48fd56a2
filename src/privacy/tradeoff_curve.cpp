// f(a) >= 1 - delta(epsilon) - e^epsilon a, and f(a) >= e^{-epsilon} (1 - opposite(epsilon) - a),
// for every epsilon >= 0, delta and opposite being bounds on the profiles of both directions
// (docs/derivations/tradeoff.md).
#include "modicum/privacy/tradeoff_curve.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "modicum/numerics/errors.h"
#include "modicum/privacy/profile.h"
#include "privacy/engines/laplace_copies.h"
#include "privacy/profile_source.h"

namespace modicum {
namespace {

constexpr int tangent_count = 160;
constexpr double small_delta = 1e-5, rough_width = 1e-6;

bool has_quick_tails(const DirectedLoss& loss) {
  return is_pair(loss) && has_tails(loss) && !is_mostly_at_ends(loss);
}

// 1 - delta - e^epsilon a from below: in doubles, less some units of what is added up.
double tangent_at(double epsilon, double kept, double level) {
  const double scale = std::exp(epsilon) * level;
  return kept - scale - 0x1p-48 * (1.0 + scale);
}

}  // namespace

struct TradeoffCurve::Tangents {
  struct Point {
    double epsilon, forward, reverse;  // 1 - delta, at least
  };
  std::vector<Point> points;

  Tangents(const PrivacyLoss& loss, Accuracy accuracy) {
    QuantitySource forward(loss.forward(), accuracy), reverse(loss.reverse(), accuracy);
    const auto kept = [&](QuantitySource& source, double epsilon) {
      const QuantityValue delta = source.roughly(epsilon, rough_width);
      require_proof(accuracy, delta.proof);
      const double most = bounded(delta.value, 1.0).upper();
      return most < 1.0 ? std::nextafter(1.0 - most, 0.0) : 0.0;
    };
    const auto add = [&](double epsilon) {
      const double own = kept(forward, epsilon);
      points.push_back({epsilon, own, loss.is_symmetric() ? own : kept(reverse, epsilon)});
      return std::min(points.back().forward, points.back().reverse);
    };
    // Up to where delta is small, or no tangent tells more than 0 any longer.
    double end = 0.25;
    add(0.0);
    while (add(end) < 1.0 - small_delta && end < 256.0) end *= 2.0;
    double low = end > 0.25 ? 0.5 * end : 0.0, high = end;
    for (int i = 0; i < 6; ++i) {
      const double middle = 0.5 * (low + high);
      (add(middle) < 1.0 - small_delta ? low : high) = middle;
    }
    for (int i = 1; i < tangent_count; ++i) add(high * i / tangent_count);
  }

  double lower(double level) const {
    double one = 0.0, other = 0.0;
    for (const Point& point : points) {
      const double shrunk = std::exp(-point.epsilon) * (1.0 - 0x1p-48);
      const auto flat = [&](double kept) { return shrunk * tangent_at(0.0, kept, level); };
      one = std::max({one, tangent_at(point.epsilon, point.forward, level), flat(point.reverse)});
      other =
          std::max({other, tangent_at(point.epsilon, point.reverse, level), flat(point.forward)});
    }
    return std::min(one, other);
  }
};

TradeoffCurve::TradeoffCurve(PrivacyLoss loss, Accuracy accuracy)
    : loss_(loss.with_copies_joined().value_or(loss)), accuracy_(accuracy) {}
TradeoffCurve::~TradeoffCurve() = default;
TradeoffCurve::TradeoffCurve(TradeoffCurve&&) noexcept = default;

double TradeoffCurve::lower(double type1) {
  require_probability("type1", type1);
  const bool quick = has_quick_tails(loss_.forward()) && has_quick_tails(loss_.reverse());
  if (quick || type1 == 0.0 || type1 == 1.0) return tradeoff(loss_, type1, accuracy_).value.lower();
  if (!tangents_) tangents_ = std::make_unique<Tangents>(loss_, accuracy_);
  return tangents_->lower(type1);
}

}  // namespace modicum
