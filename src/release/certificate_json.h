// A certificate as a JSON object, with the keys in the order in which they are documented.
#pragma once

#include <nlohmann/json.hpp>

#include "modicum/release/certificate.h"

namespace modicum {

nlohmann::ordered_json to_json(const Certificate& certificate);

}  // namespace modicum
