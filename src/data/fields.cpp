#include "modicum/data/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "data/cells/number_text.h"
#include "modicum/data/json.h"

namespace modicum {
namespace {

// Levenshtein's distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

[[noreturn]] void refuse_value(const std::string& name, const Value& value, const char* rule) {
  throw InvalidParameter(name, shown(value), rule);
}

// Booleans are not numbers. Whole numbers beyond 2^53 are rounded, as decimals are.
double number_in(const std::string& name, const Value& value) {
  if (!value.is_number()) refuse_value(name, value, "must be a number");
  return value.number();
}

const std::string& text_in(const std::string& name, const Value& value) {
  if (!value.is_text()) refuse_value(name, value, "must be a string");
  return value.text();
}

const Value::List& list_in(const std::string& name, const Value& value, const char* rule) {
  if (!value.is_list()) refuse_value(name, value, rule);
  if (value.items().empty()) throw InvalidParameter(name, "an empty list", rule);
  return value.items();
}

std::vector<double> numbers_in(const std::string& name, const Value& value) {
  std::vector<double> numbers;
  if (value.is_number()) return {number_in(name, value)};
  const Value::List& items = list_in(name, value, "must be a list of numbers");
  numbers.reserve(items.size());
  for (const Value& each : items) {
    if (!each.is_number()) number_in(fmt::format("{}[{}]", name, numbers.size()), each);
    numbers.push_back(each.number());
  }
  return numbers;
}

std::vector<std::string> texts_in(const std::string& name, const Value& value) {
  if (value.is_text()) return {value.text()};
  std::vector<std::string> texts;
  for (const Value& each : list_in(name, value, "must be a list of texts"))
    texts.push_back(text_in(name, each));
  return texts;
}

Range range_in(const std::string& name, const Value& value) {
  if (!value.is_list() || value.size() != 2 || !value.at(0).is_number() || !value.at(1).is_number())
    refuse_value(name, value, "must be two numbers, the low end and the high end");
  const double low = value.at(0).number(), high = value.at(1).number();
  if (!(low < high))
    throw InvalidParameter(name, fmt::format("{}:{}", low, high),
                           "must have its low end first, and its high end above it");
  // Squares of values, and their sums with noise, must be numbers whatever the rows are.
  for (const double end : {low, high})
    if (!(std::abs(end) <= 1e100))
      throw InvalidParameter(name, end, "must be at most 1e100 in size");
  return {low, high};
}

Eigen::MatrixXd matrix_in(const std::string& name, const Value& value) {
  const char* const rule = "must be a list of numbers";
  const auto path = [&](std::size_t i) { return fmt::format("{}[{}]", name, i); };
  const Value::List& rows = list_in(name, value, "must be a list with at least one entry");
  const std::size_t columns = list_in(path(0), rows[0], rule).size();
  // Checked before the matrix is made: one long row must not claim memory for a square.
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (list_in(path(i), rows[i], rule).size() != columns)
      throw InvalidParameter(path(i), fmt::format("of length {}", rows[i].size()),
                             fmt::format("must have the length of the first row, {}", columns));
  Eigen::MatrixXd result(static_cast<long>(rows.size()), static_cast<long>(columns));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const Value& entry = rows[i].items()[j];
      if (!entry.is_number())
        refuse_value(fmt::format("{}[{}]", path(i), j), entry, "must be a number");
      result(static_cast<long>(i), static_cast<long>(j)) = entry.number();
    }
  return result;
}

Value range_value(const Range& range) { return std::vector<double>{range.low, range.high}; }

}  // namespace

std::string in_style(std::string_view message, NameStyle style) {
  std::string out;
  while (!message.empty()) {
    const auto open = message.find('`');
    const auto close = open == std::string_view::npos ? open : message.find('`', open + 1);
    if (close == std::string_view::npos) break;
    const std::string_view name = message.substr(open + 1, close - open - 1);
    out += message.substr(0, open);
    if (!is_name(name)) {
      out += '`';
      message.remove_prefix(open + 1);
      continue;
    }
    std::string written(name);
    if (style == NameStyle::option) {
      std::ranges::replace(written, '_', '-');
      written.insert(0, "--");
    }
    out += written;
    message.remove_prefix(close + 1);
  }
  return out += message;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string closest;
  for (const std::string& each : known) {
    const std::size_t away = distance(word, each);
    if (away < least) {
      least = away;
      closest = each;
    }
  }
  return closest.empty() ? "" : fmt::format(" (did you mean {}?)", closest);
}

std::size_t place_of_word(std::string_view field, const std::string& word,
                          const std::vector<std::string>& words) {
  // As with names of fields, - and _ are the same: smoothed-hinge, smoothed_hinge.
  const auto plain = [](char c) { return c == '-' ? '_' : c; };
  const auto found = std::ranges::find_if(words, [&](const std::string& each) {
    return std::ranges::equal(each, word, {}, plain, plain);
  });
  if (found == words.end())
    throw InvalidParameter(
        field, in_quotes(word),
        fmt::format("must be one of: {}{}", fmt::join(words, ", "), suggestion(word, words)));
  return static_cast<std::size_t>(found - words.begin());
}

Field& Fields::custom(Field field) {
  if (find(field.name) != nullptr) throw Error(fmt::format("{} is a field already", field.name));
  return fields_.emplace_back(std::move(field));
}

Field& Fields::add(std::string name, double& value, std::string help) {
  const auto set = [&value, name](const Value& given) { value = number_in(name, given); };
  return custom({name, FieldKind::number, std::move(help), set, [&value] { return Value(value); }});
}

Field& Fields::add(std::string name, std::optional<double>& value, std::string help) {
  const auto set = [&value, name](const Value& given) { value = number_in(name, given); };
  return custom({name, FieldKind::number, std::move(help), set, [&value] { return Value(value); }});
}

Field& Fields::add(std::string name, bool& value, std::string help) {
  const auto set = [&value, name](const Value& given) {
    if (!given.is_bool()) refuse_value(name, given, "must be true or false");
    value = given.boolean();
  };
  const auto get = [&value] { return value ? Value(true) : Value(); };
  return custom({name, FieldKind::flag, std::move(help), set, get});
}

Field& Fields::add(std::string name, std::string& value, std::string help) {
  const auto set = [&value, name](const Value& given) { value = text_in(name, given); };
  const auto get = [&value] { return value.empty() ? Value() : Value(value); };
  return custom({name, FieldKind::text, std::move(help), set, get});
}

Field& Fields::add(std::string name, std::optional<std::string>& value, std::string help) {
  const auto set = [&value, name](const Value& given) { value = text_in(name, given); };
  return custom({name, FieldKind::text, std::move(help), set, [&value] { return Value(value); }});
}

Field& Fields::add(std::string name, std::vector<double>& value, std::string help) {
  const auto set = [&value, name](const Value& given) { value = numbers_in(name, given); };
  const auto get = [&value] { return value.empty() ? Value() : Value(value); };
  Field& field = custom({name, FieldKind::numbers, std::move(help), set, get});
  field.takes_several = true;
  return field;
}

Field& Fields::add(std::string name, std::vector<std::string>& value, std::string help) {
  const auto set = [&value, name](const Value& given) { value = texts_in(name, given); };
  const auto get = [&value] { return value.empty() ? Value() : Value(value); };
  Field& field = custom({name, FieldKind::texts, std::move(help), set, get});
  field.takes_several = true;
  return field;
}

Field& Fields::add(std::string name, std::optional<Range>& value, std::string help) {
  const auto set = [&value, name](const Value& given) { value = range_in(name, given); };
  const auto get = [&value] { return value ? range_value(*value) : Value(); };
  return custom({name, FieldKind::range, std::move(help), set, get});
}

Field& Fields::add(std::string name, std::map<std::string, Range>& value, std::string help) {
  const auto set = [&value, name](const Value& given) {
    if (!given.is_record()) refuse_value(name, given, "must have two numbers for each column");
    value.clear();
    for (const auto& [column, ends] : given.members()) {
      if (!value.emplace(column, range_in(fmt::format("{} of {}", name, in_quotes(column)), ends))
               .second)
        throw InvalidParameter(name, in_quotes(column), "must be given once");
    }
  };
  const auto get = [&value] {
    Value all;
    for (const auto& [column, range] : value) all[column] = range_value(range);
    return all;
  };
  return custom({name, FieldKind::ranges, std::move(help), set, get});
}

Field& Fields::add(std::string name, Eigen::VectorXd& value, std::string help) {
  const auto set = [&value, name](const Value& given) {
    const std::vector<double> numbers = numbers_in(name, given);
    value = Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<long>(numbers.size()));
  };
  const auto get = [&value] { return Value(std::vector<double>(value.begin(), value.end())); };
  return custom({name, FieldKind::list, std::move(help), set, get});
}

Field& Fields::add(std::string name, Eigen::MatrixXd& value, std::string help) {
  const auto set = [&value, name](const Value& given) { value = matrix_in(name, given); };
  const auto get = [&value] {
    Value rows = Value::list();
    for (long i = 0; i < value.rows(); ++i) {
      const Eigen::VectorXd row = value.row(i);
      rows.push_back(std::vector<double>(row.begin(), row.end()));
    }
    return rows;
  };
  return custom({name, FieldKind::list, std::move(help), set, get});
}

Field& Fields::list(std::string name, std::string help, std::function<void(const Value::List&)> set,
                    std::function<Value()> get) {
  const auto checked = [name, set = std::move(set)](const Value& given) {
    set(list_in(name, given, "must be a list with at least one entry"));
  };
  return custom({name, FieldKind::list, std::move(help), checked, std::move(get)});
}

Field& Fields::add_word(std::string name, std::string help, std::vector<std::string> words,
                        const std::vector<std::string>& helps, std::function<void(std::size_t)> set,
                        std::function<Value()> get) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (!helps[i].empty()) help += fmt::format("\n{}: {}", words[i], helps[i]);
  const auto set_word = [name, words, set = std::move(set)](const Value& given) {
    set(place_of_word(name, text_in(name, given), words));
  };
  Field& field = custom({name, FieldKind::word, std::move(help), set_word, std::move(get)});
  field.words = std::move(words);
  return field;
}

Field& Fields::add_input(std::string name, std::string help, std::any target, std::string& path,
                         std::function<void(const Value&)> set) {
  const auto either = [name, &path, set = std::move(set)](const Value& given) {
    if (given.is_text()) path = given.text();
    else if (set) set(given);
    else refuse_value(name, given, "must be the path of a file");
  };
  Field& field = custom({name, FieldKind::input, std::move(help), either,
                         [&path] { return path.empty() ? Value() : Value(path); }});
  field.target = std::move(target);
  return field;
}

Field& Fields::add_group(Group group, std::string help) {
  Group& kept = groups_.emplace_back(std::move(group));
  std::vector<std::string> words, helps;
  for (const Entry& entry : kept.entries) {
    words.push_back(entry.word);
    helps.push_back(entry.help);
  }
  const auto get = [&kept] {
    return kept.chosen ? Value(kept.entries[*kept.chosen].word) : Value();
  };
  Field& method = add_word(
      kept.name, std::move(help), words, helps, [&kept](std::size_t place) { kept.chosen = place; },
      get);
  for (const Entry& entry : kept.entries)
    for (const Field& own : entry.own->all()) {
      if (find(own.name) != nullptr) continue;  // of an earlier method too
      std::vector<std::string> users;
      for (const Entry& other : kept.entries)
        if (other.own->find(own.name) != nullptr) users.push_back(other.word);
      Field shared = own;
      shared.is_required = false;  // settled with the method
      if (users.size() < kept.entries.size())
        shared.help = fmt::format("{}: {}", fmt::join(users, ", "), own.help);
      shared.set = [&kept, name = own.name](const Value& given) { kept.values[name] = given; };
      shared.get = [&kept, name = own.name] {
        const auto found = kept.values.find(name);
        return found == kept.values.end() ? Value() : found->second;
      };
      custom(std::move(shared));
    }
  return method;
}

void Fields::settle(Group& group) {
  if (!group.chosen) {
    std::vector<std::string> words;
    for (const Entry& entry : group.entries) words.push_back(entry.word);
    group.chosen = place_of_word(group.name, group.by_default(*this), words);
  }
  const Entry& entry = group.entries[*group.chosen];
  for (const auto& [name, value] : group.values) {
    if (entry.own->find(name) == nullptr)
      throw UsageError(
          fmt::format("`{}` must not be given with `{}` {}", name, group.name, entry.word));
    entry.own->set(name, value);
  }
  entry.own->finish();
  entry.choose();
}

Field* Fields::find(std::string_view name) {
  for (Field& field : fields_)
    if (field.name == name || std::ranges::find(field.synonyms, name) != field.synonyms.end())
      return &field;
  return nullptr;
}

const Field* Fields::find(std::string_view name) const {
  return const_cast<Fields*>(this)->find(name);
}

bool Fields::given(std::string_view name) const {
  const Field* field = find(name);
  return field != nullptr && field->given;
}

std::vector<std::string> Fields::names() const {
  std::vector<std::string> names;
  for (const Field& field : fields_) {
    names.push_back(field.name);
    names.insert(names.end(), field.synonyms.begin(), field.synonyms.end());
  }
  return names;
}

void Fields::set(std::string_view name, const Value& value) {
  Field* field = find(name);
  if (field == nullptr)
    throw UsageError(
        fmt::format("`{}` is not known here{}", one_line(name, 60), suggestion(name, names())));
  if (field->given)
    throw UsageError(fmt::format("`{}` is given twice, but must be given once", field->name));
  field->set(value);
  field->given = true;
}

void Fields::finish() {
  for (const Field& field : fields_)
    if (field.is_required && !field.given)
      throw UsageError(fmt::format("`{}` is missing, but must be given", field.name));
  for (Group& group : groups_) settle(group);
}

Value Fields::values() const {
  Value all = Value::record();
  for (const Field& field : fields_)
    if (Value value = field.get(); !value.is_null()) all[field.name] = std::move(value);
  return all;
}

}  // namespace modicum
