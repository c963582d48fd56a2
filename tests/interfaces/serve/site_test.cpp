#include "interfaces/serve/site.h"

#include <gtest/gtest.h>

namespace modicum::site_test {
namespace {

class SiteTest : public ::testing::Test {
 protected:
  SiteRequest get(const std::string& path) const {
    return {"GET", path, "127.0.0.1:8000", "", "", ""};
  }
  int status(const SiteRequest& request) { return site_.respond(request).status; }

  Nursery nursery_{[](const Value& question, Progress&) { return Value{{"asked", question}}; }};
  Runs runs_{nursery_, 1};
  Site site_{"secret", 8000, runs_};
};

TEST_F(SiteTest, AnswersThoseWhoKnowTheSecretOnly) {
  EXPECT_EQ(status(get("/secret/")), 200);
  EXPECT_EQ(status(get("/secret/app.js")), 200);
  EXPECT_EQ(status(get("/secret/none.js")), 404);
  for (const char* path : {"", "/", "/secret", "/Secret/", "/secre/", "//secret/", "secret/"})
    EXPECT_EQ(status(get(path)), 403) << path;
}

TEST_F(SiteTest, AnswersThisMachineOnly) {
  for (const char* host : {"", "evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:80000",
                           "127.0.0.1:8000.evil.example"}) {
    SiteRequest request = get("/secret/");
    request.host = host;
    EXPECT_EQ(status(request), 403) << host;
  }
  SiteRequest request = get("/secret/");
  request.host = "localhost:8000";
  EXPECT_EQ(status(request), 200);
  request.origin = "http://127.0.0.1:8000";  // another name is another origin
  EXPECT_EQ(status(request), 403);
  request.origin = "http://localhost:8000";
  EXPECT_EQ(status(request), 200);
}

TEST_F(SiteTest, TakesQuestionsInJson) {
  SiteRequest request{"POST", "/secret/api/ask",  "127.0.0.1:8000",
                      "",     "application/json", "{\"a\": 1}"};
  const SiteResponse answer = site_.respond(request);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "{\"asked\":{\"a\":1}}");
  request.content_type = "text/plain";
  EXPECT_EQ(status(request), 415);
  request.content_type = "application/json";
  request.body = "{";
  EXPECT_EQ(status(request), 400);
  EXPECT_EQ(status(get("/secret/api/ask")), 405);
  for (const char* path :
       {"/secret/api/", "/secret/api/runs/", "/secret/api/runs/x", "/secret/api/runs/-1",
        "/secret/api/runs/99999999999999999999999", "/secret/api/runs/7"})
    EXPECT_EQ(status(get(path)), 404) << path;
}

}  // namespace
}  // namespace modicum::site_test
