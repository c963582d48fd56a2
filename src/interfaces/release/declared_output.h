// An algorithm of somebody else, that answers with a draw from a Gaussian, by what its holder
// declares of it.
#pragma once

#include <optional>

#include "interfaces/job.h"
#include "modicum/data/fields.h"
#include "modicum/mechanisms/directed_noise.h"
#include "modicum/release/lift.h"

namespace modicum {

/// For all neighbors: the means are at most so far apart, and the larger covariance is at most the
/// smaller plus so much, in so many directions. Or, with public directions u: the means differ by a
/// u, |a| at most so much, and the covariances by b u u^T, b at most so much, for one of them.
struct DeclaredOutput {
  double mean_shift = 0.0, variance_excess = 0.0, rank = 1.0;
  Input<Eigen::MatrixXd> directions = {};

  void fields(Fields& fields);
};

/// It with its directions read. Released numbers are in coordinates in which noise is the same in
/// all directions.
class LiftedOutput {
 public:
  using Data = GaussianDistribution;
  /// Throws UsageError, InvalidParameter, UnreadableFile.
  explicit LiftedOutput(const DeclaredOutput& declared);

  std::string name() const { return "lifted_gaussian"; }
  std::vector<std::string> assumptions() const;
  /// Throws InvalidParameter where directions are of another size than an output of so many
  /// numbers.
  void require_size(Eigen::Index numbers) const;
  /// Throws the same.
  GaussianDistribution output(const Data& given) const;
  /// Both covariances are at least the noise: it is the unit, at worst. Rounded upwards.
  OutputSensitivity sensitivity(double noise_variance) const;
  /// A guess to begin with.
  double start() const;
  /// From these coordinates to those of the output.
  Eigen::MatrixXd in_output_coordinates(const Eigen::MatrixXd& values) const;
  /// What directions make of the noise, for a certificate.
  void describe(Certificate& certificate, double noise_variance) const;
  const std::optional<DirectedNoise>& directed() const { return directed_; }

 private:
  double reach() const { return directed_ ? directed_->reach : 1.0; }
  DeclaredOutput declared_;
  Eigen::MatrixXd directions_;
  std::optional<DirectedNoise> directed_;
};

/// A matrix in a file, or at hand.
Field& matrix_input(Fields& fields, const std::string& name, Input<Eigen::MatrixXd>& value,
                    const std::string& help);
Eigen::MatrixXd matrix_of(const Input<Eigen::MatrixXd>& input);

JobKind lift_release();

}  // namespace modicum
