#include "release/descriptions/description_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "data/cells/number_text.h"

namespace modicum {

void read_keys(Fields& fields, const Value& record, const std::vector<std::string>& also) {
  const auto among_others = [&](const std::string& key) {
    return std::ranges::find(also, key) != also.end();
  };
  for (const auto& [key, value] : record.members()) {
    if (fields.find(key) != nullptr || among_others(key)) continue;
    std::vector<std::string> known = also;
    for (const Field& field : fields.all()) known.push_back(field.name);
    // As documented: the mechanism first, the count last.
    std::ranges::stable_sort(known, {}, [](const std::string& each) { return each == "count"; });
    refuse(one_line(key, 60), "an unknown key",
           fmt::format("must be one of: {}{}", fmt::join(known, ", "), suggestion(key, known)));
  }
  for (const Field& field : fields.all()) {
    const bool there = record.contains(field.name) ||
                       std::ranges::any_of(field.synonyms, [&](const std::string& other) {
                         return record.contains(other);
                       });
    if (field.is_required && !there) refuse(field.name, "missing", "must be given");
  }
  for (const auto& [key, value] : record.members())
    if (!among_others(key)) fields.set(key, value);
}

// The library names a key, or something made of several.
void at_path(const std::string& path, const Value& record, const std::function<void()>& action) {
  const auto located = [&](std::string_view message) {
    if (path.empty()) return std::string(message);
    const bool names_key = record.contains(message.substr(0, message.find_first_of(" [.")));
    return fmt::format("{}{}{}", path, names_key ? "." : ": ", message);
  };
  if (!record.is_record())
    refuse(path.empty() ? "description" : path, shown(record), "must be an object");
  try {
    action();
  } catch (const InvalidParameter& error) {
    throw InvalidDescription(located(error.what()));
  } catch (const InvalidDescription& error) {
    if (path.empty()) throw;
    const std::string_view message = error.what();
    const auto end = message.find(" is ");
    const bool place =
        end != std::string_view::npos && message.substr(0, end).find(' ') == std::string_view::npos;
    throw InvalidDescription(fmt::format("{}{}{}", path, place ? "." : ": ", message));
  }
}

}  // namespace modicum
