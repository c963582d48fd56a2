#include "interfaces/release/declared_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "modicum/data/table.h"

namespace modicum {

Field& matrix_input(Fields& fields, const std::string& name, Input<Eigen::MatrixXd>& value,
                    const std::string& help) {
  return fields.input(name, value, help, [name, &value](const Value& given) {
    Eigen::MatrixXd values;
    Fields matrix;
    matrix.add(name, values, "");
    matrix.set(name, given);
    value.content = values;
  });
}

Eigen::MatrixXd matrix_of(const Input<Eigen::MatrixXd>& input) {
  return input.content ? *input.content : Eigen::MatrixXd(read_matrix(input.path));
}

void DeclaredOutput::fields(Fields& fields) {
  fields
      .add("mean_shift", mean_shift,
           "largest Euclidean distance of the means of the output on neighboring data sets")
      .required();
  fields
      .add("variance_excess", variance_excess,
           "by how much a variance may differ on neighboring data sets, at most, in any\n"
           "direction; one of the covariances is the larger one in all of them")
      .required();
  fields.add("rank", rank, "in how many directions covariances differ, 1 by default");
  matrix_input(
      fields, "directions", directions,
      "public vectors, a row each, in such a file: a record moves the mean along one u of\n"
      "them, by `mean_shift` u at most, and adds up to `variance_excess` u u^T to the\n"
      "covariance; noise is then of least trace for these");
}

LiftedOutput::LiftedOutput(const DeclaredOutput& declared) : declared_(declared) {
  if (!declared.directions.given()) return;
  if (declared.rank != 1.0) throw UsageError("`rank` must not be given with `directions`");
  directions_ = matrix_of(declared.directions);
  directed_ = least_directed_noise(directions_);
}

std::vector<std::string> LiftedOutput::assumptions() const {
  if (directed_)
    return {
        fmt::format("on neighboring data sets means and covariances of the output differ along "
                    "one u of {} public directions: the means by a u, |a| at most {}, the "
                    "covariances by b u u^T, b from 0 to {}",
                    directions_.rows(), declared_.mean_shift, declared_.variance_excess)};
  return {
      fmt::format("on neighboring data sets the means differ by at most {} in Euclidean distance",
                  declared_.mean_shift),
      fmt::format("of their covariances one is the larger in every direction, by at most {}, and "
                  "they differ in at most {} directions",
                  declared_.variance_excess, declared_.rank)};
}

void LiftedOutput::require_size(Eigen::Index numbers) const {
  if (directed_ && numbers != directed_->root.rows())
    throw InvalidParameter("directions", static_cast<double>(directed_->root.rows()),
                           "must have as many columns as the mean has numbers");
}

GaussianDistribution LiftedOutput::output(const Data& given) const {
  if (!directed_) return given;
  require_size(given.mean.size());
  const auto lower = directed_->root.triangularView<Eigen::Lower>();
  const Eigen::MatrixXd half = lower.solve(given.covariance);
  const Eigen::MatrixXd whole = lower.solve(half.transpose());
  return {lower.solve(given.mean), 0.5 * (whole + whole.transpose())};
}

OutputSensitivity LiftedOutput::sensitivity(double noise_variance) const {
  require_positive("noise_variance", noise_variance);
  constexpr double upwards = 1.0 + 0x1p-50;
  return {declared_.mean_shift * reach() / std::sqrt(noise_variance) * upwards,
          declared_.variance_excess * reach() * reach() / noise_variance * upwards, declared_.rank};
}

double LiftedOutput::start() const {
  const double size =
      std::max(declared_.mean_shift * declared_.mean_shift, declared_.variance_excess) * reach() *
      reach();
  return size > 0.0 ? size : 1.0;
}

Eigen::MatrixXd LiftedOutput::in_output_coordinates(const Eigen::MatrixXd& values) const {
  if (!directed_) return values;
  return directed_->root.triangularView<Eigen::Lower>() * values;
}

void LiftedOutput::describe(Certificate& certificate, double noise_variance) const {
  if (!directed_) return;
  const double longest = directions_.rowwise().norm().maxCoeff() / directed_->reach;
  certificate.set("directions", static_cast<double>(directions_.rows()));
  certificate.set("noise_trace", noise_variance * directed_->root.squaredNorm());
  certificate.set("least_noise_trace",
                  noise_variance / (reach() * reach()) * directed_->least_trace);
  certificate.set("isotropic_noise_trace",
                  noise_variance * longest * longest * static_cast<double>(directions_.cols()));
}

}  // namespace modicum
