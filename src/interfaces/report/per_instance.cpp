// report: what single records lost to a release by objective perturbation.
#include <memory>

#include "interfaces/command.h"
#include "interfaces/data_commands.h"
#include "interfaces/report_options.h"

namespace modicum {
namespace {

std::string answer(const ReportOptions& options) {
  if (options.confidential()) {
    options.refuse({"--method", "--cover", "--largest-rows", "--shares", "--epsilon", "--delta"},
                   "with --confidential: losses are computed, nothing is released");
    return report_losses(options);
  }
  if (!options.question.has_method())
    throw UsageError(
        "--confidential is missing, but must be given for the losses of records, which are for the "
        "holder of the data only; for a report that may be published give --method");
  options.refuse({"--records"}, "without --confidential");
  return publish_report(options);
}

void add_per_instance_command(CLI::App& report, CommandResult& output) {
  CLI::App* command = add_command(
      report, "per-instance", "what each record lost, or a report on it that may be published",
      "  modicum report per-instance examples/wages.csv --release fit.csv --confidential \\\n"
      "    --output losses.csv --page losses.html\n"
      "  modicum report per-instance --release fit.csv --method data-independent \\\n"
      "    --output report.json --page report.html\n"
      "  modicum report per-instance examples/wages.csv --release fit.csv --method adaptive \\\n"
      "    --epsilon 2 --delta 2e-6 --output report.json --page report.html");
  const auto options = std::make_shared<ReportOptions>();
  options->add_data_to(*command);
  command->get_option("FILE")->required(false)->description(
      "the data of the release; none for a data-independent report");
  command->get_option("--confidential")
      ->description("the losses of all records, which are for the holder of the data only");
  options->question.add_to(*command);
  options->add_number(*command, "--epsilon",
                      "what coefficients and report together may cost, with --delta");
  options->add_number(*command, "--delta", "above 0 and below 1");
  command
      ->add_option("--output", options->output,
                   "where to write it: .csv for losses, .json for a report; - with --json")
      ->type_name("PATH")
      ->required();
  command->add_option("--page", options->page, "where to write a web page of it")
      ->type_name("PATH");
  command
      ->add_option("--records", options->records,
                   "with --confidential: records outside the data, and what they would have lost")
      ->type_name("PATH");
  command->callback([&output, options] { output = answer(*options); });
}

}  // namespace

void add_report_command(CLI::App& program, CommandResult& output) {
  CLI::App* report =
      add_command(program, "report", "what single records lost to a release",
                  "  modicum report per-instance --release fit.csv --method data-independent "
                  "--output report.json");
  report->require_subcommand(1);
  add_per_instance_command(*report, output);
  add_report_evaluate_command(*report, output);
  add_report_budget_command(*report, output);
  add_spectrum_report(*report, output);
}

}  // namespace modicum
