// calibrate projection, least-squares and covariance: what is added to the second moments of rows
// whose norm is bounded.
#include "interfaces/calibrate_matrix.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "interfaces/calibrate/noise_certificate.h"
#include "interfaces/data_commands.h"
#include "interfaces/wording.h"
#include "modicum/mechanisms/least_squares.h"
#include "modicum/mechanisms/matrix_noise.h"

namespace modicum {
namespace {

MatrixNoise least_squares_draw(const MatrixRequest& request) {
  const LeastSquaresCalibration found = calibrate_least_squares(
      request.target(), request.columns(), request.features(), request.row_norm_bound());
  const double published = published_least_squares_ridge(
      request.target(), request.columns(), request.features(), request.row_norm_bound());
  return {.heading = "The least ridge that makes a least-squares solution",
          .mechanism = "least_squares_release",
          .parameters = {{"columns", found.columns},
                         {"features", found.features},
                         {"ridge", found.ridge},
                         {"row_norm_bound", found.row_norm_bound}},
          .figures = {{"ridge", "ridge", found.ridge},
                      {"full_leverage", "largest leverage", found.full_leverage},
                      {"row_leverage", "of it the features", found.row_leverage},
                      {"published_ridge", "ridge as published", published}},
          .achieved = found.achieved,
          .theorem = "docs/derivations/least-squares.md",
          .assumptions = {
              "the ridge is added to the second moments of features and target together, and the "
              "solution is drawn from the normal law around it; how it is sampled and rounded is "
              "not covered"}};
}

MatrixNoise covariance(const MatrixRequest& request) {
  const Calibration found = calibrate_covariance(request.target(), request.row_norm_bound());
  return {
      .heading = "The least noise that makes a matrix of second moments",
      .mechanism = "covariance_release",
      .parameters = {{"standard_deviation", found.parameter},
                     {"row_norm_bound", request.row_norm_bound()}},
      .figures = {{"standard_deviation", "standard deviation", found.parameter},
                  {"mean_squared_error", "mean squared error", found.parameter * found.parameter}},
      .achieved = found.achieved,
      .assumptions = {
          "each entry off the diagonal has this deviation, each one on it sqrt(2) times as "
          "much, independent up to symmetry; how the noise is sampled and rounded is not "
          "covered"}};
}

Certificate certificate_of(const MatrixNoise& found, const MatrixRequest& request) {
  Certificate certificate(found.mechanism, request.target(), found.achieved);
  certificate.parameters = found.parameters;
  certificate.attained = found.attained;
  certificate.guarantee = found.guarantee;
  certificate.adjacency = add_or_remove_one_row;
  certificate.assumptions = {
      fmt::format("the Euclidean norm of every row is at most {}: longer "
                  "rows are scaled down, whatever the others are",
                  request.row_norm_bound())};
  for (const std::string& assumption : found.assumptions)
    certificate.assumptions.push_back(assumption);
  certificate.theorem = found.theorem;
  certificate.time = std::chrono::system_clock::now();
  return certificate;
}

std::string for_people(const MatrixNoise& found, const Certificate& certificate) {
  const PrivacyTarget& target = certificate.target;
  std::vector<std::vector<std::string>> rows;
  for (const Figure& figure : found.figures)
    rows.push_back({figure.in_words, fmt::format("{}", figure.value)});
  rows.push_back(
      {fmt::format("delta at epsilon {}", target.epsilon), at_most(certificate.achieved.delta())});
  return fmt::format("{} ({}, {})-differentially private:\n\n{}\n{}", found.heading, target.epsilon,
                     target.delta, table(rows), proof_with_assumptions(certificate));
}

std::string answer(MatrixNoise (*find)(const MatrixRequest&), const MatrixRequest& request) {
  const ProgressLine progress("calibrating");
  const MatrixNoise found = find(request);
  const Certificate certificate = certificate_of(found, request);
  if (!request.flags.json) return for_people(found, certificate);
  Value result;
  for (const Figure& figure : found.figures) result[figure.key] = figure.value;
  result["delta"] = to_json(found.achieved.delta());
  result["certificate"] = to_json(certificate);
  return json_line(result);
}

constexpr const char* target_example = "--row-norm-bound 1 --epsilon 1 --delta 1e-6";

// A command with what all of them take; the others are added by `own`.
template <class Own>
void add_kind(CLI::App& calibrate, CommandResult& output, const std::string& name,
              const std::string& what, const std::string& example,
              MatrixNoise (*find)(const MatrixRequest&), Own own) {
  CLI::App* command =
      add_command(calibrate, name, what,
                  fmt::format("  modicum calibrate {}{} {}", name, example, target_example));
  const auto request = std::make_shared<MatrixRequest>();
  own(*command, *request);
  request->numbers.add(*command, "--row-norm-bound", "largest Euclidean norm of a row, above 0");
  request->numbers.add(*command, "--epsilon", "privacy loss bound, at least 0");
  request->numbers.add(*command, "--delta", "above 0 and below 1");
  add_proved_flags(*command, request->flags);
  command->callback([&output, find, request] { output = answer(find, *request); });
}

}  // namespace

void add_matrix_calibrations(CLI::App& calibrate, CommandResult& output) {
  add_kind(calibrate, output, "projection", "ridge of a random projection of rows",
           " --columns 300", calibrate_projection_method, add_projection_options);
  add_kind(calibrate, output, "least-squares", "ridge of a least-squares solution",
           " --columns 1000 --features 10", least_squares_draw,
           [](CLI::App& command, MatrixRequest& request) {
             request.numbers.add(command, "--columns", "columns of the sketch that it stands for");
             request.numbers.add(command, "--features", "number of features");
           });
  add_kind(calibrate, output, "covariance", "noise on a matrix of second moments", "", covariance,
           [](CLI::App&, MatrixRequest&) {});
}

}  // namespace modicum
