#include "interfaces/gaussian_process_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "data/number_text.h"

namespace modicum {
namespace {

const Choices<PriorKernel>& kernels() {
  using enum PriorKernel;
  static const Choices<PriorKernel> all{{"rbf", rbf},
                                        {"matern12", matern12},
                                        {"matern32", matern32},
                                        {"matern52", matern52},
                                        {"linear", linear}};
  return all;
}

double required(const ReleaseOptions& options, const std::string& name,
                const std::string& because = "") {
  const std::optional<double> value = options.number(name);
  if (!value) throw UsageError(fmt::format("{} is missing, but must be given{}", name, because));
  return *value;
}

// The columns with the names of the features, in their order. Nothing is dropped.
RowBlock columns_by_name(const Table& table, const std::vector<std::string>& names) {
  const std::vector<std::string>& there = table.columns();
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    if (std::count(there.begin(), there.end(), name) != 1)
      throw InvalidParameter("--queries", fmt::format("without one column {}", in_quotes(name)),
                             "must have one for each feature");
    columns.push_back(table.index_of("--queries", name));
  }
  std::vector<double> values;
  ReadOptions strict;
  strict.bad_rows = BadRows::refused;
  table.for_each_block(columns, strict, [&](const RowBlock& block) {
    return [&values, block] {
      values.insert(values.end(), block.data(), block.data() + block.size());
    };
  });
  const auto width = static_cast<Eigen::Index>(names.size());
  return Eigen::Map<const RowBlock>(values.data(), static_cast<Eigen::Index>(values.size()) / width,
                                    width);
}

// By the names in its header; without one, in JSON and NPY, the columns stand for the features.
RowBlock read_queries(const std::string& path, const std::vector<std::string>& names) {
  const auto ends = [&](const char* ending) { return path.ends_with(ending); };
  if (ends(".json") || ends(".npy") || ends(".npy.gz")) return read_matrix(path);
  std::optional<Table> named;
  try {
    named.emplace(TableFiles{{path}});
  } catch (const UnreadableFile&) {
    return read_matrix(path);  // no header; or it says what else is wrong
  }
  return columns_by_name(*named, names);
}

// Targets in a range lie within [-1, 1].
double target_bound(const ReleaseOptions& options, const RowRule& rule) {
  if (options.given("--target-bound") || !rule.has_range(rule.width() - 1))
    return required(options, "--target-bound", " unless the target has a --range");
  return 1.0;
}

// Of the features. Only the linear kernel has one: the others are bounded everywhere.
double norm_bound(const ReleaseOptions& options, const RowRule& rule, PriorKernel kernel) {
  if (kernel != PriorKernel::linear) {
    options.refuse({"--row-norm-bound", "--intercept"}, "unless the kernel is linear");
    return 1.0;
  }
  if (const std::optional<double> bound = options.number("--row-norm-bound"))
    return require_positive("--row-norm-bound", *bound);
  const double natural = rule.natural_norm_bound(rule.width() - 1);
  if (!std::isfinite(natural))
    throw UsageError(
        "--row-norm-bound is missing, but must be given unless every feature has a --range");
  return natural;
}

GaussianProcessRequest request_of(const ReleaseOptions& options) {
  for (const char* name : {"--target", "--queries"})
    if (options.word(name).empty())
      throw UsageError(fmt::format("{} is missing, but must be given", name));
  const PriorKernel kernel = chosen("--kernel", options.word("--kernel"), kernels());
  if (kernel == PriorKernel::linear) options.refuse({"--length-scale"}, "for the linear kernel");
  GaussianProcessRequest request;
  request.kernel = kernel;
  request.length_scale = options.number("--length-scale");
  request.amplitude = options.number("--amplitude").value_or(1.0);
  request.noise_variance = required(options, "--noise-variance");
  request.largest_rows = required(options, "--largest-rows",
                                  ": how far a row can move the predictions grows with the number "
                                  "of rows, which is private");
  return request;
}

// The columns of the file that are features: not the ones of an intercept, not the target.
RowBlock points_of(const ReleaseOptions& options, const RowRule& rule, const PublicRows& rows) {
  const std::vector<std::string> features(rule.names().begin() + (rows.intercept ? 1 : 0),
                                          rule.names().end() - 1);
  if (features.empty())
    throw UsageError("--target is the only column, but there must be a feature");
  return query_coordinates(rule, read_queries(options.word("--queries"), features));
}

}  // namespace

void add_gaussian_process_options(CLI::App& command, ReleaseOptions& options) {
  options.add_word(command, "--target", "the column to be predicted (required)", "");
  options.add_word(command, "--queries",
                   "the public points (required): CSV with the names of the features, or a matrix "
                   "with\na column for each (CSV, NPY, JSON)",
                   "");
  options.add_word(command, "--kernel", "rbf (the default), matern12, matern32, matern52 or linear",
                   "rbf");
  options.add_number(command, "--largest-rows", "a promise (required): no data set has more rows");
  options.add_number(command, "--noise-variance",
                     "of the target around the function (required), a public guess; as all of\n"
                     "these in the units that ranges make");
  options.add_number(command, "--amplitude",
                     "variance of the function before any data, 1 by default; linear: of each\n"
                     "coefficient");
  options.add_number(command, "--length-scale",
                     "distance over which the function changes, 1 by default; not linear");
  options.add_number(command, "--target-bound",
                     "the target is clamped to +- this; needed unless it has a range");
  options.add_number(command, "--row-norm-bound",
                     "linear: features that are longer are scaled down to it; needed unless each\n"
                     "has a range");
  options.add_intercept_to(command);
}

GaussianProcessInput::GaussianProcessInput(const ReleaseOptions& options)
    : request(request_of(options)),
      table(options.table()),
      rule(options.row_rule(table, options.word("--target"))),
      rows(rule, norm_bound(options, rule, request.kernel), options.bad_rows()),
      points(points_of(options, rule, rows)) {
  request.target_bound = target_bound(options, rule);
}

}  // namespace modicum
