#include "interfaces/release/promise.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/cells/number_text.h"
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

void tell_draw(Reply& reply, Value& told, const std::string& budget, const LedgerChoice& choice,
               const Value& certificate) {
  told["plan"] = *choice.plan;
  const std::int64_t left = drawable(choice, certificate) - 1;
  told["fits"] = true;
  told["price"] = numbers_of({});
  told["left_in_plan"] = left;
  reply.say(fmt::format(
      "It would be drawn from the plan {} of the budget {}, at no further cost. After it {} of "
      "this description {} left there.\n",
      *choice.plan, budget, left == 0 ? "none" : std::to_string(left), left == 1 ? "is" : "are"));
}

void tell_charge(Reply& reply, Value& told, const std::string& budget, const LedgerChoice& choice,
                 const Value& certificate) {
  const Quote quoted = quote(choice, certificate);
  told["fits"] = true;
  told["price"] = numbers_of(quoted.price);
  told["left"] = numbers_left(quoted.left);
  told["share_of_left"] = share_of_left(quoted);
  told["left_in_words"] = what_is_left_in_words(quoted.left);
  reply.say(fmt::format("It would cost {} of the budget {}, {} % of what is left. After it: {}",
                        words_of(quoted.price), budget,
                        rounded_up(100.0 * share_of_left(quoted), 3),
                        what_is_left_in_words(quoted.left)));
}

void tell_price(Reply& reply, const Value& certificate, const PaymentTerms& terms) {
  const BudgetStatus status = terms.payer.status();
  const LedgerChoice choice = terms.payment();
  Value told{{"budget", status.name}};
  const auto refused = [&](const std::string& why) {
    const std::string words = in_style(why, NameStyle::option);
    told["fits"] = false;
    told["refusal"] = words;
    reply.say(fmt::format("It would be refused: {}.\n", words));
  };
  try {
    (choice.plan ? tell_draw : tell_charge)(reply, told, one_line(status.name, 200), choice,
                                            certificate);
  } catch (const DoesNotFit& refusal) {
    refused(refusal_in_words(refusal, terms, certificate));
  } catch (const TargetUnreachable& refusal) {
    refused(refusal.what());
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
  if (terms.payer.pays()) tell_price(reply, tree, terms);
}

}  // namespace modicum
