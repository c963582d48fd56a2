// report: what was given away, and to whom, by kinds of reports.
#pragma once

#include <vector>

#include "interfaces/job.h"

namespace modicum {

std::vector<JobKind> per_instance_reports();
std::vector<JobKind> report_evaluation();
std::vector<JobKind> report_budgets();
std::vector<JobKind> noise_report();
std::vector<JobKind> spectrum_report();

}  // namespace modicum
