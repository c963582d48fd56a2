#include "release/classification/standardized_rows.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

// Of whole numbers k of grids, exactly: how many rows, the sums of k and of k^2.
struct LookSums {
  LookSums(const std::vector<Integer128>& entries, Eigen::Index features)
      : rows(entries.front()),
        first(entries.begin() + 1, entries.begin() + 1 + features),
        second(entries.begin() + 1 + features, entries.end()) {}
  Integer128 rows;
  std::vector<Integer128> first, second;
};

std::vector<Integer128> read_look(const PassOverRows& pass, Eigen::Index ones,
                                  Eigen::Index features) {
  const auto width = static_cast<std::size_t>(features);
  std::vector<Integer128> sum(1 + 2 * width, 0);
  pass([&](const LabeledBlock& block) -> std::function<void()> {
    auto part = std::make_shared<std::vector<Integer128>>(sum.size(), 0);
    part->front() = block.features.rows();
    for (Eigen::Index i = 0; i < block.features.rows(); ++i)
      for (std::size_t j = 0; j < width; ++j) {
        const auto k =
            static_cast<std::int64_t>(block.features(i, ones + static_cast<Eigen::Index>(j)));
        (*part)[1 + j] += k;
        (*part)[1 + width + j] += k * k;
      }
    return [&sum, part] {
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += (*part)[j];
    };
  });
  return sum;
}

LookSums look_sums(const PassOverRows& pass, Eigen::Index ones, Eigen::Index features) {
  const Value question{{"sums", "look"}, {"ones", ones}, {"features", features}};
  return {pass.sums(question, 1 + 2 * static_cast<std::size_t>(features),
                    [&] { return read_look(pass, ones, features); }),
          features};
}

// A whole number with normal noise, rounded to a grid of its own.
double noisy(Integer128 whole, double deviation, RandomSource& source) {
  const double grid = grid_below(deviation);
  return to_double(add_rounded_normal(split(whole, 1.0, grid), deviation, grid, source), grid);
}

bool all_ranged(const PublicRows& rows) {
  return static_cast<Eigen::Index>(rows.ranges.size()) ==
         rows.dimension() - (rows.intercept ? 1 : 0);
}

}  // namespace

double standardized_norm_bound(const PublicRows& rows) {
  // Features of unit spread have the square d, and more for few of them: little is clipped then. Of
  // many some clipping costs less than the noise that longer rows ask for.
  const double ones = rows.intercept ? 1.0 : 0.0;
  const double features = static_cast<double>(rows.dimension()) - ones;
  return std::sqrt(ones * standardized_constant * standardized_constant + 2.4 + 0.64 * features);
}

Standardization::Standardization(const PublicRows& rows, const PassOverRows& pass, double mu,
                                 RandomSource& source)
    : from_(rows.row_norm_bound),
      clip_(standardized_norm_bound(rows)),
      ones_(rows.intercept ? 1 : 0),
      center_(Eigen::VectorXd::Zero(rows.dimension() - ones_)),
      scale_(Eigen::VectorXd::Ones(rows.dimension() - ones_)) {
  look(rows, pass, mu, source);
}

// In units of `unit` every coordinate is at most 1 in size. With ranges a row is 1, t and t^2 - 1/2
// for each coordinate t: of norm sqrt(1 + 5 d/4) at most. Without, |t| <= 1 for all of them
// together, and a row of 1, t and t^2 has norm sqrt 3 at most.
void Standardization::look(const PublicRows& rows, const PassOverRows& pass, double mu,
                           RandomSource& source) {
  const bool ranged = all_ranged(rows) && from_.grid() <= 0.5;
  const Eigen::Index features = center_.size();
  const LookSums sums = look_sums(pass, ones_, features);
  const double unit = ranged ? 1.0 : from_.row_norm_bound(), grids = unit / from_.grid();
  const double norm =
      ranged ? std::sqrt(1.0 + 1.25 * static_cast<double>(features)) : std::sqrt(3.0);
  // Rounded upwards by more than all roundings here.
  const double deviation = norm / require_positive("mu", mu) * (1.0 + 0x1p-40);
  count_ = std::max(noisy(sums.rows, deviation, source), deviation);
  // A power of two, so half of its square is a whole number.
  const auto middle = ranged ? static_cast<Integer128>(0.5 * grids * grids) : Integer128{0};
  for (Eigen::Index j = 0; j < features; ++j) {
    const auto place = static_cast<std::size_t>(j);
    const double first = noisy(sums.first[place], deviation * grids, source) / grids;
    const double second =
        noisy(sums.second[place] - middle * sums.rows, deviation * grids * grids, source) /
            (grids * grids) +
        (ranged ? 0.5 * count_ : 0.0);
    const double mean = ones_ == 1 ? std::clamp(first / count_, -1.0, 1.0) : 0.0;
    // No spread below what the noise can hide.
    const double least = 2.0 * deviation / count_;
    const double variance = std::clamp(second / count_ - mean * mean, std::min(least, 1.0), 1.0);
    center_[j] = unit * mean;
    scale_[j] = unit * std::sqrt(std::max(variance, 1e-12));
  }
}

Value Standardization::to_value() const {
  return Value{{"from_norm_bound", from_.row_norm_bound()},
               {"norm_bound", clip_.row_norm_bound()},
               {"ones", ones_},
               {"center", std::vector<double>(center_.begin(), center_.end())},
               {"scale", std::vector<double>(scale_.begin(), scale_.end())}};
}

Standardization::Standardization(const Value& value)
    : from_(value.at("from_norm_bound").number()),
      clip_(value.at("norm_bound").number()),
      ones_(value.at("ones").whole()) {
  const std::vector<double> center = value.at("center").numbers(),
                            scale = value.at("scale").numbers();
  if (center.size() != scale.size() || !(ones_ == 0 || ones_ == 1))
    throw Error("a question must have a center and a scale for each coordinate");
  for (const double each : scale) require_positive("scale", each);
  const auto size = static_cast<Eigen::Index>(center.size());
  center_ = Eigen::Map<const Eigen::VectorXd>(center.data(), size);
  scale_ = Eigen::Map<const Eigen::VectorXd>(scale.data(), size);
}

std::vector<Integer128> answer_look(const PassOverRows& pass, const Value& question) {
  return read_look(pass, question.at("ones").whole(), question.at("features").whole());
}

PassOverRows Standardization::pass(const PassOverRows& rows) const {
  if (rows.lie_elsewhere()) return rows.mapped("standardized", to_value());
  return [this, rows](const LabeledWork& work) {
    rows([this, &work](const LabeledBlock& block) {
      LabeledBlock mapped;
      mapped.labels = block.labels;
      mapped.clipped = block.clipped;
      mapped.features.resize(block.features.rows(), block.features.cols());
      for (Eigen::Index i = 0; i < mapped.features.rows(); ++i) {
        if (ones_ == 1) mapped.features(i, 0) = standardized_constant;
        for (Eigen::Index j = 0; j < center_.size(); ++j)
          mapped.features(i, ones_ + j) =
              (block.features(i, ones_ + j) * from_.grid() - center_[j]) / scale_[j];
      }
      clip_.apply(mapped.features);
      return work(mapped);
    });
  };
}

PublicRows Standardization::rows(const PublicRows& first) const {
  PublicRows result = first;
  result.row_norm_bound = clip_.row_norm_bound();
  if (ones_ == 1) result.scales[0] = 1.0 / standardized_constant;
  for (Eigen::Index j = 0; j < center_.size(); ++j) {
    const auto place = static_cast<std::size_t>(ones_ + j);
    result.centers[place] = first.centers[place] + first.scales[place] * center_[j];
    result.scales[place] = first.scales[place] * scale_[j];
  }
  return result;
}

}  // namespace modicum
