// report per-instance without --confidential: a report that may be published.
#include <fmt/format.h>

#include <chrono>

#include "interfaces/pages/report_page.h"
#include "interfaces/release/output.h"
#include "interfaces/report/per_instance.h"
#include "modicum/data/json.h"
#include "release/certificates/certificate_json.h"

namespace modicum {
namespace {

ReportPlan planned(const ReleasedObjective& from, const std::optional<PrivacyTarget>& total,
                   const ReportRequest& request, Progress& progress) {
  progress.begin("calibrating");
  return plan_report_release(from, total, request);
}

// No data are opened for a report that does not depend on them.
PublishableReport without_data(const ReportPlan& plan) {
  SecureSource source;
  return release_report(
      plan, [](const LabeledWork&) {}, IntegerClip(plan.from.rows.row_norm_bound), source);
}

PublishableReport from_data(const PerInstanceJob& job, const Table& table, const ReportPlan& plan,
                            Progress& progress) {
  SecureSource source;
  progress.begin("reading");
  const LabeledRows rows = rows_of(table, plan.from);
  return release_report(plan, rows.pass(job.table.read_options(progress)), rows.clip(), source);
}

ReleaseFiles places_of(const PerInstanceJob& job) {
  job.require_ending(".json");
  job.payer.check();
  ReleaseFiles places(job.output, "", old_files(job.replace, !job.shown() || !job.page.empty()));
  if (!job.page.empty()) places.add_page(job.page);
  job.require_own_files(places.certificate());
  return places;
}

// What there is to write, and what is told about it.
GivenOut completed(const PerInstanceJob& job, const ReleaseFiles& places, const ReportPlan& plan,
                   PublishableReport report, Reply& reply) {
  const WrittenReport written{plan.from.rows,    plan.from.response, plan.from.target,
                              std::move(report), plan.from.noise,    promise_of(plan)};
  const std::string text = report_text(written);
  const std::string page = job.page.empty() ? "" : report_page(written);
  Certificate certificate = plan.certificate;
  complete(certificate, text, places, std::chrono::system_clock::now());
  reply = told(certificate, places,
               fmt::format("a report ({}) on what records lost{}", to_string(plan.settings.kind),
                           job.page.empty() ? "" : ", with a page to ask it: " + job.page),
               {}, false);
  if (!noise_explains(written.report))
    reply.tell("warning", other_table_warning).say(std::string("\n") + other_table_warning);
  if (places.shown()) reply.tell("report", parse_json(text)).say("\n" + text);
  return {to_json(certificate), sha256(certificate_text(certificate)),
          certificate.output ? certificate.output->sha256 : "",
          [&places, certificate, text, page] { write_completed(certificate, text, places, page); }};
}

}  // namespace

Reply publish_report(const PerInstanceJob& job, Progress& progress) {
  const ReportRequest request = job.question.request();
  const std::optional<PrivacyTarget> total = job.question.total();
  const bool reads = request.kind != ReportKind::data_independent;
  if (reads) job.require_table();
  else if (job.table.given())
    throw UsageError("`table` must not be given for a data-independent report: no data are read");
  if (!reads && job.payer.pays())
    throw UsageError("`ledger` must not be given for a data-independent report: it costs nothing");
  const ReleaseFiles places = places_of(job);
  ReleasedObjective from = job.question.source.load();
  if (!reads) {
    const ReportPlan plan = planned(from, total, request, progress);
    Reply reply;
    completed(job, places, plan, without_data(plan), reply).write();
    reply.spent.clear();
    return reply;
  }
  const Table table = job.table.open();
  rows_of(table, from);  // columns that are not there are found before the calibration
  const BadRows bad_rows = job.table.bad_rows();
  if (from.rows.bad_rows == BadRows::refused && bad_rows == BadRows::dropped)
    throw UsageError("`strict` must be given: the coefficients were released with it");
  from.rows.bad_rows = bad_rows;
  from.rows.files = table.assumptions();
  const ReportPlan plan = planned(from, total, request, progress);
  Payment payment({job.payer}, to_json(plan.certificate));
  Reply reply;
  payment.around(
      [&] { return completed(job, places, plan, from_data(job, table, plan, progress), reply); });
  payment.tell(reply);
  return reply;
}

}  // namespace modicum
