#include "interfaces/job.h"

#include <algorithm>

namespace modicum {

const std::vector<JobKind>& jobs() {
  static const std::vector<JobKind> all = [] {
    std::vector<JobKind> kinds;
    for (const auto chapter : {query_jobs, calibrate_jobs}) {
      std::vector<JobKind> some = chapter();
      std::ranges::move(some, std::back_inserter(kinds));
    }
    return kinds;
  }();
  return all;
}

const JobKind* find_job(std::string_view name) {
  const auto found = std::ranges::find(jobs(), name, &JobKind::name);
  return found == jobs().end() ? nullptr : &*found;
}

std::vector<const JobKind*> children_of(std::string_view name) {
  std::vector<const JobKind*> children;
  for (const JobKind& kind : jobs()) {
    const auto last = kind.name.rfind(' ');
    const std::string_view parent =
        last == std::string::npos ? "" : std::string_view(kind.name).substr(0, last);
    if (parent == name) children.push_back(&kind);
  }
  return children;
}

}  // namespace modicum
