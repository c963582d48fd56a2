// A uniform number u in [0, 1) falls between two sums of weights. Its first 64 bits are compared
// with the sums rounded down to 64 bits: where no sum shares them, they decide.
#include "modicum/randomness/table_sampler.h"

#include <cmath>

#include "modicum/numerics/errors.h"
#include "randomness/guided_search.h"
#include "randomness/whole.h"

namespace modicum {

struct TableSampler::Table {
  std::vector<Whole> sums;  // of the weights before value i, in units that are whole
  Whole total;              // in the same units
  GuidedSearch search;      // floors of 2^64 sums[i] / total
};

namespace {

// How many times 2^unit; exact.
Whole in_units(double weight, int unit) {
  int exponent = 0;
  const double mantissa = std::ldexp(std::frexp(weight, &exponent), 53);
  Whole result(mantissa);
  if (weight != 0.0)
    fmpz_mul_2exp(result.raw(), result.raw(), static_cast<unsigned long>(exponent - 53 - unit));
  return result;
}

int finest_unit(std::span<const double> weights) {
  int unit = 1024;
  for (const double weight : weights) {
    if (weight == 0.0) continue;
    int exponent = 0;
    std::frexp(require_non_negative("weight", weight), &exponent);
    unit = std::min(unit, exponent - 53);
  }
  return unit;
}

// Whether u, of which `bits` are drawn, lies at or above sum / total; nothing if that is open.
enum class Side { below, above, open };
Side side_of(const Whole& drawn, unsigned long bits, const Whole& sum, const Whole& total) {
  Whole position, bound;
  fmpz_mul_2exp(bound.raw(), sum.raw(), bits);
  fmpz_mul(position.raw(), drawn.raw(), total.raw());
  if (fmpz_cmp(position.raw(), bound.raw()) >= 0) return Side::above;
  fmpz_add(position.raw(), position.raw(), total.raw());
  return fmpz_cmp(position.raw(), bound.raw()) <= 0 ? Side::below : Side::open;
}

void append_word(Whole& drawn, std::uint64_t word) {
  fmpz_mul_2exp(drawn.raw(), drawn.raw(), 64);
  fmpz_add_ui(drawn.raw(), drawn.raw(), word);
}

}  // namespace

TableSampler::TableSampler(std::span<const double> weights) {
  for (const double weight : weights) require_non_negative("weight", weight);
  while (!weights.empty() && weights.back() == 0.0) weights = weights.first(weights.size() - 1);
  if (weights.empty() || !(weights.size() <= 1U << 30))
    throw InvalidParameter("number of weights above 0", static_cast<double>(weights.size()),
                           "must be at least 1 and at most 2^30");
  auto table = std::make_shared<Table>();
  const int unit = finest_unit(weights);
  table->sums.reserve(weights.size());
  for (const double weight : weights) {
    table->sums.push_back(table->total);
    fmpz_add(table->total.raw(), table->total.raw(), in_units(weight, unit).raw());
  }
  std::vector<std::uint64_t> floors;
  for (const Whole& sum : table->sums) {
    Whole floor;
    fmpz_mul_2exp(floor.raw(), sum.raw(), 64);
    fmpz_fdiv_q(floor.raw(), floor.raw(), table->total.raw());
    floors.push_back(fmpz_get_ui(floor.raw()));
  }
  table->search = GuidedSearch(std::move(floors));
  table_ = std::move(table);
}

std::size_t TableSampler::draw(RandomSource& source) const {
  const std::uint64_t word = source.next();
  std::size_t value = table_->search.last_up_to(word);
  // A sum that shares the word must be compared.
  Whole drawn;
  unsigned long bits = 0;
  while (value > 0 && table_->search.floors()[value] == word) {
    if (bits == 0) {
      append_word(drawn, word);
      bits = 64;
    }
    const Side side = side_of(drawn, bits, table_->sums[value], table_->total);
    if (side == Side::above) break;
    if (side == Side::below) {
      --value;
    } else {
      append_word(drawn, source.next());
      bits += 64;
    }
  }
  return value;
}

}  // namespace modicum
