// What a page may ask is any JSON: it must be answered, and no path may lead out of the folder.
// Questions are made from good ones by small changes, from a fixed seed. Jobs are not run: the
// command that they would be is made.
#include <gtest/gtest.h>

#include <filesystem>

#include "interfaces/serve/confined_jobs.h"
#include "modicum/data/json.h"
#include "support/seeded_random.h"
#include "support/temporary_folder.h"

namespace modicum::questions_test {
namespace {

const std::vector<std::string>& good_questions() {
  static const std::vector<std::string> all{
      R"({"ask": "columns", "fields": {"table": ["../x.csv"], "separator": ";"}})",
      R"({"ask": "run", "job": "epsilon", "fields": {"description": {"mechanism": "gaussian", "standard_deviation": 4, "sensitivity": 1}, "delta": [1e-6]}})",
      R"({"ask": "run", "job": "profile", "fields": {"description": {"compose": [{"mechanism": "tabulated", "file": "/etc/passwd"}]}, "epsilon": [1, 2]}})",
      R"({"ask": "run", "job": "release mean", "fields": {"table": ["people.csv"], "select": ["age"], "bounds": {"age": [0, 100]}, "by": ["region"], "categories": ["a,b"], "epsilon": 1, "delta": 1e-6, "output": "mean.csv"}})",
      R"({"ask": "run", "job": "ledger status", "fields": {"ledger": "postgresql://host/base"}})",
      R"({"ask": "run", "job": "plot profile", "fields": {"descriptions": ["a.json", {"mechanism": "pure", "epsilon": 1}], "output": "-"}})",
      R"({"ask": "run", "job": "audit claim", "fields": {"claim": "r1smg"}})",
      R"({"ask": "text", "file": "/etc/passwd"})",
      R"({"ask": "file", "file": "../../x"})",
      R"({"ask": "certificate", "sha256": "00"})"};
  return all;
}

// A word that means something, a character of JSON, or a piece of another question.
std::string changed(std::string text, testing::SeededRandom& random) {
  static const std::vector<std::string> words{"\"",
                                              "{",
                                              "}",
                                              "[",
                                              "]",
                                              ",",
                                              ":",
                                              "null",
                                              "true",
                                              "-1",
                                              "1e999",
                                              "NaN",
                                              "0",
                                              "\\u0000",
                                              "\"..\"",
                                              "\"/etc/passwd\"",
                                              "\"-\"",
                                              "\"*\"",
                                              "\"job\"",
                                              "\"fields\"",
                                              "\"ask\"",
                                              "\"file\"",
                                              "\"count\"",
                                              "\xff",
                                              "1e308",
                                              "\"serve\"",
                                              "\"audit program\""};
  const int changes = random.whole(1, 4);
  for (int i = 0; i < changes; ++i) {
    const auto at = static_cast<std::size_t>(random.whole(0, static_cast<int>(text.size())));
    const auto length = static_cast<std::size_t>(random.whole(0, 5));
    const double how = random.unit();
    const auto any = [&](const auto& list) {
      return list[static_cast<std::size_t>(random.whole(0, static_cast<int>(list.size()) - 1))];
    };
    if (how < 0.3) text.erase(at, length);
    else if (how < 0.8) text.replace(at, length, any(words));
    else {
      const std::string other = any(good_questions());
      text.insert(at, other.substr(other.size() / 3, other.size() / 2));
    }
  }
  return text;
}

// Whether a path could be meant by it, it must not leave the folder.
void check_path(const ServedFolders& folders, const std::string& folder, const std::string& text) {
  try {
    const std::string file = folders.file("file", text);
    EXPECT_TRUE(file.starts_with(folder + "/")) << file;
    EXPECT_EQ(file.find("/../"), std::string::npos) << file;
  } catch (const InvalidParameter&) {
  }
}

TEST(AnyQuestion, IsAnsweredAndStaysInTheFolder) {
  const testing::TemporaryFolder place;
  const std::string folder = std::filesystem::canonical(place.path()).string();
  const ServedFolders folders({folder});
  testing::SeededRandom random(23);
  Progress nobody;
  int asked = 0;
  for (int i = 0; i < 4000; ++i) {
    const auto& all = good_questions();
    const std::string text = changed(all[static_cast<std::size_t>(i) % all.size()], random);
    check_path(folders, folder, text);
    Value question;
    try {
      question = parse_json(text);
    } catch (const InvalidDescription&) {
      continue;
    }
    ++asked;
    if (const Value* ask = question.is_record() ? question.find("ask") : nullptr;
        ask != nullptr && *ask == Value("run"))
      question["ask"] = "command";
    const Value answer = answer_question(question, folders, nobody);
    ASSERT_TRUE(answer.is_record() && answer.size() > 0) << text;
    EXPECT_EQ(json_line(answer).find("root:"), std::string::npos) << text;
  }
  EXPECT_GT(asked, 100);  // not all of it is nonsense
}

}  // namespace
}  // namespace modicum::questions_test
