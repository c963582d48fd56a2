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
               "a promise that there are at most this many rows: less noise may do then");
  }
};

using ClassObjective = std::variant<LogisticObjective, HingeObjective>;

struct Objective : ObjectiveMethod<ClassObjective> {
  void fields(Fields& fields) {
    static const Methods<ClassObjective> losses{
        {"logistic", LogisticObjective{}, "the default"},
        {"smoothed-hinge", HingeObjective{}, "of a support vector machine"}};
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
               "a promise that there are at most this many rows, 2^24 by default");
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

// How it is known which labels there are, where somebody else made numbers of them.
enum class KnownClasses { declared, observed };

const Choices<KnownClasses>& known_classes() {
  static const Choices<KnownClasses> all{
      {"declared", KnownClasses::declared, "the classes are public"},
      {"observed", KnownClasses::observed, "which labels occur is public"}};
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

// What is known before any row is read.
struct LabeledTable {
  explicit LabeledTable(const LogisticJob& job)
      : label{job.target, job.threshold},
        table(job.release.source.open()),
        features(job.rows.feature_rule(table, job.target)),
        bound(job.rows.norm_bound(features)),
        rows(table, features, label, bound),
        known(features, rows.clip().row_norm_bound(), job.release.source.bad_rows()) {}
  LabelRule label;
  Table table;
  RowRule features;
  double bound;
  LabeledRows rows;
  PublicRows known;
};

const Certificate& certificate_of(const StandardizedPlan& plan) {
  return plan.objective.certificate;
}
const Certificate& certificate_of(const GradientPlan& plan) { return plan.certificate; }

LogisticPlan plan_of(const LogisticJob& job, const Bayesian& method, const LabeledTable& from) {
  return planned_within(job.release.budget, [&](const PrivacyTarget& target) {
    return plan_logistic(target, from.known,
                         {from.label, method.regularization, method.largest_rows});
  });
}

StandardizedPlan plan_of(const LogisticJob& job, const Standardized& method,
                         const LabeledTable& from) {
  const ObjectiveRequest request{PredictionLoss::logistic(), from.label, method.regularization,
                                 method.largest_rows};
  return planned_within(
      job.release.budget,
      [&](const PrivacyTarget& target) {
        return plan_standardized(target, from.known, request, method.errors);
      },
      [](const StandardizedPlan& plan) { return certificate_of(plan); });
}

GradientPlan plan_of(const LogisticJob& job, const Gradient& method, const LabeledTable& from) {
  return planned_within(job.release.budget, [&](const PrivacyTarget& target) {
    return plan_gradient(target, from.known, from.label, method.steps);
  });
}

std::string what_of(const LogisticJob& job, const PublicRows& known) {
  return fmt::format("coefficients of a logistic regression of {} on {}", job.target,
                     counted(known.dimension(), "feature"));
}

Planned planned(const LogisticJob& job, const Bayesian& method, Progress& progress) {
  const TableSource& source = job.release.source;
  const auto from = std::make_shared<const LabeledTable>(job);
  progress.begin("calibrating");
  const LogisticPlan plan = plan_of(job, method, *from);
  return {plan.certificate,
          [&job, &source, from, plan](RandomSource& random, Progress& reading) -> Outcome {
            reading.begin("reading, once for each step of the solver");
            const LogisticModel model = fit(plan, from->rows, source.read_options(reading));
            return {release_logistic(plan, model, random), what_of(job, from->known),
                    [&source, from, model](const Released& released, Progress& again) {
                      return diagnose_logistic(released, model, from->table, from->rows,
                                               source.read_options(again));
                    }};
          }};
}

ObjectiveQuestion question_of(const LogisticJob& job, const Objective& method) {
  return objective_question(job.release, job.rows, method, [&job](const Table&) {
    return LabelRule{job.target, job.threshold};
  });
}

Planned planned(const LogisticJob& job, const Objective& method, Progress& progress) {
  return planned(question_of(job, method), progress);
}

// What both methods with a look have in common. `release` draws by the plan.
template <class Method, class Release>
Planned planned_with_look(const LogisticJob& job, const Method& method, const char* how,
                          Progress& progress, Release* release) {
  const TableSource& source = job.release.source;
  const auto from = std::make_shared<const LabeledTable>(job);
  progress.begin("calibrating");
  const auto plan = plan_of(job, method, *from);
  return {certificate_of(plan),
          [&job, &source, from, plan, how, release](RandomSource& random,
                                                    Progress& reading) -> Outcome {
            reading.begin("reading, once for each step");
            return {release(plan, from->rows, random, source.read_options(reading)),
                    fmt::format("{} {}", what_of(job, from->known), how),
                    [&source, from](const Released& released, Progress& again) {
                      return diagnose_standardized(released, from->known, from->table, from->rows,
                                                   source.read_options(again));
                    }};
          }};
}

Planned planned(const LogisticJob& job, const Standardized& method, Progress& progress) {
  return planned_with_look(job, method, "by objective perturbation of standardized rows", progress,
                           release_standardized);
}

Planned planned(const LogisticJob& job, const Gradient& method, Progress& progress) {
  return planned_with_look(job, method, "by noisy gradient descent", progress, release_gradient);
}

bool gradient_is_best(const LogisticJob& job, const Best& method) {
  const Table table = job.release.source.open();
  const auto width = static_cast<Eigen::Index>(job.rows.feature_rule(table, job.target).width());
  return gradient_does_better(job.release.budget.gaussian_target(), width, method.expected_rows);
}

// The table of a fit of several classes: no row is read.
struct ClassedTable {
  ClassedTable(const LogisticJob& job, const Multinomial& method)
      : table(job.release.source.open()),
        features(job.rows.feature_rule(table, job.target)),
        bound(job.rows.norm_bound(features)),
        rule{job.target, method.labels},
        rows(table, features, rule, bound),
        known(features, bound, job.release.source.bad_rows()) {
    if (job.threshold != 0.0)
      throw UsageError(
          "`threshold` must not be given with `labels`, which are values of the target");
  }
  Table table;
  RowRule features;
  double bound;
  ClassRule rule;
  ClassedRows rows;
  PublicRows known;
};

MultinomialPlan plan_of(const LogisticJob& job, const Multinomial& method,
                        const ClassedTable& from) {
  return planned_within(job.release.budget, [&](const PrivacyTarget& target) {
    return plan_multinomial(target, from.known, from.rule, method.steps);
  });
}

Planned planned(const LogisticJob& job, const Multinomial& method, Progress& progress) {
  const TableSource& source = job.release.source;
  const auto from = std::make_shared<const ClassedTable>(job, method);
  progress.begin("calibrating");
  const MultinomialPlan plan = plan_of(job, method, *from);
  return {plan.certificate,
          [&job, &source, from, plan](RandomSource& random, Progress& reading) -> Outcome {
            reading.begin("reading, once for each step");
            return {release_multinomial(plan, from->rows, random, source.read_options(reading)),
                    fmt::format("coefficients of a logistic regression of {} classes of {} on {}",
                                from->rule.classes.size(), job.target,
                                counted(from->known.dimension(), "feature")),
                    [&source, from](const Released& released, Progress& again) {
                      return diagnose_multinomial(released, from->known, from->rows,
                                                  source.read_options(again));
                    }};
          }};
}

Planned planned(const LogisticJob& job, const Best& method, Progress& progress) {
  if (gradient_is_best(job, method)) return planned(job, Gradient{}, progress);
  return planned(job, Standardized{}, progress);
}

void assume_classes(const LogisticJob& job, Certificate& certificate) {
  for (const Choice<KnownClasses>& each : known_classes())
    if (job.classes == each.value) certificate.assumptions.push_back(each.help);
}

Planned planned(const LogisticJob& job, Progress& progress) {
  Planned found =
      std::visit([&](const auto& method) { return planned(job, method, progress); }, job.method);
  assume_classes(job, found.certificate);
  found.draw = [&job, draw = std::move(found.draw)](RandomSource& random, Progress& reading) {
    Outcome outcome = draw(random, reading);
    assume_classes(job, outcome.released.certificate);
    return outcome;
  };
  return found;
}

Reply explained(const LogisticJob& job) {
  if (const auto* const several = std::get_if<Multinomial>(&job.method)) {
    const ClassedTable from(job, *several);
    std::vector<ColumnUse> uses = uses_of(from.features);
    uses.push_back(
        {from.table.index_of("target", job.target), "category",
         fmt::format(
             "to be predicted: which of the {} labels it is; rows with another one are dropped",
             from.rule.classes.size())});
    return explained(job.release.source, from.table, uses, from.bound);
  }
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
