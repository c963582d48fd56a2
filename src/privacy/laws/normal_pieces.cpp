// With z = c + d, v = from - z slope and F(v) = e^{v^2/2} P[N > v], a piece without end has
//
//   e^{z loss - from^2/2} F(v)     or     growth - e^{z loss - from^2/2} F(-v)     where Re v < 0,
//   growth = e^{z (loss - slope from) + z^2 slope^2/2},
//
// and from one that ends the same is taken off at its end, with the same growth. For U convex, on
// Re z = c no term is larger than the moment at c: with its slope a piece lies below U.
#include "privacy/laws/normal_pieces.h"

#include <memory>

#include "numerics/scaled_normal_tail.h"

namespace modicum {

QuickMoment::QuickMoment(const NormalPieces& law, const Ball& center, const Ball& log_value)
    : log_scale_(log_value.middle()), atom_(law.atom * exp(-log_scale_)), weight_(law.weight) {
  const Ball& c = center;
  for (std::size_t i = 0; i < law.pieces.size(); ++i) {
    const auto& [from, loss, slope] = law.pieces[i];
    const Ball above = loss - law.pieces.front().loss, back = above - slope * from;
    const bool ends = i + 1 < law.pieces.size();
    const Exponent corner{Disc(c * above - from * from / 2.0 - log_scale_), Disc(above), 0.0};
    const Exponent growth{Disc(c * back + c * c * slope * slope / 2.0 - log_scale_),
                          Disc(back + c * slope * slope), Disc(slope * slope / 2.0)};
    pieces_.push_back({corner, growth, Disc(from - c * slope),
                       ends ? Disc(law.pieces[i + 1].from - c * slope) : Disc(0.0), Disc(slope),
                       ends});
  }
}

Disc QuickMoment::at(const Disc& d) const {
  const auto left = [](const Disc& v) { return v.middle().real() < 0.0; };
  Disc sum = 0.0, corner = pieces_.front().corner.at(d);
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    const Disc moved = d * piece.slope, v = piece.from - moved;
    // What is above v, or minus what is below it.
    sum += left(v) ? -(corner * scaled_normal_tail(-v)) : corner * scaled_normal_tail(v);
    bool whole = left(v);
    if (piece.ends) {
      const Disc next = pieces_[i + 1].corner.at(d), w = piece.until - moved;
      sum += left(w) ? next * scaled_normal_tail(-w) : -(next * scaled_normal_tail(w));
      whole = whole && !left(w);
      corner = next;
    }
    if (whole) sum += piece.growth.at(d);
  }
  return atom_ + weight_ * sum;
}

// With V = U - least >= 0 the slope of E[e^{zV}] is at most that at the real part of z, which grows
// with it, and not more than the slope of a chord further out.
double QuickMoment::tangent_bound(std::complex<double> d, double distance) const {
  const double near = d.real() + distance * (1.0 + 0x1p-40), far = near + 0.25 * distance;
  const double rise = at(Disc(far)).most() - at(Disc(near)).least();
  return at(Disc(d, 0.0)).most() + distance * rise / (far - near) * (1.0 + 0x1p-40);
}

// Or as the sum of the atom, the growth of the piece and the tail F that is cut off, which is at
// most 1/2 and at most 2/(sqrt(2 pi) |v|) in size, by its integral and by parts.
double QuickMoment::log_most(std::complex<double> d, double distance) const {
  if (pieces_.size() != 1) return infinity;
  const double tangent = tangent_bound(d, distance);
  const Piece& piece = pieces_.front();
  const Exponent& growth = piece.growth;
  const Disc place(d, 0.0), v = piece.from - place * piece.slope;
  const Disc exponent = growth.constant + place * growth.linear + place * place * growth.square;
  const Disc slope = growth.linear + place * growth.square * Disc(2.0);
  const double rise = distance * (slope.most() + distance * growth.square.most());
  const double log_growth = exponent.real_most() + rise * (1.0 + 0x1p-40);
  const double away = v.least() - distance * piece.slope.most() * (1.0 + 0x1p-40);
  const double tail = away > 1.6 ? 0.8 / away : 0.5;
  const double apart =
      log_growth < 700.0
          ? atom_.most() +
                weight_.most() * (std::exp(log_growth) + exp(piece.corner.constant).most() * tail)
          : infinity;
  // No number is no bound.
  const double least = tangent < apart ? tangent : apart;
  return least > 0.0 && least < infinity ? std::log(least) + 1e-12 : infinity;
}

MomentLine quick_line(const NormalPieces& law, const Ball& center, const Ball& value_above) {
  const auto quick = std::make_shared<const QuickMoment>(law, center, log(value_above));
  const Ball least = law.pieces.front().loss, scale = exp(center * least + quick->log_scale());
  return [quick, least, scale](const Ball& y) {
    const Disc found = quick->at(Disc(ComplexBall(Ball(0.0), y)));
    if (!found.finite()) return ComplexBall::indeterminate();
    const Ball radius = found.radius();
    const ComplexBall value(Ball(found.middle().real()).widened(radius),
                            Ball(found.middle().imag()).widened(radius));
    if (least.exactly_zero()) return value * scale;
    return value * exp(ComplexBall(Ball(0.0), y * least)) * scale;
  };
}

}  // namespace modicum
