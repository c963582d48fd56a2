#include "interfaces/plot/component_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "modicum/data/unreadable_file.h"
#include "modicum/release/released.h"
#include "support/refusals.h"
#include "support/temporary_folder.h"

namespace modicum::component_file_test {
namespace {

using testing::refuses;
using testing::TemporaryFolder;

const std::vector<std::string> coordinates{"a", "b, \"c\"", "d\ne"};

Released turned() {
  const Enclosure none(0.0, 0.0);
  Released released{
      coordinates,
      {"component_1", "component_2"},
      {},
      Certificate("", PrivacyTarget(0.0, 0.0), ProfilePoint{0.0, none, none, Proof::certified})};
  released.values.resize(3, 2);
  released.values << 0.6, 0.8, 0.0, 0.0, -0.8, 0.6;
  return released;
}

TEST(ComponentFile, ReadsWhatAReleaseWrites) {
  const TemporaryFolder folder;
  for (const char* const name : {"v.csv", "v.npy", "v.json"}) {
    const std::string path = folder.write(name, encode(turned(), format_of(name)));
    const ComponentFile file = read_components(path);
    EXPECT_EQ(file.values, turned().values) << name;
    const bool plain = std::string(name) == "v.npy";
    EXPECT_EQ(file.names, plain ? std::vector<std::string>{} : coordinates) << name;
    EXPECT_NO_THROW(require_components_of("v", file, coordinates));
  }
}

TEST(ComponentFile, ReadsPlainNumbers) {
  const TemporaryFolder folder;
  for (const auto& [name, content] : std::vector<std::pair<std::string, std::string>>{
           {"plain.csv", "0.6,0.8\n0,0\n-0.8,0.6\n"},
           {"header.csv", "first,second\n0.6,0.8\n0,0\n-0.8,0.6\n"},
           {"numbered.csv", "name,1,2\na,0.6,0.8\nb,0,0\nc,-0.8,0.6\n"},
           {"list.json", "[[0.6,0.8],[0,0],[-0.8,0.6]]"}})
    EXPECT_EQ(read_components(folder.write(name, content)).values, turned().values) << name;
}

TEST(ComponentFile, RefusesOtherFiles) {
  const TemporaryFolder folder;
  for (const auto& [name, content] : std::vector<std::pair<std::string, std::string>>{
           {"word.csv", "name,x\na,0.6\nb,zero\n"},
           {"short.csv", "name,x\na\n"},
           {"empty.csv", ""},
           {"object.json", "{\"values\": [[1]]}"},
           {"uneven.json", R"({"rows": ["a", "b"], "columns": ["x"], "values": [[1], []]})"},
           {"names.json", R"({"rows": ["a"], "columns": ["x"], "values": [[1], [0]]})"},
           {"text.json", R"({"rows": ["a"], "columns": ["x"], "values": [["1"]]})"},
           {"broken.json", "{"}})
    EXPECT_THROW(read_components(folder.write(name, content)), UnreadableFile) << name;
  EXPECT_THROW(read_components(folder.path("none.csv")), UnreadableFile);
  EXPECT_THROW(read_components(folder.path("none.json")), UnreadableFile);
  EXPECT_THROW(read_components(folder.path("none.npy")), UnreadableFile);
}

TEST(ComponentFile, RefusesComponentsOfOtherColumns) {
  const ComponentFile good{coordinates, turned().values};
  const auto refused = [](const ComponentFile& file, const std::vector<std::string>& names) {
    return refuses("--components", [&] {
      require_components_of("--components", file, names);
      return 0;
    });
  };
  EXPECT_TRUE(refused(good, {"a", "b, \"c\""}));
  EXPECT_TRUE(refused(good, {"a", "d\ne", "b, \"c\""}));
  EXPECT_NO_THROW(require_components_of("v", {{}, good.values}, {"x", "y", "z"}));
  ComponentFile longer = good, zero = good, skewed = good, unknown = good;
  longer.values *= 1.1;
  zero.values.setZero();
  skewed.values.col(1) = skewed.values.col(0);
  unknown.values(0, 0) = testing::not_a_number;
  for (const ComponentFile& file : {longer, zero, skewed, unknown})
    EXPECT_TRUE(refused(file, coordinates));
}

}  // namespace
}  // namespace modicum::component_file_test
