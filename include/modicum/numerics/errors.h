// The one family of exceptions. Each interface translates it once (exit code, Python ValueError).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace modicum {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument outside its domain: "epsilon is -1, but must be positive and finite".
class InvalidParameter : public Error {
 public:
  InvalidParameter(std::string_view name, double value, std::string_view rule);
  InvalidParameter(std::string_view name, std::string_view value, std::string_view rule);
  /// What what() begins with.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

/// A target that cannot be met, or cannot be proved to be met. Nothing may be released.
class TargetUnreachable : public Error {
 public:
  using Error::Error;
};

// Each returns its argument, or throws InvalidParameter. Written so that NaN fails too.
double require_finite(std::string_view name, double value);
double require_positive(std::string_view name, double value);
double require_non_negative(std::string_view name, double value);
double require_open_unit(std::string_view name, double value);    // 0 < value < 1
double require_probability(std::string_view name, double value);  // 0 <= value <= 1
/// A whole number from 1 to 2^53.
double require_count(std::string_view name, double value);

}  // namespace modicum
