#include "release/descriptions/loss_table.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "data/cells/number_text.h"
#include "modicum/release/description.h"

namespace modicum {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

[[noreturn]] void refuse_line(std::size_t number, std::string_view name, const std::string& value,
                              std::string_view rule) {
  throw InvalidDescription(fmt::format("line {}: {} is {}, but {}", number, name, value, rule));
}

// Takes the text up to the next `separator`, and that, off the front.
std::string_view take(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

double finite_number(std::size_t line, std::string_view name, std::string_view token,
                     std::string_view rule) {
  const auto value = read_number(token);
  if (!value || token.ends_with("nan")) refuse_line(line, name, in_quotes(token), rule);
  if (!fits_double(*value, token))
    refuse_line(line, name, one_line(token, 60), std::isinf(*value) ? rule : double_range_rule);
  return *value;
}

double probability(std::size_t line, std::string_view token) {
  const double value = finite_number(line, "probability", token, "must be a number");
  if (!(value >= 0.0 && value <= 1.0))
    refuse_line(line, "probability", one_line(token, 60), "must be from 0 to 1");
  return value;
}

bool is_infinity(std::string_view token) {
  return token == "inf" || token == "+inf" || token == "infinity";
}

void add_row(LossTable& table, std::size_t line, std::string_view row) {
  if (row.find(',') == std::string_view::npos)
    refuse_line(line, "row", in_quotes(row), "must be a loss and a probability, with a comma");
  std::string_view rest = row;
  const std::string_view loss = trimmed(take(rest, ','));
  const double mass = probability(line, trimmed(rest));
  if (is_infinity(loss)) {
    table.infinite += mass;
    return;
  }
  table.losses.push_back(finite_number(line, "loss", loss, "must be a finite number or inf"));
  table.probabilities.push_back(mass);
}

bool is_heading(std::string_view row) {
  const std::string_view first = trimmed(take(row, ','));
  return first == "loss" && trimmed(row) == "probability";
}

}  // namespace

LossTable parse_loss_table(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  LossTable table;
  std::size_t rows = 0;
  bool first = true;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::string_view row = trimmed(take(text, '\n'));
    if (row.empty() || row.starts_with('#')) continue;
    const bool heading = first && is_heading(row);
    first = false;
    if (heading) continue;
    if (++rows > most_table_rows)
      refuse_line(line, "row", fmt::format("number {}", rows),
                  fmt::format("a table must have at most {} rows", most_table_rows));
    add_row(table, line, row);
  }
  if (rows == 0) throw InvalidDescription("table is empty, but must have at least one row");
  return table;
}

}  // namespace modicum
