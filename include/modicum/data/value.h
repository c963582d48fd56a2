// A tree of values: what descriptions, answers and certificates are made of, whichever way they
// come in or go out. JSON is one of its texts (modicum/data/json.h), Python objects another form.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "modicum/numerics/enclosure.h"
#include "modicum/numerics/errors.h"

namespace modicum {

/// Nothing, a truth value, a number, an enclosure, text, a list, or named values in their order.
class Value {
 public:
  using List = std::vector<Value>;
  using Member = std::pair<std::string, Value>;
  using Record = std::vector<Member>;

  Value();
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();
  Value(std::nullptr_t) {}
  Value(std::same_as<bool> auto value) : content_(value) {}
  Value(double value) : content_(value) {}
  /// Whole numbers stay whole: 5 is not written as 5.0.
  template <std::integral Whole>
  requires(!std::same_as<Whole, bool>) Value(Whole value)
      : content_(static_cast<std::int64_t>(value)) {}
  Value(const char* text) : content_(std::string(text)) {}
  Value(std::string text) : content_(std::move(text)) {}
  Value(std::string_view text) : content_(std::string(text)) {}
  Value(const Enclosure& value) : content_(value) {}
  Value(std::initializer_list<Member> members) : content_(Record(members)) {}
  template <class Item>
  Value(const std::vector<Item>& items) : content_(List(items.begin(), items.end())) {}
  /// Nothing where there is none.
  template <class Item>
  Value(const std::optional<Item>& item) {
    if (item) *this = Value(*item);
  }
  static Value list() { return Value(List{}); }
  static Value record() { return Value(std::initializer_list<Member>{}); }

  bool is_null() const { return holds<std::monostate>(); }
  bool is_bool() const { return holds<bool>(); }
  bool is_whole() const { return holds<std::int64_t>(); }
  bool is_number() const { return holds<double>() || is_whole(); }
  bool is_enclosure() const { return holds<Enclosure>(); }
  bool is_text() const { return holds<std::string>(); }
  bool is_list() const { return holds<List>(); }
  bool is_record() const { return holds<Record>(); }

  // Each throws Error where the value is of another kind.
  bool boolean() const { return get<bool>("true or false"); }
  double number() const;
  std::int64_t whole() const { return get<std::int64_t>("a whole number"); }
  const Enclosure& enclosure() const { return get<Enclosure>("an enclosure"); }
  const std::string& text() const { return get<std::string>("text"); }
  const List& items() const { return get<List>("a list"); }
  const Record& members() const { return get<Record>("a record"); }
  std::vector<double> numbers() const;     ///< of a list of numbers
  std::vector<std::string> texts() const;  ///< of a list of texts

  /// Of a list, of a record; 0 for all else.
  std::size_t size() const;
  /// The value of a key, or nothing; nothing in what is no record.
  const Value* find(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// Throw Error where there is none.
  const Value& at(std::string_view key) const;
  const Value& at(std::size_t index) const;
  /// Appended where there is none. Nothing becomes a record.
  Value& operator[](std::string_view key);
  /// Nothing becomes a list. The new entry.
  Value& push_back(Value value);

  bool operator==(const Value&) const = default;

 private:
  template <class Kind>
  bool holds() const {
    return std::holds_alternative<Kind>(content_);
  }
  template <class Kind>
  const Kind& get(const char* kind) const {
    if (const Kind* value = std::get_if<Kind>(&content_)) return *value;
    refuse_kind(kind);
  }
  [[noreturn]] static void refuse_kind(const char* kind);

  std::variant<std::monostate, bool, std::int64_t, double, Enclosure, std::string, List, Record>
      content_;
};

}  // namespace modicum
