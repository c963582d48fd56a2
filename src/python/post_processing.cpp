// What may be computed from released numbers at no cost.
#include "modicum/release/post_processing.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <tuple>

#include "python/bindings.h"

namespace modicum {

namespace py = pybind11;
using namespace py::literals;

namespace {

using Pairs = std::vector<std::pair<double, double>>;

std::vector<Range> ranges_of(const Pairs& pairs) {
  std::vector<Range> ranges;
  for (const auto& [low, high] : pairs) ranges.emplace_back(low, high);
  return ranges;
}

}  // namespace

void bind_post_processing(py::module_& module) {
  const py::call_guard<py::gil_scoped_release> others_may_run;
  module.def(
      "centered_moments",
      [](const Eigen::MatrixXd& moments) {
        CenteredMoments centered = centered_moments(moments);
        return std::tuple(centered.rows, std::move(centered.mean), std::move(centered.covariance));
      },
      "moments"_a, others_may_run);
  module.def("nearest_semidefinite", &nearest_semidefinite, "symmetric"_a, others_may_run);
  module.def(
      "in_coordinates",
      [](const RowBlock& points, const Pairs& ranges) {
        return in_coordinates(points, ranges_of(ranges));
      },
      "points"_a, "ranges"_a, others_may_run);
  module.def(
      "from_coordinates",
      [](const RowBlock& coordinates, const Pairs& ranges) {
        return from_coordinates(coordinates, ranges_of(ranges));
      },
      "coordinates"_a, "ranges"_a, others_may_run);
  module.def(
      "carried_on",
      [](const std::string& kernel, double length_scale, double amplitude, double noise_variance,
         const RowBlock& queries, const Eigen::VectorXd& values, const RowBlock& points) {
        return carried_on(kernel_named(kernel), length_scale, amplitude, noise_variance, queries,
                          values, points);
      },
      py::kw_only(), "kernel"_a, "length_scale"_a, "amplitude"_a, "noise_variance"_a, "queries"_a,
      "values"_a, "points"_a, others_may_run);
}

}  // namespace modicum
