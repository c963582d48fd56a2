#include "interfaces/release_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "data/file_patterns.h"
#include "interfaces/calibrate/noise_certificate.h"
#include "data/number_text.h"

namespace modicum {
namespace {

namespace fs = std::filesystem;

// "LOW:HIGH"
Range parse_limits(const char* option, const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos)
    throw InvalidParameter(option, in_quotes(text), "must be LOW:HIGH");
  return {parse_number(option, text.substr(0, colon)),
          parse_number(option, text.substr(colon + 1))};
}

// "NAME=LOW:HIGH". A name may hold = and : itself.
std::pair<std::string, Range> parse_range(const std::string& text) {
  const auto equals = text.rfind('='), colon = text.rfind(':');
  if (equals == std::string::npos || equals == 0 || colon == std::string::npos || colon < equals)
    throw InvalidParameter("--range", in_quotes(text), "must be NAME=LOW:HIGH");
  return {text.substr(0, equals), parse_limits("--range", text.substr(equals + 1))};
}

char parse_separator(const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() != 1)
    throw InvalidParameter("--separator", in_quotes(text), "must be one character, or tab");
  return text.front();
}

std::size_t parse_fields(const std::string& text) {
  const double value = parse_number("--fields", text);
  if (!(value >= 1.0 && value <= 1e6 && value == std::floor(value)))
    throw InvalidParameter("--fields", value, "must be a whole number from 1 to 1000000");
  return static_cast<std::size_t>(value);
}

unsigned parse_threads(const std::string& text) {
  const double value = parse_number("--threads", text);
  if (!(value >= 0.0 && value <= 1024.0 && value == std::floor(value)))
    throw InvalidParameter("--threads", value, "must be a whole number from 0 to 1024");
  return static_cast<unsigned>(value);
}

}  // namespace

void ReleaseOptions::add_data_to(CLI::App& command) {
  command_ = &command;
  command.add_option("FILE", files_, "data: CSV, CSV in gzip, or NPY; several, or patterns")
      ->type_name("")
      ->required();
  command
      .add_option("--names", names_,
                  "names of all columns, for files that have none: NPY, or with --no-header")
      ->type_name("NAME");
  command.add_flag("--no-header", no_header_, "the first line is data; columns are 1, 2, ...");
  command.add_flag("--header", header_, "the first line is a header even if names are numbers");
  command
      .add_option("--fields", fields_,
                  "without a header: how many fields a row has; else as many as the first line\n"
                  "has, which the certificate then assumes to be public")
      ->type_name("NUMBER");
  command.add_flag("--multiline", multiline_,
                   "fields in quotes may contain line breaks; rows are then not lines, and one\n"
                   "row's quote can swallow others");
  command.add_option("--separator", separator_, "between fields, a comma by default; or tab")
      ->type_name("CHARACTER");
  command.add_flag(
      "--strict", strict_,
      "stop at a malformed row instead of dropping it; that a run stops is not private");
  command.add_option("--threads", threads_, "as many as there are cores by default")
      ->type_name("NUMBER");
  command.add_flag("--json", json_, "print one JSON object");
  command.add_flag("--confidential", confidential_,
                   "print diagnostics that are not private, for the holder of the data only");
}

void ReleaseOptions::add_output_to(CLI::App& command) {
  command.add_option("--output", output_, "where to write it: .csv, .npy or .json; - to show it")
      ->type_name("PATH")
      ->required();
  command
      .add_option("--certificate", certificate_,
                  "where to write its certificate, OUTPUT.certificate.json by default")
      ->type_name("PATH");
}

void ReleaseOptions::add_target_to(CLI::App& command) {
  numbers_.add(command, "--epsilon", "privacy loss bound, at least 0");
  numbers_.add(command, "--delta", "at least 0 and below 1");
}

void ReleaseOptions::add_rows_to(CLI::App& command) {
  add_columns_to(command);
  add_norm_bound_to(command);
}

void ReleaseOptions::add_columns_to(CLI::App& command) {
  command.add_option("--select", select_, "the columns to use, all by default")->type_name("NAME");
  command.add_option("--exclude", exclude_, "the columns not to use, none by default")
      ->type_name("NAME");
  command
      .add_option("--range", ranges_,
                  "what is known of a column, NAME=LOW:HIGH; values are clamped to it and mapped\n"
                  "onto [-1, 1]; may be repeated")
      ->type_name("RANGE")
      ->allow_extra_args(false);
  command
      .add_option("--range-of-all", range_of_all_,
                  "the same, LOW:HIGH, for every column that has none of its own")
      ->type_name("RANGE");
}

void ReleaseOptions::add_norm_bound_to(CLI::App& command) {
  add_number(command, "--row-norm-bound",
             "rows that are longer are scaled down to it; needed unless every column has a range");
}

void ReleaseOptions::add_intercept_to(CLI::App& command) {
  command.add_flag("--intercept", intercept_, "put a column of ones before the others");
}

void ReleaseOptions::add_number(CLI::App& command, const std::string& name,
                                const std::string& help) {
  command.add_option(name, optional_numbers_[name], help)->type_name("NUMBER");
}

void ReleaseOptions::add_word(CLI::App& command, const std::string& name, const std::string& help,
                              const std::string& by_default) {
  std::string& text = words_[name] = by_default;
  command.add_option(name, text, help)->type_name(by_default.empty() ? "TEXT" : "NAME");
}

PrivacyTarget ReleaseOptions::target() const {
  return {numbers_.at("--epsilon"), numbers_.at("--delta")};
}

bool ReleaseOptions::given(const std::string& name) const {
  return command_->get_option(name)->count() > 0;
}

std::optional<double> ReleaseOptions::number(const std::string& name) const {
  if (!given(name)) return std::nullopt;
  return parse_number(name, optional_numbers_.at(name));
}

void ReleaseOptions::refuse(const std::vector<std::string>& names,
                            const std::string& because) const {
  for (const std::string& name : names)
    if (given(name)) throw UsageError(fmt::format("{} must not be given {}", name, because));
}

ReleaseFiles ReleaseOptions::places_at(const std::string& output,
                                       const std::string& certificate) const {
  ReleaseFiles places(output, certificate);
  refuse_data_file("--output", places.output());
  refuse_data_file("--certificate", places.certificate());
  return places;
}

void ReleaseOptions::refuse_data_file(const char* option, const std::string& path) const {
  for (const std::string& file : data::expand_patterns(files_)) {
    std::error_code none;
    if (fs::equivalent(file, path, none))
      throw InvalidParameter(option, in_quotes(path), "must not be one of the data files");
  }
}

Table ReleaseOptions::table_of(const std::vector<std::string>& paths) const {
  if (header_ && no_header_) throw UsageError("--header must not be given with --no-header");
  if (!no_header_) refuse({"--fields"}, "without --no-header");
  TableFiles files;
  files.paths = paths;
  files.header = !no_header_;
  files.separator = parse_separator(separator_);
  files.header_of_numbers = header_;
  if (given("--fields")) files.fields = parse_fields(fields_);
  files.multiline = multiline_;
  files.names = names_;
  return Table(files);
}

ReadOptions ReleaseOptions::read_options(ProgressLine& progress) const {
  return {bad_rows(), parse_threads(threads_),
          [&progress](std::uint64_t done, std::uint64_t total) { progress.report(done, total); }};
}

std::vector<std::string> ReleaseOptions::used_columns(const Table& table) const {
  if (!select_.empty() && !exclude_.empty())
    throw UsageError("--exclude must not be given with --select");
  for (const std::string& name : exclude_) table.index_of("--exclude", name);
  if (!select_.empty()) return select_;
  std::vector<std::string> used;
  for (const std::string& name : table.columns())
    if (std::find(exclude_.begin(), exclude_.end(), name) == exclude_.end()) used.push_back(name);
  if (used.empty()) throw UsageError("--exclude leaves no column");
  return used;
}

std::vector<std::string> ReleaseOptions::features(const Table& table,
                                                  const std::string& target) const {
  table.index_of("--target", target);
  if (std::find(select_.begin(), select_.end(), target) != select_.end())
    throw InvalidParameter("--select", in_quotes(target), "must not be the target");
  std::vector<std::string> others = used_columns(table);
  std::erase(others, target);
  return others;
}

std::map<std::string, Range> ReleaseOptions::ranges(const Table& table) const {
  std::map<std::string, Range> ranges;
  for (const std::string& text : ranges_) {
    const auto [name, range] = parse_range(text);
    table.index_of("--range", name);
    if (!ranges.emplace(name, range).second)
      throw InvalidParameter("--range", in_quotes(name), "must be given once");
  }
  return ranges;
}

RowRule ReleaseOptions::rule_of(const Table& table, const std::vector<std::string>& columns,
                                const std::map<std::string, Range>& ranges) const {
  std::map<std::string, Range> all = ranges;
  for (const std::string& name : columns) {
    table.index_of("--select", name);
    if (!range_of_all_.empty()) all.emplace(name, parse_limits("--range-of-all", range_of_all_));
  }
  return {table, columns, all, intercept_};
}

RowRule ReleaseOptions::row_rule(const Table& table, const std::string& target) const {
  if (target.empty()) return rule_of(table, used_columns(table), ranges(table));
  std::vector<std::string> columns = features(table, target);
  columns.push_back(target);
  return rule_of(table, columns, ranges(table));
}

RowRule ReleaseOptions::feature_rule(const Table& table, const std::string& target,
                                     bool ranged_target) const {
  const std::vector<std::string> columns = features(table, target);
  if (columns.empty()) throw UsageError("--target is the only column, but there must be a feature");
  std::map<std::string, Range> of_features = ranges(table);
  if (ranged_target) of_features.erase(target);
  return rule_of(table, columns, of_features);
}

double ReleaseOptions::row_norm_bound(const RowRule& rule) const {
  if (const std::optional<double> bound = number("--row-norm-bound"))
    return require_positive("--row-norm-bound", *bound);
  if (!std::isfinite(rule.natural_norm_bound()))
    throw UsageError(
        "--row-norm-bound is missing, but must be given unless every column has a --range");
  return rule.natural_norm_bound();
}

}  // namespace modicum
