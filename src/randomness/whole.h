// Integers of any size (FLINT).
#pragma once

#include <flint/fmpz.h>

namespace modicum {

class Whole {
 public:
  Whole() { fmpz_init(value_); }
  /// The whole part of a finite double.
  explicit Whole(double value) : Whole() { fmpz_set_d(value_, value); }
  Whole(const Whole& other) { fmpz_init_set(value_, other.value_); }
  Whole& operator=(const Whole& other) {
    fmpz_set(value_, other.value_);
    return *this;
  }
  ~Whole() { fmpz_clear(value_); }

  fmpz* raw() { return value_; }
  const fmpz* raw() const { return value_; }

 private:
  fmpz_t value_;
};

}  // namespace modicum
