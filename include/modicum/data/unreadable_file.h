// A file that cannot be opened, read or understood.
#pragma once

#include "modicum/numerics/errors.h"

namespace modicum {

class UnreadableFile : public Error {
 public:
  using Error::Error;
};

}  // namespace modicum
