#include "interfaces/job.h"

namespace modicum {

std::vector<JobKind> optimize_jobs() {
  return {};
}

}  // namespace modicum
