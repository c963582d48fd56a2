// Reading the keys of one record of a description.
#pragma once

#include <string>
#include <string_view>

#include "modicum/data/fields.h"
#include "modicum/data/json.h"

namespace modicum {

/// Every key of the record must be a field, and every field that is required must be there; `also`
/// are keys that the caller reads. Throws InvalidDescription with the path inside the record.
void read_keys(Fields& fields, const Value& record, const std::vector<std::string>& also = {});

/// Runs `action`; whatever it refuses is said with the place `path` of the record in front.
void at_path(const std::string& path, const Value& record, const std::function<void()>& action);

/// One entry of a list of records; `check` may refuse its values.
template <class Entry, class Check>
Entry read_record(const Value& record, const std::string& path, Check check) {
  Entry entry;
  at_path(path, record, [&] {
    Fields fields;
    entry.fields(fields);
    read_keys(fields, record);
    check(entry);
  });
  return entry;
}

}  // namespace modicum
