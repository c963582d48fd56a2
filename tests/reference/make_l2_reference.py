#!/usr/bin/env python3
"""Profiles of two answers of l2 noise, by a double integral over angles: writes l2_copies.json.

With b the range, x = b/2 and n = (T-2)/2 the loss of one answer is b sin v, v of the density
(x/2)^n / (sqrt(pi) Gamma((T-1)/2)) cos(v)^(T-2) e^(x sin v) (x K_{n+1}(x) + x^2 K_n(x)/(T-1) cos(v)^2).
"""
import json
import pathlib

from mpmath import asin, besselk, cos, exp, gamma, mp, mpf, pi, quad, sin, sqrt

mp.dps = 25
CASES = [(2, 1, 1.9), (2, 1, 0.5), (2, 4, 5), (3, 2, 3.97), (3, 0.1, 0.15), (4, 0.5, 0.75), (5, 3, 4), (10, 2, 2)]


def profile(dimension, width, epsilon):
    b, e, n = mpf(width), mpf(epsilon), mpf(dimension - 2) / 2
    x = b / 2
    scale = (x / 2) ** n / (sqrt(pi) * gamma(n + mpf(1) / 2))
    first, second = scale * x * besselk(n + 1, x), scale * x ** 2 * besselk(n, x) / (dimension - 1)

    def density(v):
        return cos(v) ** (dimension - 2) * exp(x * sin(v)) * (first + second * cos(v) ** 2)

    def given(u):
        least = (e - b * sin(u)) / b
        if least >= 1:
            return mpf(0)
        start = -pi / 2 if least <= -1 else asin(least)
        return quad(lambda v: density(v) * (1 - exp(e - b * sin(u) - b * sin(v))), [start, pi / 2])

    start = max(mpf(-1), e / b - 1)
    places = [asin(start), pi / 2] if start > -1 else [-pi / 2, pi / 2]
    return quad(lambda u: density(u) * given(u), places)


def main():
    rows = []
    for dimension, width, epsilon in CASES:
        delta = mp.nstr(profile(dimension, width, epsilon), 16)
        rows.append({"dimension": dimension, "range": width, "copies": 2, "epsilon": epsilon, "delta": delta,
                     "digits": 14})
    text = "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"
    pathlib.Path(__file__).with_name("l2_copies.json").write_text(text)


if __name__ == "__main__":
    main()
