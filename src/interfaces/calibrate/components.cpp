// calibrate components: the beta of private principal components from eigenvalues, what it gives in
// the limit, and what is proved beside it.
#include <fmt/format.h>

#include "data/cells/number_text.h"
#include "interfaces/calibrate/calibrate.h"
#include "interfaces/calibrate/eigenvalues.h"
#include "interfaces/release/component_fields.h"
#include "modicum/mechanisms/principal_components.h"
#include "release/look/look_budget.h"

namespace modicum {
namespace {

struct ComponentsJob {
  EigenvalueSource eigenvalues = {};
  double rows = 0.0, components = 0.0;
  std::optional<double> mu = {}, epsilon = {}, delta = {}, beta = {};

  void fields(Fields& fields) {
    eigenvalues.fields(fields).required();
    eigenvalues.scaling_field(fields);
    fields.add("rows", rows, "number of rows").required();
    fields.add("components", components, "number of components").required();
    fields.add("mu", mu, "of Gaussian differential privacy in the limit");
    fields.add("epsilon", epsilon, "in place of mu, with delta");
    fields.add("delta", delta,
               "at least 0 and below 1; with mu or beta, where to tell the proved epsilon");
    fields.add("beta", beta, "in place of mu: what this one gives, at least 0");
  }
  /// Throws UsageError unless there is one target.
  void check_target() const {
    if (mu && epsilon) throw UsageError("`epsilon` must not be given with `mu`");
    if (beta && (mu || epsilon))
      throw UsageError(fmt::format("`beta` must not be given with `{}`", mu ? "mu" : "epsilon"));
    if (!beta && !mu && !(epsilon && delta))
      throw UsageError("`mu` is missing, but must be given, or `epsilon` and `delta`, or `beta`");
  }
};

// A beta, and its mu where the limit tells one.
struct Calibrated {
  double beta;
  std::optional<double> mu;
};

Calibrated calibrated(const ComponentsJob& job, const ComponentSpectrum& spectrum) {
  if (job.beta) return {*job.beta, predicted_mu(spectrum, *job.beta)};
  if (job.mu) return {largest_beta(spectrum, *job.mu), *job.mu};
  const AsymptoticCalibration found =
      largest_beta(spectrum, PrivacyTarget(*job.epsilon, *job.delta));
  return {found.beta, found.mu};
}

void add_prediction(Reply& reply, const ComponentSpectrum& spectrum, const Calibrated& found) {
  const PredictedUtility utility = predicted_utility(spectrum, found.beta);
  const auto plateau = privacy_plateau(spectrum);
  const bool inside = plateau && found.beta > plateau->from && found.beta <= plateau->to;
  const auto part = [&](double PrivacyPlateau::*which) {
    return plateau ? Value((*plateau).*which) : Value();
  };
  reply.say(
      fmt::format("{} of {} components of {} rows, in the limit of many dimensions "
                  "(asymptotic, not proved):\n",
                  spectrum.components(), spectrum.dimension(), spectrum.rows()));
  reply.add("beta", "beta", found.beta);
  reply.add("mu", "mu", found.mu,
            found.mu ? fmt::format("{:.7g}", *found.mu) : "none: the limit does not tell");
  reply.tell("mu_minimum", part(&PrivacyPlateau::mu)).tell("plateau", inside);
  reply.tell("plateau_from", part(&PrivacyPlateau::from));
  reply.tell("plateau_to", part(&PrivacyPlateau::to));
  reply.tell("predicted_error", {{"spectral", utility.spectral}, {"frobenius", utility.frobenius}});
  reply.show({"squared spectral error", fmt::format("{:.5g}", utility.spectral)});
  reply.show({"squared Frobenius error", fmt::format("{:.5g}", utility.frobenius)});
  reply.tell("overlaps", utility.overlaps);
  for (std::size_t i = 0; i < utility.overlaps.size(); ++i)
    reply.show({fmt::format("overlap with component {}", i + 1),
                fmt::format("{:.5g}", utility.overlaps[i])});
  reply.tell("guarantee", "asymptotic");
  if (!plateau) return;
  reply.say(fmt::format(
      "The privacy plateau: for every beta from {:.7g} to {:.7g} mu is {:.7g}. Less than {:.7g} "
      "means worse\ncomponents and no more privacy, and no beta that shows all of them has a "
      "smaller mu.\n{}\n",
      plateau->from, plateau->to, plateau->mu, plateau->to,
      inside ? "This beta is in the plateau.\n" : ""));
}

// What holds for any data.
void add_proved(Reply& reply, const ComponentSpectrum& spectrum, double beta, RowScaling scaling,
                const std::optional<double>& delta) {
  const auto p = static_cast<double>(spectrum.dimension());
  const double replacing = pure_epsilon_of_replacing(beta, p, spectrum.rows(), scaling);
  const double range = component_range(beta, p, spectrum.rows(), scaling);
  reply.say(fmt::format("Proved at this beta, for any data of any size, {}:\n", in_words(scaling)));
  if (scaling == RowScaling::ranks) reply.tell("scaling", "ranks");
  reply.add("pure_epsilon", "replacing a row", replacing, "epsilon " + rounded_up(replacing));
  reply.add("pure_epsilon_add_remove", "adding or removing one", range,
            "epsilon " + rounded_up(range));
  if (!delta) return;
  const ComponentGuarantee at =
      component_guarantee(range, static_cast<double>(spectrum.components()), *delta);
  reply.add("proved", "one direction after the other",
            {{"delta", at.delta}, {"epsilon", at.epsilon}, {"zcdp", at.zcdp}},
            fmt::format("epsilon {} at delta {}", rounded_up(at.epsilon), at.delta));
}

// The default of `release components`, at the same price.
void add_centered(Reply& reply, const ComponentsJob& job, const std::vector<double>& eigenvalues,
                  const ComponentSpectrum& spectrum, const Calibrated& found) {
  if (job.eigenvalues.ranks) return;
  std::optional<double> mu = found.mu;
  if (job.epsilon && job.delta) mu = LookBudget({*job.epsilon, *job.delta}).mu();
  if (!mu || !(*mu > 0.0)) return;
  reply.say("\nThe default of release components, which is proved:\n");
  tell_outlook(reply, centered_outlook(*mu, spectrum.rows(), eigenvalues, job.components),
               spectrum.rows(), true);
}

Reply run(const ComponentsJob& job, Progress& progress) {
  progress.begin("calibrating");
  job.check_target();
  const std::vector<double> eigenvalues = job.eigenvalues.load();
  const ComponentSpectrum spectrum(eigenvalues, job.rows, job.components);
  const Calibrated found = calibrated(job, spectrum);
  Reply reply;
  add_prediction(reply, spectrum, found);
  add_proved(reply, spectrum, found.beta, job.eigenvalues.scaling(), job.delta);
  add_centered(reply, job, eigenvalues, spectrum, found);
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
