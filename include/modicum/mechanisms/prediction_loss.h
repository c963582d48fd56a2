// Convex losses f(u; y) of a linear prediction u = x^T theta, with the bounds on slope and
// curvature that objective perturbation asks for.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "modicum/mechanisms/objective_perturbation.h"

namespace modicum {

enum class PredictionLossKind { logistic, smoothed_hinge, huber, squared, log_cosh };

template <class Real>
struct LossAtPrediction {
  Real value, slope, curvature;  ///< f, f', f''
};

class PredictionLoss {
 public:
  /// log(1 + exp(-y u)), y = -1 or +1.
  static PredictionLoss logistic();
  /// Of m = y u, y = -1 or +1: 1 - m up to 1 - width, 0 from 1 + width on, between them the
  /// parabola (1 + width - m)^2 / (4 width).
  static PredictionLoss smoothed_hinge(double width);
  /// (u - y)^2/2 for |u - y| <= threshold, straight lines beyond.
  static PredictionLoss huber(double threshold);
  /// (u - y)^2/2 for |u| <= prediction_bound >= 1, straight lines beyond; y is in [-1, 1]. So the
  /// slope is bounded in all of the space, not on a ball of coefficients only.
  static PredictionLoss squared(double prediction_bound);
  /// threshold^2 log cosh((u - y)/threshold): Huber's without its kinks, about.
  static PredictionLoss log_cosh(double threshold);
  /// By the names of objective_loss_names(); `parameter` is ignored by the logistic loss. Throws
  /// InvalidParameter.
  static PredictionLoss named(const std::string& name, double parameter);

  PredictionLossKind kind() const { return kind_; }
  std::string name() const;
  /// width, threshold or prediction_bound; 0 for the logistic loss.
  double parameter() const { return parameter_; }
  /// Whether y is -1 or +1, else it is a number.
  bool takes_labels() const;

  double largest_slope() const;      ///< of |f'|, over all u and y
  double largest_curvature() const;  ///< of f''
  /// For rows of norm at most row_norm_bound. Rounded upwards.
  ObjectiveBounds bounds(double row_norm_bound, double regularization) const;

  template <class Real>
  LossAtPrediction<Real> at(Real u, Real y) const;
  /// f' alone: the same number, sooner.
  template <class Real>
  Real slope(Real u, Real y) const;

  bool operator==(const PredictionLoss&) const = default;

 private:
  PredictionLoss(PredictionLossKind kind, double parameter) : kind_(kind), parameter_(parameter) {}
  PredictionLossKind kind_;
  double parameter_;
};

namespace prediction_loss_detail {

template <class Real>
Real logistic_pull(Real margin, Real tail) {
  return (margin > Real(0) ? tail : Real(1)) / (Real(1) + tail);
}

template <class Real>
LossAtPrediction<Real> logistic(Real u, Real y) {
  const Real margin = y * u;
  const Real tail = std::exp(-std::abs(margin));
  const Real pull = logistic_pull(margin, tail);
  const Real value = std::log1p(tail) + (margin > Real(0) ? Real(0) : -margin);
  return {value, -y * pull, tail / ((Real(1) + tail) * (Real(1) + tail))};
}

template <class Real>
LossAtPrediction<Real> smoothed_hinge(Real u, Real y, Real width) {
  const Real margin = y * u;
  if (margin >= Real(1) + width) return {Real(0), Real(0), Real(0)};
  if (margin <= Real(1) - width) return {Real(1) - margin, -y, Real(0)};
  const Real left = (Real(1) + width) - margin;
  return {left * left / (Real(4) * width), -y * (left / (Real(2) * width)),
          Real(1) / (Real(2) * width)};
}

template <class Real>
LossAtPrediction<Real> huber(Real u, Real y, Real threshold) {
  const Real residual = u - y, size = std::abs(residual);
  if (size <= threshold) return {residual * residual / Real(2), residual, Real(1)};
  return {threshold * (size - threshold / Real(2)), std::copysign(threshold, residual), Real(0)};
}

template <class Real>
LossAtPrediction<Real> squared(Real u, Real y, Real bound) {
  const Real inner = std::clamp(u, -bound, bound), slope = inner - y;
  return {slope * slope / Real(2) + slope * (u - inner), slope, inner == u ? Real(1) : Real(0)};
}

template <class Real>
LossAtPrediction<Real> log_cosh(Real u, Real y, Real threshold) {
  const Real ratio = (u - y) / threshold, size = std::abs(ratio);
  const Real tail = std::exp(Real(-2) * size), whole = Real(1) + tail;
  const Real value = size + std::log1p(tail) - std::log1p(Real(1));
  return {std::max(Real(0), threshold * threshold * value),
          std::copysign(threshold * ((Real(1) - tail) / whole), ratio),
          std::min(Real(1), Real(4) * tail / (whole * whole))};
}

}  // namespace prediction_loss_detail

template <class Real>
LossAtPrediction<Real> PredictionLoss::at(Real u, Real y) const {
  const Real parameter(parameter_);
  switch (kind_) {
    case PredictionLossKind::logistic:
      return prediction_loss_detail::logistic(u, y);
    case PredictionLossKind::smoothed_hinge:
      return prediction_loss_detail::smoothed_hinge(u, y, parameter);
    case PredictionLossKind::huber:
      return prediction_loss_detail::huber(u, y, parameter);
    case PredictionLossKind::log_cosh:
      return prediction_loss_detail::log_cosh(u, y, parameter);
    case PredictionLossKind::squared:
      break;
  }
  return prediction_loss_detail::squared(u, y, parameter);
}

template <class Real>
Real PredictionLoss::slope(Real u, Real y) const {
  if (kind_ != PredictionLossKind::logistic) return at(u, y).slope;
  const Real margin = y * u;
  return -y * prediction_loss_detail::logistic_pull(margin, std::exp(-std::abs(margin)));
}

}  // namespace modicum
