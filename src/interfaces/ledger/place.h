// Which ledger, and which of its budgets; and who asks.
#pragma once

#include <string>
#include <vector>

#include "interfaces/job.h"
#include "modicum/data/fields.h"
#include "modicum/ledger/ledger.h"
#include "modicum/release/loss_source.h"

namespace modicum {

/// Now, the user of this process, and what was asked: the values of all fields but the store, which
/// may have a password in it.
Circumstances circumstances_of(const Fields* asked);

struct LedgerPlace {
  std::string store = {};
  const Fields* asked = nullptr;

  void fields(Fields& fields);
  Ledger open() const { return Ledger(store); }
  Circumstances circumstances() const { return circumstances_of(asked); }
};

struct BudgetPlace {
  LedgerPlace ledger = {};
  std::string budget = {};
  void fields(Fields& fields);
};

/// A loss with all that is known of it.
struct ChargedLoss {
  LossSource source = {};
  std::optional<double> slack = {};
  Guarantee guarantee = Guarantee::proved;
  std::string part = {}, unit = {};

  void fields(Fields& fields);
  /// From a description, or from a certificate that has one. Throws InvalidDescription,
  /// UnreadableFile; TargetUnreachable for a certificate that promises less than `guarantee`.
  Spending spending() const;

 private:
  Spending found() const;
};
void add_part_field(Fields& fields, std::string& part);

/// {mu_squared, slack, pure}, each rounded up.
Value numbers_of(const Clocks& clocks);
/// "mu^2 0.25, slack 1e-09".
std::string words_of(const Clocks& clocks);

JobKind ledger_plot();  // plot ledger

/// Keys and words of one budget.
Value budget_value(const BudgetStatus& status);
void tell_budget(Reply& reply, const BudgetStatus& status);
/// The same piece by piece: a sentence, and tables with their headings.
std::string promise_line(const BudgetStatus& status);
std::vector<std::vector<std::string>> clock_rows(const BudgetStatus& status);
std::vector<std::vector<std::string>> part_rows(const BudgetStatus& status);
/// Budgets on one population, for the same neighbors and unit: what all of them promise together.
struct SharedPopulation {
  std::string population;
  std::vector<BudgetStatus> budgets = {};
  /// The sum of what is declared; 1e-6 and the slack where a budget declares none.
  double delta() const;
  /// Rounded up; nothing where no epsilon is to be had.
  std::optional<double> epsilon() const;
  Value tree() const;
  std::string sentence() const;
};
/// Those with more than one budget.
std::vector<SharedPopulation> shared_populations(const std::vector<BudgetStatus>& budgets);
/// Budgets that are, or may be, on one population, but for different neighbors or units: there is
/// no pair of data sets that all could be composed for.
struct UnlikeBudgets {
  std::string population;
  std::vector<std::string> names = {};
  std::string reason() const;
  Value tree() const;
};
std::vector<UnlikeBudgets> unlike_budgets(const std::vector<BudgetStatus>& budgets);
/// All of them in sentences; nothing where there are none.
std::string shared_in_words(const std::vector<BudgetStatus>& budgets);

/// One entry as rows of a table, the draws of a plan below it.
std::vector<std::string> entry_heading();
std::vector<std::vector<std::string>> entry_rows(const Entry& entry);

/// The whole ledger as a page to read.
std::string ledger_page(Ledger& ledger, const Verification& found);

/// "one more answer of sensitivity 1 needs ...".
std::string what_is_left_in_words(const Clocks& left);

}  // namespace modicum
