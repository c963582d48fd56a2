// The top principal components of a table: of its second moments, as they are, without taking off
// any mean. Ranges center columns at their middle, ranks at their median. Proofs and limits:
// docs/derivations/principal-components.md.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <variant>

#include "modicum/data/gram.h"
#include "modicum/data/ranks.h"
#include "modicum/mechanisms/adaptive_components.h"
#include "modicum/mechanisms/component_sampler.h"
#include "modicum/mechanisms/exponential_components.h"
#include "modicum/release/covariance_release.h"
#include "modicum/release/diagnostics.h"
#include "modicum/release/matrix_release.h"
#include "modicum/release/released.h"

namespace modicum {

enum class ComponentMethod {
  exponential,                   ///< one direction after the other, each drawn exactly: proved
  joint,                         ///< all at once; for more than one by an approximate sampler
  adaptive,                      ///< all at once, as a noisy gap allows in the limit: asymptotic
  gaussian_orthogonal_ensemble,  ///< eigenvectors of the second moments with noise: proved
  analyze_gauss,                 ///< the same, with twice the variance off the diagonal
  wishart,                       ///< eigenvectors of the second moments of a sketch
};
const char* name_of(ComponentMethod method);

struct ComponentRequest {
  double components;
  ComponentMethod method = ComponentMethod::exponential;
  RowScaling scaling = RowScaling::separate;
  /// Of `joint` and `adaptive`, for more than one component.
  ComponentSampler sampler = ComponentSampler::gibbs;
  std::optional<double> sweeps = {};  ///< of Gibbs sampling; else 50
  /// A public number, about how many rows there are: what beta refers to. Only needed with `beta`.
  std::optional<double> rows = {};
  /// A public beta in place of the largest that the target allows; `exponential` and `joint`.
  std::optional<double> beta = {};
  /// `adaptive`: the share of the target's squared mu for the gap; else 0.2.
  std::optional<double> calibration_share = {};
};

/// epsilon at `delta` of a public beta, for the methods that take one. Rounded upwards.
double epsilon_of_beta(const ComponentRequest& request, double dimension, double delta);

/// What each draw of `exponential` and `joint` is allowed. The exponent is (range / l^2) |V^T D|^2
/// for rows of norm at most l, which needs no number of rows.
struct FrameDraws {
  double range, draws;
};

struct ComponentPlan {
  PublicRows rows;
  ComponentRequest request;
  /// What is drawn: frames; frames by a noisy gap; second moments, of rows or of their ranks, from
  /// which the components are taken.
  std::variant<FrameDraws, AdaptiveCalibration, CovariancePlan, MatrixPlan> draw;
  double grid;  ///< of the components; for noise on second moments, of those
  Certificate certificate;

  const FrameDraws& frames() const { return std::get<FrameDraws>(draw); }
};

/// The certificate says `proved` only where draws are exact and the bound holds for every table of
/// any size; else `asymptotic`. Throws InvalidParameter, CalibrationFailed. With ranks there is no
/// `wishart`.
ComponentPlan plan_components(const PrivacyTarget& target, const PublicRows& rows,
                              const ComponentRequest& request);

/// A column for each component, a row for each coordinate; orthonormal but for rounding to the
/// grid. The entry of largest size in a column is positive. All zeros where `adaptive` finds that
/// the gap is too small (found_nothing): that too is private. For noise on second moments the order
/// is that of the eigenvalues; for `exponential` that of the draws; for the others there is none.
Released release_components(const ComponentPlan& plan, const IntegerGram& gram,
                            RandomSource& source);
Released release_components(const ComponentPlan& plan, const RankMoments& moments,
                            RandomSource& source);
bool found_nothing(const Released& released);

/// How far released components are from the true ones: |U U^T - V V^T|^2 in the spectral and in the
/// Frobenius norm, and the share of the variance along the true ones that is along them. All zeros
/// count as orthogonal ones: 1, 2 k and 0.
struct ComponentErrors {
  double spectral, frobenius, captured;
};
/// `moments`: of the rows, up to a factor.
ComponentErrors component_errors(const Eigen::MatrixXd& components, const Eigen::MatrixXd& moments);

/// Errors of this release; the gap; and for the methods with a limit its predictions at the beta
/// used: errors, mu where there is one; for Gibbs sampling what chains of that length show
/// (ChainDiagnostics). None of it is private.
Diagnostics diagnose_components(const ComponentPlan& plan, const Released& released,
                                const IntegerGram& gram);
Diagnostics diagnose_components(const ComponentPlan& plan, const Released& released,
                                const RankMoments& moments);

}  // namespace modicum
