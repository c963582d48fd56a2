#include "privacy/spherical_rays/coarse_sheet.h"

#include <cmath>

#include "numerics/gauss_legendre.h"

namespace modicum {
namespace {

constexpr int each_way = 4, along_cones = 24;
constexpr double fallen = 14.0;  // the integrand at the tip of the cones, in logarithms

}  // namespace

CoarseSheet::CoarseSheet(const EllipticSheet& sheet, double order, double rate)
    : rate_(rate), sum_(rate) {
  const EllipticPlane& plane = sheet.plane();
  const auto add = [&](const SheetPatch& patch, double s, double weight) {
    if (plane.flat()) {
      sum_.add(sheet_node(plane, patch, s, 0.0, weight));
      return;
    }
    const GaussRule& rule = gauss_legendre(each_way);
    for (std::size_t j = 0; j < rule.points.size(); ++j)
      sum_.add(sheet_node(plane, patch, s, 0.5 * (1.0 + rule.points[j]),
                          0.5 * weight * rule.weights[j]));
  };
  const GaussRule& rule = gauss_legendre(each_way);
  for (const SheetPatch& patch : sheet.patches())
    for (std::size_t i = 0; i < rule.points.size(); ++i)
      add(patch, 0.5 * (1.0 + rule.points[i]), 0.5 * rule.weights[i]);
  // Close to the side for high orders, far down for low ones.
  const SphericalGeometry& geometry = plane.geometry();
  const double deep =
      fallen / (2.0 * (geometry.shape * geometry.p - geometry.deficit * order) + 1e-9);
  for (const SheetPatch& cone : sheet.cones())
    for (int i = 0; i < along_cones; ++i) {
      const double from = std::pow(static_cast<double>(i) / along_cones, 3.0),
                   to = std::pow((i + 1.0) / along_cones, 3.0);
      add(cone, -0.5 * deep * (from + to), deep * (to - from));
    }
}

double CoarseSheet::log_size(const std::complex<double>& z) const {
  return std::log(sum_.size_at(z, 1e-200)) + rate_ * z.real();
}

double CoarseSheet::log_moment(const std::complex<double>& z) const {
  return std::log(std::abs(sum_.at(z, 1e-200).value)) + rate_ * z.real();
}

}  // namespace modicum
