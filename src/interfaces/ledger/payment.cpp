#include "interfaces/ledger/payment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/cells/number_text.h"
#include "interfaces/ledger/place.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/release/description.h"
#include "release/certificates/certificate_json.h"

namespace modicum {
namespace {

constexpr double usual_delta = 1e-6;

// Throws TargetUnreachable where the certificate names no loss.
Need need_of(const Value& certificate, const Clocks& most,
             const std::optional<double>& slack = {}) {
  const Spending spending = spending_of(certificate, Guarantee::asymptotic);
  return need_of(spending.loss, spending.description, most, slack);
}

// A double not above the root.
double root_below(double square) {
  const double root = std::sqrt(square);
  return root * (1.0 - 0x1p-51);
}

}  // namespace

void Payer::fields(Fields& fields) {
  fields
      .add("ledger", choice.store,
           "charge it to a budget of this ledger: a file, or postgresql://...")
      .shown_as("STORE");
  fields
      .add("budget", choice.budget,
           "which budget of the ledger; may be left out if there is only one")
      .shown_as("NAME");
  fields.choice("guarantee", choice.accepted, charged_guarantees(),
                "the weakest guarantee that may be charged, proved by default");
  add_part_field(fields, part);
  fields.add("plan", plan, "draw it from the plan with this number, at no further cost");
  asked = &fields;
}

void Payer::check() const {
  if (pays()) status();
  else if (!choice.budget.empty() || choice.accepted != Guarantee::proved || !part.empty() || plan)
    throw UsageError(
        "`ledger` is missing, but must be given with `budget`, `guarantee`, `part` or `plan`");
}

LedgerChoice Payer::payment() const {
  LedgerChoice with = choice;
  if (!part.empty()) with.part = part_in("part", part);
  if (plan) with.plan = static_cast<std::int64_t>(require_count("plan", *plan));
  return with;
}

Clocks Payer::left() const { return status().left(payment().part); }

BudgetStatus Payer::status() const {
  if (!pays()) throw UsageError("`ledger` is missing, but must be given with `share` or `rest`");
  Ledger ledger(choice.store);
  if (!plan) return ledger.budget(choice.budget);
  const Entry planned = ledger.planned(*payment().plan);
  if (!choice.budget.empty() && choice.budget != planned.budget)
    throw InvalidParameter("budget", in_quotes(choice.budget), "must be that of the plan");
  return ledger.budget(planned.budget);
}

void ReleaseBudget::fields(Fields& fields, const Payer& paid_by) {
  payer = &paid_by;
  fields.add("epsilon", epsilon, "privacy loss bound, at least 0; with `delta`");
  fields.add("delta", delta, "at least 0 and below 1");
  fields.add("mu", mu, "in place of `epsilon`: Gaussian differential privacy");
  fields.add("rho", rho, "in place of `epsilon`: zero-concentrated differential privacy, mu^2 / 2");
  fields.add("standard_deviation", standard_deviation,
             "in place of `epsilon`, for additive Gaussian noise: as the certificate tells it");
  fields.add("share", share,
             "in place of `epsilon`: a share of what the ledger has left, above 0 and at most 1");
  fields.add("rest", rest, "all that the ledger has left");
}

int ReleaseBudget::ways() const {
  return epsilon.has_value() + mu.has_value() + rho.has_value() + standard_deviation.has_value() +
         share.has_value() + rest;
}

std::optional<Clocks> ReleaseBudget::most_of_ledger() const {
  if (!share && !rest) return std::nullopt;
  if (payer->plan)
    throw UsageError("`share` and `rest` must not be given with `plan`, which is paid for");
  const double part = share.value_or(1.0);
  if (!(part > 0.0 && part <= 1.0))
    throw InvalidParameter("share", part, "must be above 0 and at most 1");
  return share_of(payer->left(), part);
}

// Nothing where the target, or the noise, is given.
std::optional<Clocks> ReleaseBudget::most() const {
  if (ways() == 0)
    throw UsageError(
        "`epsilon` is missing, but must be given with `delta`; or `mu`, `rho`, "
        "`standard_deviation`, `share` or `rest`");
  if (ways() > 1)
    throw UsageError(
        "one of `epsilon`, `mu`, `rho`, `standard_deviation`, `share` and `rest` must be given");
  if (epsilon || standard_deviation) return std::nullopt;
  if (mu || rho) {
    BudgetTerms terms;
    terms.mu = mu;
    terms.rho = rho;
    Clocks clocks = split(terms);
    // A release is paid from one of the two: mu^2 / 2 is a rho as well.
    if (rho) clocks.zcdp = Reading::exactly(*rho);
    return clocks;
  }
  const Clocks left = most_of_ledger().value();
  if (left.mu_squared.is_zero() && left.pure.is_zero() && left.zcdp.is_zero())
    throw TargetUnreachable("nothing is left of the budget");
  return left;
}

PrivacyTarget ReleaseBudget::gaussian_target_of(const Clocks& most) const {
  const double square = std::max(most.mu_squared.lower(), 2.0 * most.zcdp.lower());
  // What is pure alone allows no delta, and no Gaussian noise.
  if (delta ? *delta == 0.0 : !(square > 0.0))
    return {std::max(std::sqrt(square), most.pure.lower()), 0.0};
  const double largest = square > 0.0 ? root_below(square) : most.pure.lower();
  const double at = delta.value_or(std::min(usual_delta, 0.01 * largest));
  require_open_unit("delta", at);
  const Answer found = epsilon_at(gaussian_differential_privacy(largest), at, Accuracy::certified);
  return {found.value.lower(), at};
}

PrivacyTarget ReleaseBudget::gaussian_target() const {
  if (const std::optional<Clocks> within = most()) return gaussian_target_of(*within);
  if (!epsilon) {
    Clocks unit;  // of a standard deviation little can be told without a sensitivity
    unit.mu_squared = Reading::exactly(1.0);
    return gaussian_target_of(unit);
  }
  if (!delta) throw UsageError("`delta` is missing, but must be given with `epsilon`");
  return {*epsilon, *delta};
}

PrivacyTarget ReleaseBudget::target(const PlannedAt& planned) const {
  const std::optional<Clocks> within = most();
  if (standard_deviation) return target_of_noise(planned);
  const PrivacyTarget first = gaussian_target();
  if (!within) return first;
  const auto need = [&](const PrivacyTarget& target, const std::optional<double>& slack) {
    return need_of(to_json(planned.certificate(target)), *within, slack);
  };
  try {
    return largest_target(first, !delta, *within, need);
  } catch (const TargetUnreachable& refusal) {
    if (!mu && !rho) throw;
    throw TargetUnreachable(refusal.what() + std::string("; give `epsilon` and `delta` instead"));
  }
}

PrivacyTarget ReleaseBudget::target_of_noise(const PlannedAt& planned) const {
  const double wanted = require_positive("standard_deviation", *standard_deviation);
  if (!planned.standard_deviation)
    throw UsageError("`standard_deviation` must not be given: this release adds no such noise");
  // Noise is about inversely proportional to mu: a few steps settle it.
  double largest = 1.0;
  for (int i = 0; i < 40; ++i) {
    Clocks trial;
    trial.mu_squared = Reading::exactly(largest * largest);
    const PrivacyTarget found = gaussian_target_of(trial);
    const double ratio = planned.standard_deviation(found) / wanted;
    if (ratio >= 1.0 && ratio < 1.0 + 1e-9) return found;
    largest *= ratio * (1.0 - 2e-10);
    if (!(largest > 1e-9 && largest < 64.0)) break;
  }
  throw TargetUnreachable(fmt::format(
      "noise with a standard deviation of {} has no privacy that could be told", wanted));
}

double standard_deviation_of(const Certificate& certificate) {
  const ParameterValue* found = certificate.find("standard_deviation");
  if (found == nullptr || !std::holds_alternative<double>(*found))
    throw UsageError("`standard_deviation` must not be given: it is for Gaussian noise");
  return std::get<double>(*found);
}

void ReleaseBudget::require_within(const Value& certificate) const {
  const std::optional<Clocks> within = most();
  if (!within || most_of_ledger()) return;
  const Need need = need_of(certificate, *within);
  if (!need.fits)
    throw TargetUnreachable(
        fmt::format("this release could not be proved to be within {} = {}{}; give `epsilon` and "
                    "`delta` instead",
                    mu ? "mu" : "rho", rounded_down(mu ? *mu : *rho),
                    need.refusal.empty() ? "" : ": " + need.refusal));
}

std::string ReleaseBudget::advice(const Value& certificate) const {
  const double left = payer->left().mu_squared.lower();
  if (rest || !(left > 0.0)) return "";
  const std::string instead = "; `rest` takes all that is left";
  if (!is_shift(describe(certificate.at("loss"), Accuracy::certified).loss)) return instead;
  const double most = root_below(left);
  if (mu) return instead + fmt::format(", which is `mu` {}", rounded_down(most));
  if (!epsilon || !(*delta > 0.0)) return instead;
  const Answer found = epsilon_at(gaussian_differential_privacy(most), *delta, Accuracy::certified);
  if (!(found.value.lower() > 0.0)) return instead;
  return instead +
         fmt::format(", which is `epsilon` {} at this `delta`", rounded_down(found.value.lower()));
}

std::string refusal_in_words(const DoesNotFit& refusal, const PaymentTerms& terms,
                             const Value& certificate) {
  return refusal.what() + (terms.budget == nullptr ? "" : terms.budget->advice(certificate));
}

LedgerChoice PaymentTerms::payment() const {
  LedgerChoice choice = payer.payment();
  if (budget != nullptr) choice.at_most = budget->most_of_ledger();
  return choice;
}

Payment::Payment(const PaymentTerms& terms, const Value& certificate) : paid_(certificate) {
  if (terms.budget != nullptr) terms.budget->require_within(certificate);
  if (!terms.payer.pays()) return;
  try {
    reservation_.emplace(
        reserve(terms.payment(), certificate, circumstances_of(terms.payer.asked)));
  } catch (const DoesNotFit& refusal) {
    throw DoesNotFit(refusal_in_words(refusal, terms, certificate));
  }
}

// All that a price hangs on.
void Payment::require_paid(const Value& certificate) const {
  if (!reservation_) return;
  for (const char* key : {"loss", "guarantee", "adjacency", "mechanism"})
    if (certificate.at(key) != paid_.at(key))
      throw Error(fmt::format(
          "the release has another {} than its plan, which was paid for; nothing is released",
          key));
  if (unit_of_certificate(certificate) != unit_of_certificate(paid_))
    throw Error("the release protects others than its plan; nothing is released");
}

void Payment::around(const std::function<GivenOut()>& release) {
  // Where this fails the entry stays reserved, which is spent as well.
  const auto note = [&](const auto& what) {
    if (!reservation_) return;
    try {
      what();
    } catch (const Error&) {
    }
  };
  GivenOut out;
  try {
    out = release();
    require_paid(out.certificate);
    out.write();
  } catch (...) {
    note([&] { reservation_->failed(std::chrono::system_clock::now()); });
    throw;
  }
  note([&] {
    reservation_->released(out.certificate_sha256, out.file_sha256,
                           std::chrono::system_clock::now(), out.certificate);
  });
}

void Payment::tell(Reply& reply) const {
  if (!reservation_) return;
  const Entry& entry = reservation_->entry();
  if (!entry.draws.empty()) {
    reply.tell("ledger", {{"entry", entry.number},
                          {"budget", entry.budget},
                          {"state", word_of(state_words(), entry.state)},
                          {"draw", entry.draws.back().number},
                          {"drawn", entry.drawn},
                          {"price", numbers_of({})}});
    reply.say(fmt::format("Drawn from the plan {} of the budget {}, at no further cost.\n",
                          entry.number, one_line(entry.budget, 200)));
    return;
  }
  reply.tell("ledger", {{"entry", entry.number},
                        {"budget", entry.budget},
                        {"state", word_of(state_words(), entry.state)},
                        {"price", numbers_of(entry.price)}});
  reply.say(fmt::format("Charged to the budget {}, entry {}: {}.\n", one_line(entry.budget, 200),
                        entry.number, words_of(entry.price)));
}

}  // namespace modicum
