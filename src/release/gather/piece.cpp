// The text of a piece: one line of JSON, and one with its checksum.
#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <optional>

#include "data/cells/number_text.h"
#include "data/files/file_patterns.h"
#include "modicum/data/json.h"
#include "modicum/data/unreadable_file.h"
#include "modicum/release/gather.h"
#include "modicum/release/release_files.h"
#include "modicum/version.h"
#include "release/gather/answers.h"

namespace modicum {
namespace {

constexpr const char* piece_format = "modicum gathered sums";
constexpr const char* question_format = "modicum questions";
constexpr int format_version = 2;
constexpr const char* content_prefix = "content ";
constexpr const char* piece_warning =
    "exact sums over the rows of a table: not private, for the holder of the data only";

[[noreturn]] void refuse_text(const std::string& source, const std::string& why) {
  throw UnreadableFile(fmt::format("{}: {}", one_line(source, 200), why));
}

// Below 2^63 as a number of JSON, else as text: both in decimal digits.
Value value_of(Integer128 number) {
  const auto small = static_cast<std::int64_t>(number);
  if (Integer128{small} == number) return small;
  const bool negative = number < 0;
  std::string digits;
  for (Integer128 left = number; left != 0; left /= 10) {
    const auto digit = static_cast<int>(left % 10);
    digits += static_cast<char>('0' + (negative ? -digit : digit));
  }
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

Integer128 number_in(const Value& value) {
  if (value.is_whole()) return value.whole();
  const std::string& text = value.text();
  const bool negative = text.starts_with('-');
  Integer128 number = 0;
  for (const char c : text.substr(negative ? 1 : 0)) {
    const int digit = c - '0';
    if (digit < 0 || digit > 9 || __builtin_mul_overflow(number, Integer128{10}, &number) ||
        __builtin_add_overflow(number, Integer128{negative ? -digit : digit}, &number))
      throw Error("a sum is no whole number of 128 bits");
  }
  if (text.size() == (negative ? 1U : 0U)) throw Error("a sum is empty");
  return number;
}

Value value_of(const std::vector<Integer128>& numbers) {
  Value list = Value::list();
  for (const Integer128 each : numbers) list.push_back(value_of(each));
  return list;
}

std::vector<Integer128> numbers_in(const Value& list) {
  std::vector<Integer128> numbers;
  numbers.reserve(list.size());
  for (const Value& each : list.items()) numbers.push_back(number_in(each));
  return numbers;
}

// Names of groups come from rows and may be any bytes, which JSON would not keep apart.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '%') result += c;
    else result += fmt::format("%{:02x}", byte);
  }
  return result;
}

std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    unsigned byte = 0;
    const char* const end = text.data() + std::min(i + 3, text.size());
    if (std::from_chars(text.data() + i + 1, end, byte, 16).ptr != text.data() + i + 3)
      throw Error("the name of a group is not written as it should be");
    result += static_cast<char>(byte);
    i += 2;
  }
  return result;
}

Value value_of(const WholeSums& sums) {
  Value groups = Value::list(), points = Value::list();
  for (const auto& [cell, entries] : sums.groups) {
    std::vector<std::string> names;
    for (const std::string& name : cell) names.push_back(escaped(name));
    groups.push_back(Value{{"of", names}, {"entries", value_of(entries)}});
  }
  for (const auto& [place, count] : sums.points) {
    points.push_back(place);
    points.push_back(value_of(count));
  }
  return Value{{"entries", value_of(sums.entries)},
               {"groups", std::move(groups)},
               {"points", std::move(points)}};
}

WholeSums sums_in(const Value& value) {
  WholeSums sums{numbers_in(value.at("entries"))};
  for (const Value& each : value.at("groups").items()) {
    std::vector<std::string> cell;
    for (const std::string& name : each.at("of").texts()) cell.push_back(unescaped(name));
    if (!sums.groups.emplace(std::move(cell), numbers_in(each.at("entries"))).second)
      throw Error("a group is there twice");
  }
  const Value& points = value.at("points");
  for (std::size_t i = 0; i + 1 < points.size(); i += 2)
    if (const Value& place = points.at(i);
        place.whole() < 0 ||
        !sums.points.emplace(static_cast<std::uint64_t>(place.whole()), number_in(points.at(i + 1)))
             .second)
      throw Error("a point is there twice");
  return sums;
}

Value rules_of(const GatheredPiece& piece) {
  Value questions = Value::list();
  for (const Value& each : piece.questions) questions.push_back(each);
  return Value{{"table", to_value(piece.shape)}, {"questions", std::move(questions)}};
}

// What a parser says may quote sums.
constexpr const char* not_as_written = "it is damaged: it is not written as gathered sums are";

// A line of JSON, of which nothing is quoted.
Value tree_in(const std::string& line) {
  try {
    return parse_json(line);
  } catch (const Error&) {
    throw Error(not_as_written);
  }
}

// Of the right kind and version. Throws Error, which quotes nothing.
void require_format(const Value& tree, const char* format) {
  const Value* own = tree.find("format");
  if (own == nullptr || *own != Value(format)) throw Error("this is no file of gathered sums");
  const auto is = [&](const char* key, const Value& expected) {
    const Value* found = tree.find(key);
    return found != nullptr && *found == expected;
  };
  if (!is("format_version", Value(format_version)) || !is("version", Value(version)))
    throw Error(fmt::format("it was made by another version, but must be of {}", version));
}

GatheredPiece piece_of(const Value& tree) {
  const Value& rules = tree.at("rules");
  GatheredPiece piece{tree.at("piece").text(), shape_in(rules.at("table")), {}, {}};
  for (const Value& each : rules.at("questions").items()) piece.questions.push_back(each);
  for (const Value& each : tree.at("answers").items()) piece.answers.push_back(sums_in(each));
  if (piece.answers.size() != piece.questions.size())
    throw Error("it has another number of answers than of questions");
  return piece;
}

}  // namespace

GatheredPiece gather_piece(std::string name, const Table& table,
                           const std::vector<Value>& questions, const ReadOptions& options,
                           RandomSource& choosing) {
  GatheredPiece piece{
      std::move(name), {table.columns(), table.assumptions(), options.bad_rows}, questions, {}};
  for (const Value& question : questions)
    piece.answers.push_back(answer(table, question, options, choosing));
  return piece;
}

std::string text_of_piece(const GatheredPiece& piece) {
  Value answers = Value::list();
  for (const WholeSums& each : piece.answers) answers.push_back(value_of(each));
  const Value rules = rules_of(piece);
  const std::string body = json_line(Value{{"confidential", piece_warning},
                                           {"format", piece_format},
                                           {"format_version", format_version},
                                           {"version", version},
                                           {"piece", piece.name},
                                           {"rules_sha256", sha256(json_line(rules))},
                                           {"rules", rules},
                                           {"answers", std::move(answers)}});
  return body + json_line(Value{{"sha256", sha256(body)}});
}

GatheredPiece piece_in(const std::string& text, const std::string& source) {
  const auto end = text.find('\n');
  if (end == std::string::npos || !text.ends_with('\n'))
    refuse_text(source, "the file of gathered sums is truncated");
  const std::string body = text.substr(0, end + 1);
  if (!body.starts_with("{\"confidential\":"))
    refuse_text(source, "this is no file of gathered sums");
  if (text.substr(end + 1) != json_line(Value{{"sha256", sha256(body)}}))
    refuse_text(source,
                "its checksum is another: it was truncated, or changed after it was gathered");
  std::optional<Value> tree;
  try {
    tree = tree_in(body);
    require_format(*tree, piece_format);
  } catch (const Error& error) {
    refuse_text(source, error.what());
  }
  try {
    return piece_of(*tree);
  } catch (const Error&) {
    refuse_text(source, not_as_written);
  }
}

std::string text_of_questions(const std::vector<Value>& questions) {
  Value all = Value::list();
  for (const Value& each : questions) all.push_back(each);
  return json_line(Value{{"confidential", "what a release in progress asks of a table"},
                         {"format", question_format},
                         {"format_version", format_version},
                         {"version", version},
                         {"questions", std::move(all)}});
}

bool holds_questions(const Value& tree) {
  const Value* format = tree.find("format");
  return format != nullptr && *format == Value(question_format);
}

std::vector<Value> questions_in(const std::string& text, const std::string& source) {
  try {
    const Value tree = tree_in(text);
    require_format(tree, question_format);
    const Value* questions = tree.find("questions");
    if (questions == nullptr || !questions->is_list()) throw Error(not_as_written);
    return questions->items();
  } catch (const Error& error) {
    refuse_text(source, error.what());
  }
}

bool is_from_content(const std::string& name) { return name.starts_with(content_prefix); }

std::string name_from_content(const std::vector<std::string>& paths) {
  if (::sodium_init() < 0) throw Error("the cryptographic library cannot be started");
  crypto_generichash_state state;
  ::crypto_generichash_init(&state, nullptr, 0, crypto_generichash_BYTES);
  std::vector<char> buffer(std::size_t{1} << 20);
  for (const std::string& path : data::expand_patterns(paths)) {
    std::ifstream file(path, std::ios::binary);
    do {
      file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
      ::crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(buffer.data()),
                                  static_cast<unsigned long long>(file.gcount()));
    } while (file);
    if (!file.eof()) throw UnreadableFile(fmt::format("{} cannot be read", one_line(path, 200)));
  }
  std::array<unsigned char, crypto_generichash_BYTES> digest{};
  ::crypto_generichash_final(&state, digest.data(), digest.size());
  std::string name = content_prefix;
  for (const unsigned char byte : digest) name += fmt::format("{:02x}", byte);
  return name;
}

}  // namespace modicum
