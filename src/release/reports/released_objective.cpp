#include "release/reports/released_objective.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/cells/number_text.h"
#include "data/files/checked_record.h"
#include "modicum/data/json.h"
#include "modicum/release/release_files.h"
#include "release/certificates/read_file.h"
#include "release/reports/coefficient_file.h"
#include "release/reports/objective_certificate.h"

namespace modicum {
namespace {

bool moves_origin(const ReleasedObjective& from) {
  const auto* target = std::get_if<TargetRule>(&from.response);
  if (target != nullptr && target->range.middle() != 0.0) return true;
  return std::any_of(from.rows.centers.begin(), from.rows.centers.end(),
                     [](double center) { return center != 0.0; });
}

// The numbers may have no names of rows; `source` is where they come from.
void take_coefficients(ReleasedObjective& from, const NumberTable& numbers,
                       const std::string& source) {
  // Ranges that move the origin ask for a row of their own, unless there is a column of ones.
  std::vector<std::string> names = from.rows.names;
  if (moves_origin(from) && !from.rows.intercept) names.insert(names.begin(), "intercept");
  if (numbers.values.rows() != static_cast<Eigen::Index>(names.size()) ||
      (!numbers.row_names.empty() && numbers.row_names != names))
    throw UnreadableFile(
        fmt::format("{} has other rows than its certificate has coordinates", source));
  from.coefficients = numbers.values.col(1).tail(from.rows.dimension());
}

Value certificate_in(const std::string& path) {
  const std::string text = read_file(path);
  try {
    return parse_json(text);
  } catch (const InvalidDescription& error) {
    throw InvalidDescription(fmt::format("{}: {}", in_quotes(path), error.what()));
  }
}

void require_written_for(const Value& whole, const std::string& content, const std::string& path,
                         const std::string& source) {
  if (!whole.contains("output"))
    throw InvalidParameter("certificate", source,
                           "must be that of a release, not of a calibration");
  const CheckedRecord output(whole.at("output"), "output");
  output.require_keys({"file", "sha256"}, {});
  if (output.text("sha256") != sha256(content))
    throw InvalidParameter(
        "release", in_quotes(path),
        fmt::format("must be the file that {} was written for: its SHA-256 is another", source));
}

ReleasedObjective in_files(const std::string& path, const std::string& certificate_path) {
  const std::string content = read_file(path), source = in_quotes(certificate_path);
  ReleasedObjective from =
      objective_in(certificate_in(certificate_path), source,
                   [&](const Value& whole) { require_written_for(whole, content, path, source); });
  take_coefficients(from, coefficients_in(content, path), in_quotes(path));
  from.sha256 = sha256(content);
  return from;
}

ReleasedObjective in_memory(const ReleaseContent& release) {
  ReleasedObjective from =
      objective_in(release.certificate, "the certificate", [](const Value&) {});
  if (!holds_coefficients(release.numbers))
    throw InvalidParameter("release", "another table of numbers",
                           "must have the columns coefficient and standardized");
  take_coefficients(from, release.numbers, "the release");
  from.sha256 = sha256(encode(release.numbers, OutputFormat::json));
  return from;
}

ReleaseContent content_in(const Value& given) {
  try {
    return {numbers_in(given), given.at("certificate")};
  } catch (const Error&) {
    throw InvalidParameter("release", "another object",
                           "must have rows, columns, values and the certificate");
  }
}

}  // namespace

void ReleaseSource::fields(Fields& fields) {
  fields
      .input("release", release, "coefficients that were released with `method` objective",
             [this](const Value& given) { release.content = content_in(given); })
      .shown_as("PATH")
      .required();
  fields.add("certificate", certificate, "of the coefficients, RELEASE.certificate.json by default")
      .shown_as("PATH");
}

std::string ReleaseSource::certificate_path() const {
  return certificate.empty() ? release.path + ".certificate.json" : certificate;
}

std::vector<std::string> ReleaseSource::paths() const {
  if (release.content) return {};
  return {release.path, certificate_path()};
}

ReleasedObjective ReleaseSource::load() const {
  if (!release.content) return in_files(release.path, certificate_path());
  if (!certificate.empty())
    throw UsageError("`certificate` must not be given with a release in memory, which has its own");
  return in_memory(*release.content);
}

Value ReleaseSource::certificate_tree() const {
  if (release.content) return release.content->certificate;
  return certificate_in(certificate_path());
}

NumberTable ReleaseSource::numbers() const {
  if (release.content) return release.content->numbers;
  const std::string content = read_file(release.path);
  require_written_for(certificate_in(certificate_path()), content, release.path,
                      in_quotes(certificate_path()));
  return released_numbers_in(content, release.path);
}

LabeledRows rows_of(const Table& table, const ReleasedObjective& from) {
  return rows_of(table, from.rows, from.response);
}

LabeledRows rows_of(const Table& table, const PublicRows& features, const ResponseRule& response) {
  std::vector<std::string> columns = features.names;
  if (features.intercept) columns.erase(columns.begin());
  if (columns.empty())
    throw InvalidParameter("coordinates", "only an intercept", "must have a feature");
  return {table, RowRule(table, columns, features.ranges, features.intercept), response,
          features.row_norm_bound};
}

}  // namespace modicum
