// Several everyday statistics of one table under one budget. The noise of all is calibrated for
// their exact composition, which costs far less than to split epsilon: twelve counts under (1,
// 1e-6) have noise of deviation 14.6 each, not 49.6.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "modicum/release/everyday_release.h"

namespace modicum {

struct StatisticRequest {
  Everyday statistic;
  EverydayQuestion question;
  double weight = 1.0;  ///< of two requests that are else the same, the variances of the noise are
                        ///< in the ratio of the other's weights
};

struct QuantileRequest {
  EverydayQuestion question;
  std::vector<double> levels;
  double weight = 1.0;  ///< the squared ranges of the draws are in the ratio of the weights
};

using ReleaseRequest = std::variant<StatisticRequest, QuantileRequest>;

/// "mean of wage by region".
std::string name_of(const ReleaseRequest& request);

struct JointPlan {
  std::vector<std::variant<EverydayPlan, QuantilePlan>> parts;
  std::vector<std::string> names;  ///< of the parts, all different
  Certificate certificate;         ///< of all of them together
};

/// Throws InvalidParameter, CalibrationFailed. All must be for the same neighbors.
JointPlan plan_joint(const PrivacyTarget& target, std::vector<ReleaseRequest> requests);

/// What the rows add up to for each part.
using JointSums = std::vector<std::variant<EverydaySums, QuantileValues>>;
/// One pass for each part.
JointSums accumulate_joint(const Table& table, const JointPlan& plan,
                           const ReadOptions& options = {}, RandomSource* choosing = nullptr);
/// The rows of all parts, one after the other: "mean of wage by region: north".
Released release_joint(const JointPlan& plan, const JointSums& sums, RandomSource& source);
/// Without noise, for the holder of the data, and the names: see everyday_truth.
std::vector<std::string> joint_names(const JointPlan& plan, const JointSums& sums);
Eigen::VectorXd joint_truth(const JointPlan& plan, const JointSums& sums);

/// The parts one by one, each with its own certificate, which is not for publication: it tells
/// nothing of the others. For whoever makes something of a part before it is joined.
std::vector<Released> release_parts(const JointPlan& plan, const JointSums& sums,
                                    RandomSource& source);
Released joined_parts(const JointPlan& plan, const std::vector<Released>& parts);

}  // namespace modicum
