#include "interfaces/serve/confined_jobs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "modicum/data/json.h"
#include "modicum/data/unreadable_file.h"

namespace modicum::confined_jobs_test {
namespace {

namespace fs = std::filesystem;

// A folder with a table in it, and one beside it that is not served.
class ServedFoldersTest : public ::testing::Test {
 protected:
  ServedFoldersTest() {
    std::string pattern = (fs::temp_directory_path() / "modicum-served-XXXXXX").string();
    place_ = mkdtemp(pattern.data());
    fs::create_directories(place_ / "served" / "deep");
    fs::create_directories(place_ / "servedtoo");
    std::ofstream(place_ / "served" / "table.csv") << "a\n1\n";
    std::ofstream(place_ / "served" / ".hidden.csv") << "a\n1\n";
    std::ofstream(place_ / "servedtoo" / "table.csv") << "a\n1\n";
    fs::create_symlink(place_ / "servedtoo", place_ / "served" / "link");
    fs::create_symlink(place_ / "servedtoo" / "table.csv", place_ / "served" / "link.csv");
  }
  ~ServedFoldersTest() override { fs::remove_all(place_); }

  std::string path(const std::string& rest) const { return (place_ / rest).string(); }

  fs::path place_;
};

TEST_F(ServedFoldersTest, HoldTheirFilesAndNothingElse) {
  const ServedFolders folders({path("served")});
  const std::string table = fs::canonical(path("served/table.csv")).string();
  EXPECT_EQ(folders.file("table", path("served/table.csv")), table);
  EXPECT_EQ(folders.file("table", "table.csv"), table);
  EXPECT_EQ(folders.file("table", path("served/deep/../table.csv")), table);
  EXPECT_NO_THROW(folders.file("output", path("served/new.csv")));
  for (const std::string& outside : std::vector<std::string>{
           path("servedtoo/table.csv"), path("served"), path("served/../servedtoo/table.csv"),
           path("served/link/table.csv"), path("served/link.csv"), path("served/link/new.csv"),
           std::string("../servedtoo/table.csv"), std::string("/etc/passwd"), std::string("-"),
           std::string(""), std::string("*.csv"), std::string("postgresql://host/base"),
           path("served/no/../../servedtoo/table.csv")})
    EXPECT_THROW(folders.file("table", outside), InvalidParameter) << outside;
}

TEST_F(ServedFoldersTest, ListWhatCanBeChosen) {
  const Value files = ServedFolders({path("served")}).list();
  ASSERT_EQ(files.size(), 1u) << json_line(files);
  EXPECT_EQ(files.at(0).at("name").text(), "table.csv");
}

TEST_F(ServedFoldersTest, MustBeFolders) {
  EXPECT_THROW(ServedFolders({path("none")}), UnreadableFile);
  EXPECT_THROW(ServedFolders({path("served/table.csv")}), UnreadableFile);
}

TEST(ServedJobs, RunNoProgramsAndServeNothing) {
  EXPECT_TRUE(may_be_served("epsilon"));
  EXPECT_TRUE(may_be_served("release mean"));
  for (const char* job : {"audit program", "serve", "import", "gather", "release", "", "epsilons"})
    EXPECT_FALSE(may_be_served(job)) << job;
}

// Every field that can name a file is told by its kind or its placeholder. A new one that is
// neither must not slip through: fields of text that a page may fill in are words of these names.
TEST(ServedJobs, FieldsOfTextThatAreNoFilesAreKnown) {
  const std::set<std::string> plain{
      "budget",   "by",        "categories", "claim",       "edges",    "exclude",    "group",
      "head",     "label",     "labels",     "method",      "names",    "population", "positive",
      "select",   "separator", "target",     "title",       "unit",     "unit_words", "classes",
      "commands", "features",  "guarantee",  "standardize", "booleans", "dates",      "part",
      "parts",    "error",     "piece"};
  for (const JobKind& kind : jobs()) {
    if (!kind.make || !may_be_served(kind.name)) continue;
    const std::unique_ptr<Job> job = kind.make();
    Fields fields;
    job->fields(fields);
    for (const Field& field : fields.all()) {
      if (field.kind != FieldKind::text && field.kind != FieldKind::texts) continue;
      // What is refused, see below.
      if (names_a_file(field) || field.name == "query" || field.name == "each_pass") continue;
      EXPECT_TRUE(plain.contains(field.name))
          << kind.name << " asks for `" << field.name
          << "`: if that is a file it must be shown as PATH, else it belongs to this list";
    }
  }
}

class ServedQuestions : public ServedFoldersTest {
 protected:
  Value ask(const char* question) const {
    Progress nobody;
    return answer_question(parse_json(question), ServedFolders({path("served")}), nobody);
  }
};

TEST_F(ServedQuestions, AreAnsweredWithNumbersWordsAndACommand) {
  const Value answer = ask(
      R"({"ask": "run", "job": "epsilon", "fields": {"description": {"mechanism": "pure", "epsilon": 1}, "delta": [0.001]}})");
  EXPECT_LE(answer.at("answer").at("epsilon").enclosure().upper(), 1.0);
  EXPECT_NE(answer.at("words").text().find("epsilon at most"), std::string::npos);
  EXPECT_EQ(answer.at("command").text(),
            "modicum epsilon - --delta 0.001 <<'END'\n{\"mechanism\":\"pure\",\"epsilon\":1}\nEND");
}

TEST_F(ServedQuestions, HaveErrorsForAnswersToo) {
  for (
      const char* question :
      {R"({})", R"({"ask": 1})", R"([])", R"({"ask": "run"})", R"({"ask": "run", "job": 7})",
       R"({"ask": "run", "job": "serve", "fields": {}})", R"({"ask": "columns"})",
       R"({"ask": "text", "file": 3})", R"({"ask": "run", "job": "epsilon", "fields": []})",
       R"({"ask": "run", "job": "epsilon", "fields": {"delta": "x"}})",
       R"({"ask": "run", "job": "epsilon", "fields": {"nothing": 1}})",
       R"({"ask": "run", "job": "epsilon", "fields": {"description": {"mechanism": "tabulated", "file": "/etc/passwd"}, "delta": [0.1]}})"})
    EXPECT_TRUE(ask(question).contains("error")) << question;
}

TEST_F(ServedQuestions, RunNoCommandsForThePassesOfARelease) {
  const Value answer = ask(
      R"({"ask": "run", "job": "release count", "fields": {"gathered": ["table.csv"], "each_pass": "touch {}", "epsilon": 1, "delta": 1e-6, "output": "-"}})");
  EXPECT_NE(answer.at("error").at("message").text().find("must be given on the command line"),
            std::string::npos);
  const Value forms = ask(R"({"ask": "forms"})");
  for (const Value& field : forms.at("jobs").at("release count").at("fields").items())
    EXPECT_NE(field.at("name").text(), "each_pass");
}

TEST_F(ServedQuestions, HaveNoQueriesWhichNameFilesThemselves) {
  const Value answer = ask(
      R"({"ask": "run", "job": "release count", "fields": {"query": "select a from '/etc/passwd'", "epsilon": 1, "output": "-"}})");
  EXPECT_EQ(answer.at("error").at("field").text(), "query");
  EXPECT_EQ(answer.at("error").at("code").whole(), 2);
  const Value forms = ask(R"({"ask": "forms"})");
  for (const Value& field : forms.at("jobs").at("release count").at("fields").items())
    EXPECT_NE(field.at("name").text(), "query");
}

TEST_F(ServedQuestions, TellWhichFieldIsWrong) {
  const Value error =
      ask(R"({"ask": "run", "job": "calibrate gaussian", "fields": {"epsilon": -1, "delta": 0.1, "sensitivity": 1}})")
          .at("error");
  EXPECT_EQ(error.at("field").text(), "epsilon");
  EXPECT_EQ(error.at("code").whole(), 2);
}

TEST_F(ServedQuestions, TellWhichPartOfADescriptionIsWrong) {
  const auto place = [&](const char* description) {
    const Value error =
        ask((R"({"ask": "run", "job": "epsilon", "fields": {"delta": [0.1], "description": )" +
             std::string(description) + "}}")
                .c_str())
            .at("error");
    return error.at("field").text() + " " + error.at("at").text();
  };
  EXPECT_EQ(place(R"({"mechanism": "laplace", "scale": -3, "sensitivity": 1})"),
            "description scale");
  EXPECT_EQ(place(R"({"compose": [{"mechanism": "pure", "epsilon": 1}, {"mechanism": "laplace",
                      "scale": 1, "sensitivity": "x"}]})"),
            "description compose[1].sensitivity");
  EXPECT_EQ(place(R"({"compose": [{"mechanism": "pure"}]})"), "description compose[0].epsilon");
  EXPECT_EQ(place(R"({"mechanism": "gausian"})"), "description mechanism");
  EXPECT_EQ(place(R"({"mechanism": "pure", "epsilon": 1, "count": 0})"), "description count");
}

TEST_F(ServedQuestions, GiveFilesAndCertificatesOfTheFolders) {
  EXPECT_EQ(ask(R"({"ask": "file", "file": "table.csv"})").at("base64").text(), "YQoxCg==");
  EXPECT_TRUE(ask(R"({"ask": "file", "file": "../servedtoo/table.csv"})").contains("error"));
  EXPECT_TRUE(ask(R"({"ask": "file"})").contains("error"));
  std::ofstream(place_ / "served" / "x.csv.certificate.json") << "{}";
  const std::string hash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
  EXPECT_EQ(ask((R"({"ask": "certificate", "sha256": ")" + hash + "\"}").c_str()).at("text").text(),
            "{}");
  EXPECT_TRUE(ask(R"({"ask": "certificate", "sha256": "0"})").contains("error"));
}

TEST(Base64, FillsUpTheLastLetters) {
  EXPECT_EQ(in_base64(""), "");
  EXPECT_EQ(in_base64("a"), "YQ==");
  EXPECT_EQ(in_base64("ab"), "YWI=");
  EXPECT_EQ(in_base64("abc"), "YWJj");
  EXPECT_EQ(in_base64("\xff\xfe\xfd"), "//79");
}

TEST_F(ServedQuestions, DescribeFormsForEverythingThatMayBeAsked) {
  const Value forms = ask(R"({"ask": "forms"})");
  for (const char* job : {"epsilon", "release mean", "ledger status", "audit claim", "meaning"})
    EXPECT_TRUE(forms.at("jobs").contains(job)) << job;
  EXPECT_FALSE(forms.at("jobs").contains("audit program"));
  bool gaussian = false;
  for (const Value& each : forms.at("mechanisms").items())
    gaussian = gaussian || each.at("name").text() == "gaussian";
  EXPECT_TRUE(gaussian);
}

}  // namespace
}  // namespace modicum::confined_jobs_test
