// What every picture must satisfy, and ways to look into one.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace modicum::testing {

/// Every tag closes in order, attributes are quoted, and no stray < or & remains in the text.
inline bool well_formed(std::string_view document) {
  std::vector<std::string_view> open;
  for (std::size_t at = document.find('<'); at != document.npos; at = document.find('<', at)) {
    const std::size_t end = document.find('>', at);
    if (end == document.npos) return false;
    const std::string_view tag = document.substr(at + 1, end - at - 1);
    const std::string_view name = tag.substr(0, tag.find_first_of(" /\n", 1));
    if (tag.find('<') != tag.npos || std::ranges::count(tag, '\'') % 2 != 0) return false;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(name);
    }
    at = end;
  }
  for (std::size_t at = document.find('&'); at != document.npos; at = document.find('&', at + 1))
    if (document.substr(at, 8).find(';') == document.npos) return false;
  return open.empty();
}

inline int count(std::string_view text, std::string_view part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

inline void expect_clean(const std::string& svg) {
  EXPECT_TRUE(well_formed(svg)) << svg;
  EXPECT_EQ(count(svg, "nan"), 0) << svg;
  EXPECT_EQ(count(svg, "inf"), 0) << svg;
}

/// What stands between `from` and `to`, at `start` or later.
inline std::string part_between(const std::string& text, const std::string& from,
                                const std::string& to, std::size_t start = 0) {
  const std::size_t begin = text.find(from, start);
  if (begin == text.npos) return "";
  return text.substr(begin + from.size(), text.find(to, begin + from.size()) - begin - from.size());
}

}  // namespace modicum::testing
