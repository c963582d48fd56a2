// Two Gaussians whose covariances differ in one direction, and which of many such pairs may be the
// worst.
#pragma once

#include <vector>

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// In units of the smaller covariance, which is that with the record: in one direction the other
/// has variance 1 + excess. The squared shift of the mean along that direction, and across it.
struct RankOnePair {
  double excess = 0.0, along = 0.0, across = 0.0;
  /// X has the record. All of it may be off by this share, and the shift, as a length, by
  /// `shift_error` besides.
  PrivacyLoss loss(double relative_error = 1e-12, double shift_error = 0.0) const;
};

/// Pairs that no other one dominates. y -> c y + noise takes (m, t) to (c m, c^2 t), and delta
/// grows with |m| (docs/derivations/least-squares.md, lemmas 1 and 2): a pair is dominated by one
/// with a larger excess, no less of along / excess, and no less across.
class PairFrontier {
 public:
  struct Entry {
    RankOnePair pair;
    double number;
  };
  void add(const RankOnePair& pair, double number);
  /// Numbers that come after.
  void add(const PairFrontier& later, double numbers_before);
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;  // those that dominated lately come first
};

}  // namespace modicum
