#include <algorithm>

#include "modicum/auditing/program_runs.h"

namespace modicum {
namespace {

constexpr std::string_view input_mark = "{input}", output_mark = "{output}";

// Whether there was one.
bool replace_all(std::string& word, std::string_view mark, const std::string& by) {
  bool found = false;
  for (std::size_t at = word.find(mark); at != std::string::npos;
       at = word.find(mark, at + by.size())) {
    word.replace(at, mark.size(), by);
    found = true;
  }
  return found;
}

}  // namespace

std::vector<std::string> split_command(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;  // a word has begun, if only with an empty pair of marks
  char mark = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool last = i + 1 == text.size();
    if (c == '\0') throw InvalidParameter("command", "one with a zero byte", "must be text");
    if (mark == '\'' || (mark == '"' && c != '\\')) {
      if (c == mark) mark = 0;
      else word += c;
    } else if (c == '\\' && !last && (mark == 0 || text[i + 1] == '"' || text[i + 1] == '\\')) {
      word += text[++i];
      inside = true;
    } else if (mark == 0 && (c == '\'' || c == '"')) {
      mark = c;
      inside = true;
    } else if (mark == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (mark != 0) throw InvalidParameter("command", text, "must close its quotation marks");
  if (inside) words.push_back(std::move(word));
  if (words.empty() || words.front().empty())
    throw InvalidParameter("command", "empty", "must name a program");
  return words;
}

std::vector<std::string> command_words(std::vector<std::string> words, const std::string& input,
                                       const std::string& output) {
  bool asked = false;
  for (std::string& word : words) {
    // The output first: an input path must not be searched for marks.
    replace_all(word, output_mark, output);
    if (replace_all(word, input_mark, input)) asked = true;
  }
  if (!asked) words.push_back(input);
  return words;
}

bool asks_for_output(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.find(output_mark) != std::string::npos;
  });
}

}  // namespace modicum
