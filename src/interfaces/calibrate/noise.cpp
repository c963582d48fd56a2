// calibrate gaussian, laplace, discrete-gaussian, discrete-laplace, l2, spherical,
// subsampled-gaussian, allocated-gaussian: noise that is added to answers.
#include <fmt/format.h>

#include <algorithm>

#include "interfaces/calibrate/calibrate.h"
#include "interfaces/calibrate/noise_certificate.h"
#include "modicum/mechanisms/calibrate_discrete.h"
#include "modicum/mechanisms/optimal_noise.h"
#include "modicum/mechanisms/random_allocation.h"
#include "modicum/mechanisms/spherical.h"
#include "modicum/mechanisms/subsampled.h"
#include "modicum/release/budget.h"
#include "release/descriptions/integer_mechanisms.h"
#include "release/descriptions/training_mechanisms.h"

namespace modicum {
namespace {

constexpr const char* euclidean = "Euclidean distance";
constexpr const char* of_each_number = "each number of each answer";
constexpr const char* of_the_vector = "the whole vector of each answer";
constexpr const char* spherical_page = "docs/derivations/spherical.md";
constexpr const char* discrete_page = "docs/derivations/discrete-noise.md";

// What all of them are asked.
struct AnswersToProtect {
  PrivacyBudget budget = {};
  double sensitivity = 0.0, count = 1.0;

  void fields(Fields& fields) {
    budget.fields(fields);
    fields
        .add("sensitivity", sensitivity, "largest distance of the answers on neighboring data sets")
        .required();
    fields.add("count", count, "number of answers, 1 by default").synonym("steps");
  }
};

// Noise that was found, and how it is named.
struct FoundNoise {
  std::string key;  ///< of the parameter
  Calibration found;
  double mean_squared_error;
  const char* error_words;
  Certificate certificate;
};

FoundNoise found_noise(const AnswersToProtect& answers, std::string key, const Calibration& found,
                       double error, const char* error_words, AddedNoise noise) {
  noise.sensitivity = answers.sensitivity;
  noise.count = answers.count;
  return {std::move(key), found, error, error_words,
          noise_certificate(noise, answers.budget.target(), found.achieved)};
}

Reply told(const AnswersToProtect& answers, const FoundNoise& noise) {
  std::string words = noise.key;
  std::ranges::replace(words, '_', ' ');
  Reply reply;
  reply.say(fmt::format(
      "The least noise that makes {} ({}, {})-differentially private:\n",
      answers.count == 1.0 ? "one answer" : fmt::format("{} answers together", answers.count),
      answers.budget.epsilon, answers.budget.delta));
  reply.add(noise.key, words, noise.found.parameter);
  reply.add("mean_squared_error", "mean squared error", noise.mean_squared_error,
            fmt::format("{:.7g} ({})", noise.mean_squared_error, noise.error_words));
  reply.add("delta", fmt::format("delta at epsilon {}", answers.budget.epsilon),
            noise.found.achieved.delta());
  reply.tell("certificate", to_json(noise.certificate));
  return reply.say(proof_with_assumptions(noise.certificate));
}

struct GaussianJob {
  AnswersToProtect answers = {};
  void fields(Fields& fields) { answers.fields(fields); }
};

FoundNoise calibrated(const GaussianJob& job) {
  const AnswersToProtect& answers = job.answers;
  const Calibration found =
      calibrate_gaussian(answers.budget.target(), answers.sensitivity, answers.count);
  const double deviation = found.parameter;
  return found_noise(
      answers, "standard_deviation", found, deviation * deviation, of_each_number,
      {.mechanism = "gaussian",
       .parameters = {{"standard_deviation", deviation}},
       .distance = euclidean,
       .theorem = "docs/derivations/gaussian-spectrum.md",
       .loss = description_of(described::Gaussian{deviation, answers.sensitivity}, answers.count)});
}

struct LaplaceJob {
  AnswersToProtect answers = {};
  void fields(Fields& fields) { answers.fields(fields); }
};

FoundNoise calibrated(const LaplaceJob& job) {
  const AnswersToProtect& answers = job.answers;
  const Calibration found =
      calibrate_laplace(answers.budget.target(), answers.sensitivity, answers.count);
  const double scale = found.parameter;
  return found_noise(
      answers, "scale", found, 2.0 * scale * scale, of_each_number,
      {.mechanism = "laplace",
       .parameters = {{"scale", scale}},
       .distance = "distance",
       .theorem = "docs/derivations/atoms.md",
       .loss = description_of(described::Laplace{scale, answers.sensitivity}, answers.count)});
}

struct DiscreteGaussianJob {
  AnswersToProtect answers = {};
  void fields(Fields& fields) { answers.fields(fields); }
};

// Drawn exactly, on the integers: nothing is rounded.
FoundNoise on_integers(FoundNoise noise) {
  noise.certificate.assumptions.at(1) =
      "the answers are whole numbers, and the noise has exactly the distribution named";
  return noise;
}

FoundNoise calibrated(const DiscreteGaussianJob& job) {
  const AnswersToProtect& answers = job.answers;
  const Calibration found =
      calibrate_discrete_gaussian(answers.budget.target(), answers.sensitivity, answers.count);
  const double sigma = found.parameter;
  return on_integers(found_noise(
      answers, "sigma", found, whole_noise_error(DiscreteGaussianNoise{sigma}, {}), of_each_number,
      {.mechanism = described::DiscreteGaussian::name,
       .parameters = {{"sigma", sigma}},
       .distance = "distance",
       .theorem = discrete_page,
       .loss = description_of(described::DiscreteGaussian{sigma, answers.sensitivity},
                              answers.count)}));
}

struct DiscreteLaplaceJob {
  AnswersToProtect answers = {};
  void fields(Fields& fields) { answers.fields(fields); }
};

FoundNoise calibrated(const DiscreteLaplaceJob& job) {
  const AnswersToProtect& answers = job.answers;
  const Calibration found =
      calibrate_discrete_laplace(answers.budget.target(), answers.sensitivity, answers.count);
  const double scale = found.parameter;
  return on_integers(found_noise(
      answers, "scale", found, whole_noise_error(Staircase{1.0 / scale, 1.0, 1.0}, {}),
      of_each_number,
      {.mechanism = described::DiscreteLaplace::name,
       .parameters = {{"scale", scale}},
       .distance = "distance",
       .theorem = discrete_page,
       .loss =
           description_of(described::DiscreteLaplace{scale, answers.sensitivity}, answers.count)}));
}

constexpr const char* dimension_help = "how many numbers an answer has";

struct L2Job {
  double dimension = 0.0;
  AnswersToProtect answers = {};
  void fields(Fields& fields) {
    fields.add("dimension", dimension, dimension_help).required();
    answers.fields(fields);
  }
};

FoundNoise calibrated(const L2Job& job) {
  const AnswersToProtect& answers = job.answers;
  const Calibration found =
      calibrate_l2(answers.budget.target(), job.dimension, answers.sensitivity, answers.count);
  const double scale = found.parameter;
  return found_noise(
      answers, "scale", found, SphericalNoise::l2(job.dimension, scale).mean_squared_error(),
      of_the_vector,
      {.mechanism = "l2",
       .parameters = {{"dimension", job.dimension}, {"scale", scale}},
       .distance = euclidean,
       .theorem = spherical_page,
       .loss = description_of(described::L2{job.dimension, scale, answers.sensitivity},
                              answers.count)});
}

struct SphericalJob {
  double dimension = 0.0, alpha = 0.0, p = 0.0;
  AnswersToProtect answers = {};
  void fields(Fields& fields) {
    fields.add("dimension", dimension, dimension_help).required();
    fields.add("alpha", alpha, "power of the radius, above -1 and at most dimension - 1")
        .required();
    fields.add("p", p, "power of the radius in the exponent, above 0").required();
    answers.fields(fields);
  }
};

FoundNoise calibrated(const SphericalJob& job) {
  const AnswersToProtect& answers = job.answers;
  const Calibration found = calibrate_spherical(answers.budget.target(), job.dimension, job.alpha,
                                                job.p, answers.sensitivity, answers.count);
  const SphericalNoise noise(job.dimension, job.alpha, found.parameter, job.p);
  return found_noise(
      answers, "beta", found, noise.mean_squared_error(), of_the_vector,
      {.mechanism = "spherical_generalized_gamma",
       .parameters =
           {{"dimension", job.dimension}, {"alpha", job.alpha}, {"p", job.p}, {"beta", noise.beta}},
       .distance = euclidean,
       .theorem = spherical_page,
       .loss = description_of(
           described::Spherical{job.dimension, job.alpha, noise.beta, job.p, answers.sensitivity},
           answers.count)});
}

// Noise on sums over the records that a draw has chosen.
FoundNoise on_drawn_records(const AnswersToProtect& answers, const Calibration& found,
                            AddedNoise noise, std::string drawn) {
  noise.parameters.push_back({"standard_deviation", found.parameter});
  FoundNoise result = found_noise(answers, "standard_deviation", found,
                                  found.parameter * found.parameter, of_each_number, noise);
  const std::string moved = fmt::format("moves a sum that it is part of by at most {} in {}",
                                        answers.sensitivity, euclidean);
  result.certificate.adjacency = "adding or removing one record, which " + moved;
  result.certificate.assumptions.front() = "one record " + moved;
  result.certificate.assumptions.push_back(std::move(drawn));
  return result;
}

struct SubsampledJob {
  double sampling_rate = 0.0;
  AnswersToProtect answers = {};
  void fields(Fields& fields) {
    fields
        .add("sampling_rate", sampling_rate,
             "probability that a record is drawn, above 0 and at most 1")
        .required();
    answers.fields(fields);
  }
};

FoundNoise calibrated(const SubsampledJob& job) {
  const AnswersToProtect& answers = job.answers;
  const Calibration found = calibrate_subsampled_gaussian(
      answers.budget.target(), answers.sensitivity, job.sampling_rate, answers.count);
  return on_drawn_records(
      answers, found,
      {.mechanism = "subsampled_gaussian",
       .parameters = {{"sampling_rate", job.sampling_rate}},
       .distance = euclidean,
       .theorem = "docs/derivations/subsampled.md",
       .loss = description_of(
           described::SubsampledGaussian{{found.parameter, answers.sensitivity}, job.sampling_rate},
           answers.count)},
      fmt::format("for each answer each record is drawn with probability {}, independently of the "
                  "others, and nothing else tells who was drawn",
                  job.sampling_rate));
}

struct AllocatedJob {
  double batches = 0.0;
  AnswersToProtect answers = {};
  void fields(Fields& fields) {
    fields.add("batches", batches, "of an epoch, which counts as one answer")
        .synonym("steps_per_epoch")
        .required();
    answers.fields(fields);
  }
};

FoundNoise calibrated(const AllocatedJob& job) {
  const AnswersToProtect& answers = job.answers;
  const Calibration found = calibrate_allocated_gaussian(
      answers.budget.target(), answers.sensitivity, job.batches, answers.count);
  return on_drawn_records(
      answers, found,
      {.mechanism = "allocated_gaussian",
       .parameters = {{"batches", job.batches}},
       .distance = euclidean,
       .theorem = "docs/derivations/random-allocation.md",
       .loss = description_of(
           described::AllocatedGaussian{{found.parameter, answers.sensitivity}, job.batches},
           answers.count)},
      fmt::format("an answer is all sums of an epoch; in each epoch each record is put into one of "
                  "{} batches, uniformly and independently of the others, and nothing else tells "
                  "who was in which",
                  job.batches));
}

template <class NoiseJob>
requires requires(const NoiseJob& job) { job.answers; }
Reply run(const NoiseJob& job, Progress& progress) {
  progress.begin("calibrating");
  return told(job.answers, calibrated(job));
}

template <class NoiseJob>
JobKind kind(const std::string& name, const std::string& what, const std::string& own = "") {
  return job_kind<NoiseJob>(
      "calibrate " + name, what,
      fmt::format("  modicum calibrate {}{} --epsilon 1 --delta 1e-6 --sensitivity 1", name, own));
}

}  // namespace

std::vector<JobKind> noise_calibrations() {
  return {kind<GaussianJob>("gaussian", "standard deviation of Gaussian noise"),
          kind<LaplaceJob>("laplace", "scale of Laplace noise"),
          kind<DiscreteGaussianJob>("discrete-gaussian", "sigma of Gaussian noise on the integers"),
          kind<DiscreteLaplaceJob>("discrete-laplace",
                                   "scale of Laplace noise on the integers, geometric noise"),
          kind<L2Job>("l2", "scale of l2 noise, density proportional to exp(-|x| / scale)",
                      " --dimension 10"),
          kind<SphericalJob>(
              "spherical",
              "beta of spherical noise, radius with density proportional to r^alpha exp(-beta r^p)",
              " --dimension 10 --alpha 9 --p 1.5"),
          kind<SubsampledJob>(
              "subsampled-gaussian",
              "standard deviation of Gaussian noise on sums over samples of the records",
              " --sampling-rate 0.01"),
          kind<AllocatedJob>(
              "allocated-gaussian",
              "standard deviation of Gaussian noise on sums over randomly allocated batches",
              " --batches 100")};
}

}  // namespace modicum
