// release logistic: coefficients of a logistic regression.
#include <fmt/format.h>

#include "data/counted.h"
#include "interfaces/release/objective_fields.h"
#include "interfaces/release/release.h"
#include "modicum/release/gradient_release.h"
#include "modicum/release/logistic_release.h"
#include "modicum/release/multinomial_release.h"

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

// Rows are centered and scaled by a private look first.
struct Standardized {
  std::optional<double> regularization = {}, largest_rows = {};
  bool errors = false;
  void fields(Fields& fields) {
    fields.add("regularization", regularization,
               "lambda, a public number; by default twice what costs no noise");
    fields.add("errors", errors,
               "standard errors and intervals (95 %), with sampling and noise: another tenth of\n"
               "the budget tells the curvature");
    fields.add("largest_rows", largest_rows,
               "a promise that there are at most so many rows, 2^24 by default");
  }
};

struct Gradient {
  std::optional<double> steps = {};
  void fields(Fields& fields) { fields.add("steps", steps, "of the descent, 20 by default"); }
};

struct Best {
  double expected_rows = default_expected_rows;
  void fields(Fields& fields) {
    fields.add("expected_rows", expected_rows,
               "about how many rows there are, a public guess: 2^15 by default");
  }
};

// More than two classes.
struct Multinomial {
  std::vector<std::string> labels = {};
  std::optional<double> steps = {};
  void fields(Fields& fields) {
    fields
        .add("labels", labels,
             "the classes, public values of the target: a column of coefficients for each; rows\n"
             "with other values are dropped")
        .required();
    fields.add("steps", steps, "of the descent, 20 by default");
  }
};

using MethodChoice = std::variant<Best, Objective, Standardized, Gradient, Multinomial, Bayesian>;

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
  MethodChoice method = Best{};

  void fields(Fields& fields) {
    static const Methods<MethodChoice> methods{
        {"best", Best{},
         "standardized, or gradient where noise will drown much: by epsilon, the number of\n"
         "features and the rows expected; the default"},
        {"objective", Objective{},
         "a random linear term in what is minimized; see also `report per-instance`"},
        {"standardized", Standardized{},
         "the same, of rows that a private look has centered and scaled"},
        {"gradient", Gradient{}, "gradient descent with noise in each step, of such rows"},
        {"multinomial", Multinomial{},
         "of several classes (softmax), by noisy gradient descent; the default with --labels"},
        {"bayesian", Bayesian{}, "a draw from a normal posterior with more noise"}};
    release.fields(fields);
    rows.fields(fields);
    fields.add("target", target, "the column to be predicted").required();
    fields.add("threshold", threshold,
               "the label is positive where the target is above this, 0 by default");
    fields.choice(
        "classes", classes, known_classes(),
        "where labels were made from names of classes: an assumption for the certificate");
    fields.methods("method", method, methods, "how it is released", [](const Fields& given) {
      if (given.given("labels")) return "multinomial";
      // Whoever names a loss or a promise means what they belong to.
      for (const char* name : {"loss", "regularization", "largest_rows"})
        if (given.given(name)) return "objective";
      if (given.given("errors")) return "standardized";
      return given.given("steps") ? "gradient" : "best";
    });
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
      fmt::format("coefficients of a logistic regression of {} on {}", job.target,
                  counted(known.dimension(), "feature")),
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

// What both methods with a look have in common. `release` plans and draws.
template <class Release>
Outcome drawn_with_look(const LogisticJob& job, const char* how, Progress& progress,
                        const Release& release) {
  const TableSource& source = job.release.source;
  const LabelRule label{job.target, job.threshold};
  const Table table = source.open();
  const RowRule features = job.rows.feature_rule(table, job.target);
  const double bound = job.rows.norm_bound(features);
  const LabeledRows rows(table, features, label, bound);
  const PublicRows known(features, rows.clip().row_norm_bound(), source.bad_rows());
  progress.begin("calibrating");
  return {
      release(known, label, rows),
      fmt::format("coefficients of a logistic regression of {} on {} {}", job.target,
                  counted(known.dimension(), "feature"), how),
      [&source, table, features, label, bound, known](const Released& released, Progress& again) {
        return diagnose_standardized(released, known, table,
                                     LabeledRows(table, features, label, bound),
                                     source.read_options(again));
      }};
}

Outcome drawn(const LogisticJob& job, const Standardized& method, RandomSource& random,
              Progress& progress) {
  return drawn_with_look(
      job, "by objective perturbation of standardized rows", progress,
      [&](const PublicRows& known, const LabelRule& label, const LabeledRows& rows) {
        const StandardizedPlan plan = plan_standardized(
            job.release.budget.target(), known,
            {PredictionLoss::logistic(), label, method.regularization, method.largest_rows},
            method.errors);
        progress.begin("reading, once for each step of the solver");
        return release_standardized(plan, rows, random, job.release.source.read_options(progress));
      });
}

Outcome drawn(const LogisticJob& job, const Gradient& method, RandomSource& random,
              Progress& progress) {
  return drawn_with_look(
      job, "by noisy gradient descent", progress,
      [&](const PublicRows& known, const LabelRule& label, const LabeledRows& rows) {
        const GradientPlan plan =
            plan_gradient(job.release.budget.target(), known, label, method.steps);
        progress.begin("reading, once for each step");
        return release_gradient(plan, rows, random, job.release.source.read_options(progress));
      });
}

Outcome drawn(const LogisticJob& job, const Multinomial& method, RandomSource& random,
              Progress& progress) {
  if (job.threshold != 0.0)
    throw UsageError("`threshold` must not be given with `labels`, which are values of the target");
  const TableSource& source = job.release.source;
  const ClassRule rule{job.target, method.labels};
  const Table table = source.open();
  const RowRule features = job.rows.feature_rule(table, job.target);
  const double bound = job.rows.norm_bound(features);
  const ClassedRows rows(table, features, rule, bound);
  const PublicRows known(features, bound, source.bad_rows());
  progress.begin("calibrating");
  const MultinomialPlan plan =
      plan_multinomial(job.release.budget.target(), known, rule, method.steps);
  progress.begin("reading, once for each step");
  return {
      release_multinomial(plan, rows, random, source.read_options(progress)),
      fmt::format("coefficients of a logistic regression of {} classes of {} on {} features",
                  rule.classes.size(), job.target, known.dimension()),
      [&source, table, features, rule, bound, known](const Released& released, Progress& again) {
        return diagnose_multinomial(released, known, ClassedRows(table, features, rule, bound),
                                    source.read_options(again));
      }};
}

Outcome drawn(const LogisticJob& job, const Best& method, RandomSource& random,
              Progress& progress) {
  const Table table = job.release.source.open();
  const auto width = static_cast<Eigen::Index>(job.rows.feature_rule(table, job.target).width());
  if (gradient_does_better(job.release.budget.target(), width, method.expected_rows))
    return drawn(job, Gradient{}, random, progress);
  return drawn(job, Standardized{}, random, progress);
}

Outcome drawn(const LogisticJob& job, RandomSource& random, Progress& progress) {
  Outcome outcome = std::visit(
      [&](const auto& method) { return drawn(job, method, random, progress); }, job.method);
  for (const Choice<KnownClasses>& each : known_classes())
    if (job.classes == each.value) outcome.released.certificate.assumptions.push_back(each.help);
  return outcome;
}

Reply explained(const LogisticJob& job) {
  if (std::holds_alternative<Multinomial>(job.method))
    throw UsageError("`explain` must not be given with `labels`");
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
