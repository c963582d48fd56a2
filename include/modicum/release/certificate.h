// What is promised, on which grounds: the record that goes with a release or a calibration.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "modicum/calibration/calibrate.h"
#include "modicum/data/table.h"
#include "modicum/data/value.h"

namespace modicum {

/// What kind of statement (epsilon, delta) is.
enum class Guarantee {
  proved,        ///< for every pair of neighboring data sets
  relative,      ///< for neighbors within a declared set of data sets
  asymptotic,    ///< in a limit only: many columns of a sketch, many dimensions, many steps of a
                 ///< chain
  per_instance,  ///< for one data set and its neighbors
};
const char* to_string(Guarantee guarantee);

/// How the released numbers were made from random bits.
enum class Exactness {
  exact,      ///< their law is the law named, without any error
  mitigated,  ///< double arithmetic, rounded to a coarse grid
};
const char* to_string(Exactness arithmetic);

const char* to_string(BadRows rule);  ///< "dropped" or "refused"

using ParameterValue =
    std::variant<double, std::string, std::vector<double>, std::vector<std::string>>;

/// Public, or itself an output of the mechanism.
struct Parameter {
  std::string name;
  ParameterValue value;
};

struct Certificate {
  std::string mechanism;
  std::vector<Parameter> parameters;
  PrivacyTarget target;
  ProfilePoint achieved;  ///< certified
  /// Whether some neighbors have just this delta, up to the rounding of rows; else it is a bound.
  std::optional<bool> attained;
  Guarantee guarantee = Guarantee::proved;
  std::optional<Exactness> arithmetic;  ///< none where nothing is drawn
  std::string adjacency;
  std::optional<BadRows> bad_rows;  ///< of releases from a table
  std::vector<std::string> assumptions;
  std::string theorem;  ///< page of the documentation
  /// What the release brings into a composition, as a description; nothing where there is none.
  Value loss;
  std::optional<std::chrono::system_clock::time_point> time;
  struct Output {
    std::string file;  ///< without its folder
    std::string sha256;
  };
  std::optional<Output> output;

  Certificate(std::string named, PrivacyTarget aimed_at, ProfilePoint point)
      : mechanism(std::move(named)), target(aimed_at), achieved(point) {}

  /// Appends, or replaces the value of the parameter with this name.
  void set(const std::string& name, ParameterValue value);
  /// Nothing, if there is none of this name.
  const ParameterValue* find(const std::string& name) const;
};

inline constexpr const char* add_or_remove_one_row = "add or remove one row";

/// One JSON object, indented, with a line break at its end.
std::string certificate_text(const Certificate& certificate);

/// "Proved, provided that" and the assumptions, a line each.
std::string proof_with_assumptions(const Certificate& certificate);

/// "2024-05-01T12:00:00Z".
std::string utc_time(std::chrono::system_clock::time_point time);

}  // namespace modicum
