// Draws of the laws that releases are made of, from the secure source.
#include "modicum/randomness/samplers.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <vector>

#include "modicum/mechanisms/component_sampler.h"
#include "modicum/mechanisms/disc_noise.h"
#include "modicum/mechanisms/optimal_noise.h"
#include "modicum/mechanisms/spherical_sampler.h"
#include "python/bindings.h"

namespace modicum {
namespace {

namespace py = pybind11;
using namespace py::literals;

ComponentSampler sampler_of(const std::string& name) {
  if (name == "deflation") return ComponentSampler::deflation;
  if (name == "gibbs") return ComponentSampler::gibbs;
  if (name == "gaussian") return ComponentSampler::gaussian;
  throw InvalidParameter("sampler", "'" + name + "'", "must be deflation, gibbs or gaussian");
}

template <class Sampler>
py::array_t<std::int64_t> drawn_from(const Sampler& sampler, std::size_t count) {
  py::array_t<std::int64_t> drawn(static_cast<py::ssize_t>(count));
  std::int64_t* const out = drawn.mutable_data();
  const py::gil_scoped_release others_may_run;
  SecureSource source;
  for (std::size_t i = 0; i < count; ++i) out[i] = sampler.draw(source);
  return drawn;
}

py::array_t<std::int64_t> discrete_gaussians(double deviation, std::size_t count) {
  return drawn_from(DiscreteGaussianSampler(deviation), count);
}

py::array_t<std::int64_t> integer_noises(std::vector<double> weights, std::int64_t first,
                                         std::size_t count) {
  const IntegerNoise noise{std::move(weights), static_cast<double>(first)};
  return drawn_from(WholeNoiseSampler(noise), count);
}

py::array_t<std::int64_t> staircase_noises(double epsilon, double inner, double sensitivity,
                                           std::size_t count) {
  return drawn_from(StaircaseSampler({epsilon, inner, sensitivity}), count);
}

py::array_t<double> disc_noises(std::vector<double> weights, double width, double grid,
                                std::size_t count) {
  const DiscNoiseSampler sampler(DiscNoise{std::move(weights), width}, grid);
  py::array_t<double> drawn({static_cast<py::ssize_t>(count), py::ssize_t{2}});
  double* out = drawn.mutable_data();
  const py::gil_scoped_release others_may_run;
  SecureSource source;
  for (std::size_t i = 0; i < count; ++i)
    for (const std::int64_t multiple : sampler.draw(source))
      *out++ = static_cast<double>(multiple) * grid;
  return drawn;
}

std::vector<double> spherical_noise(double dimension, double alpha, double beta, double p,
                                    double grid) {
  SecureSource source;
  return draw_spherical_noise(SphericalNoise(dimension, alpha, beta, p), grid, source);
}

std::vector<Eigen::MatrixXd> component_frames(std::vector<double> eigenvalues, double beta,
                                              double components, const std::string& sampler,
                                              int sweeps, std::size_t count) {
  const ComponentLaw law(std::move(eigenvalues), beta, components);
  const ComponentSampler kind = sampler_of(sampler);
  SecureSource source;
  std::vector<Eigen::MatrixXd> frames;
  for (std::size_t i = 0; i < count; ++i)
    frames.push_back(draw_components(law, kind, source, sweeps));
  return frames;
}

}  // namespace

void bind_samplers(py::module_& module) {
  const py::call_guard<py::gil_scoped_release> others_may_run;
  module.def("discrete_gaussians", &discrete_gaussians, py::kw_only(), "deviation"_a, "count"_a);
  module.def("integer_noises", &integer_noises, py::kw_only(), "weights"_a, "first"_a, "count"_a);
  module.def("staircase_noises", &staircase_noises, py::kw_only(), "epsilon"_a, "inner"_a,
             "sensitivity"_a, "count"_a);
  module.def("disc_noises", &disc_noises, py::kw_only(), "weights"_a, "width"_a, "grid"_a,
             "count"_a);
  module.def("spherical_noise", &spherical_noise, py::kw_only(), "dimension"_a, "alpha"_a, "beta"_a,
             "p"_a, "grid"_a, others_may_run);
  module.def("component_frames", &component_frames, py::kw_only(), "eigenvalues"_a, "beta"_a,
             "components"_a, "sampler"_a, "sweeps"_a, "count"_a, others_may_run);
}

}  // namespace modicum
