// report evaluate: a published report, asked by the owner of records.
#include <fmt/format.h>

#include <memory>

#include "release/read_file.h"
#include "data/number_text.h"
#include "interfaces/objective_file.h"
#include "interfaces/report_file.h"
#include "interfaces/report_options.h"
#include "interfaces/wording.h"

namespace modicum {
namespace {

struct EvaluateRequest {
  std::string report;
  std::vector<std::string> records, names;
  bool no_header = false, json = false;
};

struct RecordAnswer {
  RecordReport inside, outside;
};

// Who asks for a record wants an answer for it: none is dropped.
std::vector<RecordAnswer> answers(const EvaluateRequest& request, const WrittenReport& written) {
  TableFiles files;
  files.paths = request.records;
  files.header = !request.no_header;
  files.names = request.names;
  const Table table(files);
  const LabeledRows rows = rows_of(table, written.rows, written.response);
  ReadOptions read;
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

std::string in_json(const std::vector<RecordAnswer>& all, const WrittenReport& written) {
  const auto& settings = written.report.settings();
  Value records = Value::list();
  for (const auto& [inside, outside] : all)
    records.push_back({{"inside", inside.bound},
                       {"outside", outside.bound},
                       {"published", inside.published},
                       {"leverage", inside.leverage},
                       {"cost", inside.cost}});
  return json_line({{"method", to_string(settings.kind)},
                    {"cover", to_string(settings.coverage)},
                    {"failure", settings.failure},
                    {"records", std::move(records)}});
}

std::string in_words(const std::vector<RecordAnswer>& all, const WrittenReport& written) {
  const auto& settings = written.report.settings();
  std::vector<std::vector<std::string>> rows{
      {"record", "if in the data", "if not", "cost of the report (mu)"}};
  for (const auto& [inside, outside] : all)
    rows.push_back({fmt::format("{}", rows.size()), rounded_up(inside.bound, 4),
                    rounded_up(outside.bound, 4), rounded_up(inside.cost, 4)});
  return fmt::format(
      "Bounds on the loss of each record, {} ({}):\n\n{}\nThey fail with probability at most {}. "
      "A bound tells about its record: it is for the\nowner of the record alone.\n",
      to_string(settings.kind), to_string(settings.coverage), table(rows), settings.failure);
}

std::string answer(const EvaluateRequest& request) {
  const WrittenReport written = parse_report(read_file(request.report), request.report);
  const std::vector<RecordAnswer> all = answers(request, written);
  return request.json ? in_json(all, written) : in_words(all, written);
}

}  // namespace

void add_report_evaluate_command(CLI::App& report, CommandResult& output) {
  CLI::App* command =
      add_command(report, "evaluate", "a published report at records, for their owner",
                  "  modicum report evaluate report.json --records mine.csv");
  const auto request = std::make_shared<EvaluateRequest>();
  command->add_option("FILE", request->report, "the report in JSON, - for standard input")
      ->type_name("")
      ->required();
  command
      ->add_option("--records", request->records,
                   "a table with the columns of the data: CSV or NPY")
      ->type_name("PATH")
      ->required();
  command
      ->add_option("--names", request->names,
                   "names of all columns, for files that have none: NPY, or with --no-header")
      ->type_name("NAME");
  command->add_flag("--no-header", request->no_header,
                    "the first line is a record; columns are 1, 2, ...");
  command->add_flag("--json", request->json, "print one JSON object");
  command->callback([&output, request] { output = answer(*request); });
}

}  // namespace modicum
