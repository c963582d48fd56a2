// A number known by two bounds.
#pragma once

#include <algorithm>

namespace modicum {

/// lower() <= true value <= upper(). Never turns into a bare number by itself.
class Enclosure {
 public:
  Enclosure(double lower, double upper);  ///< throws InvalidParameter unless lower <= upper
  static Enclosure exactly(double value) { return {value, value}; }

  double lower() const { return lower_; }
  double upper() const { return upper_; }
  bool contains(double value) const { return lower_ <= value && value <= upper_; }
  bool overlaps(const Enclosure& other) const {
    return lower_ <= other.upper_ && other.lower_ <= upper_;
  }
  bool is_exactly_zero() const { return lower_ == 0.0 && upper_ == 0.0; }
  /// (upper - lower) / upper, and 0 for [0, 0]: how much is not known, relative to the safe end.
  double relative_width() const;
  /// The part within [low, high]; the caller knows the true value to lie there.
  Enclosure within(double low, double high) const;
  bool operator==(const Enclosure&) const = default;

 private:
  double lower_, upper_;
};

/// Encloses max(a, b).
inline Enclosure larger_of(const Enclosure& a, const Enclosure& b) {
  return {std::max(a.lower(), b.lower()), std::max(a.upper(), b.upper())};
}
/// Encloses min(a, b).
inline Enclosure smaller_of(const Enclosure& a, const Enclosure& b) {
  return {std::min(a.lower(), b.lower()), std::min(a.upper(), b.upper())};
}

/// How an enclosure was obtained.
enum class Proof {
  certified,  ///< ball arithmetic and proven bounds: the enclosure is a theorem
  estimated,  ///< double arithmetic with an error estimate, tested to be honest
};

inline Proof weaker_of(Proof a, Proof b) {
  return a == Proof::certified && b == Proof::certified ? Proof::certified : Proof::estimated;
}

struct Answer {
  Enclosure value;
  Proof proof;
};

}  // namespace modicum
