// report per-instance --confidential: the losses of all records.
#include <fmt/format.h>

#include "interfaces/data_commands.h"
#include "release/read_file.h"
#include "interfaces/loss_page.h"
#include "data/number_text.h"
#include "interfaces/objective_file.h"
#include "interfaces/report_options.h"
#include "interfaces/wording.h"

namespace modicum {
namespace {

// What a data-independent report would tell: of the release alone.
PublishableReport free_report(const ReleasedObjective& from, double failure) {
  PublishableReport::Settings settings;
  settings.failure = failure;
  return {from.law(), settings, {}};
}

RecordLosses losses_in(const LabeledRows& rows, const ReadOptions& read, const ExPostLoss& losses,
                       const PublishableReport& report, Membership membership) {
  return {losses_of_rows(losses, rows.pass(read), rows.clip(), membership).values,
          bounds_of_rows(report, rows.pass(read), rows.clip(), membership).values};
}

LossPage computed(const ReportOptions& options, const ReleasedObjective& from) {
  const double failure = options.question.failure();
  const PublishableReport report = free_report(from, failure);
  const Table table = options.table();
  const LabeledRows rows = rows_of(table, from);
  std::optional<Table> others;
  if (!options.records.empty()) {
    others = options.table_of({options.records});
    rows_of(*others, from);  // its columns, before the long work
  }
  ProgressLine progress("reading");
  const ReadOptions read = options.read_options(progress);
  const ExPostLoss losses = ex_post_losses_on(from, rows.pass(read), rows.clip());
  LossPage page{losses_in(rows, read, losses, report, Membership::inside), std::nullopt,
                from.target, failure};
  if (others)
    page.outside = losses_in(rows_of(*others, from), read, losses, report, Membership::outside);
  return page;
}

void add_lines(std::string& out, const RecordLosses& losses, const char* membership) {
  for (Eigen::Index i = 0; i < losses.bounds.size(); ++i) {
    const double loss = losses.signed_losses[i];
    out +=
        fmt::format("{},{},{},{},{}\n", i + 1, membership, std::abs(loss), loss, losses.bounds[i]);
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
  return {{"signed_loss", list(losses.signed_losses)}, {"bound", list(losses.bounds)}};
}

std::string in_json(const ReportOptions& options, const LossPage& page) {
  Value result{
      {"confidential", true},
      {"output", options.output},
      {"worst_case", {{"epsilon", page.worst_case.epsilon}, {"delta", page.worst_case.delta}}},
      {"failure", page.failure},
      {"losses", to_json(summarize(page.inside, page.worst_case.epsilon))}};
  if (!options.page.empty()) result["page"] = options.page;
  if (page.outside) result["records"] = to_json(summarize(*page.outside, page.worst_case.epsilon));
  if (options.output == "-") {
    result["inside"] = arrays(page.inside);
    if (page.outside) result["outside"] = arrays(*page.outside);
  }
  return json_line(result);
}

std::string in_words(const ReportOptions& options, const LossPage& page) {
  std::vector<std::vector<std::string>> places{{"written to", options.output}};
  if (!options.page.empty()) places.push_back({"page", options.page});
  std::string out = fmt::format(
      "{}\n{}\nWhat the records of the data lost (worst case: epsilon {} at delta {}):\n\n{}",
      confidential_heading, table(places), page.worst_case.epsilon, page.worst_case.delta,
      table(summary_rows(summarize(page.inside, page.worst_case.epsilon))));
  if (page.outside)
    out += fmt::format("\nWhat records outside the data would have lost:\n\n{}",
                       table(summary_rows(summarize(*page.outside, page.worst_case.epsilon))));
  return out + fmt::format(
                   "\nThe bound is that of the data-independent report, which fails for a record "
                   "with probability\nat most {}.\n",
                   page.failure);
}

}  // namespace

std::string report_losses(const ReportOptions& options) {
  if (options.files().empty()) throw UsageError("FILE is missing, but must be given");
  const bool shown = options.output == "-" && options.given("--json");
  if (!shown && !options.output.ends_with(".csv"))
    throw InvalidParameter("--output", in_quotes(options.output),
                           "must end in .csv, or be - with --json");
  options.require_own_files({{"--output", shown ? "" : options.output}, {"--page", options.page}});
  const LossPage page = computed(options, options.question.released());
  if (!shown) write_file(options.output, as_csv(page), FileAccess::owner_only);
  if (!options.page.empty()) write_file(options.page, loss_page(page), FileAccess::owner_only);
  return options.given("--json") ? in_json(options, page) : in_words(options, page);
}

}  // namespace modicum
