// report spectrum: the eigenvalues of a table, for whoever holds it.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "interfaces/component_options.h"
#include "interfaces/wording.h"
#include "modicum/release/write_file.h"
#include "numerics/dense.h"

namespace modicum {
namespace {

struct SpectrumOptions : ComponentOptions {
  std::string output;
};

// Of the mean of x x^T, largest first. What rounding makes of eigenvalues that are 0 is 0.
std::vector<double> eigenvalues(const ComponentTable& from, const SecondMoments& moments,
                                double rows) {
  const Eigen::VectorXd ascending = symmetric_eigenvalues(normalized(from, moments));
  std::vector<double> result;
  for (Eigen::Index i = ascending.size() - 1; i >= 0; --i)
    result.push_back(std::max(ascending[i] / rows, 0.0));
  return result;
}

double count_rows(const ComponentOptions& options, const ComponentTable& from,
                  const SecondMoments& moments) {
  if (const auto* ranks = std::get_if<RankMoments>(&moments)) return ranks->rows;
  ProgressLine progress("counting");
  const Diagnostics all = diagnose_rows(from.table, from.rule, from.rows.row_norm_bound,
                                        options.read_options(progress));
  return value_of(all, "rows_used");
}

std::string answer(const SpectrumOptions& options) {
  require_confidential(options, "eigenvalues tell about the rows");
  const bool shown = options.output == "-" && options.given("--json");
  if (!shown) require_place("--output", options.output);
  options.refuse_data_file("--output", options.output);
  const ComponentTable from(options);
  const SecondMoments moments = from.moments(options);
  const double rows = count_rows(options, from, moments);
  if (!(rows >= 1.0)) throw Error("the table has no rows to take a mean of");
  const std::vector<double> values = eigenvalues(from, moments, rows);
  if (!shown) write_file(options.output, json_line(values), FileAccess::owner_only);
  if (options.given("--json")) {
    Value result{
        {"confidential", true},          {"output", options.output},  {"rows", rows},
        {"dimension", from.dimension()}, {"largest", values.front()}, {"smallest", values.back()}};
    if (shown) result["eigenvalues"] = values;
    return json_line(result);
  }
  return fmt::format(
      "{}\n{}\nEigenvalues of the mean of x x^T, rows x scaled to norm at most sqrt({}).\n",
      confidential_heading,
      table({{"written to", options.output},
             {"rows", fmt::format("{}", rows)},
             {"dimension", fmt::format("{}", from.dimension())},
             {"largest", fmt::format("{:.7g}", values.front())},
             {"smallest", fmt::format("{:.7g}", values.back())}}),
      from.dimension());
}

}  // namespace

void add_spectrum_report(CLI::App& report, CommandResult& output) {
  CLI::App* command =
      add_command(report, "spectrum", "the eigenvalues of a table, for its holder only",
                  "  modicum report spectrum examples/genotypes.csv --exclude region --ranks "
                  "--confidential \\\n"
                  "    --output eigenvalues.json");
  const auto options = std::make_shared<SpectrumOptions>();
  options->add_data_to(*command);
  options->add_scaling_to(*command);
  command
      ->add_option("--output", options->output, "where to write them: a JSON list; - with --json")
      ->type_name("PATH")
      ->required();
  command->callback([&output, options] { output = answer(*options); });
}

}  // namespace modicum
