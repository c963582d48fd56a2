// How a contour is laid: chosen in doubles, and a poor choice costs time or width, not truth.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "privacy/laws/contour_pieces.h"

namespace modicum {

/// The exponents a contour has to serve: the corners of their convex hull, all with Im a >= 0, and
/// what is taken out.
struct ContourTask {
  RealTangent tangent;
  std::vector<std::complex<double>> corners;
  double largest() const;  ///< of |a|
};

struct ContourEnds {
  double from, to;
};
/// The contour between them leaves out no more than `most` at every corner.
std::optional<ContourEnds> choose_ends(const BentContour& c, const ContourTask& task, double most,
                                       ContourEnds start);
/// Where to begin with that: around the bulk, both parts of B, and the peak beyond them.
ContourEnds first_ends(const BentContour& c, const ContourTask& task);

/// The step of the nodes, and how far the lines on both sides are by which it is justified.
struct NodeStrip {
  double height, step;
};
NodeStrip choose_strip(const SampledShift& pair, ContourBend bend, const ContourEnds& ends,
                       const ContourTask& task, double digits);

/// That on which |phi B^a dt| e^{-T} adds up to least, at the worst of the corners.
ContourBend choose_bend(const SampledShift& pair, const ContourTask& task);

/// Those with at least this slope, the best first.
std::vector<BentContour> steep_contours(const SampledShift& pair, const ContourTask& task,
                                        double least_slope);

}  // namespace modicum
