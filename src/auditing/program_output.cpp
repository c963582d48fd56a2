#include "auditing/program_output.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

namespace modicum {
namespace {

// Numbers that one run may keep in memory: 256 MiB.
constexpr std::size_t most_values = std::size_t{1} << 25;
constexpr std::size_t longest_number = 400;

bool is_separator(char c) { return c == ',' || c == ' ' || c == '\t' || c == '\r'; }

// A decimal, or inf or nan: what a program printed is what whoever asked saw. Too large is inf.
bool parse(std::string_view text, double& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  if (text.empty() || text.size() > longest_number) return false;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end) return false;
  if (error == std::errc::result_out_of_range)
    value = std::strtod(std::string(text).c_str(), nullptr);
  return error == std::errc() || error == std::errc::result_out_of_range;
}

}  // namespace

bool OutputReader::fail(std::string why) {
  failure_ = std::move(why);
  rest_.clear();
  samples_.add_failure();
  return false;
}

bool OutputReader::take_line(std::string_view line) {
  ++lines_;
  numbers_.clear();
  for (std::size_t i = 0; i < line.size();) {
    if (is_separator(line[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < line.size() && !is_separator(line[end])) ++end;
    double value = 0.0;
    if (!parse(line.substr(i, end - i), value))
      return fail(fmt::format("line {} of its output is not a list of numbers", lines_));
    if (numbers_.size() == limits_.numbers)
      return fail(
          fmt::format("line {} of its output has more than {} numbers", lines_, limits_.numbers));
    numbers_.push_back(value);
    i = end;
  }
  if (numbers_.empty()) return true;
  if (limits_.samples > 0 && samples_.size() == limits_.samples)
    return fail(fmt::format("it printed more than {} samples", limits_.samples));
  if ((values_ += numbers_.size()) > most_values) return fail("it printed too many numbers");
  samples_.add(numbers_);
  return true;
}

bool OutputReader::read(std::string_view piece) {
  if (!failure_.empty()) return false;
  if ((bytes_ += piece.size()) > limits_.bytes)
    return fail(fmt::format("it printed more than {} bytes", limits_.bytes));
  rest_ += piece;
  std::size_t start = 0;
  for (std::size_t end = rest_.find('\n'); end != std::string::npos;
       start = end + 1, end = rest_.find('\n', start))
    if (!take_line(std::string_view(rest_).substr(start, end - start))) return false;
  rest_.erase(0, start);
  // No list of so many numbers is longer than this.
  if (rest_.size() > limits_.numbers * 32 + longest_number)
    return fail(fmt::format("line {} of its output is too long", lines_ + 1));
  return true;
}

void OutputReader::finish() {
  if (!failure_.empty()) return;
  if (!rest_.empty() && !take_line(rest_)) return;
  if (samples_.size() == 0) fail("it printed no numbers");
  else if (samples_.size() < limits_.samples)
    fail(fmt::format("it printed fewer than {} samples", limits_.samples));
}

std::vector<double> numbers_in_cells(std::string_view text) {
  std::vector<double> result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && !is_separator(text[end]) && text[end] != '\n') ++end;
    double value = 0.0;
    if (parse(text.substr(i, end - i), value)) result.push_back(value);
    i = end + 1;
  }
  return result;
}

}  // namespace modicum
