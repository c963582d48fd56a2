#include "interfaces/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "interfaces/number_text.h"
#include "modicum/interfaces/description.h"

namespace modicum {
namespace {

using nlohmann::json;

// Builds the document and knows at every moment where in it the text stands.
class StrictReader : public nlohmann::json_sax<json> {
 public:
  explicit StrictReader(std::string_view text) : text_(text) {}

  json take() { return std::move(document_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& token) override {
    if (!fits_double(value, token)) refuse(path(), one_line(token, 60), double_range_rule);
    return add(value);
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // JSON text has none

  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    key_ = std::move(name);
    if (open_.back()->contains(key_)) refuse(path(), "given twice", "must be given once");
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    constexpr int number_overflow = 406;
    if (error.id == number_overflow) refuse(path(), one_line(token, 60), double_range_rule);
    const std::string_view before = text_.substr(0, std::min(position, text_.size() + 1) - 1);
    const auto line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    throw InvalidDescription(fmt::format(
        "line {}, column {}: {}", std::ranges::count(before, '\n') + 1,
        before.size() - line_start + 1, what_is_wrong(text_.substr(before.size()), error.what())));
  }

 private:
  template <class Value>
  json* place(Value&& value) {
    if (open_.empty()) {
      document_ = std::forward<Value>(value);
      return &document_;
    }
    json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::forward<Value>(value));
    parent.push_back(std::forward<Value>(value));
    return &parent.back();
  }
  template <class Value>
  bool add(Value&& value) {
    place(json(std::forward<Value>(value)));
    return true;
  }
  bool open(json container) {
    if (open_.size() == deepest_nesting)
      refuse("description", fmt::format("nested more than {} deep", deepest_nesting),
             fmt::format("must be nested at most {} deep", deepest_nesting));
    names_.push_back(place_name());
    open_.push_back(place(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    names_.pop_back();
    return true;
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

  // The value that comes next, as seen from its parent.
  std::string place_name() const {
    if (open_.empty()) return "";
    const json& parent = *open_.back();
    if (parent.is_array()) return fmt::format("[{}]", parent.size());
    return (open_.size() == 1 ? "" : ".") + one_line(key_, 60);
  }
  std::string path() const {
    std::string result;
    for (const std::string& name : names_) result += name;
    result += place_name();
    return result.empty() ? "description" : result;
  }

  std::string_view text_;
  json document_;
  std::vector<json*> open_;         // the objects and lists around the present place
  std::vector<std::string> names_;  // how each is reached from the one around it
  std::string key_;
};

}  // namespace

json parse_strict_json(std::string_view text) {
  StrictReader reader(text);
  json::sax_parse(text.begin(), text.end(), &reader);
  return reader.take();
}

void refuse(std::string_view path, std::string_view value, std::string_view rule) {
  throw InvalidDescription(fmt::format("{} is {}, but {}", path, value, rule));
}

}  // namespace modicum
