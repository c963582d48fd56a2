#include "modicum/release/noise_report.h"

#include <fmt/format.h>

#include <cmath>

#include "data/files/checked_record.h"
#include "numerics/ball.h"
#include "release/reports/publishable_report_quantiles.h"

namespace modicum {
namespace {

// That of the diagonal of a matrix, rounded downwards: a shift counts in the Frobenius norm.
double deviation_of(const NoisyAnswer& answer) {
  if (answer.statistic == NoisyStatistic::sum || answer.statistic == NoisyStatistic::vector)
    return answer.standard_deviation;
  const PrecisionScope scope(128);
  return (sqrt(Ball(2.0)) * Ball(answer.standard_deviation)).lower();
}

[[noreturn]] void refuse_mechanism(const std::string& found) {
  throw InvalidParameter("release", fmt::format("by {}", found),
                         "must be a sum, second moments, a vector or a matrix with Gaussian noise "
                         "(of a matrix: goe)");
}

NoisyStatistic statistic_in(const std::string& mechanism, const CheckedRecord& parameters) {
  const std::string word = parameters.has("statistic") ? parameters.text("statistic") : "";
  if (mechanism == "gaussian" && word == "sum") return NoisyStatistic::sum;
  if (mechanism == "gaussian" && word == "given") return NoisyStatistic::vector;
  if (mechanism == "gaussian_orthogonal_ensemble" && word == "matrix")
    return NoisyStatistic::matrix;
  if (mechanism == "gaussian_orthogonal_ensemble" && word.empty() &&
      parameters.has("row_norm_bound") && parameters.has("diagonal_standard_deviation"))
    return NoisyStatistic::second_moments;
  refuse_mechanism(fmt::format("{}{}{}", mechanism, word.empty() ? "" : ", statistic ", word));
}

}  // namespace

const char* to_string(NoisyStatistic statistic) {
  switch (statistic) {
    case NoisyStatistic::sum:
      return "sum";
    case NoisyStatistic::second_moments:
      return "second moments";
    case NoisyStatistic::vector:
      return "vector";
    case NoisyStatistic::matrix:
      break;
  }
  return "matrix";
}

GaussianInstance NoisyAnswer::instance(double shift) const {
  if (!(shift >= 0.0 && shift <= largest_shift * (1.0 + 1e-12)))
    throw InvalidParameter(
        "shift", shift,
        fmt::format("must be at least 0 and at most {}, the sensitivity", largest_shift));
  return {shift, deviation_of(*this)};
}

GaussianInstance NoisyAnswer::instance(const Eigen::VectorXd& row) const {
  const double square = row.squaredNorm() * (1.0 + 1e-13);
  return instance(
      std::min(statistic == NoisyStatistic::sum ? std::sqrt(square) * (1.0 + 1e-15) : square,
               largest_shift));
}

NoisyAnswer noisy_answer_in(const Value& certificate) {
  const CheckedRecord whole(certificate, "");
  const std::string mechanism = whole.text("mechanism");
  if (!certificate.contains("parameters") || !certificate.contains("target"))
    refuse_mechanism(mechanism);
  const CheckedRecord parameters(certificate.at("parameters"), "parameters");
  const CheckedRecord target(certificate.at("target"), "target");
  const NoisyStatistic statistic = statistic_in(mechanism, parameters);
  NoisyAnswer answer{
      statistic, require_positive("standard_deviation", parameters.number("standard_deviation")),
      0.0,       {},
      0.0,       {target.number("epsilon"), target.number("delta")}};
  if (!answer.of_rows()) {
    answer.largest_shift = require_positive("sensitivity", parameters.number("sensitivity"));
    return answer;
  }
  answer.row_norm_bound = require_positive("row_norm_bound", parameters.number("row_norm_bound"));
  answer.largest_shift = statistic == NoisyStatistic::sum
                             ? answer.row_norm_bound
                             : answer.row_norm_bound * answer.row_norm_bound;
  const Value& tree = certificate.at("parameters");
  answer.coordinates = tree.at("coordinates").texts();
  if (parameters.has("centers")) answer.centers = tree.at("centers").numbers();
  if (parameters.has("scales")) answer.scales = tree.at("scales").numbers();
  return answer;
}

// With n the noise on the answer of D, and v what a row adds to it: log p_D/p_{D-z} =
// (|n + v|^2 - |n|^2)/(2 s^2), where numbers on the diagonal of a matrix count half.
Eigen::VectorXd signed_noise_losses(const NoisyAnswer& answer, const Eigen::MatrixXd& noise,
                                    const Eigen::MatrixXd& rows) {
  const double s = answer.standard_deviation;
  const Eigen::ArrayXd squares = rows.rowwise().squaredNorm();
  if (answer.statistic == NoisyStatistic::sum)
    return squares / (2.0 * s * s) + (rows * noise).array() / (s * s);
  const Eigen::ArrayXd forms = (rows * noise).cwiseProduct(rows).rowwise().sum();
  return squares.square() / (4.0 * s * s) + forms / (2.0 * s * s);
}

void require_noise_of(const NoisyAnswer& answer, const Eigen::MatrixXd& noise) {
  const auto d = static_cast<double>(noise.rows());
  const bool sum = answer.statistic == NoisyStatistic::sum;
  // |N|_F^2/2 is the sum of d (d + 1)/2 squares of normals of deviation s.
  const double numbers = sum ? d : d * (d + 1.0) / 2.0;
  const double length = noise.norm() * (sum ? 1.0 : M_SQRT1_2) / answer.standard_deviation;
  if (!(length <= 1.001 * norm_quantile_above(numbers, 1e-9)))
    throw InvalidParameter("table", "of other rows",
                           "must be the one of the release: what was released is too far from it "
                           "for its noise, but once in 10^9 releases");
}

}  // namespace modicum
