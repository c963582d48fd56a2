#include "modicum/ledger/reservation.h"

#include <fmt/format.h>

#include "modicum/release/description.h"
#include "modicum/release/neighbors.h"

namespace modicum {
namespace {

// Nothing where it says nothing of records.
std::optional<Adjacency> neighbors_in_words(const Value* adjacency) {
  if (adjacency == nullptr || !adjacency->is_text()) return std::nullopt;
  if (const auto stated = adjacency_in_sentence(adjacency->text())) return stated;
  if (adjacency->text().find("replac") != std::string::npos) return Adjacency::replace_one;
  return std::nullopt;
}

Guarantee guarantee_in(const Value& certificate) {
  for (const Choice<Guarantee>& each : charged_guarantees())
    if (certificate.at("guarantee") == Value(to_string(each.value))) return each.value;
  return Guarantee::per_instance;
}

}  // namespace

Spending spending_of(const Value& certificate, Guarantee accepted, const std::string& folder) {
  const Guarantee promised = guarantee_in(certificate);
  if (promised > accepted)
    throw TargetUnreachable(
        fmt::format("the guarantee of this release is {}, but what enters the budget must be {}",
                    to_string(promised), to_string(accepted)));
  const Value* named = certificate.find("loss");
  if (named == nullptr || named->is_null())
    throw TargetUnreachable("this release has no loss that could be charged");
  const Value& loss = *named;
  const Description found = describe(loss, Accuracy::certified, folder);
  Spending spending{found.loss,
                    fmt::format("{}: {}", certificate.at("mechanism").text(), found.label), loss};
  spending.guarantee = promised;
  spending.neighbors = neighbors_in_words(certificate.find("adjacency"));
  spending.unit = unit_of_certificate(certificate);
  // A certificate that speaks of a sensitivity alone is read as a description is: what is not told
  // is about adding or removing one row.
  if (!spending.neighbors) {
    spending.neighbors = found.adjacency;
    if (!spending.unit) spending.unit = ProtectedUnit{};
  }
  // Another than what is usual was meant.
  if (found.adjacency != Adjacency::add_remove) {
    if (spending.neighbors && *spending.neighbors != found.adjacency)
      throw TargetUnreachable("this certificate and its loss speak of different neighbors");
    spending.neighbors = found.adjacency;
  }
  return spending;
}

Reservation::Reservation(std::string store, Entry entry, Circumstances circumstances)
    : store_(std::move(store)),
      entry_(std::move(entry)),
      circumstances_(std::move(circumstances)) {}

void Reservation::settle(EntryState state, const std::string& certificate_sha256,
                         const std::string& file_sha256, std::chrono::system_clock::time_point time,
                         const Value& certificate) {
  circumstances_.time = time;
  Ledger ledger(store_);
  if (!entry_.draws.empty())
    ledger.settle_draw(entry_.number, entry_.draws.back().number, state, certificate_sha256,
                       file_sha256, circumstances_, certificate);
  else
    ledger.settle(entry_.number, state, certificate_sha256, file_sha256, circumstances_,
                  certificate);
  entry_.state = state;
}

void Reservation::released(const std::string& certificate_sha256, const std::string& file_sha256,
                           std::chrono::system_clock::time_point time, const Value& certificate) {
  settle(EntryState::released, certificate_sha256, file_sha256, time, certificate);
}

void Reservation::failed(std::chrono::system_clock::time_point time) {
  settle(EntryState::failed, "", "", time);
}

namespace {

Spending spending_by(const LedgerChoice& choice, const Value& certificate) {
  Spending spending = spending_of(certificate, choice.accepted);
  spending.part = choice.part;
  spending.at_most = choice.at_most;
  return spending;
}

}  // namespace

Quote quote(const LedgerChoice& choice, const Value& certificate) {
  return Ledger(choice.store).quote(choice.budget, spending_by(choice, certificate));
}

std::int64_t drawable(const LedgerChoice& choice, const Value& certificate) {
  return Ledger(choice.store).drawable(choice.plan.value(), spending_by(choice, certificate));
}

Reservation reserve(const LedgerChoice& choice, const Value& certificate,
                    const Circumstances& circumstances) {
  Ledger ledger(choice.store);
  const Spending spending = spending_by(choice, certificate);
  Entry entry = choice.plan
                    ? ledger.draw(*choice.plan, spending, circumstances)
                    : ledger.charge(choice.budget, spending, EntryState::reserved, circumstances);
  return {choice.store, std::move(entry), circumstances};
}

}  // namespace modicum
