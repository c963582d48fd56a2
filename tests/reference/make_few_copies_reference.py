#!/usr/bin/env python3
"""Profiles of a few copies of spherical noise, by nested quadrature: writes few_copies.json.

With D_1 the profile of one copy, D_{n+1}(e) = E[D_n(e - L)]. In one dimension with alpha = 0 and p > 1
the loss grows with the outcome u, so that D_1 has a closed form in incomplete gamma functions. In three
dimensions given the radius r the loss exceeds l with the probability (1 - w)/2, w the cosine at which
it is reached; p = 1 is taken, where r2 = r + l/beta.
"""
import json
import pathlib

from mpmath import exp, gamma, gammainc, inf, mp, mpf, quad, quadgl, sign

mp.dps = 18


class OneDimension:
    """Density proportional to exp(-beta |u|^p), moved by 1."""

    def __init__(self, beta, p):
        self.beta, self.p = mpf(beta), mpf(p)
        self.shape = 1 / self.p
        self.reach = (60 / self.beta) ** (1 / self.p)

    def above(self, v):
        tail = gammainc(self.shape, self.beta * abs(v) ** self.p, inf, regularized=True) / 2
        return tail if v >= 0 else 1 - tail

    def loss(self, u):
        return self.beta * (abs(u + 1) ** self.p - abs(u) ** self.p)

    def density(self, u):
        return self.p * self.beta ** self.shape / (2 * gamma(self.shape)) * exp(-self.beta * abs(u) ** self.p)

    def place(self, level):
        low, high = -self.reach - 2, self.reach + 2
        if self.loss(high) <= level:
            return high
        if self.loss(low) >= level:
            return low
        left, right = float(low), float(high)
        for _ in range(60):
            middle = 0.5 * (left + right)
            if self.float_loss(middle) > level:
                right = middle
            else:
                left = middle
        u = mpf(0.5 * (left + right))
        for _ in range(2):  # Newton's method, where the slope is not 0
            slope = self.p * self.beta * (sign(u + 1) * abs(u + 1) ** (self.p - 1) - sign(u) * abs(u) ** (self.p - 1))
            u -= (self.loss(u) - level) / slope
        return u

    def float_loss(self, u):
        beta, p = float(self.beta), float(self.p)
        return beta * (abs(u + 1) ** p - abs(u) ** p)

    def profile(self, copies, epsilon):
        if copies == 1:
            v = self.place(epsilon)
            return self.above(v) - exp(epsilon) * self.above(v + 1)
        # Smooth between the centers and where the other copies' loss is at a center.
        at_center = self.beta
        cuts = {-self.reach, mpf(-1), mpf(0), self.reach}
        for level in (epsilon + (copies - 1) * at_center, epsilon - (copies - 1) * at_center, epsilon):
            v = self.place(level)
            if -self.reach < v < self.reach:
                cuts.add(v)
        places = sorted(cuts)
        # Powers of the distance from a center: the rule of tanh and sinh.
        return quad(lambda u: self.density(u) * self.profile(copies - 1, epsilon - self.loss(u)), places,
                    maxdegree=7)


def three_dimensions(beta, epsilon):
    """Two copies of the l2 mechanism in three dimensions."""
    beta = mpf(beta)

    def radius(r):
        return beta ** 3 * r * r * exp(-beta * r) / 2

    def tail(level, r):  # P[L > level] at this radius
        far = r + level / beta
        if far <= 0:
            return mpf(1)
        w = (far * far - r * r - 1) / (2 * r)
        return mpf(1) if w <= -1 else mpf(0) if w >= 1 else (1 - w) / 2

    def one(level):
        if level >= beta:
            return mpf(0)
        if level <= -beta:
            return 1 - exp(level)
        cuts = sorted({mpf(0), (1 - level / beta) / 2, (1 + level / beta) / 2, mpf(2), mpf(8), 80 / beta})
        above = quad(lambda r: radius(r) * tail(level, r), cuts)
        below = quad(lambda r: radius(r) * (1 - tail(-level, r)), cuts)
        return above - exp(level) * below

    # The law of L from its tails: E[D_1(e - L)] by parts, D_1' from the tails too.
    def above_x(level):
        cuts = sorted({mpf(0), (1 - level / beta) / 2, (1 + level / beta) / 2, mpf(2), mpf(8), 80 / beta})
        return quad(lambda r: radius(r) * tail(level, r), cuts)

    def slope(level):  # -D_1' = e^level P_Y[L > level]
        if level >= beta:
            return mpf(0)
        return exp(level) * (1 - above_x(-level)) if level > -beta else exp(level)

    low, high = -beta, beta
    split = sorted({low, high, min(max(epsilon - beta, low), high), min(max(epsilon + beta, low), high)})
    # E[D(e - L)] = D(e - low) + integral of P[L > l] (-D')(e - l) dl.
    return one(epsilon - low) + quadgl(lambda l: above_x(l) * slope(epsilon - l), split, maxdegree=4)


rows = []
for beta, p, copies, epsilon in [("0.3", "1.5", 2, 2), ("0.3", "3", 2, 2), ("1", "1.2", 2, 1)]:
    value = OneDimension(beta, p).profile(copies, mpf(epsilon))
    rows.append({"dimension": 1, "alpha": 0, "beta": float(beta), "p": float(p), "copies": copies,
                 "epsilon": epsilon, "delta": mp.nstr(value, 12), "digits": 10})
    print(rows[-1], flush=True)
mp.dps = 15
value = three_dimensions("0.7", mpf("0.5"))
rows.append({"dimension": 3, "alpha": 2, "beta": 0.7, "p": 1.0, "copies": 2, "epsilon": 0.5,
             "delta": mp.nstr(value, 12), "digits": 8})
print(rows[-1])
pathlib.Path(__file__).with_name("few_copies.json").write_text(
    "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
