// The page of pictures of losses, for the holder of the data.
#pragma once

#include <optional>
#include <string>

#include "interfaces/loss_summary.h"
#include "modicum/calibration/calibrate.h"
#include "modicum/interfaces/chart.h"

namespace modicum {

/// How many records lost how much, with the worst case marked.
Chart loss_histogram(const RecordLosses& losses, const PrivacyTarget& worst_case);
/// Losses against their bounds: a dot a record, or bands where there are very many.
Chart bound_against_truth(const RecordLosses& losses);

struct LossPage {
  RecordLosses inside;
  std::optional<RecordLosses> outside;
  PrivacyTarget worst_case;
  double failure;
};
std::string loss_page(const LossPage& page);

}  // namespace modicum
