// optimize noise: of all additive noises one of least error, and how close to the least it is.
#include <fmt/format.h>

#include "data/cells/number.h"
#include "data/cells/number_text.h"
#include "interfaces/optimize/optimize.h"
#include "interfaces/wording.h"
#include "modicum/mechanisms/optimal_disc_noise.h"
#include "release/descriptions/disc_mechanism.h"
#include "release/descriptions/integer_mechanisms.h"
#include "release/descriptions/staircase_mechanism.h"

namespace modicum {
namespace {

struct NoiseJob {
  double dimension = 1.0, epsilon = 0.0, delta = 0.0, sensitivity = 0.0, count = 1.0;
  bool integers = false;
  std::string error = "squared";

  void fields(Fields& fields) {
    fields.add("dimension", dimension, "how many numbers an answer has: 1, the default, or 2");
    fields.add("epsilon", epsilon, "privacy loss bound, at least 0").required();
    fields.add("delta", delta, "at least 0 and below 1, 0 by default");
    fields
        .add("sensitivity", sensitivity,
             "how far a record moves the answer at most, in Euclidean distance")
        .required();
    fields.add("integers", integers, "answers are whole numbers, such as counts");
    fields.add("error", error, noise_error_help).shown_as("MEASURE");
    fields.add("count", count, "number of answers, 1 by default").synonym("steps");
  }
};

// What both kinds of answers have in common.
struct FoundNoise {
  std::shared_ptr<const OptimalNoise> whole;
  double error, lower_bound;
  std::optional<double> grid = {};
};

FoundNoise found_for(const NoiseJob& job, const PrivacyTarget& target, const NoiseError& measure) {
  if (job.integers) {
    auto whole = optimal_integer_noise(target, job.sensitivity, measure, job.count);
    return {whole, whole->error, whole->lower_bound};
  }
  const OptimalGridNoise found = optimal_grid_noise(target, job.sensitivity, measure, job.count);
  return {found.whole, found.error, found.lower_bound, found.grid};
}

void say_gap(Reply& reply, const NoiseJob& job, double error, double lower_bound) {
  const double gap = error > 0.0 ? 1.0 - lower_bound / error : 0.0;
  reply.tell("lower_bound", lower_bound).tell("gap", gap);
  if (lower_bound == 0.0) return void(reply.say("How little would do is not known.\n"));
  reply.say(fmt::format("No {} that meets the target has an error below {}{}: proved.\n",
                        job.integers ? "noise on the integers" : "additive noise",
                        rounded_down(lower_bound),
                        gap < 1e-9 ? "" : fmt::format(", {} % less", rounded_up(100.0 * gap, 2))));
  if (job.count > 1.0)
    reply.say("That holds for a single answer; for several, less is not excluded but not known.\n");
}

Reply begun(const NoiseJob& job, const PrivacyTarget& target, const char* which) {
  Reply reply;
  reply.say(fmt::format("{} that makes {} ({}, {})-differentially private:\n", which,
                        job.count == 1.0 ? "one answer" : fmt::format("{} answers", job.count),
                        target.epsilon, target.delta));
  return reply;
}

Reply noise_for_two(const NoiseJob& job, const PrivacyTarget& target, const NoiseError& measure) {
  const auto found = optimal_disc_noise(target, job.sensitivity, measure, job.count);
  const DiscNoise& noise = found->noise;
  const bool one = job.count == 1.0;
  Reply reply = begun(job, target, one ? "Noise of least error" : "Noise in discs");
  reply.add("error", measure_in_words(measure), found->error, fmt::format("{:.10g}", found->error));
  reply.add("noise", "noise",
            fmt::format("uniform in a disc of random radius up to {}",
                        noise.width * static_cast<double>(noise.probabilities.size())));
  reply.add("width", "radii are multiples of", noise.width);
  reply.add("delta", fmt::format("delta at epsilon {}", target.epsilon), found->achieved.delta());
  reply.tell("description", description_of(described::Discs{noise, found->sensitivity}, job.count));
  say_gap(reply, job, found->error, found->lower_bound);
  reply.say(fmt::format(
      "Errors are of the Euclidean distance. That the noise meets the target is proved; {}\n",
      one ? "that no\nradial noise would do better, but for some tenths of a per cent, was seen in "
            "linear programs."
          : "for several\nanswers other noise may have less error, as `compare` tells."));
  return reply.say("With JSON the description has all probabilities, for `profile` and others.\n");
}

Reply run(const NoiseJob& job, Progress& progress) {
  const bool two = job.dimension == 2.0;
  if (!(job.dimension == 1.0 || (two && !job.integers)))
    throw InvalidParameter("dimension", job.dimension,
                           "must be 1, or 2 without `integers` (`optimize spherical` has others)");
  const PrivacyTarget target(job.epsilon, job.delta);
  const NoiseError measure = read_noise_error(job.error);
  progress.begin("optimizing");
  if (two) return noise_for_two(job, target, measure);
  const FoundNoise found = found_for(job, target, measure);
  Reply reply = begun(job, target, "Noise of least error");
  reply.add("error", measure_in_words(measure), found.error, fmt::format("{:.10g}", found.error));
  reply.add("noise", "noise", noise_in_words(*found.whole));
  if (found.grid) reply.add("grid", "on multiples of", *found.grid);
  reply.add("delta", fmt::format("delta at epsilon {}", target.epsilon),
            found.whole->achieved.delta());
  reply.tell("description", description_of_noise(*found.whole, job.count));
  say_gap(reply, job, found.error, found.lower_bound);
  if (found.grid)
    reply.say(
        "The number is rounded to the nearest multiple, which the error includes, and noise on "
        "the\n"
        "integers is added in units of it.\n");
  return reply.say("With JSON the description has all probabilities, for `profile` and others.\n");
}

}  // namespace

NoiseError read_noise_error(const std::string& text) {
  if (text == "squared") return {NoiseError::Kind::squared};
  if (text == "absolute") return {NoiseError::Kind::absolute};
  const std::string prefix = "interval=";
  double level = 0.0;
  if (text.rfind(prefix, 0) != 0 ||
      !data::parse_number(std::string_view(text).substr(prefix.size()), level) ||
      !(level > 0.0 && level < 1.0))
    throw InvalidParameter("error", text,
                           "must be squared, absolute, or interval=LEVEL with 0 < LEVEL < 1");
  return {NoiseError::Kind::interval, level};
}

const char* measure_in_words(const NoiseError& measure) {
  switch (measure.kind) {
    case NoiseError::Kind::squared:
      return "mean squared error";
    case NoiseError::Kind::absolute:
      return "mean absolute error";
    case NoiseError::Kind::interval:
      return "half width of interval";
  }
  return "";
}

Value description_of_noise(const OptimalNoise& noise, double count) {
  using namespace described;
  if (const auto* table = std::get_if<IntegerNoise>(&noise.noise))
    return description_of(AnyIntegerNoise{table->probabilities, table->first, noise.sensitivity},
                          count);
  if (const auto* gaussian = std::get_if<DiscreteGaussianNoise>(&noise.noise))
    return description_of(DiscreteGaussian{gaussian->sigma, noise.sensitivity}, count);
  return description_of(DiscreteStaircase{std::get<Staircase>(noise.noise)}, count);
}

std::string noise_in_words(const OptimalNoise& noise) {
  if (const auto* table = std::get_if<IntegerNoise>(&noise.noise))
    return fmt::format("on the integers from {} to {}", table->first, -table->first);
  if (const auto* gaussian = std::get_if<DiscreteGaussianNoise>(&noise.noise))
    return fmt::format("discrete Gaussian, sigma {}", gaussian->sigma);
  const auto& staircase = std::get<Staircase>(noise.noise);
  if (staircase.sensitivity == 1.0)
    return fmt::format("geometric, falling by e^{}", staircase.epsilon);
  return fmt::format("staircase, {} integers wide, falling by e^{}, first step {}",
                     staircase.sensitivity, staircase.epsilon, staircase.inner);
}

JobKind noise_optimum() {
  return job_kind<NoiseJob>(
      "optimize noise",
      "the least noise there is for one number or two, with a proof of how close to it",
      "  modicum optimize noise --integers --epsilon 1 --delta 1e-5 --sensitivity 1\n"
      "  modicum optimize noise --epsilon 0.1 --delta 1e-3 --sensitivity 2 --error interval=0.95\n"
      "  modicum optimize noise --dimension 2 --epsilon 0.1 --delta 0.003 --sensitivity 1");
}

}  // namespace modicum
