// For which neighbors a sensitivity was found that somebody gives.
#pragma once

#include <string>

#include "interfaces/release/promise.h"
#include "modicum/release/adjacency.h"

namespace modicum {

/// What is not told is about adding or removing one row, as in descriptions: a budget of other
/// neighbors, or of persons, takes only what says so.
struct SensitivityNeighbors {
  Adjacency neighbors = Adjacency::add_remove;
  std::string unit = {};  ///< a column that tells persons apart; empty: one row

  void fields(Fields& fields);
  /// With these in the certificate, of the plan and of what is drawn. Must outlive it.
  Planned told(Planned planned) const;

 private:
  void tell(Certificate& certificate) const;
};

}  // namespace modicum
