// optimize: which noise of a family has the least error for a privacy target.
#include <fmt/format.h>

#include "interfaces/calibrate/noise_certificate.h"
#include "interfaces/job.h"
#include "modicum/mechanisms/spherical_optimum.h"
#include "release/descriptions/mechanisms.h"

namespace modicum {
namespace {

struct SphericalJob {
  double dimension = 0.0, epsilon = 0.0, sensitivity = 0.0;
  std::optional<double> delta = {};
  bool advantage = false;

  void fields(Fields& fields) {
    fields.add("dimension", dimension, "how many numbers an answer has").required();
    fields.add("epsilon", epsilon, "privacy loss bound, above 0").required();
    fields.add("delta", delta, "above 0 and below 1");
    fields
        .add("sensitivity", sensitivity,
             "largest Euclidean distance of the answers on neighboring data sets")
        .required();
    fields.add("advantage", advantage,
               "in place of delta: the one at which Gaussian and l2 noise have the same error");
  }
};

// The optimum for a delta that was given, or that was sought.
struct Optimum {
  PrivacyTarget target;
  SphericalOptimum found;
};

Optimum optimum_of(const SphericalJob& job, Progress& progress) {
  if (job.advantage && job.delta) throw UsageError("`delta` must not be given with `advantage`");
  if (job.advantage) {
    progress.begin("looking for the largest advantage");
    const SphericalAdvantage best =
        largest_spherical_advantage(job.epsilon, job.dimension, job.sensitivity);
    return {{job.epsilon, best.delta}, best.optimum};
  }
  if (!job.delta) throw UsageError("`delta` is missing, but must be given, or `advantage` instead");
  const PrivacyTarget target(job.epsilon, *job.delta);
  progress.begin("optimizing");
  return {target, optimize_spherical(target, job.dimension, job.sensitivity)};
}

Certificate certificate_of(const Optimum& optimum, double sensitivity) {
  const SphericalNoise& noise = optimum.found.noise;
  return noise_certificate({.mechanism = described::Spherical::name,
                            .parameters = {{"dimension", noise.dimension},
                                           {"alpha", noise.alpha},
                                           {"beta", noise.beta},
                                           {"p", noise.p}},
                            .sensitivity = sensitivity,
                            .distance = "Euclidean distance",
                            .theorem = "docs/derivations/spherical.md",
                            .loss = description_of(described::Spherical{
                                noise.dimension, noise.alpha, noise.beta, noise.p, sensitivity})},
                           optimum.target, optimum.found.achieved);
}

Reply run(const SphericalJob& job, Progress& progress) {
  const auto& [target, found] = optimum_of(job, progress);
  const Certificate certificate = certificate_of({target, found}, job.sensitivity);
  Reply reply;
  const auto add_error = [&](const char* key, const char* label, double error) {
    reply.add(key, label, error, fmt::format("{:.7g}", error));
  };
  reply.say(
      fmt::format("The spherical noise of least error found that makes one answer ({}, "
                  "{})-differentially private:\n",
                  target.epsilon, target.delta));
  reply.add("alpha", "alpha", found.noise.alpha);
  reply.add("beta", "beta", found.noise.beta);
  reply.add("p", "p", found.noise.p);
  add_error("mean_squared_error", "mean squared error", found.mean_squared_error);
  add_error("gaussian_mean_squared_error", "  of Gaussian noise",
            found.gaussian_mean_squared_error);
  add_error("l2_mean_squared_error", "  of l2 noise", found.l2_mean_squared_error);
  reply.add("gain", "gain", found.gain(), fmt::format("{:.2f} %", 100.0 * found.gain()));
  if (job.advantage) reply.tell("target_delta", target.delta);
  reply.add("delta", fmt::format("delta at epsilon {}", target.epsilon), found.achieved.delta());
  reply.tell("certificate", to_json(certificate));
  reply.say(
      "Errors are of the whole vector. The gain is over the better of Gaussian and l2. That no\n"
      "other alpha and p would do better is not proved; the guarantee is.\n");
  if (job.advantage) reply.say("At this delta Gaussian and l2 noise have the same error.\n");
  return reply.say("\n" + proof_with_assumptions(certificate));
}

}  // namespace

std::vector<JobKind> optimize_jobs() {
  const std::string example =
      "  modicum optimize spherical --dimension 3 --epsilon 1 --delta 1e-5 --sensitivity 1";
  return {{"optimize", "noise of least error for a privacy target", example},
          job_kind<SphericalJob>(
              "optimize spherical",
              "spherical noise, radius with density proportional to r^alpha exp(-beta r^p)",
              example + "\n  modicum optimize spherical --dimension 3 --epsilon 0.1 "
                        "--sensitivity 1 --advantage")};
}

}  // namespace modicum
