// oracle: delta of one answer with spherical noise, within a slack that is chosen.
#include <fmt/format.h>

#include "data/cells/number_text.h"
#include "interfaces/optimize/optimize.h"
#include "modicum/mechanisms/spherical.h"

namespace modicum {
namespace {

struct OracleJob {
  double dimension = 0.0, beta = 0.0, p = 0.0, sensitivity = 1.0, epsilon = 0.0, slack = 1e-9;
  std::optional<double> alpha = {};

  void fields(Fields& fields) {
    fields.add("dimension", dimension, "how many numbers an answer has").required();
    fields.add("alpha", alpha, "power of the radius in its density; by default dimension - 1");
    fields.add("beta", beta, "factor of the power in the exponent").required();
    fields.add("p", p, "power of the radius in the exponent").required();
    fields.add("sensitivity", sensitivity,
               "largest Euclidean distance of the answers on neighboring data sets, 1 by default");
    fields.add("epsilon", epsilon, "privacy loss bound").required();
    fields.add("slack", slack,
               "by how much the bound may exceed delta, from 1e-12 on; 1e-9 by default");
  }
};

Reply run(const OracleJob& job, Progress& progress) {
  progress.begin("bounding");
  const SphericalNoise noise(job.dimension, job.alpha.value_or(job.dimension - 1.0), job.beta,
                             job.p);
  const double delta = spherical_oracle(noise, require_positive("sensitivity", job.sensitivity),
                                        require_finite("epsilon", job.epsilon), job.slack);
  Reply reply;
  reply.add("delta", fmt::format("delta at epsilon {}, at most", job.epsilon), delta,
            rounded_up(delta));
  reply.tell("epsilon", job.epsilon).tell("slack", job.slack);
  reply.add("mean_squared_error", "mean squared error", noise.mean_squared_error(),
            fmt::format("{:.7g}", noise.mean_squared_error()));
  return reply.say(fmt::format(
      "The true delta of this noise is at most that, and larger than that less {}. Proved.\n",
      job.slack));
}

}  // namespace

JobKind spherical_oracle_job() {
  return job_kind<OracleJob>(
      "oracle", "delta of spherical noise, proved within a slack",
      "  modicum oracle --dimension 3 --alpha 1.5 --beta 0.2 --p 1.4 --epsilon 1 --slack 1e-10");
}

}  // namespace modicum
