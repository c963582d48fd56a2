// Opacus: a list of (noise multiplier, sampling rate, steps).
#include <fmt/format.h>

#include "modicum/data/json.h"
#include "release/imports/imports.h"

namespace modicum {

Value description_of_history(const Value& history, Adjacency adjacency) {
  if (!history.is_list() || history.size() == 0)
    refuse("history", history.is_list() ? "empty" : shown(history),
           "must be a list of (noise multiplier, sampling rate, steps)");
  Value parts = Value::list();
  for (std::size_t i = 0; i < history.size(); ++i) {
    const Value& entry = history.at(i);
    const std::string path = fmt::format("history[{}]", i);
    const auto number = [&](std::size_t place, const char* name) {
      if (!entry.at(place).is_number())
        refuse(path, shown(entry), fmt::format("its {} must be a number", name));
      return entry.at(place).number();
    };
    if (!entry.is_list() || entry.size() != 3)
      refuse(path, shown(entry), "must be (noise multiplier, sampling rate, steps)");
    const double noise = number(0, "noise multiplier"), rate = number(1, "sampling rate"),
                 steps = number(2, "number of steps");
    if (!(noise > 0.0))
      refuse(path, shown(entry),
             "its noise multiplier must be positive: without noise there is "
             "no privacy");
    if (!(rate >= 0.0 && rate <= 1.0))
      refuse(path, shown(entry), "its sampling rate must be from 0 to 1");
    if (!(steps >= 1.0)) refuse(path, shown(entry), "its number of steps must be at least 1");
    Value part = sampled_gaussian(noise, rate, adjacency);
    if (steps != 1.0) part["count"] = entry.at(2);
    parts.push_back(std::move(part));
  }
  if (parts.size() == 1) return parts.at(std::size_t{0});
  return {{"compose", std::move(parts)}};
}

}  // namespace modicum
