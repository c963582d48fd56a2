#include "release/reports/coefficient_file.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "modicum/data/unreadable_file.h"
#include "support/seeded_random.h"

namespace modicum::testing::coefficient_file_test {
namespace {

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
    const NumberTable file = coefficients_in(encode(released, format_of(path)), path);
    EXPECT_EQ(file.values, values) << path;
    EXPECT_EQ(file.row_names, path == "x.npy" ? std::vector<std::string>{} : names) << path;
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
      const NumberTable file = coefficients_in(changed, path);
      const auto rows = static_cast<std::size_t>(file.values.rows());
      const auto names = file.row_names.empty() ? std::vector<std::string>(rows) : file.row_names;
      RC_ASSERT(encode(coefficients(names, file.values), format_of(path)) == changed);
    } catch (const UnreadableFile&) {
    }
  }
}

TEST(CoefficientFile, TheOldSpellingOfItsColumnIsKnown) {
  const NumberTable old{{"a"}, {"coefficient", "standardised"}, Eigen::MatrixXd::Ones(1, 2)};
  for (const std::string path : {"x.csv", "x.json"})
    EXPECT_EQ(coefficients_in(encode(old, format_of(path)), path).values, old.values) << path;
  const NumberTable other{{"a"}, {"coefficient", "standard"}, Eigen::MatrixXd::Ones(1, 2)};
  EXPECT_THROW(coefficients_in(encode(other, OutputFormat::csv), "x.csv"), UnreadableFile);
}

}  // namespace
}  // namespace modicum::testing::coefficient_file_test
