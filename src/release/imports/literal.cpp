#include "release/imports/literal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "data/cells/number_text.h"
#include "modicum/data/json.h"

namespace modicum {
namespace {

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_one_of(std::string_view characters, char c) {
  return characters.find(c) != std::string_view::npos;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : text_(text) {}

  Value whole() {
    Value read = value(0);
    skip_blanks();
    if (place_ < text_.size()) fail("must end here");
    return read;
  }

 private:
  [[noreturn]] void fail(std::string_view rule) const {
    const std::string_view before = text_.substr(0, place_);
    const auto line = std::ranges::count(before, '\n') + 1;
    const auto column = before.size() - (before.rfind('\n') + 1) + 1;
    const std::string found =
        place_ < text_.size() ? in_quotes(text_.substr(place_, 20)) : "the end";
    throw InvalidDescription(
        fmt::format("line {}, column {}: found {}, but {}", line, column, found, rule));
  }
  void skip_blanks() {
    while (place_ < text_.size() && is_one_of(" \t\r\n", text_[place_])) ++place_;
  }
  bool at(char c) const { return place_ < text_.size() && text_[place_] == c; }
  bool take(char c) {
    skip_blanks();
    if (!at(c)) return false;
    ++place_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(fmt::format("must be \"{}\"", c));
  }

  Value value(std::size_t depth) {
    if (depth > deepest_nesting) fail(fmt::format("must not be nested beyond {}", deepest_nesting));
    skip_blanks();
    if (place_ == text_.size()) fail("must be a value");
    const char c = text_[place_];
    if (c == '[') return list(']', depth);
    if (c == '(') return list(')', depth);
    if (c == '{') return dictionary(depth);
    if (c == '"' || c == '\'') return text();
    if (starts_name(c)) return named(depth);
    return number();
  }

  // A value in parentheses without a comma is no list.
  Value list(char end, std::size_t depth) {
    ++place_;
    Value items = Value::list();
    bool comma = false;
    while (!take(end)) {
      items.push_back(value(depth + 1));
      if (take(',')) {
        comma = true;
        continue;
      }
      expect(end);
      break;
    }
    return end == ')' && !comma && items.size() == 1 ? items.at(std::size_t{0}) : items;
  }

  void add(Value& record, const std::string& key, Value entry) const {
    if (record.contains(key)) fail(fmt::format("{} must be given once", in_quotes(key)));
    record[key] = std::move(entry);
  }

  Value dictionary(std::size_t depth) {
    ++place_;
    Value record = Value::record();
    while (!take('}')) {
      skip_blanks();
      if (!at('"') && !at('\'')) fail("must be a key in quotation marks");
      const std::string key = text();
      expect(':');
      add(record, key, value(depth + 1));
      if (take(',')) continue;
      expect('}');
      break;
    }
    return record;
  }

  std::string text() {
    const char mark = text_[place_++];
    std::string read;
    while (!at(mark)) {
      if (place_ == text_.size() || text_[place_] == '\n') fail("text must end with its mark");
      if (text_[place_] == '\\') {
        ++place_;
        const std::size_t escape =
            place_ < text_.size() ? std::string_view("nrt\\/\"'").find(text_[place_]) : 99;
        if (escape > 6) fail("must be one of the escapes n, r, t, \\, /, \" and '");
        read += "\n\r\t\\/\"'"[escape];
        ++place_;
      } else {
        read += text_[place_++];
      }
    }
    ++place_;
    return read;
  }

  Value number() {
    const std::size_t start = place_;
    const double sign = at('-') ? -1.0 : 1.0;
    if (at('-') || at('+')) ++place_;
    if (place_ < text_.size() && starts_name(text_[place_])) return infinite(sign);
    while (place_ < text_.size() && (is_digit(text_[place_]) || is_one_of(".eE", text_[place_]) ||
                                     ((at('-') || at('+')) && is_one_of("eE", text_[place_ - 1]))))
      ++place_;
    std::string_view token = text_.substr(start, place_ - start);
    const std::string_view digits = token.starts_with('+') ? token.substr(1) : token;
    std::int64_t whole = 0;
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
    if (end.ec == std::errc() && end.ptr == digits.data() + digits.size()) return whole;
    const auto read = read_number(digits);
    place_ = start;
    if (!read) fail("must be a value");
    if (!std::isfinite(*read)) fail("must be within the range of doubles");
    place_ = start + token.size();
    return *read;
  }

  Value infinite(double sign) {
    const std::string_view name = word();
    if (name == "inf" || name == "Infinity") return sign * std::numeric_limits<double>::infinity();
    fail("must be a number");
  }

  std::string_view word() {
    const std::size_t start = place_;
    while (place_ < text_.size() &&
           (starts_name(text_[place_]) || is_digit(text_[place_]) || at('.')))
      ++place_;
    return text_.substr(start, place_ - start);
  }

  Value named(std::size_t depth) {
    const std::size_t start = place_;
    const std::string_view path = word();
    const std::string_view name = path.substr(path.rfind('.') + 1);
    if (path == "None" || path == "null") return {};
    if (path == "True" || path == "true") return true;
    if (path == "False" || path == "false") return false;
    if (name == "inf" || name == "Infinity") return std::numeric_limits<double>::infinity();
    if (name == "nan" || name == "NaN") {
      place_ = start;
      fail("must be a number");
    }
    if (!take('(')) {
      place_ = start;
      fail("must be a value, or a name with its values in parentheses");
    }
    return is_plain(name) ? only_value(depth) : call(name, depth);
  }

  // Those that print around a value what it is made of.
  static bool is_plain(std::string_view name) {
    // Not those that print fewer digits than they have: float16, float32, array.
    constexpr std::array<std::string_view, 6> plain{"float64", "int32", "int64",
                                                    "list",    "tuple", "float"};
    return std::ranges::find(plain, name) != plain.end();
  }
  Value only_value(std::size_t depth) {
    Value read = value(depth + 1);
    expect(')');
    return read;
  }

  Value call(std::string_view name, std::size_t depth) {
    Value record{{"class_name", name}};
    bool own_name = false;
    while (!take(')')) {
      skip_blanks();
      if (place_ == text_.size() || !starts_name(text_[place_])) fail("must be a name with \"=\"");
      const std::string key(word());
      expect('=');
      // What prints as a named tuple says its class itself; only a wrapper may say another than its
      // own.
      if (key == "class_name" && !own_name) {
        const Value own = value(depth + 1);
        if (!name.starts_with('_') && own != Value(name)) fail("must be the class that is called");
        record["class_name"] = own;
        own_name = true;
      } else {
        add(record, key, value(depth + 1));
      }
      if (take(',')) continue;
      expect(')');
      break;
    }
    return record;
  }

  std::string_view text_;
  std::size_t place_ = 0;
};

}  // namespace

Value parse_literal(std::string_view text) { return LiteralReader(text).whole(); }

}  // namespace modicum
