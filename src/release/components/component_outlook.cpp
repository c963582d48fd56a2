// What to expect of components about private means: a symmetric noise matrix on a covariance.
#include <algorithm>
#include <cmath>

#include "modicum/release/centered_components.h"
#include "release/look/centered_look.h"

namespace modicum {
namespace {

// Where an axis of variance `own` goes: shares of the axes that are left over, in the limit of many
// dimensions. What is lost of it is their sum; all of it where that would be more than 1.
Eigen::VectorXd lost_to(double own, const Eigen::VectorXd& rest, double noise) {
  if (rest.size() == 0) return rest;
  const Eigen::VectorXd shares = ((own - rest.array()).inverse() * noise).square().matrix();
  const double sum = shares.sum();
  if (sum < 1.0) return shares;
  return Eigen::VectorXd::Constant(rest.size(), 1.0 / static_cast<double>(rest.size()));
}

}  // namespace

ComponentOutlook centered_outlook(double mu, double rows, const std::vector<double>& eigenvalues,
                                  double components) {
  require_positive("mu", mu);
  require_positive("rows", rows);
  require_count("components", components);
  const auto p = static_cast<Eigen::Index>(eigenvalues.size());
  if (!(components <= static_cast<double>(p)))
    throw InvalidParameter("components", components, "must be at most the number of eigenvalues");
  for (std::size_t i = 0; i < eigenvalues.size(); ++i) {
    require_non_negative("eigenvalues", eigenvalues[i]);
    if (i > 0 && !(eigenvalues[i] <= eigenvalues[i - 1]))
      throw InvalidParameter("eigenvalues", "rising", "must fall");
  }
  const Eigen::VectorXd all = Eigen::Map<const Eigen::VectorXd>(eigenvalues.data(), p);
  const auto k = static_cast<Eigen::Index>(components);
  const Eigen::VectorXd rest = all.tail(p - k);
  const double noise = expected_covariance_noise(mu, rows, all), total = all.sum();
  ComponentOutlook outlook{
      noise, total > 0.0 ? noise * std::sqrt(static_cast<double>(p)) / total : 0.0, {}, 0.0, 0.0};
  double captured = 0.0;
  for (Eigen::Index i = 0; i < k; ++i) {
    const Eigen::VectorXd lost = lost_to(all[i], rest, noise);
    const double overlap = std::max(1.0 - lost.sum(), 0.0);
    outlook.overlaps.push_back(overlap);
    outlook.frobenius_error += 2.0 * (1.0 - overlap);
    captured += overlap * all[i] + lost.dot(rest);
  }
  const double most = all.head(k).sum();
  outlook.captured = most > 0.0 ? captured / most : 1.0;
  return outlook;
}

}  // namespace modicum
