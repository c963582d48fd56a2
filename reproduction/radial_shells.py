"""Radial densities on shells, and delta as their integral; radial_program.py derives what they are for.

Between two edges f is a + b g(r), g a spherical density, given by its values at both edges. A shift by 1 leads from the
distance r1 to r2, r2^2 = r1^2 + 1 + 2 r1 cos(phi), where phi has the density sin(phi)^(T-2) / B(1/2, (T-1)/2) on (0, pi),
for T = 1 the values 0 and pi alike.

*Integrals.* Over phi by Gauss's rule between the edges of the shells, and from rho on; over r1 by Gauss's rule in theta,
r1 = middle - half cos(theta), between all r1 where r1 + 1 or |r1 - 1| is an edge.
"""

import dataclasses
import math

try:
    import numpy as np
    import scipy.sparse as sparse
    from scipy.special import gammainccinv, gammaincinv
except ImportError:
    np = None


@dataclasses.dataclass
class Spherical:
    """A density proportional to r^(alpha + 1 - T) exp(-beta r^p)."""
    dimension: int
    alpha: float
    beta: float
    p: float

    def log_density(self, radius):
        return (self.alpha + 1 - self.dimension) * np.log(radius) - self.beta * radius**self.p

    def slope(self, radius):
        return (self.alpha + 1 - self.dimension) / radius - self.beta * self.p * radius**(self.p - 1)

    def radius(self, probability, beyond):
        """Which the noise exceeds, or does not reach, with this probability."""
        inverse = gammainccinv if beyond else gammaincinv
        return (inverse((self.alpha + 1) / self.p, probability) / self.beta)**(1 / self.p)


def edges_of(spherical, delta, per_shift):
    """Radii of shells: `per_shift` on a length of 1 where anything happens; one ball within, few shells beyond."""
    first = max(1, math.floor(spherical.radius(1e-4 * delta, False) * per_shift))
    last = math.ceil((spherical.radius(0.1 * delta, True) + 1) * per_shift)
    end = max(spherical.radius(1e-3 * delta, True), last / per_shift) + 1
    return np.concatenate([[0], np.arange(first, last) / per_shift, np.linspace(last / per_shift, end, 9)])


def nodes_between(cuts, points):
    """Gauss's rule in theta between neighbors of `cuts`, for square roots at their ends."""
    place, weight = np.polynomial.legendre.leggauss(points)
    theta = 0.5 * math.pi * (1 + place)
    middle, half = 0.5 * (cuts[1:] + cuts[:-1]), 0.5 * np.diff(cuts)
    return ((middle[:, None] - half[:, None] * np.cos(theta)).ravel(),
            (half[:, None] * weight * 0.5 * math.pi * np.sin(theta)).ravel())


class Shells:
    """Densities by 2n values, at the inner and then at the outer edges of n shells; volumes relative to the largest ball."""

    def __init__(self, spherical, edges, refinement=1):
        self.dimension, self.edges, self.count = spherical.dimension, edges, len(edges) - 1
        # Next to the center g may have a pole: there it is cut.
        self.floor, self.spherical = 0.1 * edges[1], spherical
        self.logs = self.log_density(edges)
        self.fall = -np.expm1(np.diff(self.logs))
        self.angles = np.polynomial.legendre.leggauss(6 + 2 * refinement)
        self.radii, weights = nodes_between(self.cuts(max(0.125, np.diff(edges).min() / 8) / refinement), 4 + 2 * refinement)
        self.weights = weights * self.dimension * (self.radii / edges[-1])**(self.dimension - 1) / edges[-1]
        self.shell = np.searchsorted(edges, self.radii) - 1
        self.share = self.outer_share(self.radii, self.shell)
        self.mass = self.moments(self.weights)
        self.cost = self.moments(self.weights * self.radii**2)
        self.prepare()

    def cuts(self, widest):
        cuts = np.concatenate([self.edges, self.edges + 1, abs(self.edges - 1)])
        cuts = np.sort(cuts[cuts <= self.edges[-1]])
        cuts = cuts[np.append(True, np.diff(cuts) > 1e-9)]
        pieces = [np.linspace(low, high, math.ceil((high - low) / widest) + 1)[:-1] for low, high in zip(cuts, cuts[1:])]
        return np.append(np.concatenate(pieces), cuts[-1])

    def log_density(self, radius):
        return self.spherical.log_density(np.maximum(radius, self.floor))

    def outer_share(self, radius, shell):
        """How much of the value at the outer edge f has here: the rest is that of the inner one."""
        return np.clip(-np.expm1(self.log_density(radius) - self.logs[shell]) / self.fall[shell], 0, 1)

    def radius_of_share(self, share, shell):
        """By Newton's method; an error moves a boundary, which any cut may have."""
        low, high = np.maximum(self.edges[shell], self.floor), self.edges[shell + 1]
        wanted = self.logs[shell] + np.log1p(-share * self.fall[shell])
        radius = low + share * (high - low)
        for _ in range(5):
            radius = radius - (self.log_density(radius) - wanted) / self.spherical.slope(radius)
            radius = np.clip(radius, low, high)
        return radius

    def moments(self, weights):
        outer = np.bincount(self.shell, weights * self.share, self.count)
        return np.concatenate([np.bincount(self.shell, weights, self.count) - outer, outer])

    def prepare(self):
        """For every node, how likely r2 is in its own shell and in each one further out."""
        width = (np.searchsorted(self.edges, self.radii + 1) - self.shell).max()
        other = self.shell[:, None] + np.arange(width)
        self.inside, self.other = other < self.count, np.minimum(other, self.count - 1)
        here = np.broadcast_to(self.radii[:, None], other.shape)
        self.likely, self.outer = self.chances(here, self.edges[self.other], self.edges[self.other + 1], self.other)
        self.beyond, _ = self.chances(self.radii, self.edges[-1], self.edges[-1] + 1, np.full(len(self.radii), self.count - 1))

    def chances(self, here, low, high, shell):
        """Probability of low < r2 < high at r1 = here, and the mean of the outer share there."""
        if self.dimension == 1:
            pairs = [(radius, 0.5 * ((low <= radius) & (radius < high))) for radius in (here + 1, abs(here - 1))]
        else:
            ends = [np.arccos(np.clip((end**2 - here**2 - 1) / (2 * here), -1, 1)) for end in (high, low)]
            middle, half = 0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0])
            whole = math.exp(math.lgamma(0.5) + math.lgamma(0.5 * (self.dimension - 1)) - math.lgamma(0.5 * self.dimension))
            pairs = []
            for place, weight in zip(*self.angles):
                angle = middle + half * place
                radius = np.sqrt(here**2 + 1 + 2 * here * np.cos(angle))
                pairs.append((radius, weight / whole * half * np.sin(angle)**(self.dimension - 2)))
        return (sum(chance for _, chance in pairs),
                sum(chance * self.outer_share(radius, shell) for radius, chance in pairs))

    def terms(self, values, epsilon):
        """f at the nodes; there, the chance that f(r1) > e^epsilon f(r2), all in all and in shells; and the outer share."""
        inner, outer = values[:self.count], values[self.count:]
        here = inner[self.shell] * (1 - self.share) + outer[self.shell] * self.share
        level = (here * math.exp(-epsilon))[:, None]
        top, bottom = inner[self.other], outer[self.other]
        whole = self.inside & (top <= level)
        likely, share = np.where(whole, self.likely, 0), np.where(whole, self.outer, 0)
        node, place = np.nonzero(self.inside & (top > level) & (bottom < level))
        shell, top, bottom = self.other[node, place], top[node, place], bottom[node, place]
        start = self.radius_of_share((top - level[node, 0]) / (top - bottom), shell)
        likely[node, place], share[node, place] = self.chances(self.radii[node], start, self.edges[shell + 1], shell)
        return here, likely.sum(1) + self.beyond, likely, share

    def delta(self, values, epsilon):
        here, chance, likely, share = self.terms(values, epsilon)
        inner, outer = values[:self.count][self.other], values[self.count:][self.other]
        return self.weights @ (here * chance - math.exp(epsilon) * (inner * (likely - share) + outer * share).sum(1))

    def cut(self, values, epsilon):
        """One row a shell of r1: delta as a linear function of the values, for the boundary that these have."""
        _, chance, likely, share = self.terms(values, epsilon)
        weights = -math.exp(epsilon) * self.weights[:, None]
        to, row = self.other.ravel(), np.repeat(self.shell, self.other.shape[1])
        entries = [(self.shell, self.shell, self.weights * chance * (1 - self.share)),
                   (self.shell, self.count + self.shell, self.weights * chance * self.share),
                   (row, to, (weights * (likely - share)).ravel()), (row, self.count + to, (weights * share).ravel())]
        rows, columns, numbers = map(np.concatenate, zip(*entries))
        used = numbers != 0
        return sparse.csr_matrix((numbers[used], (rows[used], columns[used])), shape=(self.count, 2 * self.count))

    def falling(self, values):
        """The nearest values from above that never rise, of mass 1."""
        both = np.stack([values[:self.count], values[self.count:]], 1).ravel()
        both = np.maximum.accumulate(np.maximum(both, 0)[::-1])[::-1]
        both = np.concatenate([both[::2], both[1::2]])
        return both / (self.mass @ both)

    def stretched(self, factor):
        """Spherical noise that is larger by a factor."""
        logs = self.log_density(self.edges / factor)
        return self.falling(np.exp(np.append(logs[:-1], logs[1:]) - logs[1]))
