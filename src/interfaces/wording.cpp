#include "interfaces/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/cells/number_text.h"

namespace modicum {
namespace {

const char* exact_words(const Enclosure& value) {
  if (value.is_exactly_zero()) return "exactly zero";
  if (value.lower() == 1.0 && value.upper() == 1.0) return "exactly one";
  return nullptr;
}

}  // namespace

std::string at_most(const Enclosure& value) {
  if (const char* words = exact_words(value)) return words;
  if (std::isinf(value.upper())) return std::isinf(value.lower()) ? "infinite" : "no bound found";
  return rounded_up(value.upper());
}

std::string at_least(const Enclosure& value) {
  if (const char* words = exact_words(value)) return words;
  return rounded_down(value.lower());
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("  {:<{}}", row[i], widths[i]);
    out += line.erase(line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

const char* to_string(Proof proof) { return proof == Proof::certified ? "certified" : "estimated"; }

std::string proof_sentence(Proof proof, const std::vector<Enclosure>& values) {
  double widest = 0.0;
  for (const Enclosure& value : values)
    if (std::isfinite(value.upper())) widest = std::max(widest, value.relative_width());
    else if (std::isfinite(value.lower())) widest = 1.0;
  const std::string distance =
      widest == 0.0   ? "The numbers are exact."
      : widest == 1.0 ? "The bounds are safe; how close they are to the true value is not known."
                      : fmt::format("No bound is further than {} (relative) from the true value.",
                                    rounded_up(widest, 2));
  if (proof == Proof::certified) return "Proved. " + distance + "\n";
  return "Estimated in double arithmetic, not proved (--certified asks for a proof). " + distance +
         "\n";
}

std::string singularity_sentence(const PrivacyLoss& loss) {
  if (!loss.forward().mutually_singular) return "";
  return "The two distributions are mutually singular: their covariances have different ranges, "
         "or\n"
         "their means differ outside the common range. One look at the output tells them apart.\n";
}

}  // namespace modicum
