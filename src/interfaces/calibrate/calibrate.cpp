#include "interfaces/calibrate/calibrate.h"

#include <algorithm>
#include <iterator>

namespace modicum {

std::vector<JobKind> calibrate_jobs() {
  std::vector<JobKind> kinds{
      {"calibrate", "least noise that meets a privacy target",
       "  modicum calibrate gaussian --epsilon 1 --delta 1e-6 --sensitivity 1"}};
  for (const auto chapter : {noise_calibrations}) std::ranges::move(chapter(), std::back_inserter(kinds));
  return kinds;
}

}  // namespace modicum
