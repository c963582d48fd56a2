#include "modicum/release/everyday_release.h"

#include <algorithm>
#include <cmath>

#include "release/everyday/everyday_intervals.h"
#include "release/everyday/everyday_layout.h"

namespace modicum {
namespace {

struct Estimate {
  double value, lower, upper;
};

Estimate scaled(const Estimate& z, double offset, double scale) {
  return {offset + scale * z.value, offset + scale * z.lower, offset + scale * z.upper};
}

Estimate clamped(const Estimate& e, double low, double high) {
  return {std::clamp(e.value, low, high), std::clamp(e.lower, low, high),
          std::clamp(e.upper, low, high)};
}

// Whole numbers: the interval holds a whole number if and only if its rounded ends do.
Estimate whole(const Estimate& e) {
  return {std::round(e.value), std::ceil(e.lower), std::floor(e.upper)};
}

// From the numbers of one group, with noise or without.
class GroupEstimates {
 public:
  /// `deviation` 0: the truth.
  GroupEstimates(const EverydayPlan& plan, const double* numbers, double deviation)
      : plan_(plan),
        layout_(plan),
        numbers_(numbers),
        deviation_(deviation),
        half_grid_(deviation > 0.0 ? 0.5 * plan.noise.grid : 0.0) {}

  Estimate count() const {
    const double value = numbers_[0], wide = own_reach();
    return whole(clamped({value, value - wide, value + wide}, 0.0, HUGE_VAL));
  }

  // Before it is clamped or rounded, in the units of the file: the same for every count or sum.
  double half_width(std::size_t column) const {
    return plan_.statistic == Everyday::count ? own_reach()
                                              : own_reach() * layout_.scale(range(column));
  }

  Estimate of(std::size_t column) const {
    switch (plan_.statistic) {
      case Everyday::count:
        return count();
      case Everyday::sum:
        return sum(column);
      case Everyday::mean:
        return scaled(ratio(layout_.total(column), reach(1)), layout_.offset(range(column)),
                      layout_.scale(range(column)));
      case Everyday::variance:
        return variance(column);
      case Everyday::standard_deviation:
        break;
    }
    const Estimate square = variance(column);
    return {std::sqrt(square.value), std::sqrt(square.lower), std::sqrt(square.upper)};
  }

 private:
  const Range& range(std::size_t column) const { return plan_.question.ranges[column]; }
  // So wide that each of `statements` normal numbers stays within it, all at once, with the level.
  double reach(double statements) const {
    return normal_reach(1.0 - (1.0 - plan_.question.level) / statements);
  }

  // Of a number that is released as it is, with noise.
  double own_reach() const {
    if (plan_.whole && deviation_ > 0.0) return plan_.whole->reach;
    return reach(1) * deviation_ + half_grid_;
  }

  Estimate sum(std::size_t column) const {
    const double value = numbers_[layout_.total(column)], wide = own_reach();
    const Estimate found = clamped(
        scaled({value, value - wide, value + wide}, 0.0, layout_.scale(range(column))),
        range(column).low >= 0.0 ? 0.0 : -HUGE_VAL, range(column).high <= 0.0 ? 0.0 : HUGE_VAL);
    return plan_.question.integers ? whole(found) : found;
  }

  // A sum over the number of rows, between -1 and 1. Of no rows: the middle.
  Estimate ratio(std::size_t place, double wide) const {
    const double total = numbers_[place], rows = numbers_[0] / plan_.count_weight;
    const double value = rows >= 1.0 ? total / rows : (deviation_ > 0.0 ? total : 0.0);
    const double own = deviation_ + half_grid_;
    const Interval interval = deviation_ > 0.0
                                  ? ratio_interval(total, own, rows, own / plan_.count_weight, wide)
                                  : Interval{value, value};
    // A value between its bounds, where clamping or rounding left it beside them.
    const double inside = std::clamp(value, -1.0, 1.0);
    return {std::clamp(inside, interval.lower, interval.upper), interval.lower, interval.upper};
  }

  // Of z: E z^2 - (E z)^2. Two statements at half the risk each.
  Estimate variance(std::size_t column) const {
    const Estimate mean = ratio(layout_.total(column), reach(2));
    const Estimate square = ratio(layout_.square(column), reach(2));
    const double least = mean.lower <= 0.0 && mean.upper >= 0.0
                             ? 0.0
                             : std::min(std::abs(mean.lower), std::abs(mean.upper));
    const double largest = std::max(std::abs(mean.lower), std::abs(mean.upper));
    const Estimate found =
        clamped({square.value + 0.5 - mean.value * mean.value,
                 square.lower + 0.5 - largest * largest, square.upper + 0.5 - least * least},
                0.0, 1.0);
    const double scale = layout_.scale(range(column));
    return scaled(found, 0.0, scale * scale);
  }

  const EverydayPlan& plan_;
  EverydayLayout layout_;
  const double* numbers_;
  double deviation_, half_grid_;
};

Eigen::MatrixXd estimates(const EverydayPlan& plan, const std::vector<double>& numbers,
                          double deviation) {
  const std::size_t columns = std::max<std::size_t>(plan.question.columns.size(), 1);
  const std::size_t size = EverydayLayout(plan).size(), groups = numbers.size() / size;
  Eigen::MatrixXd values(static_cast<Eigen::Index>(groups * columns), 3);
  for (std::size_t group = 0; group < groups; ++group) {
    const GroupEstimates own(plan, numbers.data() + group * size, deviation);
    for (std::size_t column = 0; column < columns; ++column) {
      const Estimate found = own.of(column);
      values.row(static_cast<Eigen::Index>(group * columns + column)) << found.value, found.lower,
          found.upper;
    }
  }
  return values;
}

// Leaves out the groups below the threshold.
std::vector<std::string> keep_shown(const EverydayPlan& plan,
                                    const std::vector<std::string>& groups,
                                    std::vector<double>& numbers) {
  const std::size_t size = EverydayLayout(plan).size();
  std::vector<std::string> names;
  std::vector<double> kept;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(i * size);
    if (!(*first >= *plan.shown_from)) continue;
    names.push_back(groups[i]);
    kept.insert(kept.end(), first, first + static_cast<std::ptrdiff_t>(size));
  }
  numbers = std::move(kept);
  return names;
}

std::vector<double> draw_whole_counts(const WholeNoise& noise,
                                      const std::vector<Integer128>& counts, RandomSource& source) {
  const WholeNoiseSampler sampler(noise);
  std::vector<double> drawn;
  for (const Integer128 count : counts)
    drawn.push_back(static_cast<double>(count + sampler.draw(source)));
  return drawn;
}

}  // namespace

Released release_everyday(const EverydayPlan& plan, const EverydaySums& sums,
                          RandomSource& source) {
  VectorNoisePlan noise = plan.noise;
  if (plan.shown_from) noise.dimension = static_cast<double>(sums.entries.size());
  std::vector<double> drawn = plan.whole
                                  ? draw_whole_counts(plan.whole->noise, sums.entries, source)
                                  : draw_vector(noise, {sums.grid, sums.entries, {}}, source);
  std::vector<std::string> names =
      plan.shown_from ? keep_shown(plan, sums.groups, drawn) : plan.question.groups.names();
  Certificate certificate = plan.certificate;
  if (plan.statistic != Everyday::count && plan.count_weight > 0.0) {
    const std::size_t size = EverydayLayout(plan).size();
    std::vector<double> counts;
    for (std::size_t i = 0; i < drawn.size(); i += size)
      counts.push_back(drawn[i] / plan.count_weight);
    certificate.set("released_counts", counts);
  }
  return {plan.question.row_names(names),
          {"value", "lower", "upper"},
          estimates(plan, drawn, noise.standard_deviation.value()),
          std::move(certificate)};
}

std::vector<std::string> everyday_names(const EverydayPlan& plan, const EverydaySums& sums) {
  return plan.shown_from ? plan.question.row_names(sums.groups) : plan.question.row_names();
}

Eigen::VectorXd everyday_truth(const EverydayPlan& plan, const EverydaySums& sums) {
  std::vector<double> numbers;
  for (const Integer128 entry : sums.entries)
    numbers.push_back(static_cast<double>(entry) * sums.grid);
  return estimates(plan, numbers, 0.0).col(0);
}

std::vector<ExpectedNoise> expected_noise(const EverydayPlan& plan,
                                          const std::vector<double>& rows) {
  const EverydayLayout layout(plan);
  const double deviation = plan.noise.standard_deviation.value();
  std::vector<double> numbers(layout.size(), 0.0);
  const GroupEstimates made_up(plan, numbers.data(), deviation);
  if (plan.statistic == Everyday::count)
    return {{"", std::nullopt, deviation, made_up.half_width(0)}};
  std::vector<ExpectedNoise> all;
  for (std::size_t column = 0; column < plan.question.columns.size(); ++column) {
    const std::string& name = plan.question.columns[column];
    if (plan.statistic == Everyday::sum) {
      all.push_back({name, std::nullopt, deviation * layout.scale(plan.question.ranges[column]),
                     made_up.half_width(column)});
      continue;
    }
    for (const double count : rows) {
      numbers[0] = count * plan.count_weight;
      // z is uniform on [-1, 1]: its squares are 1/3 on average, less the 1/2 of the layout.
      if (layout.has_squares()) numbers[layout.square(column)] = -count / 6.0;
      const Estimate found = made_up.of(column);
      all.push_back({name, count, std::nullopt, 0.5 * (found.upper - found.lower)});
    }
  }
  return all;
}

std::optional<std::size_t> groups_like_empty(const EverydayPlan& plan, const Released& released) {
  if (plan.statistic == Everyday::count)
    return static_cast<std::size_t>((released.values.col(1).array() <= 0.0).count());
  const ParameterValue* counts = released.certificate.find("released_counts");
  if (!counts) return {};
  const double deviation = *plan.noise.standard_deviation / plan.count_weight;
  const double wide = normal_reach(plan.question.level) * deviation;
  const auto& all = std::get<std::vector<double>>(*counts);
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](double count) { return !(count > wide); }));
}

}  // namespace modicum
