// calibrate projection: the methods.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interfaces/calibrate_matrix.h"
#include "interfaces/data_commands.h"
#include "data/number_text.h"
#include "modicum/mechanisms/random_projection.h"
#include "release/public_certificate.h"

namespace modicum {
namespace {

constexpr const char* normal_matrix =
    "the entries of the projection matrix are independent standard normals that nobody gets to "
    "know; how they are sampled and rounded is not covered";

MatrixNoise of_ridge(const std::string& heading, const std::string& mechanism,
                     const ProjectionCalibration& found) {
  return {.heading = heading,
          .mechanism = mechanism,
          .parameters = {{"columns", found.columns},
                         {"ridge", found.ridge},
                         {"row_norm_bound", found.row_norm_bound}},
          .figures = {{"ridge", "ridge", found.ridge},
                      {"leverage", "largest leverage", found.leverage},
                      {"published_ridge", "ridge as published", found.published_ridge}},
          .achieved = found.achieved,
          .assumptions = {normal_matrix}};
}

MatrixNoise plain_projection(const MatrixRequest& request) {
  return of_ridge(
      "The least ridge that makes a projection", "projection_release",
      calibrate_projection(request.target(), request.columns(), request.row_norm_bound()));
}

MatrixNoise subsampled_projection(const MatrixRequest& request) {
  const double rate =
      require_given("--sampling-rate", optional_number("--sampling-rate", request.sampling_rate));
  MatrixNoise found =
      of_ridge("The least ridge that makes a projection of sampled rows", "subsampled_projection",
               calibrate_subsampled_projection(request.target(), request.columns(),
                                               request.row_norm_bound(), rate));
  found.parameters.push_back({"sampling_rate", rate});
  found.assumptions.push_back(fmt::format(
      "each row is drawn with probability {}, independently of the others, and nothing else tells "
      "which were drawn",
      rate));
  return found;
}

MatrixNoise tested_projection(const MatrixRequest& request) {
  const ProposeTestRelease test = calibrate_propose_test_release(
      request.target(), request.columns(), request.row_norm_bound(),
      optional_number("--eigenvalue-noise", request.eigenvalue_noise),
      optional_number("--failure", request.failure));
  return {.heading =
              "Noise on the least eigenvalue, and the ridge that it leaves missing, to make "
              "a projection",
          .mechanism = "propose_test_release",
          .parameters = {{"columns", test.columns},
                         {"row_norm_bound", test.row_norm_bound},
                         {"eigenvalue_noise", test.eigenvalue_noise},
                         {"failure", test.failure},
                         {"margin", test.margin},
                         {"ridge_target", test.ridge_target},
                         {"largest_ridge", test.largest_ridge}},
          .figures = {{"eigenvalue_noise", "deviation of the noise", test.eigenvalue_noise},
                      {"failure", "failure probability", test.failure},
                      {"margin", "margin", test.margin},
                      {"ridge_target", "ridge target", test.ridge_target},
                      {"largest_ridge", "largest ridge", test.largest_ridge}},
          .achieved = test.achieved,
          .attained = false,
          .assumptions = {
              normal_matrix,
              "the least eigenvalue with its noise, less the margin, is the bound that is used; "
              "the ridge is what the bound lacks of the target, and at most the largest one"}};
}

MatrixNoise relative_projection(const MatrixRequest& request) {
  const double leverage =
      require_given("--set-leverage", optional_number("--set-leverage", request.set_leverage));
  const ProjectionCalibration calibrated = calibrate_relative_projection(
      request.target(), request.columns(), request.row_norm_bound(), leverage);
  if (calibrated.ridge > 0.0)
    return of_ridge(
        "The declared leverage is too large to go without. The least ridge that makes "
        "a projection",
        "projection_release", calibrated);
  MatrixNoise found =
      of_ridge("No ridge is needed to make a projection", "random_projection", calibrated);
  found.parameters = {{"columns", calibrated.columns}, {"leverage", leverage}};
  found.guarantee = Guarantee::relative;
  found.attained = false;
  found.assumptions.push_back(
      fmt::format("the data set and its neighbor belong to a set, declared from public knowledge, "
                  "in which no row has a leverage above {}",
                  leverage));
  return found;
}

MatrixNoise singular_value_projection(const MatrixRequest& request) {
  return of_ridge("The ridge by the least singular value that makes a projection",
                  "projection_release",
                  calibrate_singular_value_projection(request.target(), request.columns(),
                                                      request.row_norm_bound()));
}

MatrixNoise additive_projection(const MatrixRequest& request) {
  const AdditiveProjectionCalibration found =
      calibrate_additive_projection(request.target(), request.columns(), request.row_norm_bound());
  return {
      .heading = "The least noise that makes a projection by a matrix that may be known",
      .mechanism = "additive_projection",
      .parameters = {{"columns", found.columns},
                     {"row_norm_bound", found.row_norm_bound},
                     {"standard_deviation", found.standard_deviation},
                     {"norm_bound", found.norm_bound}},
      .figures = {{"standard_deviation", "standard deviation", found.standard_deviation},
                  {"norm_bound", "bound on rows of the matrix", found.norm_bound}},
      .achieved = found.achieved,
      .attained = false,
      .assumptions = {
          "the entries of the projection matrix are independent standard normals, drawn without "
          "regard to the data; half of delta pays for rows of it beyond the bound",
          "each entry of the projection gets independent Gaussian noise; how it is sampled and "
          "rounded is not covered"}};
}

struct ProjectionKind {
  std::string name;
  MatrixNoise (*find)(const MatrixRequest&);
};

const std::vector<ProjectionKind>& projection_kinds() {
  static const std::vector<ProjectionKind> kinds{
      {"projection", plain_projection},
      {"subsampled", subsampled_projection},
      {"propose-test-release", tested_projection},
      {"relative", relative_projection},
      {"singular-value", singular_value_projection},
      {"additive", additive_projection},
  };
  return kinds;
}

std::string projection_names() {
  std::vector<std::string> names;
  for (const ProjectionKind& kind : projection_kinds()) names.push_back(kind.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

MatrixNoise calibrate_projection_method(const MatrixRequest& request) {
  const auto& kinds = projection_kinds();
  const auto kind = std::ranges::find(kinds, request.method, &ProjectionKind::name);
  if (kind == kinds.end())
    throw InvalidParameter("--method", in_quotes(request.method),
                           fmt::format("must be one of: {}", projection_names()));
  const auto only_for = [&](const char* option, const std::string& text, const char* method) {
    refuse_unused(option, optional_number(option, text), request.method == method);
  };
  only_for("--sampling-rate", request.sampling_rate, "subsampled");
  only_for("--eigenvalue-noise", request.eigenvalue_noise, "propose-test-release");
  only_for("--failure", request.failure, "propose-test-release");
  only_for("--set-leverage", request.set_leverage, "relative");
  return kind->find(request);
}

void add_projection_options(CLI::App& command, MatrixRequest& request) {
  const auto add = [&](const char* name, std::string& text, const char* help) {
    command.add_option(name, text, help)->type_name("NUMBER");
  };
  request.numbers.add(command, "--columns", "columns of the projection");
  command.add_option("--method", request.method, projection_names())->type_name("NAME");
  add("--sampling-rate", request.sampling_rate, "subsampled: probability that a row is drawn");
  add("--eigenvalue-noise", request.eigenvalue_noise,
      "propose-test-release: deviation of the noise on the least eigenvalue; else chosen");
  add("--failure", request.failure,
      "propose-test-release: share of delta for the test to fail, below delta; else chosen");
  add("--set-leverage", request.set_leverage,
      "relative: largest leverage of a row in the declared set of data sets");
}

}  // namespace modicum
