#include "randomness/symmetric_table.h"

#include <optional>

#include "modicum/numerics/errors.h"
#include "randomness/exact_real.h"
#include "randomness/whole.h"

namespace modicum {
namespace {

constexpr std::uint64_t all_ones = ~std::uint64_t{0};
constexpr long most_digits = 1L << 16;

// The sum before the value of this index > 0, from P[|k| < 1], P[|k| < 2], ..: odd ones belong to
// j = (index + 1) / 2, even ones to -j, before which lies half of what j and -j have.
Ball sum_of(const std::vector<Ball>& within, std::size_t index) {
  const std::size_t j = (index + 1) / 2;
  if (index % 2 == 1) return within[j - 1];
  return (within[j - 1] + within[j]) / 2.0;
}

// 2^64 times the sum, rounded down; the sum is below 1. Empty where the ball leaves it open.
std::optional<std::uint64_t> floor_of(const Ball& sum) {
  Ball scaled = sum;
  arb_mul_2exp_si(scaled.raw(), scaled.raw(), 64);
  Ball last;
  arb_set_ui(last.raw(), all_ones);
  if ((last - scaled).surely_nonpositive()) return all_ones;
  arb_floor(scaled.raw(), scaled.raw(), PrecisionScope::bits());
  Whole floor;
  if (arb_get_unique_fmpz(floor.raw(), scaled.raw()) == 0) return std::nullopt;
  return fmpz_get_ui(floor.raw());
}

// Empty where a ball leaves a floor open; incomplete where none of them is all ones.
std::optional<std::vector<std::uint64_t>> floors_of(const std::vector<Ball>& within) {
  std::vector<std::uint64_t> floors{0};
  for (std::size_t index = 1; index + 1 < 2 * within.size(); ++index) {
    const auto floor = floor_of(sum_of(within, index));
    if (!floor) return std::nullopt;
    floors.push_back(*floor);
    if (*floor == all_ones) break;
  }
  return floors;
}

std::vector<std::uint64_t> all_floors(const SymmetricTable::Sums& sums) {
  long bits = 192;
  for (std::size_t count = 16; bits <= most_digits;) {
    const PrecisionScope scope(bits);
    const auto floors = floors_of(sums(count));
    if (!floors) bits *= 2;
    else if (floors->back() == all_ones) return *floors;
    else count *= 2;
  }
  throw Error("65536 bits did not decide between two words");
}

}  // namespace

SymmetricTable::SymmetricTable(Sums sums) : sums_(std::move(sums)), search_(all_floors(sums_)) {}

Ball SymmetricTable::sum_before(std::size_t index) const {
  return index == 0 ? Ball(0.0) : sum_of(sums_((index + 1) / 2 + 1), index);
}

// All sums after the last of the table begin with ones, too.
std::size_t SymmetricTable::refined(std::size_t index, std::uint64_t word,
                                    RandomSource& source) const {
  ExactUniform uniform(word, source);
  const auto reaches = [&](std::size_t place) {
    for (long bits = 128; bits <= most_digits; bits *= 2) {
      const PrecisionScope scope(bits + 64);
      const Ball above = uniform.at(bits) - sum_before(place);
      if (above.surely_positive()) return true;
      if (above.surely_negative()) return false;
    }
    throw Error("65536 random bits did not decide a comparison");
  };
  while (index > 0 && floors()[index] == word && !reaches(index)) --index;
  if (index + 1 == floors().size())
    while (reaches(index + 1)) ++index;
  return index;
}

std::int64_t SymmetricTable::draw(RandomSource& source) const {
  const std::uint64_t word = source.next();
  std::size_t index = search_.last_up_to(word);
  if (index > 0 && floors()[index] == word) index = refined(index, word, source);
  const auto size = static_cast<std::int64_t>((index + 1) / 2);
  return index % 2 == 1 ? size : -size;
}

}  // namespace modicum
