#include "release/descriptions/selection_mechanisms.h"

#include "release/descriptions/description_fields.h"
#include "release/descriptions/label_words.h"

namespace modicum::described {
namespace {

constexpr const char* monotone_help = "a record moves all scores in one direction";

}  // namespace

void Exponential::fields(Fields& fields) {
  fields.add("epsilon", epsilon, "of exp(epsilon * score / (2 * sensitivity))").required();
}
PrivacyLoss Exponential::loss(const Setting&) const { return exponential_mechanism(epsilon); }
std::string Exponential::label() const {
  return fmt::format("exponential mechanism, epsilon {}", epsilon);
}

void PermuteAndFlip::fields(Fields& fields) {
  fields.add("epsilon", epsilon, "of exp(epsilon * score / (2 * sensitivity))").required();
}
PrivacyLoss PermuteAndFlip::loss(const Setting&) const { return permute_and_flip(epsilon); }
std::string PermuteAndFlip::label() const {
  return fmt::format("permute and flip, epsilon {}", epsilon);
}

void ReportNoisyMax::fields(Fields& fields) {
  static const Choices<SelectionNoise> words{
      {"laplace", SelectionNoise::laplace, ""},
      {"exponential", SelectionNoise::exponential, ""},
      {"gumbel", SelectionNoise::gumbel, "the exponential mechanism"}};
  fields.choice("noise", noise, words, "on each score").required();
  fields.add("scale", scale, "of the noise").required();
  fields.add("sensitivity", sensitivity, "how far a record moves a score").required();
  fields.add("monotone", monotone, monotone_help);
}
PrivacyLoss ReportNoisyMax::loss(const Setting&) const {
  return report_noisy_max(noise, scale, sensitivity, monotone);
}
std::string ReportNoisyMax::label() const {
  return fmt::format("report noisy max, scale {}{}", scale, unless_one("sensitivity", sensitivity));
}

void AboveThreshold::fields(Fields& fields) {
  fields.add("threshold_scale", plan.threshold_scale, "of the noise on the threshold").required();
  fields.add("query_scale", plan.query_scale, "of the noise on each query").required();
  fields.add("answers", plan.answers, "how many queries may be above the threshold").required();
  fields.add("sensitivity", plan.sensitivity, "how far a record moves a query").required();
  fields.add("monotone", plan.monotone, monotone_help);
}
PrivacyLoss AboveThreshold::loss(const Setting&) const { return sparse_vector(plan); }
std::string AboveThreshold::label() const {
  return fmt::format("sparse vector, {} answer{}", plan.answers, plan.answers == 1.0 ? "" : "s");
}

void RepeatAndSelect::fields(Fields& fields) {
  static const Choices<Repetitions> words{
      {"poisson", Repetitions::poisson, ""},
      {"negative_binomial", Repetitions::negative_binomial, "truncated, of this shape"}};
  fields
      .custom({"repeated", FieldKind::list, "description of one run",
               [this](const Value& given) { repeated = given; }, [this] { return repeated; }})
      .required();
  fields.choice("distribution", distribution, words, "of the number of runs").required();
  fields.add("mean", mean, "number of runs").required();
  fields.add("shape", shape, "1: geometric, 0: logarithmic");
}
DescribedRun RepeatAndSelect::run(const Setting& setting) const {
  DescribedRun run;
  at_path("repeated", repeated, [&] { run = describe_run(repeated, setting); });
  if (run.whole.adjacency != setting.adjacency)
    refuse("repeated.adjacency", word_of(adjacency_words(), run.whole.adjacency),
           fmt::format("must be that of the whole, {}",
                       word_of(adjacency_words(), setting.adjacency)));
  return run;
}
RenyiBounds RepeatAndSelect::moments(const Setting& setting) const {
  const bool poisson = distribution == Repetitions::poisson;
  if (poisson == shape.has_value())
    refuse("shape", shape ? "given" : "missing",
           poisson ? "must not be given for poisson" : "must be given for negative_binomial");
  const DescribedRun one = run(setting);
  return repeat_and_select({one.whole.loss, one.moments}, distribution, mean, shape.value_or(0.0));
}
std::string RepeatAndSelect::label() const { return fmt::format("best of about {} runs", mean); }

}  // namespace modicum::described
