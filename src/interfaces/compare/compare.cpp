#include "interfaces/compare/compare.h"

namespace modicum {

std::vector<JobKind> compare_jobs() {
  return joined({{noise_comparison()}, release_comparisons()});
}

}  // namespace modicum
