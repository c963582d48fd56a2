"""Other people's private linear regressions: root mean square errors over that of least squares.

Simulations with seeded noise, for comparison only: they release nothing.
"""

import csv
import math

from classification_rivals import BATCH_SHARE, available, noise_multiplier, np

SETTINGS = [(steps, clip, rate) for steps in (100, 400) for clip in (0.01, 0.03, 0.1, 0.3) for rate in (4.0, 16.0, 64.0)]


class Rows:
    """Features with a column of ones, of norm 1 at most, and a target within [-1, 1]."""

    def __init__(self, data):
        with open(data.path, newline="", encoding="utf-8") as file:
            reader = csv.reader(file)
            names = next(reader)
            values = np.array([[float(field) for field in row] for row in reader])
        middle = np.array([sum(data.ranges[name]) / 2 for name in names])
        half = np.array([(data.ranges[name][1] - data.ranges[name][0]) / 2 for name in names])
        values = (values - middle) / half
        target = names.index(data.target)
        features = np.delete(values, target, axis=1)
        self.x = np.column_stack([np.ones(len(values)), features]) / math.sqrt(features.shape[1] + 1)
        self.y = values[:, target]
        self.best = self.error(np.linalg.lstsq(self.x, self.y, rcond=None)[0])
        self.tuned = {}

    def error(self, theta):
        return float(np.sqrt(np.mean((self.x @ theta - self.y) ** 2)))


def descent(rows, sigma, setting, random):
    steps, clip, rate = setting
    theta, lengths = np.zeros(rows.x.shape[1]), np.linalg.norm(rows.x, axis=1)
    for _ in range(steps):
        batch = np.flatnonzero(random.random(len(rows.x)) < BATCH_SHARE)
        own = rows.x[batch]
        off = own @ theta - rows.y[batch]
        off *= np.minimum(1, clip / np.maximum(np.abs(off) * lengths[batch], 1e-12))
        gradient = own.T @ off + random.normal(size=len(theta)) * sigma * clip
        theta = theta - rate * gradient / (BATCH_SHARE * len(rows.x))
    return theta


def stochastic_descent(rows, epsilon, delta, seed):
    """With the setting that does best on these rows at this budget, by a run each: nobody pays for it."""
    def at(setting, random):
        return rows.error(descent(rows, noise_multiplier(epsilon, delta, setting[0]), setting, random))

    if epsilon not in rows.tuned:
        random = np.random.default_rng(1000)
        rows.tuned[epsilon] = min(SETTINGS, key=lambda setting: at(setting, random))
    return at(rows.tuned[epsilon], np.random.default_rng(seed)) / rows.best


def functional_mechanism(rows, epsilon, _, seed):
    """Laplace noise on the coefficients of the squared error (Zhang and others, 2012), as in diffprivlib.

    A row adds x x^T, -2 y x and y^2: of l1 norm (|x|_1 + |y|)^2 <= (sqrt d + 1)^2. Eigenvalues below the
    noise are cut off. No delta is spent.
    """
    random = np.random.default_rng(seed)
    count = rows.x.shape[1]
    scale = (math.sqrt(count) + 1) ** 2 / epsilon
    noise = np.triu(random.laplace(size=(count, count)) * scale)
    # Off the diagonal a coefficient is twice the entry.
    noise = np.diag(np.diag(noise)) + (np.triu(noise, 1) + np.triu(noise, 1).T) / 2
    pulls = rows.x.T @ rows.y + random.laplace(size=count) * scale / 2
    values, axes = np.linalg.eigh(rows.x.T @ rows.x + noise)
    inverse = np.where(values > scale, 1 / np.maximum(values, 1e-300), 0.0)
    return rows.error(axes @ (inverse * (axes.T @ pulls))) / rows.best


RIVALS = {"DP-SGD, tuned": stochastic_descent, "functional mechanism": functional_mechanism}
