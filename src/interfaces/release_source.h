// A table that is ready to be released from.
#pragma once

#include <string>

#include "interfaces/release_options.h"

namespace modicum {

/// A table with what is public about it. `target` is the last of the columns, if there is one.
struct Source {
  explicit Source(const ReleaseOptions& options, const std::string& target = "")
      : places(options.places()),
        table(options.table()),
        rule(options.row_rule(table, target)),
        rows(rule, options.row_norm_bound(rule), options.bad_rows()) {}
  ReleaseFiles places;
  Table table;
  RowRule rule;
  PublicRows rows;
};

/// Planning, which reads no data, with a word about it if it takes long.
template <class Make>
auto planned(const Make& make) {
  const ProgressLine progress("calibrating");
  return make();
}

}  // namespace modicum
