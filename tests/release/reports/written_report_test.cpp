#include "release/reports/written_report.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "modicum/data/json.h"
#include "release/reports/objective_certificate.h"
#include "support/seeded_random.h"

namespace modicum::testing {
namespace {

constexpr long dimension = 3;

std::vector<PredictionLoss> all_losses() {
  return {PredictionLoss::logistic(), PredictionLoss::smoothed_hinge(0.5),
          PredictionLoss::huber(0.25), PredictionLoss::squared(1.0)};
}

PublishableReport::Settings settings_of(ReportKind kind, Coverage coverage) {
  PublishableReport::Settings settings;
  settings.kind = kind;
  settings.coverage = coverage;
  if (coverage == Coverage::all_rows) settings.largest_rows = 1000.0;
  if (kind != ReportKind::data_independent) settings.noise = {7.0, 1.0 / 3.0, 0.0};
  if (kind == ReportKind::adaptive) settings.noise.eigenvalue = 1.1;
  return settings;
}

WrittenReport random_report(SeededRandom& random, const PredictionLoss& loss, ReportKind kind,
                            Coverage coverage) {
  PublishableReport::Released released;
  if (kind != ReportKind::data_independent) {
    released.gradient = random_vector(random, dimension, 5.0);
    released.hessian = random_covariance(random, dimension, 3.0, 300.0);
  }
  if (kind == ReportKind::adaptive) released.least_eigenvalue = random.uniform(-5.0, 20.0);
  const ResponseRule response = loss.takes_labels()
                                    ? ResponseRule(LabelRule{"y", 0.1})
                                    : ResponseRule(TargetRule{"y", Range(-0.7, 3.3)});
  ObjectiveRelease law{loss, 1.5, random.log_uniform(0.1, 10.0), random.log_uniform(1.0, 30.0),
                       random_vector(random, dimension, 1.0)};
  return {public_rows({"intercept", "u", "a \"name\", with </script>"},
                      {{"u", Range(random.uniform(-5.0, 0.0), 1.0 / 3.0)}}, 1.5, true),
          response,
          {1.0, 1e-6},
          PublishableReport(law, settings_of(kind, coverage), released)};
}

void expect_same(const RecordReport& a, const RecordReport& b) {
  EXPECT_EQ(a.bound, b.bound);
  EXPECT_EQ(a.published, b.published);
  EXPECT_EQ(a.leverage, b.leverage);
  EXPECT_EQ(a.cost, b.cost);
}

TEST(WrittenReport, IsReadBackToTheLastBit) {
  SeededRandom random(1);
  for (const PredictionLoss& loss : all_losses())
    for (const ReportKind kind :
         {ReportKind::data_independent, ReportKind::data_dependent, ReportKind::adaptive})
      for (const Coverage coverage :
           {Coverage::one_record, Coverage::all_rows, Coverage::everyone}) {
        const WrittenReport report = random_report(random, loss, kind, coverage);
        const std::string text = report_text(report);
        const WrittenReport again = parse_report(text, "report.json");
        EXPECT_EQ(report_text(again), text);
        EXPECT_EQ(again.rows.names, report.rows.names);
        EXPECT_EQ(again.rows.centers, report.rows.centers);
        EXPECT_EQ(again.rows.scales, report.rows.scales);
        EXPECT_EQ(again.response, report.response);
        for (int i = 0; i < 5; ++i) {
          const Eigen::VectorXd row =
              random_vector(random, dimension, 1.0).normalized() * random.uniform(0.0, 1.5);
          const double y = random.sign();
          for (const Membership membership : {Membership::inside, Membership::outside})
            expect_same(report.report.at(row, y, membership), again.report.at(row, y, membership));
        }
      }
}

TEST(WrittenReport, IsTheSameInMemory) {
  SeededRandom random(4);
  const std::string text = report_text(
      random_report(random, PredictionLoss::logistic(), ReportKind::adaptive, Coverage::everyone));
  EXPECT_EQ(report_text(load_report({.content = parse_json(text)})), text);
}

TEST(WrittenReport, RefusesTextThatIsNoReport) {
  for (const char* text : {"", "{", "[]", "{}", "{\"report\": \"per-instance privacy\"}", "1"})
    EXPECT_THROW(parse_report(text, "x"), InvalidDescription) << text;
}

// A byte more or less, or another: a report, or one line that says what is wrong.
RC_GTEST_PROP(WrittenReport, AnyTextIsAReportOrRefused, ()) {
  SeededRandom random(2);
  static const std::string text = report_text(
      random_report(random, PredictionLoss::huber(0.5), ReportKind::adaptive, Coverage::all_rows));
  std::string changed = text;
  const auto place = *rc::gen::inRange<std::size_t>(0, text.size());
  const auto length = *rc::gen::inRange<std::size_t>(0, 4);
  changed.replace(place, length, *rc::gen::arbitrary<std::string>());
  try {
    const WrittenReport report = parse_report(changed, "x");
    RC_ASSERT(report.report.at(Eigen::VectorXd::Zero(dimension), 1.0, Membership::inside).bound >=
              0.0);
  } catch (const InvalidDescription& error) {
    RC_ASSERT(std::string(error.what()).find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace modicum::testing
