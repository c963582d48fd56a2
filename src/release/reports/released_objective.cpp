#include "release/reports/released_objective.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/checked_record.h"
#include "data/number_text.h"
#include "modicum/data/json.h"
#include "modicum/release/release_files.h"
#include "release/read_file.h"
#include "release/reports/coefficient_file.h"

namespace modicum {
namespace {

std::vector<std::string> texts(const CheckedRecord& fields, const std::string& key) {
  std::vector<std::string> result;
  for (const Value& each : fields.list(key).items()) {
    if (!each.is_text()) refuse(fields.path_of(key), "no list of strings", "must be one");
    result.push_back(each.text());
  }
  return result;
}

std::map<std::string, Range> ranges_in(const CheckedRecord& parameters) {
  std::map<std::string, Range> ranges;
  if (!parameters.has("ranged")) return ranges;
  const std::vector<std::string> names = texts(parameters, "ranged");
  const Eigen::VectorXd lows = parameters.vector("range_lows"),
                        highs = parameters.vector("range_highs");
  const auto count = static_cast<Eigen::Index>(names.size());
  if (lows.size() != count || highs.size() != count)
    refuse(parameters.path_of("ranged"), "of another length than the ends",
           "must have a low and a high end for each name");
  for (Eigen::Index i = 0; i < count; ++i)
    if (!ranges.emplace(names[static_cast<std::size_t>(i)], Range(lows[i], highs[i])).second)
      refuse(parameters.path_of("ranged"), "with a name twice", "must name each column once");
  return ranges;
}

ResponseRule response_in(const CheckedRecord& parameters) {
  if (parameters.has("label"))
    return LabelRule{parameters.text("label"),
                     require_finite("threshold", parameters.number("threshold"))};
  const Eigen::VectorXd range = parameters.vector("target_range");
  if (range.size() != 2)
    refuse(parameters.path_of("target_range"), "another list", "must be two numbers");
  return TargetRule{parameters.text("target"), Range(range[0], range[1])};
}

PredictionLoss loss_in(const CheckedRecord& parameters) {
  const bool has_parameter = parameters.has("loss_parameter");
  if ((parameters.text("loss") == "logistic") == has_parameter)
    refuse(parameters.path_of("loss_parameter"), has_parameter ? "given" : "missing",
           "must be given for losses that have one, and only then");
  return PredictionLoss::named(parameters.text("loss"),
                               has_parameter ? parameters.number("loss_parameter") : 0.0);
}

bool intercept_in(const CheckedRecord& parameters, const std::vector<std::string>& names) {
  const std::string& text = parameters.text("intercept");
  if (text != "none" && (text != column_of_ones || names.front() != "intercept"))
    refuse(parameters.path_of("intercept"), in_quotes(text),
           "must be \"none\", or \"column of ones\" for a first coordinate of that name");
  return text == column_of_ones;
}

const std::vector<std::string_view> required_parameters{"method",
                                                        "loss",
                                                        "regularization",
                                                        "lipschitz",
                                                        "smoothness",
                                                        "standard_deviation",
                                                        "minimizer_error",
                                                        "output_standard_deviation",
                                                        "coordinates",
                                                        "row_norm_bound",
                                                        "intercept",
                                                        "largest_rows",
                                                        "grid"};
const std::vector<std::string_view> optional_parameters{
    "loss_parameter", "label",  "threshold", "target",     "target_range",
    "centers",        "scales", "ranged",    "range_lows", "range_highs"};

void require_pair(const CheckedRecord& parameters, const std::string& a, const std::string& b) {
  if (parameters.has(a) != parameters.has(b))
    refuse(parameters.path_of(parameters.has(a) ? b : a), "missing", "must be given");
}

void require_parameters(const CheckedRecord& parameters) {
  parameters.require_keys(required_parameters, optional_parameters);
  require_pair(parameters, "label", "threshold");
  require_pair(parameters, "target", "target_range");
  require_pair(parameters, "ranged", "range_lows");
  require_pair(parameters, "ranged", "range_highs");
  if (parameters.has("label") == parameters.has("target"))
    refuse(parameters.path_of("label"), parameters.has("label") ? "given with target" : "missing",
           "must be given for a label, target for a number");
}

// What follows from other parameters was written from them, to the last bit.
void require_consistent(const CheckedRecord& parameters, const ReleasedObjective& from) {
  const ObjectiveBounds bounds = from.law().bounds();
  if (from.loss.takes_labels() != std::holds_alternative<LabelRule>(from.response))
    refuse(parameters.path_of("loss"), in_quotes(from.loss.name()), "must fit the response");
  for (const auto& [key, value] :
       {std::pair{"lipschitz", bounds.lipschitz}, std::pair{"smoothness", bounds.smoothness}})
    if (parameters.number(key) != value)
      refuse(parameters.path_of(key), fmt::format("{}", parameters.number(key)),
             fmt::format("must be {}, by loss and row_norm_bound", value));
}

BadRows bad_rows_in(const CheckedRecord& certificate) {
  const std::string text = certificate.text("bad_rows");
  for (const BadRows rule : {BadRows::dropped, BadRows::refused})
    if (text == to_string(rule)) return rule;
  refuse("bad_rows", in_quotes(text), "must be dropped or refused");
}

ReleasedObjective objective_in(const CheckedRecord& certificate, const Value& whole) {
  const CheckedRecord parameters(whole.at("parameters"), "parameters");
  const CheckedRecord target(whole.at("target"), "target");
  target.require_keys({"epsilon", "delta"}, {});
  require_parameters(parameters);
  std::optional<ReleasedObjective> found;
  parameters.refusing([&] {
    const std::map<std::string, Range> ranges = ranges_in(parameters);
    std::vector<std::string> names = texts(parameters, "coordinates");
    const bool ones = intercept_in(parameters, names);
    PublicRows rows =
        public_rows(std::move(names), ranges, parameters.number("row_norm_bound"), ones);
    rows.bad_rows = bad_rows_in(certificate);
    found = ReleasedObjective{
        std::move(rows),
        loss_in(parameters),
        response_in(parameters),
        require_positive("regularization", parameters.number("regularization")),
        {require_positive("standard_deviation", parameters.number("standard_deviation")),
         require_positive("minimizer_error", parameters.number("minimizer_error")),
         require_positive("output_standard_deviation",
                          parameters.number("output_standard_deviation"))},
        PrivacyTarget(target.number("epsilon"), target.number("delta")),
        {},
        certificate.has("assumptions") ? texts(certificate, "assumptions")
                                       : std::vector<std::string>{}};
  });
  require_consistent(parameters, *found);
  return *found;
}

bool moves_origin(const ReleasedObjective& from) {
  const auto* target = std::get_if<TargetRule>(&from.response);
  if (target != nullptr && target->range.middle() != 0.0) return true;
  return std::any_of(from.rows.centers.begin(), from.rows.centers.end(),
                     [](double center) { return center != 0.0; });
}

void require_objective(const CheckedRecord& certificate, const std::string& source) {
  certificate.require_keys(
      {"mechanism", "parameters", "target"},
      {"forward", "reverse", "delta", "attained", "guarantee", "arithmetic", "adjacency",
       "bad_rows", "assumptions", "theorem", "loss", "version", "time", "output"});
  if (certificate.text("mechanism") != "objective_perturbation")
    throw InvalidParameter(
        "release", in_quotes(certificate.text("mechanism")),
        "must be one by objective perturbation: release logistic or release regression with "
        "`method` objective");
  if (!certificate.has("bad_rows"))
    throw InvalidParameter("certificate", source,
                           "must be that of a release, not of a calibration");
}

// Earlier versions wrote some keys in British spelling.
Value with_current_keys(const Value& certificate) {
  const Value* parameters = certificate.find("parameters");
  if (parameters == nullptr || !parameters->is_record()) return certificate;
  Value renamed = Value::record();
  for (const auto& [key, value] : parameters->members()) {
    const std::string current = key == "centres"           ? "centers"
                                : key == "minimiser_error" ? "minimizer_error"
                                                           : key;
    if (renamed.contains(current)) refuse("parameters." + key, "given twice", "must be given once");
    renamed[current] = value;
  }
  Value result = certificate;
  result["parameters"] = std::move(renamed);
  return result;
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

// Checks of the certificate, in the order in which they are told; `check_output` is asked whether
// the numbers are those that it is about.
template <class Check>
ReleasedObjective certified(const Value& written, const std::string& source,
                            const Check& check_output) {
  try {
    const Value whole = with_current_keys(written);
    const CheckedRecord certificate(whole, "");
    require_objective(certificate, source);
    check_output(whole);
    return objective_in(certificate, whole);
  } catch (const InvalidDescription& error) {
    throw InvalidDescription(fmt::format("{}: {}", source, error.what()));
  }
}

Value certificate_in(const std::string& path) {
  const std::string text = read_file(path);
  try {
    return parse_json(text);
  } catch (const InvalidDescription& error) {
    throw InvalidDescription(fmt::format("{}: {}", in_quotes(path), error.what()));
  }
}

ReleasedObjective in_files(const std::string& path, const std::string& certificate_path) {
  const std::string content = read_file(path), source = in_quotes(certificate_path);
  ReleasedObjective from =
      certified(certificate_in(certificate_path), source, [&](const Value& whole) {
        if (!whole.contains("output"))
          throw InvalidParameter("certificate", source,
                                 "must be that of a release, not of a calibration");
        const CheckedRecord output(whole.at("output"), "output");
        output.require_keys({"file", "sha256"}, {});
        if (output.text("sha256") != sha256(content))
          throw InvalidParameter(
              "release", in_quotes(path),
              fmt::format("must be the file that {} was written for: its SHA-256 is another",
                          source));
      });
  take_coefficients(from, coefficients_in(content, path), in_quotes(path));
  from.sha256 = sha256(content);
  return from;
}

ReleasedObjective in_memory(const ReleaseContent& release) {
  ReleasedObjective from = certified(release.certificate, "the certificate", [](const Value&) {});
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

PublicRows public_rows(std::vector<std::string> names, const std::map<std::string, Range>& ranges,
                       double row_norm_bound, bool intercept) {
  PublicRows rows(std::move(names), row_norm_bound);
  const IntegerClip clip(row_norm_bound);  // refuses what no row could be clipped to
  rows.intercept = intercept;
  rows.ranges = ranges;
  for (const auto& [name, range] : ranges) {
    const auto place = std::find(rows.names.begin(), rows.names.end(), name);
    if (place == rows.names.end())
      throw InvalidParameter("range", in_quotes(name), "must be for one of the coordinates");
    const auto index = static_cast<std::size_t>(place - rows.names.begin());
    rows.centers[index] = range.middle();
    rows.scales[index] = range.half_width();
  }
  return rows;
}

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
