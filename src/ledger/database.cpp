#include "ledger/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "data/cells/number_text.h"
#include "modicum/data/unreadable_file.h"
#include "modicum/randomness/random_source.h"

namespace modicum {
namespace {

constexpr std::string_view sqlite_prefix = "sqlite:";
constexpr int most_attempts = 200;

bool is_address(std::string_view store) {
  return store.starts_with("postgresql:") || store.starts_with("postgres:");
}

// Those in each other's way must not meet again at once.
void wait_a_little(int attempt) {
  const auto longest = static_cast<std::uint64_t>(std::min(2 << std::min(attempt, 7), 200));
  std::this_thread::sleep_for(std::chrono::milliseconds(1 + SecureSource().next() % longest));
}

}  // namespace

bool Database::has_table(const std::string& name) { return !ask(table_query(), {name}).empty(); }

void Database::run(const std::function<void()>& work) {
  try {
    work();
    ask("COMMIT");
  } catch (...) {
    try {
      ask("ROLLBACK");
    } catch (const Error&) {  // the store has done so itself, or is gone
    }
    throw;
  }
}

void Database::change(const std::function<void()>& work) {
  for (int attempt = 1;; ++attempt) {
    try {
      begin_change();
      return run(work);
    } catch (const InTheWay&) {
      if (attempt == most_attempts) throw;
      wait_a_little(attempt);
    }
  }
}

void Database::look(const std::function<void()>& work) {
  begin_look();
  run(work);
}

std::unique_ptr<Database> open_database(const std::string& store, OpenStore how,
                                        std::chrono::milliseconds patience) {
  if (is_address(store)) return open_postgresql(store, patience);
  std::string path = store;
  if (path.starts_with(sqlite_prefix)) path.erase(0, sqlite_prefix.size());
  if (path.empty()) throw InvalidParameter("ledger", in_quotes(store), "must not be empty");
  if (path.find("://") != std::string::npos ||
      (path.size() != store.size() && path.starts_with("//") && !path.starts_with("///")))
    throw InvalidParameter("ledger", shown_store(store), "must be a file, or postgresql://...");
  // A name that the library would take for something else than a file.
  if (path.starts_with(":")) path = "./" + path;
  return open_sqlite(path, how, patience);
}

void refuse_missing(const std::string& store) {
  const std::string shown = shown_store(store);
  throw UnreadableFile(
      fmt::format("there is no ledger in {}: modicum ledger create --ledger {} --budget NAME "
                  "--epsilon 1 --delta 1e-6 makes one",
                  shown, shown));
}

// Whatever may be a password is left out, also where the address is none that a server understands.
std::string shown_store(const std::string& store) {
  std::string shown = store;
  const auto cut = [&](std::string_view from) {
    if (const auto place = shown.find(from); place != std::string::npos) shown.erase(place);
  };
  const auto scheme = store.find("://");
  const auto at = store.rfind('@');
  if (scheme != std::string::npos && at != std::string::npos && at > scheme) {
    const auto colon = store.find(':', scheme + 3);
    if (colon != std::string::npos && colon < at) shown.erase(colon, at - colon);
  }
  if (scheme != std::string::npos || is_address(store)) cut("?");
  cut("password");
  return in_quotes(shown);
}

}  // namespace modicum
