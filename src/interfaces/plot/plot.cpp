#include "interfaces/job.h"

namespace modicum {

std::vector<JobKind> plot_jobs() {
  return {};
}

}  // namespace modicum
