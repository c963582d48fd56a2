#include "modicum/ledger/ledger.h"

#include <gtest/gtest.h>

#include <fstream>

#include "ledger/database.h"
#include "ledger/earlier_unit.h"
#include "ledger/schema.h"
#include "modicum/data/json.h"
#include "modicum/data/unreadable_file.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/release/description.h"
#include "support/temporary_folder.h"
#include "test_paths.h"

namespace modicum::ledger_test {
namespace {

using testing::TemporaryFolder;

const Circumstances now{std::chrono::system_clock::time_point{}, "tester", "{}"};

Spending described(const std::string& text) {
  const Value tree = parse_json(text);
  const Description found = describe(tree, Accuracy::certified);
  return {found.loss, found.label, tree};
}

Spending answer(double standard_deviation) {
  return described("{\"mechanism\": \"gaussian\", \"sensitivity\": 1, \"standard_deviation\": " +
                   std::to_string(standard_deviation) + "}");
}

BudgetDeclaration declared(const std::string& name, double rho) {
  BudgetDeclaration declaration;
  declaration.name = name;
  declaration.terms.rho = rho;
  return declaration;
}

struct LedgerTest : ::testing::Test {
  TemporaryFolder folder;
  std::string store = folder.path("ledger.db");
  Ledger made(double rho = 0.2) {
    Ledger ledger = Ledger::open_or_make(store);
    ledger.create(declared("study", rho), now);
    return ledger;
  }
  // What somebody with a database's own tools does.
  void tamper(const std::string& statement) {
    open_database(store, OpenStore::existing)->ask(statement);
  }
};

TEST_F(LedgerTest, AThousandAnswersFitAndOneMoreDoesNot) {
  Ledger ledger = made(0.002);  // mu^2 = 10 / 2500
  for (int i = 0; i < 10; ++i) ledger.charge("", answer(50.0), EntryState::released, now);
  const BudgetStatus full = ledger.budget("study");
  EXPECT_EQ(full.entries, 10);
  EXPECT_EQ(full.spent().mu_squared.upper(), 0.004);
  EXPECT_THROW(ledger.charge("", answer(50.0), EntryState::released, now), TargetUnreachable);
  EXPECT_THROW(ledger.charge("", answer(1e6), EntryState::released, now), TargetUnreachable);
  EXPECT_EQ(ledger.budget("study").spent(), full.spent());
  EXPECT_EQ(ledger.verify().records, 11);
}

TEST_F(LedgerTest, TakesNoMoreThanItMay) {
  BudgetDeclaration declaration = declared("study", 0.2);
  declaration.terms.slack = 1e-8;
  Ledger ledger = Ledger::open_or_make(store);
  ledger.create(declaration, now);
  Spending sketch =
      described("{\"mechanism\": \"random_projection\", \"columns\": 300, \"leverage\": 0.005}");
  const Clocks usual = ledger.quote("", sketch).price;
  // Less slack for more mu^2, and the other way round.
  Clocks less = usual;
  less.slack = Reading::exactly(usual.slack.lower() / 4.0);
  less.mu_squared = Reading::exactly(usual.mu_squared.upper() * 1.5);
  sketch.at_most = less;
  const Clocks paid = ledger.charge("", sketch, EntryState::released, now).price;
  EXPECT_TRUE(fits(paid, less));
  EXPECT_GT(paid.mu_squared.upper(), usual.mu_squared.upper());
  // What takes more is refused though it would fit.
  sketch.at_most = share_of(usual, 0.5);
  EXPECT_THROW(ledger.charge("", sketch, EntryState::released, now), TargetUnreachable);
  EXPECT_THROW(ledger.quote("", sketch), TargetUnreachable);
  EXPECT_EQ(ledger.budget("").entries, 1);
  EXPECT_EQ(ledger.budget("").spent(), paid);
  sketch.at_most.reset();
  EXPECT_NO_THROW(ledger.quote("", sketch));
}

TEST_F(LedgerTest, IsThereForTheNextRun) {
  made().charge("study", answer(10.0), EntryState::released, now);
  Ledger again(store);
  EXPECT_EQ(again.budgets().size(), 1u);
  EXPECT_EQ(again.budget("").entries, 1);
  EXPECT_NEAR(again.budget("").spent().mu_squared.upper(), 0.01, 1e-17);
  EXPECT_EQ(again.entries().at(0).body.at("description").text(), "Gaussian, sigma 10");
}

TEST_F(LedgerTest, AReservationIsSpentWhateverBecomesOfIt) {
  Ledger ledger = made();
  const Entry entry = ledger.charge("", answer(10.0), EntryState::reserved, now);
  EXPECT_EQ(Ledger(store).entry(entry.number).state, EntryState::reserved);
  ledger.settle(entry.number, EntryState::released, "abc", "def", now);
  EXPECT_EQ(ledger.entry(entry.number).state, EntryState::released);
  EXPECT_EQ(ledger.entry(entry.number).file_sha256, "def");
  EXPECT_EQ(ledger.entries().at(0).certificate_sha256, "abc");
  EXPECT_THROW(ledger.settle(entry.number, EntryState::failed, "", "", now), InvalidParameter);
  const Entry second = ledger.charge("", answer(10.0), EntryState::reserved, now);
  ledger.settle(second.number, EntryState::failed, "", "", now);
  EXPECT_NEAR(ledger.budget("").spent().mu_squared.upper(), 0.02, 1e-17);
  EXPECT_EQ(ledger.verify().records, 5);
}

TEST_F(LedgerTest, APlanIsOneEntryDrawnInAnyOrder) {
  Ledger ledger = made(1.0);
  const std::string items =
      "[{\"mechanism\": \"gaussian_dp\", \"mu\": 0.5}, {\"mechanism\": \"laplace\", \"scale\": 10, "
      "\"sensitivity\": 1, \"count\": 20}]";
  Spending spending = described("{\"compose\": " + items + "}");
  const Entry plan = ledger.plan("", spending, now);
  const Clocks spent = ledger.budget("").spent();
  EXPECT_EQ(spent, plan.price);
  const Spending laplace =
      described("{\"sensitivity\": 1.0, \"scale\": 10, \"mechanism\": \"laplace\"}");
  EXPECT_EQ(ledger.draw(plan.number, laplace, now).drawn, 1);
  ledger.draw(plan.number, described("{\"mechanism\": \"gaussian_dp\", \"mu\": 0.5}"), now);
  EXPECT_THROW(
      ledger.draw(plan.number, described("{\"mechanism\": \"gaussian_dp\", \"mu\": 0.5}"), now),
      TargetUnreachable);
  EXPECT_THROW(
      ledger.draw(plan.number, described("{\"mechanism\": \"gaussian_dp\", \"mu\": 0.4}"), now),
      TargetUnreachable);
  for (int i = 1; i < 20; ++i) ledger.draw(plan.number, laplace, now);
  EXPECT_THROW(ledger.draw(plan.number, laplace, now), TargetUnreachable);
  EXPECT_THROW(ledger.cancel(plan.number, now), InvalidParameter);
  EXPECT_EQ(ledger.budget("").spent(), spent);
  EXPECT_EQ(ledger.entry(plan.number).drawn, 21);
  ledger.verify();
}

// Each of its descriptions as often as it stands there, whatever else of it is left.
TEST_F(LedgerTest, DrawsOfOneDescriptionBeyondItsPlanAreSeen) {
  const std::string half = "{\"mechanism\": \"gaussian_dp\", \"mu\": 0.3}",
                    less = "{\"mechanism\": \"gaussian_dp\", \"mu\": 0.1}";
  std::int64_t plan = 0;
  {
    Ledger ledger = made(1.0);
    plan = ledger.plan("", described("{\"compose\": [" + half + ", " + less + "]}"), now).number;
    ledger.draw(plan, described(half), now);
  }
  tamper("UPDATE modicum_entries SET loss = '-' || loss WHERE state = 'drawn'");
  Ledger(store).draw(plan, described(half), now);
  tamper("UPDATE modicum_entries SET loss = ltrim(loss, '-')");
  EXPECT_THROW(Ledger(store).verify(), Error);
}

TEST_F(LedgerTest, WhatIsDrawnFromAPlanIsAWholeNumberOfAtLeastOne) {
  Ledger ledger = made();
  const std::string item = "{\"mechanism\": \"gaussian_dp\", \"mu\": 0.25}";
  const Entry plan = ledger.plan("", described(item), now);
  for (const char* count : {"-1", "0", "0.5", "1e300"}) {
    Spending drawn = described(item);
    drawn.description = parse_json(
        std::string("{\"mechanism\": \"gaussian_dp\", \"mu\": 0.25, \"count\": ") + count + "}");
    EXPECT_THROW(ledger.draw(plan.number, drawn, now), InvalidParameter) << count;
  }
  EXPECT_EQ(ledger.draw(plan.number, described(item), now).drawn, 1);
  EXPECT_THROW(ledger.draw(plan.number, described(item), now), TargetUnreachable);
}

TEST_F(LedgerTest, AnUntouchedPlanIsGivenBack) {
  Ledger ledger = made();
  const std::string item = "{\"mechanism\": \"gaussian_dp\", \"mu\": 0.5}";
  const Entry plan = ledger.plan("", described(item), now);
  ledger.cancel(plan.number, now);
  EXPECT_TRUE(ledger.budget("").spent().mu_squared.is_zero());
  EXPECT_THROW(ledger.cancel(plan.number, now), InvalidParameter);
  EXPECT_THROW(ledger.draw(plan.number, described(item), now), InvalidParameter);
  ledger.verify();
  // What is no plan may have been seen.
  const Entry entry = ledger.charge("", answer(10.0), EntryState::reserved, now);
  EXPECT_THROW(ledger.cancel(entry.number, now), InvalidParameter);
}

TEST_F(LedgerTest, WhatIsDrawnMustBePromisedAsThePlanIs) {
  Ledger ledger = made();
  Spending item = described("{\"mechanism\": \"gaussian_dp\", \"mu\": 0.25, \"count\": 3}");
  const Entry plan = ledger.plan("", item, now);
  item = described("{\"mechanism\": \"gaussian_dp\", \"mu\": 0.25}");
  item.neighbors = Adjacency::replace_one;
  EXPECT_THROW(ledger.draw(plan.number, item, now), TargetUnreachable);
  item.neighbors = Adjacency::add_remove;
  item.guarantee = Guarantee::per_instance;
  EXPECT_THROW(ledger.draw(plan.number, item, now), TargetUnreachable);
  item.guarantee = Guarantee::asymptotic;
  ledger.draw(plan.number, item, now);
  EXPECT_EQ(ledger.budget("").guarantee, Guarantee::asymptotic);
  item.description["count"] = 1;
  item.description["steps"] = 1;
  EXPECT_THROW(ledger.draw(plan.number, item, now), InvalidParameter);
  ledger.verify();
}

// What is paid for is what can be drawn, whatever loss was handed in beside it.
TEST_F(LedgerTest, APlanIsPricedByItsDescriptions) {
  Ledger ledger = made();
  Spending cheap = described("{\"mechanism\": \"gaussian_dp\", \"mu\": 0.5}");
  cheap.loss = PrivacyLoss();
  EXPECT_NEAR(ledger.plan("", cheap, now).price.mu_squared.upper(), 0.25, 1e-15);
  cheap.description = Value();
  EXPECT_THROW(ledger.plan("", cheap, now), Error);
}

TEST_F(LedgerTest, EditsAreSeen) {
  const std::vector<std::string> edits{
      "UPDATE modicum_entries SET body = replace(body, 'sigma 10', 'sigma 20') WHERE number = 2",
      "UPDATE modicum_entries SET state = 'failed' WHERE number = 2",
      "UPDATE modicum_entries SET hash = previous WHERE number = 3",
      "DELETE FROM modicum_entries WHERE number = 2",
      "DELETE FROM modicum_entries WHERE number = 3",
      "UPDATE modicum_budgets SET mu_squared_spent = '0'",
      "UPDATE modicum_budgets SET mu_squared_total = '100'",
      "UPDATE modicum_budgets SET entries = 1",
      "UPDATE modicum_budgets SET declared = replace(declared, 'add_remove', 'replace_one')",
      "DELETE FROM modicum_budgets",
      "UPDATE modicum_entries SET loss = cast(loss AS blob) WHERE number = 2",
      "UPDATE modicum_entries SET entry = entry + 0.5 WHERE number = 2",
      "INSERT INTO modicum_entries VALUES (0, 0, 'study', 'created', '', '{}', '', '')"};
  for (const std::string& edit : edits) {
    std::filesystem::remove(store);
    {
      Ledger ledger = made();
      for (int i = 0; i < 2; ++i) ledger.charge("", answer(10.0), EntryState::released, now);
      EXPECT_EQ(ledger.verify().records, 3);
    }
    tamper(edit);
    EXPECT_THROW(Ledger(store).verify(), Error) << edit;
  }
}

TEST_F(LedgerTest, ARollbackIsSeenByWhoKeptTheHead) {
  std::string head;
  {
    Ledger ledger = made();
    ledger.charge("", answer(10.0), EntryState::released, now);
    std::filesystem::copy(store, folder.path("old.db"));
  }
  std::filesystem::copy_file(store, folder.path("old.db"),
                             std::filesystem::copy_options::overwrite_existing);
  {
    Ledger ledger(store);
    ledger.charge("", answer(10.0), EntryState::released, now);
    head = ledger.verify().head;
    EXPECT_EQ(ledger.verify(head).head, head);
  }
  Ledger old(folder.path("old.db"));
  EXPECT_NO_THROW(old.verify());
  EXPECT_THROW(old.verify(head), Error);
}

TEST_F(LedgerTest, AnEqualLossIsNotPricedAgain) {
  Ledger ledger = Ledger::open_or_make(store);
  BudgetDeclaration declaration;
  declaration.name = "study";
  declaration.terms.epsilon = 10.0;
  declaration.terms.delta = 1e-5;
  ledger.create(declaration, now);
  const Spending first =
      described("{\"mechanism\": \"random_projection\", \"columns\": 300, \"leverage\": 0.02}");
  const Entry one = ledger.charge("", first, EntryState::released, now);
  EXPECT_FALSE(one.price.slack.is_zero());
  EXPECT_EQ(ledger.charge("", first, EntryState::released, now).price, one.price);
  Spending with = first;
  with.slack = 1e-9;
  const Entry other = ledger.charge("", with, EntryState::released, now);
  EXPECT_NEAR(std::sqrt(other.price.mu_squared.upper()), 0.2826, 5e-5);
  EXPECT_NEAR(other.price.slack.upper(), 1e-9, 1e-17);
}

TEST_F(LedgerTest, NeighborsAndLabelsAreKept) {
  Ledger ledger = made();
  Spending spending = answer(10.0);
  spending.neighbors = Adjacency::replace_one;
  EXPECT_THROW(ledger.charge("", spending, EntryState::released, now), TargetUnreachable);
  spending.neighbors = Adjacency::add_remove;
  ledger.charge("", spending, EntryState::released, now);
  EXPECT_EQ(ledger.budget("").guarantee, Guarantee::proved);
  spending.guarantee = Guarantee::asymptotic;
  ledger.charge("", spending, EntryState::released, now);
  EXPECT_EQ(ledger.budget("").guarantee, Guarantee::asymptotic);
  spending.guarantee = Guarantee::per_instance;
  EXPECT_THROW(ledger.charge("", spending, EntryState::released, now), TargetUnreachable);
  EXPECT_EQ(ledger.budget("").entries, 2);
}

TEST_F(LedgerTest, BudgetsAreFoundByName) {
  Ledger ledger = made();
  EXPECT_THROW(ledger.create(declared("study", 1.0), now), InvalidParameter);
  EXPECT_THROW(ledger.create(declared("", 1.0), now), InvalidParameter);
  ledger.create(declared("other", 1.0), now);
  EXPECT_THROW(ledger.budget(""), InvalidParameter);
  EXPECT_THROW(ledger.budget("studdy"), InvalidParameter);
  EXPECT_EQ(ledger.budget("other").name, "other");
}

TEST_F(LedgerTest, NoLedgerNoFile) {
  EXPECT_THROW(Ledger(folder.path("none.db")), UnreadableFile);
  EXPECT_FALSE(std::filesystem::exists(folder.path("none.db")));
  std::ofstream(folder.path("text.db")) << std::string(5000, 'x');
  EXPECT_THROW(Ledger(folder.path("text.db")), UnreadableFile);
  std::ofstream(folder.path("empty.db"));
  EXPECT_THROW(Ledger(folder.path("empty.db")), UnreadableFile);
  EXPECT_THROW(Ledger(""), InvalidParameter);
}

TEST_F(LedgerTest, ADamagedFileIsRefused) {
  {
    Ledger ledger = made(100.0);
    for (int i = 0; i < 40; ++i) ledger.charge("", answer(10.0), EntryState::released, now);
  }
  {
    std::fstream file(store, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(static_cast<std::size_t>(std::filesystem::file_size(store)) - 4096, '\xa5');
  }
  EXPECT_THROW(Ledger(store).verify(), Error);
  EXPECT_THROW(Ledger(store).charge("", answer(10.0), EntryState::released, now), Error);
}

TEST_F(LedgerTest, WhoHoldsTheFileIsWaitedForOnlySoLong) {
  made();
  const auto holder = open_database(store, OpenStore::existing);
  holder->ask("BEGIN IMMEDIATE");
  Ledger waiting(open_database(store, OpenStore::existing, std::chrono::milliseconds(50)));
  EXPECT_THROW(waiting.charge("", answer(10.0), EntryState::released, now), Error);
  holder->ask("ROLLBACK");
  waiting.charge("", answer(10.0), EntryState::released, now);
  EXPECT_EQ(waiting.budget("").entries, 1);
}

// One answer of every kind of history: the chain is that of the version that wrote it.
TEST_F(LedgerTest, ALedgerOfAnEarlierVersionIsReadAsItWas) {
  std::ifstream file(std::string(MODICUM_REFERENCE_DIR) + "/ledger_of_schema_2.sql");
  ASSERT_TRUE(file) << "no reference";
  {
    const auto database = open_database(store, OpenStore::or_make_new);
    for (std::string line; std::getline(file, line);) database->ask(line);
    EXPECT_EQ(schema_of(*database), 2);
  }
  Ledger ledger(store);
  EXPECT_EQ(ledger.verify().head,
            "5e96a2291b6b5d057cec1baf5344b2cbccc66d358f99570fe46a4178d284a082");
  const Clocks before = ledger.budget("study").spent();
  EXPECT_NEAR(before.mu_squared.upper(), 0.04749681, 1e-8);
  EXPECT_TRUE(before.zcdp.is_zero());
  EXPECT_EQ(ledger.entries().size(), 4u);
  // Its unit was words, and its entries are about rows.
  EXPECT_EQ(ledger.budget("study").unit, ProtectedUnit{});
  EXPECT_EQ(ledger.budget("study").declared.at("unit").text(), "a person");
  Spending of_persons = answer(10.0);
  of_persons.unit = ProtectedUnit{"id"};
  EXPECT_THROW(ledger.charge("", of_persons, EntryState::released, now), TargetUnreachable);
  // It goes on: the plan is drawn from, and the rest is spent.
  ledger.draw(4, described("{\"mechanism\": \"laplace\", \"scale\": 20, \"sensitivity\": 1}"), now);
  ledger.charge("", answer(10.0), EntryState::released, now);
  EXPECT_NEAR(ledger.budget("").spent().mu_squared.upper(), 0.05749681, 1e-8);
  EXPECT_EQ(ledger.verify().records, 9);
  EXPECT_EQ(schema_of(*open_database(store, OpenStore::existing)), newest_schema());
}

// What rows and persons of an earlier version have in common is nothing that could be promised.
TEST_F(LedgerTest, WhereAnEarlierVersionMixedUnitsNothingMoreFits) {
  std::ifstream file(std::string(MODICUM_REFERENCE_DIR) + "/ledger_of_schema_2.sql");
  {
    const auto database = open_database(store, OpenStore::or_make_new);
    for (std::string line; std::getline(file, line);) database->ask(line);
    upgrade(*database, 3);
    database->ask(
        "UPDATE modicum_entries SET body = replace(body, '\\\"guarantee\\\"', "
        "'\\\"unit\\\":\\\"id\\\",\\\"guarantee\\\"') WHERE number = 2");
  }
  Ledger ledger(store);
  EXPECT_FALSE(ledger.budget("study").unit);
  EXPECT_THROW(ledger.charge("", answer(1000.0), EntryState::released, now), TargetUnreachable);
  EXPECT_THROW(ledger.draw(4,
                           described("{\"mechanism\": \"laplace\", \"scale\": 20, "
                                     "\"sensitivity\": 1}"),
                           now),
               TargetUnreachable);
}

TEST(EarlierUnit, IsWhatAllEntriesProtect) {
  const auto unit_of = [](const std::vector<std::string>& bodies, bool in_parts = false) {
    EarlierUnit unit(in_parts ? Value{{"partitions", Value::record()}} : Value::record());
    for (const std::string& each : bodies) unit.take(parse_json(each));
    return unit.found();
  };
  const auto asked = [](const std::string& command, const std::string& certificate = "") {
    Value body{{"command", command}, {"certificate_sha256", certificate}};
    return json_line(body);
  };
  const std::string row = asked("{\"output\": \"a.csv\"}"), id = asked("{\"unit\": \"id\"}"),
                    other = asked("{\"unit\": \"name\"}");
  EXPECT_EQ(unit_of({}), ProtectedUnit{});
  EXPECT_EQ(unit_of({row, row}), ProtectedUnit{});
  EXPECT_EQ(unit_of({id, id}), ProtectedUnit{"id"});
  EXPECT_FALSE(unit_of({row, id}));
  EXPECT_FALSE(unit_of({id, other}));
  EXPECT_FALSE(unit_of({id, other, id}));
  // What cannot be told.
  EXPECT_FALSE(unit_of({asked("{\"jobs\": \"jobs.json\"}")}));
  EXPECT_FALSE(unit_of({asked("{\"description\": {\"parameters\": {\"unit\": \"id\"}}}")}));
  EXPECT_FALSE(unit_of({asked("{}", "abc")}));
  EXPECT_FALSE(unit_of({asked("by hand"), row}));
  EXPECT_EQ(unit_of({"{\"unit\": {\"kind\": \"person\", \"column\": \"id\"}}", id}),
            ProtectedUnit{"id"});
  // A person may be in several parts, which nobody has denied.
  EXPECT_FALSE(unit_of({id, id}, true));
  EXPECT_EQ(unit_of({row, row}, true), ProtectedUnit{});
}

TEST_F(LedgerTest, RowsAndPersonsAreToldApart) {
  Ledger ledger = made();
  BudgetDeclaration of_persons = declared("persons", 0.2);
  of_persons.unit = {"id"};
  ledger.create(of_persons, now);
  EXPECT_EQ(ledger.budget("persons").unit, ProtectedUnit{"id"});
  Spending spending = answer(10.0);
  for (const auto& [budget, unit] :
       {std::pair{"study", "id"}, {"persons", ""}, {"persons", "name"}}) {
    spending.unit = ProtectedUnit{unit};
    EXPECT_THROW(ledger.charge(budget, spending, EntryState::released, now), TargetUnreachable);
    EXPECT_THROW(ledger.plan(budget, spending, now), TargetUnreachable);
  }
  spending.unit = ProtectedUnit{"id"};
  ledger.charge("persons", spending, EntryState::released, now);
  spending.unit = ProtectedUnit{};
  ledger.charge("study", spending, EntryState::released, now);
  EXPECT_EQ(ledger.verify().records, 4);
  tamper("UPDATE modicum_budgets SET unit = '{\"kind\":\"row\"}'");
  EXPECT_THROW(ledger.verify(), Error);
}

// What is paid for is what may be drawn: of a certificate only the loss would be paid.
TEST_F(LedgerTest, APlanHasNoCertificatesInIt) {
  Ledger ledger = made(1.0);
  const std::string certificate =
      "{\"guarantee\": \"proved\", \"target\": 1, \"mechanism\": \"pure\", \"epsilon\": 100, "
      "\"loss\": {\"mechanism\": \"gaussian_dp\", \"mu\": 0.001}}";
  EXPECT_THROW(ledger.plan("", described(certificate), now), InvalidParameter);
  EXPECT_THROW(ledger.plan("", described("{\"compose\": [" + certificate + "]}"), now),
               InvalidParameter);
  EXPECT_EQ(ledger.budget("").entries, 0);
}

// Else the plans of all parts could be drawn for all records.
TEST_F(LedgerTest, APlanOfAPartIsDrawnForThatPart) {
  Ledger ledger = Ledger::open_or_make(store);
  BudgetDeclaration declaration = declared("study", 1.0);
  declaration.partitions = {{"region", {"north", "south"}}};
  ledger.create(declaration, now);
  Spending spending = described("{\"mechanism\": \"gaussian_dp\", \"mu\": 0.1}");
  spending.part = Part{"region", "north"};
  const Entry plan = ledger.plan("", spending, now);
  for (const std::optional<Part>& part : {std::optional<Part>{}, {Part{"region", "south"}}}) {
    spending.part = part;
    EXPECT_THROW(ledger.draw(plan.number, spending, now), InvalidParameter);
  }
  spending.part = Part{"region", "north"};
  EXPECT_EQ(ledger.draw(plan.number, spending, now).drawn, 1);
}

// A person may have rows in several parts.
TEST_F(LedgerTest, PartsOfPersonsNeedAPromise) {
  BudgetDeclaration declaration = declared("study", 0.2);
  declaration.partitions = {{"year", {"2023", "2024"}}};
  declaration.unit = {"id"};
  EXPECT_THROW(declaration.check(), InvalidParameter);
  declaration.one_part_each = true;
  EXPECT_NO_THROW(declaration.check());
  declaration.unit = {};
  EXPECT_THROW(declaration.check(), UsageError);
  declaration.neighbors = Adjacency::replace_one;
  EXPECT_NO_THROW(declaration.check());
  declaration.one_part_each = false;
  EXPECT_THROW(declaration.check(), InvalidParameter);
}

TEST_F(LedgerTest, WhatAnItemDominatesMayBeDrawnForIt) {
  Ledger ledger = made(1.0);
  const std::string items =
      "{\"compose\": [{\"mechanism\": \"gaussian_dp\", \"mu\": 0.1, \"count\": 2}, "
      "{\"mechanism\": \"pure\", \"epsilon\": 0.1}]}";
  const Entry plan = ledger.plan("", described(items), now);
  EXPECT_THROW(ledger.draw(plan.number, answer(9.99), now), TargetUnreachable);
  const Entry first = ledger.draw(plan.number, answer(10.1), now);
  EXPECT_EQ(first.drawn, 1);
  ledger.settle_draw(plan.number, first.draws.back().number, EntryState::released, "abc", "def",
                     now);
  EXPECT_THROW(
      ledger.settle_draw(plan.number, first.draws.back().number, EntryState::failed, "", "", now),
      InvalidParameter);
  EXPECT_EQ(ledger.entry(plan.number).state, EntryState::drawn);
  ledger.draw(plan.number, answer(20.0), now);
  EXPECT_THROW(ledger.draw(plan.number, answer(20.0), now), TargetUnreachable);
  ledger.draw(plan.number,
              described("{\"mechanism\": \"laplace\", \"scale\": 11, \"sensitivity\": 1}"), now);
  EXPECT_EQ(ledger.entry(plan.number).drawn, 3);
  EXPECT_EQ(ledger.budget("").spent(), plan.price);
  EXPECT_EQ(ledger.verify().records, 6);
}

TEST_F(LedgerTest, TablesOfAnEarlierVersionBecomeThoseOfToday) {
  {
    const auto database = open_database(store, OpenStore::or_make_new);
    upgrade(*database, 1);
    EXPECT_EQ(schema_of(*database), 1);
  }
  {
    Ledger ledger(store);
    ledger.create(declared("study", 1.0), now);
    ledger.charge("", answer(10.0), EntryState::released, now);
    ledger.verify();
  }
  const auto database = open_database(store, OpenStore::existing);
  EXPECT_EQ(schema_of(*database), newest_schema());
  EXPECT_EQ(
      database->ask("SELECT name FROM sqlite_master WHERE name = 'modicum_entries_of_loss'").size(),
      1u);
  for (const char* version : {"99", "-1", "0", "'x'", "1e300", "'nan'"}) {
    database->ask(std::string("UPDATE modicum_ledger SET version = ") + version);
    EXPECT_THROW(Ledger{store}, Error) << version;
  }
}

TEST(Store, IsShownWithoutItsPassword) {
  for (const char* store :
       {"postgresql://user:secret@host/base", "postgresql://user:se@cret@host/base",
        "postgresql://host/base?user=a&password=secret", "postgres://user:secret@/base?host=/tmp"})
    EXPECT_EQ(shown_store(store).find("cret"), std::string::npos) << store;
  EXPECT_EQ(shown_store("postgresql://user:secret@host/base"), "\"postgresql://user@host/base\"");
  EXPECT_EQ(shown_store("study.db"), "\"study.db\"");
}

// Also where a server could not understand it, and where its library would quote a part.
TEST(Store, IsRefusedWithoutItsPassword) {
  for (const char* store :
       {"host=/nowhere password=secret", "POSTGRESQL://u:secret@host/b", "mysql://u:secret@host/b",
        "sqlite://u:secret@host/b", "postgresql: host=/nowhere password=secret",
        "postgresql://u:p@secret:secret@host/b", "postgresql://u:sec/ret@host/b",
        "postgresql://u:p@se/cret@host:99/b", "postgresql://u@host/b?passwrd=secret"}) {
    try {
      open_database(store, OpenStore::existing);
      ADD_FAILURE() << store;
    } catch (const Error& error) {
      const std::string said = error.what();
      for (const char* part : {"secret", "cret", "\"sec\""})
        EXPECT_EQ(said.find(part), std::string::npos) << said;
    }
  }
}

TEST_F(LedgerTest, TextsAreOneLine) {
  Ledger ledger = made();
  EXPECT_THROW(ledger.create(declared("a\nb", 1.0), now), InvalidParameter);
  EXPECT_THROW(ledger.create(declared("\xff", 1.0), now), InvalidParameter);
  EXPECT_THROW(ledger.create(declared(std::string(201, 'a'), 1.0), now), InvalidParameter);
  BudgetDeclaration declaration = declared("other", 1.0);
  declaration.population = "\x1b[31m";
  EXPECT_THROW(ledger.create(declaration, now), InvalidParameter);
  EXPECT_NO_THROW(ledger.create(declared("\u00e9t\u00e9 2024", 1.0), now));
}

// Years are parts where each record is of one year.
struct PartsTest : LedgerTest {
  Ledger ledger = Ledger::open_or_make(store);
  PartsTest() {
    BudgetDeclaration declaration = declared("study", 0.02);  // mu^2 = 4 / 100
    declaration.partitions = {partition_in("parts", "year=2023,2024"),
                              partition_in("parts", "region=north,south")};
    ledger.create(declaration, now);
  }
  Spending of(const char* part) {
    Spending spending = answer(10.0);
    spending.part = part_in("part", part);
    return spending;
  }
  double spent() { return ledger.budget("").spent().mu_squared.upper(); }
};

TEST_F(PartsTest, ShareACharge) {
  ledger.charge("", of("year=2023"), EntryState::released, now);
  ledger.charge("", of("year=2024"), EntryState::released, now);
  EXPECT_NEAR(spent(), 0.01, 1e-16);
  ledger.charge("", of("year=2024"), EntryState::released, now);
  EXPECT_NEAR(spent(), 0.02, 1e-16);
  // Another partition is another charge, and so is one for all.
  ledger.charge("", of("region=north"), EntryState::released, now);
  EXPECT_NEAR(spent(), 0.03, 1e-16);
  ledger.charge("", answer(10.0), EntryState::released, now);
  EXPECT_NEAR(spent(), 0.04, 1e-16);
  EXPECT_THROW(ledger.charge("", answer(10.0), EntryState::released, now), TargetUnreachable);
  EXPECT_THROW(ledger.charge("", of("year=2024"), EntryState::released, now), TargetUnreachable);
  // Records of 2023 and of the south have not spent all.
  const BudgetStatus status = ledger.budget("");
  EXPECT_NEAR(status.left(Part{"year", "2023"}).mu_squared.upper(), 0.01, 1e-16);
  ledger.charge("", of("year=2023"), EntryState::released, now);
  ledger.charge("", of("region=south"), EntryState::released, now);
  EXPECT_NEAR(spent(), 0.04, 1e-16);
  for (const char* each : {"year=2023", "year=2024", "region=north", "region=south"})
    EXPECT_THROW(ledger.charge("", of(each), EntryState::released, now), TargetUnreachable);
  EXPECT_EQ(ledger.verify().records, 8);
  EXPECT_EQ(Ledger(store).budget("").expenses, ledger.budget("").expenses);
}

// The price in mu^2 of one part and in another clock of another: both maxima count.
TEST_F(PartsTest, TheMaximumIsThatOfEachClock) {
  Expenses expenses;
  Clocks gaussian, pure;
  gaussian.mu_squared = Reading::exactly(0.25);
  pure.pure = Reading::exactly(0.5);
  expenses.add(gaussian, Part{"year", "2023"});
  expenses.add(pure, Part{"year", "2024"});
  EXPECT_EQ(expenses.all().mu_squared.upper(), 0.25);
  EXPECT_EQ(expenses.all().pure.upper(), 0.5);
  EXPECT_TRUE(expenses.of_part(Part{"year", "2023"}).pure.is_zero());
  EXPECT_TRUE(expenses.of_part(Part{"year", "never charged"}).pure.is_zero());
  EXPECT_EQ(Expenses::from_tree(expenses.tree()), expenses);
}

TEST_F(PartsTest, PlansOfAPartAreGivenBackToIt) {
  Spending plan = of("year=2023");
  const Entry entry = ledger.plan("", plan, now);
  EXPECT_NEAR(spent(), 0.01, 1e-16);
  ledger.cancel(entry.number, now);
  EXPECT_EQ(spent(), 0.0);
  const Entry second = ledger.plan("", plan, now);
  EXPECT_THROW(ledger.draw(second.number, of("year=2024"), now), InvalidParameter);
  ledger.draw(second.number, plan, now);
  EXPECT_EQ(ledger.verify().records, 5);
}

TEST_F(PartsTest, AreDeclaredBeforehandAndForRecordsThatComeOrGo) {
  for (const char* unknown : {"year=2025", "years=2023", "year=2023,2024"})
    EXPECT_THROW(ledger.charge("", of(unknown), EntryState::released, now), InvalidParameter);
  for (const char* text : {"year", "=a,b", "year=", "year=a", "year=a,a", "year=a,,b", "y\n=a,b"})
    EXPECT_THROW(partition_in("parts", text), InvalidParameter) << text;
  BudgetDeclaration declaration = declared("other", 0.02);
  declaration.partitions = {partition_in("parts", "year=2023,2024")};
  declaration.neighbors = Adjacency::replace_one;
  EXPECT_THROW(ledger.create(declaration, now), InvalidParameter);
  declaration.neighbors = Adjacency::add_remove;
  declaration.partitions.push_back(declaration.partitions.front());
  EXPECT_THROW(ledger.create(declaration, now), InvalidParameter);
}

TEST_F(PartsTest, AnEditOfThePartsIsSeen) {
  ledger.charge("", of("year=2023"), EntryState::released, now);
  tamper("UPDATE modicum_budgets SET parts = replace(parts, '2023', '2024')");
  EXPECT_THROW(ledger.verify(), Error);
  tamper("UPDATE modicum_budgets SET parts = ''");
  EXPECT_THROW(ledger.verify(), Error);
  tamper("UPDATE modicum_budgets SET parts = '{'");
  EXPECT_THROW(ledger.charge("", answer(10.0), EntryState::released, now), Error);
}

}  // namespace
}  // namespace modicum::ledger_test
