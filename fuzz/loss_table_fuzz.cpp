// Bytes as a table of losses: understood or refused with the library's own errors, nothing else.
#include <string_view>

#include "checks.h"
#include "release/descriptions/loss_table.h"

namespace modicum::fuzz {
namespace {

// A profile must cost a bounded time.
constexpr std::size_t most_rows = 64;

void check_rows(const Record& record, const LossTable& table) {
  record.require(table.losses.size() == table.probabilities.size(), "the columns differ in length");
  record.require(table.infinite >= 0.0, "the infinite mass is {}", table.infinite);
  for (std::size_t i = 0; i < table.losses.size(); ++i)
    record.require(std::isfinite(table.losses[i]) && table.probabilities[i] >= 0.0 &&
                       table.probabilities[i] <= 1.0,
                   "row {} is {}, {}", i, table.losses[i], table.probabilities[i]);
}

// Divides by the total and moves every loss, so that both laws have a mass of at most 1: bytes
// hardly ever are a table that holds.
void make_consistent(LossTable& table) {
  double total = table.infinite, other = 0.0;
  for (const double mass : table.probabilities) total += mass;
  if (!(total > 0.0)) return;
  table.infinite /= total;
  for (double& mass : table.probabilities) mass /= total;
  for (std::size_t i = 0; i < table.losses.size(); ++i)
    other += table.probabilities[i] * std::exp(-table.losses[i]);
  if (!(other > 1.0) || !std::isfinite(other)) return;
  for (double& loss : table.losses) loss += std::log(other);
}

void run(std::string_view text) {
  Record record;
  record.note("{}", text);
  LossTable table;
  if (!succeeds(record, "parse_loss_table", [&] { table = parse_loss_table(text); })) return;
  check_rows(record, table);
  if (table.losses.size() > most_rows) return;
  make_consistent(table);
  PrivacyLoss loss;
  if (!succeeds(record, "tabulated_loss", [&] { loss = tabulated_loss(table); })) return;
  ask_profile(record, loss, 1.0, Accuracy::fast);
}

}  // namespace
}  // namespace modicum::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  modicum::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
