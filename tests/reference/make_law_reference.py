#!/usr/bin/python3
"""Writes subsampled.json, composed_laws.json and spherical.json. See README.md.

    make_law_reference.py            all three
    make_law_reference.py NAME ...   only these

VERBOSE=1 prints each row; REUSE=1 keeps what spherical.json already has.
"""
import json
import os
import sys
import time

from mpmath import mp, mpf

import law_routes as laws
import routes
from law_routes import FORWARD, REVERSE, Line, Part, agree
from make_reference import HERE, compose, counted, gaussian, label, laplace, text

mp.dps = 50
VERBOSE = bool(os.environ.get("VERBOSE"))


def note(*what):
    if VERBOSE:
        print("%7.1f" % (time.time() - START), *what, flush=True)


def write(name, sections):
    with open(os.path.join(HERE, name + ".json"), "w") as out:
        out.write("{\n" + ",\n".join('"%s": [\n%s\n]' % (key, ",\n".join(json.dumps(row) for row in rows))
                                     for key, rows in sections.items()) + "\n}\n")


def subsampled_gaussian(deviation, sensitivity, rate, count=1):
    return counted({"mechanism": "subsampled_gaussian", "standard_deviation": deviation, "sensitivity": sensitivity,
                    "sampling_rate": rate}, count)


def subsampled_laplace(scale, sensitivity, rate, count=1):
    return counted({"mechanism": "subsampled_laplace", "scale": scale, "sensitivity": sensitivity, "sampling_rate": rate}, count)


def bounded_range(eta, count=1):
    return counted({"mechanism": "bounded_range", "range": eta}, count)


def spherical_noise(t, alpha, beta, p, s, count=1):
    return counted({"mechanism": "spherical_generalized_gamma", "dimension": t, "alpha": alpha, "beta": beta, "p": p,
                    "sensitivity": s}, count)


def law_of(d):
    kind = d["mechanism"]
    if kind == "subsampled_gaussian":
        return ("gaussian", mpf(d["sampling_rate"]), mpf(d["sensitivity"]) / mpf(d["standard_deviation"]))
    if kind == "subsampled_laplace":
        return ("laplace", mpf(d["sampling_rate"]), mpf(d["sensitivity"]) / mpf(d["scale"]))
    if kind == "gaussian":
        return ("plain", (mpf(d["sensitivity"]) / mpf(d["standard_deviation"])) ** 2)
    if kind == "laplace":
        return ("double", mpf(d["sensitivity"]) / mpf(d["scale"]))
    if kind == "bounded_range":
        return ("range", mpf(d["range"]))
    assert kind == "spherical_generalized_gamma" and d["p"] == 1.0 and d["alpha"] == d["dimension"] - 1
    return ("l2", d["dimension"], mpf(d["sensitivity"]) * mpf(d["beta"]))


def parts_of(d):
    return [Part(law_of(x), x.get("count", 1)) for x in d.get("compose", [d])]


# ---------------------------------------------------------------- subsampled

RATES = (1e-4, 0.01, 0.1, 0.5, 1.0)
SIZES = ((0.3, 1.0), (0.5, 1.0), (1.0, 1.0), (4.0, 2.0), (10.0, 1.0))
EPSILONS = (-0.5, 0.0, 0.1, 1.0, 3.0, 8.0)
TINY = mpf(10) ** -300
RENYI_LAWS = ((0.01, 1.0), (0.1, 0.5), (0.001, 0.7), (0.5, 2.0), (0.2, 5.0), (1e-4, 0.3))
ORDERS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
FRACTIONS = (0.5, 1.0, 1.01, 1.25, 1.5, 2.5, 7.5, 33.3)


def subsampled():
    profile, renyi = [], []
    for make in (subsampled_gaussian, subsampled_laplace):
        for q in RATES:
            for size, s in SIZES:
                d = make(size, s, q)
                law = law_of(d)
                for e in EPSILONS:
                    values = {}
                    for name, direction in (("delta_forward", FORWARD), ("delta_reverse", REVERSE)):
                        value = laws.subsampled_profile(law, direction)(mpf(e))
                        other = laws.subsampled_direct(law, direction, mpf(e))
                        if law[0] == "laplace" and value < mpf(10) ** -40:
                            value = mpf(0)  # the end of the support, up to rounding
                        if value:
                            if value > TINY:
                                agree("%s %r %d" % (label(d), e, direction), value, other, 25)
                        elif other > mpf(10) ** -40:
                            raise ArithmeticError("not zero: %s" % d)
                        values[name] = value
                    if any(0 < v < TINY for v in values.values()):
                        continue
                    profile.append({"name": "%s eps=%r" % (label(d), e), "description": d, "epsilon": e,
                                    **{k: text(v) for k, v in values.items()}})
    note("subsampled profile", len(profile))
    for q, sigma in RENYI_LAWS:
        d = subsampled_gaussian(sigma, 1.0, q)
        law = law_of(d)
        for order in ORDERS + FRACTIONS:
            values = []
            for direction in (FORWARD, REVERSE):
                value = laws.renyi_quadrature(law, direction, order, mpf(1) / 12)
                if direction == FORWARD and isinstance(order, int):
                    other = laws.renyi_binomial(law, order)
                else:
                    other = laws.renyi_adaptive(law, direction, order)
                values.append(agree("renyi %s %r %d" % (label(d), order, direction), other, value, 22))
            renyi.append({"description": d, "order": float(order), "divergence_forward": text(values[0]),
                          "divergence_reverse": text(values[1])})
        note("renyi", q, sigma)
    return {"profile": profile, "renyi": renyi}


# ---------------------------------------------------------------- compositions

DELTAS = (0.1, 1e-3, 1e-5, 1e-10, 1e-15, 1e-20)
INVERTED = (1e-5, 1e-10, 1e-15)

FOURIER = [subsampled_gaussian(1.0, 1.0, 0.01, n) for n in (100, 1000, 10000)] + [
    subsampled_gaussian(0.7, 1.0, 0.001, 10000), subsampled_gaussian(5.0, 1.0, 0.2, 200), subsampled_gaussian(2.0, 1.0, 0.5, 20),
    compose(subsampled_gaussian(1.0, 1.0, 0.01, 500), gaussian(5.0, 1.0, 3), laplace(10.0, 1.0, 4)),
    subsampled_laplace(1.0, 1.0, 0.05, 1000)]
TWICE = (subsampled_gaussian(1.0, 1.0, 0.01, 2), (0.0, 0.001, 0.005, 0.012, 0.018, 0.02, 0.1, 0.2, 0.67, 1.9, 4.1))
PIECES = [(subsampled_laplace(1.0, 1.0, 0.05, 2), (0.0, 0.02, 0.05, 0.1, 0.125, 0.16)),
          (subsampled_laplace(1.0, 1.0, 0.05, 50), (0.1, 0.5, 1.0, 2.0, 3.0, 3.9))]
RANGES = [(bounded_range(0.1), (-0.25, -0.05, 0.0, 0.0625, 0.1)), (bounded_range(0.1, 2), (-0.05, 0.0, 0.05, 0.1, 0.19, 0.21)),
          (bounded_range(0.1, 50), (0.0, 0.5, 1.0, 1.75, 2.5, 4.0)), (bounded_range(0.1, 500), (0.0, 2.0, 5.0, 8.0, 12.0, 14.0)),
          (bounded_range(3.0, 4), (0.0, 1.0, 5.0, 11.5))]


def tilt(parts, direction, target):
    """(c, e) where the saddle-point estimate of delta is target, or None where delta(0) is below it."""
    lo, hi = mpf(1) / 8, mpf(1) / 8
    if laws.saddle_estimate(parts, lo, direction)[1] < target:
        return None
    while True:
        hi *= 2
        if laws.saddle_estimate(parts, hi, direction)[1] < target:
            break
        lo = hi
        if hi > 10 ** 6:
            return None
    for _ in range(14):
        c = (lo + hi) / 2
        if laws.saddle_estimate(parts, c, direction)[1] < target:
            hi = c
        else:
            lo = c
    e = laws.saddle_estimate(parts, lo, direction)[0]
    return (lo, e) if e > 0 else None


def rounded(e):
    return float(mp.nstr(e, 2))


def two_lines(parts, direction, c, e, digits=27):
    """Another abscissa, step, and rule for the moments."""
    return [Line(parts, direction, c, e, 0, digits), Line(parts, direction, c * mpf(15) / 16, e, 1, digits, slack=mpf(5) / 4)]


def fourier_values(parts, direction, tilts):
    """{e: delta} and {target: epsilon}."""
    found, inverse = {}, {}
    for target, (c, e) in tilts.items():
        e = mpf(rounded(e))
        try:
            lines = two_lines(parts, direction, c, e)
            first, second = (line.both(e)[0] for line in lines)
            found[float(e)] = agree("%s eps=%s" % (parts[0].law, e), first, second, 20)
            if target in INVERTED:
                inverse[target] = agree("epsilon", *(line.solve(mpf(target), e) for line in lines), 20)
        except ArithmeticError as error:
            note("LEFT OUT", error)
            continue
        note(direction, target, mp.nstr(c, 5), mp.nstr(e, 5), mp.nstr(first, 25), len(lines[0].values))
    return found, inverse


def point(parts, direction, e, digits=27):
    """delta at one more epsilon, where a good c is found by the saddle point."""
    e = mpf(e)
    lo, hi = mpf(1) / 8, mpf(1) / 8
    while laws.saddle_estimate(parts, hi, direction)[0] < e:
        lo, hi = hi, hi * 2
        if hi > 10 ** 6:
            return mpf(0) if direction == REVERSE and beyond(parts, e) else None
    for _ in range(14):
        c = (lo + hi) / 2
        if laws.saddle_estimate(parts, c, direction)[0] < e:
            lo = c
        else:
            hi = c
    c = hi
    try:
        a, b = (line.both(e)[0] for line in two_lines(parts, direction, c, e, digits))
        return agree("%s eps=%s" % (parts[0].law, e), a, b, min(20, digits - 5))
    except ArithmeticError as error:
        note("LEFT OUT", error)
        return None


def highest_reverse(parts):
    """Largest reverse loss of subsampled Gaussians, infinite when a Gaussian takes part."""
    if any(part.law[0] not in ("gaussian", "laplace") for part in parts):
        return mp.inf
    return sum(-part.count * mp.log(1 - part.law[1]
                                    + (part.law[1] * mp.exp(-part.law[2]) if part.law[0] == "laplace" else 0)) for part in parts)


def beyond(parts, e):
    return e >= highest_reverse(parts)


def composed_laws():
    profile, inverse = [], []

    def add(d, e, forward, back):
        profile.append({"name": "%s eps=%r" % (label(d), e), "description": d, "epsilon": e,
                        "delta_forward": text(forward), "delta_reverse": text(back)})

    def add_inverse(d, target, forward, back):
        inverse.append({"description": d, "delta": target, "epsilon": text(max(forward, back)),
                        "epsilon_forward": text(forward), "epsilon_reverse": text(back)})
    for d in FOURIER:
        parts = parts_of(d)
        note(label(d))
        both = {}
        for direction in (FORWARD, REVERSE):
            tilts = {t: x for t, x in ((t, tilt(parts, direction, mpf(t))) for t in DELTAS) if x}
            both[direction] = fourier_values(parts, direction, tilts)
        for e in sorted(set(both[FORWARD][0]) | set(both[REVERSE][0])):
            pair = []
            for direction in (FORWARD, REVERSE):
                value = both[direction][0].get(e)
                if value is None:
                    value = mpf(0) if direction == REVERSE and beyond(parts, mpf(e)) else point(parts, direction, e)
                pair.append(value)
            if None in pair:
                note("left out", label(d), e)
                continue
            add(d, e, *pair)
        for target in INVERTED:
            if target in both[FORWARD][1] and target in both[REVERSE][1]:
                add_inverse(d, target, both[FORWARD][1][target], both[REVERSE][1][target])
    for d, epsilons in PIECES:
        law, count = law_of(d), d["count"]
        pair = {}
        for direction in (FORWARD, REVERSE):
            first = laws.LaplacePieces(law, direction, count, 80)
            second = laws.LaplacePieces(law, direction, count, 90)
            pair[direction] = []
            for e in epsilons:
                value, other = first(mpf(e)), second(mpf(e))
                pair[direction].append(value if value == 0 == other else agree("%s %r" % (label(d), e), value, other, 20))
                if count == 2:
                    agree("%s %r" % (label(d), e), value, laplace_twice(law, direction, mpf(e)), 22)
            if count == 50:  # |moment|^count levels off at 1e-8: the inversion integral to few digits
                agree("%s 0.5" % label(d), first(mpf(0.5)), Line(parts_of(d), direction, 4, mpf(0.5), 0, digits=8).both(mpf(0.5))[0], 4)
            for target in INVERTED:
                pair[target, direction] = invert(first, mpf(target), count * (first.low + first.width))
            note(label(d), direction)
        for e, forward, back in zip(epsilons, pair[FORWARD], pair[REVERSE]):
            add(d, e, forward, back)
        for target in INVERTED:
            add_inverse(d, target, pair[target, FORWARD], pair[target, REVERSE])
    for d, epsilons in RANGES:
        eta, count = mpf(d["range"]), d.get("count", 1)
        for e in epsilons:
            if e <= -count * d["range"]:
                value = -mp.expm1(mpf(e))
            elif e >= count * d["range"]:
                value = mpf(0)
            else:
                value = routes.settle(lambda: laws.bounded_range_profile(mpf(d["range"]), count, mpf(e)))
            if count == 1:
                other = laws.bounded_range_once(eta, mpf(e))
            elif count == 2:
                other = laws.bounded_range_twice(eta, mpf(e))
            elif count == 4:
                other = range_four(eta, mpf(e))
            else:
                c = max(tilted_range(eta, count, mpf(e)), mpf(1))
                other = Line([Part(("range", eta), count)], FORWARD, c, mpf(e)).both(mpf(e))[0]
            if value or other:
                agree("%s %r" % (label(d), e), value, other, 20)
            add(d, e, value, value)
            note(label(d), e, mp.nstr(value, 20))
        for target in INVERTED:
            if count > 100:
                parts = [Part(("range", eta), count)]
                c, e = tilt(parts, FORWARD, mpf(target))
                root = agree("epsilon", *(line.solve(mpf(target), e) for line in two_lines(parts, FORWARD, c, e)), 20)
                add_inverse(d, target, root, root)
            elif count > 1:
                root = invert(lambda e: routes.settle(lambda: laws.bounded_range_profile(mpf(d["range"]), count, mpf(e))),
                              mpf(target), count * eta)
                add_inverse(d, target, root, root)
    d, epsilons = TWICE
    law = law_of(d)
    for e in epsilons:
        pair = []
        for direction in (FORWARD, REVERSE):
            value = laws.repeated_gaussian(law, direction, 2, mpf(e), 24)
            pair.append(agree("%s %r" % (label(d), e), value, laws.repeated_gaussian(law, direction, 2, mpf(e), 33), 22)
                        if value else value)
            if e in (0.012, 0.2):  # the inversion integral decays slowly here: fewer digits
                c = 200 if direction == REVERSE else 8
                if value:
                    agree("%s %r" % (label(d), e), Line(parts_of(d), direction, c, mpf(e), 0, digits=11).both(mpf(e))[0], value, 7)
        add(d, e, *pair)
        note(label(d), e, [mp.nstr(v, 25) for v in pair])
    return {"profile": profile, "epsilon_at_delta": inverse}


def tilted_range(eta, count, e):
    """A c near the saddle point: e = count (eta coth(v eta) - 1 / v), v = c + 1/2."""
    v = mpf(1)
    while count * (eta * mp.coth(v * eta) - 1 / v) < e:
        v *= mpf(9) / 8
    return v - mpf(1) / 2


def range_four(eta, e):
    """Two and two: quadrature over the triangular law of the first two of the profile of the others."""
    constant = (mp.exp(-eta / 2) / (-2 * mp.expm1(-eta))) ** 2

    def f(l):
        return constant * mp.exp(l / 2) * (2 * eta - abs(l)) * laws.bounded_range_twice(eta, e - l)
    cuts = sorted({x for x in (-2 * eta, mpf(0), 2 * eta, e - 2 * eta, e, e + 2 * eta) if -2 * eta <= x <= 2 * eta})
    return sum(routes.gauss(f, a, b, 40) for a, b in zip(cuts, cuts[1:]) if a < e + 2 * eta)


def laplace_twice(law, direction, e):
    """The profile of one loss averaged over the other, by quadrature over the line."""
    _, q, a = law
    once = laws.subsampled_profile(law, direction)

    def f(u):
        w = 1 - q + q * mp.exp(2 * min(max(u, mpf(0)), a) - a)
        if direction == FORWARD:
            return w * once(e - mp.log(w))
        return once(e + mp.log(w))
    cuts = {mpf(0), a}
    for end in (-a, a):  # where the inner profile has a kink
        bend = mp.log(1 - q + q * mp.exp(end))
        gap = mp.expm1(direction * e - bend) + q
        if gap > 0:
            u = (mp.log(gap / q) + a) / 2
            if 0 < u < a:
                cuts.add(u)
    cuts = sorted(cuts)
    inside = sum(routes.panel(lambda u: f(u) * mp.exp(-u) / 2, x, y, mpf(0), 30) for x, y in zip(cuts, cuts[1:]))
    return inside + f(mpf(0)) / 2 + f(a) * mp.exp(-a) / 2


def invert(f, target, top):
    if f(mpf(0)) <= target:
        return mpf(0)
    lo, hi = mpf(0), top
    for _ in range(12):
        x = (lo + hi) / 2
        if f(x) > target:
            lo = x
        else:
            hi = x
    if f(hi) <= 0:
        for _ in range(60):
            x = (lo + hi) / 2
            if f(x) > target:
                lo = x
            else:
                hi = x
            if f(hi) > target / 100:
                break
    goal = mp.log(target)
    return mp.findroot(lambda x: mp.log(f(x)) - goal, (lo, hi), solver="anderson", tol=mpf(10) ** -50, verify=False)


# ---------------------------------------------------------------- spherical

POWERS = (0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 10.0)
DIMENSIONS = (1, 2, 3, 4, 10, 100, 128, 1000, 10000, 1000000)
WIDTHS = (0.3, 1.0, 3.0, 8.0)


def beta_for(t, alpha, p, width):
    """Rate at which the usual radius is about width * sqrt(t), to three digits."""
    with mp.workdps(20):
        return float(mp.nstr((mpf(alpha) + 1) / (p * (mpf(width) * mp.sqrt(t)) ** p), 3))


def spherical_cases():
    psi = (mpf(10) ** -5 * mp.gamma(mpf(127) / 2) / (mp.sqrt(mp.pi) * mp.gamma(64))) ** (mpf(2) / 126)
    for e in (0.1, 1.0, 2.0, 4.0, 8.0):  # R1SMG as published for (e, 1e-5): sigma = 2 / (e psi), beta = 1 / (2 sigma)
        yield 128, 0.0, float(e * psi / 4), 2.0, 1.0, e
    for t, p, width, e in ((3, 2.0, 7.5, 1.0), (1000, 2.0, 7.5, 1.0), (10, 1.0, 1.0, 4.0), (10, 1.0, 6.0, 0.5), (100, 1.0, 5.0, 1.0),
                           (10000, 1.0, 7.0, 1.0), (1000000, 1.0, 2.0, 4.0), (100, 3.0, 7.0, 1.0), (4, 3.0, 1.0, 4.0),
                           (2, 10.0, 3.0, 1.0), (128, 1.5, 1.8, 4.0), (10000, 0.5, 4.0, 1.0), (1000000, 3.0, 7.0, 1.0), (2, 1.0, 2.0, 0.5)):
        yield t, t - 1.0, beta_for(t, t - 1.0, p, width), p, 1.0, e
    i = 0
    for t in DIMENSIONS:
        alphas = []
        for alpha in (t - 1.0, 0.0, -0.9, (t - 1) / 2):
            if alpha not in alphas:
                alphas.append(alpha)
        for alpha in alphas:
            for j in range(2 if t < 1000 else 1):
                p, e = POWERS[(3 * i + 2 * j) % 7], (0.0, 0.1, 1.0, 4.0)[(i + j) % 4]
                s = (1.0, 2.0, 0.5)[i % 3]
                yield t, alpha, beta_for(t, alpha, p, s * WIDTHS[(i // 2 + j) % 4]), p, s, e
            i += 1


CALIBRATIONS = [(t, t - 1.0, 1.0, 1.0, 1e-5) for t in (1, 2, 3, 10, 100, 1000)] + [
    (5, 4.0, 1.0, 0.1, 1e-8), (5, 2.0, 1.3, 1.0, 0.01), (10, 9.0, 0.5, 1.0, 1e-5), (3, -0.5, 2.0, 1.0, 0.1), (5, 2.0, 1.3, 0.1, 1e-5),
    (100, 99.0, 2.0, 1.0, 1e-5)]
COMPOSED = [(2, (0.05, 0.1, 0.2, 0.3)), (4, (0.1, 0.25, 0.5)), (8, (0.1, 0.5, 1.0)), (32, (0.1, 0.5, 1.0, 2.0))]


def calibrate(t, alpha, p, e, target):
    """beta with delta(e) = target at sensitivity 1: secant steps on logarithms."""
    goal = mp.log(mpf(target))

    def f(x, digits=26):
        value = laws.Spherical(t, alpha, mp.exp(x), p, 1).delta(e, digits)
        return mp.log(value) - goal if value > 0 else -mp.inf
    with mp.workdps(28):
        x0 = mp.log(mpf(beta_for(t, alpha, p, 3.0)))
        f0, lo, hi = f(x0, 10), None, None
        while lo is None or hi is None:
            if f0 > 0:
                hi = x0, f0
                x0 -= p / 4
            else:
                lo = x0, f0
                x0 += p / 4
            if lo is None or hi is None:
                f0 = f(x0, 10)
        while lo[1] == -mp.inf or hi[0] - lo[0] > p / 300:
            x = (lo[0] + hi[0]) / 2
            v = f(x, 10)
            if v > 0:
                hi = x, v
            else:
                lo = x, v
    (x0, f0), (x1, f1) = lo, hi
    f0, f1 = f(x0), f(x1)
    for _ in range(12):
        x2 = x1 - f1 * (x1 - x0) / (f1 - f0)
        x0, f0, x1, f1 = x1, f1, x2, f(x2)
        if abs(x1 - x0) < mpf(10) ** -14 and abs(f1) < mpf(10) ** -26:
            break
    beta = mp.exp(x1)
    other = laws.Spherical(t, alpha, beta, p, 1).delta_plane(e)
    agree("calibration", other, mpf(target), 20)
    return beta


def spherical():
    profile, calibration, stars, composition, kept = [], [], [], [], {}
    if os.environ.get("REUSE"):
        with open(os.path.join(HERE, "spherical.json")) as file:
            old = json.load(file)
        kept = {row["name"]: row for row in old["profile"]}
        calibration, stars, composition = old["calibration"], old["delta_star"], old["composition"]
    for e in () if stars else (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0):
        u, value = laws.delta_star(mpf(e))
        check_star(mpf(e), u)
        stars.append({"epsilon": e, "u": text(u), "delta_star": text(value)})
        note("star", e, mp.nstr(value, 20))
    law = law_of(spherical_noise(10, 9.0, 0.2, 1.0, 1.0))
    for count, epsilons in () if composition else COMPOSED:
        parts = [Part(law, count)]
        for e in epsilons:
            if count == 2:
                value = agree("l2 twice", l2_twice(law, mpf(e)), l2_twice(law, mpf(e), True), 20)
                if e <= 0.1:  # the inversion integral decays slowly here: fewer digits
                    agree("l2 twice", value, point(parts, FORWARD, e, 17), 12)
            else:
                value = point(parts, FORWARD, e)
                if value is None:
                    continue
            d = spherical_noise(10, 9.0, 0.2, 1.0, 1.0, count)
            composition.append({"name": "%s eps=%r" % (label(d), e), "description": d, "epsilon": e, "delta": text(value)})
            note(label(d), e, mp.nstr(value, 25))
    for t, alpha, p, e, target in () if calibration else CALIBRATIONS:
        write("spherical", {"profile": profile, "calibration": calibration, "delta_star": stars, "composition": composition})
        try:
            beta = calibrate(t, alpha, p, e, target)
        except ArithmeticError as error:
            note("LEFT OUT", t, alpha, p, error)
            continue
        row = {"dimension": t, "alpha": alpha, "p": p, "sensitivity": 1.0, "epsilon": e, "delta": target, "beta": text(beta)}
        if p == 1 and alpha == t - 1:
            row["scale"] = text(1 / beta)
        calibration.append(row)
        note(row)
    for t, alpha, beta, p, s, e in spherical_cases():
        noise = laws.Spherical(t, alpha, beta, p, s)
        d = spherical_noise(t, alpha, beta, p, s)
        if "%s eps=%r" % (label(d), e) in kept:
            profile.append(kept["%s eps=%r" % (label(d), e)])
            continue
        try:
            value = noise.delta(e)
            if value < mpf(10) ** -22:
                note("too small", label(d), e, mp.nstr(value, 5))
                continue
            if p == 2 and alpha == t - 1:
                agree("normal tails", value, laws.gaussian_profile(mpf(s) * mp.sqrt(2 * mpf(beta)), mpf(e)), 22)
            other = noise.delta_plane(e)
            agree("%s eps=%r" % (label(d), e), value, other, 20)
        except ArithmeticError as error:
            note("LEFT OUT", label(d), e, error)
            continue
        profile.append({"name": "%s eps=%r" % (label(d), e), "description": d, "epsilon": e, "delta": text(value)})
        note(label(d), e, mp.nstr(value, 25))
        done = {row["name"] for row in profile}
        write("spherical", {"profile": profile + [row for name, row in kept.items() if name not in done],
                            "calibration": calibration, "delta_star": stars, "composition": composition})
    return {"profile": profile, "calibration": calibration, "delta_star": stars, "composition": composition}


def check_star(e, u0):
    """The tangent at u0 stays below g on [0, u0] and g is convex beyond, on a grid."""
    g0, slope = laws.large_dimension_profile(e, u0), laws.large_dimension_slope(e, u0)
    for k in range(1, 100):
        u = u0 * k / 100
        assert laws.large_dimension_profile(e, u) > g0 + slope * (u - u0)
        u, h = u0 * (1 + mpf(k) / 10), u0 / 10 ** 4
        assert laws.large_dimension_slope(e, u + h) > laws.large_dimension_slope(e, u)
    h = u0 / mpf(10) ** 15
    numeric = (laws.large_dimension_profile(e, u0 + h) - laws.large_dimension_profile(e, u0 - h)) / (2 * h)
    agree("slope", numeric, slope, 20)


def l2_twice(law, e, angle=False):
    """The profile of one loss, by quadrature over prolate coordinates, averaged over the law of the other."""
    _, t, kappa = law
    ratio, once = laws.l2_ratio(t, kappa), laws.l2_density_profile(t, kappa)

    def f(v):
        return (1 - v * v) ** (mpf(t - 3) / 2) * (ratio - v * v) * mp.exp(kappa * v / 2)
    norm = laws.tanh_sinh(f, mpf(-1), mpf(1))
    cut = e / kappa - 1

    def g(v):
        return f(v) * once(e - kappa * v)
    if angle:
        return laws.tanh_sinh(lambda x: g(mp.cos(x)) * mp.sin(x), mpf(0), mp.acos(cut), digits=24, limit=6) / norm
    return laws.tanh_sinh(g, cut, mpf(1), digits=24, limit=6) / norm


FILES = {"subsampled": subsampled, "composed_laws": composed_laws, "spherical": spherical}
START = time.time()


def main(names):
    for name in names or FILES:
        start, sections = time.time(), FILES[name]()
        write(name, sections)
        print("%s: %s, %.0f s" % (name, ", ".join("%s %d" % (k, len(v)) for k, v in sections.items()), time.time() - start), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
