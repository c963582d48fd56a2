#include "interfaces/release/everyday_warnings.h"

#include <fmt/format.h>

namespace modicum {

std::vector<std::string> warnings_of(const EverydayPlan& plan, const Released& released) {
  if (plan.shown_from) {
    if (released.values.rows() > 0) return {};
    return {fmt::format("No group has a noisy number of rows of {:.4g} or more.",
                        *plan.shown_from / plan.count_weight)};
  }
  constexpr const char* advice =
      "check columns, `separator`, `decimal` and categories (`explain` tells what is done with "
      "each column, `public_shape` refuses a first row that does not fit).";
  // No number of rows is released with a sum, but that of no rows is 0.
  if (plan.statistic == Everyday::sum && (released.values.col(1).array() <= 0.0).all() &&
      (released.values.col(2).array() >= 0.0).all())
    return {fmt::format("Every sum is compatible with that of no rows: {}", advice)};
  const std::optional<std::size_t> empty = groups_like_empty(plan, released);
  if (!empty || *empty == 0) return {};
  if (*empty == plan.question.groups.size())
    return {fmt::format("The noisy number of usable rows is compatible with none{}: {}",
                        plan.question.groups.columns.empty() ? "" : " in every group", advice)};
  return {fmt::format("In {} of {} groups the noisy number of usable rows is compatible with none.",
                      *empty, plan.question.groups.size())};
}

// Without a count there is none.
std::vector<std::string> warnings_of(const QuantilePlan& plan, const Released& released) {
  return plan.counts ? warnings_of(*plan.counts, released) : std::vector<std::string>{};
}

}  // namespace modicum
