// A page of a ledger for those who were promised something.
#include <fmt/format.h>

#include "interfaces/ledger/place.h"
#include "interfaces/pages/html_page.h"

namespace modicum {
namespace {

std::string paragraph(const std::string& text) {
  return fmt::format("<p>{}</p>\n", html_text(text));
}

std::string page_of_budget(const BudgetStatus& status) {
  std::string body =
      fmt::format("<h2>{}</h2>\n", html_text(status.name)) + paragraph(promise_line(status));
  body += html_table(clock_rows(status));
  if (!status.partitions().empty()) body += html_table(part_rows(status));
  return body + paragraph(what_is_left_in_words(status.left()));
}

constexpr const char* what_it_means =
    "What a budget promises holds for everything below that was charged to it, all together, "
    "though each release may have been chosen after seeing the answers before it. It does not "
    "cover what was not charged, or was chosen by looking at the data. What is spent is a reading, "
    "not a promise of its own. An entry that is reserved is spent, whatever became of it.";

}  // namespace

std::string ledger_page(Ledger& ledger, const Verification& found) {
  std::string body = paragraph(what_it_means);
  const std::vector<BudgetStatus> budgets = ledger.budgets();
  for (const BudgetStatus& each : budgets) body += page_of_budget(each);
  if (const std::string shared = shared_in_words(budgets); !shared.empty())
    body += paragraph(shared);
  std::vector<std::vector<std::string>> rows{entry_heading()};
  for (const Entry& each : ledger.entries())
    for (std::vector<std::string>& row : entry_rows(each)) rows.push_back(std::move(row));
  body += "<h2>Entries</h2>\n" + html_table(rows);
  body += fmt::format(
      "<p>{} records, each with the hash of the one before it. If you keep that of the last, you "
      "can "
      "check later whether it is still there (ledger verify --head): <code>{}</code></p>\n",
      found.records, html_text(found.head));
  return html_page("Ledger", body);
}

}  // namespace modicum
