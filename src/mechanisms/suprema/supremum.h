// The largest delta over a family of pairs that runs over an interval: found by a search, proved by
// pieces, each of which one spectrum dominates.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mechanisms/suprema/moving_spectrum.h"
#include "modicum/privacy/privacy_loss.h"

namespace modicum {

struct Peak {
  double place, value;
};
/// The largest value found on [0, 1], both ends included: a lower bound on the supremum.
Peak search_peak(const std::function<double(double)>& f);

/// Whether delta of this spectrum is proved to be at most `threshold`, in both directions.
bool proved_below(const GaussianSpectrum& spectrum, double epsilon, double threshold);

/// Whether [0, 1] falls into pieces that all hold. A point that fails ends the search at once.
bool covered_by_pieces(const std::function<bool(double from, double to)>& piece_holds,
                       const std::function<bool(double at)>& point_holds);

/// The least bound above `attained` that `stays_below` proves: (1 + slack) times as much, or twice,
/// four times the slack where that fails. Throws TargetUnreachable.
double proved_bound(double attained, double slack,
                    const std::function<bool(double bound)>& stays_below);

/// The smallest parameter that is proved to meet a target. `log_excess` is the estimate of
/// log(delta / target), falling; the proof needs some room above its root, `room` if it is sharp.
/// Not below `floor`. Throws CalibrationFailed, naming the parameter.
double smallest_proved(const std::string& name, const std::function<double(double)>& log_excess,
                       const std::function<bool(double)>& is_proved, double start, double floor,
                       double room = 5e-4);

/// How close the supremum is proved where its value counts: alone, and in calibrations, so that a
/// certificate's loss gives back its target.
inline constexpr double close_slack = 1e-7;

/// A family of pairs whose supremum over both directions is one loss.
struct SupremumFamily {
  /// Tell families apart: the name those of different kinds, the key, all that the pairs depend on,
  /// those of one kind.
  std::string_view name;
  std::vector<double> key;
  /// The largest delta found at an epsilon >= 0, estimated.
  std::function<double(double epsilon)> search;
  /// An upper bound on all of them, proved, above the largest by some relative slack.
  std::function<double(double epsilon, double slack)> bound;
  /// Epsilons at which a polygon has its corners, from 0 on, where the family knows them; from the
  /// last on delta is constant.
  std::function<std::vector<double>()> places = nullptr;
  /// Given where the pairs are spectra that move with one parameter: bounds at many epsilons then
  /// cost little more than at one.
  std::vector<MovingSpectrum> spectra = {};

  bool operator==(const SupremumFamily& other) const {
    return name == other.name && key == other.key;
  }
  /// `bound` at each of the epsilons, which rise.
  std::vector<double> bounds(const std::vector<double>& epsilons, double slack) const;
  /// `search`, more quickly where less will do.
  double about(double epsilon) const;
};

/// Makes it the family of these pairs, whose largest delta is asked of each of them.
void take_pairs(SupremumFamily& family, std::shared_ptr<const std::vector<PrivacyLoss>> pairs);

/// One pair that dominates the family. Alone it is asked for the supremum itself, up to
/// `own_slack`; in a composition it is the pair of a polygon with so many corners where delta
/// matters, each proved up to `slack`.
PrivacyLoss loss_of_supremum(SupremumFamily family, int corners, double slack,
                             double own_slack = close_slack);

}  // namespace modicum
