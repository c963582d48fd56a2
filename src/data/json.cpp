// The one place that knows the parser and writer of JSON.
#include "modicum/data/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "data/cells/number_text.h"
#include "data/cells/text_character.h"

namespace modicum {
namespace {

using nlohmann::json;
using Written = nlohmann::ordered_json;

// Builds the document and knows at every moment where in it the text stands.
class StrictReader : public nlohmann::json_sax<json> {
 public:
  explicit StrictReader(std::string_view text) : text_(text) {}

  Value take() { return std::move(done_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    if (value <= static_cast<std::uint64_t>(largest)) return add(static_cast<std::int64_t>(value));
    return add(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t& token) override {
    if (!fits_double(value, token)) refuse(path(), one_line(token, 60), double_range_rule);
    return add(value);
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // JSON text has none

  bool start_object(std::size_t) override { return open(Value::record()); }
  bool start_array(std::size_t) override { return open(Value::list()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    open_.back().key = std::move(name);
    if (open_.back().value.contains(open_.back().key))
      refuse(path(), "given twice", "must be given once");
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    constexpr int number_overflow = 406;
    if (error.id == number_overflow) refuse(path(), one_line(token, 60), double_range_rule);
    refuse_text(std::min(position, text_.size() + 1) - 1, error.what());
  }

  [[noreturn]] void refuse_text(std::size_t place, std::string_view what) const {
    const std::string_view before = text_.substr(0, place);
    const auto line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    throw InvalidDescription(fmt::format(
        "line {}, column {}: {}", std::ranges::count(before, '\n') + 1,
        before.size() - line_start + 1, what_is_wrong(text_.substr(before.size()), what)));
  }

 private:
  // A list or record that is not complete yet, and the key that comes next.
  struct Open {
    Value value;
    std::string key = {};
  };

  bool add(Value value) {
    if (open_.empty()) done_ = std::move(value);
    else if (open_.back().value.is_record())
      open_.back().value[open_.back().key] = std::move(value);
    else open_.back().value.push_back(std::move(value));
    return true;
  }
  bool open(Value container) {
    if (open_.size() == deepest_nesting)
      refuse("description", fmt::format("nested more than {} deep", deepest_nesting),
             fmt::format("must be nested at most {} deep", deepest_nesting));
    open_.push_back({std::move(container)});
    return true;
  }
  bool close() {
    Value complete = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(complete));
  }

  std::string what_is_wrong(std::string_view rest, std::string_view what) const {
    for (const char* name : {"NaN", "Infinity", "inf"})
      if (rest.starts_with(name))
        return fmt::format("{} is {}, but must be a finite number", path(), name);
    if (text_.find_first_not_of(" \t\r\n") == std::string_view::npos)
      return "not JSON: the text is empty";
    // "[json.exception...] parse error at ...: syntax error while parsing value - what is wrong"
    const auto detail = what.find(" - ");
    if (detail != std::string_view::npos) what.remove_prefix(detail + 3);
    return "not JSON: " + one_line(what, 160);
  }

  // "compose[1].scale": the value that comes next.
  std::string path() const {
    std::string result;
    for (const Open& each : open_) {
      if (each.value.is_list()) result += fmt::format("[{}]", each.value.size());
      else result += (result.empty() ? "" : ".") + one_line(each.key, 60);
    }
    return result.empty() ? "description" : result;
  }

  std::string_view text_;
  std::vector<Open> open_;
  Value done_;
};

// Ends that the reader would refuse, below the least normal double, move outward.
Written written(const Enclosure& value) {
  constexpr double least = std::numeric_limits<double>::min();
  const auto outward = [](double end, double toward) {
    return std::abs(end) < least && end != 0.0 ? toward : end;
  };
  return {{"lower", outward(value.lower(), value.lower() > 0.0 ? 0.0 : -least)},
          {"upper", outward(value.upper(), value.upper() > 0.0 ? least : 0.0)}};
}

// Names may be any bytes. Each that is not UTF-8 is a replacement character and its two hexadecimal
// digits, so that different names stay different.
std::string in_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_character(text);
    if (length > 0) result += text.substr(0, length);
    else result += fmt::format("\xef\xbf\xbd{:02x}", static_cast<unsigned char>(text[0]));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

// A name that looks like another one with such bytes gets a number.
std::string new_key(const Written& record, const std::string& name) {
  const std::string wanted = in_utf8(name);
  std::string key = wanted;
  for (int next = 2; record.contains(key); ++next) key = fmt::format("{} ({})", wanted, next);
  return key;
}

Written written(const Value& value) {
  if (value.is_null()) return nullptr;
  if (value.is_bool()) return value.boolean();
  if (value.is_whole()) return value.whole();
  if (value.is_number()) return value.number();
  if (value.is_text()) return in_utf8(value.text());
  if (value.is_enclosure()) return written(value.enclosure());
  if (value.is_list()) {
    Written list = Written::array();
    for (const Value& each : value.items()) list.push_back(written(each));
    return list;
  }
  Written record = Written::object();
  for (const auto& [key, each] : value.members()) record[new_key(record, key)] = written(each);
  return record;
}

std::string dump(const Value& value, int indent) { return written(value).dump(indent); }

}  // namespace

Value parse_json(std::string_view text) {
  StrictReader reader(text);
  // The parser would take a NUL byte for the end.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    reader.refuse_text(nul, "the text has a NUL byte");
  json::sax_parse(text.begin(), text.end(), &reader);
  return reader.take();
}

std::string json_line(const Value& value) { return dump(value, -1) + "\n"; }
std::string json_lines(const Value& value, int indent) { return dump(value, indent) + "\n"; }

// A long list is not written out to be cut short.
std::string shown(const Value& value) {
  if (value.is_list() && value.size() > 8) return fmt::format("a list of {}", value.size());
  if (value.is_list()) return "a list";
  if (value.is_record()) return "an object";
  return value.is_text() ? in_quotes(value.text()) : dump(value, -1);
}

void refuse(std::string_view path, std::string_view value, std::string_view rule) {
  throw InvalidDescription(fmt::format("{} is {}, but {}", path, value, rule));
}

}  // namespace modicum
