#include "modicum/mechanisms/random_projection.h"

#include "modicum/numerics/errors.h"
#include "numerics/precise_ball.h"

namespace modicum {

PrivacyLoss random_projection(double columns, double leverage) {
  require_count("columns", columns);
  if (!(leverage >= 0.0 && leverage < 1.0))
    throw InvalidParameter("leverage", leverage, "must be at least 0 and below 1");
  const PrecisionScope scope(160);
  GaussianSpectrum spectrum;
  spectrum.add({to_precise("leverage", Ball(leverage) / (Ball(1.0) - Ball(leverage))),
                Precise::exactly(0.0), columns});
  return PrivacyLoss::gaussian(spectrum);
}

}  // namespace modicum
