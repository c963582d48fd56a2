// Which components, by which method, at which price.
#pragma once

#include "interfaces/component_options.h"

namespace modicum {

/// --components, --method and what methods take, --epsilon, --delta, --beta, --mu.
void add_component_request(CLI::App& command, ComponentOptions& options);
ComponentRequest component_request(const ComponentOptions& options);

/// --epsilon and --delta, or what a public --beta or a --mu makes of them. Throws UsageError.
PrivacyTarget component_target(const ComponentOptions& options, const ComponentRequest& request,
                               double dimension);

}  // namespace modicum
