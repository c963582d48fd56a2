// Turns a fuzzer's bytes into numbers, everyday ones and extreme ones, and keeps a readable record.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

namespace modicum::fuzz {

/// Reads from the front. Past the end every byte is 0, so that every input means something.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  bool exhausted() const { return at_ >= size_; }
  unsigned byte() { return exhausted() ? 0U : data_[at_++]; }
  /// 0 .. limit - 1.
  unsigned below(unsigned limit) { return byte() % limit; }
  bool one_in(unsigned odds) { return below(odds) == odds - 1; }

  /// Any double at all, an everyday one as a rule.
  double number() {
    switch (below(16)) {
      case 0: return special();
      case 1: return bits();
      case 2: return everyday() * std::exp2(static_cast<double>(byte()) - 128.0);
      case 3: return power_of_ten(2.0);
      case 4:
      case 5: return power_of_ten(16.0);
      case 6:
      case 7: return near_one();
      default: return everyday();
    }
  }
  /// A positive double: any size, never NaN.
  double positive() {
    const double value = std::abs(number());
    return std::isfinite(value) && value > 0.0 ? value : 1.0;
  }
  /// Strictly between 0 and 1, close to an end as often as not.
  double fraction() {
    const double size = std::ldexp(1.0 + byte() / 256.0, -1 - static_cast<int>(below(60)));
    return one_in(2) ? size : 1.0 - size;
  }
  /// A multiplicity or a count, valid as a rule.
  double count(double largest) {
    switch (below(8)) {
      case 0: return number();
      case 1: return std::fmin(std::exp2(below(54)), largest);
      case 2: return std::fmin(1.0 + byte(), largest);
      default: return std::fmin(1.0 + below(4), largest);
    }
  }

 private:
  double everyday() { return (static_cast<double>(byte()) - 128.0) / 16.0 + byte() / 4096.0; }
  double near_one() {
    const double distance = std::exp2(-static_cast<double>(below(54)));
    return one_in(2) ? 1.0 + distance : 1.0 - distance;
  }
  double power_of_ten(double steps) {
    const double size = std::pow(10.0, (static_cast<double>(byte()) - 128.0) / steps);
    return one_in(4) ? -size : size;
  }
  double special() {
    using Limits = std::numeric_limits<double>;
    static constexpr std::array<double, 16> values{
        0.0,    -0.0,  1.0,   -1.0,   Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
        Limits::max(), -Limits::max(), Limits::min(), Limits::denorm_min(), 700.0, -745.0,
        1e15,   1e-15, 0x1p53};
    return values[below(values.size())];
  }
  double bits() {
    std::uint64_t pattern = 0;
    for (int i = 0; i < 8; ++i) pattern = pattern << 8 | byte();
    double value = 0.0;
    std::memcpy(&value, &pattern, sizeof value);
    return value;
  }

  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

/// What the input means, in words: printed when a check fails, and line by line as it is built if
/// MODICUM_FUZZ_PRINT is set (for inputs that crash or hang).
class Record {
 public:
  template <class... Parts>
  void note(fmt::format_string<Parts...> format, Parts&&... parts) {
    const std::string line = fmt::format(format, std::forward<Parts>(parts)...) + "\n";
    text_ += line;
    if (std::getenv("MODICUM_FUZZ_PRINT") != nullptr) std::fputs(line.c_str(), stderr);
  }
  /// Ends the program, as a fuzzer expects it, unless the condition holds.
  template <class... Parts>
  void require(bool condition, fmt::format_string<Parts...> format, Parts&&... parts) const {
    if (condition) return;
    const std::string why = fmt::format(format, std::forward<Parts>(parts)...);
    std::fprintf(stderr, "%sFAILED: %s\n", text_.c_str(), why.c_str());
    std::abort();
  }

 private:
  std::string text_;
};

}  // namespace modicum::fuzz
