#include "interfaces/chart/chart_axis.h"

#include <fmt/format.h>

#include <stdexcept>

#include "data/cells/text_character.h"

namespace modicum::chart_detail {
namespace {

constexpr double smallest_span = 1e-300;  // keeps every tick step a normal number
constexpr double slack = 1e-9;            // forgives rounding when a value sits on a tick

// One entry a character, safe in XML; what may not be shown becomes spaces, one a byte.
std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> result;
  for (std::size_t length = 1; !text.empty(); text.remove_prefix(length)) {
    const char lead = text[0];
    const std::size_t shown = shown_character(text);
    length = std::max<std::size_t>(shown, 1);
    if (shown == 0) result.emplace_back(" ");
    else if (lead == '&') result.emplace_back("&amp;");
    else if (lead == '<') result.emplace_back("&lt;");
    else if (lead == '>') result.emplace_back("&gt;");
    else if (lead == '"') result.emplace_back("&quot;");
    else result.emplace_back(text.substr(0, length));
  }
  return result;
}

std::string signed_text(const std::string& number) {  // with a typographic minus
  return number.starts_with('-') ? "−" + number.substr(1) : number;
}

int leading_exponent(double value) {
  return static_cast<int>(std::floor(std::log10(value) + slack));
}

// The smallest of 1, 2, 5, 10, ... times a power of ten that cuts `span` into at most `most` parts.
double nice_step(double span, int most) {
  const double power = std::pow(10.0, std::floor(std::log10(span / most)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power * most >= span * (1.0 - slack)) return digit * power;
  return 10.0 * power;
}

// Plain numbers near one, elsewhere multiples of one power of ten.
std::vector<Tick> linear_ticks(double lower, double upper, int most) {
  std::vector<Tick> ticks;
  if (!(upper - lower > smallest_span)) return ticks;
  const double step = nice_step(upper - lower, most);
  const int leading = leading_exponent(std::max(std::abs(lower), std::abs(upper)));
  const int exponent = leading > 4 || leading < -3 ? leading : 0;
  const int decimals = std::max(0, exponent - leading_exponent(step));
  for (double index = std::ceil(lower / step - slack); index <= upper / step + slack; ++index) {
    const double value = index * step, mantissa = value / std::pow(10.0, exponent);
    const std::string text = signed_text(fmt::format("{:.{}f}", mantissa, decimals));
    if (index == 0.0) ticks.push_back({0.0, "0", ""});
    else if (exponent == 0) ticks.push_back({value, text, ""});
    else ticks.push_back({value, text + "×10", signed_text(std::to_string(exponent))});
  }
  return ticks;
}

// 2 times 10^-1 as 0.2; far from one as 2x10^-9.
Tick digit_tick(double position, int digit, int decade) {
  if (decade < -3 || decade > 4)
    return {position, fmt::format("{}×10", digit), signed_text(std::to_string(decade))};
  return {position, fmt::format("{:.{}f}", digit * std::pow(10.0, decade), std::max(0, -decade)),
          ""};
}

// Powers of ten, thinned to about `most` labels; within two decades also 2 and 5 times these, and a
// range within one decade is labeled as linear.
std::vector<Tick> logarithmic_ticks(double lower, double upper, int most) {
  std::vector<Tick> ticks;
  if (upper - lower < 1.0 + slack) {
    ticks = linear_ticks(std::pow(10.0, lower), std::pow(10.0, upper), most);
    for (Tick& tick : ticks) tick.position = std::log10(tick.position);
    return ticks;
  }
  const bool few = upper - lower < 2.0 && 3.0 * (upper - lower) + 1.0 <= most;
  int stride = 100;
  for (const int candidate : {50, 20, 10, 5, 3, 2, 1})
    if (upper - lower <= candidate * most) stride = candidate;
  for (int decade = static_cast<int>(std::floor(lower)); decade <= upper + slack; ++decade)
    for (int digit = 1; digit <= (stride == 1 ? 9 : 1); ++digit) {
      const double position = decade + std::log10(digit);
      if (position < lower - slack || position > upper + slack) continue;
      if (few && (digit == 1 || digit == 2 || digit == 5))
        ticks.push_back(digit_tick(position, digit, decade));
      else if (digit == 1 && decade % stride == 0)
        ticks.push_back({position, "10", signed_text(std::to_string(decade))});
      else if (stride <= 10) ticks.push_back({position, "", ""});
    }
  return ticks;
}

}  // namespace

std::string escaped(std::string_view text) {
  return fmt::format("{}", fmt::join(characters(text), ""));
}

double text_width(std::string_view text, double size) {
  return 0.56 * size * static_cast<double>(characters(text).size());
}

std::string fitted_text(std::string_view text, double size, double room, std::string_view place) {
  if (text.empty()) return "";
  auto shown = characters(text);
  const auto most = static_cast<std::size_t>(std::max(1.0, room / text_width("m", size) + slack));
  if (shown.size() > most) {
    shown.resize(most);
    shown.back() = "…";
  }
  return fmt::format("<text {} font-size='{:.1f}'>{}</text>\n", place, size, fmt::join(shown, ""));
}

std::vector<Tick> make_ticks(const Scale& scale, int most) {
  return scale.kind == AxisScale::linear ? linear_ticks(scale.lower, scale.upper, most)
                                         : logarithmic_ticks(scale.lower, scale.upper, most);
}

Scale make_scale(const Axis& axis, const std::vector<double>& values, int most) {
  const bool linear = axis.scale == AxisScale::linear;
  Scale scale{axis.scale, linear ? 0.0 : -1.0, linear ? 1.0 : 0.0, {}};
  const auto distinct = [](double lower, double upper) {
    return upper - lower > std::max(slack * std::max(-lower, upper), smallest_span);
  };
  std::vector<double> positions;
  for (const double value : values)
    if (scale.shows(value)) positions.push_back(scale.position(value));
  if (axis.range) {
    const auto [lower, upper] = *axis.range;
    scale.lower = scale.position(lower), scale.upper = scale.position(upper);
    if (!(scale.shows(lower) && scale.shows(upper) && distinct(scale.lower, scale.upper)))
      throw std::invalid_argument(
          fmt::format("axis \"{}\" cannot show the range {} to {}", axis.label, lower, upper));
  } else if (!positions.empty()) {
    auto [lower, upper] = std::ranges::minmax(positions);
    if (!distinct(lower, upper)) {  // a constant stands mid-picture
      const double room = linear && lower != 0.0 ? std::max(0.1 * std::abs(lower), 1e-290) : 0.5;
      lower -= room, upper += room;
    }
    const double step = linear ? nice_step(upper - lower, most) : 1.0;
    scale.lower = step * std::floor(lower / step + slack);
    scale.upper = step * std::ceil(upper / step - slack);
  }
  scale.ticks = make_ticks(scale, most);
  return scale;
}

}  // namespace modicum::chart_detail
