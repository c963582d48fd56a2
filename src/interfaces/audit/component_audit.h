// Private principal components at finite size, simulated, beside what the limits predict.
#pragma once

#include <optional>
#include <string>

#include "interfaces/reply.h"
#include "modicum/auditing/component_simulation.h"
#include "modicum/data/fields.h"
#include "modicum/interfaces/chart.h"
#include "modicum/mechanisms/exponential_components.h"

namespace modicum {

const Choices<ComponentSampler>& audited_samplers();

struct AuditedTradeoff {
  double confidence, worst_row_share;
  SimulatedTradeoff simulated;
  std::vector<double> predicted;

  /// Whether the predicted curve is within the band wherever both were looked at.
  bool consistent() const;
};

struct ComponentAudit {
  ComponentSpectrum spectrum;
  double beta;
  RowScaling scaling;
  ComponentSampler sampler;
  std::size_t draws;
  SimulatedUtility utility;
  std::optional<AuditedTradeoff> tradeoff;  ///< none where no mu is predicted, or mu = 0

  std::optional<double> mu() const { return predicted_mu(spectrum, beta); }
  /// Draws that are proved together: one, or as many as components one after the other.
  double proved_draws() const;
};

Reply told(const ComponentAudit& audit);
/// Type II against type I error: simulated, predicted, and the least that is proved. Without a
/// trade-off, only what is proved.
Chart tradeoff_chart(const ComponentAudit& audit, const std::string& title);

}  // namespace modicum
