// How well linear predictions do on rows with labels; not private.
#pragma once

#include "modicum/mechanisms/prediction_loss.h"
#include "modicum/release/diagnostics.h"
#include "modicum/release/labeled_rows.h"

namespace modicum {

struct ComparedCoefficients {
  PredictionLoss loss;
  Eigen::VectorXd minimizer, released;
};

/// One more pass: rows used, unreadable and clipped; mean losses; for labels also the share of the
/// more frequent one, and the shares that are classified right; how far the coefficients are apart.
Diagnostics diagnose_labeled(const ComparedCoefficients& compared, const Table& table,
                             const LabeledRows& rows, const ReadOptions& options);

}  // namespace modicum
