#include "interfaces/release/promise.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/number_text.h"
#include "interfaces/ledger/place.h"
#include "interfaces/release/output.h"
#include "release/certificates/certificate_json.h"

namespace modicum {
namespace {

void tell_expected(Reply& reply, const Planned& planned) {
  if (planned.expected.empty()) return;
  const bool by_rows = planned.expected.front().rows.has_value();
  ReplyTable table({"number", by_rows ? "in a group of" : "standard deviation of its noise",
                    fmt::format("{:.6g} % interval", 100.0 * planned.level)});
  for (const ExpectedNoise& each : planned.expected) {
    Value entry{{"half_width", each.half_width}};
    if (!each.column.empty()) entry["column"] = each.column;
    if (each.rows) entry["rows"] = *each.rows;
    if (each.standard_deviation) entry["standard_deviation"] = *each.standard_deviation;
    table.add(std::move(entry), {each.column.empty() ? "number of rows" : one_line(each.column, 40),
                                 by_rows ? fmt::format("{} rows", each.rows.value_or(0.0))
                                         : rounded_up(each.standard_deviation.value_or(0.0), 4),
                                 fmt::format("+- {}", rounded_up(each.half_width, 4))});
  }
  reply.add("expected", table);
}

// The largest share that a clock loses of what it had left.
double share_of_left(const Quote& quoted) {
  double share = 0.0;
  for (const ClockKind& each : clock_kinds) {
    const double price = (quoted.price.*each.reading).upper();
    if (price > 0.0) share = std::max(share, price / (price + (quoted.left.*each.reading).lower()));
  }
  return share;
}

Value numbers_left(const Clocks& left) {
  Value numbers = Value::record();
  for (const ClockKind& each : clock_kinds)
    if (const Reading& reading = left.*each.reading; !reading.is_zero())
      numbers[each.key] = reading.lower();
  return numbers;
}

void tell_price(Reply& reply, const Value& certificate, const Payer& payer) {
  const BudgetStatus status = payer.status();
  const std::string name = one_line(status.name, 200);
  Value told{{"budget", status.name}};
  if (const LedgerChoice choice = payer.payment(); choice.plan) {
    told["plan"] = static_cast<double>(*choice.plan);
    reply.say(
        fmt::format("It would be drawn from plan {} of the budget {}, at no further cost, if the "
                    "plan covers it.\n",
                    *choice.plan, name));
    reply.tell("ledger", std::move(told));
    return;
  }
  try {
    const Quote quoted = quote(payer.payment(), certificate);
    told["fits"] = true;
    told["price"] = numbers_of(quoted.price);
    told["left"] = numbers_left(quoted.left);
    told["share_of_left"] = share_of_left(quoted);
    told["left_in_words"] = what_is_left_in_words(quoted.left);
    reply.say(fmt::format("It would cost {} of the budget {}, {} % of what is left. After it: {}",
                          words_of(quoted.price), name,
                          rounded_up(100.0 * share_of_left(quoted), 3),
                          what_is_left_in_words(quoted.left)));
  } catch (const TargetUnreachable& refusal) {
    told["fits"] = false;
    told["refusal"] = refusal.what();
    reply.say(fmt::format("It would be refused: {}.\n", refusal.what()));
  }
  reply.tell("ledger", std::move(told));
}

}  // namespace

void tell_planned(Reply& reply, const Planned& planned, const PaymentTerms& terms) {
  const Certificate& certificate = planned.certificate;
  const Value tree = to_json(certificate);
  if (terms.budget != nullptr) terms.budget->require_within(tree);
  reply.say(fmt::format("\nWhat would be released is ({}, {})-differentially private:\n",
                        certificate.target.epsilon, certificate.target.delta));
  reply.tell("certificate", tree);
  tell_promise(reply, certificate);
  tell_expected(reply, planned);
  if (terms.payer.pays()) tell_price(reply, tree, terms.payer);
}

}  // namespace modicum
