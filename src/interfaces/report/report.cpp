#include "interfaces/report/report.h"

namespace modicum {

std::vector<JobKind> report_jobs() {
  const JobKind group{"report", "what single records lost to a release",
                      "  modicum report per-instance --release fit.csv --method data-independent "
                      "--output report.json"};
  return joined({{group},
                 per_instance_reports(),
                 report_evaluation(),
                 report_budgets(),
                 noise_report(),
                 spectrum_report()});
}

}  // namespace modicum
