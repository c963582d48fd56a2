#include <algorithm>
#include <cmath>

#include "modicum/numerics/errors.h"
#include "release/certificates/public_certificate.h"
#include "release/descriptions/mechanisms.h"
#include "release/everyday/everyday_layout.h"
#include "release/everyday/grouped_rows.h"

namespace modicum {
namespace {

// Upwards, by more than the rounding of a handful of operations.
double upwards_root(double square) { return std::sqrt(square) * (1.0 + 0x1p-50); }

// What one row can add to the numbers of its group, as a Euclidean norm.
double row_norm(Everyday statistic, double columns, double weight) {
  switch (statistic) {
    case Everyday::count:
      return 1.0;
    case Everyday::sum:
      return upwards_root(columns);  // each between -1 and 1
    case Everyday::mean:
      return upwards_root(weight * weight + columns);
    case Everyday::variance:
    case Everyday::standard_deviation:
      // z^2 + (z^2 - 1/2)^2 <= 5/4, and what rounding to the grid of 2^-32 adds.
      return upwards_root(weight * weight + columns * (1.25 + 0x1p-30));
  }
  throw Error("there is no such statistic");
}

}  // namespace

const char* to_string(Everyday statistic) {
  switch (statistic) {
    case Everyday::count:
      return "count";
    case Everyday::sum:
      return "sum";
    case Everyday::mean:
      return "mean";
    case Everyday::variance:
      return "variance";
    case Everyday::standard_deviation:
      return "standard deviation";
  }
  return "";
}

double row_count_weight(Everyday statistic, std::size_t columns) {
  if (statistic == Everyday::count) return 1.0;
  if (statistic == Everyday::sum) return 0.0;
  // The mean of z is off by the noise of the sum, deviation s, and by mean(z) times that of the
  // count, s/w; s grows as sqrt(w^2 + columns). With a typical mean(z)^2 = 1/3 the least is at w^4
  // = columns / 3.
  const double weight = std::pow(static_cast<double>(columns) / 3.0, 0.25);
  return std::round(std::ldexp(weight, 16)) * 0x1p-16;
}

EverydayPlan plan_everyday(const PrivacyTarget& target, Everyday statistic,
                           EverydayQuestion question) {
  require_question(question);
  if (question.columns.empty() != (statistic == Everyday::count))
    throw InvalidParameter("select", static_cast<double>(question.columns.size()),
                           "must name columns, but none for a count");
  const double weight = row_count_weight(statistic, question.columns.size());
  const double sensitivity =
      row_norm(statistic, static_cast<double>(question.columns.size()), weight);
  const EverydayLayout layout(statistic, question.columns.size());
  const double dimension = static_cast<double>(question.groups.size() * layout.size());
  const VectorNoisePlan noise =
      plan_vector_noise(target, VectorNoise::gaussian, dimension, sensitivity, layout.grid());
  Certificate certificate("gaussian", target, noise.achieved);
  certificate.set("statistic", to_string(statistic));
  describe_question(certificate, question);
  certificate.set("dimension", dimension);
  certificate.set("sensitivity", noise.calibrated_sensitivity);
  certificate.set("standard_deviation", noise.standard_deviation.value());
  if (weight > 0.0 && statistic != Everyday::count) certificate.set("count_weight", weight);
  certificate.attained = statistic == Everyday::count;
  certificate.theorem = "docs/derivations/everyday.md";
  describe_arithmetic(certificate, Exactness::exact, noise.grid);
  describe_loss(certificate, description_of(described::Gaussian{*noise.standard_deviation,
                                                                noise.calibrated_sensitivity}));
  return {statistic, std::move(question), noise, weight, std::move(certificate)};
}

EverydaySums accumulate_everyday(const Table& table, const EverydayPlan& plan,
                                 const ReadOptions& options) {
  const EverydayLayout layout(plan.statistic, plan.question.columns.size());
  EverydaySums sums{layout.grid(),
                    std::vector<Integer128>(plan.question.groups.size() * layout.size(), 0)};
  for_each_grouped_block(table, plan.question, options, [&](const GroupedBlock& block) {
    // Of the groups that are there; the sums of whole numbers do not depend on the order.
    std::unordered_map<std::size_t, std::vector<Integer128>> found;
    for (std::size_t i = 0; i < block.groups.size(); ++i) {
      std::vector<Integer128>& own = found[block.groups[i]];
      own.resize(layout.size());
      layout.add(plan, block.numbers, static_cast<Eigen::Index>(i), own.data());
    }
    return [&sums, &layout, found = std::move(found)] {
      for (const auto& [group, entries] : found)
        for (std::size_t j = 0; j < entries.size(); ++j)
          sums.entries[group * layout.size() + j] += entries[j];
    };
  });
  return sums;
}

}  // namespace modicum
