// audit components: private principal components at finite size, simulated from eigenvalues.
#include <fmt/format.h>

#include "interfaces/audit/audit.h"
#include "interfaces/audit/component_audit.h"
#include "interfaces/calibrate/eigenvalues.h"
#include "interfaces/plot/picture.h"
#include "interfaces/release/output.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/privacy/profile.h"
#include "modicum/randomness/random_source.h"

namespace modicum {
namespace {

struct ComponentsJob {
  EigenvalueSource eigenvalues = {};
  double rows = 0.0, components = 0.0;
  std::optional<double> beta = {}, mu = {};
  double draws = 30000.0, confidence = 0.95, points = 99.0;
  ComponentSampler sampler = ComponentSampler::gibbs;
  PicturePlace place = {};
  ConfidentialField confidential = {};

  void fields(Fields& fields) {
    eigenvalues.fields(fields).required();
    eigenvalues.scaling_field(fields);
    fields.add("rows", rows, "number of rows, public").required();
    fields.add("components", components, "number of components").required();
    fields.add("beta", beta, "of the exponential mechanism");
    fields.add("mu", mu, "in place of `beta`: the largest beta with this mu");
    fields.add("draws", draws, "simulated draws, and as many with the worst row; 30000 by default");
    fields.choice("sampler", sampler, audited_samplers(), "for several components")
        .shown_as("WORD");
    fields.add("confidence", confidence, "of the band around the curve, 0.95 by default");
    fields.add("points", points,
               "levels of the curve, 99 by default; 0: errors only, which is quicker");
    place.fields(fields, false);
    fields.add("confidential", confidential.confidential,
               "required with `output`: the picture is for the holder of the data only");
  }
};

std::size_t draw_count(double draws) {
  constexpr double most = 1e7;
  if (!(require_count("draws", draws) >= 100.0 && draws <= most))
    throw InvalidParameter("draws", draws, "must be a whole number from 100 to 10000000");
  return static_cast<std::size_t>(draws);
}

double beta_of(const ComponentsJob& job, const ComponentSpectrum& spectrum) {
  if (job.beta.has_value() == job.mu.has_value())
    throw UsageError(job.beta ? "`mu` must not be given with `beta`"
                              : "`beta` is missing, but must be given, or `mu`");
  return job.beta ? require_non_negative("beta", *job.beta) : largest_beta(spectrum, *job.mu);
}

// The ends say nothing.
std::vector<double> levels_of(double points) {
  const std::size_t count = points == 0.0 ? 0 : point_count(points);
  std::vector<double> levels;
  for (std::size_t i = 1; i <= count; ++i)
    levels.push_back(static_cast<double>(i) / static_cast<double>(count + 1));
  return levels;
}

// The Gaussian sampler serves only above H; below, a chain takes its place.
ComponentSampler used_sampler(const ComponentsJob& job, const ComponentSpectrum& spectrum,
                              double beta) {
  const bool replaced = job.sampler == ComponentSampler::gaussian && spectrum.components() > 1 &&
                        !(beta > spectrum.transform());
  return replaced ? ComponentSampler::gibbs : job.sampler;
}

AuditedTradeoff audited_tradeoff(const ComponentsJob& job, const ComponentAudit& audit,
                                 const std::vector<double>& levels, RandomSource& source) {
  AuditedTradeoff result{job.confidence,
                         worst_row_share(audit.spectrum, audit.beta),
                         simulate_tradeoff(audit.spectrum, audit.beta, job.sampler, audit.draws,
                                           levels, job.confidence, source),
                         {}};
  const PrivacyLoss limit = gaussian_differential_privacy(audit.mu().value());
  for (const double level : result.simulated.type1)
    result.predicted.push_back(tradeoff(limit, level, Accuracy::fast).value.lower());
  return result;
}

ComponentAudit audited(const ComponentsJob& job, Progress& progress) {
  const std::size_t draws = draw_count(job.draws);
  require_open_unit("confidence", job.confidence);
  const std::vector<double> levels = levels_of(job.points);
  const ComponentSpectrum spectrum(job.eigenvalues.load(), job.rows, job.components);
  const double beta = beta_of(job, spectrum);
  SecureSource source;
  progress.begin("simulating");
  ComponentAudit audit{spectrum,
                       beta,
                       job.eigenvalues.scaling(),
                       used_sampler(job, spectrum, beta),
                       draws,
                       simulate_utility(spectrum, beta, job.sampler, draws, source),
                       {}};
  if (const auto mu = audit.mu(); mu && *mu > 0.0 && !levels.empty())
    audit.tradeoff = audited_tradeoff(job, audit, levels, source);
  return audit;
}

Reply run(const ComponentsJob& job, Progress& progress) {
  const bool drawn = !job.place.output.empty();
  if (drawn) {
    job.confidential.require("the picture is as confidential as the eigenvalues");
    job.place.require();
  }
  const ComponentAudit audit = audited(job, progress);
  Reply reply = told(audit);
  if (!drawn) return reply;
  job.place.draw(tradeoff_chart(audit, job.place.title), reply, FileAccess::owner_only);
  return reply.say(fmt::format("{} written\n", job.place.output));
}

}  // namespace

std::vector<JobKind> component_audit() {
  return {job_kind<ComponentsJob>(
      "audit components", "private principal components: predicted and simulated, side by side",
      "  modicum audit components --eigenvalues examples/eigenvalues.json --rows 2500 \\\n"
      "    --components 1 --mu 1 --output tradeoff.svg --confidential",
      "All of it is as confidential as the eigenvalues. A prediction outside the band is an\n"
      "answer: the exit code is 0.")};
}

}  // namespace modicum
