// release logistic: coefficients of a logistic regression.
#include <fmt/format.h>

#include "interfaces/release/objective_fields.h"
#include "interfaces/release/release.h"
#include "modicum/release/logistic_release.h"

namespace modicum {
namespace {

struct Bayesian {
  std::optional<double> regularization = {}, largest_rows = {};
  void fields(Fields& fields) {
    fields.add("regularization", regularization,
               "lambda, a public number: more of it needs less noise and says less of the\n"
               "data; by default 2 l^2 / mu, l the row norm bound and mu about epsilon / 4");
    fields.add("largest_rows", largest_rows,
               "a promise that there are at most so many rows: less noise may do then");
  }
};

using ClassObjective = std::variant<LogisticObjective, HingeObjective>;

struct Objective : ObjectiveMethod<ClassObjective> {
  void fields(Fields& fields) {
    static const Methods<ClassObjective> losses{
        {"logistic", LogisticObjective{}, "the default"},
        {"smoothed-hinge", HingeObjective{}, "of support vectors"}};
    objective_fields(fields, losses);
  }
};

using MethodChoice = std::variant<Bayesian, Objective>;

// How it is known which two labels there are, where somebody else made +1 and -1 of them.
enum class KnownClasses { declared, observed };

const Choices<KnownClasses>& known_classes() {
  static const Choices<KnownClasses> all{
      {"declared", KnownClasses::declared, "the two classes are public"},
      {"observed", KnownClasses::observed, "which two labels occur is public"}};
  return all;
}

struct LogisticJob {
  TableRelease release = {};
  RowChoice rows = {};
  std::string target = {};
  double threshold = 0.0;
  std::optional<KnownClasses> classes = {};
  MethodChoice method = Bayesian{};

  void fields(Fields& fields) {
    static const Methods<MethodChoice> methods{
        {"bayesian", Bayesian{}, "a draw from a normal posterior with more noise; the default"},
        {"objective", Objective{},
         "a random linear term in what is minimized; see also `report per-instance`"}};
    release.fields(fields);
    rows.fields(fields);
    fields.add("target", target, "the column to be predicted").required();
    fields.add("threshold", threshold,
               "the label is positive where the target is above this, 0 by default");
    fields.choice(
        "classes", classes, known_classes(),
        "where labels were made from names of classes: an assumption for the certificate");
    fields.methods("method", method, methods, "how it is released",
                   [](const Fields&) { return "bayesian"; });
  }
};

Outcome drawn(const LogisticJob& job, const Bayesian& method, RandomSource& random,
              Progress& progress) {
  const PrivacyTarget target = job.release.budget.target();
  const TableSource& source = job.release.source;
  const LabelRule label{job.target, job.threshold};
  const Table table = source.open();
  const RowRule features = job.rows.feature_rule(table, job.target);
  const double bound = job.rows.norm_bound(features);
  const LabeledRows rows(table, features, label, bound);
  const PublicRows known(features, rows.clip().row_norm_bound(), source.bad_rows());
  progress.begin("calibrating");
  const LogisticPlan plan = plan_logistic(
      target, known, {LogisticMethod::bayesian, label, method.regularization, method.largest_rows});
  progress.begin("reading, once for each step of the solver");
  const LogisticModel model = fit(plan, rows, source.read_options(progress));
  return {
      release_logistic(plan, model, random),
      fmt::format("coefficients of a logistic regression of {} on {} features", job.target,
                  known.dimension()),
      [&source, table, features, label, bound, model](const Released& released, Progress& again) {
        return diagnose_logistic(released, model, table, LabeledRows(table, features, label, bound),
                                 source.read_options(again));
      }};
}

Outcome drawn(const LogisticJob& job, const Objective& method, RandomSource& random,
              Progress& progress) {
  return std::visit(
      [&](const auto& objective) {
        return drawn_objective(
            job.release, job.rows, objective.what(), objective.loss(), method.regularization,
            method.largest_rows,
            [&](const Table&) {
              return LabelRule{job.target, job.threshold};
            },
            random, progress);
      },
      method.objective);
}

Outcome drawn(const LogisticJob& job, RandomSource& random, Progress& progress) {
  Outcome outcome = std::visit(
      [&](const auto& method) { return drawn(job, method, random, progress); }, job.method);
  for (const Choice<KnownClasses>& each : known_classes())
    if (job.classes == each.value) outcome.released.certificate.assumptions.push_back(each.help);
  return outcome;
}

Reply explained(const LogisticJob& job) {
  return explained(job.release.source, job.rows, LabelRule{job.target, job.threshold});
}

}  // namespace

std::vector<JobKind> classification_releases() {
  return {job_kind<LogisticJob>(
      "release logistic", "coefficients of a logistic regression",
      "  modicum release logistic examples/wages.csv --target wage --threshold 20 --output "
      "fit.csv \\\n    --epsilon 1 --delta 1e-6 --intercept --range age=18:70 --range "
      "schooling=0:20 \\\n    --range hours=0:80")};
}

}  // namespace modicum
