// plot ledger: what is spent of a budget, over time.

#include <algorithm>
#include <ctime>

#include "interfaces/ledger/place.h"
#include "interfaces/plot/picture.h"

namespace modicum {
namespace {

struct LedgerPlot : PlotJob {
  BudgetPlace from = {};
  void fields(Fields& fields) {
    from.fields(fields);
    place.fields(fields);
  }
};

// "2024-05-01T12:00:00Z" in days.
double days_of(const Value& time) {
  std::tm parts = {};
  if (::strptime(time.text().c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr)
    throw Error("the ledger has a time that cannot be read");
  return static_cast<double>(::timegm(&parts)) / 86400.0;
}

Picture drawn(const LedgerPlot& plot, Progress&) {
  Ledger ledger = plot.from.ledger.open();
  const BudgetStatus status = ledger.budget(plot.from.budget);
  const std::vector<Entry> entries = ledger.entries(status.name);
  const double start = entries.empty() ? 0.0 : days_of(entries.front().body.at("time"));
  Picture picture;
  Chart& chart = picture.chart;
  chart.title = plot.place.title_or(status.name);
  chart.horizontal.label = "days since the first entry";
  chart.vertical.label = "share that is spent";
  chart.vertical.range = {0.0, 1.0};
  for (const ClockKind& each : clock_kinds) {
    const Reading& total = status.total.*each.reading;
    if (total.is_zero()) continue;
    Series series{each.words, {0.0}, {0.0}, {}, {}};
    Expenses expenses;
    double day = 0.0;
    for (const Entry& entry : entries) {
      if (entry.state == EntryState::cancelled) continue;
      // In the order of the chain, whatever the clocks of those who charged said.
      day = std::max(day, days_of(entry.body.at("time")) - start);
      // A step: what was spent until then, and from then on.
      series.x.push_back(day);
      series.y.push_back(series.y.back());
      expenses.add(entry.price, entry.part);
      series.x.push_back(day);
      series.y.push_back((expenses.all().*each.reading).upper() / total.lower());
    }
    picture.rows.push_back({{"clock", each.words}, {"days", series.x}, {"share", series.y}});
    chart.series.push_back(std::move(series));
  }
  return picture;
}

}  // namespace

JobKind ledger_plot() {
  return job_kind<LedgerPlot>("plot ledger", "what is spent of a budget, over time",
                              "  modicum plot ledger --ledger study.db --output spent.svg");
}

}  // namespace modicum
