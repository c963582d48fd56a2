#include "modicum/numerics/errors.h"

#include <gtest/gtest.h>

#include <string>

#include "support/refusals.h"

namespace modicum::testing::errors_test {
namespace {

TEST(InvalidParameter, SaysNameValueAndRule) {
  try {
    require_positive("epsilon", -1.0);
    FAIL();
  } catch (const InvalidParameter& error) {
    EXPECT_EQ(std::string(error.what()), "epsilon is -1, but must be positive and finite");
  }
}

TEST(Requirements, RefuseNaNAndInfinities) {
  for (const double bad : not_finite) {
    EXPECT_TRUE(refuses("x", [&] { return require_finite("x", bad); }));
    EXPECT_TRUE(refuses("x", [&] { return require_positive("x", bad); }));
    EXPECT_TRUE(refuses("x", [&] { return require_non_negative("x", bad); }));
    EXPECT_TRUE(refuses("x", [&] { return require_open_unit("x", bad); }));
    EXPECT_TRUE(refuses("x", [&] { return require_probability("x", bad); }));
    EXPECT_TRUE(refuses("x", [&] { return require_count("x", bad); }));
  }
}

TEST(Requirements, DrawTheLineWhereTheySay) {
  EXPECT_EQ(require_finite("x", -1e308), -1e308);
  EXPECT_EQ(require_positive("x", 5e-324), 5e-324);
  EXPECT_TRUE(refuses("x", [] { return require_positive("x", 0.0); }));
  EXPECT_EQ(require_non_negative("x", 0.0), 0.0);
  EXPECT_TRUE(refuses("x", [] { return require_non_negative("x", -5e-324); }));
  EXPECT_TRUE(refuses("x", [] { return require_open_unit("x", 0.0); }));
  EXPECT_TRUE(refuses("x", [] { return require_open_unit("x", 1.0); }));
  EXPECT_EQ(require_probability("x", 0.0), 0.0);
  EXPECT_EQ(require_probability("x", 1.0), 1.0);
  EXPECT_TRUE(refuses("x", [] { return require_probability("x", 1.0 + 0x1p-52); }));
  EXPECT_EQ(require_count("x", 1.0), 1.0);
  EXPECT_EQ(require_count("x", 0x1p53), 0x1p53);
  for (const double bad : {0.0, 0.5, 1.5, -1.0, 0x1p53 + 2.0})
    EXPECT_TRUE(refuses("x", [&] { return require_count("x", bad); })) << bad;
}

TEST(Errors, AreOneFamily) {
  EXPECT_THROW(throw TargetUnreachable("no"), Error);
  EXPECT_THROW(require_count("x", 0.0), Error);
  EXPECT_THROW(require_count("x", 0.0), std::runtime_error);
}

}  // namespace
}  // namespace modicum::testing::errors_test
