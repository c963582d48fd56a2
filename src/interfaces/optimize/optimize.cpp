// optimize: which noise of a family has the least error for a privacy target. optimality: how good
// the Gaussian is among all additive noises.
#include "interfaces/optimize/optimize.h"

#include <fmt/format.h>

#include "data/cells/number_text.h"
#include "interfaces/calibrate/noise_certificate.h"
#include "modicum/mechanisms/gaussian_optimality.h"
#include "modicum/mechanisms/spherical_optimum.h"
#include "release/descriptions/mechanisms.h"

namespace modicum {
namespace {

struct SphericalJob {
  double dimension = 0.0, epsilon = 0.0, sensitivity = 0.0, count = 1.0;
  std::optional<double> delta = {};
  bool advantage = false;
  std::string error = "squared";

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
    fields.add("error", error, noise_error_help).shown_as("MEASURE");
    fields.add("count", count, "number of answers, 1 by default").synonym("steps");
  }
};

// The optimum for a delta that was given, or that was sought.
struct Optimum {
  PrivacyTarget target;
  SphericalOptimum found;
};

Optimum optimum_of(const SphericalJob& job, Progress& progress) {
  if (job.advantage && job.delta) throw UsageError("`delta` must not be given with `advantage`");
  const NoiseError measure = read_noise_error(job.error);
  if (job.advantage && !(job.count == 1.0 && measure.kind == NoiseError::Kind::squared))
    throw UsageError("`advantage` must not be given with `count` or `error`");
  if (job.advantage) {
    progress.begin("looking for the largest advantage");
    const SphericalAdvantage best =
        largest_spherical_advantage(job.epsilon, job.dimension, job.sensitivity);
    return {{job.epsilon, best.delta}, best.optimum};
  }
  if (!job.delta) throw UsageError("`delta` is missing, but must be given, or `advantage` instead");
  const PrivacyTarget target(job.epsilon, *job.delta);
  progress.begin("optimizing");
  return {target, optimize_spherical(target, job.dimension, job.sensitivity, job.count, measure)};
}

Certificate certificate_of(const Optimum& optimum, double sensitivity, double count) {
  const SphericalNoise& noise = optimum.found.noise;
  return noise_certificate(
      {.mechanism = described::Spherical::name,
       .parameters = {{"dimension", noise.dimension},
                      {"alpha", noise.alpha},
                      {"beta", noise.beta},
                      {"p", noise.p}},
       .sensitivity = sensitivity,
       .count = count,
       .distance = "Euclidean distance",
       .theorem = "docs/derivations/spherical.md",
       .loss = description_of(
           described::Spherical{noise.dimension, noise.alpha, noise.beta, noise.p, sensitivity},
           count)},
      optimum.target, optimum.found.achieved);
}

Reply run(const SphericalJob& job, Progress& progress) {
  const auto& [target, found] = optimum_of(job, progress);
  const Certificate certificate = certificate_of({target, found}, job.sensitivity, job.count);
  Reply reply;
  const auto add_error = [&](const std::string& key, const char* label, double error) {
    reply.add(key, label, error, fmt::format("{:.7g}", error));
  };
  reply.say(
      fmt::format("The spherical noise of least error found that makes {} ({}, "
                  "{})-differentially private:\n",
                  job.count == 1.0 ? "one answer" : fmt::format("{} answers", job.count),
                  target.epsilon, target.delta));
  reply.add("alpha", "alpha", found.noise.alpha);
  reply.add("beta", "beta", found.noise.beta);
  reply.add("p", "p", found.noise.p);
  const NoiseError measure = read_noise_error(job.error);
  const std::string key =
      measure.kind == NoiseError::Kind::squared ? "mean_squared_error" : "error";
  add_error(key, measure_in_words(measure), found.error);
  add_error("gaussian_" + key, "  of Gaussian noise", found.gaussian_error);
  add_error("l2_" + key, "  of l2 noise", found.l2_error);
  reply.add("gain", "gain", found.gain(), fmt::format("{:.2f} %", 100.0 * found.gain()));
  if (job.advantage) reply.tell("target_delta", target.delta);
  reply.add("delta", fmt::format("delta at epsilon {}", target.epsilon), found.achieved.delta());
  reply.tell("certificate", to_json(certificate));
  reply.say(
      fmt::format("Errors are of the whole vector. The gain is over the better of Gaussian and l2. "
                  "That no\nother alpha and p, of which p from 0.2 to {} was looked at, would do "
                  "better is not proved; the\nguarantee is.\n",
                  largest_spherical_power));
  if (job.advantage) reply.say("At this delta Gaussian and l2 noise have the same error.\n");
  return reply.say("\n" + proof_with_assumptions(certificate));
}

struct OptimalityJob {
  double epsilon = 0.0, sensitivity = 1.0;
  std::optional<double> delta = {}, dimension = {};

  void fields(Fields& fields) {
    fields.add("epsilon", epsilon, "privacy loss bound, at least 0").required();
    fields.add("delta", delta, "above 0 and below 1: whether it is small enough");
    fields.add(
        "dimension", dimension,
        "how many numbers an answer has, with delta: what holds there, in place of the limit");
    fields.add("sensitivity", sensitivity,
               "largest Euclidean distance of the answers on neighboring data sets, 1 by default");
  }
};

// What is proved at a finite dimension.
void add_floor(Reply& reply, const OptimalityJob& job, const PrivacyTarget& target) {
  const double square = require_positive("sensitivity", job.sensitivity) * job.sensitivity;
  const double floor = additive_error_floor(target, *job.dimension) * square;
  const double deviation = calibrate_gaussian(target, job.sensitivity).parameter;
  const double gaussian = *job.dimension * deviation * deviation, gain = 1.0 - floor / gaussian;
  reply.say(fmt::format("Answers of dimension {}, ({}, {})-differentially private:\n",
                        *job.dimension, target.epsilon, target.delta));
  reply.add("gaussian_mean_squared_error", "error of Gaussian noise", gaussian,
            fmt::format("{:.7g}", gaussian));
  reply.add("mean_squared_error_floor", "no additive noise below", floor, rounded_down(floor));
  reply.add("largest_gain", "largest possible gain", gain,
            fmt::format("{} %", rounded_up(100.0 * gain, 4)));
  reply.say("Errors are mean squared errors of the whole vector. The floor is proved.\n");
}

Reply run(const OptimalityJob& job, Progress& progress) {
  if (job.dimension && !job.delta)
    throw UsageError("`dimension` must not be given without `delta`");
  progress.begin("bounding");
  const Enclosure star = gaussian_optimal_up_to(job.epsilon);
  Reply reply;
  reply.tell("epsilon", job.epsilon).tell("delta_star", star);
  reply.say(fmt::format(
      "At epsilon {} no additive noise beats the Gaussian in the limit of high dimension for any\n"
      "delta up to {}. Proved.\n",
      job.epsilon, rounded_down(star.lower())));
  if (!job.delta) return reply;
  const PrivacyTarget target(job.epsilon, require_positive("delta", *job.delta));
  const bool optimal = target.delta <= star.lower();
  reply.tell("delta", target.delta).tell("optimal_in_the_limit", optimal);
  reply.say(fmt::format("delta = {} is {} that.\n", target.delta,
                        optimal ? "at most" : "not known to be at most"));
  if (job.dimension) add_floor(reply, job, target);
  return reply;
}

}  // namespace

std::vector<JobKind> optimize_jobs() {
  const std::string example =
      "  modicum optimize spherical --dimension 3 --epsilon 1 --delta 1e-5 --sensitivity 1";
  return {
      {"optimize", "noise of least error for a privacy target", example},
      job_kind<SphericalJob>(
          "optimize spherical",
          "spherical noise, radius with density proportional to r^alpha exp(-beta r^p)",
          example + "\n  modicum optimize spherical --dimension 3 --epsilon 0.1 "
                    "--sensitivity 1 --advantage"),
      noise_optimum(),
      job_kind<OptimalityJob>("optimality", "how good Gaussian noise is among all additive noises",
                              "  modicum optimality --epsilon 1 --delta 1e-5 --dimension 1000"),
      spherical_oracle_job()};
}

}  // namespace modicum
