// convert people: how many people the noise of a mean is worth.
#include <fmt/format.h>

#include <cmath>

#include "interfaces/job.h"
#include "modicum/calibration/calibrate.h"
#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

struct PeopleJob {
  double epsilon = 0.0, delta = 0.0, people = 0.0, spread = 0.0, width = 0.0;
  void fields(Fields& fields) {
    fields.add("epsilon", epsilon, "privacy loss bound, above 0").required();
    fields.add("delta", delta, "above 0 and below 1").required();
    fields.add("people", people, "how many there are, a public number").required();
    fields.add("spread", spread, "standard deviation of what is measured, from one to another")
        .required();
    fields.add("width", width, "largest size of one person's value: the sensitivity of the sum")
        .required();
  }
};

double above_zero(const char* name, double value) {
  if (!(value > 0.0 && value < HUGE_VAL))
    throw InvalidParameter(name, value, "must be positive and finite");
  return value;
}

// The mean of N has variance spread^2/N + noise^2/N^2; that of n without noise spread^2/n. Equal
// for N = n (1 + sqrt(1 + 4 noise^2 / (n spread^2))) / 2.
double people_needed(double people, double spread, double noise) {
  const double ratio = noise / spread;
  return people * (0.5 + 0.5 * std::sqrt(1.0 + 4.0 * ratio * ratio / people));
}

Reply run(const PeopleJob& job, Progress&) {
  const double people = above_zero("people", job.people), spread = above_zero("spread", job.spread);
  const double width = above_zero("width", job.width), epsilon = above_zero("epsilon", job.epsilon);
  if (!(job.delta > 0.0 && job.delta < 1.0))
    throw InvalidParameter("delta", job.delta, "must be above 0 and below 1");
  const double exact = calibrate_gaussian({epsilon, job.delta}, width).parameter;
  const double classical = width * std::sqrt(2.0 * std::log(1.25 / job.delta)) / epsilon;
  ReplyTable rows({"noise", "standard deviation", "error of the mean", "people needed", "more"});
  const auto add = [&](const char* name, double noise) {
    const double needed = people_needed(people, spread, noise);
    const double error = std::hypot(spread / std::sqrt(people), noise / people);
    rows.add({{"noise", name},
              {"standard_deviation", noise},
              {"error", error},
              {"people_needed", std::ceil(needed)},
              {"people_added", std::ceil(needed - people)}},
             {name, fmt::format("{:.6g}", noise), fmt::format("{:.4g}", error),
              fmt::format("{:.0f}", std::ceil(needed)),
              fmt::format("{:.0f}", std::ceil(needed - people))});
  };
  add("none", 0.0);
  add("gaussian", exact);
  add("classical_gaussian", classical);
  Reply reply;
  reply.add("points", rows);
  std::string sentence =
      "With noise, this many people give the precision that the others give without it. Estimated: "
      "the "
      "spread "
      "is a guess.\n";
  if (epsilon >= 1.0)
    sentence +=
        "The classical formula is proved for epsilon below 1 only; it is often used beyond.\n";
  return reply.say(sentence);
}

}  // namespace

std::vector<JobKind> people_jobs() {
  return {
      job_kind<PeopleJob>("convert people", "what the noise of a mean is worth, in people",
                          "  modicum convert people --epsilon 1 --delta 1e-6 --people 10000 \\\n"
                          "    --spread 12 --width 60")};
}

}  // namespace modicum
