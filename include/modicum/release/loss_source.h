// Where a privacy loss comes from: a file of JSON, a tree of values, or a loss at hand.
#pragma once

#include <memory>
#include <string>

#include "modicum/data/fields.h"
#include "modicum/release/description.h"

namespace modicum {

struct LossSource {
  std::string path = {};  ///< - is standard input
  Value tree = {};
  std::shared_ptr<const Description> loss = {};

  /// A positional field that is required.
  void fields(Fields& fields);
  /// Throws InvalidDescription, UnreadableFile.
  Description load(Accuracy accuracy) const;
};

}  // namespace modicum
