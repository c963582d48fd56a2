#!/usr/bin/python3
"""Second opinions on the reference files.

gaussian_pairs: the pair is reduced to its spectrum and put through the inversion integral below.
gaussian_spectra: the inversion integral along a hyperbola (trapezium rule, step halved until it settles), and the duality
    delta_reverse(e) = 1 - e^e + e^e delta_forward(-e).
atomic_losses: duality; composed Laplace losses with and without a Gaussian by repeated one-dimensional quadrature.
epsilon_at_delta: delta just above and just below the epsilon stated.
tradeoff: type2 = sup over e of 1 - delta(e) - e^e type1, a search over the profiles.
renyi: closed forms.
"""
import json
import os
import sys

from mpmath import mp, mpf, mpc

import mechanisms
import routes

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = mpf(10) ** -22


def log_moment(comps, z):
    total = mpc(0)
    for m, t, n in comps:
        w = 1 + z * (1 - t)
        total += n * (-z / 2 * mp.log(t) - mp.log(w) / 2 + z * (1 + z) * m * m / (2 * w))
    return total


def by_inversion(comps, e):
    """Forward delta(e), or None if neither bend settles."""
    comps, e = [(mpf(m), mpf(t), n) for m, t, n in comps], mpf(e)
    top = min([1 / (t - 1) for _, t, _ in comps if t > 1] or [mp.inf])

    def exponent(z):
        return log_moment(comps, z) - e * z - mp.log(z) - mp.log(1 + z)

    def real(c):
        return mp.re(exponent(c))
    lo, hi = mpf(0), top
    if top == mp.inf:
        hi = mpf(1)
        while real(2 * hi) < real(hi):
            hi *= 2
        hi *= 2
    for _ in range(100):
        a, b = lo + (hi - lo) * mpf("0.382"), lo + (hi - lo) * mpf("0.618")
        lo, hi = (lo, b) if real(a) < real(b) else (a, hi)
    c = (lo + hi) / 2
    peak, h = real(c), min(c, top - c) / 1000
    scale = min(1 / mp.sqrt((real(c + h) - 2 * peak + real(c - h)) / h ** 2), c, top - c)

    def run(s, step):
        total, u = mpf(0), mpf(0)
        while u < 60:
            z = c + s * scale * (mp.cosh(u) - 1) + 2j * scale * mp.sinh(u)
            dz = s * scale * mp.sinh(u) + 2j * scale * mp.cosh(u)
            term = mp.exp(exponent(z) - peak) * dz
            if abs(term) > mpf(10) ** 4 * scale:
                return None
            total += mp.im(term) / (2 if u == 0 else 1)
            if abs(term) < scale * mpf(10) ** -33:
                return mp.exp(peak) * total * step / mp.pi
            u += step
        return None
    for s in (-1, 1):
        step, last = mpf(1) / 8, None
        for _ in range(9):
            value = run(s, step)
            if value is None:
                break
            if last is not None and abs(value - last) <= abs(value) * TOLERANCE / 100:
                return value
            last, step = value, step / 2
    return None


count = {"agree": 0, "differ": 0, "no second opinion": 0}


def compare(label, value, other, tolerance=TOLERANCE):
    if other is None:
        verdict = "no second opinion"
    else:
        error = abs(value - other) / abs(value) if value else abs(other)
        verdict = "agree" if error <= tolerance else "differ"
    if verdict != "agree":
        print(verdict, label, mp.nstr(value, 25), other if other is None else mp.nstr(other, 25))
    count[verdict] += 1


def load(name):
    return json.load(open(os.path.join(HERE, name + ".json")))


def pairs():
    for row in load("gaussian_pairs"):
        with mp.workdps(80):
            s1, s2 = mp.matrix(row["covariance1"]), mp.matrix(row["covariance2"])
            root = mp.cholesky(s2) ** -1
            shift = root * (mp.matrix(row["mean1"]) - mp.matrix(row["mean2"]))
            values, vectors = mp.eigsy(root * s1 * root.T)
            means = vectors.T * shift
            comps = [(means[i], values[i], 1) for i in range(len(means))]
            comps = [(m, mpf(1) if abs(t - 1) < mpf(10) ** -60 else t, n) for m, t, n in comps]
            for direction, key in ((list, "delta_forward"), (routes.reverse, "delta_reverse")):
                value = mpf(row[key])
                if value:
                    compare(row["name"] + " " + key, value, by_inversion(direction(comps), row["epsilon"]))
                else:
                    turned = [c for c in direction(comps) if c[0] or c[1] != 1]
                    top = routes.extremum(turned) if all(t < 1 for _, t, _ in turned) else mp.inf
                    compare(row["name"] + " " + key, mpf(1), mpf(row["epsilon"] >= top))


def spectra():
    for row in load("gaussian_spectra"):
        comps = [(c["mean"], c["variance_ratio"], c["multiplicity"]) for c in row["components"]]
        e = row["epsilon"]
        for direction, key in ((list, "delta_forward"), (routes.reverse, "delta_reverse")):
            with mp.workdps(70):
                value = mpf(row[key])
                if value:
                    compare(row["name"] + " " + key, value, by_inversion(direction(comps), e))
        with mp.workdps(40):
            if routes.smooth(comps) or max(n for _, _, n in comps) > 10 ** 5:
                continue
        for first, key in ((routes.reverse, "delta_forward"), (list, "delta_reverse")):
            value = mpf(row[key])
            if value > mpf(10) ** -200:
                with mp.workdps(250 + int(abs(e))):
                    power = mp.exp(routes.exact(e))
                    other = 1 - power + power * routes.profile_spectrum(first(comps))(-routes.exact(e))
                compare(row["name"] + " duality", value, other)


def repeated_laplace(d, e, size):
    """Laplace losses one by one around a Gaussian profile (or none): nested quadrature, two Laplace losses at most.

    size: about the answer; the quadrature stops at an absolute error.
    """
    lift = 1 / size if size else mpf(1)
    made = mechanisms.Composition(d)
    scales = [a for a, n in made.laplace for _ in range(n)]
    if not scales or len(scales) > 2 or made.binary or any(t != 1 for _, t, _ in made.spectrum):
        return None
    inner = routes.profile_spectrum(made.spectrum) if made.spectrum else routes.everything
    kinks = [] if made.spectrum else [mpf(0)]
    for a in scales:
        def outer(x, inner=inner, a=a, kinks=tuple(kinks)):
            cuts = sorted([-a, a] + [x - k for k in kinks if -a < x - k < a])
            return (inner(x - a) / 2 + inner(x + a) * mp.exp(-a) / 2
                    + mp.quad(lambda l: mp.exp((l - a) / 2) / 4 * inner(x - l) * lift, cuts) / lift)
        inner, kinks = outer, [k + s for k in kinks for s in (-a, a)]
    return inner(mpf(e))


def atomic():
    for row in load("atomic_losses"):
        d, e = row["description"], row["epsilon"]
        heavy = mechanisms.needs_quadrature(d)
        with mp.workdps(60):
            if max([n for _, n in mechanisms.Composition(d).binary] or [0]) > 10 ** 7:
                continue
        for first, key in ((routes.reverse, "delta_forward"), (list, "delta_reverse")):
            value = mpf(row[key])
            if value > mpf(10) ** (-5 if heavy else -250):
                with mp.workdps(60 if heavy else 350):
                    power = mp.exp(routes.exact(e))
                    other = 1 - power + power * mechanisms.profile(d, first)(-routes.exact(e))
                compare(row["name"] + " duality", value, other)
        with mp.workdps(32):
            other = repeated_laplace(d, e, mpf(row["delta_forward"]))
            if other is not None:
                compare(row["name"] + " quadrature", mpf(row["delta_forward"]), other, mpf(10) ** -18)


def epsilons():
    for row in load("epsilon_at_delta"):
        d = row["description"]
        with mp.workdps(mechanisms.working_digits(d)):
            e = mpf(row["epsilon"])
            both = [mechanisms.profile(d, s) for s in (list, routes.reverse)]
            slack, target = e * mpf(10) ** -24, routes.exact(row["delta"])
            met = max(f(e + slack) for f in both) <= target
            needed = e == 0 or max(f(e - slack) for f in both) > target
            compare("epsilon %s" % d, mpf(1), mpf(met and needed))


def sup_form(d, direction, type1):
    """sup over e of 1 - delta(e) - e^e type1 by golden sections."""
    f = mechanisms.profile(d, direction)

    def g(e):
        return 1 - f(e) - mp.exp(e) * type1
    grid = [(g(mpf(k) / 4), mpf(k) / 4) for k in range(-60, 130)]
    _, best = max(grid)
    lo, hi = best - mpf(1) / 4, best + mpf(1) / 4
    ratio = (mp.sqrt(5) - 1) / 2
    a, b = hi - ratio * (hi - lo), lo + ratio * (hi - lo)
    ga, gb = g(a), g(b)
    for _ in range(90 if mechanisms.needs_quadrature(d) is False else 55):
        if ga > gb:
            hi, b, gb = b, a, ga
            a = hi - ratio * (hi - lo)
            ga = g(a)
        else:
            lo, a, ga = a, b, gb
            b = lo + ratio * (hi - lo)
            gb = g(b)
    return max(ga, gb, mpf(0))


def tradeoffs():
    for row in load("tradeoff"):
        d = row["description"]
        with mp.workdps(52 if mechanisms.needs_quadrature(d) else 70):
            other = min(sup_form(d, s, mpf(row["type1"])) for s in (list, routes.reverse))
            compare("tradeoff %s %s" % (d, row["type1"]), mpf(row["type2"]), other, mpf(10) ** -17)


def renyis():
    for row in load("renyi"):
        d, order = row["description"], row["order"]
        with mp.workdps(60):
            made, a = mechanisms.Composition(d), mpf(order)
            if a == 1:
                a += mpf(10) ** -25
            both = []
            for direction in (list, routes.reverse):
                total = made.log_finite / (a - 1)
                for m, t, n in direction(made.spectrum):
                    w = 1 - (a - 1) * (t - 1)
                    if w <= 0:
                        total = mp.inf
                        break
                    total += n * mp.re(log_moment([(m, t, 1)], a - 1)) / (a - 1)
                for l, n in made.binary:
                    p = 1 / (1 + mp.exp(-l))
                    total += n * mp.log(p ** a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1)
                for s, n in made.laplace:
                    if a == 0.5:
                        total += n * -2 * (mp.log1p(s / 2) - s / 2)
                    else:
                        total += n * mp.log(a / (2 * a - 1) * mp.exp((a - 1) * s)
                                            + (a - 1) / (2 * a - 1) * mp.exp(-a * s)) / (a - 1)
                both.append(total)
            if row["divergence"] == "inf":
                compare("renyi %s" % d, mpf(1), mpf(1) if max(both) == mp.inf else mpf(0))
            else:
                compare("renyi %s %s" % (d, order), mpf(row["divergence"]), max(both))


def main(names):
    mp.dps = 50
    for part in (pairs, spectra, atomic, epsilons, tradeoffs, renyis):
        if names and part.__name__ not in names:
            continue
        part()
        print(part.__name__, count, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
