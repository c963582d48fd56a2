#include "interfaces/pages/html_page.h"

#include <gtest/gtest.h>

#include "modicum/data/json.h"

namespace modicum::testing::html_page_test {
namespace {

TEST(HtmlPage, TextCannotBecomeMarkup) {
  EXPECT_EQ(html_text("<a b=\"&\">"), "&lt;a b=&quot;&amp;&quot;&gt;");
  const std::string text = json_in_html({{"</script>", "<!--"}});
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(parse_json(text), Value({{"</script>", "<!--"}}));
}

}  // namespace
}  // namespace modicum::testing::html_page_test
