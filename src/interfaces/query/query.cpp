// profile, epsilon, tradeoff, renyi: what a description says at given points.
#include <fmt/format.h>

#include <cmath>

#include "interfaces/import/import.h"
#include "interfaces/job.h"
#include "interfaces/query/accuracy.h"
#include "interfaces/wording.h"
#include "modicum/release/loss_source.h"

namespace modicum {
namespace {

std::string written(double value) { return fmt::format("{}", value); }

// An answer at one point.
struct Point {
  Value entry;
  std::vector<std::string> cells;
  std::vector<Enclosure> values;
  Proof proof;
};

// JSON has no infinity.
Value number_or_word(double value) { return std::isinf(value) ? Value("infinity") : Value(value); }

Point profile_point(const PrivacyLoss& loss, double epsilon, Accuracy accuracy) {
  const ProfilePoint point = profile(loss, epsilon, accuracy);
  return {
      {{"epsilon", epsilon},
       {"delta", point.delta()},
       {"forward", point.forward},
       {"reverse", point.reverse},
       {"proof", to_string(point.proof)}},
      {written(epsilon), at_most(point.delta()), at_most(point.forward), at_most(point.reverse)},
      {point.forward, point.reverse},
      point.proof};
}

Point epsilon_point(const PrivacyLoss& loss, double delta, Accuracy accuracy) {
  const Answer epsilon = epsilon_at(loss, delta, accuracy);
  return {{{"delta", delta}, {"epsilon", epsilon.value}, {"proof", to_string(epsilon.proof)}},
          {written(delta), at_most(epsilon.value)},
          {epsilon.value},
          epsilon.proof};
}

Point tradeoff_point(const PrivacyLoss& loss, double type1, Accuracy accuracy) {
  const Answer type2 = tradeoff(loss, type1, accuracy);
  return {{{"type1", type1}, {"type2", type2.value}, {"proof", to_string(type2.proof)}},
          {written(type1), at_least(type2.value)},
          {type2.value},
          type2.proof};
}

Point renyi_point(const PrivacyLoss& loss, double order, Accuracy accuracy) {
  const Answer found = renyi_divergence(loss, order, accuracy);
  const bool bounded = std::isfinite(found.value.upper());
  Value entry{{"order", number_or_word(order)},
              {"divergence", bounded ? Value(found.value.upper()) : Value()}};
  if (bounded) entry["enclosure"] = found.value;
  else entry["infinite"] = std::isinf(found.value.lower());  // else only no bound was found
  entry["proof"] = to_string(found.proof);
  return {std::move(entry), {written(order), at_most(found.value)}, {found.value}, found.proof};
}

// One question about a loss.
struct Question {
  std::string name, point, what, point_help, example;
  std::vector<std::string> heading;
  std::string sentence;  // what the table says
  Point (*ask)(const PrivacyLoss&, double, Accuracy);
};

struct QueryJob {
  const Question* question = nullptr;
  LossSource source = {};
  std::vector<double> points = {};
  AccuracyFields accuracy = {};

  void fields(Fields& fields) {
    source.fields(fields);
    fields.add(question->point, points, question->point_help).required().takes_infinity =
        question->point == "order";
    accuracy.fields(fields);
  }
};

Reply run(const QueryJob& job, Progress& progress) {
  const Question& question = *job.question;
  progress.begin(question.name);
  const Accuracy accuracy = job.accuracy.chosen();
  const Description description = job.source.load(accuracy);
  ReplyTable rows(question.heading);
  std::vector<Enclosure> values;
  Proof proof = Proof::certified;
  for (std::size_t i = 0; i < job.points.size(); ++i) {
    progress.report(i, job.points.size());
    Point point = question.ask(description.loss, job.points[i], accuracy);
    rows.add(std::move(point.entry), std::move(point.cells));
    values.insert(values.end(), point.values.begin(), point.values.end());
    proof = weaker_of(proof, point.proof);
  }
  Reply reply;
  reply.say(description.label + "\n");
  // One point is told as it is, several as a list.
  const bool several = job.points.size() > 1;
  reply.add(several ? "points" : "", rows);
  if (!several)
    for (const auto& [key, value] : rows.entries().at(0).members()) reply.tell(key, value);
  return reply.say(question.sentence + singularity_sentence(description.loss) +
                   proof_sentence(proof, values));
}

const std::vector<Question>& questions() {
  static const std::vector<Question> all{
      {"profile",
       "epsilon",
       "delta at given epsilon, in both directions",
       "privacy loss bound, any real number; several allowed",
       "  echo '{\"mechanism\": \"gaussian\", \"standard_deviation\": 50, \"sensitivity\": 1, "
       "\"count\": 1000}' |\n    modicum profile - --epsilon 1 3",
       {"epsilon", "delta at most", "forward", "reverse"},
       "(epsilon, delta) differential privacy holds in each row. Forward: with the record "
       "against without it.\n",
       profile_point},
      {"epsilon",
       "delta",
       "smallest epsilon for given delta",
       "from 0 to 1; 0 asks for the largest possible loss; several allowed",
       "  modicum epsilon mechanism.json --delta 1e-6",
       {"delta", "epsilon at most"},
       "(epsilon, delta) differential privacy holds in each row.\n",
       epsilon_point},
      {"tradeoff",
       "type1",
       "least type II error of a test for the record",
       "type I error of the test, from 0 to 1; several allowed",
       "  modicum tradeoff mechanism.json --type1 0.01 0.05",
       {"type I error", "type II error at least"},
       "A test for the record with this type I error has at least this type II error.\n",
       tradeoff_point},
      {"renyi",
       "order",
       "Renyi divergence, the larger of both directions",
       "positive; 1 is Kullback-Leibler, inf the largest loss; several allowed",
       "  modicum renyi mechanism.json --order 2 8 32",
       {"order", "divergence at most"},
       "Renyi differential privacy (order, divergence) holds in each row.\n",
       renyi_point}};
  return all;
}

}  // namespace

std::vector<JobKind> query_jobs() {
  std::vector<JobKind> kinds;
  for (const Question& each : questions())
    kinds.push_back(job_kind<QueryJob>(each.name, each.what, each.example, "", {&each}));
  kinds.push_back(import_job());
  return kinds;
}

}  // namespace modicum
