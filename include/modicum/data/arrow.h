// Columns that another library holds, through the Arrow C data and stream interfaces, which are
// plain structs: nothing has to be linked. No cell is copied.
//
// Numbers, booleans, text (plain, large and view), dates, timestamps, decimals and dictionaries of
// these are read. Cells of any other type are as if they were missing: the type of a column is no
// reason to stop, since it may tell of a row.
#pragma once

#include <cstdint>
#include <memory>

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
}
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
extern "C" {
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
}
#endif

namespace modicum {

namespace data {
class ColumnsInMemory;
}

/// All batches of a stream, or one: structs whose children are the columns, or one column, which is
/// called "value" unless it has a name. For TableFiles::columns. What is given is taken over: its
/// release is called when the columns are gone, and its own is null from then on. Throws
/// InvalidParameter for what is released already or has no columns, UnreadableFile where a stream
/// breaks off.
std::shared_ptr<const data::ColumnsInMemory> columns_from_arrow(ArrowArrayStream& stream);
std::shared_ptr<const data::ColumnsInMemory> columns_from_arrow(ArrowSchema& schema,
                                                                ArrowArray& array);

}  // namespace modicum
