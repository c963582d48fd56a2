// What a release would promise and cost, before any row is read.
#pragma once

#include <vector>

#include "interfaces/ledger/payment.h"
#include "interfaces/reply.h"
#include "modicum/release/everyday_release.h"

namespace modicum {

/// A release as it is planned, from the options and the header alone.
struct Planned {
  Certificate certificate;
  std::vector<ExpectedNoise> expected = {};
  double level = 0.95;  ///< of the intervals expected
};

/// Tells it and, where a ledger pays, what that would cost and leave. A release that the ledger
/// would refuse is told as such: nothing is charged.
void tell_planned(Reply& reply, const Planned& planned, const PaymentTerms& terms);

}  // namespace modicum
