// Objective perturbation as a method of release: what it is asked, and how it is carried out.
#pragma once

#include <variant>

#include "interfaces/release/release.h"
#include "modicum/release/objective_release.h"

namespace modicum {

struct LogisticObjective {
  void fields(Fields&) {}
  PredictionLoss loss() const { return PredictionLoss::logistic(); }
  const char* what() const { return "a logistic regression"; }
};

struct HingeObjective {
  double hinge_width = 0.5;
  void fields(Fields& fields) {
    fields.add("hinge_width", hinge_width, "half the width of its bend, 0.5 by default");
  }
  PredictionLoss loss() const { return PredictionLoss::smoothed_hinge(hinge_width); }
  const char* what() const { return "a classifier with a smoothed hinge"; }
};

struct HuberObjective {
  double huber_threshold = 0.25;
  void fields(Fields& fields) {
    fields.add("huber_threshold", huber_threshold,
               "where the loss turns linear, in half ranges of the target; 0.25");
  }
  PredictionLoss loss() const { return PredictionLoss::huber(huber_threshold); }
  const char* what() const { return "a robust regression"; }
};

struct LogCoshObjective {
  double log_cosh_threshold = 0.25;
  void fields(Fields& fields) {
    fields.add("log_cosh_threshold", log_cosh_threshold,
               "where the loss turns linear, in half ranges of the target; 0.25");
  }
  PredictionLoss loss() const { return PredictionLoss::log_cosh(log_cosh_threshold); }
  const char* what() const { return "a robust regression"; }
};

struct SquaredObjective {
  double prediction_bound = 1.0;
  void fields(Fields& fields) {
    fields.add("prediction_bound", prediction_bound,
               "predictions beyond it count linearly; 1, the range");
  }
  PredictionLoss loss() const { return PredictionLoss::squared(prediction_bound); }
  const char* what() const { return "a regression"; }
};

/// `Objective` is a variant of the losses that may be minimized.
template <class Objective>
struct ObjectiveMethod {
  Objective objective = {};
  std::optional<double> regularization = {}, largest_rows = {};

  void objective_fields(Fields& fields, const Methods<Objective>& losses) {
    fields.methods("loss", objective, losses, "what is minimized",
                   [first = losses.front().word](const Fields&) { return first; });
    fields.add("regularization", regularization,
               "lambda, a public number: more of it needs less noise and says less of the data;\n"
               "by default as much as costs no noise (logistic, log-cosh), or a tenth of epsilon");
    fields.add("largest_rows", largest_rows,
               "a promise that there are at most this many rows, 2^24 by default");
  }
};

/// What is minimized for a release. `response` is asked once the columns of the table are known.
struct ObjectiveQuestion {
  const TableRelease& release;
  const RowChoice& choice;
  std::string what;
  PredictionLoss loss;
  std::optional<double> regularization, largest_rows;
  std::function<ResponseRule(const Table&)> response;
};
template <class Objective>
ObjectiveQuestion objective_question(const TableRelease& release, const RowChoice& choice,
                                     const ObjectiveMethod<Objective>& method,
                                     std::function<ResponseRule(const Table&)> response) {
  return std::visit(
      [&](const auto& objective) {
        return ObjectiveQuestion{release,
                                 choice,
                                 objective.what(),
                                 objective.loss(),
                                 method.regularization,
                                 method.largest_rows,
                                 std::move(response)};
      },
      method.objective);
}
Planned planned(const ObjectiveQuestion& question, Progress& progress);

}  // namespace modicum
