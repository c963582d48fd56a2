#include "release/reports/written_report.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "modicum/data/json.h"
#include "modicum/release/release_files.h"
#include "release/reports/objective_certificate.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/temporary_folder.h"

namespace modicum::testing::written_report_test {
namespace {

constexpr long dimension = 3;

std::vector<PredictionLoss> all_losses() {
  return {PredictionLoss::logistic(), PredictionLoss::smoothed_hinge(0.5),
          PredictionLoss::huber(0.25), PredictionLoss::squared(1.0),
          PredictionLoss::log_cosh(0.25)};
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
  const SolvedObjectiveNoise noise{random.log_uniform(1.0, 30.0), 1e-9, 1e-7};
  ObjectiveRelease law{loss,
                       1.5,
                       random.log_uniform(0.1, 10.0),
                       noise.standard_deviation,
                       random_vector(random, dimension, 1.0),
                       output_spread(noise, dimension)};
  std::optional<ReportPromise> promise;
  if (kind != ReportKind::data_independent) promise = {{2.0, 1e-5}, 0.3, 1.1};
  return {public_rows({"intercept", "u", "a \"name\", with </script>"},
                      {{"u", Range(random.uniform(-5.0, 0.0), 1.0 / 3.0)}}, 1.5, true),
          response,
          {1.0, 1e-6},
          PublishableReport(law, settings_of(kind, coverage), released),
          noise,
          promise};
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

TEST(WrittenReport, SharesOfTheFailureAreKeptAndOldReportsHaveTheirOwn) {
  SeededRandom random(9);
  for (const ReportKind kind : {ReportKind::data_dependent, ReportKind::adaptive}) {
    WrittenReport report =
        random_report(random, PredictionLoss::log_cosh(0.5), kind, Coverage::everyone);
    PublishableReport::Settings settings = report.report.settings();
    settings.failure_shares = {0.7, 0.1, kind == ReportKind::adaptive ? 0.2 : 0.5, 0.1};
    report.report = PublishableReport(report.report.release(), settings, report.report.released());
    const std::string text = report_text(report);
    const WrittenReport again = parse_report(text, "report.json");
    EXPECT_EQ(report_text(again), text);
    EXPECT_EQ(again.report.margins().euclidean, report.report.margins().euclidean);
    EXPECT_EQ(again.report.free_margins()->absolute, report.report.free_margins()->absolute);
    EXPECT_EQ(again.report.floor(), report.report.floor());
    Value old = parse_json(text);
    Value without = Value::record();
    for (const auto& [key, value] : old.members())
      if (key != "failure_shares") without[key] = value;
    const WrittenReport read = parse_report(json_lines(without, 1), "report.json");
    EXPECT_FALSE(read.report.free_margins());
    settings.failure_shares = {};
    EXPECT_EQ(read.report.margins().euclidean,
              PublishableReport(report.report.release(), settings, report.report.released())
                  .margins()
                  .euclidean);
  }
}

// A report that keeps what it promises.
WrittenReport kept_report(ReportKind kind) {
  SeededRandom random(4);
  const PredictionLoss loss = PredictionLoss::logistic();
  const PublicRows rows = public_rows({"intercept", "u", "v"}, {}, 1.5, true);
  const LabelRule label{"y", 0.1};
  const ObjectivePlan plan = plan_objective({1.0, 1e-6}, rows, {loss, label, 3.0});
  const ReleasedObjective from{rows,
                               loss,
                               label,
                               plan.regularization,
                               plan.noise,
                               plan.certificate.target,
                               random_vector(random, dimension, 1.0)};
  ReportRequest request;
  request.kind = kind;
  const bool free = kind == ReportKind::data_independent;
  const ReportPlan report = plan_report_release(
      from, free ? std::nullopt : std::optional(PrivacyTarget(2.0, 2e-6)), request);
  PublishableReport::Released released;
  if (!free) released = {random_vector(random, dimension, 5.0), Eigen::Matrix3d::Identity(), 0.0};
  return {rows,        label,
          from.target, PublishableReport(from.law(), report.settings, released),
          from.noise,  promise_of(report)};
}

Value certificate_for(const WrittenReport& report) {
  const PrivacyTarget& target = report.promise ? report.promise->together : report.released;
  return {{"mechanism", "per_instance_report"},
          {"target", {{"epsilon", target.epsilon}, {"delta", target.delta}}},
          {"output", {{"file", "report.json"}, {"sha256", sha256(report_text(report))}}}};
}

TEST(ReportSource, IsTheSameInMemoryAndInFiles) {
  const TemporaryFolder folder;
  for (const ReportKind kind :
       {ReportKind::data_independent, ReportKind::data_dependent, ReportKind::adaptive}) {
    const WrittenReport report = kept_report(kind);
    const std::string text = report_text(report);
    const Value content = parse_json(text), certificate = certificate_for(report);
    EXPECT_EQ(report_text(ReportSource{.report = {.content = content}}.load()), text);
    EXPECT_EQ(report_text(ReportSource{.report = {.content = content},
                                       .certificate = {.content = certificate}}
                              .load()),
              text);
    const std::string path = folder.write("report.json", text);
    folder.write("report.json.certificate.json", json_lines(certificate, 1));
    EXPECT_EQ(report_text(ReportSource{.report = {path, {}}}.load()), text);
  }
}

TEST(ReportSource, RefusesAReportThatIsNotThatOfItsCertificate) {
  const TemporaryFolder folder;
  const WrittenReport report = kept_report(ReportKind::adaptive);
  std::string text = report_text(report);
  const std::string path = folder.write("report.json", text);
  const auto load = [&] { return ReportSource{.report = {path, {}}}.load(); };
  EXPECT_THROW(load(), UsageError);  // no certificate
  folder.write("report.json.certificate.json", json_lines(certificate_for(report), 1));
  EXPECT_NO_THROW(load());
  const auto place = text.find("\"failure\": 0.05");
  ASSERT_NE(place, std::string::npos);
  folder.write("report.json", text.replace(place, 15, "\"failure\": 0.06"));
  EXPECT_TRUE(refuses("certificate", load));
  Value other = certificate_for(report);
  other["target"] = {{"epsilon", 1.0}, {"delta", 2e-6}};
  EXPECT_TRUE(refuses("certificate", [&] {
    return ReportSource{.report = {.content = parse_json(report_text(report))},
                        .certificate = {.content = other}}
        .load();
  }));
}

// A certificate can be made for anything. What follows from other numbers is computed again.
TEST(ReportSource, RefusesPromisesThatTheNoiseDoesNotKeep) {
  const auto refused = [](WrittenReport report) {
    return refuses("report", [&] { require_kept(report); });
  };
  for (const ReportKind kind : {ReportKind::data_independent, ReportKind::adaptive}) {
    const WrittenReport good = kept_report(kind);
    EXPECT_NO_THROW(require_kept(good));
    WrittenReport bad = good;
    bad.released.epsilon = 0.99;
    EXPECT_TRUE(refused(bad));
    bad = good;
    bad.noise.standard_deviation *= 0.999;
    EXPECT_TRUE(refused(bad));
  }
  const WrittenReport good = kept_report(ReportKind::adaptive);
  WrittenReport bad = good;
  bad.promise->together.epsilon = 1.99;
  EXPECT_TRUE(refused(bad));
  bad = good;
  bad.promise->mu *= 0.999;
  EXPECT_TRUE(refused(bad));
  bad = good;
  bad.promise->epsilon *= 0.999;
  EXPECT_TRUE(refused(bad));
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
}  // namespace modicum::testing::written_report_test
