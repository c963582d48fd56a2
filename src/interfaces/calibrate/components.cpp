// calibrate components: the beta of private principal components from eigenvalues, what it gives in
// the limit, and what is proved beside it.
#include <fmt/format.h>

#include "interfaces/calibrate/calibrate.h"
#include "interfaces/calibrate/eigenvalues.h"
#include "modicum/mechanisms/exponential_components.h"
#include "modicum/mechanisms/principal_components.h"

namespace modicum {
namespace {

struct ComponentsJob {
  EigenvalueSource eigenvalues = {};
  double rows = 0.0, components = 0.0;
  std::optional<double> mu = {}, epsilon = {}, delta = {};

  void fields(Fields& fields) {
    eigenvalues.fields(fields).required();
    fields.add("rows", rows, "number of rows").required();
    fields.add("components", components, "number of components").required();
    fields.add("mu", mu, "of Gaussian differential privacy in the limit");
    fields.add("epsilon", epsilon, "in place of mu, with delta");
    fields.add("delta", delta, "at least 0 and below 1; with mu, where to tell the proved epsilon");
  }
  /// Throws UsageError unless there is one target.
  void check_target() const {
    if (mu && epsilon) throw UsageError("`epsilon` must not be given with `mu`");
    if (!mu && !(epsilon && delta))
      throw UsageError("`mu` is missing, but must be given, or `epsilon` and `delta`");
  }
};

AsymptoticCalibration calibrated(const ComponentsJob& job, const ComponentSpectrum& spectrum) {
  if (job.mu) return {largest_beta(spectrum, *job.mu), *job.mu};
  return largest_beta(spectrum, PrivacyTarget(*job.epsilon, *job.delta));
}

void add_prediction(Reply& reply, const ComponentSpectrum& spectrum,
                    const AsymptoticCalibration& found) {
  const PrivacyPlateau plateau = *privacy_plateau(spectrum);
  const PredictedUtility utility = predicted_utility(spectrum, found.beta);
  const bool in_plateau = found.beta <= plateau.to;
  reply.say(
      fmt::format("{} of {} components of {} rows, in the limit of many dimensions "
                  "(asymptotic, not proved):\n",
                  spectrum.components(), spectrum.dimension(), spectrum.rows()));
  reply.add("beta", "beta", found.beta);
  reply.add("mu", "mu", found.mu, fmt::format("{:.7g}", found.mu));
  reply.tell("mu_minimum", plateau.mu);
  reply.tell("plateau", in_plateau);
  reply.tell("plateau_from", plateau.from);
  reply.tell("plateau_to", plateau.to);
  reply.tell("predicted_error", {{"spectral", utility.spectral}, {"frobenius", utility.frobenius}});
  reply.show({"squared spectral error", fmt::format("{:.5g}", utility.spectral)});
  reply.show({"squared Frobenius error", fmt::format("{:.5g}", utility.frobenius)});
  reply.tell("overlaps", utility.overlaps);
  for (std::size_t i = 0; i < utility.overlaps.size(); ++i)
    reply.show({fmt::format("overlap with component {}", i + 1),
                fmt::format("{:.5g}", utility.overlaps[i])});
  reply.tell("guarantee", "asymptotic");
  reply.say(fmt::format(
      "The privacy plateau: for every beta from {:.7g} to {:.7g} mu is {:.7g}. Less than {:.7g} "
      "means worse\ncomponents and no more privacy, and no beta that shows all of them has a "
      "smaller mu.\n{}\n",
      plateau.from, plateau.to, plateau.mu, plateau.to,
      in_plateau ? "This beta is the end of the plateau.\n" : ""));
}

// What holds for any data.
void add_proved(Reply& reply, const ComponentSpectrum& spectrum, double beta,
                const std::optional<double>& delta) {
  const auto p = static_cast<double>(spectrum.dimension());
  const double replacing = pure_epsilon_of_replacing(beta, p, spectrum.rows());
  const double range = component_range(beta, p, spectrum.rows());
  reply.say("Proved at this beta, for any data of any size:\n");
  reply.add("pure_epsilon", "replacing a row", replacing, fmt::format("epsilon {:.7g}", replacing));
  reply.add("pure_epsilon_add_remove", "adding or removing one", range,
            fmt::format("epsilon {:.7g}", range));
  if (!delta) return;
  const ComponentGuarantee at =
      component_guarantee(range, static_cast<double>(spectrum.components()), *delta);
  reply.add("proved", "one direction after the other",
            {{"delta", at.delta}, {"epsilon", at.epsilon}, {"zcdp", at.zcdp}},
            fmt::format("epsilon {:.7g} at delta {}", at.epsilon, at.delta));
}

Reply run(const ComponentsJob& job, Progress& progress) {
  progress.begin("calibrating");
  job.check_target();
  const ComponentSpectrum spectrum(job.eigenvalues.load(), job.rows, job.components);
  const AsymptoticCalibration found = calibrated(job, spectrum);
  Reply reply;
  add_prediction(reply, spectrum, found);
  add_proved(reply, spectrum, found.beta, job.delta);
  return reply.say(
      "As confidential as the eigenvalues: where these come from the data, so does beta.\n");
}

}  // namespace

JobKind component_calibration() {
  return job_kind<ComponentsJob>(
      "calibrate components", "noise of private principal components, from eigenvalues",
      "  modicum calibrate components --eigenvalues examples/eigenvalues.json --rows 2500 \\\n"
      "    --components 2 --mu 1");
}

}  // namespace modicum
