#include "interfaces/calibrate/eigenvalues.h"

#include <fmt/format.h>

#include "data/cells/number_text.h"
#include "modicum/data/json.h"
#include "release/certificates/read_file.h"

namespace modicum {
namespace {

constexpr const char* list_rule = "must be a list of numbers in descending order";

std::vector<double> descending_numbers(const Value& whole) {
  if (!whole.is_list()) refuse("eigenvalues", "no list", list_rule);
  if (whole.size() == 0) refuse("eigenvalues", "an empty list", list_rule);
  std::vector<double> values;
  for (const Value& entry : whole.items()) {
    const std::string place = fmt::format("eigenvalue {}", values.size() + 1);
    if (!entry.is_number()) refuse(place, "no number", list_rule);
    const double value = entry.number();
    if (!values.empty() && !(value <= values.back()))
      refuse(place, "larger than the one before", "must not be: the largest comes first");
    values.push_back(value);
  }
  return values;
}

}  // namespace

Field& EigenvalueSource::fields(Fields& fields) {
  return fields.input(
      "eigenvalues", eigenvalues,
      "JSON list of all eigenvalues of the normalized covariance, largest first",
      [this](const Value& given) { eigenvalues.content = descending_numbers(given); });
}

void EigenvalueSource::scaling_field(Fields& fields) {
  fields.add("ranks", ranks,
             "they are of ranks within columns: a row then moves all the others, and what is\n"
             "proved costs 4.5 times as much");
}

const char* in_words(RowScaling scaling) {
  return scaling == RowScaling::ranks ? "for ranks within columns"
                                      : "for rows that are scaled one by one";
}

std::vector<double> EigenvalueSource::load() const {
  return eigenvalues.content ? *eigenvalues.content : read_eigenvalues(eigenvalues.path);
}

std::vector<double> read_eigenvalues(const std::string& file) {
  const std::string text = read_file(file);
  try {
    return descending_numbers(parse_json(text));
  } catch (const InvalidDescription& error) {
    throw InvalidDescription(
        fmt::format("{}: {}", file == "-" ? "standard input" : in_quotes(file), error.what()));
  }
}

}  // namespace modicum
