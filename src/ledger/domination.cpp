#include "ledger/domination.h"

#include "ledger/charging.h"
#include "ledger/reading_ball.h"
#include "modicum/ledger/price.h"
#include "modicum/privacy/profile.h"
#include "modicum/release/description.h"

namespace modicum {
namespace {

// A price of a shift is rounded up in its 32nd digit, a probability in its 16th.
Reading slightly_less(const Reading& reading) {
  const PrecisionScope scope(320);
  return reading_below(to_ball(reading) * (Ball(1.0) - Ball(0x1p-90)));
}

bool is(const Value& tree, const char* mechanism) {
  const Value* named = tree.find("mechanism");
  return named != nullptr && *named == Value(mechanism);
}

// Of two of one kind, the one that differs in this number only, which is `at_least` as large or
// not.
bool alike_but_for(const Value& item, const Value& release, const char* key, bool at_least) {
  const Value *own = item.find(key), *other = release.find(key);
  if (own == nullptr || other == nullptr || item.size() != release.size()) return false;
  for (const auto& [name, value] : item.members())
    if (const Value* same = release.find(name); name != key && (same == nullptr || *same != value))
      return false;
  return at_least ? other->number() >= own->number() : other->number() <= own->number();
}

// Laplace noise of a larger scale is that of the smaller one with noise added (on the integers,
// too); a mechanism of a smaller range, or rho, has the larger one as well.
bool dominates_by_parameter(const Value& item, const Value& release) {
  for (const char* kind : {"laplace", "discrete_laplace"})
    if (is(item, kind)) return alike_but_for(item, release, "scale", true);
  if (is(item, "bounded_range")) return alike_but_for(item, release, "range", false);
  return is(item, "zcdp") && alike_but_for(item, release, "rho", false);
}

}  // namespace

bool dominates(const Value& item, const Value& release) {
  if (names_a_file(item) || names_a_file(release)) return false;
  const Description own = describe(item, Accuracy::certified),
                    other = describe(release, Accuracy::certified);
  if (own.adjacency != other.adjacency) return false;
  if (dominates_by_parameter(item, release)) return true;
  try {
    // What is (epsilon, delta)-private is dominated by the two-point loss beside an infinite one.
    if (is(item, "pure") || is(item, "approximate")) {
      const Value* delta = item.find("delta");
      return profile(other.loss, item.at("epsilon").number(), Accuracy::certified)
                 .delta()
                 .upper() <= (delta == nullptr ? 0.0 : delta->number());
    }
    // docs/derivations/ledger.md, Theorem 2.
    if (!is_shift(own.loss)) return false;
    const double probability = infinite_probability(own.loss),
                 slack = probability * (1.0 - 0x1p-40);
    const Reading worth = slightly_less(price(own.loss, probability).mu_squared);
    return price(other.loss, slack).mu_squared <= worth;
  } catch (const TargetUnreachable&) {
    return false;
  }
}

}  // namespace modicum
