// What a request is made of, told once: each value by its name, with a line of help. The command
// line, Python, descriptions and files of jobs read the same fields, each in its own way.
#pragma once

#include <any>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "modicum/data/rows.h"
#include "modicum/data/value.h"

namespace modicum {

/// A request that does not fit together. Names of fields stand in backquotes, and each interface
/// writes them in its own way (in_style): "`delta` is missing, but must be given".
class UsageError : public Error {
 public:
  using Error::Error;
};

/// How a name is written.
enum class NameStyle {
  option,    ///< --row-norm-bound
  argument,  ///< row_norm_bound
};
std::string in_style(std::string_view message, NameStyle style);

/// One word out of several, with what it stands for and a line of help.
template <class Kind>
struct Choice {
  std::string word;
  Kind value;
  std::string help = "";
};
template <class Kind>
using Choices = std::vector<Choice<Kind>>;

template <class Kind>
const std::string& word_of(const Choices<Kind>& choices, const Kind& value) {
  for (const Choice<Kind>& each : choices)
    if (each.value == value) return each.word;
  throw Error("there is no word for this choice");
}

/// " (did you mean X?)" if one of the known words is close to this one, else nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

/// Its place among the words, where - and _ are the same. Throws InvalidParameter that names the
/// field and all the words.
std::size_t place_of_word(std::string_view field, const std::string& word,
                          const std::vector<std::string>& words);

/// A value that may come from a file.
template <class Content>
struct Input {
  std::string path = {};           ///< where it is to be read, or
  std::optional<Content> content;  ///< what it is
  bool given() const { return content.has_value() || !path.empty(); }
};

enum class FieldKind { number, flag, text, word, numbers, texts, range, ranges, list, input };

struct Field {
  std::string name;
  FieldKind kind;
  std::string help;
  std::function<void(const Value&)> set;  ///< throws InvalidParameter that names the field
  std::function<Value()> get;             ///< nothing, where there is none
  std::vector<std::string> words = {};    ///< those allowed
  std::any target = {};                   ///< of an input: a pointer to it
  bool is_required = false, is_positional = false, takes_several = false;
  std::vector<std::string> synonyms = {};
  std::string placeholder = {};  ///< in help: NUMBER
  bool takes_infinity = false;   ///< numbers: inf is one
  bool is_repeated = false;      ///< of several each is given by itself: --label A --label B
  bool is_text_place = false;    ///< a path, where - shows a text that stands alone: a picture
  bool in_one_word = false;      ///< numbers: on a command line with commas between them
  bool given = false;

  Field& required() { return is_required = true, *this; }
  Field& positional() { return is_positional = true, *this; }
  Field& synonym(std::string other) { return synonyms.push_back(std::move(other)), *this; }
  Field& shown_as(std::string word) { return placeholder = std::move(word), *this; }
};

/// One method of several, with what it needs: an alternative of a variant, each with a member
/// `void fields(Fields&)`.
template <class Variant>
struct Method {
  std::string word;
  Variant prototype;
  std::string help;
};
template <class Variant>
using Methods = std::vector<Method<Variant>>;

class Fields {
 public:
  Fields() = default;
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  // Each binds a value, which must outlive this object. What is not given stays as it is.
  Field& add(std::string name, double& value, std::string help);
  Field& add(std::string name, std::optional<double>& value, std::string help);
  Field& add(std::string name, bool& value, std::string help);
  Field& add(std::string name, std::string& value, std::string help);
  Field& add(std::string name, std::optional<std::string>& value, std::string help);
  Field& add(std::string name, std::vector<double>& value, std::string help);
  Field& add(std::string name, std::vector<std::string>& value, std::string help);
  Field& add(std::string name, std::optional<Range>& value, std::string help);
  Field& add(std::string name, std::map<std::string, Range>& value, std::string help);
  Field& add(std::string name, Eigen::VectorXd& value, std::string help);
  Field& add(std::string name, Eigen::MatrixXd& value, std::string help);

  template <class Kind>
  Field& choice(std::string name, Kind& value, const Choices<Kind>& choices, std::string help) {
    return add_choice(std::move(name), value, choices, std::move(help),
                      [&value, choices] { return Value(word_of(choices, value)); });
  }
  /// The same for a choice that may be left out.
  template <class Kind>
  Field& choice(std::string name, std::optional<Kind>& value, const Choices<Kind>& choices,
                std::string help) {
    return add_choice(std::move(name), value, choices, std::move(help), [&value, choices] {
      return value ? Value(word_of(choices, *value)) : Value();
    });
  }

  /// A method and what belongs to it. Every value of every method is a field; one that was given
  /// but does not belong to the chosen method is refused. `by_default` is asked for a word where no
  /// method was named, after all values were given.
  template <class Variant>
  Field& methods(std::string name, Variant& chosen, const Methods<Variant>& methods,
                 std::string help, std::function<std::string(const Fields&)> by_default) {
    Group group{name, {}, std::move(by_default)};
    for (const Method<Variant>& each : methods) {
      const auto prototype = std::make_shared<Variant>(each.prototype);
      const auto own = std::make_shared<Fields>();
      std::visit([&](auto& alternative) { alternative.fields(*own); }, *prototype);
      group.entries.push_back(
          {each.word, each.help, own, [&chosen, prototype] { chosen = *prototype; }});
    }
    return add_group(std::move(group), std::move(help));
  }

  /// A path, or what would be in the file; `set` is asked for the latter.
  template <class Content>
  Field& input(std::string name, Input<Content>& value, std::string help,
               std::function<void(const Value&)> set = nullptr) {
    return add_input(std::move(name), std::move(help), &value, value.path, std::move(set));
  }
  /// A list of records, such as the parts of a composition.
  Field& list(std::string name, std::string help, std::function<void(const Value::List&)> set,
              std::function<Value()> get);
  /// Any other value.
  Field& custom(Field field);

  const std::deque<Field>& all() const { return fields_; }
  std::deque<Field>& all() { return fields_; }
  /// By its name or a synonym; nothing, if there is none.
  Field* find(std::string_view name);
  const Field* find(std::string_view name) const;
  bool given(std::string_view name) const;
  /// All names, synonyms too.
  std::vector<std::string> names() const;

  /// Throws UsageError for a name that is not known, InvalidParameter for a value that does not
  /// fit, and for a second one.
  void set(std::string_view name, const Value& value);
  /// Settles methods and checks that nothing is missing. Throws UsageError.
  void finish();

  /// All values that differ from nothing, by their names.
  Value values() const;

 private:
  struct Entry {
    std::string word, help;
    std::shared_ptr<Fields> own;
    std::function<void()> choose;
  };
  struct Group {
    std::string name;
    std::vector<Entry> entries;
    std::function<std::string(const Fields&)> by_default;
    std::optional<std::size_t> chosen = {};
    std::map<std::string, Value> values = {};  // given for any of the methods
  };
  template <class Target, class Kind>
  Field& add_choice(std::string name, Target& value, const Choices<Kind>& choices, std::string help,
                    std::function<Value()> get) {
    std::vector<std::string> words, helps;
    for (const Choice<Kind>& each : choices) {
      words.push_back(each.word);
      helps.push_back(each.help);
    }
    return add_word(
        std::move(name), std::move(help), std::move(words), helps,
        [&value, choices](std::size_t place) { value = choices[place].value; }, std::move(get));
  }
  Field& add_word(std::string name, std::string help, std::vector<std::string> words,
                  const std::vector<std::string>& helps, std::function<void(std::size_t)> set,
                  std::function<Value()> get);
  Field& add_group(Group group, std::string help);
  Field& add_input(std::string name, std::string help, std::any target, std::string& path,
                   std::function<void(const Value&)> set);
  void settle(Group& group);

  std::deque<Field> fields_;
  std::deque<Group> groups_;
};

}  // namespace modicum
