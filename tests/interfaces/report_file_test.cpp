#include "interfaces/report_file.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "interfaces/html_page.h"
#include "interfaces/loss_page.h"
#include "interfaces/objective_file.h"
#include "modicum/release/description.h"
#include "support/refusals.h"
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

TEST(ReportFile, IsReadBackToTheLastBit) {
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

TEST(ReportFile, RefusesTextThatIsNoReport) {
  for (const char* text : {"", "{", "[]", "{}", "{\"report\": \"per-instance privacy\"}", "1"})
    EXPECT_THROW(parse_report(text, "x"), InvalidDescription) << text;
}

// A byte more or less, or another: a report, or one line that says what is wrong.
RC_GTEST_PROP(ReportFile, AnyTextIsAReportOrRefused, ()) {
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

Released coefficients(const std::vector<std::string>& names, const Eigen::MatrixXd& values) {
  const Enclosure none(0.0, 0.0);
  return {names,
          {"coefficient", "standardized"},
          values,
          Certificate("", {0.0, 0.0}, ProfilePoint{0.0, none, none, Proof::certified})};
}

TEST(CoefficientFile, EveryFormatIsReadBack) {
  const std::vector<std::string> names{"a", "with, comma", "with \"quotes\"", "with\nline", ""};
  SeededRandom random(3);
  Eigen::MatrixXd values(5, 2);
  for (double& value : values.reshaped()) value = random.sign() * random.log_uniform(1e-300, 1e300);
  values(0, 0) = -0.0;
  const Released released = coefficients(names, values);
  for (const std::string path : {"x.csv", "x.npy", "x.json"}) {
    const CoefficientFile file = coefficients_in(encode(released, format_of(path)), path);
    EXPECT_EQ(file.values, values) << path;
    EXPECT_EQ(file.names, path == "x.npy" ? std::vector<std::string>{} : names) << path;
  }
}

RC_GTEST_PROP(CoefficientFile, OtherBytesAreRefused, ()) {
  const Released released =
      coefficients({"a", "b"}, (Eigen::MatrixXd(2, 2) << 1.5, -2.0, 3.0, 0.25).finished());
  for (const std::string path : {"x.csv", "x.npy", "x.json"}) {
    const std::string content = encode(released, format_of(path));
    std::string changed = content;
    const auto place = *rc::gen::inRange<std::size_t>(0, content.size());
    changed.replace(place, 2, *rc::gen::arbitrary<std::string>());
    try {
      // What is still such a file, say with another digit, is written in the one way there is.
      const CoefficientFile file = coefficients_in(changed, path);
      const auto rows = static_cast<std::size_t>(file.values.rows());
      const auto names = file.names.empty() ? std::vector<std::string>(rows) : file.names;
      RC_ASSERT(encode(coefficients(names, file.values), format_of(path)) == changed);
    } catch (const UnreadableFile&) {
    }
  }
}

TEST(PublicRows, FromTheirPartsAreRefusedWhereTheyDoNotFit) {
  EXPECT_TRUE(refuses("range", [] {
    return public_rows({"u"}, {{"v", Range(0, 1)}}, 1.0, false);
  }));
  EXPECT_TRUE(refuses("row_norm_bound", [] { return public_rows({"u"}, {}, 0.0, false); }));
  EXPECT_TRUE(refuses("row norm bound", [] { return public_rows({"u"}, {}, 1e200, false); }));
}

TEST(HtmlPage, TextCannotBecomeMarkup) {
  EXPECT_EQ(html_text("<a b=\"&\">"), "&lt;a b=&quot;&amp;&quot;&gt;");
  const std::string text = json_in_html({{"</script>", "<!--"}});
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(Json::parse(text), Json({{"</script>", "<!--"}}));
}

TEST(LossSummary, QuantilesAreValuesThatSoManyDoNotExceed) {
  const std::vector<double> sorted{1.0, 2.0, 3.0, 4.0};
  EXPECT_EQ(quantile(sorted, 0.5), 2.0);
  EXPECT_EQ(quantile(sorted, 0.51), 3.0);
  EXPECT_EQ(quantile(sorted, 1.0), 4.0);
  EXPECT_EQ(quantile(sorted, 0.0), 1.0);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

// Every record is counted, whatever its loss.
TEST(LossPage, TheHistogramCountsAllRecords) {
  RecordLosses losses{Eigen::VectorXd(6), Eigen::VectorXd::Ones(6)};
  losses.signed_losses << 0.0, 1e-300, -0.5, 0.5, 3.0, 1e5;
  const Chart chart = loss_histogram(losses, {1.0, 1e-6});
  const Series& steps = chart.series.front();
  double records = 0.0;
  for (std::size_t i = 0; i < steps.y.size(); i += 2) records += steps.y[i];
  EXPECT_EQ(records, 6.0);
  EXPECT_EQ(chart.series.back().x.front(), 1.0);
  EXPECT_NE(render_svg(chart).find("worst case"), std::string::npos);
  for (const Eigen::Index count : {1, 5000}) {
    const RecordLosses same{Eigen::VectorXd::Zero(count), Eigen::VectorXd::Zero(count)};
    EXPECT_NO_THROW(render_svg(loss_histogram(same, {0.0, 1e-6})));
    EXPECT_NO_THROW(render_svg(bound_against_truth(same)));
  }
}

}  // namespace
}  // namespace modicum::testing
