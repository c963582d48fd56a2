#include "interfaces/job.h"

#include <algorithm>

namespace modicum {

const std::vector<JobKind>& jobs() {
  static const std::vector<JobKind> all =
      joined({release_jobs(), ledger_jobs(), plot_jobs(), report_jobs(), serve_jobs(), query_jobs(),
              meaning_jobs(), calibrate_jobs(), optimize_jobs(), compare_jobs(), convert_jobs(),
              people_jobs(), quantile_jobs(), audit_jobs(), manual_jobs(), completion_jobs()});
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

std::vector<JobKind> joined(std::vector<std::vector<JobKind>> chapters) {
  std::vector<JobKind> kinds;
  for (std::vector<JobKind>& chapter : chapters)
    std::ranges::move(chapter, std::back_inserter(kinds));
  return kinds;
}

}  // namespace modicum
