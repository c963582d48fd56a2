#include "release/descriptions/discovery_mechanism.h"

#include <fmt/format.h>

#include "modicum/mechanisms/discovered_groups.h"

namespace modicum::described {

void DiscoveredGroups::fields(Fields& fields) {
  fields.add("standard_deviation", standard_deviation, "of the noise").required();
  fields
      .add("sensitivities", sensitivities,
           "by how much the numbers of other people's groups move, for each way to share out the "
           "rows of a person")
      .required();
  fields
      .add("probabilities", probabilities,
           "with which a group of this person alone is shown, for each of these ways")
      .required();
}

PrivacyLoss DiscoveredGroups::loss(const Setting&) const {
  return discovered_groups(standard_deviation, sensitivities, probabilities);
}

std::string DiscoveredGroups::label() const {
  return fmt::format("discovered groups, sigma {}", standard_deviation);
}

}  // namespace modicum::described
