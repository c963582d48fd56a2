#include "release/reports/written_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "data/cells/number_text.h"
#include "data/files/checked_record.h"
#include "modicum/data/json.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/release/release_files.h"
#include "modicum/version.h"
#include "release/certificates/read_file.h"
#include "release/reports/objective_certificate.h"

namespace modicum {
namespace {

using Settings = PublishableReport::Settings;

constexpr const char* report_name = "per-instance privacy";

Value list_of(const Eigen::VectorXd& values) {
  return std::vector<double>(values.begin(), values.end());
}

Value matrix_json(const Eigen::MatrixXd& matrix) {
  Value rows = Value::list();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) rows.push_back(list_of(matrix.row(i)));
  return rows;
}

Value release_json(const WrittenReport& written) {
  const ObjectiveRelease& release = written.report.release();
  Value result{{"loss", release.loss.name()}};
  if (release.loss.kind() != PredictionLossKind::logistic)
    result["loss_parameter"] = release.loss.parameter();
  result["regularization"] = release.regularization;
  result["standard_deviation"] = release.standard_deviation;
  result["coefficients"] = list_of(release.coefficients);
  result["output_spread"] = release.output_spread;
  result["minimizer_error"] = written.noise.minimizer_error;
  result["output_standard_deviation"] = written.noise.output_standard_deviation;
  result["epsilon"] = written.released.epsilon;
  result["delta"] = written.released.delta;
  return result;
}

void add_released(Value& result, const PublishableReport& report) {
  const Settings& settings = report.settings();
  const PublishableReport::Released& released = report.released();
  if (settings.kind == ReportKind::data_independent) return;
  Value noise{{"gradient", settings.noise.gradient}, {"matrix", settings.noise.matrix}};
  Value numbers{{"gradient", list_of(released.gradient)},
                {"hessian", matrix_json(released.hessian)}};
  if (settings.kind == ReportKind::adaptive) {
    noise["eigenvalue"] = settings.noise.eigenvalue;
    numbers["least_eigenvalue"] = released.least_eigenvalue;
  }
  const FailureShares& shares = settings.failure_shares;
  Value divided{{"gradient", shares.gradient}, {"matrix", shares.matrix}, {"free", shares.free}};
  if (settings.kind == ReportKind::adaptive) divided["eigenvalue"] = shares.eigenvalue;
  result["failure_shares"] = std::move(divided);
  result["noise"] = std::move(noise);
  result["released"] = std::move(numbers);
}

bool truth(const CheckedRecord& fields, const Value& object, const std::string& key) {
  if (!object.at(key).is_bool()) refuse(fields.path_of(key), "another", "must be true or false");
  return object.at(key).boolean();
}

PublicRows rows_in(const Value& object) {
  const CheckedRecord fields(object, "rows");
  fields.require_keys({"intercept", "features", "row_norm_bound"}, {});
  std::vector<std::string> names;
  std::map<std::string, Range> ranges;
  const bool ones = truth(fields, object, "intercept");
  if (ones) names.emplace_back("intercept");
  for (const Value& each : fields.list("features").items()) {
    const CheckedRecord feature(each,
                                fmt::format("rows.features[{}]", names.size() - (ones ? 1 : 0)));
    feature.require_keys({"name"}, {"low", "high"});
    const std::string name = feature.text("name");
    if (std::find(names.begin(), names.end(), name) != names.end())
      refuse(feature.path_of("name"), in_quotes(name), "must be there once");
    if (feature.has("low") != feature.has("high"))
      refuse(feature.path_of("low"), "one of two", "must be given with high");
    if (feature.has("low"))
      feature.refusing(
          [&] { ranges.emplace(name, Range(feature.number("low"), feature.number("high"))); });
    names.push_back(name);
  }
  std::optional<PublicRows> rows;
  fields.refusing(
      [&] { rows = public_rows(std::move(names), ranges, fields.number("row_norm_bound"), ones); });
  return *rows;
}

ResponseRule response_in(const Value& object) {
  const CheckedRecord fields(object, "response");
  if (fields.has("label")) {
    fields.require_keys({"label", "threshold"}, {});
    return LabelRule{fields.text("label"), fields.number("threshold")};
  }
  fields.require_keys({"target", "low", "high"}, {});
  std::optional<Range> range;
  fields.refusing([&] { range = Range(fields.number("low"), fields.number("high")); });
  return TargetRule{fields.text("target"), *range};
}

void require_release_keys(const CheckedRecord& fields, bool logistic) {
  std::vector<std::string_view> required{
      "loss",          "regularization",  "standard_deviation",        "coefficients",
      "output_spread", "minimizer_error", "output_standard_deviation", "epsilon",
      "delta"};
  if (!logistic) required.emplace_back("loss_parameter");
  fields.require_keys(required, {});
}

SolvedObjectiveNoise noise_in(const CheckedRecord& release) {
  return {
      require_positive("standard_deviation", release.number("standard_deviation")),
      require_positive("minimizer_error", release.number("minimizer_error")),
      require_positive("output_standard_deviation", release.number("output_standard_deviation"))};
}

ObjectiveRelease release_in(const CheckedRecord& fields, double row_norm_bound,
                            const SolvedObjectiveNoise& noise) {
  const bool logistic = fields.text("loss") == "logistic";
  std::optional<PredictionLoss> loss;
  fields.refusing([&] {
    loss = PredictionLoss::named(fields.text("loss"),
                                 logistic ? 0.0 : fields.number("loss_parameter"));
  });
  const Eigen::VectorXd coefficients = fields.vector("coefficients");
  const double spread = output_spread(noise, coefficients.size());
  if (fields.number("output_spread") != spread)
    refuse(fields.path_of("output_spread"), fmt::format("{}", fields.number("output_spread")),
           fmt::format("must be {}, by the noise", spread));
  return {*loss,        row_norm_bound, fields.number("regularization"), noise.standard_deviation,
          coefficients, spread};
}

std::optional<ReportPromise> promise_in(const Value& whole, const CheckedRecord& fields) {
  if (!fields.has("promise")) return std::nullopt;
  const CheckedRecord promise(whole.at("promise"), "promise");
  promise.require_keys({"epsilon", "delta", "mu", "report_epsilon"}, {});
  return ReportPromise{{promise.number("epsilon"), promise.number("delta")},
                       require_positive("mu", promise.number("mu")),
                       require_non_negative("report_epsilon", promise.number("report_epsilon"))};
}

// Noise and numbers of the kinds that the method has, and no others.
PublishableReport::Released released_in(const Value& whole, const CheckedRecord& fields,
                                        Settings& settings) {
  PublishableReport::Released released;
  if (settings.kind == ReportKind::data_independent) return released;
  for (const char* key : {"promise", "noise", "released"})
    if (!fields.has(key)) refuse(key, "missing", "must be given");
  const CheckedRecord noise(whole.at("noise"), "noise"), numbers(whole.at("released"), "released");
  const bool adaptive = settings.kind == ReportKind::adaptive;
  std::vector<std::string_view> noises{"gradient", "matrix"}, parts{"gradient", "hessian"};
  if (adaptive) {
    noises.emplace_back("eigenvalue");
    parts.emplace_back("least_eigenvalue");
  }
  noise.require_keys(noises, {});
  numbers.require_keys(parts, {});
  settings.noise = {noise.number("gradient"), noise.number("matrix"),
                    adaptive ? noise.number("eigenvalue") : 0.0};
  // Reports that do not tell have the split of a Settings that does not.
  if (fields.has("failure_shares")) {
    const CheckedRecord shares(whole.at("failure_shares"), "failure_shares");
    std::vector<std::string_view> names{"gradient", "matrix", "free"};
    if (adaptive) names.emplace_back("eigenvalue");
    shares.require_keys(names, {});
    settings.failure_shares.gradient = shares.number("gradient");
    settings.failure_shares.matrix = shares.number("matrix");
    settings.failure_shares.free = shares.number("free");
    if (adaptive) settings.failure_shares.eigenvalue = shares.number("eigenvalue");
  }
  released = {numbers.vector("gradient"), numbers.matrix("hessian"),
              adaptive ? numbers.number("least_eigenvalue") : 0.0};
  return released;
}

Settings settings_in(const Value& whole) {
  Settings settings;
  Fields known;
  known.choice("method", settings.kind, report_kinds(), "");
  known.choice("cover", settings.coverage, coverages(), "");
  known.add("failure", settings.failure, "");
  known.add("largest_rows", settings.largest_rows, "");
  for (const Field& each : known.all()) each.set(whole.at(each.name));
  return settings;
}

WrittenReport report_in(const Value& whole) {
  const CheckedRecord fields(whole, "");
  fields.require_keys(
      {"report", "method", "cover", "failure", "largest_rows", "rows", "response", "release"},
      {"promise", "failure_shares", "noise", "released", "version"});
  if (fields.text("report") != report_name)
    refuse("report", in_quotes(fields.text("report")), fmt::format("must be \"{}\"", report_name));
  std::optional<WrittenReport> result;
  fields.refusing([&] {
    Settings settings = settings_in(whole);
    if (settings.kind == ReportKind::data_independent)
      for (const char* key : {"promise", "failure_shares", "noise", "released"})
        if (fields.has(key)) refuse(key, "given", "must not be: this method releases nothing");
    PublicRows rows = rows_in(whole.at("rows"));
    ResponseRule response = response_in(whole.at("response"));
    const CheckedRecord release(whole.at("release"), "release");
    require_release_keys(release, release.has("loss") && release.text("loss") == "logistic");
    const SolvedObjectiveNoise noise = noise_in(release);
    ObjectiveRelease law = release_in(release, rows.row_norm_bound, noise);
    if (law.coefficients.size() != rows.dimension())
      refuse("release.coefficients", fmt::format("of length {}", law.coefficients.size()),
             "must have one number for each feature, and the intercept");
    if (law.loss.takes_labels() != std::holds_alternative<LabelRule>(response))
      refuse("response", "of another kind", "must fit the loss");
    const PrivacyTarget target(release.number("epsilon"), release.number("delta"));
    PublishableReport::Released released = released_in(whole, fields, settings);
    result = WrittenReport{
        std::move(rows), std::move(response),
        target,          PublishableReport(std::move(law), settings, std::move(released)),
        noise,           promise_in(whole, fields)};
  });
  return *result;
}

// `text` are the bytes that were written.
void require_certified(const WrittenReport& written, const std::string& text,
                       const Value& certificate) {
  const CheckedRecord whole(certificate, "");
  const auto refuse_other = [](const char* why) {
    throw InvalidParameter("certificate", "another",
                           fmt::format("must be that of the report: {}", why));
  };
  if (whole.text("mechanism") != report_mechanism) refuse_other("it is of another release");
  if (whole.has("output") &&
      CheckedRecord(certificate.at("output"), "output").text("sha256") != sha256(text))
    refuse_other("the SHA-256 of what it was written for is another");
  const CheckedRecord target(certificate.at("target"), "target");
  const PrivacyTarget& promised = written.promise ? written.promise->together : written.released;
  if (target.number("epsilon") != promised.epsilon || target.number("delta") != promised.delta)
    refuse_other("it promises something else");
}

}  // namespace

Value features_json(const PublicRows& rows) {
  Value features = Value::list();
  for (std::size_t i = rows.intercept ? 1 : 0; i < rows.names.size(); ++i) {
    Value& feature = features.push_back({{"name", rows.names[i]}});
    const auto range = rows.ranges.find(rows.names[i]);
    if (range == rows.ranges.end()) continue;
    feature["low"] = range->second.low;
    feature["high"] = range->second.high;
  }
  return features;
}

Value response_json(const ResponseRule& response) {
  if (const auto* label = std::get_if<LabelRule>(&response))
    return {{"label", label->column}, {"threshold", label->threshold}};
  const auto& target = std::get<TargetRule>(response);
  return {{"target", target.column}, {"low", target.range.low}, {"high", target.range.high}};
}

std::string report_text(const WrittenReport& written) {
  const Settings& settings = written.report.settings();
  Value result{{"report", report_name},
               {"method", to_string(settings.kind)},
               {"cover", to_string(settings.coverage)},
               {"failure", settings.failure},
               {"largest_rows", settings.largest_rows.value_or(default_largest_rows)}};
  result["rows"] = {{"intercept", written.rows.intercept},
                    {"features", features_json(written.rows)},
                    {"row_norm_bound", written.rows.row_norm_bound}};
  result["response"] = response_json(written.response);
  result["release"] = release_json(written);
  if (const auto& promise = written.promise)
    result["promise"] = {{"epsilon", promise->together.epsilon},
                         {"delta", promise->together.delta},
                         {"mu", promise->mu},
                         {"report_epsilon", promise->epsilon}};
  add_released(result, written.report);
  result["version"] = version;
  return json_lines(result, 1);
}

WrittenReport parse_report(std::string_view text, const std::string& source) {
  try {
    return report_in(parse_json(text));
  } catch (const InvalidDescription& error) {
    throw InvalidDescription(fmt::format("{}: {}", in_quotes(source), error.what()));
  }
}

void ReportSource::fields(Fields& fields) {
  fields
      .input("report", report, "the report in JSON, - for standard input",
             [this](const Value& given) { report.content = given; })
      .positional()
      .required();
  fields
      .input("certificate", certificate, "of the report, REPORT.certificate.json by default",
             [this](const Value& given) { certificate.content = given; })
      .shown_as("PATH");
}

WrittenReport ReportSource::load() const {
  if (report.content) {
    WrittenReport written = report_in(*report.content);
    if (certificate.given()) require_certified(written, report_text(written), certificate_of());
    require_kept(written);
    return written;
  }
  const std::string content = read_file(report.path);
  WrittenReport written = parse_report(content, report.path);
  require_certified(written, content, certificate_of());
  require_kept(written);
  return written;
}

Value ReportSource::certificate_of() const {
  if (certificate.content) return *certificate.content;
  const bool beside = certificate.path.empty();
  const std::string path = beside ? report.path + ".certificate.json" : certificate.path;
  if (beside && (report.path == "-" || !std::filesystem::exists(path)))
    throw UsageError(
        "`certificate` is missing, but must be given where it is not beside the report: it tells "
        "whether the report is as it was released");
  try {
    return parse_json(read_file(path));
  } catch (const InvalidDescription& error) {
    throw InvalidDescription(fmt::format("{}: {}", in_quotes(path), error.what()));
  }
}

void require_kept(const WrittenReport& written) {
  const auto refuse_promise = [](const char* what, double value, double proved) {
    throw InvalidParameter("report", fmt::format("with {} {}", what, value),
                           fmt::format("must promise what its noise keeps: that is {}", proved));
  };
  const auto delta_of = [](const PrivacyLoss& loss, double epsilon) {
    return profile(loss, epsilon, Accuracy::certified).delta().upper();
  };
  PrivacyLoss loss = written.privacy_loss();
  const double alone = delta_of(loss, written.released.epsilon);
  if (!(alone <= written.released.delta)) refuse_promise("delta", written.released.delta, alone);
  if (!written.promise) return;
  const ReportPromise& promise = *written.promise;
  const ObjectiveBounds bounds = as_computed(written.report.release().bounds());
  const double mu =
      report_cost(written.report.settings().noise, bounds.lipschitz, bounds.smoothness);
  if (!(mu <= promise.mu)) refuse_promise("mu", promise.mu, mu);
  loss.compose(gaussian_differential_privacy(promise.mu));
  const double together = delta_of(loss, promise.together.epsilon);
  if (!(together <= promise.together.delta))
    refuse_promise("delta", promise.together.delta, together);
  const double epsilon = epsilon_of_report(promise.mu, promise.together.delta);
  if (!(std::abs(promise.epsilon - epsilon) <= 1e-6 * epsilon))
    refuse_promise("report_epsilon", promise.epsilon, epsilon);
}

}  // namespace modicum
