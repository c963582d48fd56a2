#include "release/neighbors/objective_witness.h"

#include <algorithm>
#include <cmath>

#include "numerics/ball.h"
#include "release/neighbors/neighbor_search.h"
#include "release/neighbors/objective_threshold.h"

namespace modicum {
namespace {

constexpr double most_copies = 0x1p30;

// `copies` of a row of this norm with one response. v = x^T theta decides everything about it.
struct CopiesOfARow {
  AuditedObjective mechanism;
  double norm, copies, response;

  // The gradient along the row, and how much rounding can have moved it: exp is trusted to some
  // units of the last place of long double, the norm to 2^-50 of itself.
  struct Gradient {
    long double value;
    double error;
  };
  Gradient gradient(double v, double added) const {
    const PredictionLoss& loss = mechanism.loss;
    const auto slope = [&](double y) {
      return loss.slope(static_cast<long double>(v), static_cast<long double>(y));
    };
    const long double ridge = static_cast<long double>(mechanism.regularization) * v / norm;
    long double value = ridge + static_cast<long double>(copies * norm) * slope(response);
    value += static_cast<long double>(added * norm) * slope(1.0);
    const double sizes =
        std::abs(static_cast<double>(ridge)) + (copies + added) * norm * loss.largest_slope();
    return {value, 0x1p-49 * sizes};
  }
  double scaled(double v, double added) const {
    return static_cast<double>(-gradient(v, added).value / mechanism.standard_deviation);
  }
  /// v at which the noise along the row is z deviations, without the row that is added.
  double prediction(double z) const {
    const double reach = norm / mechanism.regularization *
                         ((std::abs(z) + 1.0) * mechanism.standard_deviation +
                          copies * norm * mechanism.loss.largest_slope());
    double low = -reach, high = reach;
    for (int step = 0; step < 200 && high - low > 1e-15 * reach; ++step) {
      const double middle = 0.5 * (low + high);
      (scaled(middle, 0.0) > z ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }
};

// Whoever looks at the minimizer may look at both ends of the line: x^T theta >= above, where the
// noise is small, or <= below. Where the ends do not overlap, what they show adds up.
struct EndOfLine {
  double prediction = 0.0, shown = 0.0;
};
struct BothEnds {
  EndOfLine above, below;
  bool apart() const { return above.prediction > below.prediction; }
  double shown() const {
    return apart() ? above.shown + below.shown : std::max(above.shown, below.shown);
  }
};
struct Ends {
  BothEnds forward, reverse;
  double shown() const { return std::max(forward.shown(), reverse.shown()); }
};

// `with` and `without` are the gradients at v, negated, over sigma: P[x^T theta >= v] is that of
// noise below them.
void look_at(Ends& best, double v, double with, double without, double exp_epsilon) {
  const auto take = [v](EndOfLine& end, double shown) {
    if (shown > end.shown) end = {v, shown};
  };
  for (const bool above : {true, false}) {
    const double side = above ? 1.0 : -1.0;
    const double p = normal_below(side * with), q = normal_below(side * without);
    take(above ? best.forward.above : best.forward.below, shown_delta(p, q, exp_epsilon));
    take(above ? best.reverse.above : best.reverse.below, shown_delta(q, p, exp_epsilon));
  }
}

Ends best_ends(const CopiesOfARow& table, double exp_epsilon) {
  Ends best;
  for (double z = -12.0; z <= 12.0; z += 0.125) {
    const double v = table.prediction(z);
    look_at(best, v, table.scaled(v, 1.0), table.scaled(v, 0.0), exp_epsilon);
  }
  return best;
}

class ProvedEnds {
 public:
  ProvedEnds(const CopiesOfARow& table, double epsilon)
      : table_(table), factor_(exp(Ball(epsilon))) {}

  double of(const BothEnds& ends, bool forward) const {
    const double above = at(ends.above, 1.0, forward), below = at(ends.below, -1.0, forward);
    return ends.apart() ? (Ball(above) + Ball(below)).lower() : std::max(above, below);
  }

 private:
  double at(const EndOfLine& end, double side, bool forward) const {
    if (!(end.shown > 0.0)) return 0.0;
    // P[N <= x] = P[N > -x].
    const Ball p = normal_above(Ball(-side) * scaled(end.prediction, 1.0));
    const Ball q = normal_above(Ball(-side) * scaled(end.prediction, 0.0));
    return std::max(0.0, (forward ? p - factor_ * q : q - factor_ * p).lower());
  }
  Ball scaled(double v, double added) const {
    const auto [value, error] = table_.gradient(v, added);
    // Rounding to a double is below the error, which has 2^-49 of what was added up.
    return -Ball(static_cast<double>(value)).widened(Ball(error)) /
           Ball(table_.mechanism.standard_deviation);
  }
  const CopiesOfARow& table_;
  Ball factor_;
};

ProfilePoint proved_at(const CopiesOfARow& table, const Ends& ends, double epsilon) {
  const PrecisionScope scope(proof_bits);
  const ProvedEnds proved(table, epsilon);
  return {epsilon,
          {proved.of(ends.forward, true), 1.0},
          {proved.of(ends.reverse, false), 1.0},
          Proof::certified};
}

Eigen::VectorXd with_response(const Eigen::VectorXd& row, double response) {
  Eigen::VectorXd all(row.size() + 1);
  all << row, response;
  return all;
}

}  // namespace

double normal_below(double x) { return 0.5 * std::erfc(-x * M_SQRT1_2); }

ProvedWitness objective_witness(const AuditedTable& features, const AuditedObjective& mechanism,
                                double epsilon) {
  const AddedRows rows(features);
  const Eigen::VectorXd row = search_added_row(rows, {}, [](const Eigen::VectorXd& each) {
                                return each.squaredNorm();
                              }).row;
  const double most = mechanism.largest_rows ? *mechanism.largest_rows - 1.0 : most_copies;
  ProvedWitness best{{{}, with_response(row, 1.0)},
                     {epsilon, {0.0, 1.0}, {0.0, 1.0}, Proof::certified}};
  if (!(row.norm() > 0.0) || most < 0.0) return best;
  const double exp_epsilon = std::exp(epsilon);
  CopiesOfARow table{mechanism, row.norm(), 0.0, -1.0}, worst = table;
  Ends found;
  for (const double response : {-1.0, 1.0})
    for (double copies = 0.0; copies <= std::min(most, most_copies);
         copies = copies > 0.0 ? 2.0 * copies : 1.0) {
      table.copies = copies;
      table.response = response;
      const Ends next = best_ends(table, exp_epsilon);
      if (!(next.shown() > found.shown())) continue;
      found = next;
      worst = table;
    }
  best.point = proved_at(worst, found, epsilon);
  if (worst.copies > 0.0)
    best.witness.table.push_back({worst.copies, with_response(row, worst.response)});
  return best;
}

}  // namespace modicum
