#include "interfaces/report/per_instance.h"

#include <fmt/format.h>

#include "data/cells/number_text.h"
#include "interfaces/release/output.h"
#include "interfaces/report/report.h"

namespace modicum {

void PerInstanceJob::fields(Fields& fields) {
  table.fields(fields, false);
  fields.find("table")->help = "the data of the release; none for a data-independent report";
  fields.add("confidential", confidential,
             "the losses of all records, which are for the holder of the data only");
  question.fields(fields, false);
  fields
      .add("output", output, "where to write it: .csv for losses, .json for a report; - to show it")
      .shown_as("PATH")
      .required();
  fields.add("page", page, "where to write a web page of it").shown_as("PATH");
  add_replace_field(fields, replace);
  payer.fields(fields);
  records
      .files_field(fields, "records",
                   "with `confidential`: records outside the data, and what they would have lost")
      .shown_as("PATH")
      .takes_several = false;
}

void PerInstanceJob::require_table() const {
  if (!table.given()) throw UsageError("`table` is missing, but must be given");
}

void PerInstanceJob::require_ending(const char* ending) const {
  if (!shown() && !output.ends_with(ending))
    throw InvalidParameter("output", in_quotes(output),
                           fmt::format("must end in {}, or be - to show it", ending));
}

void PerInstanceJob::require_own_files(const std::string& certificate) const {
  std::vector<std::string> taken = question.source.paths();
  taken.insert(taken.end(), records.files.paths.begin(), records.files.paths.end());
  for (const auto& [field, path] :
       {std::pair{"output", shown() ? "" : output}, {"output", certificate}, {"page", page}}) {
    if (path.empty()) continue;
    table.refuse_overwriting(field, path);
    for (const std::string& other : taken)
      if (same_file(other, path))
        throw InvalidParameter(field, in_quotes(path),
                               "must be a file of its own, not one that is read or written too");
    taken.push_back(path);
    if (confidential) require_place(field, path);
  }
}

Reply run(const PerInstanceJob& job, Progress& progress) {
  if (job.confidential) {
    if (job.replace)
      throw UsageError("`replace` must not be given with `confidential`: losses replace others");
    if (job.payer.pays())
      throw UsageError("`ledger` must not be given with `confidential`: nothing is released");
    job.question.refuse_report("with `confidential`: losses are computed, nothing is released");
    return report_losses(job, progress);
  }
  if (!job.question.method)
    throw UsageError(
        "`confidential` is missing, but must be given for the losses of records, which are for the "
        "holder of the data only; for a report that may be published give `method`");
  if (job.records.given()) throw UsageError("`records` must not be given without `confidential`");
  return publish_report(job, progress);
}

std::vector<JobKind> per_instance_reports() {
  return {job_kind<PerInstanceJob>(
      "report per-instance", "what each record lost, or a report on it that may be published",
      "  modicum report per-instance examples/wages.csv --release fit.csv --confidential \\\n"
      "    --output losses.csv --page losses.html\n"
      "  modicum report per-instance --release fit.csv --method data-independent \\\n"
      "    --output report.json --page report.html\n"
      "  modicum report per-instance examples/wages.csv --release fit.csv --method adaptive \\\n"
      "    --epsilon 2 --delta 2e-6 --output report.json --page report.html")};
}

}  // namespace modicum
