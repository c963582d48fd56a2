// release vector: sums, means, histograms, and vectors computed elsewhere.
#include <fmt/format.h>

#include "data/cells/number_text.h"
#include "interfaces/release/release.h"
#include "interfaces/release/sensitivity_neighbors.h"
#include "modicum/release/vector_release.h"

namespace modicum {
namespace {

const Choices<VectorNoise>& vector_noises() {
  static const Choices<VectorNoise> all{
      {"gaussian", VectorNoise::gaussian, "the default"},
      {"l2", VectorNoise::l2, "density proportional to exp(-|x| / scale)"},
      {"spherical", VectorNoise::spherical, "of least error among spherical noise"},
      {"optimal", VectorNoise::optimal, "two numbers: the least noise there is for them"}};
  return all;
}

// What is released, with what it needs. Each says so itself.

struct SumOfRows {
  RowChoice rows = {};
  void fields(Fields& fields) {
    rows.column_fields(fields);
    rows.norm_field(fields);
  }
};

struct MeanOfRows {
  RowChoice rows = {};
  std::optional<double> public_rows = {};
  void fields(Fields& fields) {
    rows.column_fields(fields);
    rows.norm_field(fields);
    fields.add("rows", public_rows, "how many rows there are, if that is public");
  }
};

struct HistogramOfColumn {
  std::vector<std::string> select = {};
  std::string categories = {}, edges = {};
  void fields(Fields& fields) {
    fields.add("select", select, "the column").required();
    fields.add("categories", categories, "public values to count, with commas between them");
    fields.add("edges", edges, "public edges of intervals to count in, rising, with commas");
  }
};

struct GivenVector {
  double sensitivity = 0.0;
  SensitivityNeighbors about = {};
  void fields(Fields& fields) {
    fields
        .add("sensitivity", sensitivity,
             "largest Euclidean distance of the vectors on neighboring data sets")
        .required();
    about.fields(fields);
  }
};

using StatisticChoice = std::variant<SumOfRows, MeanOfRows, HistogramOfColumn, GivenVector>;

struct VectorJob {
  TableRelease release = {};
  StatisticChoice statistic = SumOfRows{};
  VectorNoise noise = VectorNoise::gaussian;

  void fields(Fields& fields) {
    static const Methods<StatisticChoice> statistics{
        {"sum", SumOfRows{}, "of the rows"},
        {"mean", MeanOfRows{}, "of the rows, with their number unless that is public"},
        {"histogram", HistogramOfColumn{}, "how many rows fall into public bins of one column"},
        {"given", GivenVector{}, "a vector that was computed elsewhere"}};
    release.fields(fields);
    fields.methods("statistic", statistic, statistics, "what to release",
                   [](const Fields&) { return "sum"; });
    fields.choice("noise", noise, vector_noises(), "of the release");
  }
};

Eigen::VectorXd in_doubles(const std::vector<Integer128>& multiples, double grid) {
  Eigen::VectorXd result(static_cast<Eigen::Index>(multiples.size()));
  for (std::size_t i = 0; i < multiples.size(); ++i)
    result[static_cast<Eigen::Index>(i)] = static_cast<double>(multiples[i]) * grid;
  return result;
}

std::string in_coordinates(Eigen::Index count) {
  return count == 1 ? "one coordinate" : fmt::format("{} coordinates", count);
}

VectorPlan plan_of(const VectorJob& job, const SumOfRows&, const PublicRows& rows) {
  return planned_with_noise(job.release.budget, [&](const PrivacyTarget& target) {
    return plan_sum(target, rows, job.noise);
  });
}

VectorPlan plan_of(const VectorJob& job, const MeanOfRows& mean, const PublicRows& rows) {
  return planned_with_noise(job.release.budget, [&](const PrivacyTarget& target) {
    return plan_mean(target, rows, job.noise, mean.public_rows);
  });
}

using DrawSum = Released(const VectorPlan&, const IntegerSum&, RandomSource&);

// A sum or a mean.
template <class Statistic>
Planned planned_rows(const VectorJob& job, const Statistic& statistic, const char* what,
                     DrawSum* draw, Progress& progress) {
  const TableSource& source = job.release.source;
  const OpenedTable from(source, statistic.rows);
  progress.begin("calibrating");
  const VectorPlan plan = plan_of(job, statistic, from.rows);
  return {plan.certificate,
          [&source, from, plan, what, draw](RandomSource& random, Progress& reading) -> Outcome {
            reading.begin("reading");
            const IntegerSum sum = accumulate_sum(from.table, from.rule, from.rows.row_norm_bound,
                                                  source.read_options(reading));
            return {draw(plan, sum, random),
                    fmt::format("the {} of {}", what, in_coordinates(from.rows.dimension())),
                    [&source, from, sum](const Released& released, Progress& again) {
                      Diagnostics all =
                          diagnose_rows(from.table, from.rule, from.rows.row_norm_bound,
                                        source.read_options(again));
                      const Diagnostics more =
                          diagnose_vector(released, in_doubles(sum.entries, sum.grid));
                      all.insert(all.end(), more.begin(), more.end());
                      return all;
                    }};
          }};
}

Planned planned(const VectorJob& job, const SumOfRows& sum, Progress& progress) {
  return planned_rows(job, sum, "sum", release_sum, progress);
}

Planned planned(const VectorJob& job, const MeanOfRows& mean, Progress& progress) {
  return planned_rows(job, mean, "mean", release_mean, progress);
}

std::vector<std::string> at_commas(const std::string& text) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == ',') parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

double number_in(const char* name, const std::string& text) {
  const auto value = read_number(text);
  if (!value || !fits_double(*value, text))
    throw InvalidParameter(name, in_quotes(text), "must be a number");
  return *value;
}

Bins bins_of(const HistogramOfColumn& histogram) {
  if (histogram.categories.empty() == histogram.edges.empty())
    throw UsageError("`categories` or `edges` must be given for a histogram, one of the two");
  if (!histogram.categories.empty()) return Bins::of_categories(at_commas(histogram.categories));
  std::vector<double> edges;
  for (const std::string& text : at_commas(histogram.edges))
    edges.push_back(number_in("edges", text));
  return Bins::of_edges(std::move(edges));
}

const std::string& column_of(const HistogramOfColumn& histogram) {
  if (histogram.select.size() != 1)
    throw UsageError("`select` must name one column for a histogram");
  return histogram.select.front();
}

std::vector<std::size_t> read_as_numbers(std::size_t column, const Bins& bins) {
  return bins.edges.empty() ? std::vector<std::size_t>{} : std::vector{column};
}

std::size_t place_in(const Table& table, const std::string& column, const Bins& bins) {
  const std::size_t place = table.index_of("select", column);
  for (const std::size_t number : read_as_numbers(place, bins)) table.require_numbers(number);
  return place;
}

VectorPlan plan_of(const VectorJob& job, const HistogramOfColumn& histogram, const Table& table) {
  return planned_with_noise(job.release.budget, [&](const PrivacyTarget& target) {
    return plan_histogram(target, column_of(histogram), bins_of(histogram), job.noise,
                          job.release.source.bad_rows(), table.assumptions());
  });
}

Planned planned(const VectorJob& job, const HistogramOfColumn& histogram, Progress& progress) {
  const std::string& column = column_of(histogram);
  const Bins bins = bins_of(histogram);
  const TableSource& source = job.release.source;
  const Table table = source.open();
  const std::size_t index = place_in(table, column, bins);
  progress.begin("calibrating");
  const VectorPlan plan = plan_of(job, histogram, table);
  return {plan.certificate,
          [&source, table, column, index, bins, plan](RandomSource& random,
                                                      Progress& reading) -> Outcome {
            reading.begin("reading");
            const std::vector<Integer128> counts =
                count_bins(table, index, bins, source.read_options(reading));
            return {
                release_histogram(plan, counts, random),
                fmt::format("a histogram of {} with {} bins", column, counts.size()),
                [&source, table, index, bins, counts](const Released& released, Progress& again) {
                  Diagnostics all = diagnose_dropped_rows(table, read_as_numbers(index, bins),
                                                          source.read_options(again));
                  const Eigen::VectorXd truth = in_doubles(counts, 1.0);
                  all.push_back({"rows_in_no_bin", all.front().value - truth.sum()});
                  const Diagnostics more = diagnose_vector(released, truth);
                  all.insert(all.end(), more.begin(), more.end());
                  return all;
                }};
          }};
}

Reply explained(const TableSource& source, const HistogramOfColumn& histogram) {
  const Bins bins = bins_of(histogram);
  const Table table = source.open();
  const std::size_t index = place_in(table, column_of(histogram), bins);
  return explained(source, table,
                   {bins.edges.empty()
                        ? ColumnUse{index, "category", "counted where it is one of the categories"}
                        : ColumnUse{index, "number", "a number, counted between the edges"}});
}

Planned planned(const VectorJob& job, const GivenVector& given, Progress& progress) {
  const TableSource& source = job.release.source;
  source.require_plain("a vector from a file");
  const GivenMatrix numbers(source, "given vector");
  if (!numbers.is_vector())
    throw UnreadableFile(fmt::format("{} is no vector: one row or one column", numbers.name()));
  progress.begin("calibrating");
  const VectorPlan plan = planned_with_noise(job.release.budget, [&](const PrivacyTarget& target) {
    return plan_given(target, static_cast<double>(numbers.shape().size()), given.sensitivity,
                      job.noise);
  });
  return given.about.told(
      {plan.certificate, [numbers, plan](RandomSource& random, Progress&) -> Outcome {
         const RowBlock matrix = numbers.read();
         const std::vector<double> answer(matrix.data(), matrix.data() + matrix.size());
         return {release_given(plan, answer, random),
                 fmt::format("a vector of {} numbers", answer.size()),
                 [answer](const Released& released, Progress&) {
                   return diagnose_vector(
                       released, Eigen::Map<const Eigen::VectorXd>(
                                     answer.data(), static_cast<Eigen::Index>(answer.size())));
                 }};
       }});
}

Planned planned(const VectorJob& job, Progress& progress) {
  return std::visit([&](const auto& statistic) { return planned(job, statistic, progress); },
                    job.statistic);
}

Reply explained(const TableSource& source, const SumOfRows& sum) {
  return explained(source, sum.rows);
}

Reply explained(const TableSource& source, const MeanOfRows& mean) {
  return explained(source, mean.rows);
}

Reply explained(const TableSource&, const GivenVector&) {
  throw UsageError("`explain` must not be given for a vector from a file: it has no columns");
}

Reply explained(const VectorJob& job) {
  return std::visit([&](const auto& statistic) { return explained(job.release.source, statistic); },
                    job.statistic);
}

}  // namespace

std::vector<JobKind> vector_releases() {
  return {job_kind<VectorJob>(
      "release vector", "sums, means, histograms, and vectors computed elsewhere",
      "  modicum release vector examples/wages.csv --statistic mean --output mean.csv --epsilon 1 "
      "\\\n    --delta 1e-6 --select wage --range wage=0:60\n"
      "  modicum release vector examples/wages.csv --statistic histogram --select age \\\n"
      "    --edges 18,30,40,50,70 --output ages.csv --epsilon 1 --delta 1e-6")};
}

}  // namespace modicum
