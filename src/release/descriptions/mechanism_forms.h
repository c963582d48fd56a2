// What the description of each mechanism is made of, for forms.
#pragma once

#include <functional>

#include "modicum/data/fields.h"

namespace modicum {

/// The name of each mechanism and its keys, in the order of the table of descriptions.
void for_each_mechanism(const std::function<void(const char* name, const Fields& fields)>& use);

}  // namespace modicum
