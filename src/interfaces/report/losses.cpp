// report per-instance --confidential: the losses of all records.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interfaces/other_table.h"
#include "interfaces/pages/loss_page.h"
#include "interfaces/release/output.h"
#include "interfaces/report/per_instance.h"
#include "modicum/release/write_file.h"
#include "release/reports/report_outlook.h"

namespace modicum {
namespace {

RecordLosses losses_in(const LabeledRows& rows, const ReadOptions& read, const ExPostLoss& losses,
                       const PublishableReport& report, Membership membership) {
  return {losses_of_rows(losses, rows.pass(read), rows.clip(), membership).values,
          bounds_of_rows(report, rows.pass(read), rows.clip(), membership).values,
          rows.dropped(read)};
}

LossPage computed(const PerInstanceJob& job, const ReleasedObjective& from, Progress& progress) {
  const double failure = job.question.checked_failure();
  const Table table = job.table.open();
  const LabeledRows rows = rows_of(table, from);
  const std::optional<Table> others = opened_like(job.table, job.records);
  if (others) rows_of(*others, from);  // its columns, before the long work
  progress.begin("reading");
  const ReadOptions read = job.table.read_options(progress);
  const ObjectiveOnData found = objective_on(from, rows.pass(read), rows.clip());
  require_table_of(from, found);
  const ExPostLoss losses = ex_post_losses(from, found);
  // Who has the data knows how many rows there are.
  const PublishableReport report = free_report(from, failure, std::max(found.rows, 1.0));
  LossPage page{losses_in(rows, read, losses, report, Membership::inside), std::nullopt,
                from.target, failure};
  if (others)
    page.outside = losses_in(rows_of(*others, from), read, losses, report, Membership::outside);
  return page;
}

void add_lines(std::string& out, const RecordLosses& losses, const char* membership) {
  for (Eigen::Index i = 0; i < losses.bounds.size(); ++i) {
    const double loss = losses.signed_losses[i];
    out += fmt::format("{},{},{},{},{}\n", losses.row(i), membership, std::abs(loss), loss,
                       losses.bounds[i]);
  }
}

std::string as_csv(const LossPage& page) {
  std::string out = "row,membership,epsilon_1,signed_loss,bound\n";
  add_lines(out, page.inside, "inside");
  if (page.outside) add_lines(out, *page.outside, "outside");
  return out;
}

Value arrays(const RecordLosses& losses) {
  const auto list = [](const Eigen::VectorXd& values) {
    return std::vector<double>(values.begin(), values.end());
  };
  std::vector<double> rows;
  for (Eigen::Index i = 0; i < losses.bounds.size(); ++i)
    rows.push_back(static_cast<double>(losses.row(i)));
  return {{"row", std::move(rows)},
          {"signed_loss", list(losses.signed_losses)},
          {"bound", list(losses.bounds)}};
}

Value to_value(const LossSummary& summary) {
  return {{"rows", summary.rows},
          {"largest", summary.largest},
          {"mean", summary.mean},
          {"median", summary.median},
          {"quantile_90", summary.quantile_90},
          {"quantile_99", summary.quantile_99},
          {"share_below_a_tenth", summary.share_below_a_tenth},
          {"median_bound", summary.median_bound},
          {"share_above_bound", summary.share_above_bound}};
}

void tell(Reply& reply, const PerInstanceJob& job, const LossPage& page) {
  const PrivacyTarget& worst = page.worst_case;
  reply.tell("confidential", true)
      .tell("output", job.output)
      .tell("worst_case", tree_of(worst))
      .tell("failure", page.failure)
      .tell("losses", to_value(summarize(page.inside, worst.epsilon)));
  if (!job.page.empty()) reply.tell("page", job.page);
  if (page.outside) reply.tell("records", to_value(summarize(*page.outside, worst.epsilon)));
  if (!job.shown()) return;
  reply.tell("inside", arrays(page.inside));
  if (page.outside) reply.tell("outside", arrays(*page.outside));
}

void say(Reply& reply, const PerInstanceJob& job, const LossPage& page) {
  const auto show_summary = [&](const RecordLosses& losses) {
    for (std::vector<std::string>& row : summary_rows(summarize(losses, page.worst_case.epsilon)))
      reply.show(std::move(row));
  };
  reply.say(confidential_heading);
  if (!job.shown()) reply.show({"written to", job.output});
  if (!job.page.empty()) reply.show({"page", job.page});
  if (job.shown()) reply.say("\n" + as_csv(page) + "\n");
  reply.say(fmt::format("What the records of the data lost (worst case: epsilon {} at delta {}):\n",
                        page.worst_case.epsilon, page.worst_case.delta));
  show_summary(page.inside);
  if (page.outside) {
    reply.say("What records outside the data would have lost:\n");
    show_summary(*page.outside);
  }
  reply.say(
      fmt::format("The bound is that of the data-independent report for so many rows, which fails "
                  "for a record\nwith probability at most {}.\n",
                  page.failure));
}

}  // namespace

Reply report_losses(const PerInstanceJob& job, Progress& progress) {
  job.require_table();
  job.require_ending(".csv");
  job.require_own_files();
  const LossPage page = computed(job, job.question.source.load(), progress);
  Reply reply;
  tell(reply, job, page);
  say(reply, job, page);
  const std::string csv = job.shown() ? "" : as_csv(page);
  const std::string shown_page = job.page.empty() ? "" : loss_page(page);
  std::vector<FileContent> files;
  if (!job.shown()) files.push_back({job.output, csv, FileAccess::owner_only});
  if (!job.page.empty()) files.push_back({job.page, shown_page, FileAccess::owner_only});
  write_files(files, OldFiles::replaced);
  return reply;
}

}  // namespace modicum
