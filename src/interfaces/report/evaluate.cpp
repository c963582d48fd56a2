// report evaluate: a published report, asked by the owner of records.
#include <fmt/format.h>

#include <memory>

#include "data/number_text.h"
#include "interfaces/report/report.h"
#include "modicum/release/table_source.h"
#include "release/reports/released_objective.h"
#include "release/reports/written_report.h"

namespace modicum {
namespace {

struct EvaluateJob {
  Input<Value> report = {};
  TableSource records = {};

  void fields(Fields& fields) {
    fields
        .input("report", report, "the report in JSON, - for standard input",
               [this](const Value& given) { report.content = given; })
        .positional()
        .required();
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

Reply run(const EvaluateJob& job, Progress& progress) {
  const WrittenReport written = load_report(job.report);
  const PublishableReport::Settings& settings = written.report.settings();
  progress.begin("reading");
  ReplyTable rows({"record", "if in the data", "if not", "cost of the report (mu)"});
  for (const auto& [inside, outside] : answers(job, written, progress))
    rows.add({{"inside", inside.bound},
              {"outside", outside.bound},
              {"published", inside.published},
              {"leverage", inside.leverage},
              {"cost", inside.cost}},
             {fmt::format("{}", rows.cells().size()), rounded_up(inside.bound, 4),
              rounded_up(outside.bound, 4), rounded_up(inside.cost, 4)});
  Reply reply;
  reply.tell("method", to_string(settings.kind))
      .tell("cover", to_string(settings.coverage))
      .tell("failure", settings.failure)
      .say(fmt::format("Bounds on the loss of each record, {} ({}):\n", to_string(settings.kind),
                       to_string(settings.coverage)));
  reply.add("records", rows);
  return reply.say(fmt::format(
      "They fail with probability at most {}. A bound tells about its record: it is for "
      "the\nowner of the record alone.\n",
      settings.failure));
}

}  // namespace

std::vector<JobKind> report_evaluation() {
  return {job_kind<EvaluateJob>("report evaluate", "a published report at records, for their owner",
                                "  modicum report evaluate report.json --records mine.csv")};
}

}  // namespace modicum
