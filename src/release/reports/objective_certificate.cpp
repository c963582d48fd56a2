#include "release/reports/objective_certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/cells/number_text.h"
#include "data/files/checked_record.h"
#include "modicum/data/json.h"
#include "release/descriptions/mechanisms.h"

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

std::vector<double> list_in(const CheckedRecord& parameters, const std::string& key) {
  const Eigen::VectorXd values = parameters.vector(key);
  return {values.begin(), values.end()};
}

void require_scaling(const CheckedRecord& parameters, const PublicRows& rows) {
  for (const auto& [key, values] : {std::pair{"centers", rows.centers}, {"scales", rows.scales}})
    if (parameters.has(key) && list_in(parameters, key) != values)
      refuse(parameters.path_of(key), "another list", "must be that of the ranges");
}

// What the noise keeps, computed again, and what it brings into a composition. Other versions may
// compute the last digits in another way; earlier ones did not write all of it.
void require_proved(const Value& certificate, const ReleasedObjective& from) {
  const Value* loss = certificate.find("loss");
  const ObjectiveBounds bounds = from.law().bounds();
  if (loss != nullptr && *loss != description_of(described::ObjectiveRelease{
                                      {from.noise.standard_deviation, bounds.lipschitz,
                                       bounds.smoothness, from.regularization, from.loss.name()},
                                      from.noise.minimizer_error,
                                      from.noise.output_standard_deviation}))
    refuse("loss", "another", "must be that of the parameters");
  const Value* delta = certificate.find("delta");
  if (delta == nullptr) return;
  const double written = delta->is_enclosure() ? delta->enclosure().upper()
                                               : CheckedRecord(*delta, "delta").number("upper");
  const auto proved_by = [&](const PrivacyLoss& own) {
    return profile(own, from.target.epsilon, Accuracy::certified).delta().upper();
  };
  const auto is_written = [&](double value) { return std::abs(written - value) <= 1e-6 * value; };
  const double proved = proved_by(from.privacy_loss());
  // Earlier versions proved less of the same noise: without the tie of curvature and slope.
  ObjectiveBounds untied = bounds;
  untied.tie = CurvatureTie::none;
  if (!is_written(proved) &&
      !is_written(proved_by(solved_objective_perturbation(untied, from.noise))))
    refuse("delta.upper", fmt::format("{}", written),
           fmt::format("must be {}, by the parameters", proved));
  if (!(proved <= from.target.delta * (1.0 + 1e-6)))
    refuse("target.delta", fmt::format("{}", from.target.delta),
           fmt::format("must be at least {}, by the parameters", proved));
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
  require_scaling(parameters, found->rows);
  require_proved(whole, *found);
  return *found;
}

void require_objective(const CheckedRecord& certificate, const std::string& source) {
  certificate.require_keys(
      {"mechanism", "parameters", "target"},
      {"forward", "reverse", "delta", "attained", "guarantee", "arithmetic", "adjacency",
       "neighbors", "bad_rows", "assumptions", "theorem", "loss", "version", "time", "output"});
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
  Value result = certificate;
  for (const std::string part : {"parameters", "loss"}) {
    const Value* written = certificate.find(part);
    if (written == nullptr || !written->is_record()) continue;
    Value renamed = Value::record();
    for (const auto& [key, value] : written->members()) {
      const std::string current = key == "centres"           ? "centers"
                                  : key == "minimiser_error" ? "minimizer_error"
                                                             : key;
      if (renamed.contains(current)) refuse(part + "." + key, "given twice", "must be given once");
      renamed[current] = value;
    }
    result[part] = std::move(renamed);
  }
  return result;
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

ReleasedObjective objective_in(const Value& written, const std::string& source,
                               const std::function<void(const Value&)>& check_output) {
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

}  // namespace modicum
