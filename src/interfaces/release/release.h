// release: what each kind of release is asked, and how it is carried out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "interfaces/job.h"
#include "interfaces/release/explanation.h"
#include "interfaces/release/gathering.h"
#include "interfaces/release/output.h"
#include "interfaces/release/promise.h"
#include "modicum/randomness/random_source.h"

namespace modicum {

/// A release that was drawn and is not written yet.
struct Outcome {
  Released released;
  std::string what;  ///< in words: "the second moments of 4 coordinates"
  /// What is confidential about it.
  std::function<Diagnostics(const Released&, Progress&)> diagnose;
  std::vector<std::string> warnings = {};  ///< that follow from what is released
};

/// What every release from a table is asked.
struct TableRelease {
  TableSource source = {};
  OutputPlace place = {};
  ReleaseBudget budget = {};
  ConfidentialField confidential = {};
  ExplainField explain = {};

  void fields(Fields& fields);
  /// The same but for the budget.
  void fields_without_budget(Fields& fields);
};

/// A job is a struct with a `TableRelease release`, drawn by `Outcome drawn(job, source,
/// progress)`, and explained by `Reply explained(job)` if it reads a table; then what it would
/// promise is `Planned planned(job)`.
template <class ReleaseJob>
requires requires(const ReleaseJob& job) { job.release.place; }
Reply run(const ReleaseJob& job, Progress& progress) {
  if (job.release.explain.explain) {
    if constexpr (requires { explained(job); }) {
      Reply reply = explained(job);
      if (job.release.budget.given())
        tell_planned(reply, planned(job), {job.release.place.payer, &job.release.budget});
      return reply;
    } else
      throw UsageError("`explain` must not be given for a release that cannot explain itself");
  }
  SecureSource source;
  if (job.release.source.gathering.gather)
    return gathered_piece(job.release.source, questions_of([&] { drawn(job, source, progress); }),
                          job.release.place.output, job.release.place.replace, progress);
  const ReleaseFiles places = job.release.place.files(job.release.source);
  Outcome outcome = drawn(job, source, progress);
  assume_pieces(outcome.released.certificate, job.release.source);
  Reply reply =
      finished(std::move(outcome.released), places, {job.release.place.payer, &job.release.budget},
               outcome.what, job.release.confidential.confidential,
               [&](const Released& released) { return outcome.diagnose(released, progress); });
  for (const std::string& warning : outcome.warnings)
    reply.say(in_style(warning, NameStyle::option) + "\n");
  if (!outcome.warnings.empty()) reply.tell("warnings", outcome.warnings);
  return reply;
}

/// What a release from pieces of a table assumes.
void assume_pieces(Certificate& certificate, const TableSource& source);

/// What is known of the rows and their second moments, and of this release.
Diagnostics moment_diagnostics(const TableSource& source, const OpenedTable& from,
                               const IntegerGram& gram, Progress& progress,
                               const Diagnostics& of_this_release);

/// One pass over the rows.
std::shared_ptr<const IntegerGram> second_moments(const TableSource& source,
                                                  const OpenedTable& from, Progress& progress);

/// A vector or matrix that was computed elsewhere: the one file, or what is in memory.
RowBlock given_matrix(const TableSource& source, const std::string& what);

// Chapters.
std::vector<JobKind> vector_releases();
JobKind joint_release();
JobKind gather_job();
std::vector<JobKind> everyday_releases();
std::vector<JobKind> moment_releases();
std::vector<JobKind> regression_releases();
std::vector<JobKind> classification_releases();
std::vector<JobKind> gaussian_process_releases();
std::vector<JobKind> matrix_releases();
std::vector<JobKind> component_releases();

}  // namespace modicum
