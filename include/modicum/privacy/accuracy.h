// How much work an answer may cost, and whether it must be proved.
#pragma once

#include <string_view>

namespace modicum {

enum class Accuracy {
  automatic,  ///< a proof where it costs milliseconds, else the estimate
  fast,       ///< double arithmetic with an error estimate that is tested to be honest
  certified,  ///< ball arithmetic; throws TargetUnreachable where no proof is to be had
};

/// "automatic", "fast" or "certified".
const char* to_string(Accuracy accuracy);

/// Back from the word. Throws InvalidParameter that names the parameter.
Accuracy read_accuracy(std::string_view parameter, std::string_view word);

}  // namespace modicum
