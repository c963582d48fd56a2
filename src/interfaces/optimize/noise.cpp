// optimize noise: of all additive noises one of least error, and how close to the least it is.
#include <fmt/format.h>

#include "data/number.h"
#include "data/number_text.h"
#include "interfaces/optimize/optimize.h"
#include "interfaces/wording.h"
#include "release/descriptions/integer_mechanisms.h"
#include "release/descriptions/staircase_mechanism.h"

namespace modicum {
namespace {

struct NoiseJob {
  double dimension = 1.0, epsilon = 0.0, delta = 0.0, sensitivity = 0.0, count = 1.0;
  bool integers = false;
  std::string error = "squared";

  void fields(Fields& fields) {
    fields.add("dimension", dimension, "how many numbers an answer has: 1, the default");
    fields.add("epsilon", epsilon, "privacy loss bound, at least 0").required();
    fields.add("delta", delta, "at least 0 and below 1, 0 by default");
    fields.add("sensitivity", sensitivity, "how far a record moves the answer at most").required();
    fields.add("integers", integers, "answers are whole numbers, such as counts");
    fields.add("error", error, noise_error_help).shown_as("MEASURE");
    fields.add("count", count, "number of answers, 1 by default").synonym("steps");
  }
};

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

void say_gap(Reply& reply, const NoiseJob& job, const FoundNoise& found) {
  const double gap = found.error > 0.0 ? 1.0 - found.lower_bound / found.error : 0.0;
  reply.tell("gap", gap);
  reply.say(fmt::format("No {} that meets the target has an error below {}{}: proved.\n",
                        job.integers ? "noise on the integers" : "additive noise",
                        rounded_down(found.lower_bound),
                        gap < 1e-9 ? "" : fmt::format(", {} % less", rounded_up(100.0 * gap, 2))));
  if (job.count > 1.0)
    reply.say("That holds for a single answer; for several, less is not excluded but not known.\n");
}

Reply run(const NoiseJob& job, Progress& progress) {
  if (!(job.dimension == 1.0))
    throw InvalidParameter("dimension", job.dimension,
                           "must be 1 (`optimize spherical` has other dimensions)");
  const PrivacyTarget target(job.epsilon, job.delta);
  const NoiseError measure = read_noise_error(job.error);
  progress.begin("optimizing");
  const FoundNoise found = found_for(job, target, measure);
  Reply reply;
  reply.say(fmt::format("Noise of least error that makes {} ({}, {})-differentially private:\n",
                        job.count == 1.0 ? "one answer" : fmt::format("{} answers", job.count),
                        target.epsilon, target.delta));
  reply.add("error", measure_in_words(measure), found.error, fmt::format("{:.10g}", found.error));
  reply.tell("lower_bound", found.lower_bound);
  reply.add("noise", "noise", noise_in_words(*found.whole));
  if (found.grid) reply.add("grid", "on multiples of", *found.grid);
  reply.add("delta", fmt::format("delta at epsilon {}", target.epsilon),
            found.whole->achieved.delta());
  reply.tell("description", description_of_noise(*found.whole, job.count));
  say_gap(reply, job, found);
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
      "optimize noise", "the least noise there is for one number, with a proof of how close to it",
      "  modicum optimize noise --integers --epsilon 1 --delta 1e-5 --sensitivity 1\n"
      "  modicum optimize noise --epsilon 0.1 --delta 1e-3 --sensitivity 2 --error interval=0.95");
}

}  // namespace modicum
