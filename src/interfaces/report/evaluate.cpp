// report evaluate: a published report, asked by the owner of records.
#include <fmt/format.h>

#include <memory>

#include "data/cells/number_text.h"
#include "interfaces/report/question.h"
#include "interfaces/report/report.h"
#include "modicum/release/table_source.h"
#include "release/reports/released_objective.h"
#include "release/reports/written_report.h"

namespace modicum {
namespace {

struct EvaluateJob {
  ReportSource source = {};
  TableSource records = {};

  void fields(Fields& fields) {
    source.fields(fields);
    records.files_field(fields, "records", "a table with the columns of the data: CSV or NPY")
        .shown_as("PATH")
        .required();
    records.names_fields(fields);
  }
};

struct RecordAnswer {
  RecordReport inside, outside;
};

// Who asks for a record wants an answer for it: none is dropped.
std::vector<RecordAnswer> answers(const EvaluateJob& job, const WrittenReport& written,
                                  Progress& progress) {
  const Table table = job.records.open();
  const LabeledRows rows = rows_of(table, written.rows, written.response);
  ReadOptions read = job.records.read_options(progress);
  read.bad_rows = BadRows::refused;
  std::vector<RecordAnswer> all;
  rows.for_each_block(read, [&](const LabeledBlock& block) -> std::function<void()> {
    auto part = std::make_shared<std::vector<RecordAnswer>>();
    for (Eigen::Index i = 0; i < block.labels.size(); ++i) {
      const Eigen::VectorXd row = rows.clip().grid() * block.features.row(i).transpose();
      part->push_back({written.report.at(row, block.labels[i], Membership::inside),
                       written.report.at(row, block.labels[i], Membership::outside)});
    }
    return [&all, part] { all.insert(all.end(), part->begin(), part->end()); };
  });
  return all;
}

// Of the columns for people. Only a report that releases something has a cost to be told.
std::vector<std::string> headings(const WrittenReport& written) {
  std::vector<std::string> all{"record", "if in the data", "if not", "cost of the report (mu)"};
  if (written.promise)
    all.push_back(fmt::format("as epsilon at delta {}", written.promise->together.delta));
  return all;
}

// What is known besides the bounds.
std::string closing_words(const WrittenReport& written) {
  std::string words = fmt::format(
      "They fail with probability at most {}. A bound tells about its record: it is for "
      "the\nowner of the record alone.\n",
      written.report.settings().failure);
  if (const auto& promise = written.promise)
    words += fmt::format(
        "For everybody, coefficients and report together are ({}, {})-differentially private: ({}, "
        "{})\nis for the coefficients, and the report has mu = {}, epsilon {} at delta {}.\n",
        promise->together.epsilon, promise->together.delta, written.released.epsilon,
        written.released.delta, rounded_up(promise->mu, 4), rounded_up(promise->epsilon, 4),
        promise->together.delta);
  else
    words += fmt::format(
        "For everybody, the coefficients are ({}, {})-differentially private, and this report "
        "costs nothing.\n",
        written.released.epsilon, written.released.delta);
  if (!noise_explains(written.report)) words += other_table_warning;
  return words;
}

Value promise_tree(const WrittenReport& written) {
  Value result{{"coefficients", tree_of(written.released)}};
  if (const auto& promise = written.promise) {
    result["together"] = tree_of(promise->together);
    result["mu"] = promise->mu;
    result["report_epsilon"] = promise->epsilon;
  }
  return result;
}

Reply run(const EvaluateJob& job, Progress& progress) {
  progress.begin("checking the report");
  const WrittenReport written = job.source.load();
  const PublishableReport::Settings& settings = written.report.settings();
  progress.begin("reading");
  ReplyTable rows(headings(written));
  for (const auto& [inside, outside] : answers(job, written, progress)) {
    const double epsilon =
        written.promise ? report_epsilon(inside.cost, written.promise->together.delta) : 0.0;
    std::vector<std::string> cells{fmt::format("{}", rows.cells().size()),
                                   rounded_up(inside.bound, 4), rounded_up(outside.bound, 4),
                                   rounded_up(inside.cost, 4)};
    if (written.promise) cells.push_back(rounded_up(epsilon, 4));
    rows.add({{"inside", inside.bound},
              {"outside", outside.bound},
              {"published", inside.published},
              {"leverage", inside.leverage},
              {"cost", inside.cost},
              {"cost_epsilon", epsilon}},
             std::move(cells));
  }
  Reply reply;
  reply.tell("method", to_string(settings.kind))
      .tell("cover", to_string(settings.coverage))
      .tell("failure", settings.failure)
      .tell("promise", promise_tree(written))
      .say(fmt::format("Bounds on the loss of each record, {} ({}):\n", to_string(settings.kind),
                       to_string(settings.coverage)));
  if (!noise_explains(written.report)) reply.tell("warning", other_table_warning);
  reply.add("records", rows);
  return reply.say(closing_words(written));
}

}  // namespace

std::vector<JobKind> report_evaluation() {
  return {job_kind<EvaluateJob>("report evaluate",
                                "what a published report says of records, for their owner",
                                "  modicum report evaluate report.json --records mine.csv")};
}

}  // namespace modicum
