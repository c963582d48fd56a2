#include "release/neighbors/neighbor_pairs.h"

#include <algorithm>
#include <cmath>

#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

bool dominates(const RankOnePair& larger, const RankOnePair& smaller) {
  return larger.excess >= smaller.excess && larger.across >= smaller.across &&
         larger.along * smaller.excess >= smaller.along * larger.excess &&
         larger.along >= smaller.along;
}

// Of a square, if the length is off by so much.
Precise squared(double square, double length_error) {
  return {square, 0.0, length_error * (2.0 * std::sqrt(square) + length_error)};
}

}  // namespace

PrivacyLoss RankOnePair::loss(double relative_error, double shift_error) const {
  const double off = shift_error + relative_error * std::sqrt(along + across);
  GaussianSpectrum without_with;
  without_with.add({{excess, 0.0, relative_error * excess}, squared(along, off), 1.0});
  without_with.add({Precise::exactly(0.0), squared(across, off), 1.0});
  without_with.set_estimated();
  return PrivacyLoss::gaussian(without_with.reversed());
}

void PairFrontier::add(const RankOnePair& pair, double number) {
  if (!(pair.excess >= 0.0 && pair.along >= 0.0 && pair.across >= 0.0))
    throw Error("the loss of a row could not be computed");
  const auto stronger = std::find_if(entries_.begin(), entries_.end(),
                                     [&](const Entry& each) { return dominates(each.pair, pair); });
  if (stronger != entries_.end()) {
    std::rotate(entries_.begin(), stronger, stronger + 1);
    return;
  }
  std::erase_if(entries_, [&](const Entry& each) { return dominates(pair, each.pair); });
  entries_.push_back({pair, number});
}

void PairFrontier::add(const PairFrontier& later, double numbers_before) {
  for (const Entry& entry : later.entries_) add(entry.pair, entry.number + numbers_before);
}

}  // namespace modicum
