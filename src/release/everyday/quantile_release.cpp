#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "modicum/mechanisms/bounded_range.h"
#include "modicum/numerics/errors.h"
#include "release/certificates/public_certificate.h"
#include "release/descriptions/mechanisms.h"
#include "release/everyday/everyday_layout.h"
#include "release/everyday/everyday_sensitivity.h"
#include "release/everyday/everyday_terms.h"
#include "release/everyday/grouped_rows.h"
#include "release/everyday/joint_noise.h"

namespace modicum {
namespace {

using Weight = Integer128;

constexpr std::uint32_t steps = 1U << 20;   // between the ends of a grid, and parts of a level
constexpr double computed_range = 0x1p-40;  // what rounded weights add to a range, see below

// The points of the grid of one column.
struct PointGrid {
  double first, step;
  std::uint32_t last;  // points are first + k step, 0 <= k <= last

  PointGrid(const Range& range, bool integers)
      : first(integers ? std::ceil(range.low) : range.low),
        step(integers ? 1.0 : (range.high - range.low) / steps),
        last(steps) {
    if (!(std::isnormal(step)))
      throw InvalidParameter("bounds", range.high,
                             "must have 2^20 numbers between it and the low one, all finite");
    if (!integers) return;
    const double count = std::floor(range.high) - first;
    if (!(count >= 0.0 && count <= steps))
      throw InvalidParameter("bounds", range.high,
                             "must hold a whole number, and at most 2^20 of them, for integers");
    last = static_cast<std::uint32_t>(count);
  }
  std::uint32_t nearest(double value) const {
    return static_cast<std::uint32_t>(
        std::clamp(std::round((value - first) / step), 0.0, static_cast<double>(last)));
  }
  double point(std::uint32_t k) const { return first + static_cast<double>(k) * step; }
};

// Points that have the same numbers of rows below and above them.
struct Run {
  std::uint32_t first, width;
  std::int64_t score;  // minus |(1 - q) below - q above|, times 2^20
};

std::vector<Run> runs_of(const std::vector<std::uint32_t>& sorted, std::uint32_t last,
                         std::int64_t level) {
  const auto rows = static_cast<std::int64_t>(sorted.size());
  const auto score = [&](std::int64_t below, std::int64_t above) {
    return -std::abs((steps - level) * below - level * above);
  };
  std::vector<Run> runs;
  std::uint32_t next = 0;  // the first point that no run has yet
  for (std::size_t i = 0; i < sorted.size();) {
    const std::uint32_t here = sorted[i];
    std::size_t after = i;
    while (after < sorted.size() && sorted[after] == here) ++after;
    const auto below = static_cast<std::int64_t>(i), upto = static_cast<std::int64_t>(after);
    if (here > next) runs.push_back({next, here - next, score(below, rows - below)});
    runs.push_back({here, 1, score(below, rows - upto)});
    next = here + 1;
    i = after;
  }
  if (next <= last) runs.push_back({next, last - next + 1, score(rows, 0)});
  return runs;
}

Weight uniform_below(Weight end, RandomSource& source) {
  int bits = 0;
  while (bits < 126 && (Weight{1} << bits) < end) ++bits;
  const Weight mask = (Weight{1} << bits) - 1;
  for (;;) {
    const Weight high = source.next(), low = source.next();
    const Weight drawn = ((high << 64) | low) & mask;
    if (drawn < end) return drawn;
  }
}

// A point with probability proportional to c exp(r max) + exp(r score), r = range / (2
// sensitivity). The logarithm of each moves by range/2 at most with a row, as score and maximum do
// by the sensitivity, so that this has the range of the exponential mechanism, too. Here it is a
// whole number, 2^56 + 2^104 exp(r (score
// - max)) rounded: off by 2^-43 relatively, as r (score - max) >= -73 has an error below 2^-45 and
// less does not count beside 2^56. Two such numbers and two sums of them: 2^-40 in the loss.
std::uint32_t drawn_point(const std::vector<Run>& runs, double rate, RandomSource& source) {
  std::int64_t largest = runs.front().score;
  for (const Run& run : runs) largest = std::max(largest, run.score);
  std::vector<Weight> weights;
  Weight total = 0;
  for (const Run& run : runs) {
    const double exponent = rate * static_cast<double>(run.score - largest);
    const double scaled = std::ldexp(std::exp(exponent), 104);
    weights.push_back((Weight{1} << 56) + static_cast<Weight>(scaled));
    total += weights.back() * run.width;
  }
  Weight left = uniform_below(total, source);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Weight own = weights[i] * runs[i].width;
    if (left < own) return runs[i].first + static_cast<std::uint32_t>(left / weights[i]);
    left -= own;
  }
  throw Error("a draw beyond all points");
}

std::int64_t parts_of(double level) { return static_cast<std::int64_t>(std::round(level * steps)); }

// What the exponent of a draw is divided by, so that all draws that neighbors change have one range
// together: the largest change of a score, times 2^20; of two groups, that of both.
double sensitivity_of(const EverydayQuestion& question, double level) {
  const auto parts = static_cast<double>(parts_of(level));
  const double added = std::max(parts, steps - parts);
  // Rows of one person add up, in one group or in several.
  const double rows = question.rows_of_one();
  if (question.neighbors == Adjacency::add_remove) return rows * added;
  return rows * (has_several_groups(question) ? 2.0 * added : static_cast<double>(steps));
}

void require_levels(const EverydayQuestion& question, const std::vector<double>& levels) {
  if (levels.empty()) throw InvalidParameter("level", 0.0, "must be given once at least");
  for (const double level : levels)
    if (!(level >= 0.0 && level <= 1.0))
      throw InvalidParameter("level", level, "must lie between 0 and 1");
  if (question.columns.empty())
    throw InvalidParameter("select", 0.0, "must name a column for a quantile");
}

// The largest range of which so many meet the target together.
double calibrated_range(const PrivacyTarget& target, double count) {
  const auto meets = [&](double range) {
    return composed_bounded_range_delta(range, count, target.epsilon).upper() <= target.delta;
  };
  double low = target.epsilon / count, high = low + 40.0;
  if (!(target.delta > 0.0)) return low;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (meets(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

double quantile_draws(const EverydayQuestion& question, const std::vector<double>& levels) {
  return static_cast<double>(question.columns.size() * levels.size());
}

EverydayQuestion question_of_counts(const EverydayQuestion& question) {
  EverydayQuestion counts = question;
  counts.columns.clear();
  counts.ranges.clear();
  counts.integers = false;
  return counts;
}

QuantilePlan plan_quantiles(const PrivacyTarget& target, EverydayQuestion question,
                            std::vector<double> levels) {
  if (question.groups.discovered()) {
    require_levels(question, levels);
    const JointNoise noise = calibrate_joint_noise(target, {QuantileRequest{question, levels}});
    return plan_quantiles(target, noise.achieved, noise.amounts.front(), std::move(question),
                          std::move(levels), noise.counts.front());
  }
  const double count = std::max(quantile_draws(question, levels), 1.0);
  const double proved = calibrated_range(target, count);
  const Enclosure delta = composed_bounded_range_delta(proved, count, target.epsilon);
  return plan_quantiles(target, {target.epsilon, delta, delta, Proof::certified}, proved,
                        std::move(question), std::move(levels));
}

QuantilePlan plan_quantiles(const PrivacyTarget& target, const ProfilePoint& achieved,
                            double proved, EverydayQuestion question, std::vector<double> levels,
                            const std::optional<EverydayTerms>& counts) {
  require_question(question);
  require_levels(question, levels);
  double coarsest = 0.0;
  for (const Range& range : question.ranges)
    coarsest = std::max(coarsest, PointGrid(range, question.integers).step);
  for (double& level : levels) level = static_cast<double>(parts_of(level)) / steps;
  const double range = proved - 2.0 * computed_range;
  if (!(range > 0.0))
    throw CalibrationFailed("epsilon is too small for a quantile by the exponential mechanism");
  // A row is in one group: of each group, as many draws as there are columns and levels.
  const double count = quantile_draws(question, levels);
  Certificate certificate("bounded_range", target, achieved);
  certificate.set("statistic", "quantile");
  certificate.set("levels", levels);
  describe_question(certificate, question);
  certificate.set("range", proved);
  certificate.set("count", count);
  double widest = 0.0;
  for (const double level : levels)
    widest = std::max(widest, sensitivity_of(question, level) / steps);
  const double rank_error =
      2.0 * widest / range * (std::log(steps + 1.0) - std::log1p(-question.level) + 0x1p-20);
  certificate.set("rank_error", rank_error);
  certificate.set("intervals",
                  "none: with the confidence stated, the rank is off by rank_error rows at most");
  certificate.attained = false;
  certificate.theorem = "docs/derivations/everyday.md";
  describe_arithmetic(certificate, Exactness::exact, coarsest);
  Value loss =
      for_neighbors(question.neighbors, description_of(described::BoundedRange{proved}, count));
  std::optional<EverydayPlan> shown;
  if (counts) {
    EverydayQuestion of_counts = question_of_counts(question);
    const double sensitivity = everyday_sensitivity(Everyday::count, of_counts);
    shown = plan_everyday(target, achieved, *counts, Everyday::count, std::move(of_counts));
    certificate.set("count_standard_deviation", counts->standard_deviation);
    for (const char* name : {"threshold", "new_group_probability"})
      certificate.set(name, *shown->certificate.find(name));
    loss = described::composition_of(
        {description_of_terms(*counts, sensitivity, question.neighbors), std::move(loss)});
  }
  describe_loss(certificate, std::move(loss));
  return {std::move(question), std::move(levels),      range,
          rank_error,          std::move(certificate), std::move(shown)};
}

Value question_of(const QuantilePlan& plan) {
  return Value{{"sums", "points"}, {"question", to_value(plan.question)}};
}

namespace {

using Points = std::vector<std::vector<std::uint32_t>>;
using PointCells = std::map<std::vector<std::string>, Points>;

std::vector<PointGrid> grids_of(const EverydayQuestion& question) {
  std::vector<PointGrid> grids;
  for (const Range& range : question.ranges) grids.emplace_back(range, question.integers);
  return grids;
}

PointCells read_cells(const Table& table, const EverydayQuestion& question,
                      const ReadOptions& options, RandomSource* choosing) {
  const std::vector<PointGrid> grids = grids_of(question);
  PointCells all;
  for_each_grouped_block(table, question, options, choosing, [&](const GroupedBlock& block) {
    return [&all, &grids, block] {
      for (std::size_t i = 0; i < block.cells.size(); ++i) {
        Points& own = all[block.cells[i]];
        own.resize(grids.size());
        for (std::size_t j = 0; j < grids.size(); ++j)
          own[j].push_back(grids[j].nearest(
              block.numbers(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j))));
      }
    };
  });
  return all;
}

// Of public groups.
Points read_points(const Table& table, const EverydayQuestion& question, const ReadOptions& options,
                   RandomSource* choosing) {
  const std::size_t columns = question.columns.size();
  const std::vector<PointGrid> grids = grids_of(question);
  Points points(question.groups.size() * columns);
  for_each_grouped_block(table, question, options, choosing, [&](const GroupedBlock& block) {
    return [&points, &grids, columns, block] {
      for (std::size_t i = 0; i < block.groups.size(); ++i)
        for (std::size_t j = 0; j < columns; ++j)
          points[block.groups[i] * columns + j].push_back(grids[j].nearest(
              block.numbers(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j))));
    };
  });
  return points;
}

// In sums: group after group, column after column; 2^21 places are more than a grid has points. Of
// discovered groups the column and the point are two names more.
constexpr std::uint64_t places_of_grid = std::uint64_t{2} * steps;

[[noreturn]] void refuse_points() {
  throw Error("gathered pieces answer for other points; nothing is released");
}

void add_points(std::vector<std::uint32_t>& points, std::uint64_t point, Integer128 count,
                const PointGrid& grid) {
  if (count < 0 || count > Integer128{1} << 40 || point > grid.last) refuse_points();
  points.insert(points.end(), static_cast<std::size_t>(count), static_cast<std::uint32_t>(point));
}

std::uint64_t place_in_text(const std::string& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, number).ptr != end || text.empty()) refuse_points();
  return number;
}

Points points_of(const WholeSums& sums, const EverydayQuestion& question) {
  const std::vector<PointGrid> grids = grids_of(question);
  Points points(question.groups.size() * grids.size());
  for (const auto& [place, count] : sums.points) {
    const std::uint64_t own = place / places_of_grid;
    if (own >= points.size()) refuse_points();
    add_points(points[own], place % places_of_grid, count, grids[own % grids.size()]);
  }
  return points;
}

PointCells cells_of(const WholeSums& sums, const EverydayQuestion& question) {
  const std::vector<PointGrid> grids = grids_of(question);
  PointCells cells;
  for (const auto& [names, counts] : sums.groups) {
    if (names.size() != question.groups.columns.size() + 2 || counts.size() != 1) refuse_points();
    const std::uint64_t column = place_in_text(names[names.size() - 2]);
    if (column >= grids.size()) refuse_points();
    Points& own = cells[std::vector<std::string>(names.begin(), names.end() - 2)];
    own.resize(grids.size());
    add_points(own[column], place_in_text(names.back()), counts.front(), grids[column]);
  }
  return cells;
}

}  // namespace

QuantileValues collect_quantiles(const Table& table, const QuantilePlan& plan,
                                 const ReadOptions& options, RandomSource* choosing) {
  const EverydayQuestion& question = plan.question;
  const auto sums = [&] {
    return grouped_sums_over(table, question, question_of(plan), 0, nullptr);
  };
  QuantileValues values;
  if (question.groups.discovered()) {
    for (auto& [cell, points] : table.elsewhere()
                                    ? cells_of(sums(), question)
                                    : read_cells(table, question, options, choosing)) {
      values.groups.push_back(joined_name(cell));
      for (const std::vector<std::uint32_t>& each : points) values.points.push_back(each);
    }
  } else {
    values.points = table.elsewhere() ? points_of(sums(), question)
                                      : read_points(table, question, options, choosing);
  }
  for (std::vector<std::uint32_t>& each : values.points) std::sort(each.begin(), each.end());
  return values;
}

WholeSums answer_points(const Table& table, const Value& asked, const ReadOptions& options,
                        RandomSource& choosing) {
  const EverydayQuestion question = everyday_question_in(asked.at("question"));
  WholeSums sums;
  if (question.groups.discovered()) {
    for (const auto& [cell, points] : read_cells(table, question, options, &choosing))
      for (std::size_t j = 0; j < points.size(); ++j)
        for (const std::uint32_t point : points[j]) {
          std::vector<std::string> names = cell;
          names.push_back(std::to_string(j));
          names.push_back(std::to_string(point));
          std::vector<Integer128>& counted = sums.groups[std::move(names)];
          counted.resize(1);
          ++counted.front();
        }
    return sums;
  }
  const Points points = read_points(table, question, options, &choosing);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (const std::uint32_t point : points[i]) ++sums.points[i * places_of_grid + point];
  return sums;
}

namespace {

// For each group, column and level what `choose` says of the runs.
template <class Choose>
std::vector<double> each_quantile(const QuantilePlan& plan, const QuantileValues& values,
                                  const Choose& choose) {
  const std::size_t columns = plan.question.columns.size();
  std::vector<double> found;
  for (std::size_t place = 0; place < values.points.size(); ++place) {
    const PointGrid grid(plan.question.ranges[place % columns], plan.question.integers);
    for (const double level : plan.levels)
      found.push_back(
          grid.point(choose(runs_of(values.points[place], grid.last, parts_of(level)), level)));
  }
  return found;
}

}  // namespace

namespace {

// The groups whose noisy number of rows reaches the threshold, and these numbers.
struct ShownGroups {
  QuantileValues values;
  std::vector<double> counts;
};
ShownGroups shown_groups(const QuantilePlan& plan, const QuantileValues& all,
                         RandomSource& source) {
  const std::size_t columns = plan.question.columns.size();
  EverydaySums sums;
  for (std::size_t i = 0; i < all.groups.size(); ++i)
    sums.entries.push_back(static_cast<Integer128>(all.points[i * columns].size()));
  VectorNoisePlan noise = plan.counts->noise;
  noise.dimension = static_cast<double>(sums.entries.size());
  const std::vector<double> drawn = draw_vector(noise, {sums.grid, sums.entries, {}}, source);
  ShownGroups shown;
  for (std::size_t i = 0; i < all.groups.size(); ++i) {
    if (!(drawn[i] >= *plan.counts->shown_from)) continue;
    shown.counts.push_back(drawn[i]);
    shown.values.groups.push_back(all.groups[i]);
    for (std::size_t j = 0; j < columns; ++j)
      shown.values.points.push_back(all.points[i * columns + j]);
  }
  return shown;
}

}  // namespace

Released release_quantiles(const QuantilePlan& plan, const QuantileValues& all,
                           RandomSource& source) {
  Certificate certificate = plan.certificate;
  QuantileValues shown;
  if (plan.counts) {
    ShownGroups groups = shown_groups(plan, all, source);
    certificate.set("released_counts", groups.counts);
    shown = std::move(groups.values);
  }
  const QuantileValues& values = plan.counts ? shown : all;
  const std::vector<double> found =
      each_quantile(plan, values, [&](const std::vector<Run>& runs, double level) {
        return drawn_point(runs, plan.range / (2.0 * sensitivity_of(plan.question, level)), source);
      });
  Released released{
      quantile_names(plan, values), {"value", "lower", "upper"}, {}, std::move(certificate)};
  released.has_gaps = true;
  released.values.setConstant(static_cast<Eigen::Index>(found.size()), 3, std::nan(""));
  for (std::size_t i = 0; i < found.size(); ++i)
    released.values(static_cast<Eigen::Index>(i), 0) = found[i];
  return released;
}

std::vector<std::string> quantile_names(const QuantilePlan& plan, const QuantileValues& values) {
  std::vector<std::string> names;
  for (const std::string& name :
       plan.counts ? plan.question.row_names(values.groups) : plan.question.row_names())
    for (const double level : plan.levels)
      names.push_back(plan.levels.size() == 1 ? name : fmt::format("{}: {}", name, level));
  return names;
}

Eigen::VectorXd quantile_truth(const QuantilePlan& plan, const QuantileValues& values) {
  const std::vector<double> found =
      each_quantile(plan, values, [](const std::vector<Run>& runs, double) {
        return std::max_element(runs.begin(), runs.end(),
                                [](const Run& a, const Run& b) { return a.score < b.score; })
            ->first;
      });
  return Eigen::Map<const Eigen::VectorXd>(found.data(), static_cast<Eigen::Index>(found.size()));
}

}  // namespace modicum
