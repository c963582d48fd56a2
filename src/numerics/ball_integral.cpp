#include "numerics/ball_integral.h"

#include <acb_calc.h>

#include <cmath>
#include <exception>

namespace modicum {
namespace {

// No exception may pass through Arb, which is C: it is kept, and thrown again outside.
struct GuardedIntegrand {
  const BallIntegrand& function;
  std::exception_ptr failure = nullptr;
};

int evaluate_guarded(acb_ptr result, const acb_t z, void* data, slong order, slong bits) noexcept {
  auto& guarded = *static_cast<GuardedIntegrand*>(data);
  try {
    if (guarded.failure) {
      acb_indeterminate(result);
      return 0;
    }
    const PrecisionScope scope(bits);
    acb_swap(result, guarded.function(ComplexBall(z), order != 0).raw());
  } catch (...) {
    guarded.failure = std::current_exception();
    acb_indeterminate(result);
  }
  return 0;
}

}  // namespace

ComplexBall integrate(const BallIntegrand& f, const ComplexBall& a, const ComplexBall& b,
                      const IntegralEffort& effort) {
  GuardedIntegrand guarded{f};
  ComplexBall result;
  mag_t tolerance;
  mag_init(tolerance);
  mag_set_d(tolerance, effort.absolute_error);
  acb_calc_integrate_opt_t options;
  acb_calc_integrate_opt_init(options);
  options->eval_limit = effort.evaluations;
  acb_calc_integrate(result.raw(), evaluate_guarded, &guarded, a.raw(), b.raw(),
                     effort.relative_bits, tolerance, options, PrecisionScope::bits());
  mag_clear(tolerance);
  if (guarded.failure) std::rethrow_exception(guarded.failure);
  return result;
}

ComplexBall integrate(const BallIntegrand& f, const Ball& a, const Ball& b) {
  const long bits = PrecisionScope::bits();
  return integrate(f, ComplexBall(a), ComplexBall(b),
                   {std::ldexp(1.0, static_cast<int>(-bits)), bits});
}

ComplexBall power(const ComplexBall& base, const ComplexBall& exponent, bool analytic) {
  ComplexBall result;
  acb_pow_analytic(result.raw(), base.raw(), exponent.raw(), analytic ? 1 : 0,
                   PrecisionScope::bits());
  return result;
}

}  // namespace modicum
