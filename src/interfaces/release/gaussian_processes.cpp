// release gaussian-process: predictions at public points.
#include <fmt/format.h>

#include <filesystem>

#include "data/cells/number_text.h"
#include "interfaces/release/gaussian_process_fields.h"
#include "interfaces/release/release.h"

namespace modicum {
namespace {

struct GaussianProcessJob {
  GaussianProcessFields model = {};
  OutputPlace place = {};
  ReleaseBudget budget = {};
  ConfidentialField confidential = {};
  ExplainField explain = {};

  void fields(Fields& fields) {
    model.table_fields(fields);
    explain.fields(fields);
    confidential.fields(fields);
    place.fields(fields);
    budget.fields(fields, place.payer);
    model.model_fields(fields);
  }
};

// Queries are public: rows of the data are not.
ReleaseFiles places_beside_queries(const GaussianProcessJob& job) {
  const std::string& queries = job.model.queries.path;
  if (!queries.empty()) job.model.source.refuse_overwriting("queries", queries);
  std::error_code none;
  for (const std::string& written : {job.place.output, job.place.certificate})
    if (std::filesystem::equivalent(queries, written, none))
      throw InvalidParameter("queries", in_quotes(queries), "must not be written to");
  return job.place.files(job.model.source);
}

Reply explained(const GaussianProcessJob& job) {
  const GaussianProcessRows from(job.model);
  const bool bounded = std::holds_alternative<LinearKernel>(job.model.kernel);
  return explained(job.model.source, from.table, uses_of(from.rule, job.model.target),
                   bounded ? std::optional(from.rows.row_norm_bound) : std::nullopt);
}

Planned planned(const GaussianProcessJob& job, Progress& progress) {
  const auto from = std::make_shared<const GaussianProcessRows>(job.model);
  progress.begin("calibrating");
  const auto plan = std::make_shared<const GaussianProcessPlan>(
      planned_within(job.budget, [&](const PrivacyTarget& target) {
        return plan_gaussian_process(target, from->rows, from->points, from->request);
      }));
  return {plan->certificate,
          [&job, from, plan](RandomSource& random, Progress& reading) -> Outcome {
            const TableSource& source = job.model.source;
            reading.begin("reading");
            GaussianProcessData data =
                read_gaussian_process(*plan, from->table, from->rule, source.read_options(reading));
            reading.begin("fitting");
            const auto fit = std::make_shared<const GaussianProcessFit>(*plan, std::move(data));
            return {release_gaussian_process(*plan, *fit, random),
                    fmt::format("a draw of {} at {} points from a Gaussian process",
                                job.model.target, from->points.rows()),
                    [&source, from, plan, fit](const Released& released, Progress& again) {
                      again.begin("reading again");
                      Diagnostics all = diagnose_dropped_rows(
                          from->table, from->rule.table_columns(), source.read_options(again));
                      const Diagnostics more = diagnose_gaussian_process(released, *plan, *fit);
                      all.insert(all.end(), more.begin(), more.end());
                      return all;
                    }};
          }};
}

Reply run(const GaussianProcessJob& job, Progress& progress) {
  if (job.explain.explain) {
    Reply reply = explained(job);
    if (job.budget.given())
      tell_planned(reply, planned(job, progress), {job.place.payer, &job.budget});
    return reply;
  }
  const ReleaseFiles places = places_beside_queries(job);
  return carried_out(planned(job, progress), job.model.source, places,
                     {job.place.payer, &job.budget}, job.confidential.confidential, progress);
}

}  // namespace

std::vector<JobKind> gaussian_process_releases() {
  return {job_kind<GaussianProcessJob>(
      "release gaussian-process", "predictions of a Gaussian process at public points",
      "  modicum release gaussian-process examples/wages.csv --target wage --select schooling \\\n"
      "    --queries examples/schooling.csv --range schooling=0:20 --range wage=0:60 \\\n"
      "    --noise-variance 30 --largest-rows 1000 --epsilon 1 --delta 1e-6 --output curve.csv")};
}

}  // namespace modicum
