// Budgets that outlive a run: what is charged is on record, for good, before anything is shown.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modicum/data/fields.h"
#include "modicum/ledger/expenses.h"
#include "modicum/release/unit.h"
#include "modicum/release/adjacency.h"
#include "modicum/release/certificate.h"

namespace modicum {

/// The guarantees that may enter a budget, the strongest first.
const Choices<Guarantee>& charged_guarantees();

/// A budget protects one population of records.
struct BudgetDeclaration {
  std::string name = {};
  BudgetTerms terms = {};
  Adjacency neighbors = Adjacency::add_remove;
  ProtectedUnit unit = {};      ///< whose presence is protected
  std::string unit_words = {};  ///< what one record is, for people
  std::string population = {};  ///< whose records these are, in words
  /// A record that is replaced may leave one part and enter another: see below.
  std::vector<Partition> partitions = {};
  /// All rows of a person are in one part, and no record can change its own, as is known without
  /// looking: needed for parts where the unit is a person, or records are replaced.
  bool one_part_each = false;

  /// The clocks that it is split into. Throws InvalidParameter, UsageError, and TargetUnreachable
  /// where the terms cannot be met.
  Clocks check() const;
};

/// When, by whom and by which command: public, without data.
struct Circumstances {
  std::chrono::system_clock::time_point time;
  std::string who = {}, command = {};
};

struct BudgetStatus {
  std::string name;
  Value declared;  ///< terms, neighbors, unit, population, who and when
  Clocks total;
  Expenses expenses = {};
  std::int64_t entries = 0;
  Guarantee guarantee = Guarantee::proved;  ///< the weakest of its entries
  /// Nothing where an earlier version let releases of different units in: nothing more fits then.
  std::optional<ProtectedUnit> unit = ProtectedUnit{};

  Clocks spent() const { return expenses.all(); }
  /// For one more release of all records, or of one part. Rounded down.
  Clocks left(const std::optional<Part>& part = {}) const;
  std::vector<Partition> partitions() const;
};

/// A loss that is to be paid.
struct Spending {
  PrivacyLoss loss;
  std::string label;  ///< in words
  Value description;  ///< as a tree; nothing where there is none
  Guarantee guarantee = Guarantee::proved;
  std::optional<Adjacency> neighbors = {};  ///< those of the budget, where they are not told
  std::optional<ProtectedUnit> unit = {};   ///< that of the budget, where it is not told
  std::optional<double> slack = {};         ///< pay with this slack
  std::optional<Clocks> at_most = {};       ///< and with no more than this
  std::string certificate_sha256 = {};
  std::optional<Part> part = {};  ///< reads the records of this part alone
};

/// What a charge would cost, and leave for one more.
struct Quote {
  Clocks price, left;
};

enum class EntryState {
  created,    ///< a budget
  reserved,   ///< spent; nothing is known of what became of it
  released,   ///< spent, and the numbers were given out
  failed,     ///< spent, and nothing was given out
  drawn,      ///< a part of a plan that was reserved
  cancelled,  ///< a plan of which nothing was drawn: given back
};
const Choices<EntryState>& state_words();

/// One release of a plan.
struct Draw {
  std::int64_t number = 0;               ///< of its record
  EntryState state = EntryState::drawn;  ///< the last: `drawn` where nobody said what became of it
  Value body;                            ///< as it was first recorded
  std::string certificate_sha256 = {}, file_sha256 = {};
  Value certificate = {};
};

struct Entry {
  std::int64_t number = 0;
  std::string budget;
  EntryState state = EntryState::reserved;  ///< the last
  Clocks price;
  std::int64_t drawn = 0;  ///< of a plan
  Value body;              ///< as it was first recorded
  std::string certificate_sha256 = {}, file_sha256 = {};
  std::optional<Part> part = {};
  Value certificate = {};        ///< of what was released
  std::vector<Draw> draws = {};  ///< of a plan, in their order
};

struct Verification {
  std::int64_t records = 0;
  std::string
      head;  ///< hash of the last record; whoever kept it sees later whether it is still there
};

/// A price that a budget cannot pay any more.
class DoesNotFit : public TargetUnreachable {
 public:
  using TargetUnreachable::TargetUnreachable;
};

class Database;

class Ledger {
 public:
  /// Throws UnreadableFile unless there is one.
  explicit Ledger(const std::string& store);
  /// Makes one where there is none.
  static Ledger open_or_make(const std::string& store);
  explicit Ledger(std::unique_ptr<Database> database);
  ~Ledger();
  Ledger(Ledger&&) noexcept;

  /// Throws InvalidParameter for a name that is taken, CalibrationFailed for terms that cannot be
  /// met.
  BudgetStatus create(const BudgetDeclaration& declaration, const Circumstances& circumstances);
  std::vector<BudgetStatus> budgets();
  /// By its name; the only one there is where that is empty. Throws InvalidParameter.
  BudgetStatus budget(const std::string& name);

  /// The price that a charge would take now; nothing is changed. Throws what `charge` throws.
  Quote quote(const std::string& budget, const Spending& spending);
  /// Charges the price that leaves most, in state `reserved` or `released`. When this returns it is
  /// on the disk. Throws DoesNotFit, and TargetUnreachable for what has no price or may not enter;
  /// nothing was changed then.
  Entry charge(const std::string& budget, const Spending& spending, EntryState state,
               const Circumstances& circumstances);
  /// Releases fixed in advance, charged as one: `spending` has the description of their composition
  /// ({"compose": [..]}, or of a single one), whose loss is that.
  Entry plan(const std::string& budget, const Spending& spending,
             const Circumstances& circumstances);
  /// One release of a plan, which costs nothing more, by its description: that of an item, or one
  /// that an item is proved to dominate. Throws TargetUnreachable where the plan has none of it
  /// left, or the release protects others or promises less.
  Entry draw(std::int64_t plan, const Spending& spending, const Circumstances& circumstances);
  /// How many like this one the plan has left; nothing is changed. Throws what `draw` throws.
  std::int64_t drawable(std::int64_t plan, const Spending& spending);
  /// A plan that is not cancelled. Throws InvalidParameter.
  Entry planned(std::int64_t plan);
  /// Gives back a plan of which nothing was drawn. Throws InvalidParameter.
  void cancel(std::int64_t plan, const Circumstances& circumstances);
  /// What became of a draw, by its record.
  void settle_draw(std::int64_t plan, std::int64_t draw, EntryState state,
                   const std::string& certificate_sha256, const std::string& file_sha256,
                   const Circumstances& circumstances, const Value& certificate = {});
  /// What became of an entry that is `reserved`: where it was released, with its certificate.
  void settle(std::int64_t entry, EntryState state, const std::string& certificate_sha256,
              const std::string& file_sha256, const Circumstances& circumstances,
              const Value& certificate = {});

  /// Throws InvalidParameter.
  Entry entry(std::int64_t number);
  /// All entries, or those of one budget, in their order.
  std::vector<Entry> entries(const std::string& budget = "");
  /// All records of the chain as they are: {body, previous, hash}.
  Value records();
  /// Follows the chain and adds up again. Throws Error where something was changed, and where
  /// `head` is given but not in the chain.
  Verification verify(const std::string& head = "");

 private:
  struct News;
  std::int64_t append(const News& news, const Circumstances& circumstances);
  void save(const BudgetStatus& status);
  Offers offers(const BudgetStatus& status, const Spending& spending, const std::string& loss);
  Entry charge_as(const std::string& budget, const Spending& spending, EntryState state,
                  const Value& items, const Circumstances& circumstances);
  std::unique_ptr<Database> database_;
};

}  // namespace modicum
