#include "numerics/ball_integral.h"

#include <acb_calc.h>

namespace modicum {
namespace {

using Integrand = std::function<ComplexBall(const ComplexBall&, bool)>;

int evaluate(acb_ptr result, const acb_t z, void* function, slong order, slong) {
  const auto& f = *static_cast<const Integrand*>(function);
  acb_set(result, f(ComplexBall(z), order != 0).raw());
  return 0;
}

}  // namespace

ComplexBall integrate(const Integrand& f, const Ball& a, const Ball& b) {
  const long bits = PrecisionScope::bits();
  const ComplexBall from(a), to(b);
  ComplexBall result;
  mag_t tolerance;
  mag_init(tolerance);
  mag_set_ui_2exp_si(tolerance, 1, -bits);
  acb_calc_integrate_opt_t options;
  acb_calc_integrate_opt_init(options);
  acb_calc_integrate(result.raw(), evaluate, const_cast<Integrand*>(&f), from.raw(), to.raw(), bits,
                     tolerance, options, bits);
  mag_clear(tolerance);
  return result;
}

ComplexBall power(const ComplexBall& base, const ComplexBall& exponent, bool analytic) {
  ComplexBall result;
  acb_pow_analytic(result.raw(), base.raw(), exponent.raw(), analytic ? 1 : 0,
                   PrecisionScope::bits());
  return result;
}

}  // namespace modicum
