#include "modicum/privacy/accuracy.h"

#include <fmt/format.h>

#include "modicum/numerics/errors.h"

namespace modicum {

const char* to_string(Accuracy accuracy) {
  switch (accuracy) {
    case Accuracy::fast:
      return "fast";
    case Accuracy::certified:
      return "certified";
    case Accuracy::automatic:
      break;
  }
  return "automatic";
}

Accuracy read_accuracy(std::string_view parameter, std::string_view word) {
  for (const Accuracy accuracy : {Accuracy::automatic, Accuracy::fast, Accuracy::certified})
    if (word == to_string(accuracy)) return accuracy;
  throw InvalidParameter(parameter, fmt::format("'{}'", word),
                         "must be automatic, fast or certified");
}

}  // namespace modicum
