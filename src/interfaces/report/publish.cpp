// report per-instance without --confidential: a report that may be published.
#include <fmt/format.h>

#include <chrono>

#include "release/read_file.h"
#include "data/number_text.h"
#include "interfaces/objective_file.h"
#include "interfaces/release_source.h"
#include "interfaces/report_file.h"
#include "interfaces/report_options.h"
#include "interfaces/report_page.h"

namespace modicum {
namespace {

std::optional<PrivacyTarget> total_of(const ReportOptions& options, ReportKind kind) {
  if (kind == ReportKind::data_independent) {
    options.refuse({"--epsilon", "--delta"}, "for a data-independent report: it costs nothing");
    return std::nullopt;
  }
  for (const char* name : {"--epsilon", "--delta"})
    if (!options.given(name))
      throw UsageError(fmt::format(
          "{} is missing, but must be given: what coefficients and report may cost together",
          name));
  return PrivacyTarget(*options.number("--epsilon"), *options.number("--delta"));
}

// No data are opened for a report that does not depend on them.
PublishableReport without_data(const ReportPlan& plan) {
  SecureSource source;
  return release_report(
      plan, [](const LabeledWork&) {}, IntegerClip(plan.from.rows.row_norm_bound), source);
}

PublishableReport from_data(const ReportOptions& options, const Table& table,
                            const ReportPlan& plan) {
  SecureSource source;
  ProgressLine progress("reading");
  const ReadOptions read = options.read_options(progress);
  const LabeledRows rows = rows_of(table, plan.from);
  return release_report(plan, rows.pass(read), rows.clip(), source);
}

ReleaseFiles places_of(const ReportOptions& options) {
  const bool shown = options.output == "-" && options.given("--json");
  if (!shown && !options.output.ends_with(".json"))
    throw InvalidParameter("--output", in_quotes(options.output),
                           "must end in .json, or be - with --json");
  ReleaseFiles places = options.places_at(options.output, "");
  options.require_own_files({{"--output", shown ? "" : places.output()},
                             {"--output", places.certificate()},
                             {"--page", options.page}});
  return places;
}

std::string finish(const ReportOptions& options, const ReleaseFiles& places, ReportPlan plan,
                   PublishableReport report) {
  const WrittenReport written{plan.from.rows, plan.from.response, plan.from.target,
                              std::move(report)};
  // What may fail must fail with nothing released.
  const std::string text = report_text(written);
  const std::string page = options.page.empty() ? "" : report_page(written);
  if (!options.page.empty()) remove_file(options.page);
  write_release(plan.certificate, text, places, std::chrono::system_clock::now());
  if (!options.page.empty()) write_file(options.page, page);
  if (places.shown()) {
    Value result = options.in_json(plan.certificate, places, {});
    result["report"] = parse_json(text);
    return json_line(result);
  }
  return options.told(
      plan.certificate, places,
      fmt::format("a report ({}) on what records lost{}", to_string(plan.settings.kind),
                  options.page.empty() ? "" : ", with a page to ask it: " + options.page),
      {});
}

}  // namespace

std::string publish_report(const ReportOptions& options) {
  const ReportRequest request = options.question.request();
  const std::optional<PrivacyTarget> total = total_of(options, request.kind);
  const bool reads = request.kind != ReportKind::data_independent;
  if (reads && options.files().empty()) throw UsageError("FILE is missing, but must be given");
  if (!reads && !options.files().empty())
    throw UsageError("FILE must not be given for a data-independent report: no data are read");
  const ReleaseFiles places = places_of(options);
  ReleasedObjective from = options.question.released();
  if (!reads) {
    ReportPlan plan = planned([&] { return plan_report_release(from, total, request); });
    PublishableReport report = without_data(plan);
    return finish(options, places, std::move(plan), std::move(report));
  }
  const Table table = options.table();
  rows_of(table, from);  // columns that are not there are found before the calibration
  if (from.rows.bad_rows == BadRows::refused && options.bad_rows() == BadRows::dropped)
    throw UsageError("--strict must be given: the coefficients were released with it");
  from.rows.bad_rows = options.bad_rows();
  from.rows.files = table.assumptions();
  ReportPlan plan = planned([&] { return plan_report_release(from, total, request); });
  PublishableReport report = from_data(options, table, plan);
  return finish(options, places, std::move(plan), std::move(report));
}

}  // namespace modicum
