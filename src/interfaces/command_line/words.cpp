#include "interfaces/command_line/words.h"

#include <fmt/format.h>

#include <limits>

#include "data/cells/number_text.h"

namespace modicum {
namespace {

// "LOW:HIGH"
Value parse_limits(const std::string& name, const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) throw InvalidParameter(name, in_quotes(text), "must be LOW:HIGH");
  return std::vector<double>{parse_number(name, text.substr(0, colon)),
                             parse_number(name, text.substr(colon + 1))};
}

// "NAME=LOW:HIGH". A name may hold = and : itself.
Value parse_ranges(const std::string& name, const std::vector<std::string>& words) {
  Value ranges = Value::record();
  for (const std::string& text : words) {
    const auto equals = text.rfind('='), colon = text.rfind(':');
    if (equals == std::string::npos || equals == 0 || colon == std::string::npos || colon < equals)
      throw InvalidParameter(name, in_quotes(text), "must be NAME=LOW:HIGH");
    const std::string column = text.substr(0, equals);
    if (ranges.contains(column))
      throw InvalidParameter(name, in_quotes(column), "must be given once");
    ranges[column] = parse_limits(name, text.substr(equals + 1));
  }
  return ranges;
}

// "0.5,0.4,0.1"
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  for (auto comma = text.find(','); comma != std::string_view::npos; comma = text.find(',')) {
    parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(comma + 1);
  }
  parts.emplace_back(text);
  return parts;
}

const std::string& only(const Field& field, const std::vector<std::string>& words) {
  if (words.size() > 1)
    throw UsageError(fmt::format("`{}` is given twice, but must be given once", field.name));
  return words.front();
}

}  // namespace

double parse_number(std::string_view name, const std::string& text) {
  const auto value = read_number(text);
  if (!value) throw InvalidParameter(name, in_quotes(text), "must be a number");
  if (!fits_double(*value, text))
    throw InvalidParameter(name, one_line(text, 60), double_range_rule);
  return *value;
}

Value value_of_words(const Field& field, const std::vector<std::string>& words) {
  if (field.kind == FieldKind::ranges) return parse_ranges(field.name, words);
  if (field.kind == FieldKind::numbers) {
    std::vector<double> numbers;
    for (const std::string& word : field.in_one_word ? parts_of(only(field, words)) : words)
      numbers.push_back(field.takes_infinity && (word == "inf" || word == "infinity")
                            ? std::numeric_limits<double>::infinity()
                            : parse_number(field.name, word));
    return numbers;
  }
  if (field.takes_several) return words;
  const std::string& word = only(field, words);
  if (field.kind == FieldKind::number) return parse_number(field.name, word);
  if (field.kind == FieldKind::range) return parse_limits(field.name, word);
  return word;
}

}  // namespace modicum
