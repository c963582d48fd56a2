// calibrate projection: the ridge, or the noise, of random projections, by several methods.
#include <fmt/format.h>

#include "interfaces/calibrate/bounded_rows.h"
#include "interfaces/calibrate/calibrate.h"
#include "modicum/mechanisms/random_projection.h"
#include "release/descriptions/mechanisms.h"

namespace modicum {
namespace {

constexpr const char* normal_matrix =
    "the entries of the projection matrix are independent standard normals that nobody gets to "
    "know; how they are sampled and rounded is not covered";

struct WithoutParameters {
  void fields(Fields&) {}
};
struct LeastRidge : WithoutParameters {};
struct SingularValue : WithoutParameters {};
struct AdditiveNoise : WithoutParameters {};

struct SampledRows {
  double sampling_rate = 0.0;
  void fields(Fields& fields) {
    fields.add("sampling_rate", sampling_rate, "probability that a row is drawn").required();
  }
};

struct TestedEigenvalue {
  std::optional<double> eigenvalue_noise = {}, failure = {};
  void fields(Fields& fields) {
    fields.add("eigenvalue_noise", eigenvalue_noise,
               "deviation of the noise on the least eigenvalue; else chosen");
    fields.add("failure", failure, "share of delta for the test to fail, below delta; else chosen");
  }
};

struct DeclaredSet {
  double set_leverage = 0.0;
  void fields(Fields& fields) {
    fields
        .add("set_leverage", set_leverage,
             "largest leverage of a row in the declared set of data sets")
        .required();
  }
};

using ProjectionMethod = std::variant<LeastRidge, SampledRows, TestedEigenvalue, DeclaredSet,
                                      SingularValue, AdditiveNoise>;

const Methods<ProjectionMethod>& projection_methods() {
  static const Methods<ProjectionMethod> methods{
      {"projection", LeastRidge{}, "the least ridge, by default"},
      {"subsampled", SampledRows{}, "the least ridge for rows drawn at random"},
      {"propose-test-release", TestedEigenvalue{},
       "a ridge by the least eigenvalue, released with noise"},
      {"relative", DeclaredSet{}, "no ridge where a declared set of data sets needs none"},
      {"singular-value", SingularValue{}, "the ridge by an earlier theorem, for comparison"},
      {"additive", AdditiveNoise{}, "noise on a projection by a matrix that may be known"}};
  return methods;
}

struct ProjectionJob {
  double columns = 0.0;
  ProjectionMethod method = {};
  BoundedRows rows = {};

  void fields(Fields& fields) {
    fields.add("columns", columns, "columns of the projection").required();
    fields.methods("method", method, projection_methods(), "how privacy is achieved",
                   [](const Fields&) { return "projection"; });
    rows.fields(fields);
  }
};

NoiseFound of_ridge(const std::string& heading, const ProjectionCalibration& found) {
  return {.heading = heading,
          .mechanism = description_of(
              described::ProjectionRelease{found.columns, found.ridge, found.row_norm_bound}),
          .is_sharp = true,
          .figures = {{"ridge", "ridge", found.ridge},
                      {"leverage", "largest leverage", found.leverage},
                      {"published_ridge", "ridge as published", found.published_ridge}},
          .achieved = found.achieved,
          .assumptions = {normal_matrix}};
}

NoiseFound calibrated(const ProjectionJob& job, const LeastRidge&) {
  return of_ridge("The least ridge that makes a projection",
                  calibrate_projection(job.rows.target(), job.columns, job.rows.row_norm_bound));
}

NoiseFound calibrated(const ProjectionJob& job, const SampledRows& method) {
  const double rate = method.sampling_rate;
  NoiseFound found = of_ridge("The least ridge that makes a projection of sampled rows",
                              calibrate_subsampled_projection(job.rows.target(), job.columns,
                                                              job.rows.row_norm_bound, rate));
  found.mechanism["mechanism"] = "subsampled_projection";
  found.mechanism["sampling_rate"] = rate;
  found.is_sharp = false;
  found.assumptions.push_back(fmt::format(
      "each row is drawn with probability {}, independently of the others, and nothing else tells "
      "which were drawn",
      rate));
  return found;
}

NoiseFound calibrated(const ProjectionJob& job, const TestedEigenvalue& method) {
  const ProposeTestRelease test =
      calibrate_propose_test_release(job.rows.target(), job.columns, job.rows.row_norm_bound,
                                     method.eigenvalue_noise, method.failure);
  return {.heading =
              "Noise on the least eigenvalue, and the ridge that it leaves missing, to make a "
              "projection",
          .mechanism = {{"mechanism", "propose_test_release"},
                        {"columns", test.columns},
                        {"row_norm_bound", test.row_norm_bound},
                        {"eigenvalue_noise", test.eigenvalue_noise},
                        {"failure", test.failure},
                        {"margin", test.margin},
                        {"ridge_target", test.ridge_target},
                        {"largest_ridge", test.largest_ridge}},
          .is_sharp = false,
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

NoiseFound calibrated(const ProjectionJob& job, const DeclaredSet& method) {
  const ProjectionCalibration calibration = calibrate_relative_projection(
      job.rows.target(), job.columns, job.rows.row_norm_bound, method.set_leverage);
  if (calibration.ridge > 0.0)
    return of_ridge(
        "The declared leverage is too large to go without. The least ridge that makes a projection",
        calibration);
  NoiseFound found = of_ridge("No ridge is needed to make a projection", calibration);
  found.mechanism =
      description_of(described::RandomProjection{calibration.columns, method.set_leverage});
  found.guarantee = Guarantee::relative;
  found.attained = false;
  found.assumptions.push_back(
      fmt::format("the data set and its neighbor belong to a set, declared from public knowledge, "
                  "in which no row has a leverage above {}",
                  method.set_leverage));
  return found;
}

NoiseFound calibrated(const ProjectionJob& job, const SingularValue&) {
  NoiseFound found = of_ridge(
      "The ridge by the least singular value that makes a projection",
      calibrate_singular_value_projection(job.rows.target(), job.columns, job.rows.row_norm_bound));
  found.is_sharp = false;  // it stays below the target, which is what is promised
  return found;
}

NoiseFound calibrated(const ProjectionJob& job, const AdditiveNoise&) {
  const AdditiveProjectionCalibration found =
      calibrate_additive_projection(job.rows.target(), job.columns, job.rows.row_norm_bound);
  return {.heading = "The least noise that makes a projection by a matrix that may be known",
          .mechanism = {{"mechanism", "additive_projection"},
                        {"columns", found.columns},
                        {"row_norm_bound", found.row_norm_bound},
                        {"standard_deviation", found.standard_deviation},
                        {"norm_bound", found.norm_bound}},
          .is_sharp = false,
          .figures = {{"standard_deviation", "standard deviation", found.standard_deviation},
                      {"norm_bound", "bound on rows of the matrix", found.norm_bound}},
          .achieved = found.achieved,
          .attained = false,
          .assumptions = {
              "the entries of the projection matrix are independent standard normals, drawn "
              "without regard to the data; half of delta pays for rows of it beyond the bound",
              "each entry of the projection gets independent Gaussian noise; how it is sampled and "
              "rounded is not covered"}};
}

Reply run(const ProjectionJob& job, Progress& progress) {
  progress.begin("calibrating");
  return std::visit([&](const auto& method) { return told(job.rows, calibrated(job, method)); },
                    job.method);
}

}  // namespace

JobKind projection_calibration() {
  return job_kind<ProjectionJob>(
      "calibrate projection", "ridge of a random projection of rows",
      "  modicum calibrate projection --columns 300 --row-norm-bound 1 --epsilon 1 --delta 1e-6");
}

}  // namespace modicum
