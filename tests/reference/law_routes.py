"""High-precision routes for subsampled, bounded-range and spherical laws, and for their compositions.

Conventions as in routes.py: L = log dX/dY, delta(e) = E_X[(1 - e^(e - L))_+] (forward); reverse swaps X and Y.
A family of laws is given by the pair's first law under Y: w = dX/dY, and
    G(v) = E_Y[w^v],  forward moment E_X[e^(zL)] = G(z + 1),  reverse moment G(-z).
"""
from mpmath import mp, mpc, mpf

import routes

FORWARD, REVERSE = 1, -1


def agree(name, a, b, digits):
    if abs(a - b) > abs(b) * mpf(10) ** -digits:
        raise ArithmeticError("%s: %s against %s" % (name, mp.nstr(a, 30), mp.nstr(b, 30)))
    return a


# ---------------------------------------------------------------- quadrature

_tanh_sinh = {}


def tanh_sinh_level(level):
    """(distance from the nearer end of [0, 1], at the right end?, weight) of the new nodes of step 2^-level."""
    key = (level, mp.prec)
    if key not in _tanh_sinh:
        h, nodes, k = mpf(2) ** -level, [], (0 if level == 0 else 1)
        while True:
            t = k * h
            u = mp.exp(-mp.pi * mp.sinh(t))
            d = u / (1 + u)
            weight = mp.pi * mp.cosh(t) * d / (1 + u)
            nodes.append((d, True, weight))
            if k:
                nodes.append((d, False, weight))
            if weight < mpf(10) ** -(mp.dps + 5):
                break
            k += 1 if level == 0 else 2
        _tanh_sinh[key] = nodes
    return _tanh_sinh[key]


def tanh_sinh(f, a, b, scale=0, digits=25, start=3, limit=11):
    """Integral of f over [a, b] until two levels agree to digits of max(scale, value)."""
    width, total, last = b - a, mpf(0), None
    for level in range(limit + 1):
        for d, right, weight in tanh_sinh_level(level):
            x = b - width * d if right else a + width * d
            if a < x < b:
                total += weight * f(x)
        value = total * width * mpf(2) ** -level
        if level > start and abs(value - last) <= mpf(10) ** (-digits * 0.75) * max(scale, abs(value)):
            # the error of one level is about the square of the one before
            return value
        last = value
    raise ArithmeticError("quadrature does not settle on [%s, %s]: %s %s" % (a, b, last, value))


# ---------------------------------------------------------------- subsampled pairs, once

def gaussian_profile(mu, e):
    return routes.upper(e / mu - mu / 2) - mp.exp(e) * routes.upper(e / mu + mu / 2)


def laplace_profile(a, e):
    if e >= a:
        return mpf(0)
    if e <= -a:
        return -mp.expm1(e)
    return -mp.expm1((e - a) / 2)


def base_profile(law):
    kind, size = law[0], law[2]
    if kind == "gaussian":
        return lambda e: gaussian_profile(size, e)
    return lambda e: laplace_profile(size, e)


def subsampled_profile(law, direction):
    """Closed form.  law = (kind, rate, mu = s / sigma or a = s / scale)."""
    base, q = base_profile(law), law[1]

    def forward(e):
        gap = mp.expm1(e) + q
        return -mp.expm1(e) if gap <= 0 else q * base(mp.log(gap / q))

    def reverse(e):
        rest = q - (1 - q) * mp.expm1(e)  # 1 - (1 - q) e^e
        return mpf(0) if rest <= 0 else rest * base(e + mp.log(q / rest))
    return forward if direction == FORWARD else reverse


def subsampled_direct(law, direction, e):
    """Quadrature of the positive part of the difference of densities over the line (unit scale)."""
    kind, q, size = law
    power = mp.exp(e)
    if kind == "gaussian":
        root = mp.sqrt(2 * mp.pi)

        def p0(x):
            return mp.exp(-x * x / 2) / root
        breaks = []
        level = lambda t: (t + size * size / 2) / size  # x at log p1/p0 = t
    else:
        def p0(x):
            return mp.exp(-abs(x)) / 2
        breaks = [mpf(0), size]
        level = lambda t: (t + size) / 2
    reach = mpf(16) if kind == "gaussian" else mpf(90)
    # X - e^e Y = q p1 - (e^e - 1 + q) p0;  Y - e^e X = (1 - e^e (1 - q)) p0 - e^e q p1
    if direction == FORWARD:
        a, b = q, mp.expm1(e) + q
    else:
        a, b = -power * q, -(q - (1 - q) * mp.expm1(e))

    def f(x):
        return max(mpf(0), a * p0(x - size) - b * p0(x))
    edge = None
    if a * b > 0:
        t = mp.log(b / a)
        if kind == "gaussian" or -size < t < size:
            edge = level(t)
    if kind == "gaussian":  # Gaussian tails beyond the edge decay from there
        if edge is None:
            ends = [-reach, mpf(0), size, size + reach]
        elif direction == FORWARD:
            far = max(edge, size)
            ends = [edge, far + reach] if edge >= size else [edge, size, size + reach]
            if edge < -reach:
                ends = [-reach, mpf(0), size, size + reach]
        else:
            far = min(edge, mpf(0))
            ends = [far - reach, edge] if edge <= 0 else [-reach, mpf(0), edge]
            if edge > size + reach:
                ends = [-reach, mpf(0), size, size + reach]
    else:
        ends = sorted(set([-reach, size + reach] + breaks + ([edge] if edge is not None else [])))
    parts = []
    for lo, hi in zip(ends, ends[1:]):
        middle = (lo + hi) / 2
        if f(lo + (hi - lo) / 1000) == 0 and f(middle) == 0 and f(hi - (hi - lo) / 1000) == 0:
            continue
        parts.append(tanh_sinh(f, lo, hi, 0 if kind == "gaussian" else mpf(10) ** -24, digits=30))
    return sum(parts, mpf(0))


# ---------------------------------------------------------------- Renyi divergences

def gaussian_nodes(law, c, ratio, turn, drop):
    """[(weight, log w)] with G(c + iy) = sum weight e^(iy log w) for y >= 0: the trapezium rule on a line Im t = turn.

    t = log p1/p0 ~ N(-mu^2/2, mu^2) under Y and w = 1 - q + q e^t. Above the real line |e^(iy log w)| <= 1, so one
    step serves every y >= 0; the nearest singularities are Im t = +-pi, and for c < 0 |w^c| is tame
    below Im t = pi / 2. ratio: step in units of mu and of the strip.
    """
    _, q, mu = law
    b = min(mpf(3) / 2 if c > 0 else mpf(3) / 4, 2 * mu) * turn
    h = ratio * min(mu, (mp.pi - b) / 2)
    if b:
        h = min(h, ratio * b / 2)

    def log_size(t):
        t = mpc(t, b)
        return mp.re(-(t + mu * mu / 2) ** 2 / (2 * mu * mu) + c * mp.log(1 - q + q * mp.exp(t)))
    lo, hi = -mu * mu / 2 - 2 * mu, -mu * mu / 2 + 2 * mu + (max(c, mpf(0)) * mu * mu)
    with mp.workdps(20):
        grid = [lo + (hi - lo) * k / 60 for k in range(61)]
        top = max(log_size(t) for t in grid)
        while log_size(lo) > top - drop:
            lo -= mu
        while log_size(hi) > top - drop:
            hi += mu
    first, last = int(mp.floor(lo / h)), int(mp.ceil(hi / h))
    nodes, norm = [], h / (mu * mp.sqrt(2 * mp.pi))
    for k in range(first, last + 1):
        t = mpc(k * h, b) if b else k * h
        log_w = mp.log(1 - q + q * mp.exp(t))
        nodes.append((norm * mp.exp(-(t + mu * mu / 2) ** 2 / (2 * mu * mu) + c * log_w), log_w))
    return nodes


def laplace_nodes(law, c, order):
    """The same for the Laplace pair: two atoms and a Gauss-Legendre rule between them."""
    _, q, a = law
    nodes = []
    for weight, t in ((mp.exp(-a) / 2, a), (mpf(1) / 2, -a)):
        w = 1 - q + q * mp.exp(t)
        nodes.append((weight * w ** c, mp.log(w)))
    for x, weight in routes.legendre(order):
        u = a * (1 + x) / 2
        w = 1 - q + q * mp.exp(2 * u - a)
        nodes.append((a / 2 * weight * mp.exp(-u) / 2 * w ** c, mp.log(w)))
    return nodes


def renyi_binomial(law, order):
    """Forward divergence of integer order."""
    _, q, mu = law
    total = sum(mp.binomial(order, k) * (1 - q) ** (order - k) * q ** k * mp.exp(k * (k - 1) * mu * mu / 2)
                for k in range(order + 1))
    return mp.log(total) / (order - 1)


def renyi_quadrature(law, direction, order, ratio):
    """Trapezium rule on the real line."""
    order = mpf(order)
    v = order if direction == FORWARD else 1 - order
    nodes = gaussian_nodes(law, v, ratio, 0, 120)
    if order == 1:  # E_X[log w] or -E_Y[log w]
        return direction * sum(weight * log_w for weight, log_w in nodes)
    return mp.log(sum(weight for weight, _ in nodes)) / (order - 1)


def renyi_adaptive(law, direction, order):
    """Adaptive Gauss-Legendre panels over x (unit deviation) instead of the trapezium rule over log p1/p0."""
    _, q, mu = law
    order = mpf(order)
    v = order if direction == FORWARD else 1 - order
    root = mp.sqrt(2 * mp.pi)

    def f(x):
        log_w = mp.log(1 - q + q * mp.exp(mu * x - mu * mu / 2))
        value = mp.exp(-x * x / 2 + v * log_w) / root
        return value * (mpf(40) + direction * log_w) if order == 1 else value
    lo, hi = mpf(-16), 16 + max(v, mpf(0)) * mu
    steps = int((hi - lo) / 2) + 1
    cuts = [lo + (hi - lo) * k / steps for k in range(steps + 1)]
    scale = max(f(x) for x in cuts)
    total = sum(routes.panel(f, x, y, scale, 24) for x, y in zip(cuts, cuts[1:]))
    return total - 40 if order == 1 else mp.log(total) / (order - 1)


# ---------------------------------------------------------------- the inversion integral

class Part:
    """A loss with a count.  kinds: subsampled ("gaussian"/"laplace", q, size), ("plain", mu^2), ("double", a), ("range", eta),
    ("l2", dimension, s / scale)."""

    def __init__(self, law, count):
        self.law, self.count = law, count

    def nodes(self, c, variant):
        if self.law[0] == "gaussian":
            ratio, turn = ((mpf(1) / 7, 1), (mpf(1) / 8, mpf(7) / 8))[variant]
            return gaussian_nodes(self.law, c, ratio, turn, (100, 112)[variant])
        if self.law[0] == "l2":
            return l2_nodes(self.law, c, (240, 290)[variant])
        return laplace_nodes(self.law, c, (60, 71)[variant])

    def smooth(self):
        return self.law[0] in ("gaussian", "laplace", "l2")

    def moment(self, z):
        """E e^(zL) of a pair that is the same in both directions."""
        kind, size = self.law[0], self.law[1]
        if kind == "plain":
            return mp.exp(size * z * (z + 1) / 2)
        if kind == "double":
            return ((z + 1) * mp.exp(z * size) + z * mp.exp(-(z + 1) * size)) / (2 * z + 1)
        v = z + mpf(1) / 2
        return mp.exp(-size / 2) / -mp.expm1(-size) * mp.sinh(v * size) / v

    def real_log_moment(self, c, direction):
        """(K, K', K'') at a real point, low precision."""
        if self.smooth():
            v = c + 1 if direction == FORWARD else -c
            if self.law[0] == "gaussian":
                nodes = gaussian_nodes(self.law, v, mpf(1) / 3, 0, 40)
            else:
                nodes = self.nodes(v, 0)
            g = sum(w for w, _ in nodes)
            first = sum(w * l for w, l in nodes) / g
            second = sum(w * l * l for w, l in nodes) / g - first ** 2
            return mp.log(g), direction * first, second
        h = mpf(1) / 1000
        f = [mp.log(self.moment(c + k * h)) for k in (-1, 0, 1)]
        return f[1], (f[2] - f[0]) / (2 * h), (f[2] - 2 * f[1] + f[0]) / h ** 2


def real_k(parts, c, direction):
    with mp.workdps(25):
        total = [mpf(0)] * 3
        for part in parts:
            total = [a + part.count * b for a, b in zip(total, part.real_log_moment(mpf(c), direction))]
        return total


def saddle_estimate(parts, c, direction):
    k, k1, k2 = real_k(parts, c, direction)
    return k1, mp.exp(k - c * k1) / (c * (c + 1) * mp.sqrt(2 * mp.pi * k2) + 1)


class Line:
    """delta(e) = 1/(2 pi i) times the integral of e^(K(z) - z e) / (z (z + 1)) along Re z = c > 0, trapezium rule.

    The rule with step h equals the sum over k of delta(e + 2 pi k / h) e^(2 pi k c / h): h is chosen so that the terms with
    k != 0 fall below 10^-digits of e^(K(c) - c e).
    """

    def __init__(self, parts, direction, c, e, variant=0, digits=27, slack=1):
        self.c = c = mpf(c)
        k0 = real_k(parts, c, direction)[0]
        drop = digits * mp.log(10)
        left = (drop - min(k0 - c * e, mpf(0)) + 8) / c
        best = None
        for d in (1.1, 1.25, 1.5, 2, 3):
            kd = real_k(parts, c * mpf(d), direction)[0]
            # k = 1: e^(K(dc) - dc e - (d-1) c period) <= e^(K(c) - c e - drop)
            period = (kd - k0 - (mpf(d) - 1) * c * e + drop) / ((mpf(d) - 1) * c)
            best = period if best is None else min(best, period)
        self.period = max(left, best) * slack
        self.h = 2 * mp.pi / self.period
        self.values = self.trace(parts, direction, variant, mpf(10) ** -digits)

    def trace(self, parts, direction, variant, small):
        c, h = self.c, self.h
        bits = mp.prec + 50
        one = 1 << bits
        streams = []
        top = mpf(1)
        for part in parts:
            if part.smooth():
                v = c + 1 if direction == FORWARD else -c
                nodes = part.nodes(v, variant)
                scale = mp.exp(part.real_log_moment(c, direction)[0])
                xs, ys, us, vs = [], [], [], []
                for w, l in nodes:
                    w = mpc(w) / scale
                    turn = mp.exp(mpc(0, 1) * h * l)
                    xs.append(int(mp.nint(w.real * one)))
                    ys.append(int(mp.nint(w.imag * one)))
                    us.append(int(mp.nint(mp.re(turn) * one)))
                    vs.append(int(mp.nint(mp.im(turn) * one)))
                streams.append([part.count, xs, ys, us, vs, scale])
                top *= scale ** part.count
            else:
                top *= mp.re(part.moment(c)) ** part.count
        fixed = [part for part in parts if not part.smooth()]
        tops = [mp.re(part.moment(c)) for part in fixed]
        values, k, quiet = [], 0, 0
        unit = mpf(2) ** -bits
        while True:
            z = mpc(c, k * h)
            value = 1 / (z * (z + 1))
            for stream in streams:
                count, xs, ys, us, vs, _ = stream
                # reverse: G(-c - iy) is the conjugate of G(-c + iy)
                total = mpc(sum(xs) * unit, direction * sum(ys) * unit)
                value *= total ** count if count < 5 else mp.exp(count * mp.log(total))
                stream[1] = [(x * u - y * v) >> bits for x, y, u, v in zip(xs, ys, us, vs)]
                stream[2] = [(x * v + y * u) >> bits for x, y, u, v in zip(xs, ys, us, vs)]
            for part, t in zip(fixed, tops):
                value *= mp.exp(part.count * mp.log(part.moment(z) / t))
            values.append(value)
            quiet = quiet + 1 if abs(value) * (1 + k * h) * (1 + c) < small / 100 else 0
            if quiet > 12:
                break
            k += 1
            if k > 400000:
                raise ArithmeticError("no decay")
        self.log_top = mp.log(top)
        return values

    def both(self, e):
        """(delta, -d delta / d e)."""
        c, h = self.c, self.h
        turn, phase = mp.exp(mpc(0, -h * e)), mpc(1)
        a, b = mpf(0), mpf(0)
        for k, value in enumerate(self.values):
            term = (value * phase)
            half = mpf(1) / 2 if k == 0 else 1
            a += half * mp.re(term)
            b += half * mp.re(term * mpc(c, k * h))
            phase *= turn
        factor = mp.exp(self.log_top - c * e) * h / mp.pi
        return a * factor, b * factor

    def solve(self, target, e):
        for _ in range(60):
            d, slope = self.both(e)
            step = mp.log(d / target) * d / slope
            e += step
            if abs(step) < mpf(10) ** -26 * abs(e):
                return e
        raise ArithmeticError("no root")


# ---------------------------------------------------------------- few repetitions: real quadrature

def repeated_gaussian(law, direction, count, e, order=24, scale=mpf(0)):
    """delta of count subsampled Gaussians as an expectation over one of them of the profile of the others."""
    _, q, mu = law
    if count == 1:
        return subsampled_profile(law, direction)(e)
    root = mp.sqrt(2 * mp.pi)

    def f(x):
        w = 1 - q + q * mp.exp(mu * x - mu * mu / 2)
        l = mp.log(w)
        value = mp.exp(-x * x / 2) / root
        if direction == FORWARD:
            return value * w * repeated_gaussian(law, direction, count - 1, e - l, order)
        return value * repeated_gaussian(law, direction, count - 1, e + l, order)
    # flat points: where e - l passes (count - 1) log(1 - q) (forward), where e + l passes -(count - 1) log(1 - q) (reverse)
    floor = (count - 1) * mp.log(1 - q)
    level = e - floor if direction == FORWARD else -floor - e
    gap = mp.expm1(level) + q
    cuts = [mpf(-13), mpf(13) + mu * (1 if direction == FORWARD else 0)]
    if gap > 0:
        x = (mp.log(gap / q) + mu * mu / 2) / mu
        if direction == REVERSE:
            cuts = [cuts[0], min(x, cuts[1])]
        elif cuts[0] < x:
            cuts = [cuts[0], x, max(cuts[1], x + 13)]
    pieces = []
    for a, b in zip(cuts, cuts[1:]):
        n = int((b - a) * 12 / order) + 1
        pieces += [(a + (b - a) * k / n, a + (b - a) * (k + 1) / n) for k in range(n)]
    with mp.workdps(20):
        scale = max([scale] + [f((a + b) / 2) for a, b in pieces])
    total = mpf(0)
    for a, b in pieces:
        total += panel(f, a, b, max(scale, total), order, (27 if count < 3 else 23))
    return total


def panel(f, a, b, scale, order, digits, depth=0):
    """As routes.panel, to fewer digits."""
    coarse, fine = routes.gauss(f, a, b, order), routes.gauss(f, a, b, order + 11)
    if abs(coarse - fine) <= mpf(10) ** -digits * max(scale, abs(fine)):
        return fine
    if depth > 120:
        raise ArithmeticError("quadrature does not settle on [%s, %s]" % (mp.nstr(a, 10), mp.nstr(b, 10)))
    c = (a + b) / 2
    left = panel(f, a, c, scale, order, digits, depth + 1)
    return left + panel(f, c, b, max(scale, left), order, digits, depth + 1)


# ---------------------------------------------------------------- subsampled Laplace: piecewise analytic profiles

class LaplacePieces:
    """Profiles of repeated subsampled Laplace losses, as values at Gauss-Legendre nodes of the pieces.

    One loss lies in [low, high] with an atom at each end, D = high - low. The profile of n losses is analytic between the points
    b_k = n low + k D, so one more loss maps the values on the pieces k - 1 and k to those on the piece k by two fixed matrices.
    """

    def __init__(self, law, direction, count, order):
        _, q, a = law
        ends = [(mp.log(1 - q + q * mp.exp(t)), weight) for t, weight in ((-a, mpf(1) / 2), (a, mp.exp(-a) / 2))]
        if direction == FORWARD:
            atoms = [(l, weight * mp.exp(l)) for l, weight in ends]
        else:
            atoms = [(-l, weight) for l, weight in reversed(ends)]
        (low, at_low), (high, at_high) = atoms
        width = high - low

        def density(l):
            """Of the loss under the first law: e^l = 1 - q + q e^(2u - a), u standard exponential on half the line."""
            w = mp.exp(l if direction == FORWARD else -l)
            rise = w - 1 + q  # q e^(2u - a)
            u = (mp.log(rise / q) + a) / 2
            return mp.exp(-u) / 2 * w / (2 * rise) * (w if direction == FORWARD else 1)
        rule = [((1 + x) / 2, weight / 2) for x, weight in routes.legendre(order)]
        xs = [x for x, _ in rule]
        self.bary = []
        for i, x in enumerate(xs):
            product = mpf(1)
            for j, y in enumerate(xs):
                if i != j:
                    product *= x - y
            self.bary.append(1 / product)
        self.xs, self.low, self.width, self.count = xs, low, width, count
        # delta_{n+1}(e) = sum of atoms + integral density(l) delta_n(e - l) dl; e = b_k + x D, e - l = b'_k + (x - s) D, l = low + s D:
        # s < x stays on the piece k, s > x falls on the piece k - 1 at 1 + x - s
        same, before = [], []
        for x in xs:
            row_same, row_before = [mpf(0)] * order, [mpf(0)] * order
            for y, weight in rule:
                s = x * y
                factor = weight * x * width * density(low + s * width)
                for j, v in enumerate(self.basis(x - s)):
                    row_same[j] += factor * v
                s = x + (1 - x) * y
                factor = weight * (1 - x) * width * density(low + s * width)
                for j, v in enumerate(self.basis(1 + x - s)):
                    row_before[j] += factor * v
            same.append(row_same)
            before.append(row_before)
        for i in range(order):  # atom at low: e - low is on piece k at x; at high: piece k - 1 at x
            same[i][i] += at_low
            before[i][i] += at_high
        unit = mp.prec + 20
        matrix = [[int(mp.nint(v * mpf(2) ** unit)) for v in r1 + r2] for r1, r2 in zip(before, same)]
        pieces = []  # of no loss at all: everything below 0 is 1 - e^e, above 0 is 0; piece -1 is the one below b_0
        for n in range(1, count + 1):
            def below(k, m):
                start = m * low + k * width
                return [int(mp.nint(-mp.expm1(start + x * width) * mpf(2) ** unit)) for x in xs]
            padded = [below(-1, n - 1)] + pieces + [[0] * order]
            # pieces k = 0 .. n - 1 of n losses from pieces k - 1 and k of n - 1 losses
            pieces = []
            for k in range(n):
                vector = padded[k] + padded[k + 1]
                pieces.append([sum(p * v for p, v in zip(row, vector)) >> unit for row in matrix])
        self.pieces = [[v * mpf(2) ** -unit for v in piece] for piece in pieces]

    def basis(self, t):
        for j, x in enumerate(self.xs):
            if t == x:
                return [mpf(i == j) for i in range(len(self.xs))]
        terms = [b / (t - x) for b, x in zip(self.bary, self.xs)]
        total = sum(terms)
        return [v / total for v in terms]

    def __call__(self, e):
        position = (e - self.count * self.low) / self.width
        k = int(mp.floor(position))
        if k < 0:
            return -mp.expm1(e)
        if k >= self.count:
            return mpf(0)
        return sum(v * b for v, b in zip(self.pieces[k], self.basis(position - k)))


# ---------------------------------------------------------------- bounded range: sums of uniforms

def bounded_range_profile(eta, count, e):
    """The composed loss has density proportional to e^(l/2) times that of a sum of uniforms: truncated powers."""
    n = count
    total = mpf(0)
    for k in range(n):
        h = (n - 2 * k) * eta - e
        if h <= 0:
            break
        power = mp.exp((n + 1) * mp.log(h) - mp.loggamma(n + 2))
        s, m = mpf(0), n + 1
        while True:
            s += power
            power = power * h * h / (4 * (m + 1) * (m + 2))
            m += 2
            if power < s * mp.eps / 100:
                break
        total += (-1) ** k * mp.binomial(n, k) * s
    return total * mp.exp(e / 2) * (mp.exp(-eta / 2) / (-2 * mp.expm1(-eta))) ** n


def bounded_range_once(eta, e):
    if e >= eta:
        return mpf(0)
    if e <= -eta:
        return -mp.expm1(e)
    return mp.expm1((e - eta) / 2) ** 2 / -mp.expm1(-eta)


def bounded_range_twice(eta, e):
    def f(l):
        return mp.exp((l - eta) / 2) / (-2 * mp.expm1(-eta)) * bounded_range_once(eta, e - l)
    cuts = sorted(x for x in {-eta, eta, e - eta, e + eta} if -eta <= x <= eta)
    return sum(routes.panel(f, a, b, mpf(0), 30) for a, b in zip(cuts, cuts[1:]))


# ---------------------------------------------------------------- spherical generalized gamma

def half_angle(t, w):
    """P[0 < W < w], 0 <= w <= 1, for the angle density proportional to (1 - w^2)^((t - 3) / 2)."""
    norm = mp.exp(mp.loggamma(mpf(t) / 2) - mp.loggamma(mpf(t - 1) / 2)) / mp.sqrt(mp.pi)
    square = w * w
    if t > 400:
        # w (1 - w^2)^((t - 1) / 2) 2F1(1, t/2; 3/2; w^2): positive terms
        if t * square > 500:
            return mpf(1) / 2
        term = total = mpf(1)
        k = 0
        while True:
            term = term * square * (t + 2 * k) / (2 * k + 3)
            total += term
            k += 1
            if term < total * mp.eps:
                break
        return norm * total * w * mp.exp((t - 1) * mp.log1p(-square) / 2)
    # J_m = integral_0^w (1 - u^2)^(m/2): (m + 1) J_m = w (1 - w^2)^(m/2) + m J_(m-2)
    rest = 1 - square
    if t % 2:
        value, m, power = w, 0, mpf(1)
    else:
        value, m, power = mp.asin(w), -1, 1 / mp.sqrt(rest) if rest > 0 else mpf(0)
    while m < t - 3:
        m += 2
        power *= rest
        value = (w * power + m * value) / (m + 1)
    return norm * value


def angle_below(t, w):
    """P[W < w]."""
    if w >= 1:
        return mpf(1)
    if w < -1 or t > 1 and w == -1:
        return mpf(0)
    if t == 1:
        return mpf(1) / 2
    return mpf(1) / 2 + (half_angle(t, w) if w > 0 else -half_angle(t, -w))


class Spherical:
    """Noise with radial density proportional to r^alpha e^(-beta r^p) in dimension t, shift s."""

    def __init__(self, t, alpha, beta, p, s):
        self.t, self.alpha, self.beta, self.p, self.s = t, mpf(alpha), mpf(beta), mpf(p), mpf(s)
        self.m = t - 1 - self.alpha
        shape = (self.alpha + 1) / self.p
        self.log_norm = mp.log(self.p) + shape * mp.log(self.beta) - mp.loggamma(shape)
        with mp.workdps(20):
            def log_mass(x):  # of the density in log r
                return (self.alpha + 1) * x - self.beta * mp.exp(self.p * x)
            center = mp.log((self.alpha + 1) / (self.beta * self.p)) / self.p
            top = log_mass(center)
            step = 1 / mp.sqrt((self.alpha + 1) * self.p)
            x = center
            while log_mass(x) > top - 105:
                x += step / 4
            self.high = mp.exp(x)
            x = center
            while log_mass(x) > top - 105 and x > center - 40 * step:
                x -= step / 4
            self.low = mp.exp(x)
            self.from_zero = log_mass(x) > top - 105
            self.center = mp.exp(center)
        self.high, self.low, self.center = mpf(self.high), mpf(self.low), mpf(self.center)

    def height(self, r):
        """h with L = h(r') - h(r), r' the distance to the shift."""
        value = self.beta * r ** self.p
        return value + self.m * mp.log(r) if self.m else value

    def inverse(self, value, start):
        """r with h(r) = value, or None."""
        if not self.m:
            return (value / self.beta) ** (1 / self.p) if value > 0 else None
        x = mp.log(start)  # h is increasing and convex in log r: Newton from either side settles
        for _ in range(400):
            power = self.beta * mp.exp(self.p * x)
            step = (self.m * x + power - value) / (self.m + self.p * power)
            step = max(min(step, 40 / self.p), -40 / self.p) if self.p * power > self.m else step
            x -= step
            if abs(step) < mpf(10) ** (-mp.dps // 2 - 3):
                power = self.beta * mp.exp(self.p * x)
                return mp.exp(x - (self.m * x + power - value) / (self.m + self.p * power))
        raise ArithmeticError("no inverse")

    def threshold(self, r, e):
        """w below which the loss (at distance r from the center) exceeds e; None if it always does."""
        rho = self.inverse(self.height(r) + e, r)
        if rho is None:
            return None
        return ((r - rho) * (r + rho) / self.s + self.s) / (2 * r)

    def density(self, r):
        return mp.exp(self.log_norm + self.alpha * mp.log(r) - self.beta * r ** self.p)

    def cuts(self, signs, e):
        """Ends of smooth pieces of the radius."""
        s = self.s
        with mp.workdps(30):
            count = 400
            top = self.high
            grid = [self.low * (top / self.low) ** (mpf(k) / count) for k in range(count + 1)]
            if self.from_zero:
                grid = [self.low * mpf(10) ** -k for k in range(30, 0, -1)] + grid
            grid = sorted(set(grid + [s * (1 + d) for d in (mpf(-1) / 10 ** 3, mpf(1) / 10 ** 3) if self.low < s < top]))
        conditions = []
        for sign in signs:
            conditions.append(lambda r, sign=sign: self.gap(r, sign * e, 1))
            if sign > 0:
                conditions.append(lambda r, sign=sign: self.gap(r, sign * e, -1))
            for level in (0, 6, -6):
                if level == 0 or self.t > 50:
                    conditions.append(lambda r, sign=sign, level=level: self.soft(r, sign * e, level / mp.sqrt(self.t)))
        found = [s] if self.low < s < top else []
        for condition in conditions:
            with mp.workdps(20):
                values = [condition(r) for r in grid]
            for a, b, x, y in zip(grid, grid[1:], values, values[1:]):
                if x * y < 0:
                    found.append(bisect(condition, a, b, x))
        if not self.from_zero or self.low < self.center < self.high:
            found.append(self.center)
        ends = sorted([mpf(0) if self.from_zero else self.low, self.high] + found)
        kept = [ends[0]]
        for x in ends[1:]:
            if x - kept[-1] > x * mpf(10) ** -12:
                kept.append(x)
        return kept

    def gap(self, r, e, sign):
        """h(|r - sign s|) - h(r) - e: zero where the threshold meets sign."""
        other = abs(r - sign * self.s)
        return (self.height(other) if other else -mpf(10) ** 9) - self.height(r) - e

    def soft(self, r, e, level):
        w = self.threshold(r, e)
        return (mpf(10) ** 9 if w is None else w) - level

    def over_radius(self, f, signs, e, digits):
        ends = self.cuts(signs, e)
        total, parts = mpf(0), []
        # rough sizes first, to know what is negligible
        for a, b in zip(ends, ends[1:]):
            if a == 0:
                power = 1 / (self.alpha + 1) if self.alpha < 1 else mpf(1)

                def g(v, b=b, power=power):
                    r = b * v ** power
                    return f(r) * b * power * v ** (power - 1)
                parts.append((g, mpf(0), mpf(1)))
            else:
                parts.append((f, a, b))
        with mp.workdps(20):
            scale = max(max(g(a + (b - a) * k / 8) * (b - a) for k in range(1, 8)) for g, a, b in parts) / 10
        for g, a, b in sorted(parts, key=lambda part: part[1]):
            total += tanh_sinh(g, a, b, max(scale, total), digits)
        return total

    def delta(self, e, digits=27):
        """Radius integral of the angle's distribution function at the two thresholds."""
        e, power = mpf(e), mp.exp(mpf(e))

        def f(r):
            w = self.threshold(r, e)
            value = angle_below(self.t, w)
            w = self.threshold(r, -e)
            if w is not None and w < 1:
                value -= power * (1 - angle_below(self.t, w))
            return value * self.density(r)
        return self.over_radius(f, (1, -1), e, digits)

    def delta_plane(self, e, digits=20, order=40):
        """Radius and angle: the mean of (1 - e^(e - L))_+, without distribution functions or the law of the shifted noise."""
        e = mpf(e)
        t, s = self.t, self.s
        norm = mp.exp(mp.loggamma(mpf(t) / 2) - mp.loggamma(mpf(t - 1) / 2)) / mp.sqrt(mp.pi) if t > 1 else None
        if t > 50:
            wide = min(mp.pi / 2, 15 / mp.sqrt(mpf(t - 2)))
        else:
            wide = mp.pi / 2

        def f(r):
            w = self.threshold(r, e)
            here = self.height(r)
            if w <= -1:
                return mpf(0)
            if t == 1:
                return self.density(r) / 2 * sum(max(mpf(0), -mp.expm1(e + here - self.height(abs(r - side * s))))
                                                 for side in (1, -1))
            # angle phi from the equator, w = -sin phi: phi from -asin w up to pi/2
            start = max(-mp.asin(w) if w < 1 else -mp.pi / 2, -wide)
            if start >= wide:
                return mpf(0)

            def g(phi):
                other = mp.sqrt(r * r + s * s + 2 * r * s * mp.sin(phi))
                if not other:
                    return mpf(0)
                return -mp.expm1(e + here - self.height(other)) * mp.cos(phi) ** (t - 2)
            pieces = 2 if wide - start > wide else 1
            total = mpf(0)
            for k in range(pieces):
                total += routes.gauss(g, start + (wide - start) * k / pieces, start + (wide - start) * (k + 1) / pieces, order)
            return total * norm * self.density(r)
        return self.over_radius(f, (1,), e, digits)


def bisect(f, a, b, at_a):
    """Sign change to full precision: bisection, then secant steps within the bracket."""
    with mp.workdps(20):
        for _ in range(30):
            c = (a + b) / 2
            v = f(c)
            if v * at_a > 0:
                a = c
            else:
                b = c
    a, b = mpf(a), mpf(b)
    try:
        x = mp.findroot(f, (a, b), solver="anderson", tol=mpf(10) ** (-2 * mp.dps + 20), verify=False)
        if a <= x <= b:
            return x
    except (ValueError, ZeroDivisionError, TypeError):  # steps out of the domain
        pass
    return (a + b) / 2


# ---------------------------------------------------------------- l2 mechanism in prolate coordinates

def l2_nodes(law, c, points):
    """[(weight, log w)] for alpha = t - 1, p = 1, kappa = s / scale.

    With u = (r' + r) / s and v = (r' - r) / s the loss is kappa v and its law has density proportional to
    e^(kappa v / 2) (1 - v^2)^((t - 3) / 2) (A_2 - A_0 v^2), A_j = integral_1^inf u^j (u^2 - 1)^((t - 3) / 2) e^(-kappa u / 2) du.
    """
    _, t, kappa = law
    assert t % 2 == 0 and t >= 4
    ratio = l2_ratio(t, kappa)
    # v = cos(theta): trapezium rule over the half circle, sin^(t-2) is smooth and periodic
    raw = []
    for k in range(points + 1):
        theta = mp.pi * k / points
        v, weight = mp.cos(theta), mp.sin(theta) ** (t - 2) * (mpf(1) / 2 if k in (0, points) else 1)
        if weight > 0:
            raw.append((weight * (ratio - v * v), kappa * v))
    norm = sum(w * mp.exp(l / 2) for w, l in raw)  # under X; under Y the factor is e^(-l/2)
    return [(w * mp.exp(-l / 2 + c * l) / norm, l) for w, l in raw]


_ratio = {}


def l2_ratio(t, kappa):
    """A_2 / A_0, by Bessel functions: A_0 is a multiple of (4 / kappa)^((t-2)/2) K_((t-2)/2)(kappa / 2)."""
    key = (t, kappa, mp.prec)
    if key not in _ratio:
        order, x = mpf(t - 2) / 2, kappa / 2
        # A_2 - A_0 = integral (u^2 - 1)^((t-1)/2) e^(-xu) = (t - 1) / x * K_(order+1) / K_order * A_0
        _ratio[key] = 1 + (t - 1) / x * mp.besselk(order + 1, x) / mp.besselk(order, x)
    return _ratio[key]


def l2_density_profile(t, kappa):
    """e -> delta(e) of one l2 mechanism, a one-dimensional integral over v."""
    ratio = l2_ratio(t, kappa)

    def weight(v):
        return (1 - v * v) ** (mpf(t - 3) / 2) * (ratio - v * v)
    norm = tanh_sinh(lambda v: weight(v) * mp.exp(kappa * v / 2), mpf(-1), mpf(1))

    def delta(e):
        if e >= kappa:
            return mpf(0)
        if e <= -kappa:
            return -mp.expm1(e)
        return tanh_sinh(lambda v: weight(v) * (mp.exp(kappa * v / 2) - mp.exp(e - kappa * v / 2)), e / kappa, mpf(1),
                         mpf(10) ** -30) / norm
    return delta


# ---------------------------------------------------------------- where Gaussian noise is asymptotically optimal

def large_dimension_profile(e, u):
    root = mp.sqrt(u)
    a, b = -e * root + 1 / (2 * root), -e * root - 1 / (2 * root)
    return mp.ncdf(a) - mp.exp(e) * mp.ncdf(b)


def large_dimension_slope(e, u):
    """g'(u): the terms in a' and b' collapse because n(a) = e^e n(b)."""
    root = mp.sqrt(u)
    return -mp.npdf(-e * root + 1 / (2 * root)) / (2 * u * root)


def delta_star(e):
    """The tangent at u0 passes through (0, 1): g(u0) - u0 g'(u0) = 1, the root beyond the inflection."""
    def f(u):
        return large_dimension_profile(e, u) - u * large_dimension_slope(e, u) - 1
    # f starts at 0, rises while g is concave (f' = -u g''), falls once g is convex
    u = mpf(10) ** -6
    while f(2 * u) > f(u) or f(u) < mpf(10) ** -30:
        u *= mpf(5) / 4
    while f(u) > 0:
        u *= mpf(5) / 4
    u = mp.findroot(f, (u * 4 / 5, u), solver="anderson", tol=mpf(10) ** -70)
    return u, large_dimension_profile(e, u)
