#include "modicum/ledger/reservation.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "modicum/data/json.h"
#include "support/temporary_folder.h"

namespace modicum::reservation_test {
namespace {

const Circumstances now{std::chrono::system_clock::time_point{}, "tester", "{}"};

Value certificate(const std::string& guarantee = "proved") {
  return parse_json(
      "{\"mechanism\": \"vector\", \"adjacency\": \"add or remove one row\", \"guarantee\": \"" +
      guarantee +
      "\", \"loss\": {\"mechanism\": \"gaussian\", \"sensitivity\": 1, \"standard_deviation\": "
      "2}}");
}

BudgetDeclaration declared(const std::string& name, Adjacency neighbors, const std::string& unit) {
  BudgetDeclaration declaration;
  declaration.name = name;
  declaration.terms.mu = 0.75;  // two answers of mu = 1/2, not three
  declaration.neighbors = neighbors;
  declaration.unit = {unit};
  return declaration;
}

struct ReservationTest : ::testing::Test {
  testing::TemporaryFolder folder;
  LedgerChoice choice{folder.path("ledger.db")};
  ReservationTest() {
    Ledger::open_or_make(choice.store).create(declared("study", Adjacency::add_remove, ""), now);
  }
  Ledger ledger() const { return Ledger(choice.store); }
};

TEST_F(ReservationTest, IsSpentBeforeAnythingIsShown) {
  Reservation reservation = reserve(choice, certificate(), now);
  EXPECT_EQ(ledger().budget("").spent().mu_squared.upper(), 0.25);
  EXPECT_EQ(ledger().entry(reservation.entry().number).state, EntryState::reserved);
  reservation.released("abc", "def", now.time);
  EXPECT_EQ(ledger().entry(reservation.entry().number).state, EntryState::released);
  EXPECT_EQ(ledger().entry(reservation.entry().number).file_sha256, "def");
}

TEST_F(ReservationTest, StaysSpentWhereItFailedOrWasForgotten) {
  reserve(choice, certificate(), now).failed(now.time);
  static_cast<void>(reserve(choice, certificate(), now));
  EXPECT_EQ(ledger().budget("").spent().mu_squared.upper(), 0.5);
  EXPECT_THROW(reserve(choice, certificate(), now), TargetUnreachable);
  EXPECT_EQ(ledger().entries().at(0).state, EntryState::failed);
  EXPECT_EQ(ledger().entries().at(1).state, EntryState::reserved);
  ledger().verify();
}

// Reading may take hours: a server may have ended a connection by then, and no file is held.
TEST_F(ReservationTest, KeepsNothingOpenInBetween) {
  const auto is_open = [&] {
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code none;
      if (std::filesystem::read_symlink(each, none).string().starts_with(choice.store)) return true;
    }
    return false;
  };
  {
    const Ledger open = ledger();
    EXPECT_TRUE(is_open());
  }
  Reservation reservation = reserve(choice, certificate(), now);
  EXPECT_FALSE(is_open());
  reservation.released("abc", "def", now.time);
  EXPECT_EQ(ledger().entry(reservation.entry().number).state, EntryState::released);
}

TEST_F(ReservationTest, OnlyWhatIsProvedEntersSilently) {
  EXPECT_THROW(reserve(choice, certificate("asymptotic"), now), TargetUnreachable);
  choice.accepted = Guarantee::asymptotic;
  reserve(choice, certificate("asymptotic"), now);
  EXPECT_EQ(ledger().budget("").guarantee, Guarantee::asymptotic);
  EXPECT_THROW(reserve(choice, certificate("per-instance"), now), TargetUnreachable);
  EXPECT_THROW(reserve(choice, certificate("whatever"), now), TargetUnreachable);
}

TEST_F(ReservationTest, NeighborsOfTheCertificateAndOfItsLossMustAgree) {
  Value other = certificate();
  other["adjacency"] = "replace one row";
  EXPECT_THROW(reserve(choice, other, now), TargetUnreachable);
  other = certificate();
  other["loss"]["adjacency"] = "replace_one";
  EXPECT_THROW(reserve(choice, other, now), TargetUnreachable);
}

// As in a description: what is not told is about adding or removing one row.
TEST_F(ReservationTest, ASensitivityAloneIsAboutAddingOrRemovingARow) {
  ledger().create(declared("replaced", Adjacency::replace_one, ""), now);
  ledger().create(declared("persons", Adjacency::add_remove, "id"), now);
  for (const char* words : {"two data sets whose vectors differ by at most 1", "declared"}) {
    Value given = certificate();
    given["adjacency"] = words;
    EXPECT_EQ(*spending_of(given, Guarantee::proved).neighbors, Adjacency::add_remove);
    EXPECT_EQ(*spending_of(given, Guarantee::proved).unit, ProtectedUnit{});
    choice.budget = "study";
    reserve(choice, given, now);
    for (const char* other : {"replaced", "persons"}) {
      choice.budget = other;
      EXPECT_THROW(reserve(choice, given, now), TargetUnreachable) << other;
    }
    // Others say so.
    given["loss"]["adjacency"] = "replace_one";
    EXPECT_THROW(reserve(choice, given, now), TargetUnreachable);
    choice.budget = "replaced";
    reserve(choice, given, now);
  }
  EXPECT_EQ(ledger().budget("study").entries, 2);
  EXPECT_EQ(ledger().budget("replaced").entries, 2);
  EXPECT_EQ(ledger().budget("persons").entries, 0);
}

TEST_F(ReservationTest, AReleaseWithoutALossIsRefused) {
  Value without = certificate();
  without["loss"] = Value();
  EXPECT_THROW(reserve(choice, without, now), TargetUnreachable);
  EXPECT_EQ(ledger().budget("").entries, 0);
}

}  // namespace
}  // namespace modicum::reservation_test
