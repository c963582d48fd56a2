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

// In which the span is at least two, if there is one.
struct TimeUnit {
  const char* words;
  double in_days;
};
TimeUnit unit_of(double days) {
  for (const TimeUnit& each :
       {TimeUnit{"days", 1.0}, {"hours", 1.0 / 24.0}, {"minutes", 1.0 / 1440.0}})
    if (days >= 2.0 * each.in_days) return each;
  return {"seconds", 1.0 / 86400.0};
}

Picture drawn(const LedgerPlot& plot, Progress&) {
  Ledger ledger = plot.from.ledger.open();
  const BudgetStatus status = ledger.budget(plot.from.budget);
  const std::vector<Entry> entries = ledger.entries(status.name);
  const double start = entries.empty() ? 0.0 : days_of(entries.front().body.at("time"));
  Picture picture;
  Chart& chart = picture.chart;
  chart.title = plot.place.title_or(status.name);
  double span = 0.0;
  for (const Entry& each : entries) span = std::max(span, days_of(each.body.at("time")) - start);
  const TimeUnit unit = unit_of(span);
  chart.horizontal.label = std::string(unit.words) + " since the first entry";
  chart.horizontal.range = {0.0, span > 0.0 ? 1.05 * span / unit.in_days : 1.0};
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
    for (double& x : series.x) x /= unit.in_days;
    series.x.push_back(chart.horizontal.range->second);  // so it stays
    series.y.push_back(series.y.back());
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
