#include "privacy/engines/kept_for.h"

namespace modicum {
namespace {

template <class Part>
bool same_parts(const std::vector<Part>& a, const std::vector<Part>& b, Precise Part::*parameter) {
  return std::ranges::equal(a, b, [&](const Part& x, const Part& y) {
    return x.*parameter == y.*parameter && x.count == y.count;
  });
}

}  // namespace

bool same_finite_loss(const DirectedLoss& a, const DirectedLoss& b) {
  const OffDiagonal &e = a.gaussian.off_diagonal(), &f = b.gaussian.off_diagonal();
  return std::ranges::equal(a.laws, b.laws,
                            [](const LawPart& x, const LawPart& y) {
                              return x.count == y.count && x.law == y.law;
                            }) &&
         same_parts(a.two_points, b.two_points, &TwoPointPart::epsilon) &&
         same_parts(a.laplaces, b.laplaces, &LaplacePart::range) &&
         std::ranges::equal(a.gaussian.components(), b.gaussian.components(),
                            [](const SpectrumComponent& x, const SpectrumComponent& y) {
                              return x.excess == y.excess && x.mean_square == y.mean_square &&
                                     x.multiplicity == y.multiplicity;
                            }) &&
         e.with_record == f.with_record && e.without_record == f.without_record;
}

}  // namespace modicum
