// meaning: what a guarantee means to somebody who guesses whether a record is there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interfaces/job.h"
#include "interfaces/query/accuracy.h"
#include "interfaces/wording.h"
#include "modicum/release/loss_source.h"

namespace modicum {
namespace {

struct MeaningJob {
  LossSource source = {};
  std::vector<double> priors = {0.5};
  double false_alarms = 0.05;
  AccuracyFields accuracy = {};

  void fields(Fields& fields) {
    source.fields(fields);
    fields.add("prior", priors,
               "how probable the record is to the guesser beforehand, above 0 and below 1;\n"
               "several allowed; 0.5 by default");
    fields.add("false_alarms", false_alarms,
               "of a test for the record, how often it is wrong about those who are not there;\n"
               "0.05 by default");
    accuracy.fields(fields);
  }
};

struct Guess {
  Enclosure right;   // probability that the best guess is right
  Enclosure belief;  // that the record is there, after the best test says so
  Enclosure power;   // how often that test finds a record that is there
  Proof proof = Proof::certified;
};

double require_inside(const char* name, double value) {
  if (!(value > 0.0 && value < 1.0))
    throw InvalidParameter(name, value, "must be above 0 and below 1");
  return value;
}

// The best guess is right with probability max over tests T of prior X(T) + (1 - prior)(1 - Y(T)),
// which is (1 - prior) + prior delta_{X,Y}(log((1 - prior)/prior)); the larger direction bounds
// those for whom X and Y change places. A test that is wrong about a fraction `false_alarms` of
// those who are not there finds at most 1 - f of the others, f the trade-off function, and Bayes's
// rule does the rest. Sums of positive numbers: the rounding is below 2e-15 of the result.
Guess guess_of(const PrivacyLoss& loss, double prior, double false_alarms, Accuracy accuracy) {
  const double odds = std::log1p(-prior) - std::log(prior);
  // delta falls with epsilon: the ends of a neighborhood that holds the rounded logarithm.
  const double slack = 4e-16 * (std::abs(odds) + 1.0);
  const ProfilePoint above = profile(loss, odds - slack, accuracy);
  const ProfilePoint below = profile(loss, odds + slack, accuracy);
  const auto widened = [](double low, double high) {
    return Enclosure(std::clamp(low * (1.0 - 2e-15), 0.0, 1.0),
                     std::clamp(high * (1.0 + 2e-15), 0.0, 1.0));
  };
  const auto success = [&](double delta) { return (1.0 - prior) + prior * delta; };
  const Answer missed = tradeoff(loss, false_alarms, accuracy);
  const double least_found = std::max(0.0, std::nextafter(1.0 - missed.value.upper(), -1.0));
  const double most_found = std::nextafter(1.0 - missed.value.lower(), 2.0);
  const auto belief = [&](double found) {
    return prior * found / (prior * found + (1.0 - prior) * false_alarms);
  };
  return {widened(success(below.delta().lower()), success(above.delta().upper())),
          widened(belief(least_found), belief(most_found)), widened(least_found, most_found),
          weaker_of(weaker_of(above.proof, below.proof), missed.proof)};
}

Reply run(const MeaningJob& job, Progress& progress) {
  progress.begin("meaning");
  const Accuracy accuracy = job.accuracy.chosen();
  const double false_alarms = require_inside("false_alarms", job.false_alarms);
  for (const double prior : job.priors) require_inside("prior", prior);
  const Description description = job.source.load(accuracy);
  ReplyTable rows({"prior", "right without it", "right with it, at most", "found by the test",
                   "belief after its alarm, at most"});
  std::vector<Enclosure> values;
  Proof proof = Proof::certified;
  for (const double prior : job.priors) {
    const Guess guess = guess_of(description.loss, prior, false_alarms, accuracy);
    const double blind = std::max(prior, 1.0 - prior);
    rows.add({{"prior", prior},
              {"right_without", blind},
              {"right_with", guess.right},
              {"false_alarms", false_alarms},
              {"found", guess.power},
              {"belief", guess.belief},
              {"proof", to_string(guess.proof)}},
             {fmt::format("{}", prior), fmt::format("{}", blind), at_most(guess.right),
              at_most(guess.power), at_most(guess.belief)});
    values.insert(values.end(), {guess.right, guess.power, guess.belief});
    proof = weaker_of(proof, guess.proof);
  }
  Reply reply;
  reply.say(description.label + "\n");
  const bool several = job.priors.size() > 1;
  reply.add(several ? "points" : "", rows);
  if (!several)
    for (const auto& [key, value] : rows.entries().at(0).members()) reply.tell(key, value);
  return reply.say(fmt::format(
      "Somebody who knows all other records and has unlimited computing power guesses whether "
      "this one is there.\n"
      "The test raises a false alarm for {} of those who are not.\n{}",
      false_alarms, proof_sentence(proof, values)));
}

}  // namespace

std::vector<JobKind> meaning_jobs() {
  return {job_kind<MeaningJob>(
      "meaning", "what somebody's best guess about a record becomes",
      "  echo '{\"mechanism\": \"gaussian\", \"standard_deviation\": 4, \"sensitivity\": 1}' |\n"
      "    modicum meaning - --prior 0.1 0.5")};
}

}  // namespace modicum
