// A store of SQL: one interface, two kinds. Statements are written so that both understand them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "modicum/numerics/errors.h"

namespace modicum {

/// How a store is opened.
enum class OpenStore {
  existing,     ///< which must be there
  or_make_new,  ///< made where there is none
};

class Database {
 public:
  using Cell = std::optional<std::string>;
  using Row = std::vector<Cell>;

  virtual ~Database() = default;
  /// One statement with values for $1, $2, ..., each used once and in this order. Throws
  /// UnreadableFile where the store is damaged or cannot be reached, Error for all else.
  virtual std::vector<Row> ask(const std::string& statement, const Row& values = {}) = 0;
  bool has_table(const std::string& name);

  /// Runs `work` as one serializable transaction, alone among writers. What it did is on the disk
  /// when this returns, and nothing of it is done when this throws. Where another transaction was
  /// in the way it runs again.
  void change(const std::function<void()>& work);
  /// Runs `work` on one unchanging state.
  void look(const std::function<void()>& work);

 protected:
  /// Thrown inside a transaction that may succeed when it is tried again.
  class InTheWay : public Error {
   public:
    using Error::Error;
  };
  virtual void begin_change() = 0;
  virtual void begin_look() = 0;
  virtual std::string table_query() const = 0;

 private:
  void run(const std::function<void()>& work);
};

/// How long to wait for another that holds the store.
inline constexpr std::chrono::milliseconds default_patience{60000};

/// `store`: a path, or "sqlite:" and a path; or postgresql://... Throws InvalidParameter,
/// UnreadableFile.
std::unique_ptr<Database> open_database(const std::string& store, OpenStore how,
                                        std::chrono::milliseconds patience = default_patience);
std::unique_ptr<Database> open_sqlite(const std::string& path, OpenStore how,
                                      std::chrono::milliseconds patience);
std::unique_ptr<Database> open_postgresql(const std::string& address,
                                          std::chrono::milliseconds patience);

/// The store in messages: without a password.
std::string shown_store(const std::string& store);
/// Throws UnreadableFile, which says how to make a ledger there.
[[noreturn]] void refuse_missing(const std::string& store);

}  // namespace modicum
