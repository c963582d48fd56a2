#include "interfaces/release/gaussian_process_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "data/cells/number.h"
#include "data/cells/number_text.h"
#include "release/lifting/gaussian_process_kernel.h"

namespace modicum {
namespace {

Methods<KernelChoice> kernels() {
  const auto distance = [](PriorKernel shape, const char* help) {
    return Method<KernelChoice>{name_of(shape), DistanceKernel{shape}, help};
  };
  return {
      distance(PriorKernel::rbf, "functions with all derivatives, the default"),
      distance(PriorKernel::matern12, "continuous functions"),
      distance(PriorKernel::matern32, "functions with one derivative"),
      distance(PriorKernel::matern52, "functions with two derivatives"),
      {name_of(PriorKernel::linear), LinearKernel{}, "a linear regression with a normal prior"}};
}

// Where each feature stands among the names of the points.
std::vector<std::size_t> places_of(const std::vector<std::string>& features,
                                   const std::vector<std::string>& names) {
  std::unordered_multimap<std::string_view, std::size_t> known;
  for (std::size_t i = 0; i < names.size(); ++i) known.emplace(names[i], i);
  std::vector<std::size_t> places;
  for (const std::string& feature : features) {
    if (known.count(feature) != 1)
      throw InvalidParameter("queries", fmt::format("without one column {}", in_quotes(feature)),
                             "must have one for each feature");
    places.push_back(known.find(feature)->second);
  }
  return places;
}

// The columns with the names of the features, in their order. Nothing is dropped.
RowBlock columns_by_name(const Table& table, const std::vector<std::string>& features) {
  std::vector<double> values;
  ReadOptions strict;
  strict.bad_rows = BadRows::refused;
  table.for_each_block(places_of(features, table.columns()), strict, [&](const RowBlock& block) {
    return [&values, block] {
      values.insert(values.end(), block.data(), block.data() + block.size());
    };
  });
  const auto width = static_cast<Eigen::Index>(features.size());
  return Eigen::Map<const RowBlock>(values.data(), static_cast<Eigen::Index>(values.size()) / width,
                                    width);
}

// By the names in its header; without one, which has a number, and in JSON and NPY, the columns
// stand for the features. The points are public, and so is their first line.
RowBlock read_queries(const std::string& path, const std::vector<std::string>& features) {
  const auto ends = [&](const char* ending) { return path.ends_with(ending); };
  if (ends(".json") || ends(".npy") || ends(".npy.gz")) return read_matrix(path);
  const Table named(TableFiles{.paths = {path}, .header_declared = true});
  double ignored = 0.0;
  for (const std::string& name : named.columns())
    if (data::parse_number(name, ignored)) return read_matrix(path);
  return columns_by_name(named, features);
}

RowBlock loaded(const Input<QueryPoints>& queries, const std::vector<std::string>& features) {
  if (!queries.content) return read_queries(queries.path, features);
  const auto& [values, names] = *queries.content;
  if (!values.allFinite()) throw InvalidParameter("queries", "not finite", "must be numbers");
  if (names.empty()) return values;
  if (names.size() != static_cast<std::size_t>(values.cols()))
    throw InvalidParameter("queries", fmt::format("of {} columns", values.cols()),
                           fmt::format("must have the {} that are named", names.size()));
  const std::vector<std::size_t> places = places_of(features, names);
  RowBlock chosen(values.rows(), static_cast<Eigen::Index>(places.size()));
  for (std::size_t i = 0; i < places.size(); ++i)
    chosen.col(static_cast<Eigen::Index>(i)) = values.col(static_cast<Eigen::Index>(places[i]));
  return chosen;
}

// The columns of the file that are features: not the ones of an intercept, not the target.
RowBlock points_of(const GaussianProcessFields& asked, const RowRule& rule,
                   const PublicRows& rows) {
  const std::vector<std::string> features(rule.names().begin() + (rows.intercept ? 1 : 0),
                                          rule.names().end() - 1);
  if (features.empty())
    throw UsageError("`target` is the only column, but there must be a feature");
  return query_coordinates(rule, loaded(asked.queries, features));
}

RowRule rule_of(const GaussianProcessFields& asked, const Table& table) {
  RowChoice choice = asked.choice;
  if (const auto* linear = std::get_if<LinearKernel>(&asked.kernel))
    choice.intercept = linear->intercept;
  return choice.rule(table, asked.target);
}

// Of the features. Only the linear kernel has one: the others are bounded everywhere.
double norm_bound(const GaussianProcessFields& asked, const RowRule& rule) {
  const auto* linear = std::get_if<LinearKernel>(&asked.kernel);
  if (linear == nullptr) return 1.0;
  if (linear->row_norm_bound) return require_positive("row_norm_bound", *linear->row_norm_bound);
  const double natural = rule.natural_norm_bound(rule.width() - 1);
  if (!std::isfinite(natural))
    throw UsageError(
        "`row_norm_bound` is missing, but must be given unless every feature has a `range`");
  return natural;
}

// Targets in a range lie within [-1, 1].
double target_bound(const GaussianProcessFields& asked, const RowRule& rule) {
  if (asked.target_bound) return *asked.target_bound;
  if (rule.has_range(rule.width() - 1)) return 1.0;
  throw UsageError("`target_bound` is missing, but must be given unless the target has a `range`");
}

GaussianProcessRequest request_of(const GaussianProcessFields& asked, const RowRule& rule) {
  GaussianProcessRequest request;
  request.kernel = PriorKernel::linear;
  if (const auto* distance = std::get_if<DistanceKernel>(&asked.kernel)) {
    request.kernel = distance->shape;
    request.length_scale = distance->length_scale;
  }
  request.amplitude = asked.amplitude;
  request.noise_variance = asked.noise_variance;
  request.target_bound = target_bound(asked, rule);
  request.largest_rows = asked.largest_rows;
  return request;
}

}  // namespace

void DistanceKernel::fields(Fields& fields) {
  fields.add("length_scale", length_scale,
             "distance over which the function changes, 1 by default");
}

void LinearKernel::fields(Fields& fields) {
  fields.add("row_norm_bound", row_norm_bound,
             "features that are longer are scaled down to it; needed unless each has a range");
  fields.add("intercept", intercept, "put a column of ones before the others");
}

void GaussianProcessFields::model_fields(Fields& fields) {
  choice.column_fields(fields);
  fields.add("target", target, "the column to be predicted").shown_as("NAME").required();
  fields
      .input("queries", queries,
             "the public points: CSV with the names of the features, or a matrix with a column\n"
             "for each (CSV, NPY, JSON)",
             [this](const Value& given) {
               Eigen::MatrixXd values;
               Fields matrix;
               matrix.add("queries", values, "");
               matrix.set("queries", given);
               queries.content = QueryPoints{values};
             })
      .required();
  fields
      .add("largest_rows", largest_rows,
           "a promise: no data set has more rows. How far a row can move the predictions\n"
           "grows with their number, which is private")
      .required();
  fields
      .add("noise_variance", noise_variance,
           "of the target around the function, a public guess; as all of these in the units\n"
           "that ranges make")
      .required();
  fields.add("amplitude", amplitude,
             "variance of the function before any data, 1 by default; linear: of each\n"
             "coefficient");
  fields.add("target_bound", target_bound,
             "the target is clamped to +- this; needed unless it has a range");
  fields.methods("kernel", kernel, kernels(), "covariance of the prior",
                 [](const Fields&) { return name_of(PriorKernel::rbf); });
}

GaussianProcessRows::GaussianProcessRows(const GaussianProcessFields& asked)
    : table(asked.source.open()),
      rule(rule_of(asked, table)),
      rows(rule, norm_bound(asked, rule), asked.source.bad_rows()),
      points(points_of(asked, rule, rows)),
      request(request_of(asked, rule)) {}

}  // namespace modicum
