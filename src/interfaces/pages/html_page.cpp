#include "interfaces/pages/html_page.h"

#include <fmt/format.h>

#include "interfaces/chart/chart_axis.h"
#include "interfaces/pages/page_files.h"
#include "modicum/data/json.h"

namespace modicum {

std::string html_text(std::string_view text) { return chart_detail::escaped(text); }

std::string json_in_html(const Value& value) {
  std::string out;
  for (const char c : json_line(value)) {
    if (c == '<') out += "\\u003c";
    else out += c;
  }
  return out;
}

std::string html_table(const std::vector<std::vector<std::string>>& rows) {
  std::string out = "<table>\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += "<tr>";
    for (const std::string& cell : rows[i])
      out += fmt::format("<{0}>{1}</{0}>", i == 0 ? "th" : "td", html_text(cell));
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; form-action 'none'; base-uri 'none'">
<title>{0}</title>
<style>
{2}</style>
</head>
<body>
<main class="paper">
<h1>{0}</h1>
{1}</main>
</body>
</html>
)",
      html_text(title), body, page_file("style.css"));
}

}  // namespace modicum
