#include "modicum/auditing/leverage.h"

#include <cmath>

#include "modicum/mechanisms/random_projection.h"

namespace modicum {
namespace {

// Of a row of norm 1 over a ridge, in the database that contains the row.
double leverage_over(double ridge) { return 1.0 / (1.0 + ridge); }

}  // namespace

// The more ridge, the less leverage, and with it the less loss.
double largest_leverage(const PrivacyTarget& target, double columns, Mode mode) {
  const auto family = [&](double ridge) {
    return random_projection(columns, leverage_over(ridge));
  };
  return leverage_over(smallest_noise(family, target, 10.0, mode).parameter);
}

double singular_value_leverage(const PrivacyTarget& target, double columns) {
  require_positive("delta", target.delta);
  require_count("columns", columns);
  const double log_term = std::log(4.0 / target.delta);
  return target.epsilon / (4.0 * (std::sqrt(2.0 * columns * log_term) + log_term));
}

}  // namespace modicum
