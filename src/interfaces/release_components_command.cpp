// release components: the top principal components of a table.
#include <fmt/format.h>

#include <memory>

#include "interfaces/component_options.h"
#include "interfaces/component_request.h"
#include "interfaces/release_source.h"

namespace modicum {
namespace {

CommandResult answer(const ComponentOptions& options) {
  const ReleaseFiles places = options.places();
  const ComponentTable from(options);
  const ComponentRequest request = component_request(options);
  const PrivacyTarget target = component_target(options, request, from.dimension());
  const ComponentPlan plan = planned([&] { return plan_components(target, from.rows, request); });
  SecureSource source;
  const SecondMoments moments = from.moments(options);
  return std::visit(
      [&](const auto& given) {
        Released released = release_components(plan, given, source);
        return options.finish(released, places,
                              fmt::format("{} of the {} principal components", request.components,
                                          from.rows.dimension()),
                              [&] { return diagnose_components(plan, released, given); });
      },
      moments);
}

}  // namespace

void add_release_components_command(CLI::App& release, CommandResult& output) {
  CLI::App* command = add_command(
      release, "components", "the top principal components of a table",
      "  modicum release components examples/genotypes.csv --exclude region --range-of-all 0:2 \\\n"
      "    --components 2 --epsilon 1 --delta 1e-6 --output components.csv");
  const auto options = std::make_shared<ComponentOptions>();
  options->add_data_to(*command);
  options->add_output_to(*command);
  options->add_scaling_to(*command);
  add_component_request(*command, *options);
  command->callback([&output, options] { output = answer(*options); });
}

}  // namespace modicum
