"""Optimal noise from Python."""

import unittest

import modicum
import numpy as np


class OptimalNoise(unittest.TestCase):
    def test_integers(self):
        found = modicum.optimize_noise(epsilon=1, delta=1e-5, integers=True)
        self.assertAlmostEqual(found.error, 1.839617, 6)
        self.assertLessEqual(found.lower_bound, found.error)
        self.assertLessEqual(modicum.loss(found["description"]).delta(1.0), 1e-5)
        draws = modicum.sample_noise(found["description"], count=100_000)
        # Fourth moment about 18: 8 standard deviations.
        self.assertAlmostEqual(np.mean(draws.astype(float) ** 2), found.error, delta=8 * (18 / 1e5) ** 0.5)

    def test_staircase(self):
        found = modicum.optimize_noise(epsilon=1, sensitivity=3, integers=True)
        self.assertEqual(found["description"]["mechanism"], "discrete_staircase")
        draws = modicum.sample_noise(found["description"], count=10_000)
        self.assertAlmostEqual(np.mean(draws.astype(float) ** 2), found.error, delta=8 * (1600 / 1e4) ** 0.5)

    def test_discrete_kinds(self):
        # Variances 2 r / (1 - r)^2 with r = e^(-1/scale), and sigma^2 but for 1e-8; each twelve standard
        # deviations: the mean of fourth powers is at most 24 scale^4.
        for kind, variance in (({"mechanism": "discrete_laplace", "scale": 2, "sensitivity": 3}, 7.8350),
                               ({"mechanism": "discrete_laplace", "scale": 300, "sensitivity": 3}, 179999.83),
                               ({"mechanism": "discrete_gaussian", "sigma": 2, "sensitivity": 1}, 4.0),
                               ({"mechanism": "discrete_gaussian", "sigma": 300, "sensitivity": 1}, 90000.0)):
            draws = modicum.sample_noise(kind, count=20_000).astype(float)
            self.assertAlmostEqual((draws ** 2).mean() / variance, 1, delta=12 * (6 / 20_000) ** 0.5)
            self.assertTrue((draws < 0).any() and (draws > 0).any())
        for scale in (0, -1, float("nan"), float("inf")):
            with self.assertRaises(ValueError):
                modicum.sample_noise({"mechanism": "discrete_laplace", "scale": scale}, count=1)

    def test_real_numbers(self):
        found = modicum.optimize_noise(epsilon=0.5, delta=1e-3, error="absolute", sensitivity=0.5)
        self.assertEqual(found.grid * found["description"]["sensitivity"], 0.5)

    def test_two_numbers(self):
        found = modicum.optimize_noise(epsilon=2, delta=1e-2, dimension=2)
        self.assertLess(found.lower_bound, found.error)
        self.assertLessEqual(modicum.loss(found["description"]).delta(2.0), 1e-2)
        draws = modicum.sample_noise(found["description"], count=100_000, grid=2.0 ** -20)
        self.assertEqual(draws.shape, (100_000, 2))
        self.assertTrue((draws * 2.0 ** 20 == np.round(draws * 2.0 ** 20)).all())
        squares = (draws ** 2).sum(axis=1)
        # Eight standard deviations.
        self.assertAlmostEqual(squares.mean(), found.error, delta=8 * squares.std() / 1e5 ** 0.5)
        release = modicum.release_vector([1.0, 2.0], sensitivity=1, epsilon=2, delta=1e-2, noise="optimal")
        self.assertEqual(release.values.size, 2)
        with self.assertRaises(ValueError):
            modicum.sample_noise({"mechanism": "discrete_gaussian", "sigma": 1}, count=1, grid=0.5)

    def test_oracle(self):
        found = modicum.spherical_oracle(dimension=5, beta=0.125, p=2, epsilon=1)
        self.assertAlmostEqual(found.delta, modicum.gaussian(standard_deviation=2).delta(1), 9)
        found = modicum.audit_claim("r1smg", dimension=16, epsilon=[1, 2], delta=1e-6)
        self.assertEqual([case.epsilon for case in found.cases], [1, 2])

    def test_optimality(self):
        self.assertAlmostEqual(modicum.optimality(epsilon=1).delta_star.lower, 0.649185, 6)

    def test_bad_arguments(self):
        with self.assertRaises(ValueError):
            modicum.optimize_noise(epsilon=1, delta=1e-5, sensitivity=0.5, integers=True)
        with self.assertRaises(ValueError):
            modicum.sample_noise({"mechanism": "gaussian"}, count=1)


if __name__ == "__main__":
    unittest.main()
