// quantile: how large noise gets, for those who must bound it.
#include <fmt/format.h>

#include "interfaces/job.h"
#include "modicum/numerics/largest_eigenvalue.h"

namespace modicum {
namespace {

struct LargestEigenvalueJob {
  double dimension = 0.0, upper_tail = 0.0;
  void fields(Fields& fields) {
    fields.add("dimension", dimension, "rows of the matrix, from 1 to 1000").required();
    fields.add("upper_tail", upper_tail, "probability to be above, at least 1e-290 and below 1")
        .required();
  }
};

Reply run(const LargestEigenvalueJob& job, Progress& progress) {
  progress.begin("searching");
  const Enclosure quantile = goe_largest_eigenvalue_quantile(job.dimension, job.upper_tail);
  Reply reply;
  reply.tell("dimension", job.dimension);
  reply.tell("upper_tail", job.upper_tail);
  reply.tell("quantile", quantile);
  return reply.say(fmt::format(
      "The largest eigenvalue of the symmetric Gaussian matrix (Z + Z^T)/sqrt 2 of {} rows, with\n"
      "variance 1 off the diagonal and 2 on it, exceeds {:.15g} with probability {}.\n"
      "Proved; the number is rounded.\n",
      job.dimension, quantile.upper(), job.upper_tail));
}

}  // namespace

std::vector<JobKind> quantile_jobs() {
  const std::string example = "  modicum quantile goe --dimension 50 --upper-tail 1e-6";
  return {{"quantile", "quantiles of the size of matrix noise", example},
          job_kind<LargestEigenvalueJob>(
              "quantile goe", "the largest eigenvalue of a symmetric Gaussian matrix", example)};
}

}  // namespace modicum
