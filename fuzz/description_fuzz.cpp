// Bytes as a JSON description: understood or refused with the library's own errors, nothing else.
#include <string_view>

#include "checks.h"
#include "modicum/release/description.h"

namespace modicum::fuzz {
namespace {

// A profile must cost a bounded time.
constexpr double most_two_points = 0x1p20, most_laplaces = 64.0;
constexpr std::size_t most_parts = 4, most_components = 16;

bool is_small(const DirectedLoss& loss) {
  // Laws are composed on a lattice, which takes seconds: one alone.
  if (!loss.laws.empty())
    return loss.laws.size() == 1 && loss.laws.front().count == 1.0 && loss.two_points.empty() &&
           loss.laplaces.empty() && loss.gaussian.components().empty();
  if (loss.two_points.size() + loss.laplaces.size() > most_parts) return false;
  if (loss.gaussian.components().size() > most_components) return false;
  double two_points = 0.0, laplaces = 0.0;
  for (const TwoPointPart& part : loss.two_points) two_points += part.count;
  for (const LaplacePart& part : loss.laplaces) laplaces += part.count;
  return two_points <= most_two_points && laplaces <= most_laplaces;
}

void run(std::string_view text) {
  Record record;
  record.note("{}", text);
  std::optional<Description> description;
  if (!succeeds(record, "parse_description",
                [&] { description = parse_description(text, "fuzz"); }))
    return;
  record.require(!description->label.empty(), "the label is empty");
  if (is_small(description->loss.forward()) && is_small(description->loss.reverse()))
    ask_profile(record, description->loss, 1.0, Accuracy::fast);
}

}  // namespace
}  // namespace modicum::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  modicum::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
