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

struct ReservationTest : ::testing::Test {
  testing::TemporaryFolder folder;
  LedgerChoice choice{folder.path("ledger.db")};
  ReservationTest() {
    BudgetDeclaration declaration;
    declaration.name = "study";
    declaration.terms.mu = 0.75;  // two answers of mu = 1/2, not three
    Ledger::open_or_make(choice.store).create(declaration, now);
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
  // A sensitivity is for the neighbors that it was found for.
  other = certificate();
  other["adjacency"] = "two data sets whose vectors differ by at most 1";
  reserve(choice, other, now);
  EXPECT_EQ(ledger().budget("").entries, 1);
}

TEST_F(ReservationTest, AReleaseWithoutALossIsRefused) {
  Value without = certificate();
  without["loss"] = Value();
  EXPECT_THROW(reserve(choice, without, now), TargetUnreachable);
  EXPECT_EQ(ledger().budget("").entries, 0);
}

}  // namespace
}  // namespace modicum::reservation_test
