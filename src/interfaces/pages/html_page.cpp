#include "interfaces/pages/html_page.h"

#include <fmt/format.h>

#include "interfaces/chart/chart_axis.h"
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
body {{ font-family: sans-serif; color: #222; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; line-height: 1.45; }}
h1 {{ font-size: 1.5rem; }} h2 {{ font-size: 1.15rem; margin-top: 2rem; }}
.confidential {{ background: #8b0000; color: #fff; padding: 0.6rem 1rem; font-weight: bold; }}
table {{ border-collapse: collapse; }} th, td {{ text-align: left; padding: 0.2rem 1.2rem 0.2rem 0; border-bottom: 1px solid #ddd; }}
label {{ display: block; margin: 0.5rem 0; }} label span {{ display: inline-block; min-width: 16rem; }}
input {{ font: inherit; width: 10rem; }} button {{ font: inherit; margin-top: 0.6rem; }}
.answer {{ background: #eef4f8; padding: 0.6rem 1rem; margin-top: 1rem; }}
.note {{ color: #555; font-size: 0.92rem; }}
svg {{ max-width: 100%; height: auto; }}
</style>
</head>
<body>
<h1>{0}</h1>
{1}</body>
</html>
)",
      html_text(title), body);
}

}  // namespace modicum
