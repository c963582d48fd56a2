#include "release/tables/labeled_diagnostics.h"

#include <algorithm>

namespace modicum {
namespace {

struct Counts {
  double used = 0.0, clipped = 0.0, positive = 0.0;
  struct Predictor {
    double loss = 0.0, right = 0.0;
  } minimizer, released;
};

// A row on the plane counts as negative.
Counts::Predictor predicted(const LabeledBlock& block, double grid, const PredictionLoss& loss,
                            const Eigen::VectorXd& coefficients) {
  const Eigen::VectorXd predictions = grid * (block.features * coefficients);
  Counts::Predictor sum;
  for (Eigen::Index i = 0; i < predictions.size(); ++i) {
    sum.loss += loss.at(predictions[i], block.labels[i]).value;
    if ((predictions[i] > 0.0) == (block.labels[i] > 0.0)) sum.right += 1.0;
  }
  return sum;
}

void add(Counts::Predictor& sum, const Counts::Predictor& part) {
  sum.loss += part.loss;
  sum.right += part.right;
}

Counts count(const ComparedCoefficients& compared, const LabeledRows& rows,
             const ReadOptions& options) {
  Counts sum;
  rows.for_each_block(options, [&](const LabeledBlock& block) -> std::function<void()> {
    const double grid = rows.clip().grid();
    Counts part{static_cast<double>(block.labels.size()), block.clipped,
                static_cast<double>((block.labels.array() > 0.0).count()),
                predicted(block, grid, compared.loss, compared.minimizer),
                predicted(block, grid, compared.loss, compared.released)};
    return [&sum, part] {
      sum.used += part.used;
      sum.clipped += part.clipped;
      sum.positive += part.positive;
      add(sum.minimizer, part.minimizer);
      add(sum.released, part.released);
    };
  });
  return sum;
}

}  // namespace

Diagnostics diagnose_labeled(const ComparedCoefficients& compared, const Table& table,
                             const LabeledRows& rows, const ReadOptions& options) {
  const Counts sum = count(compared, rows, options);
  const double used = sum.used;
  Diagnostics all = diagnose_dropped_rows(table, rows.columns(), options);
  all.push_back({"rows_clipped", sum.clipped});
  if (compared.loss.takes_labels()) {
    all.push_back(
        {"share_of_the_larger_class", std::max(sum.positive, used - sum.positive) / used});
    all.push_back({"accuracy_of_the_minimizer", sum.minimizer.right / used});
    all.push_back({"accuracy_of_the_release", sum.released.right / used});
  }
  all.push_back({"mean_loss_of_the_minimizer", sum.minimizer.loss / used});
  all.push_back({"mean_loss_of_the_release", sum.released.loss / used});
  all.push_back({"distance_to_the_minimizer", (compared.released - compared.minimizer).norm()});
  all.push_back({"norm_of_the_minimizer", compared.minimizer.norm()});
  return all;
}

}  // namespace modicum
