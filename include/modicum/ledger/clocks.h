// The clocks of a budget: what may be spent freely, each answer chosen by the ones before
// (docs/derivations/ledger.md).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "modicum/calibration/calibrate.h"
#include "modicum/data/value.h"
#include "modicum/ledger/price.h"

namespace modicum {

/// Readings side by side. Sums and differences are rounded up.
struct Clocks {
  Reading mu_squared = {};  ///< of a Gaussian with mean mu
  Reading slack = {};       ///< -log(1 - s) for an infinite loss with probability s
  Reading pure = {};        ///< epsilon of a two-point loss
  Reading zcdp = {};        ///< rho of zero-concentrated differential privacy

  Clocks operator+(const Clocks& other) const;
  Clocks operator-(const Clocks& other) const;
  bool operator==(const Clocks&) const = default;
};

/// Each clock with its name in files and for people.
struct ClockKind {
  const char* key;
  const char* words;
  Reading Clocks::*reading;
};
inline constexpr std::array<ClockKind, 4> clock_kinds{{{"mu_squared", "mu^2", &Clocks::mu_squared},
                                                       {"slack", "slack", &Clocks::slack},
                                                       {"pure", "pure epsilon", &Clocks::pure},
                                                       {"zcdp", "rho", &Clocks::zcdp}}};

/// The larger, and the smaller, of each reading.
Clocks larger_of(const Clocks& a, const Clocks& b);
Clocks smaller_of(const Clocks& a, const Clocks& b);
/// This share of each reading, at most 1. Rounded down.
Clocks share_of(const Clocks& clocks, double share);

/// Whether no reading is above that of `total`, as far as 16 digits tell: a tenth, ten times, fits
/// into 1 though the double 0.1 is a little more. `allowed` is what is then spent at most.
bool fits(const Clocks& spent, const Clocks& total);
Clocks allowed(const Clocks& total);
/// Rounded down; 0 where more is spent.
Clocks what_is_left(const Clocks& total, const Clocks& spent);

Clocks clocks_of(const Price& price);
/// The probability that its slack stands for. Rounded down.
double slack_probability(const Clocks& clocks);
/// What holds when the readings are spent: their exact composition; with a reading of zcdp what the
/// moments of all but the slack imply.
PrivacyLoss loss_of(const Clocks& clocks);
/// What holds when the readings of several budgets are spent, each chosen by the answers to all:
/// their exact composition; with readings of zcdp that of their sums.
PrivacyLoss loss_of(const std::vector<Clocks>& budgets);

/// What a budget allows, as it is declared: a target, or mu, or rho.
struct BudgetTerms {
  std::optional<double> epsilon = {}, delta = {}, mu = {}, rho = {};
  /// A probability; with a target 1 % of delta where it is not given, else none.
  std::optional<double> slack = {};
  /// None where it is not given; all of epsilon where delta is 0.
  std::optional<double> pure = {};
  /// Rho for what is zero-concentrated and no Gaussian noise; with `rho` a part of it. None where
  /// it is not given.
  std::optional<double> zcdp = {};
};
/// Throws InvalidParameter, UsageError; CalibrationFailed where slack and pure leave no room.
Clocks split(const BudgetTerms& terms);

/// What one release may be paid with.
struct Offers {
  std::vector<Clocks> prices = {};
  std::string refusal = {};  ///< why there is none, or not another one
  bool never = false;        ///< a smaller loss of this kind has none either
};
/// In every clock that has something left; with `slack` at that slack and no other. `rho`: where
/// the loss is known to be zero-concentrated.
Offers offers_for(const PrivacyLoss& loss, const Clocks& total, const Clocks& left,
                  const std::optional<double>& slack = {}, const std::optional<Reading>& rho = {});
/// The largest share that it takes of a clock: infinite of a clock that has nothing.
double largest_share(const Clocks& price, const Clocks& left);
/// The one that leaves most of every clock: of those that fit the one whose largest share of what
/// is left is least, and among about equals the one with the least sum of shares.
const Clocks* best_of(const std::vector<Clocks>& prices, const Clocks& total, const Clocks& spent);

}  // namespace modicum
