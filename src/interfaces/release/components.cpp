// release components: the top principal components of a table.
#include <fmt/format.h>

#include "interfaces/calibrate/eigenvalues.h"
#include "interfaces/release/centering.h"
#include "interfaces/release/component_fields.h"
#include "interfaces/release/release.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/release/centered_components.h"
#include "release/look/look_budget.h"

namespace modicum {
namespace {

// Each method with what it needs.

struct Exponential {
  std::optional<double> beta = {}, rows = {};
  void fields(Fields& fields) {
    fields.add("beta", beta, "a public number, in place of `epsilon`; needs `rows`");
    fields.add("rows", rows, "about how many rows there are, a public number");
  }
  void complete(ComponentRequest& request) const {
    request.beta = beta;
    request.rows = rows;
    if (rows && !beta) throw UsageError("`rows` must not be given without `beta`");
  }
};

const Choices<ComponentSampler>& samplers() {
  static const Choices<ComponentSampler> all{{"gibbs", ComponentSampler::gibbs, "the default"},
                                             {"gaussian", ComponentSampler::gaussian, "quicker"}};
  return all;
}

// How draws are made that nobody knows how to make exactly.
struct Chain {
  ComponentSampler sampler = ComponentSampler::gibbs;
  std::optional<double> sweeps = {};
  void fields(Fields& fields) {
    fields.choice("sampler", sampler, samplers(), "of draws of several components");
    fields.add("sweeps", sweeps, "of Gibbs sampling, 50 by default");
  }
  void complete(ComponentRequest& request) const {
    request.sampler = sampler;
    request.sweeps = sweeps;
  }
};

struct Joint {
  Exponential exponential = {};
  Chain chain = {};
  void fields(Fields& fields) {
    exponential.fields(fields);
    chain.fields(fields);
  }
  void complete(ComponentRequest& request) const {
    exponential.complete(request);
    chain.complete(request);
  }
};

struct Adaptive {
  std::optional<double> rows = {}, calibration_share = {};
  Chain chain = {};
  void fields(Fields& fields) {
    fields.add("rows", rows, "about how many rows there are, a public number: to tell beta");
    fields.add("calibration_share", calibration_share,
               "share of the squared mu for the gap after the last component, 0.2 by default");
    chain.fields(fields);
  }
  void complete(ComponentRequest& request) const {
    request.rows = rows;
    request.calibration_share = calibration_share;
    chain.complete(request);
  }
};

template <ComponentMethod which>
struct NoisyMoments {
  void fields(Fields&) {}
  void complete(ComponentRequest&) const {}
};

struct Symmetric {
  std::optional<double> rows = {};
  void fields(Fields& fields) {
    fields.add("rows", rows,
               "about how many rows there are, a public number; with `explain`, to tell what\n"
               "error to expect");
  }
  void complete(ComponentRequest&) const {}
};

using AnalyzeGauss = NoisyMoments<ComponentMethod::analyze_gauss>;
using Wishart = NoisyMoments<ComponentMethod::wishart>;
using MethodChoice = std::variant<Exponential, Joint, Adaptive, Symmetric, AnalyzeGauss, Wishart>;

// In the order of the alternatives.
constexpr ComponentMethod method_at[] = {
    ComponentMethod::exponential,   ComponentMethod::joint,
    ComponentMethod::adaptive,      ComponentMethod::gaussian_orthogonal_ensemble,
    ComponentMethod::analyze_gauss, ComponentMethod::wishart};

const Methods<MethodChoice>& methods() {
  static const Methods<MethodChoice> all{
      {"exponential", Exponential{},
       "one direction after the other, each drawn exactly; the default with --delta 0 or --beta"},
      {"joint", Joint{}, "all at once; of several by an approximate sampler"},
      {"adaptive", Adaptive{}, "all at once, as a noisy gap allows in the limit; not proved"},
      {"gaussian-orthogonal-ensemble", Symmetric{},
       "of second moments with symmetric noise; the default"},
      {"analyze-gauss", AnalyzeGauss{}, "the same with more noise off the diagonal"},
      {"wishart", Wishart{}, "of the second moments of a sketch"}};
  return all;
}

struct ComponentJob {
  ComponentFields table = {};
  OutputPlace place = {};
  ConfidentialField confidential = {};
  ExplainField explain = {};
  double components = 0.0;
  ReleaseBudget budget = {};
  MethodChoice method = Symmetric{};
  CenteringFields centering = {};
  EigenvalueSource expected = {};

  void fields(Fields& fields) {
    table.table_fields(fields);
    table.source.gathering_fields(fields);
    explain.fields(fields);
    confidential.fields(fields);
    place.fields(fields);
    table.scaling_fields(fields);
    fields.add("components", components, "how many").required();
    budget.fields(fields, place.payer);
    fields.find("delta")->help += "; with `beta` 0 by default";
    centering.fields(fields, "what components are about", "the default where possible");
    expected.fields(fields).help =
        "with `explain` and `rows`: JSON list of the eigenvalues that the covariance may\n"
        "have, a public guess, largest first, to tell what error to expect";
    // Of what is proved, noise on the second moments is better where a delta is allowed and the
    // components are of any use (docs/principal-components.md); public numbers alone decide.
    fields.methods("method", method, methods(), "how it is released", [this](const Fields& given) {
      const bool allows_delta = budget.delta ? *budget.delta > 0.0 : budget.given();
      return allows_delta && !given.given("beta") ? "gaussian-orthogonal-ensemble" : "exponential";
    });
  }

  ComponentRequest request() const {
    ComponentRequest request;
    request.components = components;
    request.method = method_at[method.index()];
    request.scaling = table.scaling();
    std::visit([&](const auto& chosen) { chosen.complete(request); }, method);
    return request;
  }
};

// What a public beta makes of epsilon and delta.
PrivacyTarget target_of_beta(const ComponentJob& job, const ComponentRequest& request,
                             double dimension) {
  const ReleaseBudget& budget = job.budget;
  for (const auto& [other, given] : {std::pair{"epsilon", budget.epsilon.has_value()},
                                     {"mu", budget.mu.has_value()},
                                     {"rho", budget.rho.has_value()},
                                     {"standard_deviation", budget.standard_deviation.has_value()},
                                     {"share", budget.share.has_value()},
                                     {"rest", budget.rest}})
    if (given) throw UsageError(fmt::format("`{}` must not be given with `beta`", other));
  const double delta = budget.delta.value_or(0.0);
  return {epsilon_of_beta(request, dimension, delta), delta};
}

Reply explained(const ComponentJob& job) {
  const ComponentRows from(job.table);
  std::vector<ColumnUse> uses = uses_of(from.rule);
  if (job.table.ranks)
    for (ColumnUse& each : uses) each = {each.column, "rank", "a number, replaced by its rank"};
  return explained(job.table.source, from.table, uses, from.rows.row_norm_bound);
}

std::string in_words(const Released& released) {
  const std::string components = fmt::format("{} of the {} principal components",
                                             released.values.cols(), released.values.rows());
  if (!found_nothing(released)) return components;
  return "nothing found: the gap is too small for this budget, and all entries are 0 in place of " +
         components;
}

// Means are private where noise on the second moments is Gaussian and each row is scaled by itself.
Centering centering_of(const ComponentJob& job) {
  const bool can = std::holds_alternative<Symmetric>(job.method) && !job.table.ranks;
  return job.centering.chosen(can, can ? Centering::by_private_means : Centering::not_at_all,
                              "the method gaussian-orthogonal-ensemble without `ranks`");
}

CenteredPlan plan_centered(const ComponentJob& job, const ComponentRows& from) {
  return planned_within(job.budget, [&](const PrivacyTarget& target) {
    return plan_centered_components(target, from.rows, job.components, job.centering.given());
  });
}

// What holds in a limit only has no loss to be priced. A mu is that of the limit, and one point of
// its profile stands for it, unless that point is at epsilon 0, which other limits meet, too.
void require_limit(ComponentMethod method, const PrivacyTarget& target) {
  if (method != ComponentMethod::adaptive)
    throw UsageError(
        "`epsilon` and `delta` must be given: several components that are drawn at once have no "
        "loss that could be compared with another budget");
  if (!(target.epsilon > 0.0))
    throw InvalidParameter("delta", target.delta,
                           "must be smaller: the budget has no more at epsilon 0");
}

ComponentPlan plan_of(const ComponentJob& job, const ComponentRows& from) {
  const ComponentRequest request = job.request();
  const auto plan_at = [&](const PrivacyTarget& target) {
    return plan_components(target, from.rows, request);
  };
  switch (request.method) {
    case ComponentMethod::gaussian_orthogonal_ensemble:
    case ComponentMethod::analyze_gauss:
      return planned_with_noise(job.budget, plan_at);
    case ComponentMethod::adaptive:
    case ComponentMethod::joint:
    case ComponentMethod::exponential:
    case ComponentMethod::wishart:
      break;
  }
  if (request.beta) return plan_at(target_of_beta(job, request, from.dimension()));
  if (!job.budget.standard_deviation && job.budget.given()) {
    const PrivacyTarget target = job.budget.gaussian_target();
    ComponentPlan plan = plan_at(target);
    if (plan.certificate.loss.is_null()) {
      if (!job.budget.epsilon) require_limit(request.method, target);
      return plan;
    }
  }
  return planned_within(job.budget, plan_at);
}

// Nothing more is asked of what was planned by a beta, or holds in a limit only.
PaymentTerms terms_of(const ComponentJob& job, const Planned& planned) {
  const bool priced = !planned.certificate.loss.is_null() && !job.request().beta;
  return {job.place.payer, priced ? &job.budget : nullptr};
}

// The rows that were dropped, and more.
Diagnostics diagnosed(const ComponentJob& job, const ComponentRows& from, Progress& again,
                      const Diagnostics& more) {
  again.begin("reading again");
  Diagnostics all = diagnose_dropped_rows(from.table, from.rule.table_columns(),
                                          job.table.source.read_options(again));
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

bool expects(const ComponentJob& job) { return job.expected.eigenvalues.given(); }

// About how many rows there are, where that is asked for.
std::optional<double> declared_rows(const ComponentJob& job) {
  const auto* method = std::get_if<Symmetric>(&job.method);
  return method == nullptr ? std::nullopt : method->rows;
}

void refuse_expectations(const ComponentJob& job) {
  if (expects(job))
    throw UsageError("`eigenvalues` must not be given without `explain` and `rows`");
  if (declared_rows(job)) throw UsageError("`rows` must not be given without `explain`");
}

// From public numbers alone.
void expect(Reply& reply, const ComponentJob& job) {
  const auto rows = declared_rows(job);
  if (!rows) {
    refuse_expectations(job);
    return;
  }
  if (centering_of(job) == Centering::not_at_all)
    throw UsageError("`rows` must not be given where `center` is none");
  const ComponentRows from(job.table);
  const PrivacyTarget target = plan_centered(job, from).certificate.target;
  std::vector<double> eigenvalues(static_cast<std::size_t>(from.dimension()), 1.0);
  if (expects(job)) {
    eigenvalues = job.expected.load();
    if (static_cast<double>(eigenvalues.size()) != from.dimension())
      throw InvalidParameter("eigenvalues", static_cast<double>(eigenvalues.size()),
                             "must be as many as coordinates");
  }
  tell_outlook(reply, centered_outlook(LookBudget(target).mu(), *rows, eigenvalues, job.components),
               *rows, expects(job));
}

Outcome drawn(const ComponentJob& job, const ComponentRows& from, const CenteredPlan& plan,
              RandomSource& random, Progress& reading) {
  const auto begin = [&] {
    reading.begin("reading");
    return job.table.source.read_options(reading);
  };
  Released released = release_centered_components(plan, from.table, from.rule, begin, random);
  std::string what = in_words(released);
  return {std::move(released), std::move(what),
          [&job, from, plan](const Released& found, Progress& again) {
            return diagnosed(job, from, again,
                             diagnose_centered_components(plan, found, from.table, from.rule,
                                                          job.table.source.read_options(again)));
          }};
}

Outcome drawn(const ComponentJob& job, const ComponentRows& from, const ComponentPlan& plan,
              RandomSource& random, Progress& reading) {
  const auto moments = std::make_shared<const SecondMoments>(from.moments(job.table, reading));
  Released released = std::visit(
      [&](const auto& given) { return release_components(plan, given, random); }, *moments);
  std::string what = in_words(released);
  return {
      std::move(released), std::move(what),
      [&job, from, plan, moments](const Released& found, Progress& again) {
        return diagnosed(
            job, from, again,
            std::visit([&](const auto& given) { return diagnose_components(plan, found, given); },
                       *moments));
      }};
}

Planned planned(const ComponentJob& job, Progress& progress) {
  const Centering centering = centering_of(job);
  const ComponentRows from(job.table);
  progress.begin("calibrating");
  const auto with = [&](const auto& plan) -> Planned {
    return {plan.certificate, [&job, from, plan](RandomSource& random, Progress& reading) {
              return drawn(job, from, plan, random, reading);
            }};
  };
  if (centering != Centering::not_at_all) return with(plan_centered(job, from));
  return with(plan_of(job, from));
}

Reply run(const ComponentJob& job, Progress& progress) {
  if (job.explain.explain) {
    Reply reply = explained(job);
    if (job.budget.given() || job.request().beta) {
      expect(reply, job);
      const Planned plan = planned(job, progress);
      tell_planned(reply, plan, terms_of(job, plan));
    } else if (declared_rows(job) || expects(job))
      throw UsageError("`rows` must not be given without a budget");
    return reply;
  }
  refuse_expectations(job);
  const TableSource& source = job.table.source;
  if (source.gathering.gather)
    return gathered_piece(source, questions_of(planned(job, progress), progress), job.place.output,
                          job.place.replace, progress);
  const ReleaseFiles places = job.place.files(source);
  Planned plan = planned(job, progress);
  const PaymentTerms terms = terms_of(job, plan);
  return carried_out(std::move(plan), source, places, terms, job.confidential.confidential,
                     progress);
}

}  // namespace

std::vector<JobKind> component_releases() {
  return {job_kind<ComponentJob>(
      "release components", "the top principal components of a table",
      "  modicum release components examples/genotypes.csv --exclude region --range-of-all 0:2 \\\n"
      "    --components 2 --epsilon 1 --delta 1e-6 --output components.csv")};
}

}  // namespace modicum
