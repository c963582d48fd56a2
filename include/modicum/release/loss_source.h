// Where a privacy loss comes from: a file of JSON, a tree of values, or a loss at hand.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "modicum/data/fields.h"
#include "modicum/release/description.h"

namespace modicum {

struct LossSource {
  std::string path = {};  ///< - is standard input
  Value tree = {};
  std::shared_ptr<const Description> loss = {};

  LossSource() = default;
  explicit LossSource(const Value& path_or_tree);
  /// A positional field that is required.
  void fields(Fields& fields);
  /// Throws InvalidDescription, UnreadableFile.
  Description load(Accuracy accuracy) const;
};

/// Several of them, side by side.
struct LossSources {
  std::vector<LossSource> all = {};
  /// A positional field that is required: a path or a tree, or a list of such.
  void fields(Fields& fields);
};

}  // namespace modicum
