#include "interfaces/job.h"

namespace modicum {

std::vector<JobKind> convert_jobs() {
  return {};
}

}  // namespace modicum
