// release vector: sums, means, histograms, and vectors computed elsewhere.
#include <fmt/format.h>

#include <memory>

#include "data/number_text.h"
#include "interfaces/release_options.h"
#include "modicum/release/vector_release.h"

namespace modicum {
namespace {

const Choices<Statistic>& statistics() {
  using enum Statistic;
  static const Choices<Statistic> all{
      {"sum", sum}, {"mean", mean}, {"histogram", histogram}, {"given", given}};
  return all;
}

VectorNoise noise_of(const ReleaseOptions& options) {
  static const Choices<VectorNoise> all{{"gaussian", VectorNoise::gaussian},
                                        {"l2", VectorNoise::l2},
                                        {"spherical", VectorNoise::spherical}};
  return chosen("--noise", options.word("--noise"), all);
}

template <class Make>
VectorPlan planned(const Make& make) {
  const ProgressLine progress("calibrating");
  return make();
}

Eigen::VectorXd in_doubles(const std::vector<Integer128>& multiples, double grid) {
  Eigen::VectorXd result(static_cast<Eigen::Index>(multiples.size()));
  for (std::size_t i = 0; i < multiples.size(); ++i)
    result[static_cast<Eigen::Index>(i)] = static_cast<double>(multiples[i]) * grid;
  return result;
}

CommandResult answer_sum(const ReleaseOptions& options, Statistic statistic) {
  options.refuse({"--categories", "--edges", "--sensitivity"}, "for sums and means");
  if (statistic == Statistic::sum) options.refuse({"--rows"}, "for sums");
  const PrivacyTarget target = options.target();
  const VectorNoise noise = noise_of(options);
  const ReleaseFiles places = options.places();
  const Table table = options.table();
  const RowRule rule = options.row_rule(table);
  const PublicRows rows(rule, options.row_norm_bound(rule), options.bad_rows());
  const VectorPlan plan = planned([&] {
    return statistic == Statistic::sum ? plan_sum(target, rows, noise)
                                       : plan_mean(target, rows, noise, options.number("--rows"));
  });
  SecureSource source;
  ProgressLine progress("reading");
  const ReadOptions read = options.read_options(progress);
  const IntegerSum sum = accumulate_sum(table, rule, rows.row_norm_bound, read);
  Released released = statistic == Statistic::sum ? release_sum(plan, sum, source)
                                                  : release_mean(plan, sum, source);
  return options.finish(
      released, places,
      fmt::format("the {} of {} coordinates", options.word("--statistic"), rows.dimension()), [&] {
        Diagnostics all = diagnose_rows(table, rule, rows.row_norm_bound, read);
        const Diagnostics more = diagnose_vector(released, in_doubles(sum.entries, sum.grid));
        all.insert(all.end(), more.begin(), more.end());
        return all;
      });
}

std::vector<std::string> at_commas(const std::string& text) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == ',') parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

Bins bins_of(const ReleaseOptions& options) {
  if (options.given("--categories") == options.given("--edges"))
    throw UsageError("--categories or --edges must be given for a histogram, one of the two");
  if (options.given("--categories"))
    return Bins::of_categories(at_commas(options.word("--categories")));
  std::vector<double> edges;
  for (const std::string& text : at_commas(options.word("--edges")))
    edges.push_back(parse_number("--edges", text));
  return Bins::of_edges(std::move(edges));
}

CommandResult answer_histogram(const ReleaseOptions& options) {
  options.refuse({"--range", "--row-norm-bound", "--rows", "--sensitivity"}, "for a histogram");
  if (options.selected().size() != 1)
    throw UsageError("--select must name one column for a histogram");
  const PrivacyTarget target = options.target();
  const VectorNoise noise = noise_of(options);
  const Bins bins = bins_of(options);
  const ReleaseFiles places = options.places();
  const Table table = options.table();
  const std::string& column = options.selected().front();
  const std::size_t index = table.index_of("--select", column);
  const VectorPlan plan = planned([&] {
    return plan_histogram(target, column, bins, noise, options.bad_rows(), table.assumptions());
  });
  SecureSource source;
  ProgressLine progress("reading");
  const std::vector<Integer128> counts =
      count_bins(table, index, bins, options.read_options(progress));
  Released released = release_histogram(plan, counts, source);
  return options.finish(released, places,
                        fmt::format("a histogram of {} with {} bins", column, counts.size()),
                        [&] { return diagnose_vector(released, in_doubles(counts, 1.0)); });
}

CommandResult answer_given(const ReleaseOptions& options) {
  options.refuse({"--select", "--range", "--row-norm-bound", "--rows", "--categories", "--edges",
                  "--no-header", "--header", "--fields", "--multiline", "--separator", "--strict",
                  "--threads"},
                 "for a vector from a file");
  const std::optional<double> sensitivity = options.number("--sensitivity");
  if (!sensitivity) throw UsageError("--sensitivity is missing, but must be given");
  if (options.files().size() != 1) throw UsageError("FILE must be one file for a given vector");
  const PrivacyTarget target = options.target();
  const VectorNoise noise = noise_of(options);
  const ReleaseFiles places = options.places();
  const RowBlock matrix = read_matrix(options.files().front());
  if (matrix.size() == 0 || (matrix.rows() > 1 && matrix.cols() > 1))
    throw UnreadableFile(
        fmt::format("{} is no vector: one row or one column", in_quotes(options.files().front())));
  const std::vector<double> answer(matrix.data(), matrix.data() + matrix.size());
  const VectorPlan plan = planned(
      [&] { return plan_given(target, static_cast<double>(answer.size()), *sensitivity, noise); });
  SecureSource source;
  Released released = release_given(plan, answer, source);
  return options.finish(
      released, places, fmt::format("a vector of {} numbers", answer.size()), [&] {
        return diagnose_vector(released,
                               Eigen::Map<const Eigen::VectorXd>(answer.data(), matrix.size()));
      });
}

CommandResult answer(const ReleaseOptions& options) {
  const Statistic statistic = chosen("--statistic", options.word("--statistic"), statistics());
  switch (statistic) {
    case Statistic::histogram:
      return answer_histogram(options);
    case Statistic::given:
      return answer_given(options);
    default:
      return answer_sum(options, statistic);
  }
}

}  // namespace

void add_release_vector_command(CLI::App& release, CommandResult& output) {
  CLI::App* command = add_command(
      release, "vector", "sums, means, histograms, and vectors computed elsewhere",
      "  modicum release vector examples/wages.csv --statistic mean --output mean.csv --epsilon 1 "
      "\\\n    --delta 1e-6 --select wage --range wage=0:60\n"
      "  modicum release vector examples/wages.csv --statistic histogram --select age \\\n"
      "    --edges 18,30,40,50,70 --output ages.csv --epsilon 1 --delta 1e-6");
  const auto options = std::make_shared<ReleaseOptions>();
  options->add_data_to(*command);
  options->add_output_to(*command);
  options->add_target_to(*command);
  options->add_rows_to(*command);
  options->add_word(*command, "--statistic", "sum (the default), mean, histogram or given", "sum");
  options->add_word(*command, "--noise", "gaussian (the default), l2 or spherical", "gaussian");
  options->add_number(*command, "--rows", "mean: the number of rows, if that is public");
  options->add_word(*command, "--categories", "histogram: A,B,C", "");
  options->add_word(*command, "--edges", "histogram: 0,1,2, in rising order", "");
  options->add_number(*command, "--sensitivity",
                      "given: largest Euclidean distance of the vectors on neighboring data sets");
  command->callback([&output, options] { output = answer(*options); });
}

}  // namespace modicum
