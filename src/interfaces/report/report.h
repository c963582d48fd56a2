// report: what was given away, and to whom, by kinds of reports.
#pragma once

#include <vector>

#include "interfaces/job.h"

namespace modicum {

std::vector<JobKind> spectrum_report();

}  // namespace modicum
