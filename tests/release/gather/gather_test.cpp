// A table in pieces gives what one file gives, bit for bit, and damaged pieces give nothing.
#include "modicum/release/gather.h"

#include <gtest/gtest.h>

#include <fstream>

#include "modicum/data/json.h"
#include "modicum/data/unreadable_file.h"
#include "modicum/release/centered_components.h"
#include "modicum/release/covariance_release.h"
#include "modicum/release/gradient_release.h"
#include "modicum/release/joint_release.h"
#include "modicum/release/logistic_release.h"
#include "modicum/release/objective_release.h"
#include "modicum/release/preconditioned_regression.h"
#include "modicum/release/release_files.h"
#include "support/seeded_random.h"
#include "support/seeded_source.h"
#include "support/temporary_folder.h"

namespace modicum::testing::gather_test {
namespace {

const PrivacyTarget target(1.0, 1e-6);

// Rows of three columns and a word; some are malformed.
std::string some_rows(SeededRandom& random, int count) {
  std::string text = "age,hours,wage,region\n";
  for (int i = 0; i < count; ++i) {
    const double age = random.uniform(18.0, 70.0), hours = random.uniform(0.0, 80.0);
    text += std::to_string(age) + "," + (i % 17 == 3 ? "NA" : std::to_string(hours)) + "," +
            std::to_string(0.4 * age + 0.2 * hours + random.uniform(-9.0, 9.0)) + "," +
            (random.uniform(0.0, 1.0) < 0.6 ? "north" : "south") + "\n";
  }
  return text;
}

// The same table as one file and as three.
class Pieces {
 public:
  Pieces() {
    SeededRandom random(11);
    std::string all;
    for (const int count : {150, 1, 400}) {
      const std::string text = some_rows(random, count);
      parts_.emplace_back(
          Table({{folder_.write("part" + std::to_string(parts_.size()) + ".csv", text)}}));
      all += all.empty() ? text : text.substr(text.find('\n') + 1);
    }
    whole_.emplace(TableFiles{{folder_.write("all.csv", all)}});
  }

  const Table& whole() const { return *whole_; }

  std::vector<PieceText> gather(const std::string& questions) const {
    ++passes_;
    SeededSource choosing(1);
    std::vector<PieceText> texts;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      texts.push_back(
          {"part" + std::to_string(i),
           text_of_piece(gather_piece(std::to_string(i), parts_[i],
                                      questions_in(questions, "questions"), {}, choosing))});
    return texts;
  }

  Table gathered(GatheringChoice choice = {}) const {
    choice.ask = [this](const std::string& questions) { return gather(questions); };
    TableFiles files;
    files.elsewhere = gathered_table({}, choice);
    return Table(files);
  }

  /// `release` makes of a table and a source what is released.
  template <class Release>
  void expect_same(const Release& release) const {
    SeededSource one(5), other(5);
    passes_ = 0;
    const Released expected = release(*whole_, one), found = release(gathered(), other);
    EXPECT_GT(passes_, 1);
    EXPECT_EQ(expected.row_names, found.row_names);
    ASSERT_EQ(expected.values.size(), found.values.size());
    for (Eigen::Index i = 0; i < expected.values.size(); ++i) {
      const double a = expected.values.data()[i], b = found.values.data()[i];
      EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << a << " " << b;
    }
    EXPECT_EQ(one.next(), other.next());  // as much noise was drawn
  }

 private:
  TemporaryFolder folder_;
  std::vector<Table> parts_;
  std::optional<Table> whole_;
  mutable int passes_ = 0;
};

const Pieces& pieces() {
  static const Pieces made;
  return made;
}

const std::map<std::string, Range> ranges{
    {"age", Range(18, 70)}, {"hours", Range(0, 80)}, {"wage", Range(0, 60)}};

// Columns and their bound, of any table.
struct Rows {
  Rows(const Table& table, const std::vector<std::string>& columns, bool intercept)
      : rule(table, columns, ranges_of(columns), intercept),
        known(rule, rule.natural_norm_bound(), BadRows::dropped) {}
  static std::map<std::string, Range> ranges_of(const std::vector<std::string>& columns) {
    std::map<std::string, Range> own;
    for (const std::string& each : columns) own.emplace(each, ranges.at(each));
    return own;
  }
  RowRule rule;
  PublicRows known;
};

EverydayQuestion mean_wage() {
  EverydayQuestion question;
  question.columns = {"wage"};
  question.ranges = {Range(0, 60)};
  return question;
}

TEST(GatheredTable, HasTheSumsOfOneFile) {
  const Table gathered = pieces().gathered();
  const Rows rows(pieces().whole(), {"age", "hours", "wage"}, true);
  const IntegerGram one = accumulate_gram(pieces().whole(), rows.rule, 1.5),
                    all = accumulate_gram(gathered, rows.rule, 1.5);
  EXPECT_TRUE(one.entries == all.entries);
  EXPECT_EQ(one.grid, all.grid);
  const IntegerSum sum = accumulate_sum(pieces().whole(), rows.rule, 1.5),
                   total = accumulate_sum(gathered, rows.rule, 1.5);
  EXPECT_TRUE(sum.entries == total.entries);
  EXPECT_TRUE(sum.rows == total.rows && sum.rows > 500);
  const Bins words = Bins::of_categories({"north", "east"}), ages = Bins::of_edges({18, 30, 70});
  EXPECT_TRUE(count_bins(pieces().whole(), 3, words) == count_bins(gathered, 3, words));
  EXPECT_TRUE(count_bins(pieces().whole(), 0, ages) == count_bins(gathered, 0, ages));
}

TEST(GatheredTable, GivesTheSameEverydayStatistics) {
  for (const Everyday statistic : {Everyday::count, Everyday::sum, Everyday::mean,
                                   Everyday::variance, Everyday::standard_deviation})
    for (const int grouping : {0, 1, 2})
      pieces().expect_same([&](const Table& table, RandomSource& source) {
        EverydayQuestion question = statistic == Everyday::count ? EverydayQuestion() : mean_wage();
        if (grouping > 0)
          question.groups = {
              {"region"},
              {grouping == 1 ? Bins::of_categories({"north", "south", "west"}) : Bins{}}};
        const EverydayPlan plan = plan_everyday(target, statistic, question);
        return release_everyday(plan, accumulate_everyday(table, plan), source);
      });
}

TEST(GatheredTable, GivesTheSameWholeNumbers) {
  pieces().expect_same([&](const Table& table, RandomSource& source) {
    EverydayQuestion question = mean_wage();
    question.integers = true;
    question.noise = CountNoise::discrete_laplace;
    const EverydayPlan plan = plan_everyday(target, Everyday::sum, question);
    EXPECT_TRUE(plan.whole);
    return release_everyday(plan, accumulate_everyday(table, plan), source);
  });
}

TEST(GatheredTable, GivesTheSameQuantilesAndJobs) {
  for (const bool discovered : {false, true})
    pieces().expect_same([&](const Table& table, RandomSource& source) {
      EverydayQuestion question = mean_wage();
      question.groups = {{"region"},
                         {discovered ? Bins{} : Bins::of_categories({"north", "south"})}};
      const QuantilePlan plan = plan_quantiles({8.0, 1e-6}, question, {0.1, 0.5});
      Released released = release_quantiles(plan, collect_quantiles(table, plan), source);
      EXPECT_EQ(released.values.rows(), 4);  // both regions are large enough to be shown
      return released;
    });
  pieces().expect_same([&](const Table& table, RandomSource& source) {
    const JointPlan plan = plan_joint(target, {StatisticRequest{Everyday::count, {}},
                                               StatisticRequest{Everyday::mean, mean_wage()},
                                               QuantileRequest{mean_wage(), {0.5}}});
    return release_joint(plan, accumulate_joint(table, plan), source);
  });
}

TEST(GatheredTable, GivesTheSameMomentsAndComponents) {
  pieces().expect_same([&](const Table& table, RandomSource& source) {
    const Rows rows(table, {"age", "wage"}, false);
    const CovariancePlan plan = plan_covariance(target, rows.known, {});
    return release_covariance(plan, accumulate_gram(table, rows.rule, rows.known.row_norm_bound),
                              source);
  });
  for (const bool centered : {false, true})
    pieces().expect_same([&](const Table& table, RandomSource& source) {
      const Rows rows(table, {"age", "hours", "wage"}, false);
      const auto begin = [] { return ReadOptions{}; };
      if (!centered)
        return release_scales(plan_scales(target, rows.known), table, rows.rule, begin, source);
      return release_centered_components(plan_centered_components(target, rows.known, 2.0, {}),
                                         table, rows.rule, begin, source);
    });
}

TEST(GatheredTable, GivesTheSameRegressionsInManyPasses) {
  pieces().expect_same([&](const Table& table, RandomSource& source) {
    const Rows rows(table, {"age", "hours", "wage"}, true);
    return release_preconditioned(
        plan_preconditioned({20.0, 1e-6}, rows.known), table, rows.rule,
        [] { return ReadOptions{}; }, source);
  });
  const TargetRule wage{"wage", Range(0, 60)};
  const Rows known(pieces().whole(), {"age", "hours"}, true);
  const ObjectivePlan plan =
      plan_objective(target, known.known, {PredictionLoss::huber(0.25), wage, {}, {}});
  pieces().expect_same([&](const Table& table, RandomSource& source) {
    const Rows rows(table, {"age", "hours"}, true);
    const LabeledRows labeled(table, rows.rule, wage, rows.known.row_norm_bound);
    return release_objective(plan, labeled, source, {});
  });
}

TEST(GatheredTable, GivesTheSameClassifiersInManyPasses) {
  const LabelRule rich{"wage", 20.0};
  const PublicRows known = Rows(pieces().whole(), {"age", "hours"}, true).known;
  const auto in_rows = [&](const auto& release) {
    pieces().expect_same([&](const Table& table, RandomSource& source) {
      const Rows rows(table, {"age", "hours"}, true);
      return release(LabeledRows(table, rows.rule, rich, rows.known.row_norm_bound), source);
    });
  };
  const auto hinge =
      plan_objective(target, known, {PredictionLoss::smoothed_hinge(0.5), rich, {}, {}});
  in_rows([&](const LabeledRows& rows, RandomSource& source) {
    return release_objective(hinge, rows, source, {});
  });
  const auto standardized =
      plan_standardized(target, known, {PredictionLoss::logistic(), rich, {}, {}}, true);
  in_rows([&](const LabeledRows& rows, RandomSource& source) {
    return release_standardized(standardized, rows, source, {});
  });
  const auto gradient = plan_gradient(target, known, rich, 5.0);
  in_rows([&](const LabeledRows& rows, RandomSource& source) {
    return release_gradient(gradient, rows, source, {});
  });
  const auto bayesian = plan_logistic(target, known, {rich, {}, {}});
  in_rows([&](const LabeledRows& rows, RandomSource& source) {
    return release_logistic(bayesian, fit(bayesian, rows, {}), source);
  });
}

TEST(GatheredTable, HasNoRows) {
  const Table gathered = pieces().gathered();
  EXPECT_THROW(gathered.for_each_block({0}, {}, [](const RowBlock&) { return nullptr; }),
               UsageError);
  EXPECT_THROW(gathered.count_rows({0}, {}), UsageError);
}

TEST(GatheredTable, KeepsRowsOfAPersonOnlyWhereTheyAreTogether) {
  EverydayQuestion question;
  question.unit = PersonRule{"region", 2.0, {}};
  const EverydayPlan plan = plan_everyday(target, Everyday::count, question);
  EXPECT_THROW(accumulate_everyday(pieces().gathered(), plan), UsageError);
  GatheringChoice together;
  together.persons_together = true;
  // Two regions in each of three pieces, of which two rows each are kept; the second has one row.
  const EverydaySums sums = accumulate_everyday(pieces().gathered(together), plan);
  EXPECT_TRUE(sums.entries.front() == 9);
}

std::vector<Value> one_question() {
  return {question_of(plan_everyday(target, Everyday::mean, mean_wage()))};
}

std::vector<PieceText> good_pieces() { return pieces().gather(text_of_questions(one_question())); }

template <class Exception>
void expect_refused(const std::vector<PieceText>& texts, const std::string& words,
                    GatheringChoice choice = {}) {
  try {
    gathered_table(texts, std::move(choice))->sums(one_question().front());
    ADD_FAILURE() << "not refused: " << words;
  } catch (const Exception& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(GatheredPieces, AreAddedUp) {
  WholeSums total;
  for (const PieceText& each : good_pieces()) {
    const WholeSums own = piece_in(each.text, each.source).answers.front();
    if (total.entries.empty()) total = own;
    else total += own;
  }
  GatheringChoice three;
  three.pieces = 3;
  EXPECT_EQ(gathered_table(good_pieces(), three)->sums(one_question().front()), total);
}

TEST(GatheredPieces, AreRefusedWhereOneIsMissingOrThereTwice) {
  std::vector<PieceText> texts = good_pieces();
  GatheringChoice three;
  three.pieces = 3;
  texts.pop_back();
  expect_refused<UsageError>(texts, "has 2 pieces, but `pieces` says there are 3", three);
  texts.push_back(texts.front());
  expect_refused<UsageError>(texts, "has the same piece twice", three);
  expect_refused<UsageError>({}, "names no piece");
}

TEST(GatheredPieces, AreRefusedWhereAByteIsGoneOrChanged) {
  const std::vector<PieceText> texts = good_pieces();
  const std::string& good = texts.front().text;
  SeededRandom random(4);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<PieceText> bad = texts;
    const auto place = static_cast<std::size_t>(random.whole(0, static_cast<int>(good.size()) - 1));
    if (trial % 2 == 0) bad.front().text.resize(place);
    else bad.front().text[place] = static_cast<char>(bad.front().text[place] ^ 1);
    expect_refused<UnreadableFile>(bad, "part0");
  }
}

// A line that says so, and a checksum that fits: what somebody makes who knows how.
std::string with_changed(const std::string& text, const std::string& from, const std::string& to) {
  const std::string body = text.substr(0, text.find('\n') + 1);
  const auto place = body.find(from);
  EXPECT_NE(place, std::string::npos);
  const std::string changed = body.substr(0, place) + to + body.substr(place + from.size());
  return changed + json_line(Value{{"sha256", sha256(changed)}});
}

// The message, which has nothing of the piece in it.
std::string refusal_of(const std::string& text) {
  try {
    piece_in(text, "part0");
  } catch (const UnreadableFile& error) {
    EXPECT_EQ(std::string(error.what()).find("secret"), std::string::npos) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return "";
}

TEST(GatheredPieces, AreNotQuotedWhereTheyAreDamaged) {
  const std::string good = good_pieces().front().text;
  const std::string damaged = "part0: it is damaged: it is not written as gathered sums are";
  for (const char* to : {"\"entries\":[secret,", "\"entries\":[\"secret\",", "\"secret\":["})
    EXPECT_EQ(refusal_of(with_changed(good, "\"entries\":[", to)), damaged);
  EXPECT_NE(refusal_of(with_changed(good, "\"version\":\"", "\"version\":\"secret"))
                .find("another version"),
            std::string::npos);
  // The checksum comes first: what was changed is not even parsed.
  std::string changed = good;
  changed.replace(changed.find("\"entries\":["), 10, "\"entries\":secret");
  EXPECT_NE(refusal_of(changed).find("its checksum is another"), std::string::npos);
  EXPECT_EQ(refusal_of("name,wage\nsecret,1\n"), "part0: this is no file of gathered sums");
}

TEST(GatheredPieces, AreRefusedOfAnotherVersionOrOtherRules) {
  std::vector<PieceText> texts = good_pieces();
  const std::string good = texts[1].text;
  texts[1].text = with_changed(good, "\"format_version\":2", "\"format_version\":1");
  expect_refused<UnreadableFile>(texts, "another version");
  texts[1].text = with_changed(good, "\"bounds\":[[0.0,60.0]]", "\"bounds\":[[0.0,61.0]]");
  expect_refused<UsageError>(texts, "differ in questions.question 1.question.bounds");
  texts[1].text = with_changed(good, "\"header\":true", "\"header\":false");
  expect_refused<UsageError>(texts, "differ in table.header");
  texts[1].text = with_changed(good, "\"columns\":[\"age\",", "\"columns\":[\"ages\",");
  expect_refused<UsageError>(texts, "differ in table.columns");
}

TEST(GatheredPieces, AreRefusedWhereTheyAnswerSomethingElse) {
  EverydayQuestion other = mean_wage();
  other.ranges = {Range(0, 50)};
  const std::vector<PieceText> texts = pieces().gather(
      text_of_questions({question_of(plan_everyday(target, Everyday::mean, other))}));
  expect_refused<UsageError>(texts, "it differs in question.bounds");
  expect_refused<UsageError>(pieces().gather(text_of_questions({})), "answer no question");
}

TEST(GatheredPieces, MustBeTheSameInEveryPass) {
  int passes = 0;
  GatheringChoice choice;
  choice.ask = [&](const std::string& questions) {
    std::vector<PieceText> texts = pieces().gather(questions);
    if (++passes == 2) texts.pop_back();
    return texts;
  };
  expect_refused<UsageError>({}, "other pieces than in the pass before", choice);
}

TEST(GatheredPieces, KeepAllDigitsAndAllBytes) {
  GatheredPiece piece{"a", {{"x"}, {}, BadRows::dropped}, {Value{{"sums", "any"}}}, {}};
  WholeSums sums;
  const Integer128 large = (Integer128{1} << 126) + 12345;
  sums.entries = {0, -1, large, -large, INT64_MAX, INT64_MIN, Integer128{INT64_MAX} + 1};
  sums.groups[{"a\xff%", "\n\"\t"}] = {-large};
  sums.groups[{"a\xfe%", ""}] = {1};
  sums.points[std::uint64_t{1} << 60] = large;
  piece.answers = {sums};
  const std::string text = text_of_piece(piece);
  EXPECT_EQ(piece_in(text, "").answers.front(), sums);
  EXPECT_NE(text.find("not private"), std::string::npos);
  WholeSums twice = sums;
  EXPECT_THROW(twice += sums, Error);  // 2^127 does not fit
}

TEST(Questions, AreRefusedThatFitNoRows) {
  const Table& table = pieces().whole();
  SeededSource source(1);
  const auto refused = [&](const char* question) {
    EXPECT_THROW(gather_piece("a", table, {parse_json(question)}, {}, source), Error) << question;
  };
  refused(R"({"sums": "rows"})");
  refused(R"({})");
  refused(R"([1])");
  const std::string rows = R"({"columns": ["age"], "ranges": {}, "intercept": false})";
  refused((R"({"sums": "moments", "row_norm_bound": 1})"));
  refused((R"({"sums": "moments", "row_norm_bound": -1, "rows": )" + rows + "}").c_str());
  refused((R"({"sums": "sum", "row_norm_bound": 1, "rows": )" + rows +
           R"(, "map": {"first": 0, "dimension": 7, "norm_bound": 1, "affine": {"constant": 1,
               "center": [0, 0, 0, 0, 0, 0, 0], "matrix": [1, 1, 1, 1, 1, 1, 1],
               "diagonal": true}}})")
              .c_str());
  const std::string labeled = R"("labeled": {"rows": )" + rows +
                              R"(, "row_norm_bound": 1, "target": "wage", "threshold": 0})";
  refused((R"({"sums": "gradient", "norm_bound": 1, "coefficients": [1, 2], "longest": 1, )" +
           labeled + "}")
              .c_str());
  refused((R"({"sums": "point", "loss": {"name": "logistic", "parameter": 0},
               "at": {"whole": [1, 2, 3], "exponent": 0}, )" +
           labeled + "}")
              .c_str());
}

}  // namespace
}  // namespace modicum::testing::gather_test
