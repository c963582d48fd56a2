"""The least radial noise for T numbers, by linear programs.

A noise on T numbers, which a record moves by at most 1 in Euclidean distance, has a density f that depends on the
distance r from the center alone and never rises with it: a mixture of uniform balls. Then the shift by 1 is the worst
(docs/derivations/optimal-noise.md, "Two numbers", in any dimension), and with r1 and r2 the distances of a point from
the centers of the noise and of the shifted noise

    delta(f) = integral of (f(r1) - e^epsilon f(r2))_+,     r2^2 = r1^2 + 1 + 2 r1 cos(phi),

where phi has the density sin(phi)^(T-2) / B(1/2, (T-1)/2) on (0, pi), for T = 1 the values 0 and pi alike. Mean squared
error and mass are linear in f. Which f has the least error with delta(f) <= delta?

*Shells.* Between two edges f is a + b g(r), g the density of the best spherical noise. Two values, at the inner and at
the outer edge, give f; it never rises if they do not, in order. So mixtures of balls that end at the edges are among
these densities, and so is g, but for its far tail. That matters: at (0.1, 0.003) densities that are constant on shells
of width 1/16 have an error that is 0.2 % above the least for T = 2, and 0.4 % for T = 10, where g is within 0.04 %.

*Cuts.* For every region A of points the integral of f(r1) - e^epsilon f(r2) over A is linear in f and at most delta(f),
with equality if A is where it is positive: r2 > rho(r1), since f does not rise. Take this for each shell of r1 apart:

    least error of f,  with  mass 1,  values that never rise,  sum of u_i <= delta,
                       u_i >= integral over r1 in shell i, r2 > rho(r1),  for many functions rho.

The optimum of this program is at most that of all densities on the shells. Its f has a delta that is too large. The
boundaries rho of that f are added, and those of the mixture of f with the best density so far that just has the delta
asked for (delta is convex in f: chords find it). That mixture is the next best density. Both ends meet within some
twenty programs. Boundaries on which nothing has depended for a while are left out.

*Scales.* Tolerances of a program rival delta. Its variables are the values of f relative to those of g, of the order
of 1, and u_i relative to delta.

*What is trusted.* Not the programs: in the end the density is mixed with one of less delta, so that a finer rule finds
a little less than the delta asked for; error and delta reported are those of that rule. `delta_on_lines` has the same
integral in other coordinates. Nothing here is proved.
"""

import dataclasses
import math

from radial_shells import Shells, edges_of

try:
    import numpy as np
    import scipy.sparse as sparse
    from scipy.optimize import linprog
except ImportError:
    np = None

GAP = 1e-5              # of the error, between the density and the optimum on its shells
PROGRAMS = 40
MARGIN = 5e-5           # of delta: about what the finer rule is wrong by, at most
REMEMBERED = 12         # programs that a boundary outlives without a multiplier


def available():
    return np is not None


class Program:
    """The linear program of all cuts so far."""

    def __init__(self, shells, epsilon, delta):
        self.shells, self.epsilon, self.delta = shells, epsilon, delta
        self.unit = shells.stretched(1)
        count = shells.count
        self.excess = 10 / count                # what u_i = 1 stands for, as a share of delta
        steps = sparse.diags([np.ones(2 * count - 1), -np.ones(2 * count - 1)], [1, 0], (2 * count - 1, 2 * count)).tocsc()
        order = np.arange(2 * count).reshape(2, count).T.ravel()
        steps = steps[:, np.argsort(order)] @ sparse.diags(self.unit)
        self.never_rise = sparse.diags(1 / self.unit[order][:-1]) @ steps
        self.rows = sparse.csr_matrix((0, 3 * count))
        self.unused = np.zeros(0)

    def add(self, values):
        rows = self.shells.cut(values, self.epsilon) @ sparse.diags(self.unit / (self.delta * self.excess))
        largest = abs(rows).max(1).toarray().ravel()
        kept = largest > 1e-13
        scales = sparse.diags(1 / np.maximum(largest, 1))
        rows = sparse.hstack([scales @ rows, -scales]).tocsr()[kept]
        self.rows = sparse.vstack([self.rows, rows]).tocsr()
        self.unused = np.append(self.unused, np.zeros(rows.shape[0]))

    def solve(self, aim):
        """The least error with a delta of `aim` by these cuts, and values that have it."""
        count, cuts = self.shells.count, self.rows.shape[0]
        budget = np.append(np.zeros(2 * count), np.full(count, self.excess))
        upper = sparse.vstack([self.rows, budget[None], sparse.hstack(
            [self.never_rise, sparse.csr_matrix((2 * count - 1, count))])]).tocsr()
        limits = np.zeros(upper.shape[0])
        limits[cuts] = aim / self.delta
        cost, none = self.shells.cost * self.unit, np.zeros(count)
        for method in "highs", "highs-ipm":
            found = linprog(np.append(cost / cost.sum(), none), upper, limits,
                            sparse.csr_matrix(np.append(self.shells.mass * self.unit, none)[None]), [1.0], method=method,
                            options={"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9})
            if found.status == 0:
                break
        else:
            raise ArithmeticError(f"linear program of {count} shells: {found.message}")
        self.unused = np.where(found.ineqlin.marginals[:cuts] < -1e-12, 0, self.unused + 1)
        kept = self.unused < REMEMBERED
        self.rows, self.unused = self.rows[kept], self.unused[kept]
        return found.fun * cost.sum(), self.shells.falling(found.x[:2 * count] * self.unit)


def toward(shells, start, end, epsilon, delta):
    """The mixture of `start`, of at most `delta`, with most of `end` that keeps to it, or nearly so."""
    low, at_low = 0.0, shells.delta(start, epsilon)
    high, at_high = 1.0, shells.delta(end, epsilon)
    if at_high <= delta:
        return end
    for _ in range(20):
        # The chord of a convex function is above it: where it meets delta the function does not exceed it.
        chord = low + (high - low) * (delta - at_low) / (at_high - at_low)
        for share in chord, min(2 * chord - low, 0.5 * (chord + high)):
            value = shells.delta(start + share * (end - start), epsilon)
            if value <= delta:
                low, at_low = share, value
            elif share < high:
                high, at_high = share, value
        if at_low > delta * (1 - 1e-7) or high - low < 1e-6 * low:
            break
    return start + low * (end - start)


@dataclasses.dataclass
class RadialNoise:
    shells: object
    values: object
    error: float        # mean squared
    delta: float        # by a finer rule than that of the programs
    least: float        # error that no density on these shells goes below, by the rule of the programs

    def density(self, radius):
        """Relative to the volume of the largest ball."""
        shells = self.shells
        shell = np.minimum(np.searchsorted(shells.edges, radius, side="right") - 1, shells.count - 1)
        share = shells.outer_share(radius, shell)
        found = self.values[shell] * (1 - share) + self.values[shells.count + shell] * share
        return np.where(radius < shells.edges[-1], found, 0.0)


def with_delta_to_spare(shells, epsilon, delta):
    """Spherical noise that is large enough."""
    every = [shells.stretched(1 + 2.0**power) for power in range(-7, 1)]
    deltas = [shells.delta(values, epsilon) for values in every]
    return next((values for values, its in zip(every, deltas) if its < 0.7 * delta), every[int(np.argmin(deltas))])


def close_in(program, best, safe, aim):
    """Programs until `best`, of a delta of at most `aim`, has nearly the least error; what that is."""
    shells, least = program.shells, 0.0
    for _ in range(PROGRAMS):
        program.add(best)
        bound, values = program.solve(aim)
        least = max(least, bound)
        best = min((toward(shells, start, values, program.epsilon, aim) for start in (best, safe)), key=shells.cost.dot)
        if shells.cost @ best - least < GAP * least:
            break
        program.add(values)
    return best, least


def least_radial_noise(spherical, epsilon, delta, per_shift):
    """`spherical`: the best spherical noise for this target."""
    shells = Shells(spherical, edges_of(spherical, delta, per_shift))
    program = Program(shells, epsilon, delta)
    program.add(shells.stretched(1))
    safe = with_delta_to_spare(shells, epsilon, delta)
    best, least = close_in(program, safe, safe, delta)
    # Once more, aiming at what the finer rule will take for a little less than delta.
    finer, wanted = Shells(spherical, shells.edges, 4), (1 - MARGIN) * delta
    aim = shells.delta(best, epsilon) * wanted / finer.delta(best, epsilon)
    best, _ = close_in(program, toward(shells, safe, best, epsilon, aim), safe, aim)
    best = toward(finer, with_delta_to_spare(finer, epsilon, delta), finer.falling(best), epsilon, wanted)
    return RadialNoise(finer, best, finer.cost @ best, finer.delta(best, epsilon), least)


def noise_on_shells(spherical, epsilon, delta, most):
    """With a power of two of shells a shift that makes at most so many; fewer where programs fail."""
    per_shift = 32.0
    while len(edges_of(spherical, delta, per_shift)) - 1 > most:
        per_shift /= 2
    while True:
        try:
            return per_shift, least_radial_noise(spherical, epsilon, delta, per_shift)
        except ArithmeticError:
            if per_shift < 0.1:
                raise
            per_shift /= 2


def delta_on_lines(noise, epsilon, lines):
    """delta on lines along the shift, between the edges that they meet: another way to the same integral, for T > 1."""
    edges, dimension = noise.shells.edges, noise.shells.dimension
    place, weight = np.polynomial.legendre.leggauss(3)
    total = 0.0
    for line in range(lines):
        # Denser next to the axis, where most of delta may be.
        root = (line + 0.5) / lines
        across = root**2 * edges[-1]
        met = np.sqrt(edges[edges > across]**2 - across**2)
        cuts = np.concatenate([[-0.5], -met, met, met - 1])
        cuts = np.sort(cuts[cuts >= -0.5])
        half = 0.5 * np.diff(cuts)
        along = (cuts[:-1] + half)[:, None] + half[:, None] * place
        excess = noise.density(np.hypot(along, across)) - math.exp(epsilon) * noise.density(np.hypot(along + 1, across))
        total += 2 * root * (across / edges[-1])**(dimension - 2) * (np.maximum(excess, 0) @ weight @ half)
    # The sphere of T - 1 dimensions, relative to the ball of T.
    sphere = (dimension - 1) * math.exp(math.lgamma(0.5 * dimension + 1) - math.lgamma(0.5 * dimension + 0.5))
    return total * sphere / math.sqrt(math.pi) / (lines * edges[-1])
