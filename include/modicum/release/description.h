// Mechanism descriptions: JSON text that every interface understands in the same way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "modicum/data/json.h"
#include "modicum/privacy/gaussian_pair.h"
#include "modicum/privacy/profile.h"
#include "modicum/release/adjacency.h"
#include "modicum/release/unit.h"

namespace modicum {

struct Description {
  PrivacyLoss loss;
  std::string label;  ///< for people: "Gaussian, sigma 50, 1000 times"
  Adjacency adjacency = Adjacency::add_remove;
  std::optional<ProtectedUnit> unit = {};  ///< whom it is about, where certificates say so
};

/// All parts, which must be about the same neighbors and, where it is told, the same unit: else
/// throws InvalidParameter, which names the part as one of this list. One part stays what it is.
Description composed(const char* list, std::vector<Description> parts);

/// Reads one description:
///
///     {"mechanism": "gaussian", "standard_deviation": 50, "sensitivity": 1, "count": 1000}
///     {"mechanism": "gaussian_pair", "mean1": [..], "covariance1": [[..]], "mean2": ..,
///     "covariance2": ..}
///     {"mechanism": "gaussian_spectrum", "components": [{"mean", "variance_ratio",
///     "multiplicity"}]}
///     {"mechanism": "laplace", "scale", "sensitivity"}
///     {"mechanism": "subsampled_gaussian", "standard_deviation", "sensitivity", "sampling_rate"}
///     {"mechanism": "subsampled_laplace", "scale", "sensitivity", "sampling_rate"}
///     {"mechanism": "discrete_gaussian", "sigma", "sensitivity"}
///     {"mechanism": "discrete_laplace", "scale", "sensitivity"}, also called geometric
///     {"mechanism": "integer_noise", "probabilities": [..], "first", "sensitivity"}
///     {"mechanism": "zcdp", "rho", "xi"}
///     {"mechanism": "renyi", "orders": [..], "divergences": [..]}
///     {"mechanism": "loss_distribution", "remove": {"lowest", "interval", "probabilities",
///     "infinite"}, "add": {..}}
///     {"mechanism": "exponential", "epsilon"}
///     {"mechanism": "permute_and_flip", "epsilon"}
///     {"mechanism": "report_noisy_max", "noise", "scale", "sensitivity", "monotone"}
///     {"mechanism": "sparse_vector", "threshold_scale", "query_scale", "answers", "sensitivity",
///     "monotone"}
///     {"mechanism": "repeat_and_select", "repeated": {..}, "distribution", "mean", "shape"}
///     {"mechanism": "mixture_of_gaussians", "standard_deviation", "sensitivities": [..],
///     "probabilities": [..]}
///     {"mechanism": "truncated_subsampled_gaussian", "noise_multiplier", "sampling_rate",
///     "dataset_size", "largest_batch"}
///     {"mechanism": "shuffled_gaussian", "standard_deviation", "sensitivity"}
///     {"mechanism": "allocated_gaussian", "standard_deviation", "sensitivity", "batches"}
///     {"mechanism": "matrix_mechanism", "strategy": [[..]], "noise_multiplier", "participations",
///     "separation", "cyclic", "patterns": [[..]], "sampling_rate"}, or "coefficients": [..] and
///     "rounds" in place of "strategy"
///     {"mechanism": "tree_aggregation", "noise_multiplier", "step_counts": [..]}
///     {"mechanism": "spherical_generalized_gamma", "dimension", "alpha", "beta", "p",
///     "sensitivity"}
///     {"mechanism": "l2", "dimension", "scale", "sensitivity"}
///     {"mechanism": "random_projection", "columns", "leverage"}
///     {"mechanism": "projection_release", "columns", "ridge", "row_norm_bound"}
///     {"mechanism": "subsampled_projection", "columns", "ridge", "row_norm_bound",
///     "sampling_rate"}
///     {"mechanism": "least_squares", "columns", "features", "row_leverage", "full_leverage"}
///     {"mechanism": "least_squares_release", "columns", "features", "ridge", "row_norm_bound"}
///     {"mechanism": "covariance_release", "standard_deviation", "row_norm_bound"}
///     {"mechanism": "gaussian_process_release", "kernel_bound", "noise_variance", "target_bound",
///     "largest_rows", "prior_bound", "lift_variance"}
///     {"mechanism": "objective_perturbation", "standard_deviation", "lipschitz", "smoothness",
///     "regularization", "loss"}
///     {"mechanism": "gaussian_dp", "mu"}
///     {"mechanism": "pure", "epsilon"}
///     {"mechanism": "approximate", "epsilon", "delta"}
///     {"mechanism": "randomized_response", "truth_probability"}
///     {"mechanism": "bounded_range", "range"}
///     {"mechanism": "tabulated", "file": "loss.csv"}
///     {"compose": [ any of these, compositions too ]}
///
/// Every key is required but `count` (allowed on each, compositions too) and `multiplicity`, both 1
/// by default, `loss`, the name of one (objective_loss_names), `xi`, `monotone`, `infinite`, `add`
/// and what says in which rounds a record takes part. Lists must not be empty: a
/// composition of nothing is more likely a mistake than a wish. X, index 1, is the side with the
/// record, for subsampled noise the mixture; parts of a composition are added as they stand.
/// `random_projection` and `least_squares` are one pair of neighbors each, by its leverages; what
/// ends in `_release` dominates all pairs of rows up to the norm bound, which is what a composition
/// needs. The file of a table holds one `loss,probability` a line, the law of the loss under X; its
/// path is relative to `folder`, the current one where that is empty.
///
/// `adjacency` is add_remove (the default), replace_one or zero_out, on each: what is given holds
/// for these neighbors, and the parts of a composition must agree. Subsampled noise has `sampling`:
/// poisson (the default) or without_replacement, for batches of a fixed size, which needs
/// replace_one or zero_out. Under replace_one, and for such batches, `sensitivity` is how far
/// replacing a record moves the sum, 2C for rows clipped to the norm C, and `noise_multiplier` is
/// the deviation over C. `shuffled_gaussian` and `allocated_gaussian` are epochs: `count` is their
/// number.
///
/// A certificate stands for its loss, alone and as a part of a composition: it must be proved, and
/// its neighbors must be those of the loss. Certificates of a composition must protect the same
/// unit, one row where they do not say; descriptions do not tell theirs, and join any.
///
/// `noise_multiplier` may stand in place of `standard_deviation` and `sensitivity`, `steps` in
/// place of `count`.
///
/// Throws InvalidDescription for keys that are unknown, missing or of another type and for values
/// that the mechanism refuses. Throws another Error for a table that cannot be read.
Description describe(const Value& tree, Accuracy accuracy = Accuracy::automatic,
                     std::string_view folder = "");
/// The same from its text, see parse_json; messages begin with `source_name`.
Description parse_description(std::string_view text, std::string_view source_name,
                              Accuracy accuracy = Accuracy::automatic,
                              std::string_view folder = "");

}  // namespace modicum
