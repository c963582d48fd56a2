// A ledger in a file: prices of losses that were charged before, status, charges, by the number of
// entries that it has. What is charged again is not priced again, and status does not read entries.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "modicum/data/json.h"
#include "modicum/ledger/ledger.h"
#include "modicum/release/description.h"

namespace modicum {
namespace {

const Circumstances now{std::chrono::system_clock::time_point{}, "bench", "{}"};

Spending spending_of_text(const std::string& text) {
  const Value tree = parse_json(text);
  const Description found = describe(tree, Accuracy::certified);
  return {found.loss, found.label, tree};
}
const Spending& answer() {
  static const Spending spending = spending_of_text(
      "{\"mechanism\": \"random_projection\", \"columns\": 300, \"leverage\": 0.0002}");
  return spending;
}

// With so many entries of the same loss. The folder is removed when it goes.
class FilledLedger {
 public:
  explicit FilledLedger(std::int64_t entries) {
    char name[] = "/tmp/modicum-ledger-XXXXXX";
    if (::mkdtemp(name) == nullptr) throw Error("no folder could be made");
    folder_ = name;
    BudgetDeclaration declaration;
    declaration.name = "study";
    declaration.terms.epsilon = 50.0;
    declaration.terms.delta = 1e-4;
    ledger_ = std::make_unique<Ledger>(Ledger::open_or_make(folder_ + "/ledger.db"));
    ledger_->create(declaration, now);
    for (std::int64_t i = 0; i < entries; ++i) charge();
  }
  ~FilledLedger() {
    ledger_.reset();
    std::filesystem::remove_all(folder_);
  }
  Ledger& operator*() { return *ledger_; }
  void charge() { ledger_->charge("study", answer(), EntryState::released, now); }

 private:
  std::string folder_;
  std::unique_ptr<Ledger> ledger_;
};

void price_a_thousand_again(benchmark::State& state) {
  FilledLedger ledger(state.range(0));
  for (auto _ : state)
    for (int i = 0; i < 1000; ++i) benchmark::DoNotOptimize((*ledger).quote("study", answer()));
}
BENCHMARK(price_a_thousand_again)->Arg(1)->Arg(1000)->Unit(benchmark::kMillisecond);

void status(benchmark::State& state) {
  FilledLedger ledger(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize((*ledger).budgets());
}
BENCHMARK(status)->Arg(1)->Arg(100)->Arg(5000)->Unit(benchmark::kMicrosecond);

void charge_to_disk(benchmark::State& state) {
  FilledLedger ledger(state.range(0));
  for (auto _ : state) ledger.charge();
}
BENCHMARK(charge_to_disk)->Arg(1)->Arg(1000)->Iterations(200)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace modicum
