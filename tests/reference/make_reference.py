#!/usr/bin/python3
"""Writes the reference files of this directory. See README.md.

    make_reference.py            all files
    make_reference.py NAME ...   only these, e.g. gaussian_spectra renyi
"""
import json
import os
import sys
import time

from mpmath import mp, mpf

import mechanisms
import routes

HERE = os.path.dirname(os.path.abspath(__file__))
DIGITS = 25


def text(value):
    with mp.workdps(40):
        return "inf" if value == mp.inf else mp.nstr(mpf(value), DIGITS)


def write(name, rows):
    with open(os.path.join(HERE, name + ".json"), "w") as out:
        out.write("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


# ---------------------------------------------------------------- gaussian_spectra

TINY = 2.0 ** -30

ONE_DIMENSION = [  # mean, variance ratio, epsilon
    (0.0, 1e-6, 0.0), (0.0, 1e-6, 3.0), (0.5, 1e-6, 1.0), (0.0, 1e-6, -5.0), (2.0, 1e-6, 4.0),
    (0.0, 0.01, 0.1), (0.3, 0.01, 2.0), (1.5, 0.01, 3.0), (0.0, 0.01, 30.0), (4.0, 0.01, 9.0),
    (0.0, 0.5, 0.0), (0.0, 0.5, 0.25), (1.0, 0.5, 1.0), (1.0, 0.5, 1.34), (0.1, 0.5, 0.35), (3.0, 0.5, 8.0),
    (0.01, 0.5, -0.1), (-2.0, 0.5, 4.0), (10.0, 0.5, 90.0), (30.0, 0.5, 700.0), (0.9, 0.875, 3.0),
    (0.2, 0.99, 1.0), (0.2, 0.99, 1.9), (0.0, 0.999, 0.0), (0.0, 0.999, 0.0005), (1.0, 0.999, 30.0),
    (0.0, 1 - TINY, 0.0), (0.01, 1 - TINY, 0.0), (0.01, 1 - TINY, 0.05), (1.0, 1 - TINY, 4.0), (0.9, 1 - TINY, 30.0),
    (TINY, 1 - TINY, 0.0), (TINY, 1 + TINY, 0.0), (0.0, 1 + TINY, 0.0), (0.0, 1 + TINY, 1e-9), (0.0, 1 + TINY, 1e-7),
    (0.0, 1 + TINY, 1.0), (0.01, 1 + TINY, 0.1), (0.01, 1 + TINY, 0.3), (1.0, 1 + TINY, 1.0), (0.9, 1 + TINY, 30.0),
    (3.0, 1 + TINY, -5.0), (0.5, 1 + 2.0 ** -52, 2.0), (0.5, 1 - 2.0 ** -53, 2.0), (0.01, 1 + 2.0 ** -44, 0.2),
    (1.0, 1.000001, 1.0), (0.01, 1.000001, 0.36), (0.0, 1.000001, 1e-4),
    (0.0, 1.01, 1.0), (0.0, 1.01, 3.4), (0.2, 1.01, 1.0), (0.2, 1.01, 4.0), (-0.7, 1.01, 20.0),
    (0.2079, 1.1552, 4.0), (0.0, 1.1552, 90.0), (0.0, 1.1552, 1000.0), (5.0, 1.1552, 0.0),
    (0.0, 2.0, 0.0), (0.0, 2.0, 1.0), (0.0, 2.0, -0.3), (0.0, 2.0, -5.0), (1.0, 2.0, 1.0), (1.0, 2.0, 30.0),
    (0.0, 2.0, 690.0), (0.0, 2.0, 1e4), (3.0, 2.0, 1e4), (30.0, 2.0, 100.0), (50.0, 2.0, 0.5),
    (0.0, 10.0, 0.5), (1.0, 10.0, 4.0), (0.1, 10.0, 700.0), (-6.0, 10.0, 6000.0),
    (0.0, 1000.0, 0.0), (2.0, 1000.0, 10.0), (0.0, 1000.0, 1e4),
    (0.0, 1e6, 1.0), (1.0, 1e6, 40.0), (0.0, 1e12, 0.0), (0.0, 1e12, 4.0), (5.0, 1e12, -2.0), (1e6, 1e12, 1e4),
]

EQUAL_COVARIANCE = [  # distance, epsilon
    (0.001, 0.0), (0.001, 0.0001), (0.001, 0.004), (0.001, 0.03), (0.01, 0.1), (0.01, 0.37), (0.1, -5.0), (0.1, 0.5),
    (0.1, 1.0), (0.1, 3.69), (0.5, 1.0), (0.5, 12.0), (1.0, -1.0), (1.0, 0.0), (1.0, 1.0), (1.0, 37.0), (2.5, 10.0),
    (10.0, 50.0), (10.0, 400.0), (20.0, 700.0), (50.0, 700.0), (50.0, 0.0), (3.0, 700.0),
]

REPEATED_EQUAL = [  # mean, multiplicity, epsilon
    (1e-5, 10 ** 9, 1.0), (1e-6, 10 ** 9, 0.1), (3e-5, 10 ** 9, 0.0), (2.5e-5, 10 ** 9, 30.0), (0.001, 10 ** 6, 2.0),
]

CENTRAL = [  # variance ratio, multiplicity, epsilon
    (1.5, 2, 0.0), (1.5, 2, 1.0), (4.0, 2, 30.0), (0.5, 2, 0.5), (0.5, 2, 0.69), (1 + TINY, 2, 0.0), (1.0204081632653061, 2, 4.0),
    (1.5, 7, 0.25), (1.5, 7, 1.0), (1.1, 7, 1.0), (0.9, 7, 0.3), (1.0625, 7, 40.0), (3.0, 7, -1.0), (1e6, 7, 10.0),
    (1.5, 50, 1.0), (1.05, 50, 1.0), (1.05, 50, 35.0), (0.95, 50, 0.5), (1.001, 50, 0.02), (1.001, 50, 0.6),
    (1.0204081632653061, 500, 1.0), (1.0204081632653061, 500, 15.0), (1.2, 500, 2.0), (0.98, 500, 1.0), (1.0005, 500, 0.1),
    (1.0204081632653061, 500, 4.9),
    (1.005, 10 ** 4, 1.0), (1.05, 10 ** 4, 1.0), (1.05, 10 ** 4, 40.0), (1.001, 10 ** 4, 0.5), (1.001, 10 ** 4, 3.5), (0.999, 10 ** 4, 0.1),
]

CENTRAL_HUGE = [  # variance ratio > 1, multiplicity, epsilon
    (1.001, 10 ** 6, 1.0), (1.0005, 10 ** 6, 4.0), (1.00005, 10 ** 9, 4.0), (1.00005, 10 ** 9, 20.0), (1.000015, 10 ** 10, 1.0),
    (1.0000001, 10 ** 10, 0.01),
]

NONCENTRAL = [  # mean of one coordinate, variance ratio, further coordinates, epsilon
    (0.5, 1.5, 6, 1.0), (0.5, 1.5, 6, 20.0), (1.0, 1.2, 1, 1.0), (0.3, 0.8, 2, 0.5), (0.3, 0.8, 2, -2.0), (2.0, 0.5, 3, 5.0),
    (0.2, 1.05, 49, 1.0), (1.0, 1.02, 99, 3.0), (0.1, 1.01, 999, 2.0), (3.0, 4.0, 2, 600.0), (0.75, 1.0625, 19, 45.0),
    (0.25, 0.96875, 19, 1.5),
]

DEFINITE = [  # several eigenvalues on one side of 1
    ([(0.5, 1.5, 1), (0.3, 2.0, 1)], 1.0), ([(0.5, 1.5, 1), (0.3, 2.0, 1), (0.1, 1.2, 1)], 1.0),
    ([(0.0, 1.3, 2), (0.0, 1.1, 3)], 0.5), ([(0.0, 1.3, 2), (0.0, 1.1, 3)], 60.0), ([(0.2, 0.7, 1), (0.4, 0.8, 2)], 0.75),
    ([(0.2, 0.7, 1), (-0.4, 0.9, 1)], -1.0), ([(0.1, 1.02, 10), (0.05, 1.04, 20)], 2.0), ([(1.0, 3.0, 1), (2.0, 5.0, 1)], 300.0),
    ([(0.0, 0.5, 1), (0.0, 0.6, 1), (0.0, 0.8, 1)], 0.5),
]

MIXED = [  # one coordinate is integrated out
    ([(0.01, 1 + 1e-6, 1), (1.0, 0.5, 1)], 1.0), ([(0.01, 1 - 1e-6, 1), (1.0, 2.0, 1)], 1.0),
    ([(0.1037, 1.0, 1), (0.2079, 1.1552, 1)], 4.0), ([(0.1037, 1.0, 1), (0.2079, 1.1552, 1)], 0.0),
    ([(0.0, 0.5, 1), (0.0, 2.0, 1)], 0.0), ([(0.0, 0.5, 1), (0.0, 2.0, 1)], 1.0), ([(0.3, 0.8, 1), (-0.2, 1.25, 1)], 0.5),
    ([(0.3, 0.8, 1), (-0.2, 1.25, 1)], 20.0), ([(0.3, 0.8, 1), (-0.2, 1.25, 1)], -5.0), ([(0.5, 0.25, 1), (2.0, 3.0, 1)], 6.0),
    ([(1.0, 1.0, 1), (0.0, 0.5, 1)], 1.0), ([(1.0, 1.0, 1), (0.5, 1.01, 1)], 8.0), ([(0.5, 1.0, 1), (0.0, 1.1, 2)], 1.0),
    ([(0.5, 1.0, 1), (0.0, 0.9, 2)], 1.0), ([(0.0, 1.5, 2), (0.3, 0.5, 1)], 1.0), ([(0.0, 1.5, 2), (0.3, 0.5, 1)], 25.0),
    ([(0.0, 0.75, 2), (0.1, 1.5, 1)], 2.0), ([(0.02, 1 + TINY, 1), (0.01, 0.999, 1)], 0.05),
    ([(0.0, 1.02, 300), (0.25, 1.0, 1)], 3.0), ([(0.0, 1.02, 300), (0.25, 0.875, 1)], 3.0),
    ([(0.5, 1.5, 1), (0.3, 0.5, 1), (0.1, 1.2, 1)], 1.0), ([(0.2, 0.7, 1), (0.4, 0.8, 1), (0.3, 1.5, 1)], 0.25),
]


def gaussian_spectra():
    cases = []
    for m, t, e in ONE_DIMENSION:
        cases.append(("d=1", [(m, t, 1)], e, None))
    for m, e in EQUAL_COVARIANCE:
        cases.append(("equal covariance", [(m, 1.0, 1)], e, None))
    for m, n, e in REPEATED_EQUAL:
        cases.append(("equal covariance repeated", [(m, 1.0, n)], e, None))
    for t, n, e in CENTRAL:
        cases.append(("central", [(0.0, t, n)], e, None))
    for t, n, e in CENTRAL_HUGE:
        cases.append(("central huge", [(0.0, t, n)], e, lambda t=t, n=n, e=e: routes.central_delta_by_radius(t, n, e)))
    for m, t, n, e in NONCENTRAL:
        cases.append(("non-central", [(m, t, 1), (0.0, t, n)], e, None))
    for comps, e in DEFINITE:
        cases.append(("one-sided", comps, e, None))
    for comps, e in MIXED:
        cases.append(("mixed", comps, e, None))
    rows = []
    for kind, comps, e, route in cases:
        forward, back = route() if route else routes.spectrum_delta(comps, e)
        rows.append({
            "name": "%s %s eps=%r" % (kind, " ".join("(%r, %r)x%d" % c for c in comps), e),
            "epsilon": e,
            "components": [{"mean": m, "variance_ratio": t, "multiplicity": n} for m, t, n in comps],
            "delta_forward": text(forward), "delta_reverse": text(back)})
        yield rows[-1]


# ---------------------------------------------------------------- descriptions

def counted(d, count):
    return dict(d, count=count) if count != 1 else d


def pure(e, count=1):
    return counted({"mechanism": "pure", "epsilon": e}, count)


def approximate(e, d, count=1):
    return counted({"mechanism": "approximate", "epsilon": e, "delta": d}, count)


def response(p, count=1):
    return counted({"mechanism": "randomized_response", "truth_probability": p}, count)


def laplace(scale, sensitivity, count=1):
    return counted({"mechanism": "laplace", "scale": scale, "sensitivity": sensitivity}, count)


def gaussian(deviation, sensitivity, count=1):
    return counted({"mechanism": "gaussian", "standard_deviation": deviation, "sensitivity": sensitivity}, count)


def gdp(mu):
    return {"mechanism": "gaussian_dp", "mu": mu}


def projection(columns, leverage, count=1):
    return counted({"mechanism": "random_projection", "columns": columns, "leverage": leverage}, count)


def spectrum(*comps):
    return {"mechanism": "gaussian_spectrum",
            "components": [{"mean": m, "variance_ratio": t, "multiplicity": n} for m, t, n in comps]}


def compose(*parts):
    return {"compose": list(parts)}


TEN = compose(*[pure(e) for e in (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.55, 0.7, 1.0, 1.3)])

# ---------------------------------------------------------------- atomic_losses

ATOMIC = [
    (response(0.75), 0.0), (response(0.75), 0.5), (response(0.75), 2.0), (response(0.25), 0.5), (response(0.75), -2.0),
    (response(0.5), -1.0), (response(0.75, 10), 3.0), (response(0.75, 10), 8.0), (response(0.5625, 30), 1.3),
    (response(0.999, 5), 20.0), (response(0.50390625, 10 ** 6), 130.0), (response(0.501, 10 ** 9), 8100.0),
    (response(0.5000152587890625, 10 ** 9), 4.0),
    (pure(1.0), 0.0), (pure(1.0), 0.5), (pure(1.0), 1.0), (pure(1.0), 1.5), (pure(0.001), 0.0005), (pure(1.0, 2), 0.0),
    (pure(1.0, 10), 3.0), (pure(0.1, 200), 3.0), (pure(0.1, 200), 19.0), (pure(30.0, 3), 40.0), (pure(0.01, 10 ** 5), 12.5),
    (pure(0.001, 10 ** 6), 0.0), (pure(1e-5, 10 ** 9), 1.0), (pure(1e-5, 10 ** 9), 8.0), (pure(0.5, 10 ** 9), 499999990.0),
    (TEN, 0.0), (TEN, 1.25), (TEN, 4.7),
    (approximate(1.0, 1e-6), 0.5), (approximate(1.0, 1e-6), 1.0), (approximate(1.0, 1e-6, 10), 4.0),
    (approximate(0.1, 1e-9, 1000), 5.0), (compose(approximate(0.5, 1e-5), approximate(1.0, 1e-7, 2), pure(0.25, 3)), 1.0),
    (approximate(0.5, 0.25), -1.0),
    (laplace(2.0, 1.0), 0.0), (laplace(2.0, 1.0), 0.3), (laplace(2.0, 1.0), 0.5), (laplace(2.0, 1.0), -1.0),
    (laplace(0.1, 1.0), 5.0), (laplace(2.0, 1.0, 2), 0.25), (laplace(2.0, 1.0, 2), 0.99), (laplace(2.0, 1.0, 3), 1.0),
    (laplace(2.0, 1.0, 3), -0.25), (laplace(3.0, 1.0, 10), 1.0), (laplace(3.0, 1.0, 10), 3.25), (laplace(2.0, 1.0, 50), 4.0),
    (laplace(2.0, 1.0, 50), 20.0), (laplace(10.0, 1.0, 50), 2.0), (compose(laplace(2.0, 1.0, 2), laplace(3.0, 1.0, 3)), 1.5),
    (compose(laplace(2.0, 1.0, 2), pure(0.3, 2)), 1.0),
    (compose(pure(0.5), gaussian(2.0, 1.0)), 1.0), (compose(pure(0.5, 20), gaussian(2.0, 1.0, 4)), 6.0),
    (compose(pure(0.5), gdp(0.5)), 15.0), (compose(response(0.75, 5), gaussian(1.0, 1.0)), -2.0),
    (compose(laplace(2.0, 1.0), gaussian(2.0, 1.0)), 1.0), (compose(laplace(2.0, 1.0), gaussian(2.0, 1.0)), 10.0),
    (compose(laplace(2.0, 1.0, 3), gaussian(2.0, 1.0)), 2.0), (compose(laplace(5.0, 1.0, 2), gaussian(20.0, 1.0)), 0.3),
    (compose(laplace(1.0, 1.0), pure(0.4), gaussian(3.0, 1.0)), 1.0),
    (compose(laplace(4.0, 1.0, 10), gaussian(10.0, 1.0, 10)), 2.0),
    (compose(approximate(0.5, 1e-6), gaussian(4.0, 1.0)), 1.0), (compose(approximate(0.1, 1e-10, 10), gaussian(4.0, 1.0)), 3.0),
    (compose(projection(10, 0.05), pure(0.25)), 0.5), (compose(projection(300, 0.02), pure(0.25, 2)), 1.0),
    (compose(projection(1, 0.5), response(0.75)), 2.0), (compose(projection(7, 0.1), approximate(0.2, 1e-8)), 0.3),
    (compose(projection(3, 0.1), laplace(2.0, 1.0)), 0.5), (compose(spectrum((0.3, 0.8, 1), (-0.2, 1.25, 1)), pure(0.5)), 1.0),
]


def label(d):
    if "compose" in d:
        return " + ".join(label(p) for p in d["compose"])
    values = []
    for k, v in d.items():
        if k not in ("mechanism", "count"):
            values.append(" ".join("(%r, %r)x%d" % tuple(c.values()) for c in v) if k == "components" else repr(v))
    return d["mechanism"] + " " + " ".join(values) + (" x%d" % d["count"] if "count" in d else "")


def atomic_losses():
    for d, e in ATOMIC:
        forward, back = mechanisms.delta(d, e)
        yield {"name": "%s eps=%r" % (label(d), e), "description": d, "epsilon": e,
               "delta_forward": text(forward), "delta_reverse": text(back)}


# ---------------------------------------------------------------- epsilon_at_delta

EPSILON = [
    (gaussian(1.0, 1.0), 1e-5), (gaussian(50.0, 1.0, 1000), 1e-6), (gaussian(0.1, 1.0), 1e-9), (gaussian(1.0, 1.0), 1e-300),
    (gaussian(1000.0, 1.0), 1e-12), (gaussian(4.0, 1.0), 0.125), (gdp(0.5), 1e-8),
    (projection(300, 0.02), 1e-6), (projection(1, 0.5), 1e-9), (projection(10000, 0.001), 1e-10), (projection(50, 0.25, 4), 0.01),
    (laplace(2.0, 1.0), 0.001), (laplace(3.0, 1.0, 10), 1e-6), (laplace(2.0, 1.0, 50), 1e-8),
    (pure(1.0), 0.001), (pure(0.1, 1000), 1e-6), (response(0.75, 30), 1e-10), (approximate(1.0, 1e-6), 1e-5),
    (approximate(0.1, 1e-8, 100), 2e-6), (compose(approximate(0.5, 1e-6), gaussian(4.0, 1.0)), 1e-5),
    (compose(pure(0.5, 3), gaussian(2.0, 1.0)), 1e-7), (compose(laplace(2.0, 1.0), gaussian(2.0, 1.0)), 1e-5),
    (spectrum((0.3, 0.8, 1), (-0.2, 1.25, 1)), 1e-5), (compose(projection(300, 0.02), gaussian(4.0, 1.0)), 1e-6),
    (spectrum((0.9, 0.875, 1)), 1e-6),
]


def epsilon_at_delta():
    for d, target in EPSILON:
        yield {"description": d, "delta": target, "epsilon": text(mechanisms.epsilon(d, target))}


# ---------------------------------------------------------------- tradeoff

TRADEOFF = [
    (gaussian(1.0, 1.0), 0.05), (gaussian(1.0, 1.0), 1e-12), (gaussian(0.25, 1.0), 0.01), (gaussian(50.0, 1.0, 1000), 0.5),
    (pure(1.0), 0.05), (pure(1.0), 0.5), (pure(0.5, 5), 0.1), (pure(0.5, 5), 1e-12), (approximate(1.0, 0.001), 0.1),
    (laplace(2.0, 1.0), 0.1), (laplace(2.0, 1.0), 0.4), (laplace(2.0, 1.0), 0.75), (laplace(2.0, 1.0, 2), 0.2),
    (laplace(2.0, 1.0, 3), 0.01), (projection(300, 0.02), 0.05), (projection(300, 0.02), 1e-12), (projection(1, 0.5), 0.3),
    (spectrum((1.0, 2.0, 1)), 0.1), (spectrum((1.0, 2.0, 1)), 1e-12), (spectrum((0.9, 0.875, 1)), 0.01),
    (spectrum((0.5, 1.5, 1), (0.3, 2.0, 1)), 0.05), (spectrum((0.3, 0.8, 1), (-0.2, 1.25, 1)), 0.05),
    (compose(pure(0.5), gaussian(2.0, 1.0)), 0.05), (compose(approximate(0.5, 0.01), gaussian(2.0, 1.0)), 0.001),
]


def tradeoff():
    for d, level in TRADEOFF:
        yield {"description": d, "type1": level, "type2": text(mechanisms.tradeoff(d, level))}


# ---------------------------------------------------------------- renyi

RENYI = [
    (gaussian(1.0, 1.0), 0.5), (gaussian(2.0, 1.0), 1.0), (gaussian(50.0, 1.0, 1000), 10.0),
    (projection(300, 0.02), 0.5), (projection(300, 0.02), 1.0), (projection(300, 0.02), 2.0), (projection(300, 0.02), 37.5),
    (projection(10 ** 6, 1e-5), 10.0),
    (spectrum((0.3, 0.8, 1), (-0.2, 1.25, 2)), 1.0), (spectrum((0.3, 0.8, 1), (-0.2, 1.25, 2)), 2.75),
    (spectrum((1.0, 2.0, 1)), 1.5), (spectrum((1.0, 2.0, 1)), 2.5), (spectrum((0.01, 1 + TINY, 10 ** 9)), 2.0),
    (pure(1.0), 1.0), (pure(1.0), 10.0), (response(0.75, 7), 0.5), (laplace(2.0, 1.0), 0.5), (laplace(2.0, 1.0), 1.0),
    (laplace(2.0, 1.0, 3), 3.3), (compose(laplace(2.0, 1.0), gaussian(2.0, 1.0), pure(0.5), projection(7, 0.1)), 2.0),
    (approximate(1.0, 0.001), 0.5),
]


def renyi():
    for d, order in RENYI:
        yield {"description": d, "order": order, "divergence": text(mechanisms.renyi(d, order))}


FILES = {"gaussian_spectra": gaussian_spectra, "atomic_losses": atomic_losses, "epsilon_at_delta": epsilon_at_delta,
         "tradeoff": tradeoff, "renyi": renyi}


def main(names):
    for name in names or FILES:
        start, rows = time.time(), []
        for row in FILES[name]():
            rows.append(row)
            if os.environ.get("VERBOSE"):
                print("%7.1f" % (time.time() - start), row, flush=True)
        write(name, rows)
        print("%s: %d cases, %.0f s" % (name, len(rows), time.time() - start))


if __name__ == "__main__":
    main(sys.argv[1:])
