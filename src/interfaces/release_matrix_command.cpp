// release matrix: symmetric matrices computed elsewhere, and their least eigenvalues.
#include <fmt/format.h>

#include <memory>

#include "data/number_text.h"
#include "interfaces/release_source.h"
#include "modicum/release/matrix_release.h"

namespace modicum {
namespace {

struct MatrixOptions : ReleaseOptions {
  bool least_eigenvalue = false;
};

MatrixNoise noise_of(const ReleaseOptions& options) {
  static const Choices<MatrixNoise> all{{"goe", MatrixNoise::gaussian_orthogonal_ensemble},
                                        {"analyze-gauss", MatrixNoise::analyze_gauss}};
  return chosen("--noise", options.word("--noise"), all);
}

Eigen::MatrixXd square_matrix(const std::string& file) {
  const Eigen::MatrixXd matrix = read_matrix(file);
  if (matrix.rows() != matrix.cols())
    throw UnreadableFile(
        fmt::format("{} is no square matrix: as many rows as columns", in_quotes(file)));
  return matrix;
}

CommandResult answer_eigenvalue(const MatrixOptions& options, const ReleaseFiles& places,
                                const Eigen::MatrixXd& matrix, double sensitivity) {
  options.refuse({"--noise"}, "with --smallest-eigenvalue");
  const EigenvaluePlan plan = planned([&] {
    return plan_least_eigenvalue(options.target(), static_cast<double>(matrix.rows()), sensitivity,
                                 options.number("--failure"));
  });
  SecureSource source;
  Released released = release_least_eigenvalue(plan, matrix, source);
  return options.finish(released, places,
                        fmt::format("the least eigenvalue of a matrix of {} rows", matrix.rows()),
                        [&] { return diagnose_least_eigenvalue(released, matrix); });
}

CommandResult answer_matrix(const MatrixOptions& options, const ReleaseFiles& places,
                            const Eigen::MatrixXd& matrix, double sensitivity) {
  const MatrixPlan plan = planned([&] {
    return plan_matrix(options.target(), static_cast<double>(matrix.rows()), sensitivity,
                       noise_of(options), options.number("--failure"));
  });
  SecureSource source;
  Released released = release_matrix(plan, matrix, source);
  return options.finish(released, places,
                        fmt::format("a symmetric matrix of {} rows", matrix.rows()),
                        [&] { return diagnose_matrix(released, matrix); });
}

CommandResult answer(const MatrixOptions& options) {
  options.refuse({"--no-header", "--header", "--fields", "--multiline", "--separator", "--strict",
                  "--threads"},
                 "for a matrix from a file");
  const std::optional<double> sensitivity = options.number("--sensitivity");
  if (!sensitivity) throw UsageError("--sensitivity is missing, but must be given");
  if (options.files().size() != 1) throw UsageError("FILE must be one file for a matrix");
  options.target();
  noise_of(options);
  const ReleaseFiles places = options.places();
  const Eigen::MatrixXd matrix = square_matrix(options.files().front());
  return options.least_eigenvalue ? answer_eigenvalue(options, places, matrix, *sensitivity)
                                  : answer_matrix(options, places, matrix, *sensitivity);
}

}  // namespace

void add_release_matrix_command(CLI::App& release, CommandResult& output) {
  CLI::App* command = add_command(
      release, "matrix", "a symmetric matrix computed elsewhere, or its smallest eigenvalue",
      "  modicum release matrix examples/hessian.csv --sensitivity 0.25 --output noisy.csv \\\n"
      "    --epsilon 1 --delta 1e-6 --failure 0.05");
  const auto options = std::make_shared<MatrixOptions>();
  options->add_data_to(*command);
  options->add_output_to(*command);
  options->add_target_to(*command);
  options->add_number(*command, "--sensitivity",
                      "largest Frobenius norm of the difference of the matrices on neighboring\n"
                      "data sets; the spectral norm will do for --smallest-eigenvalue (required)");
  options->add_word(*command, "--noise",
                    "goe (the default), or analyze-gauss, with more of it off the diagonal", "goe");
  options->add_number(*command, "--failure",
                      "tell a bound that the norm of the noise exceeds with at most this\n"
                      "probability");
  command->add_flag("--smallest-eigenvalue", options->least_eigenvalue,
                    "release the smallest eigenvalue only");
  command->callback([&output, options] { output = answer(*options); });
}

}  // namespace modicum
