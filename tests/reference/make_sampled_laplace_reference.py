#!/usr/bin/env python3
"""Profiles of some copies of sampled Laplace noise, by sums over atoms: writes sampled_laplace.json.

With c = 1 - q and a = sensitivity/scale the loss of one copy is log(c + q v); under Y it has the masses 1/2 at v = e^-a
and e^-a/2 at v = e^a, and e^{-a/2}/4 v^{-3/2} dv between. i copies at the upper atom, j at the lower one, and m between
make a multinomial coefficient times H_m(epsilon - losses of the atoms), where

    H_0(t) = max(0, 1 - e^t),     H_m(t) = Integral of density(l) H_{m-1}(t - l) dl.

H_m is analytic between the places m low + k width: there it is a polynomial through Chebyshev's points, and as a place in
one piece less a loss lies in that piece or the one below, a step is the same two matrices for all pieces. Two copies are
also an integral over the first one of the profile of the second, which is elementary. Thousands of copies, whose moment
falls at once, are the trapezium rule on a line through the saddle point; their ranges, 1/scale, are no doubles.
"""
import json
import pathlib

from mpmath import binomial, cos, diff, exp, expm1, findroot, log, matrix, mp, mpc, mpf, pi, quad, sqrt
from mpmath.calculus.quadrature import GaussLegendre

mp.dps = 40
POINTS = 72
# sensitivity/scale, q, copies, then epsilons.
CASES = [
    (1, 0.01, 2, [0.001, 0.02, 0.034]), (1, 0.01, 10, [0.03, 0.1, 0.16]), (0.5, 0.1, 10, [0.05, 0.3, 0.6]),
    (0.5, 0.1, 60, [0.2, 1, 1.7]), (2, 0.3, 3, [0.1, 1, 3]), (2, 0.3, 12, [1, 5, 12]), (1, 0.9, 5, [0.5, 3, 4.5]),
    (0.05, 0.5, 40, [0.01, 0.2, 0.9]),
]
# Two copies, also where the density is too steep for that.
TWO_COPIES = [
    (3, 1e-4, [1e-4, 1e-3, 3e-3]), (4, 0.02, [0.01, 0.5, 1.4]), (1, 1e-6, [1e-7, 1e-6, 3e-6]), (10, 0.001, [-0.5, 1, 6]),
    (1, 0.999, [0.5, 1.9]), (1, 0.999999, [0.1, 1.99]), (0.001, 0.3, [1e-4, 5e-4]), (1e-6, 0.5, [1e-8, 9e-7]),
]

# scale, q, copies, epsilon.
MANY_COPIES = [(0.9999999999999999, 0.01, 2000, 0.1), (1.9999999999999998, 0.05, 2000, 1)]


class Copies:
    def __init__(self, range_, rate, reverse):
        a, q = mpf(range_), mpf(rate)
        low, high = log(1 + q * expm1(-a)), log(1 + q * expm1(a))
        scale = exp(-a / 2) * sqrt(q) / 4

        def of_y(l):  # the density of the loss under Y
            return scale * exp(l) * (expm1(l) + q) ** mpf(-1.5)
        if reverse:
            self.low, self.high = -high, -low
            self.at_low, self.at_high = exp(-a) / 2, mpf(1) / 2
            self.density = lambda l: of_y(-l)
        else:
            self.low, self.high = low, high
            self.at_low, self.at_high = exp(low) / 2, exp(high - a) / 2
            self.density = lambda l: of_y(l) * exp(l)
        self.width = self.high - self.low
        self.places = [(1 - cos((2 * k + 1) * pi / (2 * POINTS))) / 2 for k in range(POINTS)]
        self.signs = [(-1) ** k * mp.sin((2 * k + 1) * pi / (2 * POINTS)) for k in range(POINTS)]
        nodes = GaussLegendre(mp).calc_nodes(5, 160)
        self.gauss = [((1 + x) / 2, w / 2) for x, w in nodes]
        self.mass = self.width * sum(w * self.density(self.low + v * self.width) for v, w in self.gauss)
        self.tilted = self.width * sum(w * self.density(self.low + v * self.width) * exp(-self.low - v * self.width)
                                       for v, w in self.gauss)
        self.same, self.below = matrix(POINTS, POINTS), matrix(POINTS, POINTS)
        for i, u in enumerate(self.places):
            for v, w in self.gauss:
                self.add(self.same, i, u * v, w * u, u - u * v)
                rest = u + (1 - u) * v
                self.add(self.below, i, rest, w * (1 - u), 1 + u - rest)
        self.levels = [[]]

    def weights(self, u):
        terms = [s / (u - x) for s, x in zip(self.signs, self.places)]
        total = sum(terms)
        return [t / total for t in terms]

    def add(self, rows, i, v, weight, place):
        factor = weight * self.width * self.density(self.low + v * self.width)
        for k, w in enumerate(self.weights(place)):
            rows[i, k] += factor * w

    def left(self, m, start):
        return matrix([self.mass ** m - self.tilted ** m * exp(start + u * self.width) for u in self.places])

    def piece(self, m, k):
        if k >= m:
            return matrix(POINTS, 1)
        if k < 0:
            return self.left(m, m * self.low + k * self.width)
        while len(self.levels) <= m:
            n = len(self.levels)
            self.levels.append([self.same * self.piece(n - 1, j) + self.below * self.piece(n - 1, j - 1)
                                for j in range(n)])
        return self.levels[m][k]

    def between(self, m, t):
        if m == 0:
            return max(mpf(0), -expm1(t))
        place = (t - m * self.low) / self.width
        if place <= 0:
            return self.mass ** m - self.tilted ** m * exp(t)
        if place >= m:
            return mpf(0)
        k = int(mp.floor(place))
        values = self.piece(m, k)
        return sum(w * values[i] for i, w in enumerate(self.weights(place - k)))

    def profile(self, n, epsilon):
        total = mpf(0)
        for m in range(n + 1):
            for i in range(n - m + 1):
                j = n - m - i
                weight = binomial(n, m) * binomial(n - m, i) * self.at_high ** i * self.at_low ** j
                total += weight * self.between(m, mpf(epsilon) - i * self.high - j * self.low)
        return total


def of_two_copies(range_, rate, reverse, epsilon):
    a, q, e = mpf(range_), mpf(rate), mpf(epsilon)

    def loss(x):  # of the noise x under Y, from 0 to a
        return log(1 + q * expm1(2 * x - a))

    def place(l):
        return (log(1 + expm1(l) / q) + a) / 2
    low, high = loss(mpf(0)), loss(a)

    def one(t):  # the profile of one copy
        s = -t if reverse else t
        if s <= low:
            return mpf(0) if reverse else -expm1(t)
        if s >= high:
            return -expm1(t) if reverse else mpf(0)
        x = place(s)
        above_y, below_p = exp(-x) / 2, exp(x - a) / 2
        if reverse:
            return 1 - above_y - exp(t) * ((1 - q) * (1 - above_y) + q * below_p)
        return (1 - q) * above_y + q * (1 - below_p) - exp(t) * above_y
    sign = -1 if reverse else 1

    def given(x):
        return one(e - sign * loss(x)) * (1 if reverse else exp(loss(x)))
    ends = [mpf(0)] + sorted(place(l) for l in (sign * e - low, sign * e - high) if low < l < high) + [a]
    between = quad(lambda x: exp(-x) / 2 * given(x), ends)
    return given(mpf(0)) / 2 + exp(-a) / 2 * given(a) + between


def of_many_copies(scale, rate, copies, reverse, epsilon):
    a, q, e = 1 / mpf(scale), mpf(rate), mpf(epsilon)

    def loss(x):
        return log(1 + q * expm1(2 * x - a))
    masses = [(loss((1 + x) / 2 * a), w * a / 4 * exp(-(1 + x) / 2 * a)) for x, w in GaussLegendre(mp).calc_nodes(5, 160)]
    masses += [(loss(mpf(0)), mpf(1) / 2), (loss(a), exp(-a) / 2)]
    if reverse:
        masses = [(-l, w * exp(l)) for l, w in masses]

    def exponent(z):  # delta is the integral of its exponential over a line Re z > 1, divided by 2 pi i
        return copies * log(sum(w * exp(z * l) for l, w in masses)) - (z - 1) * e - log(z * (z - 1))
    center = findroot(lambda z: diff(exponent, z), 3)
    step = 1 / sqrt(diff(exponent, center, 2)) / 16
    total, height, value = exp(exponent(center)) / 2, mpf(0), mpf(1)
    while abs(value) > mpf(10) ** -35:
        height += step
        value = exp(exponent(mpc(center, height)))
        total += value.real
    return total * step / pi


def main():
    rows = []
    for scale, rate, copies, epsilon in MANY_COPIES:
        for reverse in (False, True):
            delta = of_many_copies(scale, rate, copies, reverse, epsilon)
            rows.append({"scale": scale, "rate": rate, "copies": copies, "reverse": reverse, "epsilon": epsilon,
                         "delta": mp.nstr(delta, 17), "digits": 16})
            print(rows[-1], flush=True)
    for range_, rate, epsilons in TWO_COPIES:
        for reverse in (False, True):
            for epsilon in epsilons:
                delta = of_two_copies(range_, rate, reverse, epsilon)
                if delta > 0:
                    rows.append({"range": range_, "rate": rate, "copies": 2, "reverse": reverse, "epsilon": epsilon,
                                 "delta": mp.nstr(delta, 16), "digits": 15})
                    print(rows[-1], flush=True)
    for range_, rate, copies, epsilons in CASES:
        for reverse in (False, True):
            loss = Copies(range_, rate, reverse)
            for epsilon in epsilons:
                delta = loss.profile(copies, epsilon)
                if delta > mpf(10) ** -16:  # else the pieces may have lost too many digits
                    rows.append({"range": range_, "rate": rate, "copies": copies, "reverse": reverse,
                                 "epsilon": epsilon, "delta": mp.nstr(delta, 16), "digits": 15})
                    print(rows[-1], flush=True)
    text = "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"
    pathlib.Path(__file__).with_name("sampled_laplace.json").write_text(text)


if __name__ == "__main__":
    main()
