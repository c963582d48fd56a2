// release components: the top principal components of a table.
#include <fmt/format.h>

#include "interfaces/release/component_fields.h"
#include "interfaces/release/release.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/release/centered_components.h"

namespace modicum {
namespace {

constexpr double usual_delta = 1e-6;

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

using Symmetric = NoisyMoments<ComponentMethod::gaussian_orthogonal_ensemble>;
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

enum class Centering { by_private_means, by_given_centers, not_at_all };

const Choices<Centering>& centerings() {
  static const Choices<Centering> all{
      {"private", Centering::by_private_means,
       "released means, which take a tenth of the budget; the default where it can be"},
      {"given", Centering::by_given_centers, "the public numbers of `centers`"},
      {"none", Centering::not_at_all, "the origin, which ranges put into their middle"}};
  return all;
}

struct ComponentJob {
  ComponentFields table = {};
  OutputPlace place = {};
  ConfidentialField confidential = {};
  ExplainField explain = {};
  double components = 0.0;
  std::optional<double> epsilon = {}, delta = {}, mu = {};
  MethodChoice method = Symmetric{};
  std::optional<Centering> center = {};
  std::vector<double> centers = {};

  void fields(Fields& fields) {
    table.table_fields(fields);
    table.source.gathering_fields(fields);
    explain.fields(fields);
    confidential.fields(fields);
    place.fields(fields);
    table.scaling_fields(fields);
    fields.add("components", components, "how many").required();
    fields.add("epsilon", epsilon, "privacy loss bound, at least 0");
    fields.add("delta", delta, "at least 0 and below 1; with `beta` 0 by default, with `mu` 1e-6");
    fields.add("mu", mu, "of Gaussian differential privacy, in place of `epsilon`");
    fields.choice("center", center, centerings(), "what components are about");
    fields.add("centers", centers, "public centers, one for each column, in the units of the file");
    // Of what is proved, noise on the second moments is better where a delta is allowed and the
    // components are of any use (docs/principal-components.md); public numbers alone decide.
    fields.methods("method", method, methods(), "how it is released", [this](const Fields& given) {
      const bool allows_delta = delta.value_or(given.given("mu") ? usual_delta : 0.0) > 0.0;
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

double required(const char* name, const std::optional<double>& value) {
  if (!value)
    throw UsageError(
        fmt::format("`{}` is missing, but must be given, unless `beta` or `mu` is", name));
  return *value;
}

// epsilon and delta, or what a public beta or a mu makes of them.
PrivacyTarget target_of(const ComponentJob& job, const ComponentRequest& request,
                        double dimension) {
  if (request.beta) {
    if (job.epsilon) throw UsageError("`epsilon` must not be given with `beta`");
    if (job.mu) throw UsageError("`mu` must not be given with `beta`");
    const double delta = job.delta.value_or(0.0);
    return {epsilon_of_beta(request, dimension, delta), delta};
  }
  if (job.mu) {
    if (job.epsilon) throw UsageError("`epsilon` must not be given with `mu`");
    const PrivacyTarget checked(0.0, job.delta.value_or(usual_delta));
    const PrivacyLoss loss = gaussian_differential_privacy(require_positive("mu", *job.mu));
    return {epsilon_at(loss, checked.delta, Accuracy::certified).value.lower(), checked.delta};
  }
  return {required("epsilon", job.epsilon), required("delta", job.delta)};
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
  const Centering found = job.center.value_or(!job.centers.empty() ? Centering::by_given_centers
                                              : can                ? Centering::by_private_means
                                                                   : Centering::not_at_all);
  if (found != Centering::not_at_all && !can)
    throw UsageError(
        "`center` must be none but for the method gaussian-orthogonal-ensemble without `ranks`");
  if (found == Centering::by_given_centers && job.centers.empty())
    throw UsageError("`centers` is missing, but must be given for `center` given");
  if (found != Centering::by_given_centers && !job.centers.empty())
    throw UsageError("`centers` must not be given unless `center` is given");
  return found;
}

CenteredPlan plan_centered(const ComponentJob& job, const PrivacyTarget& target,
                           const ComponentRows& from) {
  return plan_centered_components(target, from.rows, job.components,
                                  job.centers.empty() ? std::nullopt : std::optional(job.centers));
}

Planned planned(const ComponentJob& job) {
  const Centering centering = centering_of(job);
  const ComponentRows from(job.table);
  const ComponentRequest request = job.request();
  const PrivacyTarget target = target_of(job, request, from.dimension());
  if (centering != Centering::not_at_all) return {plan_centered(job, target, from).certificate};
  return {plan_components(target, from.rows, request).certificate};
}

// What was drawn, before anything is written.
using FinishComponents =
    std::function<Reply(Released, const std::function<Diagnostics(const Released&)>&)>;

Reply run_centered(const ComponentJob& job, const PrivacyTarget& target, const ComponentRows& from,
                   const FinishComponents& finish, Progress& progress) {
  progress.begin("calibrating");
  const CenteredPlan plan = plan_centered(job, target, from);
  const auto begin = [&] {
    progress.begin("reading");
    return job.table.source.read_options(progress);
  };
  SecureSource random;
  return finish(release_centered_components(plan, from.table, from.rule, begin, random),
                [&](const Released& released) {
                  Diagnostics all =
                      diagnose_dropped_rows(from.table, from.rule.table_columns(), begin());
                  const Diagnostics more =
                      diagnose_centered_components(plan, released, from.table, from.rule, begin());
                  all.insert(all.end(), more.begin(), more.end());
                  return all;
                });
}

Reply released_components(const ComponentJob& job, const FinishComponents& finish,
                          Progress& progress) {
  const Centering centering = centering_of(job);
  const ComponentRows from(job.table);
  const ComponentRequest request = job.request();
  const PrivacyTarget target = target_of(job, request, from.dimension());
  if (centering != Centering::not_at_all) return run_centered(job, target, from, finish, progress);
  progress.begin("calibrating");
  const ComponentPlan plan = plan_components(target, from.rows, request);
  SecureSource random;
  const SecondMoments moments = from.moments(job.table, progress);
  return std::visit(
      [&](const auto& given) {
        return finish(release_components(plan, given, random), [&](const Released& released) {
          progress.begin("reading again");
          Diagnostics all = diagnose_dropped_rows(from.table, from.rule.table_columns(),
                                                  job.table.source.read_options(progress));
          const Diagnostics more = diagnose_components(plan, released, given);
          all.insert(all.end(), more.begin(), more.end());
          return all;
        });
      },
      moments);
}

Reply run(const ComponentJob& job, Progress& progress) {
  if (job.explain.explain) {
    Reply reply = explained(job);
    if ((job.epsilon && job.delta) || job.mu || job.request().beta)
      tell_planned(reply, planned(job), {job.place.payer});
    return reply;
  }
  const TableSource& source = job.table.source;
  if (source.gathering.gather) {
    const auto nothing = [](const Released&, const auto&) { return Reply(); };
    return gathered_piece(source,
                          questions_of([&] { released_components(job, nothing, progress); }),
                          job.place.output, job.place.replace, progress);
  }
  const ReleaseFiles places = job.place.files(source);
  return released_components(
      job,
      [&](Released drawn, const std::function<Diagnostics(const Released&)>& diagnose) {
        assume_pieces(drawn.certificate, source);
        const std::string what = in_words(drawn);
        return finished(std::move(drawn), places, {job.place.payer}, what,
                        job.confidential.confidential, diagnose);
      },
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
