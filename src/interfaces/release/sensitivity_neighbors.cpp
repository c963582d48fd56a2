#include "interfaces/release/sensitivity_neighbors.h"

#include <fmt/format.h>

#include "modicum/release/unit.h"

namespace modicum {

void SensitivityNeighbors::fields(Fields& fields) {
  fields.choice("neighbors", neighbors, adjacency_words(),
                "the neighbors that the sensitivity is about, add_remove by default");
  fields
      .add("unit", unit,
           "a column of the data it was computed from: the sensitivity is about all rows with\n"
           "one value of it, in place of one row")
      .shown_as("COLUMN");
}

void SensitivityNeighbors::tell(Certificate& certificate) const {
  const ProtectedUnit whose = unit.empty() ? ProtectedUnit{} : unit_in("unit", unit);
  const char* change = neighbors == Adjacency::add_remove    ? "add or remove"
                       : neighbors == Adjacency::replace_one ? "replace"
                                                             : "zero out";
  certificate.adjacency = fmt::format("{} {}", change, whose.words());
  if (!whose.is_row()) certificate.parameters.push_back({"unit", whose.column});
  if (neighbors != Adjacency::add_remove && !certificate.loss.is_null())
    certificate.loss["adjacency"] = word_of(adjacency_words(), neighbors);
}

Planned SensitivityNeighbors::told(Planned planned) const {
  tell(planned.certificate);
  planned.draw = [this, draw = std::move(planned.draw)](RandomSource& random, Progress& reading) {
    Outcome outcome = draw(random, reading);
    tell(outcome.released.certificate);
    return outcome;
  };
  return planned;
}

}  // namespace modicum
