// compare: the kinds of additive noise, calibrated to one target, by their errors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "data/cells/number_text.h"
#include "interfaces/compare/compare.h"
#include "interfaces/optimize/optimize.h"
#include "interfaces/wording.h"
#include "modicum/mechanisms/calibrate_discrete.h"
#include "modicum/mechanisms/gaussian_optimality.h"
#include "modicum/mechanisms/optimal_disc_noise.h"
#include "modicum/mechanisms/spherical_optimum.h"
#include "modicum/release/budget.h"

namespace modicum {
namespace {

struct NoiseComparisonJob {
  double dimension = 0.0, sensitivity = 0.0, count = 1.0;
  bool integers = false;
  PrivacyBudget budget = {};

  void fields(Fields& fields) {
    fields.add("dimension", dimension, "how many numbers an answer has").required();
    budget.fields(fields, "above 0 and below 1");
    fields
        .add("sensitivity", sensitivity,
             "largest Euclidean distance of the answers on neighboring data sets")
        .required();
    fields.add("count", count, "number of answers, 1 by default").synonym("steps");
    fields.add("integers", integers, "answers are whole numbers, such as counts: dimension 1");
  }
};

// What every kind of noise is to achieve.
struct NoiseTask {
  PrivacyTarget target;
  double dimension, sensitivity, count;
  bool integers = false;
};

// One kind of noise that achieves it.
struct Noise {
  std::string name, in_words;
  std::string detail;  // its parameters, in full: rounded they would no longer be safe
  Value parameters;
  double mean_squared_error;  // of the whole vector
  Enclosure delta;
  bool pure = false;  // no more than epsilon is known of it, and nothing is lost to delta
};

struct LeftOut {
  std::string name, reason;
};

struct Comparison {
  std::vector<Noise> candidates;  // the simplest first: Gaussian, unless delta is 0
  std::vector<LeftOut> left_out;
};

Noise gaussian(const NoiseTask& task) {
  const Calibration found = calibrate_gaussian(task.target, task.sensitivity, task.count);
  return {"gaussian",
          "Gaussian",
          fmt::format("standard deviation {}", found.parameter),
          {{"standard_deviation", found.parameter},
           {"sensitivity", task.sensitivity},
           {"count", task.count}},
          task.dimension * found.parameter * found.parameter,
          found.achieved.delta()};
}

// In one dimension the exact profile. For a vector the losses of the coordinates add up to at most
// that of their l1 distance, which is at most sqrt(dimension) times the Euclidean one.
Noise laplace(const NoiseTask& task) {
  const bool scalar = task.dimension == 1.0;
  const double sensitivity = scalar ? task.sensitivity
                                    : std::nextafter(std::sqrt(task.dimension) * task.sensitivity,
                                                     std::numeric_limits<double>::infinity());
  const PrivacyTarget target(task.target.epsilon, scalar ? task.target.delta : 0.0);
  const Calibration found = calibrate_laplace(target, sensitivity, task.count);
  const double scale = found.parameter;
  return {"laplace",
          "Laplace",
          fmt::format("scale {}", scale),
          {{"scale", scale}, {"sensitivity", sensitivity}, {"count", task.count}},
          task.dimension * 2.0 * scale * scale,
          found.achieved.delta(),
          !scalar};
}

Noise spherical(std::string name, std::string in_words, const NoiseTask& task,
                const SphericalNoise& noise, const ProfilePoint& achieved) {
  return {std::move(name),
          std::move(in_words),
          fmt::format("alpha {}, beta {}, p {}", noise.alpha, noise.beta, noise.p),
          {{"dimension", noise.dimension},
           {"alpha", noise.alpha},
           {"beta", noise.beta},
           {"p", noise.p},
           {"sensitivity", task.sensitivity},
           {"count", task.count}},
          noise.mean_squared_error(),
          achieved.delta()};
}

Noise l2(const NoiseTask& task) {
  const Calibration found = calibrate_l2(task.target, task.dimension, task.sensitivity, task.count);
  return {"l2",
          "l2",
          fmt::format("scale {}", found.parameter),
          {{"dimension", task.dimension},
           {"scale", found.parameter},
           {"sensitivity", task.sensitivity},
           {"count", task.count}},
          SphericalNoise::l2(task.dimension, found.parameter).mean_squared_error(),
          found.achieved.delta()};
}

Noise generalized_gaussian(const NoiseTask& task) {
  const SphericalOptimum found =
      optimize_generalized_gaussian(task.target, task.dimension, task.sensitivity, task.count);
  return spherical("generalized_gaussian", "generalized Gaussian", task, found.noise,
                   found.achieved);
}

Noise optimal_spherical(const NoiseTask& task) {
  const SphericalOptimum found =
      optimize_spherical(task.target, task.dimension, task.sensitivity, task.count);
  return spherical("optimal_spherical", "optimized spherical", task, found.noise, found.achieved);
}

Noise discrete(std::string name, std::string in_words, const char* parameter, const NoiseTask& task,
               const Calibration& found, const WholeNoise& noise) {
  return {std::move(name),
          std::move(in_words),
          fmt::format("{} {}", parameter, found.parameter),
          {{parameter, found.parameter}, {"sensitivity", task.sensitivity}, {"count", task.count}},
          whole_noise_error(noise, {}),
          found.achieved.delta()};
}

Noise discrete_gaussian_noise(const NoiseTask& task) {
  const Calibration found = calibrate_discrete_gaussian(task.target, task.sensitivity, task.count);
  return discrete("discrete_gaussian", "discrete Gaussian", "sigma", task, found,
                  DiscreteGaussianNoise{found.parameter});
}

// A staircase whose steps are single integers.
Noise discrete_laplace_noise(const NoiseTask& task) {
  const Calibration found = calibrate_discrete_laplace(task.target, task.sensitivity, task.count);
  return discrete("discrete_laplace", "discrete Laplace", "scale", task, found,
                  Staircase{1.0 / found.parameter, 1.0, 1.0});
}

Noise optimal_for_two(const NoiseTask& task) {
  const auto found = optimal_disc_noise(task.target, task.sensitivity, {}, task.count);
  const bool one = task.count == 1.0;  // for several answers others may be better
  return {one ? "optimal" : "discs",
          one ? "optimal" : "in discs",
          fmt::format("a disc of radius up to {}",
                      found->noise.width * static_cast<double>(found->noise.probabilities.size())),
          {{"width", found->noise.width}, {"sensitivity", task.sensitivity}, {"count", task.count}},
          found->error,
          found->achieved.delta()};
}

Noise optimal(const NoiseTask& task) {
  if (task.dimension == 2.0) return optimal_for_two(task);
  if (task.integers) {
    const auto found = optimal_integer_noise(task.target, task.sensitivity, {}, task.count);
    return {"optimal",
            "optimal",
            noise_in_words(*found),
            {{"sensitivity", task.sensitivity}, {"count", task.count}},
            found->error,
            found->achieved.delta()};
  }
  const OptimalGridNoise found = optimal_grid_noise(task.target, task.sensitivity, {}, task.count);
  return {"optimal",
          "optimal",
          fmt::format("multiples of {}, {}", found.grid, noise_in_words(*found.whole)),
          {{"grid", found.grid}, {"sensitivity", task.sensitivity}, {"count", task.count}},
          found.error,
          found.whole->achieved.delta()};
}

// No additive noise has a smaller error; a bound for one answer holds for each of several.
std::optional<double> lower_bound(const NoiseTask& task) try {
  if (task.integers) return optimal_integer_noise(task.target, task.sensitivity)->lower_bound;
  if (task.dimension == 1.0) return optimal_grid_noise(task.target, task.sensitivity).lower_bound;
  if (task.target.epsilon == 0.0 || !(task.dimension <= largest_spherical_dimension)) return {};
  // Whatever has delta 0 has this one, too.
  const PrivacyTarget wider(task.target.epsilon, std::max(task.target.delta, 1e-12));
  return additive_error_floor(wider, task.dimension) * task.sensitivity * task.sensitivity *
         (1.0 - 1e-15);
} catch (const TargetUnreachable&) {
  return {};
}

// A kind of noise, and why it may be of no use here.
struct Alternative {
  std::string name;
  Noise (*calibrated)(const NoiseTask&);
  std::optional<std::string> (*reason_against)(const NoiseTask&);
};

std::optional<std::string> too_many_dimensions(const NoiseTask& task) {
  if (task.dimension <= largest_spherical_dimension) return {};
  return fmt::format("it is computed up to dimension {} only", largest_spherical_dimension);
}

const std::vector<Alternative>& alternatives() {
  const auto nothing = [](const NoiseTask&) { return std::optional<std::string>(); };
  static const std::vector<Alternative> known{
      {"gaussian", gaussian, nothing},
      {"laplace", laplace, nothing},
      {"l2", l2,
       [](const NoiseTask& task) -> std::optional<std::string> {
         if (task.dimension > 1.0) return too_many_dimensions(task);
         return "in one dimension it is the Laplace mechanism";
       }},
      {"generalized_gaussian", generalized_gaussian,
       [](const NoiseTask& task) -> std::optional<std::string> {
         if (task.count > 1.0 && task.target.epsilon == 0.0)
           return "for several answers it is sought for epsilon above 0 only";
         if (task.target.delta == 0.0) return "it is sought for delta above 0 only";
         return too_many_dimensions(task);
       }},
      {"optimal_spherical", optimal_spherical,
       [](const NoiseTask& task) -> std::optional<std::string> {
         if (task.target.epsilon == 0.0) return "it is sought for epsilon above 0 only";
         if (task.target.delta == 0.0) return "it is sought for delta above 0 only";
         return too_many_dimensions(task);
       }},
      {"optimal", optimal,
       [](const NoiseTask& task) -> std::optional<std::string> {
         if (task.dimension > 2.0) return "it is known for one number and for two";
         if (task.dimension == 2.0 && task.count > 1.0 && task.target.delta > 0.0 &&
             least_disc_error(task.target, task.sensitivity, {}, task.count) >
                 gaussian(task).mean_squared_error)
           return "for so many answers noise in discs has a larger error than Gaussian noise";
         return {};
       }},
  };
  return known;
}

const std::vector<Alternative>& alternatives_on_integers() {
  const auto nothing = [](const NoiseTask&) { return std::optional<std::string>(); };
  static const std::vector<Alternative> known{
      {"discrete_gaussian", discrete_gaussian_noise, nothing},
      {"discrete_laplace", discrete_laplace_noise, nothing},
      {"optimal", optimal, nothing}};
  return known;
}

Comparison compare(const NoiseTask& task, Progress& progress) {
  progress.begin("comparing");
  Comparison result;
  const auto& kinds = task.integers ? alternatives_on_integers() : alternatives();
  for (const Alternative& kind : kinds) {
    progress.report(static_cast<std::size_t>(&kind - kinds.data()), kinds.size());
    std::optional<std::string> reason = kind.reason_against(task);
    try {
      if (!reason) result.candidates.push_back(kind.calibrated(task));
    } catch (const TargetUnreachable& error) {
      reason = error.what();
    }
    if (reason) result.left_out.push_back({kind.name, *reason});
  }
  if (result.candidates.empty()) throw TargetUnreachable(result.left_out.front().reason);
  return result;
}

double gain_percent(const Noise& candidate, const Noise& first) {
  return 100.0 * (1.0 - candidate.mean_squared_error / first.mean_squared_error);
}

// The simplest kind whose error is within this share of the least.
constexpr double negligible = 0.01;

const Noise& recommended(const Comparison& comparison) {
  const double least =
      std::ranges::min(comparison.candidates, {}, &Noise::mean_squared_error).mean_squared_error;
  return *std::ranges::find_if(comparison.candidates, [&](const Noise& candidate) {
    return candidate.mean_squared_error * (1.0 - negligible) <= least;
  });
}

std::string recommendation(const Comparison& comparison) {
  const Noise& first = comparison.candidates.front();
  const Noise& best = recommended(comparison);
  if (best.name == first.name)
    return fmt::format(
        "Use {} noise: no other kind here has an error that is smaller by 1 % or more.",
        first.in_words);
  return fmt::format(
      "Use {} noise: its mean squared error is {:.3g} % below that of {} noise{}, and within "
      "1 % of the least found.",
      best.in_words, gain_percent(best, first), first.in_words,
      best.delta.is_exactly_zero() ? ", with delta 0" : "");
}

ReplyTable table_of(const Comparison& comparison) {
  ReplyTable rows({"noise", "mean squared error", "gain", "delta at most", "parameters"});
  for (const Noise& candidate : comparison.candidates) {
    const double gain = gain_percent(candidate, comparison.candidates.front());
    Value entry{{"name", candidate.name},
                {"parameters", candidate.parameters},
                {"mean_squared_error", candidate.mean_squared_error},
                {"gain_percent", gain},
                {"delta", candidate.delta}};
    if (candidate.pure) entry["pure"] = true;
    rows.add(std::move(entry),
             {candidate.in_words, fmt::format("{:.7g}", candidate.mean_squared_error),
              fmt::format("{:.2f} %", gain),
              at_most(candidate.delta) + (candidate.pure ? " (pure)" : ""), candidate.detail});
  }
  return rows;
}

Reply run(const NoiseComparisonJob& job, Progress& progress) {
  const NoiseTask task{job.budget.target(), require_count("dimension", job.dimension),
                       job.sensitivity, job.count, job.integers};
  if (job.integers && task.dimension != 1.0)
    throw InvalidParameter("dimension", job.dimension, "must be 1 with `integers`");
  const Comparison comparison = compare(task, progress);
  Reply reply;
  reply.say(fmt::format("Noise that makes {} of dimension {} ({}, {})-differentially private:\n",
                        task.count == 1.0 ? "one answer" : fmt::format("{} answers", task.count),
                        task.dimension, task.target.epsilon, task.target.delta));
  reply.add("mechanisms", table_of(comparison));
  reply.say("Errors are of the whole vector of each answer, gains over the first.\n");
  if (std::ranges::any_of(comparison.candidates, &Noise::pure))
    reply.say(
        "Laplace noise on each coordinate is calibrated to epsilon alone, by the l1 distance, "
        "which\nis at most sqrt(dimension) times the Euclidean one.\n");
  Value left_out = Value::list();
  for (const LeftOut& kind : comparison.left_out) {
    left_out.push_back({{"name", kind.name}, {"reason", kind.reason}});
    reply.say(fmt::format("Left out: {}: {}.\n", kind.name, kind.reason));
  }
  reply.tell("left_out", std::move(left_out));
  if (const auto floor = lower_bound(task)) {
    reply.tell("lower_bound", *floor);
    if (*floor > 0.0)
      reply.say(fmt::format("No {} has an error below {}{}: proved.\n",
                            job.integers ? "noise on the integers" : "additive noise",
                            rounded_down(*floor),
                            task.count > 1.0 ? ", even for a single answer" : ""));
  }
  reply.tell("recommendation", recommendation(comparison));
  return reply.say("\n" + recommendation(comparison) + "\n");
}

}  // namespace

JobKind noise_comparison() {
  return job_kind<NoiseComparisonJob>(
      "compare", "kinds of additive noise for one target; releases of one data set",
      "  modicum compare --dimension 3 --epsilon 1 --delta 1e-5 --sensitivity 1");
}

}  // namespace modicum
