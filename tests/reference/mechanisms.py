"""Exact profiles of mechanism descriptions: spectra, binary atoms, Laplace losses, infinite losses, and their compositions.

A description is read into a Composition: one Gaussian spectrum, a list of binary losses (+-l, the upper one with
probability p = e^l / (1 + e^l) under the first law), a list of Laplace losses (a = sensitivity / scale) and the log of
the probability that no loss is infinite. Binary and Laplace losses have the same law in both directions.
"""
import itertools

from mpmath import mp, mpf

import routes
from routes import exact


class Composition:
    def __init__(self, description):
        self.spectrum, self.binary, self.laplace, self.log_finite = [], [], [], mpf(0)
        self.read(description, 1)

    def read(self, d, times):
        count = times * d.get("count", 1)
        if "compose" in d:
            for part in d["compose"]:
                self.read(part, count)
            return
        kind = d["mechanism"]
        if kind == "gaussian":
            self.spectrum.append((exact(d["sensitivity"]) / exact(d["standard_deviation"]), mpf(1), count))
        elif kind == "gaussian_dp":
            self.spectrum.append((exact(d["mu"]), mpf(1), count))
        elif kind == "gaussian_spectrum":
            for c in d["components"]:
                self.spectrum.append((exact(c["mean"]), exact(c["variance_ratio"]), count * c.get("multiplicity", 1)))
        elif kind == "random_projection":
            self.spectrum.append((mpf(0), 1 / (1 - exact(d["leverage"])), count * d["columns"]))
        elif kind == "laplace":
            self.laplace.append((exact(d["sensitivity"]) / exact(d["scale"]), count))
        elif kind == "pure":
            self.binary.append((exact(d["epsilon"]), count))
        elif kind == "randomized_response":
            p = exact(d["truth_probability"])
            self.binary.append((abs(mp.log(p / (1 - p))), count))
        elif kind == "approximate":
            self.binary.append((exact(d["epsilon"]), count))
            self.log_finite += count * mp.log1p(-exact(d["delta"]))
        else:
            raise ValueError(kind)

    def atoms(self):
        """[(loss, weight)] of all the binary losses together."""
        lists = []
        for l, n in self.binary:
            p = 1 / (1 + mp.exp(-l))
            q = 1 - p
            lists.append([((2 * k - n) * l, mp.binomial(n, k) * p ** k * q ** (n - k)) for k in range(n + 1)])
        for combination in itertools.product(*lists):
            loss, weight = mpf(0), mpf(1)
            for l, w in combination:
                loss, weight = loss + l, weight * w
            yield loss, weight


# ---------------------------------------------------------------- Laplace

def laplace_terms(parts):
    """{c: [coefficient of (c - l)_+^(k-1) / (k-1)!]} of e^(-l/2) dP(l), k = 0 meaning an atom at c.

    E e^(zL) = prod [ (e^(-a/2) / 2) (e^(ua) (1 + 1/(2u)) + e^(-ua) (1 - 1/(2u))) ]^n, u = z + 1/2; e^(uc) u^-k is the
    transform of (c - l)_+^(k-1) / (k-1)!.
    """
    def times(p, q):
        r = [mpf(0)] * (len(p) + len(q) - 1)
        for i, x in enumerate(p):
            for j, y in enumerate(q):
                r[i + j] += x * y
        return r

    def power(sign, n):
        return [mp.binomial(n, k) * mpf(sign) ** k for k in range(n + 1)]

    total = {mpf(0): [mpf(1)]}
    for a, n in parts:
        front, grown = (mp.exp(-a / 2) / 2) ** n, {}
        for i in range(n + 1):
            poly = [front * mp.binomial(n, i) * x for x in times(power(1, n - i), power(-1, i))]
            for c, p in total.items():
                key = c + a * (n - 2 * i)
                new = times(p, poly)
                if key in grown:
                    new = [x + y for x, y in zip(new, grown[key])]
                grown[key] = new
        total = grown
    return {c: [x / mpf(2) ** k for k, x in enumerate(p)] for c, p in total.items()}


def profile_laplace(parts):
    """e -> delta(e) = sum over terms of the integral of (e^(l/2) - e^(e - l/2)) over l > e."""
    terms = laplace_terms(parts)

    def delta(e):
        total = mpf(0)
        for c, p in terms.items():
            h = c - e
            if h <= 0:
                continue
            # G_k(h) = integral_0^h u^(k-1)/(k-1)! 2 sinh((h-u)/2) du = sum_j 4^-j h^(2j+1+k) / (2j+1+k)!
            powers, m = [mpf(1)], 0
            while m < len(p) + 2 or m < 2 * h or powers[-1] > mp.eps * mpf(10) ** -20:
                m += 1
                powers.append(powers[-1] * h / m)
            for k, x in enumerate(p):
                if x:
                    s, scale = mpf(0), mpf(1)
                    for j in range(k + 1, len(powers), 2):
                        s += powers[j] * scale
                        scale /= 4
                    total += x * s
        return mp.exp(e / 2) * total
    return delta


def laplace_law(parts):
    """(atoms, breakpoints, density) of the composed loss under the first law."""
    terms = laplace_terms(parts)
    atoms = [(c, mp.exp(c / 2) * p[0]) for c, p in terms.items() if p[0]]

    def density(l):
        total = mpf(0)
        for c, p in terms.items():
            h = c - l
            if h > 0:
                step = mpf(1)
                for k in range(1, len(p)):
                    total += p[k] * step
                    step = step * h / k
        return mp.exp(l / 2) * total
    return atoms, sorted(terms), density


def through_laplace(parts, inner, kink):
    """e -> E[inner(e - l)] over the composed Laplace loss l, by quadrature between the breakpoints."""
    atoms, breaks, density = laplace_law(parts)

    def delta(e):
        total = sum(w * inner(e - c) for c, w in atoms)
        cuts = list(breaks)
        if kink is not None and breaks[0] < e - kink < breaks[-1]:
            cuts = sorted(cuts + [e - kink])
        for a, b in zip(cuts, cuts[1:]):
            def left(s):
                return 2 * s * density(a + s * s) * inner(e - a - s * s)

            def right(s):
                return 2 * s * density(b - s * s) * inner(e - b + s * s)
            middle = (a + b) / 2
            total += routes.panel(left, mpf(0), mp.sqrt(middle - a), total, 24)
            total += routes.panel(right, mpf(0), mp.sqrt(b - middle), total, 24)
        return total
    return delta


# ---------------------------------------------------------------- profiles

def binomial_delta(l, n, e):
    """One binary loss n times: a sum over the binomial law, started at the largest term."""
    p = 1 / (1 + mp.exp(-l))
    ratio = mp.exp(l)  # p / q
    first = max(int(mp.floor((n + e / l) / 2)) + 1, 0)
    if first > n:
        return mpf(0)
    start = min(max(first, int(mp.floor(n * p))), n)
    weight = mp.exp(mp.loggamma(n + 1) - mp.loggamma(start + 1) - mp.loggamma(n - start + 1)
                    + start * mp.log(p) + (n - start) * mp.log(1 - p))
    total = mpf(0)
    shrink, cut = mp.exp(-2 * l), mp.eps / 1000
    for step in (1, -1):
        k, w = start, weight
        gap = mp.exp(e - (2 * k - n) * l)
        if step < 0:
            if k - 1 < first:
                break
            w = w * k / ((n - k + 1) * ratio)
            k -= 1
            gap /= shrink
        while first <= k <= n:
            total += w * (1 - gap)
            if w < cut * total:
                break
            if step > 0:
                w = w * ((n - k) * ratio) / (k + 1)
                gap *= shrink
            else:
                w = w * k / ((n - k + 1) * ratio)
                gap /= shrink
            k += step
    return total


def smooth_part(spectrum, **options):
    """(profile, kink or None) of a spectrum."""
    shift, rest = routes.split(spectrum)
    kink = routes.extremum(rest) if rest and not shift else None
    if spectrum and not rest and not shift:
        spectrum = []
    return (routes.profile_spectrum(spectrum, **options) if spectrum else routes.everything), kink


def profile(description, direction, **options):
    """e -> delta(e) at the working precision; direction list (forward) or routes.reverse."""
    made = Composition(description)
    finite = mp.exp(made.log_finite)
    if len(made.binary) == 1 and not made.spectrum and not made.laplace and made.binary[0][1] > 100:
        l, n = made.binary[0]
        return lambda e: -mp.expm1(made.log_finite) + finite * binomial_delta(l, n, e)
    base, kink = smooth_part(direction(made.spectrum), **options)
    if made.laplace and made.spectrum:
        base = through_laplace(made.laplace, base, kink)
    elif made.laplace:
        base = profile_laplace(made.laplace)
    atoms = list(made.atoms())
    return lambda e: -mp.expm1(made.log_finite) + finite * sum(w * base(e - l) for l, w in atoms)


def needs_quadrature(description):
    with mp.workdps(40):
        made = Composition(description)
        return routes.smooth(made.spectrum) or bool(made.laplace and made.spectrum)


def delta(description, eps):
    """(forward, reverse), accurate to about 27 digits or better."""
    heavy = needs_quadrature(description)
    with mp.workdps(40):
        symmetric = all(t == 1 for _, t, _ in Composition(description).spectrum)
    values = []
    for direction in (list, routes.reverse):
        if heavy:
            pair = []
            for digits in (48, 60):
                with mp.workdps(digits):
                    pair.append(profile(description, direction)(exact(eps)))
            if abs(pair[0] - pair[1]) > abs(pair[1]) * mpf(10) ** -27:
                raise ArithmeticError("%s eps=%r: %s against %s" % (description, eps, *(mp.nstr(x, 30) for x in pair)))
            values.append(pair[1])
        else:
            values.append(routes.settle(lambda: profile(description, direction)(exact(eps))))
        if symmetric:
            return values[0], values[0]
    return tuple(values)


# ---------------------------------------------------------------- epsilon at delta

def working_digits(description):
    return 52 if needs_quadrature(description) else 160


def descend(f, target, lo, hi):
    """x in [lo, hi] with f(x) = target for a decreasing positive f: Illinois steps on log f, bisection when slow."""
    goal = mp.log(target)

    def g(x):
        v = f(x)
        return mp.log(v) - goal if v > 0 else -mp.inf
    glo, ghi = g(lo), g(hi)
    kept = 0
    for i in range(400):
        if hi - lo <= abs(hi) * mpf(10) ** -36 or glo == 0:
            return lo
        if ghi == -mp.inf or glo == mp.inf or i % 4 == 3:
            x = (lo + hi) / 2
        else:
            x = lo + (hi - lo) * glo / (glo - ghi)
            if i % 4 == 2:  # step a little over the root, so that both ends close in
                x += (hi - lo) * mpf(10) ** -3 * (1 if abs(x - lo) < abs(hi - x) else -1)
            edge = (hi - lo) * mpf(10) ** -12
            x = min(max(x, lo + edge), hi - edge)
        gx = g(x)
        if gx >= 0:
            lo, glo = x, gx
        else:
            hi, ghi = x, gx
    raise ArithmeticError("no root")


def epsilon(description, target):
    """The smallest epsilon >= 0 with delta <= target in both directions."""
    with mp.workdps(working_digits(description)):
        answer, goal = mpf(0), exact(target)
        for direction in (list, routes.reverse):
            f = profile(description, direction)
            if f(answer) <= goal:
                continue
            hi = 2 * answer + mpf(1) / 4
            while f(hi) > goal:
                hi *= 2
                assert hi < 10 ** 6
            answer = descend(f, goal, answer, hi)
        return answer


# ---------------------------------------------------------------- trade-off

def tails_spectrum(spectrum):
    """t -> (P_X[L > t], P_Y[L > t])."""
    shift, rest = routes.split(spectrum)
    if not rest:
        return lambda t: routes.tails_equal(shift, t)
    if not shift and routes.side(rest):
        return routes.tails_definite(rest)
    single = [c for c in rest if c[2] == 1 and not routes.side(rest)] or [(shift, mpf(1), 1)]
    m, tau, _ = single[0]
    others = [c for c in rest if c != single[0]]
    assert routes.side(others) and (not shift or others == rest)
    inner, kink = routes.tails_definite(others), routes.extremum(others)

    def tails(t):
        points, both = routes.levels(m, tau, t - kink), []
        for which, (mean, var) in enumerate(((m, tau), (mpf(0), mpf(1)))):
            both.append(routes.integrate(
                lambda x: routes.density(x, mean, var) * inner(t - routes.loss_at(x, m, tau))[which],
                mean, mp.sqrt(var), points))
        return tuple(both)
    return tails


def tradeoff_one(description, direction, type1):
    """Smallest type II error of a test with null law Y (the second law of the direction) at level type1."""
    made = Composition(description)
    finite = mp.exp(made.log_finite)
    atoms = list(made.atoms())
    if made.laplace:
        assert not made.spectrum
        parts, breaks, density = laplace_law(made.laplace)

        def smooth(t):
            px = py = mpf(0)
            ends = [t] + [b for b in breaks if b > t]
            if t < breaks[0]:
                ends = breaks
            for a, b in zip(ends, ends[1:]):
                px += routes.panel(density, a, b, mpf(1), 30)
                py += routes.panel(lambda l: density(l) * mp.exp(-l), a, b, mpf(1), 30)
            return px, py
        jumps = [(l + c, w * v) for l, w in atoms for c, v in parts]
    elif made.spectrum:
        smooth, jumps = tails_spectrum(direction(made.spectrum)), []
    else:
        smooth, jumps = None, atoms

    def tails(t):
        """(P_X[L > t], P_Y[L > t]), finite losses only, given that they are finite."""
        px = sum((w for l, w in jumps if l > t), mpf(0))
        py = sum((w * mp.exp(-l) for l, w in jumps if l > t), mpf(0))
        if smooth:
            for l, w in atoms:
                a, b = smooth(t - l)
                px, py = px + w * a, py + w * mp.exp(-l) * b
        return px, py
    level = exact(type1) / finite
    if level >= 1:
        return mpf(0)
    for c in sorted(set(l for l, _ in jumps)):
        px, py = tails(c)
        mass = sum(w for l, w in jumps if l == c)
        if py <= level <= py + mass * mp.exp(-c):
            return finite * (1 - px - mp.exp(c) * (level - py))
    lo, hi = mpf(-1), mpf(1)
    while tails(hi)[1] > level:
        hi *= 2
    while tails(lo)[1] < level:
        lo *= 2
    shift = 4 * (hi - lo)  # descend() measures its steps against x, which may be zero here
    t = descend(lambda x: tails(x - shift)[1], level, lo + shift, hi + shift) - shift
    px, py = tails(t)
    return finite * (1 - px - mp.exp(t) * (level - py))  # first-order correction for what is left of level - py


def tradeoff(description, type1):
    with mp.workdps(52 if needs_quadrature(description) else 90):
        return min(tradeoff_one(description, direction, type1) for direction in (list, routes.reverse))


# ---------------------------------------------------------------- Renyi divergence

def gaussian_expectation(m, t, z, weight):
    """Integral over the line of p_X e^(zL) weight(x), or infinity: the trapezium rule, step a quarter of a deviation."""
    precision = (1 + z) / t - z
    if precision <= 0:
        return mp.inf
    mode, unit = (1 + z) * m / t / precision, 1 / mp.sqrt(precision)
    reach = int(4 * mp.sqrt(2 * mp.log(10) * (mp.dps + 5))) + 8
    return unit / 4 * sum(routes.density(x, m, t) * mp.exp(z * routes.loss_at(x, m, t)) * weight(x)
                          for x in (mode + unit * mpf(k) / 4 for k in range(-reach, reach + 1)))


def renyi_one(description, direction, order):
    """Divergence of the first law from the second, by summation over atoms and quadrature over the line."""
    made = Composition(description)
    z, total = exact(order) - 1, mpf(0)
    if made.log_finite:
        if z >= 0:
            return mp.inf
        total += made.log_finite / z
    for m, t, n in direction(made.spectrum):
        if z == 0:
            total += n * gaussian_expectation(m, t, z, lambda x: routes.loss_at(x, m, t))
        else:
            total += n * mp.log(gaussian_expectation(m, t, z, lambda x: 1)) / z
    for l, n in made.binary:
        p = 1 / (1 + mp.exp(-l))
        if z == 0:
            total += n * l * (2 * p - 1)
        else:
            total += n * mp.log(p * mp.exp(z * l) + (1 - p) * mp.exp(-z * l)) / z
    for a, n in made.laplace:
        def expect(f):
            inside = routes.panel(lambda l: f(l) * mp.exp((l - a) / 2) / 4, -a, a, mpf(0), 40)
            return f(a) / 2 + f(-a) * mp.exp(-a) / 2 + inside
        if z == 0:
            total += n * expect(lambda l: l)
        else:
            total += n * mp.log(expect(lambda l: mp.exp(z * l))) / z
    return total


def renyi(description, order):
    with mp.workdps(80):
        return max(renyi_one(description, direction, order) for direction in (list, routes.reverse))
