// The page of pictures of losses, for the holder of the data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "modicum/calibration/calibrate.h"
#include "modicum/interfaces/chart.h"
#include "release/reports/loss_summary.h"

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

/// Names and numbers for people, a row each.
std::vector<std::vector<std::string>> summary_rows(const LossSummary& summary);

}  // namespace modicum
