// The reading of a clock: a number of at least 0 to about 32 digits, so that a thousand equal
// prices add up to what they are worth.
#pragma once

#include <string>
#include <string_view>

namespace modicum {

/// high + low, added exactly. Sums and differences are rounded up.
class Reading {
 public:
  Reading() = default;
  /// Throws InvalidParameter unless the value is finite and at least 0.
  static Reading exactly(double value);

  double high() const { return high_; }
  double low() const { return low_; }
  /// The next double that is not below, not above.
  double upper() const;
  double lower() const;
  bool is_zero() const { return high_ == 0.0 && low_ == 0.0; }

  /// Rounded up.
  Reading operator+(const Reading& other) const;
  /// Rounded up; 0 where `other` is larger.
  Reading operator-(const Reading& other) const;
  /// Exact.
  bool operator<=(const Reading& other) const;
  bool operator==(const Reading&) const = default;

  /// "0.4 2.2e-17", or one number; read back as it is.
  std::string text() const;
  /// Throws Error.
  static Reading from_text(std::string_view text);

 private:
  Reading(double high, double low) : high_(high), low_(low) {}
  friend class ReadingRounding;
  double high_ = 0.0, low_ = 0.0;
};

}  // namespace modicum
