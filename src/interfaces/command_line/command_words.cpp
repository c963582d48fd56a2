#include "interfaces/command_line/command_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "modicum/data/json.h"

namespace modicum {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./:=,+@%").find(c) != std::string_view::npos;
}

// One word of a shell.
std::string quoted_word(const std::string& text) {
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string plain_text(const Value& value) {
  if (value.is_text()) return value.text();
  std::string text = json_line(value);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string limits(const Value& range) {
  return fmt::format("{}:{}", plain_text(range.at(0)), plain_text(range.at(1)));
}

// The words that stand for a value, see value_of_words.
std::vector<std::string> words_of(const Field& field, const Value& value) {
  std::vector<std::string> words;
  if (field.kind == FieldKind::range && value.is_list()) return {limits(value)};
  if (field.kind == FieldKind::ranges && value.is_record()) {
    for (const auto& [column, range] : value.members())
      words.push_back(fmt::format("{}={}", column, limits(range)));
    return words;
  }
  if (!value.is_list()) return {plain_text(value)};
  for (const Value& each : value.items()) words.push_back(plain_text(each));
  if (field.in_one_word) return {fmt::format("{}", fmt::join(words, ","))};
  return words;
}

bool is_description(const Value& value) {
  return value.is_record() ||
         (value.is_list() && std::ranges::any_of(value.items(), &Value::is_record));
}

}  // namespace

std::string command_words(const JobKind& kind, const Fields& fields, const Value& given) {
  std::string inputs, options, text;
  for (const auto& [name, value] : given.members()) {
    const Field* field = fields.find(name);
    if (field == nullptr) continue;
    const std::string option = in_style("`" + field->name + "`", NameStyle::option);
    if (value.is_bool()) {
      if (value.boolean()) options += " " + option;
      continue;
    }
    if (field->kind == FieldKind::input && is_description(value)) {
      inputs += " -";
      text = fmt::format(" <<'END'\n{}\nEND", plain_text(value));
      continue;
    }
    const std::vector<std::string> words = words_of(*field, value);
    std::string& place = field->is_positional ? inputs : options;
    const bool repeated = field->is_repeated || field->kind == FieldKind::ranges;
    if (!field->is_positional && !repeated) place += " " + option;
    for (const std::string& word : words)
      place += (repeated ? " " + option + " " : " ") + quoted_word(word);
  }
  return "modicum " + kind.name + inputs + options + text;
}

}  // namespace modicum
