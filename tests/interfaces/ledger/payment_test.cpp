#include "interfaces/ledger/payment.h"

#include <gtest/gtest.h>

#include "modicum/data/json.h"
#include "modicum/privacy/profile.h"
#include "support/temporary_folder.h"

namespace modicum::payment_test {
namespace {

const Circumstances now{std::chrono::system_clock::time_point{}, "tester", "{}"};

Value certificate_of(const std::string& loss) {
  return parse_json(
      "{\"mechanism\": \"vector\", \"adjacency\": \"add or remove one row\", \"guarantee\": "
      "\"proved\", \"loss\": " +
      loss + "}");
}
const std::string answer =
    "{\"mechanism\": \"gaussian\", \"sensitivity\": 1, \"standard_deviation\": 2}";

struct PaymentTest : ::testing::Test {
  testing::TemporaryFolder folder;
  Payer payer;
  PaymentTest() {
    payer.choice.store = folder.path("ledger.db");
    BudgetDeclaration declaration;
    declaration.name = "study";
    declaration.terms.mu = 1.0;
    Ledger::open_or_make(payer.choice.store).create(declaration, now);
  }
  Entry entry() const { return Ledger(payer.choice.store).entries().at(0); }
};

// What is given out where all goes well.
GivenOut given_out(
    const std::string& loss, std::function<void()> write = [] {}) {
  return {certificate_of(loss), "abc", "def", std::move(write)};
}

TEST_F(PaymentTest, IsMadeBeforeAndNotedAfter) {
  Payment payment({payer}, certificate_of(answer));
  EXPECT_EQ(entry().state, EntryState::reserved);
  bool written = false;
  payment.around([&] {
    EXPECT_EQ(entry().state, EntryState::reserved);
    return given_out(answer, [&] {
      EXPECT_EQ(entry().state, EntryState::reserved);
      written = true;
    });
  });
  EXPECT_TRUE(written);
  EXPECT_EQ(entry().state, EntryState::released);
  EXPECT_EQ(entry().certificate_sha256, "abc");
  EXPECT_EQ(entry().file_sha256, "def");
}

TEST_F(PaymentTest, StaysSpentWhereReadingOrWritingFails) {
  const std::function<GivenOut()> ways[] = {
      []() -> GivenOut { throw Error("a row cannot be read"); },
      [] { return given_out(answer, [] { throw Error("the disk is full"); }); }};
  std::size_t paid = 0;
  for (const auto& way : ways) {
    Payment payment({payer}, certificate_of(answer));
    EXPECT_THROW(payment.around(way), Error);
    EXPECT_EQ(Ledger(payer.choice.store).entries().at(paid++).state, EntryState::failed);
  }
  EXPECT_EQ(Ledger(payer.choice.store).budget("").spent().mu_squared.upper(), 0.5);
}

TEST_F(PaymentTest, NothingIsWrittenThatWasNotPaid) {
  const std::string more =
      "{\"mechanism\": \"gaussian\", \"sensitivity\": 1, \"standard_deviation\": 1.5}";
  Payment payment({payer}, certificate_of(answer));
  bool written = false;
  EXPECT_THROW(payment.around([&] { return given_out(more, [&] { written = true; }); }), Error);
  EXPECT_FALSE(written);
  EXPECT_EQ(entry().state, EntryState::failed);
}

TEST_F(PaymentTest, NobodyPaysWithoutALedger) {
  Payment payment({Payer{}}, certificate_of(answer));
  bool written = false;
  payment.around([&] { return given_out(answer, [&] { written = true; }); });
  EXPECT_TRUE(written);
  EXPECT_TRUE(Ledger(payer.choice.store).entries().empty());
}

TEST_F(PaymentTest, AMuIsKept) {
  ReleaseBudget budget;
  budget.payer = &payer;
  budget.mu = 0.4;
  EXPECT_THROW(Payment({payer, &budget}, certificate_of(answer)), TargetUnreachable);
  EXPECT_TRUE(Ledger(payer.choice.store).entries().empty());
  budget.mu = 0.5;
  EXPECT_NO_THROW(Payment({payer, &budget}, certificate_of(answer)));
}

TEST_F(PaymentTest, TheTargetOfAMuIsOnItsProfile) {
  ReleaseBudget budget;
  budget.payer = &payer;
  for (const double mu : {1e-5, 0.01, 0.5, 3.0}) {
    budget.mu = mu;
    const PrivacyTarget target = budget.gaussian_target();
    EXPECT_LE(matching_gaussian_mu(target.epsilon, target.delta).lower(), mu * (1.0 + 1e-15));
    EXPECT_GE(matching_gaussian_mu(target.epsilon, target.delta).upper(), mu * (1.0 - 1e-9));
  }
  budget = {};
  budget.payer = &payer;
  budget.share = 0.25;
  const PrivacyTarget quarter = budget.gaussian_target();
  EXPECT_NEAR(matching_gaussian_mu(quarter.epsilon, quarter.delta).upper(), 0.5, 1e-9);
}

}  // namespace
}  // namespace modicum::payment_test
