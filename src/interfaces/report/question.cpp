#include "interfaces/report_options.h"

#include <fmt/format.h>

#include "interfaces/data_commands.h"
#include "data/number_text.h"
#include "interfaces/objective_file.h"
#include "interfaces/report_file.h"

namespace modicum {
namespace {

// "0.5,0.4,0.1"
std::vector<double> numbers_in(const std::string& option, const std::string& text) {
  std::vector<double> numbers;
  std::size_t start = 0;
  while (true) {
    const std::size_t comma = text.find(',', start);
    numbers.push_back(parse_number(option, text.substr(start, comma - start)));
    if (comma == std::string::npos) return numbers;
    start = comma + 1;
  }
}

ReportShares shares_of(const std::string& text, ReportKind kind) {
  const std::vector<double> numbers = numbers_in("--shares", text);
  const std::size_t count = kind == ReportKind::adaptive ? 3 : 2;
  if (numbers.size() != count)
    throw InvalidParameter("--shares", in_quotes(text),
                           count == 3 ? "must be three numbers: of gradient, matrix and eigenvalue"
                                      : "must be two numbers: of gradient and matrix");
  for (const double number : numbers) require_positive("--shares", number);
  return {numbers[0], numbers[1], count == 3 ? numbers[2] : 0.0};
}

}  // namespace

void ReportQuestion::add_to(CLI::App& command) {
  command
      .add_option("--release", release_, "coefficients that were released with --method objective")
      ->type_name("PATH")
      ->required();
  command
      .add_option("--certificate", certificate_,
                  "of the coefficients, RELEASE.certificate.json by default")
      ->type_name("PATH");
  command
      .add_option("--method", method_,
                  "data-independent, which costs nothing, data-dependent or adaptive")
      ->type_name("NAME");
  command
      .add_option("--failure", failure_, "probability that a bound does not hold, 0.05 by default")
      ->type_name("NUMBER");
  command
      .add_option("--cover", cover_,
                  "for whom the bounds hold at once: one-record (the default), all-rows, everyone")
      ->type_name("NAME");
  command
      .add_option("--largest-rows", largest_rows_,
                  "a promise that there are at most so many rows, 1000000 by default; required\n"
                  "for all-rows")
      ->type_name("NUMBER");
  command
      .add_option("--shares", shares_,
                  "how the privacy of the report is divided between gradient, matrix and, for\n"
                  "adaptive, eigenvalue: numbers with commas between them")
      ->type_name("NUMBERS");
}

std::string ReportQuestion::certificate() const {
  return certificate_.empty() ? release_ + ".certificate.json" : certificate_;
}

ReleasedObjective ReportQuestion::released() const {
  return read_released_objective(release_, certificate());
}

double ReportQuestion::failure() const {
  return require_open_unit("--failure", parse_number("--failure", failure_));
}

ReportRequest ReportQuestion::request() const {
  if (!has_method()) throw UsageError("--method is missing, but must be given");
  ReportRequest request;
  request.kind = report_kind_of("--method", method_);
  request.coverage = coverage_of("--cover", cover_);
  request.failure = failure();
  request.largest_rows = optional_number("--largest-rows", largest_rows_);
  if (request.largest_rows) require_count("--largest-rows", *request.largest_rows);
  if (request.coverage == Coverage::all_rows && !request.largest_rows)
    throw UsageError("--largest-rows is missing, but must be given with --cover all-rows");
  if (shares_.empty()) return request;
  if (request.kind == ReportKind::data_independent)
    throw UsageError("--shares must not be given for a data-independent report: it costs nothing");
  request.shares = shares_of(shares_, request.kind);
  return request;
}

void ReportOptions::require_own_files(
    const std::vector<std::pair<const char*, std::string>>& written) const {
  std::vector<std::string> taken{question.release(), question.certificate()};
  if (!records.empty()) taken.push_back(records);
  for (const auto& [option, path] : written) {
    if (path.empty()) continue;
    require_place(option, path);
    refuse_data_file(option, path);
    for (const std::string& other : taken)
      if (same_file(other, path))
        throw InvalidParameter(option, in_quotes(path),
                               "must be a file of its own, not one that is read or written too");
    taken.push_back(path);
  }
}

}  // namespace modicum
