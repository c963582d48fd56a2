#include "modicum/mechanisms/prediction_loss.h"

#include <fmt/format.h>

#include "numerics/ball.h"

namespace modicum {
namespace {

// Beyond these limits a kink is so sharp that solvers stumble, or so far away that there is none.
double require_moderate(const char* name, double value) {
  if (!(value >= 0.01 && value <= 100.0))
    throw InvalidParameter(name, value, "must lie between 0.01 and 100");
  return value;
}

// A prediction that must stay below what is to be predicted would be rewarded without end.
double require_prediction_bound(double value) {
  if (!(value >= 1.0 && value <= 100.0))
    throw InvalidParameter("prediction_bound", value, "must lie between 1 and 100");
  return value;
}

Ball slope_bound(const PredictionLoss& loss) {
  switch (loss.kind()) {
    case PredictionLossKind::logistic:
    case PredictionLossKind::smoothed_hinge:
      return 1.0;
    case PredictionLossKind::huber:
    case PredictionLossKind::log_cosh:
      return loss.parameter();
    case PredictionLossKind::squared:
      break;
  }
  return Ball(loss.parameter()) + Ball(1.0);
}

Ball curvature_bound(const PredictionLoss& loss) {
  switch (loss.kind()) {
    case PredictionLossKind::logistic:
      return 0.25;
    case PredictionLossKind::smoothed_hinge:
      return Ball(1.0) / (Ball(2.0) * Ball(loss.parameter()));
    case PredictionLossKind::huber:
    case PredictionLossKind::log_cosh:
    case PredictionLossKind::squared:
      break;
  }
  return 1.0;
}

}  // namespace

PredictionLoss PredictionLoss::logistic() { return {PredictionLossKind::logistic, 0.0}; }

PredictionLoss PredictionLoss::smoothed_hinge(double width) {
  return {PredictionLossKind::smoothed_hinge, require_moderate("width", width)};
}

PredictionLoss PredictionLoss::huber(double threshold) {
  return {PredictionLossKind::huber, require_moderate("threshold", threshold)};
}

PredictionLoss PredictionLoss::squared(double prediction_bound) {
  return {PredictionLossKind::squared, require_prediction_bound(prediction_bound)};
}

PredictionLoss PredictionLoss::log_cosh(double threshold) {
  return {PredictionLossKind::log_cosh, require_moderate("threshold", threshold)};
}

PredictionLoss PredictionLoss::named(const std::string& name, double parameter) {
  if (name == "logistic") return logistic();
  if (name == "smoothed_hinge") return smoothed_hinge(parameter);
  if (name == "huber") return huber(parameter);
  if (name == "squared") return squared(parameter);
  if (name == "log_cosh") return log_cosh(parameter);
  throw InvalidParameter("loss", fmt::format("\"{}\"", name),
                         fmt::format("must be one of {}", fmt::join(objective_loss_names(), ", ")));
}

std::string PredictionLoss::name() const {
  switch (kind_) {
    case PredictionLossKind::logistic:
      return "logistic";
    case PredictionLossKind::smoothed_hinge:
      return "smoothed_hinge";
    case PredictionLossKind::huber:
      return "huber";
    case PredictionLossKind::log_cosh:
      return "log_cosh";
    case PredictionLossKind::squared:
      break;
  }
  return "squared";
}

bool PredictionLoss::takes_labels() const { return slope_signs_of(name()) == SlopeSigns::one; }

double PredictionLoss::largest_slope() const {
  const PrecisionScope scope(128);
  return slope_bound(*this).upper();
}

double PredictionLoss::largest_curvature() const {
  const PrecisionScope scope(128);
  return curvature_bound(*this).upper();
}

ObjectiveBounds PredictionLoss::bounds(double row_norm_bound, double regularization) const {
  require_positive("row_norm_bound", row_norm_bound);
  const PrecisionScope scope(128);
  const Ball norm(row_norm_bound);
  return {(slope_bound(*this) * norm).upper(), (curvature_bound(*this) * norm * norm).upper(),
          regularization, slope_signs_of(name()).value(), curvature_tie_of(name())};
}

}  // namespace modicum
