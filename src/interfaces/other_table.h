// A second table, of the same form as the first.
#pragma once

#include <optional>

#include "modicum/release/table_source.h"

namespace modicum {

/// The files, or the rows in memory, of `other`, read as those of `source` are; nothing where there
/// are none. Throws as TableSource::open.
inline std::optional<Table> opened_like(const TableSource& source, const TableSource& other) {
  if (!other.given()) return std::nullopt;
  TableSource both = source;
  both.files.paths = other.files.paths;
  both.files.memory = other.files.memory;
  return both.open();
}

}  // namespace modicum
