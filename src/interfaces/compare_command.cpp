// compare: the kinds of additive noise, calibrated to one target, by their errors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "interfaces/command.h"
#include "interfaces/data_commands.h"
#include "interfaces/json_output.h"
#include "interfaces/wording.h"
#include "modicum/mechanisms/spherical_optimum.h"

namespace modicum {
namespace {

// What every kind of noise is to achieve.
struct Task {
  PrivacyTarget target;
  double dimension, sensitivity, count;
};

// One kind of noise that achieves it.
struct Candidate {
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
  std::vector<Candidate> candidates;  // the simplest first: Gaussian
  std::vector<LeftOut> left_out;
};

struct CompareRequest {
  NumberOptions numbers;
  std::vector<const CLI::Option*> needed;
  CommonFlags flags;
};

Candidate gaussian(const Task& task) {
  const Calibration found = calibrate_gaussian(task.target, task.sensitivity, task.count);
  return {"gaussian",
          "Gaussian",
          fmt::format("standard deviation {}", found.parameter),
          {{"standard_deviation", found.parameter},
           {"sensitivity", task.sensitivity},
           {"count", task.count}},
          SphericalNoise::gaussian(task.dimension, found.parameter).mean_squared_error(),
          found.achieved.delta()};
}

// In one dimension the exact profile. For a vector the losses of the coordinates add up to at most
// that of their l1 distance, which is at most sqrt(dimension) times the Euclidean one.
Candidate laplace(const Task& task) {
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

Candidate spherical(std::string name, std::string in_words, const Task& task,
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

Candidate l2(const Task& task) {
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

Candidate generalized_gaussian(const Task& task) {
  constexpr double p = 1.5;
  const double alpha = task.dimension - 1.0;
  const Calibration found =
      calibrate_spherical(task.target, task.dimension, alpha, p, task.sensitivity, task.count);
  return spherical("generalized_gaussian", "generalized Gaussian", task,
                   {task.dimension, alpha, found.parameter, p}, found.achieved);
}

Candidate optimal_spherical(const Task& task) {
  const SphericalOptimum found = optimize_spherical(task.target, task.dimension, task.sensitivity);
  return spherical("optimal_spherical", "optimized spherical", task, found.noise, found.achieved);
}

// A kind of noise besides the Gaussian, and why it may be of no use here.
struct Alternative {
  std::string name;
  Candidate (*calibrated)(const Task&);
  std::optional<std::string> (*reason_against)(const Task&);
};

const std::vector<Alternative>& alternatives() {
  const auto nothing = [](const Task&) { return std::optional<std::string>(); };
  static const std::vector<Alternative> known{
      {"laplace", laplace, nothing},
      {"l2", l2,
       [](const Task& task) -> std::optional<std::string> {
         if (task.dimension > 1.0) return {};
         return "in one dimension it is the Laplace mechanism";
       }},
      {"generalized_gaussian", generalized_gaussian, nothing},
      {"optimal_spherical", optimal_spherical,
       [](const Task& task) -> std::optional<std::string> {
         if (task.count > 1.0) return "it is sought for one answer only";
         if (task.target.epsilon == 0.0) return "it is sought for epsilon above 0 only";
         return {};
       }},
  };
  return known;
}

Comparison compare(const Task& task) {
  ProgressLine progress("comparing");
  Comparison result{{gaussian(task)}, {}};
  for (const Alternative& alternative : alternatives()) {
    progress.report(result.candidates.size(), alternatives().size() + 1);
    std::optional<std::string> reason = alternative.reason_against(task);
    try {
      if (!reason) result.candidates.push_back(alternative.calibrated(task));
    } catch (const TargetUnreachable& error) {
      reason = error.what();
    }
    if (reason) result.left_out.push_back({alternative.name, *reason});
  }
  return result;
}

double gain_percent(const Candidate& candidate, const Candidate& gaussian) {
  return 100.0 * (1.0 - candidate.mean_squared_error / gaussian.mean_squared_error);
}

// The simplest kind whose error is within this share of the least.
constexpr double negligible = 0.01;

const Candidate& recommended(const Comparison& comparison) {
  const double least = std::ranges::min(comparison.candidates, {}, &Candidate::mean_squared_error)
                           .mean_squared_error;
  return *std::ranges::find_if(comparison.candidates, [&](const Candidate& candidate) {
    return candidate.mean_squared_error * (1.0 - negligible) <= least;
  });
}

std::string recommendation(const Comparison& comparison) {
  const Candidate& gaussian = comparison.candidates.front();
  const Candidate& best = recommended(comparison);
  if (best.name == gaussian.name)
    return "Use Gaussian noise: no other kind here has an error that is smaller by 1 % or more.";
  return fmt::format(
      "Use {} noise: its mean squared error is {:.3g} % below that of Gaussian noise{}, and within "
      "1 % of the least found.",
      best.in_words, gain_percent(best, gaussian),
      best.delta.is_exactly_zero() ? ", with delta 0" : "");
}

Value in_json(const Comparison& comparison) {
  Value mechanisms = Value::list(), left_out = Value::list();
  for (const Candidate& candidate : comparison.candidates) {
    Value row{{"name", candidate.name},
             {"parameters", candidate.parameters},
             {"mean_squared_error", candidate.mean_squared_error},
             {"gain_percent", gain_percent(candidate, comparison.candidates.front())},
             {"delta", to_json(candidate.delta)}};
    if (candidate.pure) row["pure"] = true;
    mechanisms.push_back(std::move(row));
  }
  for (const LeftOut& kind : comparison.left_out)
    left_out.push_back({{"name", kind.name}, {"reason", kind.reason}});
  return {{"mechanisms", std::move(mechanisms)},
          {"left_out", std::move(left_out)},
          {"recommendation", recommendation(comparison)}};
}

std::string for_people(const Task& task, const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows{
      {"noise", "mean squared error", "gain", "delta at most", "parameters"}};
  for (const Candidate& candidate : comparison.candidates)
    rows.push_back({candidate.in_words, fmt::format("{:.7g}", candidate.mean_squared_error),
                    fmt::format("{:.2f} %", gain_percent(candidate, comparison.candidates.front())),
                    at_most(candidate.delta) + (candidate.pure ? " (pure)" : ""),
                    candidate.detail});
  std::string out =
      fmt::format("Noise that makes {} of dimension {} ({}, {})-differentially private:\n\n{}\n",
                  task.count == 1.0 ? "one answer" : fmt::format("{} answers", task.count),
                  task.dimension, task.target.epsilon, task.target.delta, table(rows));
  out += "Errors are of the whole vector of each answer, gains over the Gaussian.\n";
  if (std::ranges::any_of(comparison.candidates, &Candidate::pure))
    out +=
        "Laplace noise on each coordinate is calibrated to epsilon alone, by the l1 distance, "
        "which\n"
        "is at most sqrt(dimension) times the Euclidean one.\n";
  for (const LeftOut& kind : comparison.left_out)
    out += fmt::format("Left out: {}: {}.\n", kind.name, kind.reason);
  return out + "\n" + recommendation(comparison) + "\n";
}

std::string answer(const CompareRequest& request) {
  for (const CLI::Option* option : request.needed)
    if (option->count() == 0)
      throw UsageError(fmt::format("{} is missing, but must be given", option->get_name()));
  const NumberOptions& numbers = request.numbers;
  const Task task{{numbers.at("--epsilon"), numbers.at("--delta")},
                  require_count("dimension", numbers.at("--dimension")),
                  numbers.at("--sensitivity"),
                  numbers.at("--count")};
  const Comparison comparison = compare(task);
  return request.flags.json ? json_line(in_json(comparison)) : for_people(task, comparison);
}

}  // namespace

void add_compare_command(CLI::App& program, CommandResult& output) {
  CLI::App* command = add_command(
      program, "compare", "kinds of additive noise for one target; releases of one data set",
      "  modicum compare --dimension 3 --epsilon 1 --delta 1e-5 --sensitivity 1");
  const auto request = std::make_shared<CompareRequest>();
  NumberOptions& numbers = request->numbers;
  // Needed unless there is a subcommand, which the parser cannot know.
  const auto add = [&](const char* name, const char* help) {
    CLI::Option* option = numbers.add(*command, name, help);
    option->required(false)->type_name("NUMBER (required)");
    request->needed.push_back(option);
  };
  add("--dimension", "how many numbers an answer has");
  add("--epsilon", "privacy loss bound, at least 0");
  add("--delta", "above 0 and below 1");
  add("--sensitivity", "largest Euclidean distance of the answers on neighboring data sets");
  numbers.add(*command, "--count", "number of answers, 1 by default", "1");
  add_proved_flags(*command, request->flags);
  add_release_comparisons(*command, output);
  add_component_comparison(*command, output);
  command->callback([&output, command, request] {
    if (command->get_subcommands().empty()) output = answer(*request);
  });
}

}  // namespace modicum
