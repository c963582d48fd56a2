"""modicum.lift and the calibrations of lifted noise."""

import unittest

import numpy as np

import modicum
from _support import PackageTest

TARGET = {"epsilon": 1, "delta": 1e-6}


class Lift(PackageTest):
    def test_a_function_of_ones_own(self):
        def posterior(values):
            return [np.sum(values) / 1000, 1.0], np.diag([0.01, 0.02])

        found = modicum.lift(posterior, np.full(900, 0.5), mean_shift=0.001, variance_excess=0, **TARGET)
        self.assertEqual(found.values.shape, (2, 1))
        self.assertEqual(found.certificate.guarantee, "proved")
        noise = modicum.calibrate_lift(mean_shift=0.001, variance_excess=0, **TARGET)
        self.assertAlmostEqual(found.certificate["parameters"]["noise_variance"] / noise["noise_variance"], 1, 9)
        self.assertAlmostEqual(modicum.loss(found.certificate.loss).epsilon(1e-6), 1, 2)

    def test_along_directions(self):
        def still(values):
            return values, np.zeros((2, 2))

        found = modicum.lift(still, [1.0, 2.0], mean_shift=1, variance_excess=0, directions=[[10, 0], [0, 0.1]], **TARGET)
        parameters = found.certificate["parameters"]
        self.assertLess(parameters["noise_trace"], 0.6 * parameters["isotropic_noise_trace"])
        # Twelve standard deviations: a false alarm below 1e-30.
        self.assertLess(abs(found.values[1, 0] - 2), 12 * 0.1 * 4.3)
        self.assertGreater(modicum.calibrate_lift(
            mean_shift=1, variance_excess=0, directions=[[10, 0], [0, 0.1]], **TARGET)["noise_covariance"][0][0], 100)

    def test_what_does_not_fit(self):
        self.assert_refuses("covariance", lambda: modicum.lift(
            lambda values: (values, np.eye(3)), [1.0, 2.0], mean_shift=1, variance_excess=0, **TARGET))
        self.assert_refuses("mean_shift", lambda: modicum.lift(
            lambda values: (values, np.eye(2)), [1.0, 2.0], mean_shift=-1, variance_excess=0, **TARGET))

    def test_calibrations(self):
        self.assertGreater(modicum.calibrate_logistic(row_norm_bound=1, **TARGET)["noise_variance"], 0)
        self.assertGreater(modicum.calibrate_gaussian_process(
            largest_rows=100, noise_variance=0.1, prior_bound=20, **TARGET)["noise_variance"], 0)


if __name__ == "__main__":
    unittest.main()
