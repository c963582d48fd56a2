// The range of one privacy loss cut into bins, and two measures on the cuts: one that dominates the
// loss, one that the loss dominates. Both are off by the square of the bins' width
// (docs/derivations/discretized.md).
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "privacy/engines/loss_measure.h"
#include "privacy/laws/loss_law.h"

namespace modicum {

class LossPartition {
 public:
  /// If only the dominating measure is asked for, atoms need no narrow bins of their own.
  LossPartition(std::shared_ptr<const LossLaw> law, double count, Accuracy accuracy,
                bool only_dominating = false);

  double count() const { return count_; }
  bool has_atoms() const { return law_->is_discrete() || !atoms_.empty(); }
  Proof proof() const { return proof_; }

  /// Widens the range until the mass beyond its ends, times the count, is below `tail` (on the left
  /// under X times exp(tilt * end)). Returns whether it had to be.
  bool cover(double tail, double tilt);
  /// Whether the law sorts its outcomes into bins itself, so that many cost little: then refine()
  /// chooses all cuts anew.
  bool sorts() const { return sorts_; }
  bool sorts_quickly() const { return law_->bin_cost(seconds_) < 1e-5; }
  /// What sorting may take.
  void allow(double seconds) { seconds_ = seconds; }
  /// Halves the bins that matter most for an exponential moment at `tilt`, until the moment of the
  /// count-fold sum is known to `tolerance`, or `evaluations` are spent, or all are at `finest`.
  void refine(double tilt, double tolerance, double finest, long evaluations);
  /// log E[exp(tilt L)], about; and its first two derivatives.
  struct Moment {
    double value, mean, variance;
  };
  Moment moment(double tilt) const;
  /// A power of two of which every cut is a multiple.
  double spacing() const;
  /// Number of cuts.
  double size() const { return static_cast<double>(cuts_.size()); }

  LossMeasure dominating() const { return dominating_measure(bins()); }
  LossMeasure dominated() const { return dominated_measure(bins()); }

 private:
  struct Interval {
    double left, right, log_mass;
    double middle() const { return 0.5 * (left + right); }
  };
  const LossTails& at(double loss);
  long refine_once(double tilt, double enough, double finest, long evaluations);
  void summarize();
  Ball mass(double left, double right, bool under_x) const;
  LossBins bins() const;
  void sort(const std::vector<double>& cuts);
  bool cover_sorted(double tail);
  void refine_sorted(double tilt, double enough, double finest, double most_cuts);

  bool holds_atom(double left, double right) const;

  std::shared_ptr<const LossLaw> law_;
  std::vector<double> atoms_;
  double count_;
  Accuracy accuracy_;
  bool only_dominating_;
  Proof proof_ = Proof::certified;
  double spacing_ = 0.0;
  std::map<double, LossTails> cuts_;
  bool sorts_;
  double seconds_ = 0.0;
  double end_ = 0.0;               // of the bins that a law has sorted
  LossBins rough_, fine_;          // above 0: a few bins, from which many are chosen
  std::vector<Interval> summary_;  // the bins that are not empty, in doubles
};

}  // namespace modicum
