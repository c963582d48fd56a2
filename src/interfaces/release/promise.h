// A release in two steps: what it promises and costs, known before any row is read; and what is
// drawn once that is paid.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "interfaces/ledger/payment.h"
#include "interfaces/reply.h"
#include "modicum/randomness/random_source.h"
#include "modicum/release/diagnostics.h"
#include "modicum/release/everyday_release.h"
#include "modicum/release/progress.h"

namespace modicum {

/// A release that was drawn and is not written yet.
struct Outcome {
  Released released;
  std::string what;  ///< in words: "the second moments of 4 coordinates"
  /// What is confidential about it.
  std::function<Diagnostics(const Released&, Progress&)> diagnose;
  std::vector<std::string> warnings = {};  ///< that follow from what is released
};

/// A release as it is planned, from the options and the header alone.
struct Planned {
  Certificate certificate;
  /// Reads the rows: not to be called before the loss of the certificate is paid. What is drawn has
  /// that loss.
  std::function<Outcome(RandomSource&, Progress&)> draw;
  std::vector<ExpectedNoise> expected = {};
  double level = 0.95;  ///< of the intervals expected
};

/// Tells it and, where a ledger pays, what that would cost and leave. A release that the ledger
/// would refuse is told as such: nothing is charged.
void tell_planned(Reply& reply, const Planned& planned, const PaymentTerms& terms);

}  // namespace modicum
