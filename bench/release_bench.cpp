// A private sketch of a table in a file, against forming the projection matrix and multiplying, and
// against the parts that a release cannot do without: reading the file and one matrix product.
//
//   release_bench [rows [columns [sketch columns [folder]]]]
#include <cblas.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "modicum/randomness/samplers.h"
#include "modicum/release/projection_release.h"
#include "npy_file.h"

namespace modicum {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Least wall time of `repeats`, in seconds.
template <class Work>
double seconds(int repeats, const Work& work) {
  double least = 1e300;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    work();
    least = std::min(least, seconds_since(start));
  }
  return least;
}

RowBlock random_rows(int rows, int columns) {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  RowBlock result(rows, columns);
  for (double& entry : result.reshaped<Eigen::RowMajor>()) entry = normal(generator);
  return result;
}

void write_csv(const std::string& path, const RowBlock& matrix) {
  std::ofstream file(path, std::ios::binary);
  std::string text;
  for (Eigen::Index j = 0; j < matrix.cols(); ++j)
    text += fmt::format("{}x{}", j > 0 ? "," : "", j);
  text += '\n';
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
      text += fmt::format("{:.5f}{}", matrix(i, j), j + 1 < matrix.cols() ? ',' : '\n');
    if (text.size() > 1000000 || i + 1 == matrix.rows()) {
      file << text;
      text.clear();
    }
  }
}

void parse(const Table& table, const RowRule& rule) {
  table.for_each_block(rule.table_columns(), {},
                       [](const RowBlock&) { return std::function<void()>(); });
}

void one_product(const RowBlock& matrix) {
  RowBlock product(matrix.cols(), matrix.cols());
  const auto rows = static_cast<blasint>(matrix.rows());
  const auto columns = static_cast<blasint>(matrix.cols());
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, columns, rows, 1.0, matrix.data(), columns,
              0.0, product.data(), columns);
}

void release(const ProjectionPlan& plan, const Table& table, const RowRule& rule) {
  SecureSource source;
  const IntegerGram gram = accumulate(plan, table, rule, source);
  const Released released = release_projection(plan, gram, source);
  if (!released.values.allFinite()) throw Error("the sketch is not finite");
}

// D^T G with G drawn, a block of rows at a time, from the matrix in memory.
void project_by_multiplying(const RowBlock& matrix, int sketch) {
  SecureSource source;
  const Eigen::Index block = 4096;
  RowBlock normals(block, sketch);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(matrix.cols(), sketch);
  for (Eigen::Index start = 0; start < matrix.rows(); start += block) {
    const Eigen::Index rows = std::min(block, matrix.rows() - start);
    fill_standard_normals({normals.data(), static_cast<std::size_t>(rows * sketch)}, source);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(matrix.cols()),
                sketch, static_cast<blasint>(rows), 1.0, matrix.row(start).data(),
                static_cast<blasint>(matrix.cols()), normals.data(), sketch, 1.0, result.data(),
                static_cast<blasint>(matrix.cols()));
  }
  if (!result.allFinite()) throw Error("the sketch is not finite");
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

void show(const char* what, double taken) { fmt::print("{:<58} {:8.3f} s\n", what, taken); }

void run(int rows, int columns, int sketch, const std::string& folder) {
  const std::string csv = folder + "/modicum_release_bench.csv";
  const std::string npy = folder + "/modicum_release_bench.npy";
  const RowBlock matrix = random_rows(rows, columns);
  write_csv(csv, matrix);
  write_npy(npy, matrix);
  fmt::print("{} rows of {} columns, sketch of {} columns\n", rows, columns, sketch);
  const Table text({{csv}}), binary({{npy}});
  const RowRule text_rule(text, {}), binary_rule(binary, {});
  const auto start = std::chrono::steady_clock::now();
  ProjectionRequest request;
  request.columns = static_cast<double>(sketch);
  const ProjectionPlan plan =
      plan_projection({1.0, 1e-6}, {text_rule, 20.0, BadRows::dropped}, request);
  show("calibration, certified", seconds_since(start));
  openblas_set_num_threads(1);
  const double product = seconds(3, [&] { one_product(matrix); });
  show("one dsyrk in memory, 1 thread", product);
  const double text_read = seconds(3, [&] { parse(text, text_rule); });
  show("CSV parsed, all threads", text_read);
  const double text_release = seconds(3, [&] { release(plan, text, text_rule); });
  show("release from CSV", text_release);
  const double binary_read = seconds(3, [&] { parse(binary, binary_rule); });
  show("NPY read, all threads", binary_read);
  const double binary_release = seconds(3, [&] { release(plan, binary, binary_rule); });
  show("release from NPY", binary_release);
  openblas_set_num_threads(2);
  const double by_multiplying = seconds(1, [&] { project_by_multiplying(matrix, sketch); });
  show("G drawn and multiplied, matrix in memory, BLAS 2 threads", by_multiplying);
  fmt::print("release from CSV / (parsing + dsyrk): {:.2f}\n",
             text_release / (text_read + product));
  fmt::print("release from NPY / (reading + dsyrk): {:.2f}\n",
             binary_release / (binary_read + product));
  fmt::print("drawing and multiplying / release from NPY: {:.1f}\n",
             by_multiplying / binary_release);
  fmt::print("drawing and multiplying / release from CSV: {:.1f}\n", by_multiplying / text_release);
  fmt::print("peak memory with the matrix itself ({:.0f} MB): {:.0f} MB\n",
             static_cast<double>(matrix.size()) * 8e-6, peak_megabytes());
  std::filesystem::remove(csv);
  std::filesystem::remove(npy);
}

}  // namespace
}  // namespace modicum

int main(int count, char** arguments) {
  const auto number = [&](int place, int by_default) {
    return count > place ? std::stoi(arguments[place]) : by_default;
  };
  modicum::run(number(1, 500000), number(2, 91), number(3, 1316),
               count > 4 ? arguments[4] : "/tmp");
  return 0;
}
