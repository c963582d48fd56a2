// Gaussian random projection D^T G, G with `columns` standard normal columns [LuWei2026, Lemma 4].
#pragma once

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// The pair of a database with and without a row of leverage p in the larger database: one
/// eigenvalue 1 / (1 - p) in each column. X is the database with the row. It dominates every pair
/// of smaller leverage, at every real epsilon (docs/derivations/gaussian-spectrum.md).
PrivacyLoss random_projection(double columns, double leverage);

}  // namespace modicum
