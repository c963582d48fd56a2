// From one kind of guarantee to another. Each result is rounded to the safe side.
#pragma once

namespace modicum {

/// A Renyi guarantee of one order > 1, as an epsilon at this delta: the best that holds for every
/// mechanism with D_order <= divergence up to a lower-order term [CanonneKamathSteinke2020,
/// Proposition 12]: divergence + log(1 - 1/order) - log(delta order) / (order - 1).
double epsilon_from_renyi(double order, double divergence, double delta);

/// rho-zCDP: D_order <= rho * order for every order > 1 [BunSteinke2016]; the least epsilon over
/// all orders.
double epsilon_from_zcdp(double rho, double delta);

/// mu-Gaussian differential privacy implies rho-zCDP with rho = mu^2/2.
double zcdp_from_gaussian(double mu);

/// Pure epsilon-differential privacy implies rho-zCDP with rho = epsilon tanh(epsilon/2), and for
/// randomized response no less; the usual epsilon^2/2 is larger (docs/derivations/discretized.md).
double zcdp_from_pure(double epsilon);

}  // namespace modicum
