// ledger ..: budgets that outlive a run; price: what a loss costs there.
#include <fmt/format.h>

#include "data/cells/number_text.h"
#include "interfaces/job.h"
#include "interfaces/ledger/place.h"
#include "modicum/data/json.h"
#include "modicum/release/release_files.h"
#include "modicum/release/write_file.h"

namespace modicum {
namespace {

struct PriceJob {
  LossSource source = {};
  double slack = 0.0;
  void fields(Fields& fields) {
    source.fields(fields);
    fields.add("slack", slack, "probability of an infinite loss, at least 0 and below 1")
        .required();
  }
};

Reply run(const PriceJob& job, Progress& progress) {
  progress.begin("pricing");
  const Description description = job.source.load(Accuracy::certified);
  const Price found = price(description.loss, job.slack);
  Reply reply;
  reply.say(description.label + "\n");
  reply.add("mu", "mu", found.mu());
  reply.add("slack", "slack", found.slack);
  return reply.say(
      "In a budget that is spent freely this costs mu^2 and the slack. Proved; mu is rounded "
      "up.\n");
}

struct CreateJob {
  BudgetPlace place = {};
  BudgetDeclaration declaration = {};
  std::vector<std::string> parts = {};
  std::string unit = "row";
  void fields(Fields& fields) {
    place.ledger.fields(fields);
    fields.add("budget", declaration.name, "name of the budget").shown_as("NAME").required();
    BudgetTerms& terms = declaration.terms;
    fields.add("epsilon", terms.epsilon, "privacy loss bound of all together, at least 0");
    fields.add("delta", terms.delta, "at least 0 and below 1");
    fields.add("mu", terms.mu, "in place of both: Gaussian differential privacy");
    fields.add("rho", terms.rho,
               "in place of both: zero-concentrated differential privacy, for Gaussian noise");
    fields.add("slack", terms.slack,
               "probability of an infinite loss, for noise that is not Gaussian; 1 % of `delta` by "
               "default");
    fields.add("pure", terms.pure, "epsilon set aside for pure differential privacy; 0 by default");
    fields.choice("neighbors", declaration.neighbors, adjacency_words(),
                  "which data sets are neighbors, add_remove by default");
    fields.add(
        "zcdp", terms.zcdp,
        "rho set aside for zero-concentrated mechanisms that are not Gaussian; 0 by default");
    fields.add("parts", parts, "parts of the records, which share a charge: region=north,south")
        .shown_as("PARTITION=PARTS")
        .is_repeated = true;
    fields.add(
        "one_part_each", declaration.one_part_each,
        "for parts of persons, or of records that are replaced: it is public that nobody has "
        "rows in several parts or can change the own one");
    fields
        .add("unit", unit,
             "what is protected: row, the default, or the column that says whose row it is, as "
             "`unit` of a release")
        .shown_as("COLUMN");
    fields.add("unit_words", declaration.unit_words, "what one record is, in words: a visit");
    fields.add("population", declaration.population, "whose records these are, in words");
  }
};

Reply run(const CreateJob& job, Progress& progress) {
  progress.begin("splitting the budget");
  BudgetDeclaration declaration = job.declaration;
  declaration.unit = unit_in("unit", job.unit);
  for (const std::string& each : job.parts)
    declaration.partitions.push_back(partition_in("parts", each));
  declaration.check();  // before a file is made
  Ledger ledger = Ledger::open_or_make(job.place.ledger.store);
  const BudgetStatus status = ledger.create(declaration, job.place.ledger.circumstances());
  Reply reply;
  const Value told = budget_value(status);
  for (const auto& [key, value] : told.members()) reply.tell(key, value);
  tell_budget(reply, status);
  return reply;
}

Reply told(Ledger& ledger, const Entry& entry, const std::string& what) {
  const BudgetStatus status = ledger.budget(entry.budget);
  Reply reply;
  reply.say(fmt::format("{}, entry {} of {}: {}.\n", what, entry.number,
                        one_line(entry.budget, 200), words_of(entry.price)));
  reply.tell("entry", entry.number);
  reply.tell("budget", entry.budget);
  reply.tell("state", word_of(state_words(), entry.state));
  reply.tell("price", numbers_of(entry.price));
  tell_budget(reply, status);
  return reply;
}

std::int64_t whole_of(const char* name, double number) {
  return static_cast<std::int64_t>(require_count(name, number));
}

struct ChargeJob {
  BudgetPlace place = {};
  ChargedLoss loss = {};
  std::optional<double> plan = {};
  void fields(Fields& fields) {
    loss.fields(fields);
    place.fields(fields);
    fields.add("plan", plan, "draw it from the plan with this number, at no further cost");
  }
};

Reply run(const ChargeJob& job, Progress& progress) {
  Ledger ledger = job.place.ledger.open();
  const Spending spending = job.loss.spending();
  const Circumstances circumstances = job.place.ledger.circumstances();
  if (job.plan)
    return told(ledger, ledger.draw(whole_of("plan", *job.plan), spending, circumstances),
                "Drawn from a plan");
  progress.begin("pricing");
  return told(ledger,
              ledger.charge(job.place.budget, spending, EntryState::released, circumstances),
              "Charged");
}

struct PlanJob {
  BudgetPlace place = {};
  ChargedLoss loss = {};
  void fields(Fields& fields) {
    loss.fields(fields);
    place.fields(fields);
  }
};

Reply run(const PlanJob& job, Progress& progress) {
  Ledger ledger = job.place.ledger.open();
  progress.begin("pricing");
  return told(ledger,
              ledger.plan(job.place.budget, job.loss.spending(), job.place.ledger.circumstances()),
              "Planned");
}

struct CancelJob {
  LedgerPlace place = {};
  double plan = 0.0;
  void fields(Fields& fields) {
    place.fields(fields);
    fields.add("plan", plan, "number of the plan").required();
  }
};

Reply run(const CancelJob& job, Progress&) {
  Ledger ledger = job.place.open();
  const std::int64_t plan = whole_of("plan", job.plan);
  ledger.cancel(plan, job.place.circumstances());
  return told(ledger, ledger.entry(plan), "Cancelled and given back");
}

struct StatusJob {
  BudgetPlace place = {};
  void fields(Fields& fields) { place.fields(fields); }
};

Reply run(const StatusJob& job, Progress&) {
  Ledger ledger = job.place.ledger.open();
  const std::vector<BudgetStatus> budgets =
      job.place.budget.empty() ? ledger.budgets()
                               : std::vector<BudgetStatus>{ledger.budget(job.place.budget)};
  Reply reply;
  Value all = Value::list();
  for (const BudgetStatus& each : budgets) {
    all.push_back(budget_value(each));
    if (all.size() > 1) reply.say("\n");
    tell_budget(reply, each);
  }
  if (budgets.empty()) reply.say("There is no budget in this ledger yet.\n");
  reply.say(shared_in_words(budgets));
  reply.tell("budgets", std::move(all));
  Value together = Value::list(), apart = Value::list();
  for (const SharedPopulation& each : shared_populations(budgets)) together.push_back(each.tree());
  for (const UnlikeBudgets& each : unlike_budgets(budgets)) apart.push_back(each.tree());
  if (together.size() > 0) reply.tell("together", std::move(together));
  if (apart.size() > 0) reply.tell("not_together", std::move(apart));
  return reply;
}

// What became of it.
template <class Recorded>
void tell_outcome(Value& value, const Recorded& recorded) {
  if (!recorded.certificate.is_null()) value["certificate"] = recorded.certificate;
  value["certificate_sha256"] = recorded.certificate_sha256;
  value["file_sha256"] = recorded.file_sha256;
}

Value draw_value(const Draw& draw) {
  Value value{{"draw", draw.number}, {"state", word_of(state_words(), draw.state)}};
  for (const char* key : {"time", "who", "command", "description", "loss", "guarantee", "count"})
    value[key] = draw.body.at(key);
  tell_outcome(value, draw);
  return value;
}

Value entry_value(const Entry& entry) {
  Value value{{"entry", entry.number},
              {"budget", entry.budget},
              {"state", word_of(state_words(), entry.state)}};
  for (const char* key : {"time", "who", "command", "description", "loss", "guarantee"})
    value[key] = entry.body.at(key);
  value["price"] = numbers_of(entry.price);
  for (const char* key : {"unit", "part"})
    if (const Value* told = entry.body.find(key)) value[key] = *told;
  if (entry.body.contains("plan")) {
    value["plan"] = entry.body.at("plan");
    value["drawn"] = entry.drawn;
    value["draws"] = Value::list();
    for (const Draw& each : entry.draws) value["draws"].push_back(draw_value(each));
  }
  tell_outcome(value, entry);
  return value;
}

struct ListJob {
  BudgetPlace place = {};
  void fields(Fields& fields) { place.fields(fields); }
};

Reply run(const ListJob& job, Progress&) {
  Ledger ledger = job.place.ledger.open();
  ReplyTable table(entry_heading());
  Value entries = Value::list();
  const std::string name = job.place.budget.empty() ? "" : ledger.budget(job.place.budget).name;
  for (const Entry& each : ledger.entries(name)) {
    entries.push_back(entry_value(each));
    for (std::vector<std::string>& row : entry_rows(each)) table.add({}, std::move(row));
  }
  Reply reply;
  return reply.tell("entries", std::move(entries)).add("", table);
}

struct VerifyJob {
  LedgerPlace place = {};
  std::string head = {};
  void fields(Fields& fields) {
    place.fields(fields);
    fields.add("head", head, "hash of a record that was exported earlier and must still be there")
        .shown_as("HASH");
  }
};

Reply run(const VerifyJob& job, Progress& progress) {
  progress.begin("following the chain");
  Ledger ledger = job.place.open();
  const Verification found = ledger.verify(job.head);
  Reply reply;
  reply.tell("intact", true);
  reply.add("records", "records", found.records);
  reply.add("head", "head", found.head);
  return reply.say(
      "Nothing in the chain was changed, and the sums are what it says. To see that nothing was\n"
      "cut off at its end, compare with a head that was kept earlier: --head.\n");
}

struct ExportJob {
  LedgerPlace place = {};
  std::string output = {};
  void fields(Fields& fields) {
    place.fields(fields);
    fields
        .add("output", output, "where to write it: .json, or .html for a page to read; - shows it")
        .shown_as("PATH")
        .required()
        .is_text_place = true;
  }
};

Reply run(const ExportJob& job, Progress& progress) {
  progress.begin("following the chain");
  Ledger ledger = job.place.open();
  const Verification found = ledger.verify();
  const bool page = job.output.ends_with(".html");
  if (!page && job.output != "-" && !job.output.ends_with(".json"))
    throw InvalidParameter("output", in_quotes(job.output), "must end in .json or .html, or be -");
  std::string text;
  if (page) {
    text = ledger_page(ledger, found);
  } else {
    Value budgets = Value::list();
    for (const BudgetStatus& each : ledger.budgets()) budgets.push_back(budget_value(each));
    text =
        json_lines({{"head", found.head}, {"budgets", budgets}, {"records", ledger.records()}}, 2);
  }
  Reply reply;
  if (job.output == "-") {
    reply.text = text;
    return reply;
  }
  require_place("output", job.output);
  write_file(job.output, text);
  reply.add("output", "written to", job.output);
  reply.add("records", "records", found.records);
  return reply.add("head", "head", found.head);
}

}  // namespace

std::vector<JobKind> ledger_jobs() {
  return {
      job_kind<PriceJob>("price", "what a loss costs in a budget that is spent freely",
                         "  modicum price mechanism.json --slack 1e-9",
                         "The smallest mu such that a Gaussian with this mean, together with an "
                         "infinite loss of\nprobability --slack, gives away at least as much at "
                         "every epsilon."),
      {"ledger", "budgets that outlive a run",
       "  modicum ledger create --ledger study.db --budget study --epsilon 1 --delta 1e-6"},
      job_kind<CreateJob>(
          "ledger create", "a new budget, and a new ledger where there is none",
          "  modicum ledger create --ledger study.db --budget study --epsilon 1 --delta 1e-6",
          "What is promised is (epsilon, delta) for all that is ever charged, each chosen after "
          "seeing the answers\nbefore; or --mu, or --rho. Each record is in one part of a "
          "partition, by what it says itself."),
      job_kind<PlanJob>(
          "ledger plan", "reserves releases that are fixed in advance, composed exactly",
          "  echo '[{\"mechanism\": \"laplace\", \"scale\": 5, \"sensitivity\": 1, "
          "\"count\": 100}]' |\n    modicum ledger plan - --ledger study.db",
          "FILE is a list of descriptions. They may be drawn in any order with ledger "
          "charge --plan, and stopped\nearly. Once one is drawn nothing is given back."),
      job_kind<ChargeJob>(
          "ledger charge", "charges a mechanism that is run elsewhere",
          "  modicum ledger charge mechanism.json --ledger study.db",
          "FILE is a description, or a certificate. Run the mechanism after this has "
          "succeeded, not before:\nwhat does not fit is refused, and nothing is "
          "changed."),
      job_kind<CancelJob>("ledger cancel", "gives back a plan of which nothing was drawn",
                          "  modicum ledger cancel --ledger study.db --plan 7"),
      job_kind<StatusJob>("ledger status", "what is spent, and what is left",
                          "  modicum ledger status --ledger study.db",
                          "What is guaranteed is the budget. What is spent is a reading, not a "
                          "guarantee of its own."),
      job_kind<ListJob>("ledger list", "all entries", "  modicum ledger list --ledger study.db"),
      job_kind<VerifyJob>("ledger verify", "whether anything was changed afterwards",
                          "  modicum ledger verify --ledger study.db"),
      job_kind<ExportJob>("ledger export", "the whole ledger as JSON, or as a page",
                          "  modicum ledger export --ledger study.db --output ledger.html"),
      ledger_plot()};
}

}  // namespace modicum
