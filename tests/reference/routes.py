"""High-precision privacy profiles by elementary routes.

Nothing here uses an inversion integral in the complex plane: normal tails, incomplete gamma functions,
chi-square mixtures, binomial sums, truncated powers and real quadrature with positive integrands.

Convention: X ~ N(m, diag(tau)), Y ~ N(0, I), L = log dX/dY, and
delta(e) = P_X[L > e] - e^e P_Y[L > e]  (forward).  Reverse swaps X and Y.
A spectrum is a list of (mean, variance ratio, multiplicity).
"""
from mpmath import mp, mpf

AGREE = 29  # decimal digits that two precisions must share


def settle(f, start=50, limit=13000):
    """f() evaluated at growing precision until two evaluations agree to AGREE digits (zero: up to 800 digits)."""
    digits, last = start, None
    while digits <= limit:
        with mp.workdps(digits):
            value = f()
        if last is not None:
            if abs(value - last) <= abs(value) * mpf(10) ** (-AGREE) and (value != 0 or digits >= 800):
                return value
        last, digits = value, digits * 2
    raise ArithmeticError("no agreement below %d digits" % limit)


def exact(x):
    """The double x as an mpf; refuses a precision that would round it."""
    assert mp.prec >= 100
    return mpf(x)


# ---------------------------------------------------------------- normal law

def upper(x):
    return mp.erfc(x / mp.sqrt(2)) / 2


def interval(lo, hi):
    if lo > 0:
        return upper(lo) - upper(hi)
    if hi < 0:
        return upper(-hi) - upper(-lo)
    return 1 - upper(hi) - upper(-lo)


def everything(e):
    """delta when every outcome has loss above e (or the two laws are equal)."""
    return max(mpf(0), -mp.expm1(e))


def extremum(comps):
    """The minimum (tau > 1) or maximum (tau < 1) of L over the coordinates given."""
    return sum(n * (-mp.log(t) / 2 - m * m / (2 * (t - 1))) for m, t, n in comps)


def tails_equal(t, e):
    """(P_X[L > e], P_Y[L > e]) for unit covariances at distance t."""
    return upper(e / t - t / 2), upper(e / t + t / 2)


def tails_one(m, t, e):
    """(P_X[L > e], P_Y[L > e]) in one dimension, by the roots of L(x) = e."""
    if t == 1:
        return tails_equal(abs(m), e)
    ext, x0, sd = extremum([(m, t, 1)]), -m / (t - 1), mp.sqrt(t)
    square = 2 * (e - ext) / (1 - 1 / t)
    if t > 1:
        if square <= 0:
            return mpf(1), mpf(1)
        h = mp.sqrt(square)
        lo, hi = x0 - h, x0 + h
        return upper((hi - m) / sd) + upper((m - lo) / sd), upper(hi) + upper(-lo)
    if square <= 0:
        return mpf(0), mpf(0)
    h = mp.sqrt(square)
    lo, hi = x0 - h, x0 + h
    return interval((lo - m) / sd, (hi - m) / sd), interval(lo, hi)


# ---------------------------------------------------------------- gamma functions of integer and half-integer order

def gamma_terms_start(n, x):
    """x^a e^-x / Gamma(a + 1) with a = n / 2."""
    a = mpf(n) / 2
    return mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1))


def gamma_upper(n, x):
    """Q(n/2, x), a finite sum of positive terms."""
    if x <= 0:
        return mpf(1)
    if n % 2:
        total, term, a = mp.erfc(mp.sqrt(x)), mp.exp(-x) * mp.sqrt(x) * 2 / mp.sqrt(mp.pi), mpf(1) / 2
    else:
        total, term, a = mpf(0), mp.exp(-x), mpf(0)
    while 2 * a < n:
        total += term
        a += 1
        term = term * x / a
    return total


def gamma_lower(n, x):
    """P(n/2, x), a series of positive terms."""
    if x <= 0:
        return mpf(0)
    a = mpf(n) / 2
    term = gamma_terms_start(n, x)
    total = mpf(0)
    while True:
        total += term
        a += 1
        ratio = x / a
        term *= ratio
        if ratio < 0.9 and term < total * mp.eps / 100:
            return total


# ---------------------------------------------------------------- definite spectra: mixtures of central chi-squares

class Mixture:
    """Law of sum_i a_i chi2(n_i; lambda_i), a_i > 0, as a mixture of beta * chi2(n + 2k) (Ruben 1962), beta = min a."""

    def __init__(self, terms):
        self.terms = terms
        self.n = sum(n for _, n, _ in terms)
        self.beta = min(a for a, _, _ in terms)
        lam = sum(l for _, _, l in terms)
        c0 = mp.exp(-lam / 2 + sum(n * mp.log(self.beta / a) for a, n, _ in terms) / 2)
        self.c = [c0]
        self.q = [1 - self.beta / a for a, _, _ in terms]
        self.d = [mpf(0)] * len(terms)
        self.b = [mpf(0)] * len(terms)

    def coefficient(self, k):
        while len(self.c) <= k:
            j, s = len(self.c), mpf(0)
            for i, (a, n, lam) in enumerate(self.terms):
                self.d[i] = self.q[i] * self.d[i] + self.c[-1]
                self.b[i] = self.q[i] * self.b[i] + self.d[i]
                s += n * self.q[i] * self.d[i] + self.beta * lam / a * self.b[i]
            self.c.append(s / (2 * j))
        return self.c[k]

    def enough(self, k, total):
        c = self.coefficient(k)
        if c == 0:
            return True
        ratio = c / self.c[k - 1] if k else mpf(1)
        return ratio < 0.999 and c * ratio / (1 - ratio) < total * mp.eps / 100

    def above(self, y):
        x = y / (2 * self.beta)
        if x <= 0:
            return mpf(1)
        tail, step, a = gamma_upper(self.n, x), gamma_terms_start(self.n, x), mpf(self.n) / 2
        total, k = mpf(0), 0
        while True:
            total += self.coefficient(k) * tail
            if k % 8 == 7 and self.enough(k, total):
                return total
            tail += step
            a += 1
            step = step * x / a
            k += 1

    def below(self, y):
        x = y / (2 * self.beta)
        if x <= 0:
            return mpf(0)
        # P(a + k, x) falls with k, so the terms up to where c_k P_k is negligible suffice: find that k first.
        k, a = 0, mpf(self.n) / 2
        step, steps, bound = gamma_terms_start(self.n, x), [], mpf(0)
        while True:
            steps.append(step)
            c = self.coefficient(k)
            bound = max(bound, c * step)
            a += 1
            ratio = x / a
            step *= ratio
            k += 1
            if ratio < 0.9 and c * step < bound * mp.eps / 1000 and (len(self.terms) == 1 and self.terms[0][2] == 0
                                                                    or self.shrinks(k, ratio)):
                break
        low = gamma_lower(self.n + 2 * k, x)
        total = mpf(0)
        for j in range(k - 1, -1, -1):
            low += steps[j]
            total += self.c[j] * low
        return total

    def shrinks(self, k, ratio):
        return self.coefficient(k) * ratio < 0.95 * self.c[k - 1]


def split(comps):
    """Inputs as exact numbers, trivial coordinates dropped, equal-variance coordinates rotated into one."""
    shift, rest = mpf(0), []
    for m, t, n in comps:
        m, t = exact(m), exact(t)
        if t == 1:
            shift += n * m * m
        else:
            rest.append((m, t, n))
    return mp.sqrt(shift), rest


def reverse(comps):
    return [(-exact(m) / mp.sqrt(exact(t)), 1 / exact(t), n) for m, t, n in comps]


def side(comps):
    if all(t > 1 for _, t, _ in comps):
        return 1
    if all(t < 1 for _, t, _ in comps):
        return -1
    return 0


def tails_definite(comps):
    """e -> (P_X[L > e], P_Y[L > e]) for a spectrum with every tau on one side of 1."""
    if len(comps) == 1 and comps[0][2] == 1:
        return lambda e: tails_one(comps[0][0], comps[0][1], e)
    s, ext = side(comps), extremum(comps)
    under_x = Mixture([(abs(t - 1) / 2, n, n * m * m * t / (t - 1) ** 2) for m, t, n in comps])
    under_y = Mixture([(abs(1 - 1 / t) / 2, n, n * m * m / (t - 1) ** 2) for m, t, n in comps])
    if s > 0:
        return lambda e: (under_x.above(e - ext), under_y.above(e - ext))
    return lambda e: (under_x.below(ext - e), under_y.below(ext - e))


def profile(tails):
    def delta(e):
        px, py = tails(e)
        if px == 1 and py == 1:
            return everything(e)
        return px - mp.exp(e) * py
    return delta


# ---------------------------------------------------------------- integration over further coordinates

_nodes = {}


def legendre(n):
    """Nodes and weights of the Gauss-Legendre rule with n points on [-1, 1], at the working precision."""
    key = (n, mp.prec)
    if key not in _nodes:
        rule = []
        for i in range(n):
            x = mp.cos(mp.pi * (i + mpf(3) / 4) / (n + mpf(1) / 2))
            for _ in range(60):
                p0, p1 = mpf(1), x
                for k in range(2, n + 1):
                    p0, p1 = p1, ((2 * k - 1) * x * p1 - (k - 1) * p0) / k
                slope = n * (x * p1 - p0) / (x * x - 1)
                step = p1 / slope
                x -= step
                if abs(step) < mpf(10) ** (-mp.dps // 2 - 4):
                    break
            p0, p1 = mpf(1), x
            for k in range(2, n + 1):
                p0, p1 = p1, ((2 * k - 1) * x * p1 - (k - 1) * p0) / k
            slope = n * (x * p1 - p0) / (x * x - 1)
            rule.append((x, 2 / ((1 - x * x) * slope * slope)))
        _nodes[key] = rule
    return _nodes[key]


def gauss(f, a, b, n):
    middle, half = (a + b) / 2, (b - a) / 2
    return half * sum(w * f(middle + half * x) for x, w in legendre(n))


def panel(f, a, b, scale, order, depth=0):
    """Adaptive rule on [a, b]; scale: a lower estimate of the whole integral; error below scale * 1e-31."""
    coarse, fine = gauss(f, a, b, order), gauss(f, a, b, order + 11)
    if abs(coarse - fine) <= mpf(10) ** (-31) * max(scale, abs(fine)):
        return fine
    if depth > 30:
        raise ArithmeticError("quadrature does not settle on [%s, %s]" % (mp.nstr(a, 10), mp.nstr(b, 10)))
    c = (a + b) / 2
    left = panel(f, a, c, scale, order, depth + 1)
    return left + panel(f, c, b, max(scale, left), order, depth + 1)


def integrate(f, center, unit, kinks=(), reach=14, drop=38, order=24):
    """Integral of a non-negative f over the line.

    f is scanned at unit steps around center, then more finely, to find where it is above 10^-drop of its maximum.
    At a kink c (a half-integer power on one side) x = c +- s^2 makes the integrand analytic in s.
    """
    with mp.workdps(34):
        while True:
            lo, hi, steps = center - unit * reach, center + unit * reach, 2 * reach
            ends = f(lo), f(hi)
            top = max(f(lo + (hi - lo) * k / 28) for k in range(1, 28))
            if reach > 400 or top > 0 and max(ends) < top * mpf(10) ** (-drop):
                break
            reach *= 2
        for _ in range(12):
            points = sorted(set([lo + (hi - lo) * k / steps for k in range(steps + 1)]
                                + [k for k in kinks if lo < k < hi]
                                + [k + s * (hi - lo) / steps / 100 for k in kinks for s in (-1, 1)
                                   if lo < k + s * (hi - lo) / steps / 100 < hi]))
            values = [f(x) for x in points]
            top = max(values)
            if top <= 0:
                return mpf(0)
            live = [i for i, v in enumerate(values) if v > top * mpf(10) ** (-drop)]
            new_lo, new_hi = points[max(live[0] - 1, 0)], points[min(live[-1] + 1, len(points) - 1)]
            shrunk = (new_hi - new_lo) / (hi - lo)
            lo, hi, steps = new_lo, new_hi, 24
            if shrunk > 0.7:
                break
        scale = sum(values[i] for i in live) * (hi - lo) / steps / 10 ** 3
    for k in kinks:  # the ends were rounded; a kink at an end is that end
        near = (hi - lo) / 10 ** 9
        lo, hi = (k if abs(k - lo) < near else lo), (k if abs(k - hi) < near else hi)
    inside = [k for k in kinks if lo <= k <= hi]
    total, ends = mpf(0), sorted(set([lo, hi] + inside))
    for a, b in zip(ends, ends[1:]):
        cuts = mp.linspace(a, b, 5)
        for i, (u, v) in enumerate(zip(cuts, cuts[1:])):
            if i == 0 and a in inside:
                total += panel(lambda s: 2 * s * f(a + s * s), mpf(0), mp.sqrt(v - a), max(scale, total), order)
            elif i == 3 and b in inside:
                total += panel(lambda s: 2 * s * f(b - s * s), mpf(0), mp.sqrt(b - u), max(scale, total), order)
            else:
                total += panel(f, u, v, max(scale, total), order)
    return total


def density(x, m, t):
    return mp.exp(-(x - m) ** 2 / (2 * t)) / mp.sqrt(2 * mp.pi * t)


def loss_at(x, m, t):
    return -mp.log(t) / 2 - (x - m) ** 2 / (2 * t) + x * x / 2


def levels(m, t, value):
    """The points where the loss of one coordinate takes a value."""
    if t == 1:
        return [value / m + m / 2] if m else []
    square = 2 * (value - extremum([(m, t, 1)])) / (1 - 1 / t)
    if square < 0:
        return []
    h, x0 = mp.sqrt(square), -m / (t - 1)
    return [x0 - h, x0 + h]


def conditional(inner, kink, coordinate, **options):
    """e -> integral over one coordinate of inner(e - its loss); kink: where inner is not smooth, or None."""
    m, t = coordinate

    def delta(e):
        points = levels(m, t, e - kink) if kink is not None else []
        return integrate(lambda x: density(x, m, t) * inner(e - loss_at(x, m, t)), m, mp.sqrt(t), points, **options)
    return delta


def profile_spectrum(comps, over=None, **options):
    """e -> delta(e) at the working precision.

    over: index of the coordinate to integrate over when the rest is definite (or all of equal variance).
    """
    if over is not None:
        m, t, n = comps[over]
        assert n == 1
        rest = [c for i, c in enumerate(comps) if i != over]
        shift, other = split(rest)
        assert not (shift and other)
        if other:
            return conditional(profile(tails_definite(other)), extremum(other), (exact(m), exact(t)), **options)
        return conditional(profile(lambda e: tails_equal(shift, e)), None, (exact(m), exact(t)), **options)
    shift, rest = split(comps)
    if not rest and not shift:
        return everything
    if not rest:
        return profile(lambda e: tails_equal(shift, e))
    if not shift:
        if side(rest):
            return profile(tails_definite(rest))
        minus = [c for c in rest if c[1] < 1]
        plus = [c for c in rest if c[1] > 1]
        for one, many in ((minus, plus), (plus, minus)):
            if len(one) == 1 and one[0][2] == 1:
                return conditional(profile(tails_definite(many)), extremum(many), one[0][:2], **options)
        raise ValueError("spectrum needs more than one integration")
    if side(rest):
        return conditional(profile(tails_definite(rest)), extremum(rest), (shift, mpf(1)), **options)
    if len(rest) == 2 and all(n == 1 for _, _, n in rest):
        inner = conditional(profile(lambda e: tails_equal(shift, e)), None, rest[0][:2], **options)
        return conditional(inner, None, rest[1][:2], **options)
    raise ValueError("spectrum needs more than one integration")


def smooth(comps):
    """Whether the profile needs quadrature."""
    shift, rest = split(comps)
    return bool(rest) and (bool(shift) or not side(rest))


def spectrum_delta(comps, eps, over=None, **options):
    """(forward, reverse) to AGREE digits."""
    with mp.workdps(40):
        quadrature = over is not None or smooth(comps)
    if not quadrature:
        return (settle(lambda: profile_spectrum(comps)(exact(eps))),
                settle(lambda: profile_spectrum(reverse(comps))(exact(eps))))
    result = []
    for direction in (list, reverse):
        values = []
        for digits, order in ((45, 22), (58, 27)):
            with mp.workdps(digits):
                values.append(profile_spectrum(direction(comps), over, order=order, **options)(exact(eps)))
        a, b = values
        if abs(a - b) > abs(b) * mpf(10) ** (-27):
            raise ArithmeticError("quadrature %s eps=%r: %s against %s" % (comps, eps, mp.nstr(a, 30), mp.nstr(b, 30)))
        result.append(b)
    return tuple(result)


def central_delta_by_radius(tau, n, eps):
    """(forward, reverse) for one tau > 1 of huge multiplicity, m = 0: quadrature over the squared radius.

    The integrand p(R) (1 - e^(eps - L))_+ is non-negative; R = |x|^2 / variance ~ chi2(n). The law of R must be far from 0.
    """
    assert tau > 1 and n >= 10 ** 4

    def run(direction, digits, order):
        with mp.workdps(digits):
            t, e, half = exact(tau), exact(eps), mpf(n) / 2
            a0 = -half * mp.log(t)
            slope = (t - 1) / 2 if direction > 0 else (1 - 1 / t) / 2   # L (or -L) along R under the first law
            const = a0 if direction > 0 else -a0
            edge = (e - const) / (direction * slope)                   # first law's loss = const +- slope R
            norm = half * mp.log(2) + mp.loggamma(half)

            def f(r):
                if r <= 0:
                    return mpf(0)
                gap = direction * slope * (r - edge)
                if gap <= 0:
                    return mpf(0)
                return mp.exp((half - 1) * mp.log(r) - r / 2 - norm) * -mp.expm1(-gap)
            unit = mp.sqrt(2 * n)
            # start the scan where f can be large: near the mode, or at the edge if the mode is cut off
            inside = direction * (n - edge) > 0
            if inside:
                return integrate(f, mpf(n), unit, [edge], order=order)
            return integrate(lambda s: f(edge + direction * s), mpf(0), unit / max(1, abs(edge - n) / unit), [mpf(0)],
                             reach=200, order=order)
    result = []
    for direction in (1, -1):
        a, b = run(direction, 60, 22), run(direction, 75, 27)
        if abs(a - b) > abs(b) * mpf(10) ** (-27):
            raise ArithmeticError("radius %r %r %r: %s against %s" % (tau, n, eps, mp.nstr(a, 30), mp.nstr(b, 30)))
        result.append(b)
    return tuple(result)
