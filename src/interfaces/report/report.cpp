#include "interfaces/job.h"

namespace modicum {

std::vector<JobKind> report_jobs() {
  return {};
}

}  // namespace modicum
