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
#include "modicum/data/matrix_shape.h"
#include "modicum/randomness/random_source.h"

namespace modicum {

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

/// What a release asks of its table first.
std::vector<Value> questions_of(const Planned& planned, Progress& progress);

/// A job is a struct with a `TableRelease release`, planned by `Planned planned(job, progress)`,
/// which reads no row, and explained by `Reply explained(job)` if it reads a table.
template <class ReleaseJob>
requires requires(const ReleaseJob& job) { job.release.place; }
Reply run(const ReleaseJob& job, Progress& progress) {
  if (job.release.explain.explain) {
    if constexpr (requires { explained(job); }) {
      Reply reply = explained(job);
      if (job.release.budget.given())
        tell_planned(reply, planned(job, progress), {job.release.place.payer, &job.release.budget});
      return reply;
    } else throw UsageError("`explain` must not be given for a release that cannot explain itself");
  }
  if (job.release.source.gathering.gather)
    return gathered_piece(job.release.source, questions_of(planned(job, progress), progress),
                          job.release.place.output, job.release.place.replace, progress);
  const ReleaseFiles places = job.release.place.files(job.release.source);
  return carried_out(planned(job, progress), job.release.source, places,
                     {job.release.place.payer, &job.release.budget},
                     job.release.confidential.confidential, progress);
}

/// What is known of the rows and their second moments, and of this release.
Diagnostics moment_diagnostics(const TableSource& source, const OpenedTable& from,
                               const IntegerGram& gram, Progress& progress,
                               const Diagnostics& of_this_release);

/// One pass over the rows.
std::shared_ptr<const IntegerGram> second_moments(const TableSource& source,
                                                  const OpenedTable& from, Progress& progress);

/// A vector or matrix that was computed elsewhere: the one file, or what is in memory. Its shape is
/// public, and known at once; its numbers are read later.
class GivenMatrix {
 public:
  /// `source` must outlive it. Throws UsageError, UnreadableFile.
  GivenMatrix(const TableSource& source, const std::string& what);
  const MatrixShape& shape() const { return shape_; }
  bool is_vector() const { return shape_.size() > 0 && (shape_.rows == 1 || shape_.columns == 1); }
  /// The file, for messages.
  std::string name() const;
  /// Throws UnreadableFile.
  RowBlock read() const;

 private:
  const TableSource* source_;
  MatrixShape shape_;
};

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
