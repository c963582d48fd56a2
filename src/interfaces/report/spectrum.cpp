// report spectrum: the eigenvalues of a table, for whoever holds it.
#include <fmt/format.h>

#include <algorithm>

#include "interfaces/release/component_fields.h"
#include "interfaces/release/output.h"
#include "interfaces/report/report.h"
#include "modicum/data/json.h"
#include "modicum/release/write_file.h"
#include "numerics/dense.h"

namespace modicum {
namespace {

struct SpectrumJob {
  ComponentFields components = {};
  ConfidentialField confidential = {};
  std::string output = {};

  void fields(Fields& fields) {
    components.table_fields(fields);
    confidential.required_field(fields);
    components.scaling_fields(fields);
    fields.add("output", output, "where to write them: a JSON list; - to show them")
        .shown_as("PATH")
        .required();
  }
  bool shown() const { return output == "-"; }
};

// Of the mean of x x^T, largest first. What rounding makes of eigenvalues that are 0 is 0.
std::vector<double> eigenvalues(const ComponentRows& from, const SecondMoments& moments,
                                double rows) {
  const Eigen::VectorXd ascending = symmetric_eigen(from.normalized(moments)).values;
  std::vector<double> result;
  for (Eigen::Index i = ascending.size() - 1; i >= 0; --i)
    result.push_back(std::max(ascending[i] / rows, 0.0));
  return result;
}

double count_rows(const SpectrumJob& job, const ComponentRows& from, const SecondMoments& moments,
                  Progress& progress) {
  if (const auto* ranks = std::get_if<RankMoments>(&moments)) return ranks->rows;
  progress.begin("counting");
  const Diagnostics all = diagnose_rows(from.table, from.rule, from.rows.row_norm_bound,
                                        job.components.source.read_options(progress));
  return std::ranges::find(all, "rows_used", &Diagnostic::name)->value;
}

Reply told(const SpectrumJob& job, const ComponentRows& from, double rows,
           const std::vector<double>& values) {
  const auto rounded = [](double value) { return fmt::format("{:.7g}", value); };
  Reply reply;
  reply.say(confidential_heading);
  reply.tell("confidential", true).tell("output", job.output);
  if (!job.shown()) reply.show({"written to", job.output});
  reply.add("rows", "rows", rows).add("dimension", "dimension", from.dimension());
  reply.add("largest", "largest", values.front(), rounded(values.front()));
  reply.add("smallest", "smallest", values.back(), rounded(values.back()));
  reply.say(
      fmt::format("Eigenvalues of the mean of x x^T, rows x scaled to norm at most sqrt({}).\n",
                  from.dimension()));
  if (job.components.ranks)
    reply.say(
        "They are of ranks: commands that say what is proved of them must be told so (--ranks).\n");
  if (job.shown()) reply.tell("eigenvalues", values).say("\n" + json_line(values));
  return reply;
}

Reply run(const SpectrumJob& job, Progress& progress) {
  job.confidential.require("eigenvalues tell about the rows");
  if (!job.shown()) require_place("output", job.output);
  job.components.source.refuse_overwriting("output", job.output);
  const ComponentRows from(job.components);
  const SecondMoments moments = from.moments(job.components, progress);
  const double rows = count_rows(job, from, moments, progress);
  if (!(rows >= 1.0)) throw Error("the table has no rows to take a mean of");
  const std::vector<double> values = eigenvalues(from, moments, rows);
  Reply reply = told(job, from, rows, values);
  if (!job.shown()) write_file(job.output, json_line(values), FileAccess::owner_only);
  return reply;
}

}  // namespace

std::vector<JobKind> spectrum_report() {
  return {job_kind<SpectrumJob>("report spectrum",
                                "the eigenvalues of a table, for its holder only",
                                "  modicum report spectrum examples/genotypes.csv --exclude region "
                                "--ranks --confidential \\\n"
                                "    --output eigenvalues.json")};
}

}  // namespace modicum
