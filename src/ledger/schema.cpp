#include "ledger/schema.h"

#include <fmt/format.h>

#include "data/cells/number_text.h"
#include "ledger/earlier_unit.h"

namespace modicum {
namespace {

using Step = std::vector<const char*>;

// Readings are texts (modicum/ledger/reading.h): a database must not round them. An entry is never
// changed: what becomes of it is another line of the chain. `body` has all there is to know, and
// `hash` is that of `previous` and `body`; the other columns repeat a part for queries.
const std::vector<Step>& steps() {
  static const std::vector<Step> all{
      {"CREATE TABLE modicum_ledger (version BIGINT NOT NULL)",
       "INSERT INTO modicum_ledger VALUES (0)",
       "CREATE TABLE modicum_budgets (name TEXT PRIMARY KEY, declared TEXT NOT NULL, "
       "mu_squared_total TEXT NOT NULL, slack_total TEXT NOT NULL, pure_total TEXT NOT NULL, "
       "mu_squared_spent TEXT NOT NULL, slack_spent TEXT NOT NULL, pure_spent TEXT NOT NULL, "
       "entries BIGINT NOT NULL, guarantee TEXT NOT NULL)",
       "CREATE TABLE modicum_entries (number BIGINT PRIMARY KEY, entry BIGINT NOT NULL, "
       "budget TEXT NOT NULL, state TEXT NOT NULL, loss TEXT NOT NULL, body TEXT NOT NULL, "
       "previous TEXT NOT NULL, hash TEXT NOT NULL)"},
      {"CREATE INDEX modicum_entries_of_entry ON modicum_entries (entry)",
       "CREATE INDEX modicum_entries_of_loss ON modicum_entries (loss)"},
      {"ALTER TABLE modicum_budgets ADD COLUMN zcdp_total TEXT NOT NULL DEFAULT '0'",
       "ALTER TABLE modicum_budgets ADD COLUMN zcdp_spent TEXT NOT NULL DEFAULT '0'",
       "ALTER TABLE modicum_budgets ADD COLUMN parts TEXT NOT NULL DEFAULT ''"},
      {"ALTER TABLE modicum_budgets ADD COLUMN unit TEXT NOT NULL DEFAULT ''"},
      // The last prices of a loss are found without sorting all of them.
      {"DROP INDEX modicum_entries_of_loss",
       "CREATE INDEX modicum_entries_of_loss ON modicum_entries (loss, number)"}};
  return all;
}

constexpr int schema_with_units = 4;

}  // namespace

int newest_schema() { return static_cast<int>(steps().size()); }

int schema_of(Database& database) {
  if (!database.has_table("modicum_ledger")) return 0;
  const auto rows = database.ask("SELECT version FROM modicum_ledger");
  const auto found =
      rows.size() == 1 ? read_number(rows.front().front().value_or("")) : std::nullopt;
  if (!found || !(*found >= 1.0 && *found < 1e6)) throw Error("the ledger has no version");
  return static_cast<int>(*found);
}

void upgrade(Database& database, int wanted) {
  const auto refuse_newer = [&](int found) {
    if (found > newest_schema())
      throw Error(
          fmt::format("the ledger was made by a newer version of this program (its tables "
                      "are version {}, known are those up to {})",
                      found, newest_schema()));
  };
  const int before = schema_of(database);
  refuse_newer(before);
  if (before >= wanted) return;
  database.change([&] {
    const int found = schema_of(database);  // another may have been faster
    refuse_newer(found);
    for (int i = found; i < wanted; ++i)
      for (const char* statement : steps()[static_cast<std::size_t>(i)]) database.ask(statement);
    if (found < schema_with_units && wanted >= schema_with_units) tell_earlier_units(database);
    if (found < wanted)
      database.ask("UPDATE modicum_ledger SET version = " + std::to_string(wanted));
  });
}

}  // namespace modicum
