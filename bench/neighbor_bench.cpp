// White-box audits of a made-up table: seconds, and the difference from brute force on a part of
// it.
//
//   neighbor_bench [rows [columns [folder]]]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "modicum/privacy/gaussian_pair.h"
#include "modicum/release/neighbor_audit.h"
#include "npy_file.h"

namespace modicum {
namespace {

constexpr double columns = 1000.0, row_norm_bound = 1.0, ridge = 50.0;
constexpr double regularization = 20.0, noise_variance = 0.01;
const PrivacyTarget claim(1.0, 1e-6);

// Features of norm about 1, and a last column that depends on them.
RowBlock random_rows(int rows, int width) {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal(0.0, 1.0 / std::sqrt(width));
  RowBlock result(rows, width);
  for (double& entry : result.reshaped<Eigen::RowMajor>()) entry = normal(generator);
  result.col(width - 1) += 0.5 * result.col(0);
  return result;
}

template <class Audit>
NeighborAudit timed(const char* name, const Audit& audit) {
  const auto start = std::chrono::steady_clock::now();
  const NeighborAudit result = audit();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{:<40} {:8.3f} s, {}, removed {:.3g}, added {:.3g}\n", name, seconds,
             to_string(result.verdict), result.removed->found.delta().upper(),
             result.added->found.delta().upper());
  return result;
}

// Columns of a projection without each row in turn, from the definition.
double brute_force(const RowBlock& rows) {
  const IntegerClip clip(row_norm_bound);
  RowBlock clipped = rows;
  clip.apply(clipped);
  const Eigen::MatrixXd exact = clip.grid() * clipped;
  const Eigen::Index d = exact.cols();
  const Eigen::MatrixXd moments =
      exact.transpose() * exact + ridge * Eigen::MatrixXd::Identity(d, d);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(d);
  double largest = 0.0;
  for (Eigen::Index i = 0; i < exact.rows(); ++i) {
    const Eigen::MatrixXd without = moments - exact.row(i).transpose() * exact.row(i);
    const auto spectrum = reduce_pair({zero, moments}, {zero, without}, Accuracy::fast);
    largest = std::max(largest, profile(PrivacyLoss::gaussian(spectrum.value()).repeated(columns),
                                        claim.epsilon, Accuracy::fast)
                                    .delta()
                                    .upper());
  }
  return largest;
}

void run(int rows, int width, const std::string& folder) {
  const std::string path = folder + "/modicum_audit_bench.npy";
  const RowBlock matrix = random_rows(rows, width);
  write_npy(path, matrix);
  fmt::print("{} rows of {} columns\n", rows, width);
  const Table table({{path}});
  const RowRule rule(table, {});
  const AuditedTable audited{table, rule, row_norm_bound};
  timed("projection", [&] { return audit_projection(audited, columns, ridge, claim); });
  timed("covariance", [&] { return audit_covariance(audited, 5.0, claim); });
  timed("sum", [&] { return audit_sum(audited, 5.0, claim); });
  timed("least squares", [&] { return audit_least_squares(audited, columns, ridge, claim); });
  std::vector<std::string> names(table.columns().begin(), table.columns().end() - 1);
  const RowRule features(table, names);
  timed("logistic", [&] {
    return audit_logistic({table, features, row_norm_bound}, {table.columns().back(), 0.0},
                          {regularization, noise_variance}, claim);
  });
  const RowBlock part = matrix.topRows(std::min(rows, 300));
  write_npy(path, part);
  const Table small({{path}});
  const RowRule small_rule(small, {});
  const NeighborAudit found =
      audit_projection({small, small_rule, row_norm_bound}, columns, ridge, claim);
  const double exact = brute_force(part);
  fmt::print("projection of {} rows against brute force: {:.2g} (relative)\n", part.rows(),
             std::abs(found.removed->found.delta().upper() / exact - 1.0));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace modicum

int main(int count, char** arguments) {
  const auto number = [&](int place, int by_default) {
    return count > place ? std::stoi(arguments[place]) : by_default;
  };
  modicum::run(number(1, 100000), number(2, 50), count > 3 ? arguments[3] : "/tmp");
  return 0;
}
