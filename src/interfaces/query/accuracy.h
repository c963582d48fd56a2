// How exact an answer is to be, as fields of a job.
#pragma once

#include "modicum/data/fields.h"
#include "modicum/privacy/profile.h"

namespace modicum {

/// `fast` or `certified`, or neither.
struct AccuracyFields {
  bool fast = false, certified = false;

  void fields(Fields& fields) {
    fields.add("fast", fast, "double arithmetic with an honest error estimate instead of a proof");
    fields.add("certified", certified, "insist on a proof in ball arithmetic");
  }
  /// Throws UsageError where both were asked for.
  Accuracy chosen() const {
    if (fast && certified) throw UsageError("`fast` must not be given with `certified`");
    return fast ? Accuracy::fast : certified ? Accuracy::certified : Accuracy::automatic;
  }
};

}  // namespace modicum
