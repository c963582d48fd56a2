#include "modicum/release/vector_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "release/certificates/public_certificate.h"
#include "release/descriptions/disc_mechanism.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

// The number of rows is released in units of 2^19 grids of the rows, a power of two from half the
// norm bound on and below that: about as much noise for it as for the sum.
constexpr Integer128 count_unit = Integer128{1} << 19;

const char* name_of(Statistic statistic) {
  switch (statistic) {
    case Statistic::sum:
      return "sum";
    case Statistic::mean:
      return "mean";
    case Statistic::histogram:
      return "histogram";
    case Statistic::given:
      return "given";
  }
  return "";
}

void describe_noise(Certificate& certificate, const VectorNoisePlan& noise) {
  certificate.set("dimension", noise.dimension);
  certificate.set("sensitivity", noise.sensitivity);
  if (noise.calibrated_sensitivity != noise.sensitivity)
    certificate.set("sensitivity_on_grid", noise.calibrated_sensitivity);
  if (noise.standard_deviation) {
    certificate.set("standard_deviation", *noise.standard_deviation);
    return;
  }
  if (noise.discs) {
    certificate.set("width", noise.discs->width);
    certificate.set("discs", static_cast<double>(noise.discs->probabilities.size()));
    return;
  }
  const SphericalNoise& law = noise.spherical.value();
  certificate.set("alpha", law.alpha);
  certificate.set("beta", law.beta);
  certificate.set("p", law.p);
}

struct NamedMechanism {
  const char *name, *theorem;
};
NamedMechanism mechanism_of(VectorNoise noise) {
  switch (noise) {
    case VectorNoise::gaussian:
      return {"gaussian", "docs/derivations/gaussian-spectrum.md"};
    case VectorNoise::l2:
      return {"l2", "docs/derivations/spherical.md"};
    case VectorNoise::spherical:
      return {"spherical_generalized_gamma", "docs/derivations/spherical.md"};
    case VectorNoise::optimal:
      return {described::Discs::name, "docs/derivations/optimal-noise.md"};
  }
  return {"", ""};
}

// What rounding the answer to the grid adds is part of what the noise hides.
Value loss_of(const VectorNoisePlan& noise) {
  const double moved = noise.calibrated_sensitivity;
  if (noise.standard_deviation)
    return description_of(described::Gaussian{*noise.standard_deviation, moved});
  if (noise.discs) return description_of(described::Discs{*noise.discs, moved});
  const SphericalNoise& law = noise.spherical.value();
  return description_of(described::Spherical{law.dimension, law.alpha, law.beta, law.p, moved});
}

VectorPlan make_plan(const PrivacyTarget& target, Statistic statistic, const VectorNoisePlan& noise,
                     std::vector<std::string> names) {
  const auto [mechanism, theorem] = mechanism_of(noise.noise);
  Certificate certificate(mechanism, target, noise.achieved);
  certificate.set("statistic", name_of(statistic));
  describe_noise(certificate, noise);
  certificate.attained = noise.calibrated_sensitivity == noise.sensitivity;
  certificate.theorem = theorem;
  return {statistic,    noise, std::move(names),      std::nullopt,
          std::nullopt, 0.0,   std::move(certificate)};
}

VectorPlan finish(VectorPlan plan) {
  describe_arithmetic(plan.certificate, Exactness::exact, plan.noise.grid);
  describe_loss(plan.certificate, loss_of(plan.noise));
  return plan;
}

Eigen::VectorXd column_of(const std::vector<double>& values, std::size_t size) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(size));
}

Released one_column(const VectorPlan& plan, const VectorAnswer& answer, RandomSource& source) {
  const std::vector<double> drawn = draw_vector(plan.noise, answer, source);
  return {plan.names, {"value"}, column_of(drawn, drawn.size()), plan.certificate};
}

// sqrt(l^2 + w^2), rounded upwards: the weight is a power of two, so its square is exact.
double sensitivity_with_count(double row_norm_bound, double weight) {
  const double upper = std::nextafter(row_norm_bound * row_norm_bound, HUGE_VAL);
  return std::nextafter(std::sqrt(std::nextafter(upper + weight * weight, HUGE_VAL)), HUGE_VAL);
}

}  // namespace

VectorPlan plan_sum(const PrivacyTarget& target, const PublicRows& rows, VectorNoise noise) {
  VectorPlan plan =
      make_plan(target, Statistic::sum,
                plan_vector_noise(target, noise, static_cast<double>(rows.dimension()),
                                  rows.row_norm_bound, IntegerClip(rows.row_norm_bound).grid()),
                rows.names);
  plan.rows = rows;
  describe_rows(plan.certificate, rows);
  return finish(std::move(plan));
}

VectorPlan plan_mean(const PrivacyTarget& target, const PublicRows& rows, VectorNoise noise,
                     std::optional<double> public_rows) {
  const double grid = IntegerClip(rows.row_norm_bound).grid();
  const double weight = public_rows ? 0.0 : grid * static_cast<double>(count_unit);
  const double sensitivity =
      public_rows ? rows.row_norm_bound : sensitivity_with_count(rows.row_norm_bound, weight);
  const double dimension = static_cast<double>(rows.dimension()) + (public_rows ? 0.0 : 1.0);
  VectorPlan plan =
      make_plan(target, Statistic::mean,
                plan_vector_noise(target, noise, dimension, sensitivity, grid), rows.names);
  if (public_rows) plan.certificate.set("rows", require_count("rows", *public_rows));
  else plan.certificate.set("count_weight", weight);
  plan.rows = rows;
  plan.public_rows = public_rows;
  plan.count_weight = weight;
  describe_rows(plan.certificate, rows);
  return finish(std::move(plan));
}

Released release_sum(const VectorPlan& plan, const IntegerSum& sum, RandomSource& source) {
  plan.rows.value().require_same(sum);
  return one_column(plan, {sum.grid, sum.entries, {}}, source);
}

Released release_mean(const VectorPlan& plan, const IntegerSum& sum, RandomSource& source) {
  plan.rows.value().require_same(sum);
  VectorAnswer answer{sum.grid, sum.entries, {}};
  if (!plan.public_rows) answer.multiples.push_back(sum.rows * count_unit);
  const std::vector<double> drawn = draw_vector(plan.noise, answer, source);
  Certificate certificate = plan.certificate;
  double count = plan.public_rows.value_or(0.0);
  if (!plan.public_rows) {
    count = drawn.back() / plan.count_weight;
    certificate.set("released_count", count);
  }
  const std::size_t size = plan.names.size();
  Eigen::MatrixXd values(static_cast<Eigen::Index>(size), 2);
  values.col(0) = column_of(drawn, size);
  // A noisy count below one row says nothing about the mean.
  values.col(1) = values.col(0) / std::max(count, 1.0);
  for (std::size_t i = 0; i < size; ++i) {
    double& mean = values(static_cast<Eigen::Index>(i), 1);
    mean = plan.rows->centers[i] + plan.rows->scales[i] * mean;
  }
  return {plan.names, {"sum", "mean"}, std::move(values), std::move(certificate)};
}

VectorPlan plan_histogram(const PrivacyTarget& target, const std::string& column, const Bins& bins,
                          VectorNoise noise, BadRows bad_rows, const FileAssumptions& files) {
  std::vector<std::string> names = bins.names();
  const auto dimension = static_cast<double>(names.size());
  // A row is in one bin at most.
  VectorPlan plan = make_plan(target, Statistic::histogram,
                              plan_vector_noise(target, noise, dimension, 1.0, 1.0), names);
  plan.certificate.set("column", column);
  if (bins.edges.empty()) plan.certificate.set("categories", bins.categories);
  else plan.certificate.set("edges", bins.edges);
  describe_table(plan.certificate, bad_rows, files);
  return finish(std::move(plan));
}

Released release_histogram(const VectorPlan& plan, const std::vector<Integer128>& counts,
                           RandomSource& source) {
  return one_column(plan, {1.0, counts, {}}, source);
}

VectorPlan plan_given(const PrivacyTarget& target, double dimension, double sensitivity,
                      VectorNoise noise) {
  const VectorNoisePlan noise_plan = plan_vector_noise(target, noise, dimension, sensitivity, 0.0);
  std::vector<std::string> names;
  for (double i = 1.0; i <= dimension; ++i) names.push_back(fmt::format("{}", i));
  VectorPlan plan = make_plan(target, Statistic::given, noise_plan, std::move(names));
  Certificate& certificate = plan.certificate;
  certificate.attained = false;
  certificate.adjacency = fmt::format(
      "two data sets whose vectors differ by at most {} in Euclidean distance", sensitivity);
  certificate.assumptions.push_back(
      fmt::format("the vectors on neighboring data sets differ by at most {} in Euclidean "
                  "distance, as computed, rounding included",
                  sensitivity));
  certificate.assumptions.push_back(
      "the vector has as many numbers for every data set, all finite, and below 2^100 grids");
  return finish(std::move(plan));
}

Released release_given(const VectorPlan& plan, const std::vector<double>& answer,
                       RandomSource& source) {
  for (const double value : answer) {
    // The value itself is not quoted: it is data.
    if (!std::isfinite(value)) throw Error("the given vector has a number that is not finite");
  }
  return one_column(plan, {0.0, {}, answer}, source);
}

}  // namespace modicum
