"""modicum calibrate projection, least-squares and covariance."""

import math
import unittest

from _support import CommandLineTest

TARGET = ["--epsilon", 1, "--delta", "1e-6"]
ROWS = ["--row-norm-bound", 1]
PROJECTION = ["calibrate", "projection", "--columns", 300]
LEAST_SQUARES = ["calibrate", "least-squares"]
COVARIANCE = ["calibrate", "covariance"]


class Certified(CommandLineTest):
    def description(self, certificate):
        return {"mechanism": certificate["mechanism"], **certificate["parameters"]}

    def assert_certified(self, result, guarantee="proved", delta=1e-6):
        """The parts of a certificate that all kinds share."""
        self.assertLessEqual(result["delta"]["upper"], delta)
        certificate = result["certificate"]
        self.assertEqual(certificate["delta"], result["delta"])
        self.assertEqual(certificate["guarantee"], guarantee)
        self.assertEqual(certificate["adjacency"], "add_remove")
        self.assertNotIn("arithmetic", certificate)  # nothing was drawn
        self.assertTrue(any("norm" in line for line in certificate["assumptions"]))
        return certificate


class Projection(Certified):
    def calibrated(self, *arguments, **expected):
        result = self.answer(*PROJECTION, *ROWS, *TARGET, *arguments)
        return result, self.assert_certified(result, **expected)

    def test_the_ridge_is_the_least(self):
        result, certificate = self.calibrated()
        self.assertEqual(list(result),
                         ["ridge", "leverage", "published_ridge", "delta", "certificate"])
        self.assertEqual(certificate["mechanism"], "projection_release")
        self.assertIs(certificate["attained"], True)
        description = self.description(certificate)
        point = self.ask("profile", description, "--epsilon", 1, "--certified")
        self.assertEqual(point["delta"], result["delta"])
        description["ridge"] *= 1 - 1e-9
        point = self.ask("profile", description, "--epsilon", 1, "--certified")
        self.assertGreater(point["delta"]["lower"], 1e-6)

    def test_ridges_and_leverages_agree(self):
        result = self.answer(*PROJECTION, "--row-norm-bound", 3, *TARGET)
        self.assertAlmostEqual(result["leverage"] * (result["ridge"] + 9), 9, 9)
        self.assertAlmostEqual(result["published_ridge"] - result["ridge"], 9, 6)
        one, _ = self.calibrated()
        self.assertAlmostEqual(result["ridge"] / one["ridge"], 9, 9)

    def test_ratios_of_the_paper(self):
        # sigma / l of the tables, as far as they follow from its formulas.
        for columns, rows, ours, earlier in ((300, 2809, 6.1855, 18.3449),
                                             (1270, 327346, 10.3163, 28.5118)):
            start = ["calibrate", "projection", "--columns", columns, *ROWS, "--epsilon", 1,
                     "--delta", 1 / rows]
            self.assertAlmostEqual(math.sqrt(self.answer(*start)["published_ridge"]), ours, 4)
            result = self.answer(*start, "--method", "singular-value")
            self.assertAlmostEqual(math.sqrt(result["ridge"]), earlier, 4)

    def test_singular_value_wastes(self):
        result, _ = self.calibrated("--method", "singular-value")
        self.assertEqual(result["ridge"], result["published_ridge"])
        self.assertLess(result["delta"]["upper"], 1e-50)

    def test_subsampled(self):
        plain, _ = self.calibrated()
        result, certificate = self.calibrated("--method", "subsampled", "--sampling-rate", 0.1)
        self.assertLess(result["ridge"], plain["ridge"])
        self.assertEqual(certificate["parameters"]["sampling_rate"], 0.1)
        self.assertTrue(any("probability 0.1" in line for line in certificate["assumptions"]))
        everything, _ = self.calibrated("--method", "subsampled", "--sampling-rate", 1)
        self.assertAlmostEqual(everything["ridge"] / plain["ridge"], 1, 9)

    def test_propose_test_release(self):
        result, certificate = self.calibrated("--method", "propose-test-release")
        self.assertEqual(list(result), ["eigenvalue_noise", "failure", "margin", "ridge_target",
                                        "largest_ridge", "delta", "certificate"])
        self.assertIs(certificate["attained"], False)
        self.assertLess(result["failure"], 1e-6)
        self.assertAlmostEqual(result["ridge_target"] - result["largest_ridge"], 1, 9)
        # The composition, as a description, and the failure probability.
        ridge = {"mechanism": "projection_release", "columns": 300, "row_norm_bound": 1,
                 "ridge": result["largest_ridge"]}
        # With room for the rounding of the eigenvalue.
        noise = {"mechanism": "gaussian", "standard_deviation": result["eigenvalue_noise"],
                 "sensitivity": 1 + 2 ** -20}
        point = self.ask("profile", {"compose": [ridge, noise]}, "--epsilon", 1)
        self.assertAlmostEqual(point["delta"]["upper"] + result["failure"],
                               result["delta"]["upper"], delta=1e-12)
        chosen, _ = self.calibrated("--method", "propose-test-release", "--eigenvalue-noise", 10,
                                    "--failure", "1e-7")
        self.assertAlmostEqual(chosen["eigenvalue_noise"], 10, 12)
        self.assertEqual(chosen["failure"], 1e-7)

    def test_a_test_that_spends_the_budget_is_refused(self):
        self.refuse(3, *PROJECTION, *ROWS, *TARGET, "--method", "propose-test-release",
                    "--eigenvalue-noise", 0.5)

    def test_relative(self):
        free, certificate = self.calibrated("--method", "relative", "--set-leverage", 0.01,
                                            guarantee="relative")
        self.assertEqual((free["ridge"], free["leverage"]), (0, 0.01))
        self.assertTrue(any("declared" in line for line in certificate["assumptions"]))
        description = self.description(certificate)
        self.assertEqual(description, {"mechanism": "random_projection", "columns": 300,
                                       "leverage": 0.01})
        point = self.ask("profile", description, "--epsilon", 1, "--certified")
        self.assertEqual(point["delta"], free["delta"])
        # Where that is not enough, the ridge makes it a guarantee for all data sets.
        plain, _ = self.calibrated()
        result, _ = self.calibrated("--method", "relative", "--set-leverage", 0.5)
        self.assertEqual(result["ridge"], plain["ridge"])

    def test_additive(self):
        result, _ = self.calibrated("--method", "additive")
        self.assertEqual(list(result), ["standard_deviation", "norm_bound", "delta", "certificate"])
        # A row of the matrix has a norm of about sqrt(300), and noise is for that rather than for
        # the largest.
        self.assertGreater(result["norm_bound"], math.sqrt(300))
        self.assertGreater(result["standard_deviation"], 4.22 * math.sqrt(300))
        self.assertLess(result["standard_deviation"], 0.85 * 4.22 * result["norm_bound"])
        self.assertGreater(result["delta"]["upper"], 0.999e-6)

    def test_words(self):
        text = self.succeed(*PROJECTION, *ROWS, *TARGET)
        for part in ("(1, 1e-06)-differentially private", "ridge as published", "Proved, provided",
                     "norm of every row is at most 1"):
            self.assertIn(part, text)
        text = self.succeed(*PROJECTION, *ROWS, *TARGET, "--method", "relative", "--set-leverage",
                            0.01)
        self.assertIn("relative to a declared set", text)

    def test_bad_arguments(self):
        good = [*PROJECTION, *ROWS, *TARGET]
        for arguments, message in (
                (["--method", "bogus"], '--method is "bogus", but must be one of: projection'),
                (["--method", "subsampled"], "--sampling-rate is missing"),
                (["--method", "subsampled", "--sampling-rate", 0], "--sampling-rate is 0"),
                (["--method", "subsampled", "--sampling-rate", "1e-7"], "must be above delta"),
                (["--method", "relative"], "--set-leverage is missing"),
                (["--method", "relative", "--set-leverage", 1], "leverage is 1"),
                (["--method", "propose-test-release", "--failure", 0.5], "failure is 0.5"),
                (["--sampling-rate", 0.5], "must not be given"),
                (["--set-leverage", "x"], '--set-leverage is "x"'),
                (["--sensitivity", 1], "unknown option --sensitivity")):
            self.assertIn(message, self.refuse(2, *good, *arguments))
        self.assertIn("--columns is missing",
                      self.refuse(2, "calibrate", "projection", *ROWS, *TARGET))
        for columns, bound, message in ((0, 1, "columns is 0"), (1.5, 1, "columns is 1.5"),
                                        (300, -1, "--row-norm-bound is"), (300, 0, "bound is 0")):
            self.assertIn(message, self.refuse(2, "calibrate", "projection", "--columns", columns,
                                               "--row-norm-bound", bound, *TARGET))
        self.refuse(3, *PROJECTION, *ROWS, "--epsilon", 1, "--delta", 0)


class LeastSquares(Certified):
    def test_many_columns_need_half_of_the_published_ridge(self):
        result = self.answer(*LEAST_SQUARES, "--columns", 1000, "--features", 10, *ROWS,
                             "--epsilon", 1, "--delta", "1e-5")
        self.assertEqual(list(result), ["ridge", "full_leverage", "row_leverage",
                                        "published_ridge", "delta", "certificate"])
        certificate = self.assert_certified(result, delta=1e-5)
        # With l^2: the published one is for the leverage in the database without the row.
        self.assertAlmostEqual((result["ridge"] + 1) / result["published_ridge"], 0.503, delta=2e-3)
        self.assertAlmostEqual(result["full_leverage"] * (result["ridge"] + 1), 1, 9)
        self.assertEqual(self.description(certificate),
                         {"mechanism": "least_squares_release", "columns": 1000, "features": 10,
                          "ridge": result["ridge"], "row_norm_bound": 1})
        # The worst pair needs almost all of delta.
        pair = {"mechanism": "least_squares", "columns": 1000, "features": 10,
                "row_leverage": result["row_leverage"], "full_leverage": result["full_leverage"]}
        delta = self.ask("profile", pair, "--epsilon", 1)["delta"]
        self.assertLessEqual(delta["lower"], 1e-5)
        self.assertGreater(delta["upper"], 0.97e-5)

    def test_one_feature_and_few_columns_need_more_than_published(self):
        result = self.answer(*LEAST_SQUARES, "--columns", 1, "--features", 1, *ROWS, "--epsilon",
                             0.2, "--delta", "1e-6")
        self.assertGreater(result["ridge"], result["published_ridge"])

    def test_bad_arguments(self):
        self.assertIn("--features is missing",
                      self.refuse(2, *LEAST_SQUARES, "--columns", 10, *ROWS, *TARGET))
        for columns, features in ((0, 1), (10, 0), (10, 2.5)):
            self.refuse(2, *LEAST_SQUARES, "--columns", columns, "--features", features, *ROWS,
                        *TARGET)
        self.refuse(3, *LEAST_SQUARES, "--columns", 10, "--features", 1, *ROWS, "--epsilon", 1,
                    "--delta", 0)


class Covariance(Certified):
    def test_it_is_the_gaussian_of_half_the_variance(self):
        result = self.answer(*COVARIANCE, "--row-norm-bound", 3, *TARGET)
        self.assertEqual(list(result),
                         ["standard_deviation", "mean_squared_error", "delta", "certificate"])
        certificate = self.assert_certified(result)
        # A row moves the matrix by 9; the noise counts as that of deviation s sqrt(2).
        gaussian = self.answer("calibrate", "gaussian", *TARGET, "--sensitivity", 9)
        self.assertAlmostEqual(result["standard_deviation"] * math.sqrt(2)
                               / gaussian["standard_deviation"], 1, 12)
        self.assertAlmostEqual(result["mean_squared_error"], result["standard_deviation"]**2, 9)
        point = self.ask("profile", self.description(certificate), "--epsilon", 1, "--certified")
        self.assertEqual(point["delta"], result["delta"])

    def test_bad_arguments(self):
        self.refuse(2, *COVARIANCE, "--row-norm-bound", 0, *TARGET)
        self.assertIn("--row-norm-bound is missing", self.refuse(2, *COVARIANCE, *TARGET))
        self.refuse(3, *COVARIANCE, *ROWS, "--epsilon", 1, "--delta", 0)


class Descriptions(CommandLineTest):
    def test_a_release_composes(self):
        ridge = {"mechanism": "projection_release", "columns": 100, "ridge": 60,
                 "row_norm_bound": 1}
        noise = {"mechanism": "covariance_release", "standard_deviation": 20, "row_norm_bound": 1}
        both = self.ask("epsilon", {"compose": [ridge, noise]}, "--delta", "1e-6")["epsilon"]
        for part in ridge, noise:
            one = self.ask("epsilon", part, "--delta", "1e-6")["epsilon"]
            self.assertLess(one["upper"], both["lower"])


if __name__ == "__main__":
    unittest.main()
