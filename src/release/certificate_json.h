// A certificate as a JSON object, with the keys in the order in which they are documented.
#pragma once

#include "modicum/data/json.h"
#include "modicum/release/certificate.h"

namespace modicum {

Value to_json(const Certificate& certificate);

}  // namespace modicum
