"""modicum compare."""

import unittest

from _support import CommandLineTest


def target(dimension, epsilon=1, delta="1e-5", sensitivity=1):
    return ["--dimension", dimension, "--epsilon", epsilon, "--delta", delta,
            "--sensitivity", sensitivity]


class Compare(CommandLineTest):
    def mechanisms(self, *arguments):
        result = self.answer("compare", *arguments)
        self.assertEqual([key for key in result if key != "lower_bound"],
                         ["mechanisms", "left_out", "recommendation"])
        for mechanism in result["mechanisms"]:
            self.assertGreaterEqual(mechanism["mean_squared_error"], result.get("lower_bound", 0))
        for mechanism in result["mechanisms"]:
            self.assertEqual(list(mechanism)[:5],
                             ["name", "parameters", "mean_squared_error", "gain_percent", "delta"])
        return {mechanism["name"]: mechanism for mechanism in result["mechanisms"]}, result

    def test_a_vector(self):
        found, result = self.mechanisms(*target(10, delta="1e-5", sensitivity=2))
        self.assertEqual(list(found), ["gaussian", "laplace", "l2", "generalized_gaussian",
                                       "optimal_spherical"])
        gaussian = found["gaussian"]["mean_squared_error"]
        for mechanism in found.values():
            self.assertLessEqual(mechanism["delta"]["upper"], 1e-5)
            self.assertAlmostEqual(mechanism["gain_percent"],
                                   100 * (1 - mechanism["mean_squared_error"] / gaussian), 9)
        # Ten variances; the largest l1 distance is sqrt(10) * 2.
        self.assertAlmostEqual(gaussian, 10 * found["gaussian"]["parameters"]["standard_deviation"]**2,
                               8)
        laplace = found["laplace"]
        self.assertIs(laplace["pure"], True)
        self.assertEqual(laplace["delta"], {"lower": 0, "upper": 0})
        self.assert_just_above(laplace["parameters"]["scale"], "6.32455532033675866399778708886543")
        self.assertAlmostEqual(laplace["mean_squared_error"], 10 * 2 * 40, 8)
        # The l2 mechanism is best up to less than 1 %, so that it is named.
        self.assertIn("l2", result["recommendation"])
        self.assertEqual([kind["name"] for kind in result["left_out"]], ["optimal"])

    def test_each_agrees_with_its_own_command(self):
        found, _ = self.mechanisms(*target(3))
        l2 = self.answer("calibrate", "l2", *target(3))
        self.assertEqual(found["l2"]["parameters"]["scale"], l2["scale"])
        self.assertEqual(found["l2"]["mean_squared_error"], l2["mean_squared_error"])
        best = self.answer("optimize", "spherical", *target(3))
        self.assertEqual(found["optimal_spherical"]["mean_squared_error"],
                         best["mean_squared_error"])
        gaussian = self.answer("calibrate", "gaussian", *target(3)[2:])
        self.assertEqual(found["gaussian"]["parameters"]["standard_deviation"],
                         gaussian["standard_deviation"])

    def test_one_dimension(self):
        found, result = self.mechanisms(*target(1))
        self.assertNotIn("l2", found)
        self.assertNotIn("pure", found["laplace"])
        laplace = self.answer("calibrate", "laplace", *target(1)[2:])
        self.assertEqual(found["laplace"]["parameters"]["scale"], laplace["scale"])
        self.assertIn("optimal", result["recommendation"])
        self.assertLess(found["optimal"]["mean_squared_error"], 0.96 * found["laplace"]["mean_squared_error"])
        self.assertGreater(result["lower_bound"], 0.998 * found["optimal"]["mean_squared_error"])

    def test_integers(self):
        found, result = self.mechanisms(*target(1), "--integers")
        self.assertEqual(list(found), ["discrete_gaussian", "discrete_laplace", "optimal"])
        for name, error in ("discrete_gaussian", 13.99), ("discrete_laplace", 1.841293), ("optimal", 1.839617):
            self.assertAlmostEqual(found[name]["mean_squared_error"] / error, 1, 3)
        self.assertAlmostEqual(result["lower_bound"] / found["optimal"]["mean_squared_error"], 1, 9)
        self.assertIn("discrete Laplace", result["recommendation"])
        self.refuse(2, "compare", *target(2), "--integers")

    def test_several_answers(self):
        found, result = self.mechanisms(*target(1), "--count", 4)
        self.assertEqual(list(found), ["gaussian", "laplace", "generalized_gaussian",
                                       "optimal_spherical", "optimal"])
        for mechanism in found.values():
            self.assertLessEqual(mechanism["delta"]["upper"], 1e-5)
        self.assertLess(found["optimal_spherical"]["mean_squared_error"],
                        0.994 * found["laplace"]["mean_squared_error"])
        # A vector, beside the command of its own.
        found, result = self.mechanisms(*target(3), "--count", 4)
        self.assertEqual(list(found), ["gaussian", "laplace", "l2", "generalized_gaussian",
                                       "optimal_spherical"])
        best = self.answer("optimize", "spherical", *target(3), "--count", 4)
        self.assertEqual(found["optimal_spherical"]["mean_squared_error"],
                         best["mean_squared_error"])
        self.assertAlmostEqual(found["generalized_gaussian"]["mean_squared_error"] /
                               best["mean_squared_error"], 1, 4)
        # For many answers discrete Gaussian noise is the best, on however fine a grid.
        for count in 100, 10_000:
            found, result = self.mechanisms(*target(1), "--count", count)
            self.assertAlmostEqual(found["optimal"]["mean_squared_error"] /
                                   found["gaussian"]["mean_squared_error"], 1, 3)
            found, result = self.mechanisms(*target(1), "--count", count, "--integers")
            self.assertAlmostEqual(found["discrete_gaussian"]["delta"]["lower"], 1e-5, 12)
            self.assertLessEqual(found["optimal"]["mean_squared_error"],
                                 found["discrete_gaussian"]["mean_squared_error"] * (1 + 1e-9))

    def test_delta_zero(self):
        found, result = self.mechanisms(*target(1, delta=0))
        self.assertEqual(list(found), ["laplace", "optimal"])
        self.assertEqual(found["laplace"]["gain_percent"], 0)
        # The staircase of Geng and Viswanath, on a grid.
        self.assertAlmostEqual(found["optimal"]["mean_squared_error"], 1.9181, 2)
        self.assertIn("Use optimal noise", result["recommendation"])
        self.assertEqual(result["left_out"][0]["name"], "gaussian")
        found, result = self.mechanisms(*target(1, delta=0), "--integers")
        self.assertEqual(list(found), ["discrete_laplace", "optimal"])
        found, result = self.mechanisms(*target(3, delta=0), "--count", 2)
        self.assertEqual(list(found), ["laplace", "l2"])

    def test_the_generalized_gaussian_is_the_best_of_its_kind(self):
        found, _ = self.mechanisms(*target(2, epsilon=0.1, delta=0.003))
        best = found["generalized_gaussian"]
        for p in 1.5, 2.5, 4:
            other = self.answer("calibrate", "spherical", "--alpha", 1, "--p", p,
                                *target(2, epsilon=0.1, delta=0.003))
            self.assertLessEqual(best["mean_squared_error"], other["mean_squared_error"] * (1 + 1e-6))

    def test_a_negligible_gain_leaves_the_gaussian(self):
        found, result = self.mechanisms(*target(1000))
        self.assertGreater(found["optimal_spherical"]["gain_percent"], 0)
        self.assertLess(found["optimal_spherical"]["gain_percent"], 1)
        self.assertTrue(result["recommendation"].startswith("Use Gaussian noise"))

    def test_epsilon_zero(self):
        found, result = self.mechanisms(*target(2, epsilon=0, delta=0.1))
        self.assertEqual(list(found), ["gaussian", "l2", "generalized_gaussian", "optimal"])
        self.assertEqual([kind["name"] for kind in result["left_out"]], ["laplace", "optimal_spherical"])

    def test_words(self):
        text = self.succeed("compare", *target(10))
        for part in ("optimized spherical", "exactly zero (pure)", "whole vector", "l1 distance",
                     "Use l2 noise"):
            self.assertIn(part, text)

    def test_bad_arguments(self):
        good = {"--dimension": "3", "--epsilon": "1", "--delta": "1e-6", "--sensitivity": "1"}
        bad = {"--dimension": ["0", "2.5", "x"], "--epsilon": ["-1", "nan"],
               "--delta": ["1", "-1", "nan"], "--sensitivity": ["0", "-1"],
               "--count": ["0", "1.5"]}
        for name, values in bad.items():
            for value in values:
                arguments = [item for pair in {**good, name: value}.items() for item in pair]
                error = self.refuse(2, "compare", *arguments)
                self.assertIn(name.strip("-"), error)
                self.assertIn("must", error)
        for name in good:
            arguments = [item for pair in good.items() if pair[0] != name for item in pair]
            self.assertIn(f"{name} is missing", self.refuse(2, "compare", *arguments))
        self.refuse(3, "compare", *target(3, epsilon=0, delta=0))


if __name__ == "__main__":
    unittest.main()
