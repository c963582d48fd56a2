#include "release/descriptions/guarantee_mechanisms.h"

#include <cmath>

#include "release/descriptions/description_fields.h"
#include "release/descriptions/label_words.h"
#include "release/descriptions/loss_table.h"

namespace modicum::described {

void ZeroConcentrated::fields(Fields& fields) {
  fields.add("rho", rho, "all Renyi divergences are at most xi plus rho times their order")
      .required();
  fields.add("xi", xi, "0 where it is not given");
}
RenyiBounds ZeroConcentrated::moments(const Setting&) const {
  return {require_non_negative("rho", rho), require_non_negative("xi", xi)};
}
std::string ZeroConcentrated::label() const {
  return fmt::format("zCDP, rho {}{}", rho, xi == 0.0 ? "" : fmt::format(", xi {}", xi));
}

void Renyi::fields(Fields& fields) {
  fields.add("orders", orders, "above 1").required();
  fields.add("divergences", divergences, "bounds on the Renyi divergences of these orders")
      .required();
}
RenyiBounds Renyi::moments(const Setting&) const {
  const RenyiBounds guarantee{0.0, 0.0, {{orders, divergences}}};
  renyi_guarantee(guarantee);  // refuses what is no curve
  return guarantee;
}
std::string Renyi::label() const {
  return fmt::format("Renyi divergences of {} order{}", orders.size(),
                     orders.size() == 1 ? "" : "s");
}

void LossMasses::fields(Fields& fields) {
  fields.add("lowest", lowest, "whole number: the least loss over the interval").required();
  fields.add("interval", interval, "from a loss to the next").required();
  fields.add("probabilities", probabilities, "of the losses").required();
  fields.add("infinite", infinite, "probability of an infinite loss");
}

LossTable LossMasses::table() const {
  if (!(std::abs(lowest) <= 0x1p52 && lowest == std::floor(lowest)))
    throw InvalidParameter("lowest", lowest, "must be a whole number");
  require_positive("interval", interval);
  if (probabilities.size() > most_table_rows)
    throw InvalidParameter("probabilities", static_cast<double>(probabilities.size()),
                           "must be at most 1000000");
  LossTable table;
  table.infinite = infinite;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    if (probabilities[i] == 0.0) continue;
    // Upwards, unless it is exact.
    const double key = lowest + static_cast<double>(i), loss = key * interval;
    const bool exact = std::fma(key, interval, -loss) <= 0.0;
    table.losses.push_back(exact ? loss : std::nextafter(loss, HUGE_VAL));
    table.probabilities.push_back(probabilities[i]);
  }
  return table;
}

void LossDistribution::fields(Fields& fields) {
  const auto entry = [&](const char* key, const char* help, auto set) -> Field& {
    return fields.custom({key, FieldKind::list, help,
                          [key, set](const Value& given) {
                            set(read_record<LossMasses>(given, key, [](const LossMasses& each) {
                              tabulated_loss(each.table());
                            }));
                          },
                          [] { return Value(); }});
  };
  entry("remove", "losses with the record against without it", [this](LossMasses read) {
    remove = std::move(read);
  }).required();
  entry("add", "losses without the record against with it",
        [this](LossMasses read) { add = std::move(read); });
}
PrivacyLoss LossDistribution::loss(const Setting&) const {
  return tabulated_directions(remove.table(), add.value_or(remove).table());
}
std::string LossDistribution::label() const {
  return fmt::format("loss distribution, {} losses", remove.probabilities.size());
}

}  // namespace modicum::described
