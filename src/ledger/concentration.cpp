#include "modicum/ledger/concentration.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "ledger/reading_ball.h"
#include "modicum/ledger/price.h"
#include "modicum/release/description.h"
#include "numerics/precise_ball.h"
#include "privacy/engines/loss_moment.h"

namespace modicum {
namespace {

// How often; each key beside the known ones makes it something else.
std::optional<double> count_of(const Value& tree, const std::vector<std::string_view>& known) {
  double count = 1.0;
  for (const auto& [key, value] : tree.members()) {
    if (key == "count" || key == "steps") count = value.number();
    else if (key != "mechanism" && key != "adjacency" &&
             std::ranges::find(known, key) == known.end())
      return std::nullopt;
  }
  return count;
}

std::optional<Ball> declared(const Value& tree, const char* key) {
  const auto count = count_of(tree, {key});
  if (!count) return std::nullopt;
  return Ball(*count) * Ball(tree.at(key).number());
}

std::optional<Ball> discrete_gaussian(const Value& tree) {
  const auto count = count_of(tree, {"sigma", "sensitivity"});
  if (!count) return std::nullopt;
  const Ball ratio = Ball(tree.at("sensitivity").number()) / Ball(tree.at("sigma").number());
  return Ball(*count) * ratio * ratio / 2.0;  // [CanonneKamathSteinke2020, Theorem 4]
}

// A shift: mu^2 / 2. A bounded loss: epsilon^2 / 2 [BunSteinke2016, Proposition 1.4].
std::optional<Ball> of_loss(const Value& tree) {
  const auto count = tree.contains("count")   ? tree.at("count").number()
                     : tree.contains("steps") ? tree.at("steps").number()
                                              : 1.0;
  Value once = Value::record();
  for (const auto& [key, value] : tree.members())
    if (key != "count" && key != "steps") once[key] = value;
  const PrivacyLoss loss = describe(once, Accuracy::certified).loss;
  if (infinite_probability(loss) != 0.0) return std::nullopt;
  if (is_shift(loss)) return Ball(count) * to_ball(price(loss, 0.0).mu_squared) / 2.0;
  const Ball largest =
      max(largest_finite_loss(loss.forward()), largest_finite_loss(loss.reverse()));
  if (!largest.finite()) return std::nullopt;
  return Ball(count) * largest * largest / 2.0;
}

std::optional<Ball> concentrated(const Value& tree) {
  if (!tree.is_record() || tree.contains("file")) return std::nullopt;
  if (const Value* parts = tree.find("compose")) {
    const auto count = count_of(tree, {"compose"});
    if (!count) return std::nullopt;
    Ball sum;
    for (const Value& each : parts->items()) {
      const auto own = concentrated(each);
      if (!own) return std::nullopt;
      sum += *own;
    }
    return Ball(*count) * sum;
  }
  const std::string& mechanism = tree.at("mechanism").text();
  if (mechanism == "zcdp") return declared(tree, "rho");
  if (mechanism == "discrete_gaussian") return discrete_gaussian(tree);
  return of_loss(tree);
}

}  // namespace

std::optional<Reading> concentration_of(const Value& description) {
  const PrecisionScope scope(320);
  const auto found = concentrated(description);
  if (!found || !found->finite()) return std::nullopt;
  return reading_above(*found);
}

std::optional<Reading> known_concentration(const Value& description, const Clocks& left) {
  if (left.zcdp.is_zero() || description.is_null()) return std::nullopt;
  return concentration_of(description);
}

}  // namespace modicum
