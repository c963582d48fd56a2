#include "release/descriptions/training_mechanisms.h"

#include "modicum/mechanisms/gaussian_mixture.h"
#include "modicum/mechanisms/random_allocation.h"
#include "release/descriptions/label_words.h"

namespace modicum::described {
namespace {

constexpr const char* multiplier_help = "deviation of the noise over the norm of a row";

double rows_moved(Adjacency adjacency) { return adjacency == Adjacency::replace_one ? 2.0 : 1.0; }

}  // namespace

void MixtureOfGaussians::fields(Fields& fields) {
  fields.add("standard_deviation", standard_deviation, "of the noise").required();
  fields.add("sensitivities", sensitivities, "how far a record moves the answer").required();
  fields.add("probabilities", probabilities, "of these").required();
}
PrivacyLoss MixtureOfGaussians::loss(const Setting& setting) const {
  if (setting.adjacency == Adjacency::replace_one)
    refuse("adjacency", "replace_one", "must be add_remove or zero_out: the pair is for those");
  return gaussian_mixture(standard_deviation, sensitivities, probabilities);
}
std::string MixtureOfGaussians::label() const {
  return fmt::format("mixture of {} Gaussians, sigma {}", sensitivities.size(), standard_deviation);
}

void TruncatedGaussian::fields(Fields& fields) {
  fields.add("noise_multiplier", plan.noise_multiplier, multiplier_help).required();
  fields.add("sampling_rate", plan.sampling_rate, "probability that a record is drawn").required();
  fields.add("dataset_size", plan.dataset_size, "number of records, which is public").required();
  fields.add("largest_batch", plan.largest_batch, "of larger samples a random part is kept")
      .required();
}
PrivacyLoss TruncatedGaussian::loss(const Setting& setting) const {
  // A record without content keeps its place in a full batch, so that the others stay away: what
  // replaces it is another.
  return truncated_subsampled_gaussian(plan, setting.adjacency != Adjacency::add_remove);
}
std::string TruncatedGaussian::label() const {
  return fmt::format("Gaussian, sigma {}, sampling rate {}, at most {} of {} records",
                     plan.noise_multiplier, plan.sampling_rate, plan.largest_batch,
                     plan.dataset_size);
}

void ShuffledGaussian::fields(Fields& fields) { noise.fields(fields); }
PrivacyLoss ShuffledGaussian::loss(const Setting& setting) const {
  if (setting.adjacency == Adjacency::add_remove)
    refuse("adjacency", "add_remove",
           "must be replace_one or zero_out for shuffled batches: one record more moves all others "
           "to other batches; allocated_gaussian is for records that find their batches each by "
           "itself");
  return noise.loss(setting).as_upper_bound();
}
std::string ShuffledGaussian::label() const {
  return noise.label() + ", an epoch of shuffled batches";
}

void AllocatedGaussian::fields(Fields& fields) {
  noise.fields(fields);
  fields
      .add("batches", batches,
           "of an epoch: each record is in one of them, drawn uniformly and by itself")
      .synonym("steps_per_epoch")
      .required();
}
PrivacyLoss AllocatedGaussian::loss(const Setting& setting) const {
  if (setting.adjacency == Adjacency::replace_one)
    refuse("adjacency", "replace_one",
           "must be add_remove or zero_out for random allocation: no bound is proved for "
           "replacing a record");
  noise.loss(setting);  // refuses what is missing
  return allocated_gaussian(noise.noise_multiplier.value_or(noise.standard_deviation.value_or(0.0)),
                            noise.sensitivity.value_or(1.0), batches);
}
std::string AllocatedGaussian::label() const {
  return noise.label() + fmt::format(", an epoch of {} randomly allocated batches", batches);
}

void MatrixMechanism::fields(Fields& fields) {
  fields.add("strategy", strategy, "lower triangular: this times the rounds gets the noise");
  fields.add("coefficients", coefficients, "first column of a Toeplitz strategy, in its place");
  fields.add("rounds", rounds, "number of rounds of a Toeplitz strategy");
  fields.add("noise_multiplier", noise_multiplier, multiplier_help).required();
  fields.add("participations", participations, "in how many rounds a record takes part at most");
  fields.add("separation", separation, "how many rounds apart these are at least");
  fields.add("cyclic", cyclic, "a record takes part every so many rounds, and in no others");
  fields.custom({"patterns", FieldKind::list, "lists of rounds in which a record may take part",
                 [this](const Value& given) {
                   if (!given.is_list() || given.size() == 0)
                     throw InvalidParameter("patterns", shown(given), "must be lists of rounds");
                   patterns.clear();
                   for (const Value& each : given.items()) {
                     if (!each.is_list() || each.size() == 0)
                       throw InvalidParameter("patterns", shown(each), "must be lists of rounds");
                     for (const Value& round : each.items())
                       if (!round.is_number())
                         throw InvalidParameter("patterns", shown(round), "must name rounds");
                     patterns.push_back(each.numbers());
                   }
                 },
                 [] { return Value(); }});
  fields.add("sampling_rate", sampling_rate,
             "records of a group are drawn with this probability, for a banded strategy");
}

PrivacyLoss MatrixMechanism::loss(const Setting& setting) const {
  const bool toeplitz = !coefficients.empty();
  if (toeplitz == (strategy.size() > 0))
    refuse("strategy", toeplitz ? "given with coefficients" : "missing",
           "must be given, or coefficients and rounds");
  if (toeplitz != rounds.has_value())
    refuse("rounds", rounds ? "given" : "missing",
           "must be given with coefficients, and with nothing else");
  const Eigen::MatrixXd matrix = toeplitz ? toeplitz_strategy(coefficients, *rounds) : strategy;
  if (sampling_rate) {
    if (!separation || participations || cyclic || !patterns.empty())
      refuse("sampling_rate", fmt::format("{}", *sampling_rate),
             "needs a separation, and nothing else about rounds");
    if (setting.adjacency == Adjacency::replace_one)
      refuse("adjacency", "replace_one",
             "must be add_remove or zero_out where records are sampled");
    return sampled_banded_gaussian(matrix, noise_multiplier, *separation, *sampling_rate);
  }
  const int said = !patterns.empty() + (cyclic ? 1 : 0) + (participations ? 1 : 0);
  if (said != 1)
    refuse("participations", said == 0 ? "missing" : "given with others",
           "must be given, or cyclic with a separation, or patterns");
  if (cyclic && !separation) refuse("separation", "missing", "must be given with cyclic");
  return correlated_gaussian(
      matrix, noise_multiplier,
      {separation.value_or(1.0), participations.value_or(1.0), cyclic, patterns},
      rows_moved(setting.adjacency));
}
std::string MatrixMechanism::label() const {
  return fmt::format("correlated Gaussian noise, {} rounds, noise multiplier {}",
                     rounds.value_or(static_cast<double>(strategy.rows())), noise_multiplier);
}

void TreeAggregation::fields(Fields& fields) {
  fields.add("noise_multiplier", noise_multiplier, multiplier_help).required();
  fields.add("step_counts", step_counts, "number of rounds of each tree").required();
}
PrivacyLoss TreeAggregation::loss(const Setting& setting) const {
  return tree_aggregation(noise_multiplier, step_counts, rows_moved(setting.adjacency));
}
std::string TreeAggregation::label() const {
  return fmt::format("tree aggregation, noise multiplier {}", noise_multiplier);
}

}  // namespace modicum::described
