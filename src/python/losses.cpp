// Privacy losses, and what they say at many points in one call.
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <array>
#include <tuple>
#include <vector>

#include "modicum/mechanisms/tabulated.h"
#include "modicum/privacy/gaussian_pair.h"
#include "modicum/privacy/profile.h"
#include "modicum/release/description.h"
#include "python/bindings.h"

namespace modicum {
namespace {

namespace py = pybind11;
using namespace py::literals;

Accuracy accuracy_of(const std::string& mode) { return read_accuracy("mode", mode); }

// One array for each column of `rows`, filled by ask(point) -> std::array.
template <std::size_t columns, class Ask>
py::tuple at_points(const Array& points, const Ask& ask) {
  const auto count = static_cast<std::size_t>(points.size());
  const double* const places = points.data();
  std::vector<py::array_t<double>> answers(columns);
  std::array<double*, columns> out{};
  for (std::size_t j = 0; j < columns; ++j) {
    answers[j] = py::array_t<double>(points.size());
    out[j] = answers[j].mutable_data();
  }
  {
    const py::gil_scoped_release others_may_run;
    for (std::size_t i = 0; i < count; ++i) {
      const std::array<double, columns> answer = ask(places[i]);
      for (std::size_t j = 0; j < columns; ++j) out[j][i] = answer[j];
    }
  }
  py::tuple result(columns);
  for (std::size_t j = 0; j < columns; ++j) result[j] = std::move(answers[j]);
  return result;
}

double certified(Proof proof) { return proof == Proof::certified ? 1.0 : 0.0; }

py::tuple profiles(const Description& of, const Array& epsilons, const std::string& mode) {
  ProfileCurve curve(of.loss, accuracy_of(mode));
  return at_points<5>(epsilons, [&](double epsilon) -> std::array<double, 5> {
    const ProfilePoint point = curve.at(epsilon);
    return {point.forward.lower(), point.forward.upper(), point.reverse.lower(),
            point.reverse.upper(), certified(point.proof)};
  });
}

template <Answer (*ask)(const PrivacyLoss&, double, Accuracy)>
py::tuple answers(const Description& of, const Array& points, const std::string& mode) {
  const Accuracy how = accuracy_of(mode);
  return at_points<3>(points, [&](double point) -> std::array<double, 3> {
    const Answer answer = ask(of.loss, point, how);
    return {answer.value.lower(), answer.value.upper(), certified(answer.proof)};
  });
}

Description gaussian_pair(const Eigen::VectorXd& mean1, const Eigen::MatrixXd& covariance1,
                          const Eigen::VectorXd& mean2, const Eigen::MatrixXd& covariance2,
                          const std::string& mode) {
  const auto spectrum = reduce_pair({mean1, covariance1}, {mean2, covariance2}, accuracy_of(mode));
  return {spectrum ? PrivacyLoss::gaussian(*spectrum) : PrivacyLoss::mutually_singular(),
          "pair of Gaussians, dimension " + std::to_string(mean1.size())};
}

Description table_of_losses(std::vector<double> losses, std::vector<double> probabilities,
                            double infinite) {
  const std::size_t count = losses.size();
  return {tabulated_loss({std::move(losses), std::move(probabilities), infinite}),
          "table of " + std::to_string(count) + " losses"};
}

Description composed_losses(const std::vector<const Description*>& parts) {
  std::vector<Description> all;
  for (const Description* part : parts) {
    if (part == nullptr) throw InvalidParameter("parts", "None", "must all be losses");
    all.push_back(*part);
  }
  return composed("parts", std::move(all));
}

}  // namespace

void bind_losses(py::module_& module) {
  const py::call_guard<py::gil_scoped_release> others_may_run;
  py::class_<Description>(module, "Loss")
      .def(py::init([](const std::string& description, const std::string& folder,
                       const std::string& mode) {
             return parse_description(description, "description", accuracy_of(mode), folder);
           }),
           "description"_a, py::kw_only(), "folder"_a = "", "mode"_a = "automatic", others_may_run)
      .def_static("gaussian_pair", &gaussian_pair, "mean1"_a, "covariance1"_a, "mean2"_a,
                  "covariance2"_a, py::kw_only(), "mode"_a = "automatic", others_may_run)
      .def_static("tabulated", &table_of_losses, "losses"_a, "probabilities"_a, py::kw_only(),
                  "infinite"_a, others_may_run)
      .def_static("composed", &composed_losses, "parts"_a, others_may_run)
      .def(
          "repeated",
          [](const Description& once, double count) {
            return Description{
                once.loss.repeated(count),
                once.label + ", " + std::to_string(static_cast<long long>(count)) + " times",
                once.adjacency, once.unit};
          },
          "count"_a, others_may_run)
      .def(
          "delta",
          [](const Description& of, double epsilon, const std::string& mode) {
            return profile(of.loss, epsilon, accuracy_of(mode)).delta().upper();
          },
          "epsilon"_a, "mode"_a, others_may_run)
      .def(
          "profile",
          [](const Description& of, double epsilon, const std::string& mode) {
            const ProfilePoint point = profile(of.loss, epsilon, accuracy_of(mode));
            return std::tuple(point.forward.lower(), point.forward.upper(), point.reverse.lower(),
                              point.reverse.upper(), point.proof == Proof::certified);
          },
          "epsilon"_a, "mode"_a, others_may_run)
      .def("profiles", &profiles, "epsilons"_a, "mode"_a)
      .def("epsilons", &answers<&epsilon_at>, "deltas"_a, "mode"_a)
      .def("tradeoffs", &answers<&tradeoff>, "type1"_a, "mode"_a)
      .def("renyi_divergences", &answers<&renyi_divergence>, "orders"_a, "mode"_a)
      .def_property_readonly("label", [](const Description& of) { return of.label; })
      .def_property_readonly(
          "adjacency",
          [](const Description& of) { return word_of(adjacency_words(), of.adjacency); })
      .def_property_readonly("is_upper_bound",
                             [](const Description& of) { return of.loss.is_upper_bound(); });
}

}  // namespace modicum
