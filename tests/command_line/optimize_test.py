"""modicum optimize."""

import json
import unittest

from _support import CommandLineTest

OPTIMIZE = ["optimize", "spherical"]
TARGET = ["--dimension", 3, "--epsilon", 1, "--sensitivity", 1]
KEYS = ["alpha", "beta", "p", "mean_squared_error", "gaussian_mean_squared_error",
        "l2_mean_squared_error", "gain"]


class Optimize(CommandLineTest):
    def test_never_worse_than_the_members(self):
        for dimension, delta in (1, "1e-5"), (3, "1e-5"), (10, "1e-2"):
            target = ["--dimension", dimension, "--epsilon", 1, "--delta", delta, "--sensitivity", 2]
            result = self.answer(*OPTIMIZE, *target)
            self.assertEqual(list(result), KEYS + ["delta", "certificate"])
            l2 = self.answer("calibrate", "l2", *target)
            gaussian = self.answer("calibrate", "gaussian", *target[2:])
            others = [gaussian["mean_squared_error"] * dimension, l2["mean_squared_error"]]
            self.assertAlmostEqual(result["gaussian_mean_squared_error"] / others[0], 1, 9)
            self.assertAlmostEqual(result["l2_mean_squared_error"] / others[1], 1, 9)
            self.assertLessEqual(result["mean_squared_error"], min(others) * (1 + 1e-9))
            self.assertAlmostEqual(result["gain"],
                                   1 - result["mean_squared_error"] / min(others), 7)
            self.assertLessEqual(result["delta"]["upper"], float(delta))

    def test_the_certificate_describes_the_mechanism(self):
        result = self.answer(*OPTIMIZE, *TARGET, "--delta", "1e-5")
        certificate = result["certificate"]
        self.assertEqual(certificate["mechanism"], "spherical_generalized_gamma")
        self.assertEqual(certificate["parameters"],
                         {"dimension": 3, "alpha": result["alpha"], "beta": result["beta"],
                          "p": result["p"], "sensitivity": 1, "count": 1})
        self.assertEqual(certificate["guarantee"], "proved")
        description = {"mechanism": certificate["mechanism"], **certificate["parameters"]}
        point = self.ask("profile", description, "--epsilon", 1, "--certified")
        self.assertEqual(point["delta"], certificate["delta"])

    def test_other_errors_and_several_answers(self):
        result = self.answer(*OPTIMIZE, *TARGET, "--delta", "1e-5", "--error", "interval=0.9")
        self.assertEqual(list(result)[3:6], ["error", "gaussian_error", "l2_error"])
        self.assertLessEqual(result["error"], result["l2_error"] * (1 + 1e-9))
        # The loss of several answers takes a tenth of a second, and a search needs some dozens.
        result = self.answer(*OPTIMIZE, "--dimension", 30, *TARGET[2:], "--delta", "1e-5", "--count", 64)
        self.assertEqual(result["certificate"]["parameters"]["count"], 64)
        self.assertLessEqual(result["delta"]["upper"], 1e-5)
        self.assertLessEqual(result["mean_squared_error"], result["gaussian_mean_squared_error"] * (1 + 1e-9))
        self.refuse(2, *OPTIMIZE, *TARGET, "--advantage", "--count", 2)
        self.refuse(2, *OPTIMIZE, *TARGET, "--delta", "1e-5", "--error", "cubic")

    def test_advantage(self):
        result = self.answer(*OPTIMIZE, "--dimension", 3, "--epsilon", 0.1, "--sensitivity", 1,
                             "--advantage")
        self.assertEqual(list(result), KEYS + ["target_delta", "delta", "certificate"])
        self.assertEqual(result["certificate"]["target"],
                         {"epsilon": 0.1, "delta": result["target_delta"]})
        # Where the Gaussian and the l2 mechanism are equally good; up to about 15 % in the source.
        self.assertAlmostEqual(result["gaussian_mean_squared_error"] /
                               result["l2_mean_squared_error"], 1, 5)
        self.assertGreater(result["gain"], 0.1)
        self.assertLess(result["gain"], 0.16)

    def test_words(self):
        arguments = [*OPTIMIZE, *TARGET, "--delta", "1e-5"]
        text = self.succeed(*arguments)
        self.assertIn("whole vector", text)
        self.assertIn("Proved, provided that", text)
        result = self.answer(*arguments)
        for key in "alpha", "beta", "p":
            self.assertIn(json.dumps(result[key]).removesuffix(".0"), text)

    def test_tiny_deltas_and_shapes_that_no_double_serves(self):
        result = self.answer(*OPTIMIZE, "--dimension", 1, "--epsilon", 1, "--delta", "1e-50",
                             "--sensitivity", 1)
        self.assertLessEqual(result["delta"]["upper"], 1e-50)
        error = self.refuse(3, "calibrate", "spherical", "--dimension", 2, "--alpha=-0.9", "--p", 10,
                            "--epsilon", 1, "--delta", "1e-4", "--sensitivity", 1)
        self.assertIn("double", error)

    def test_dimensions_that_are_too_much_work(self):
        target = ["--epsilon", 1, "--delta", "1e-6", "--sensitivity", 1]
        for command in ["calibrate", "l2"], OPTIMIZE:
            error = self.refuse(2, *command, "--dimension", "1e12", *target)
            self.assertIn("dimension", error)
            self.assertIn("at most 100000000", error)
        compared = self.answer("compare", "--dimension", "1e12", *target)
        self.assertEqual([row["name"] for row in compared["mechanisms"]], ["gaussian", "laplace"])
        self.assertEqual([row["name"] for row in compared["left_out"]],
                         ["l2", "generalized_gaussian", "optimal_spherical", "optimal"])

    def test_bad_arguments(self):
        self.assertIn("--delta is missing", self.refuse(2, *OPTIMIZE, *TARGET))
        self.refuse(2, *OPTIMIZE, *TARGET, "--delta", "1e-5", "--advantage")
        self.refuse(2, "optimize")
        self.assertIn('"cubic"', self.refuse(2, "optimize", "cubic"))
        good = {"--dimension": "3", "--epsilon": "1", "--delta": "1e-6", "--sensitivity": "1"}
        bad = {"--dimension": ["0", "2.5", "x"], "--epsilon": ["0", "-1", "nan"],
               "--delta": ["0", "1", "-1", "nan"], "--sensitivity": ["0", "-1", "inf"]}
        for name, values in bad.items():
            for value in values:
                arguments = [item for pair in {**good, name: value}.items() for item in pair]
                error = self.refuse(2, *OPTIMIZE, *arguments)
                self.assertIn(name.strip("-"), error)
                self.assertIn("must", error)


class Optimality(CommandLineTest):
    def test_in_the_limit(self):
        for epsilon, star in (0.25, 0.7366704443), (16, 0.1976152609), (200, 0.04515728923):
            found = self.answer("optimality", "--epsilon", epsilon)
            self.assertEqual(list(found), ["epsilon", "delta_star"])
            self.assertAlmostEqual(found["delta_star"]["lower"] / star, 1, 8)
            self.assertLessEqual(found["delta_star"]["lower"], found["delta_star"]["upper"])
        self.assertIs(self.answer("optimality", "--epsilon", 1, "--delta", 0.6)
                      ["optimal_in_the_limit"], True)
        self.assertIs(self.answer("optimality", "--epsilon", 1, "--delta", 0.7)
                      ["optimal_in_the_limit"], False)

    def test_at_a_dimension(self):
        found = self.answer("optimality", "--epsilon", 1, "--delta", "1e-5", "--dimension", 1000,
                            "--sensitivity", 2)
        gaussian = self.answer("calibrate", "gaussian", "--epsilon", 1, "--delta", "1e-5",
                               "--sensitivity", 2)["mean_squared_error"]
        self.assertAlmostEqual(found["gaussian_mean_squared_error"] / (1000 * gaussian), 1, 9)
        share = found["mean_squared_error_floor"] / found["gaussian_mean_squared_error"]
        self.assertGreater(share, 0.96)
        self.assertLess(share, 1)
        self.assertAlmostEqual(found["largest_gain"], 1 - share, 12)
        words = self.succeed("optimality", "--epsilon", 1, "--delta", "1e-5", "--dimension", 10)
        self.assertIn("no additive noise below", words)

    def test_bad_arguments(self):
        self.refuse(2, "optimality")
        self.assertIn("--delta", self.refuse(2, "optimality", "--epsilon", 1, "--dimension", 10))
        for bad in (["--epsilon", -1], ["--epsilon", 1, "--delta", 0],
                    ["--epsilon", 1, "--delta", 0.1, "--dimension", 1],
                    ["--epsilon", 1, "--delta", 0.1, "--dimension", 10, "--sensitivity", 0]):
            self.refuse(2, "optimality", *bad)


class Oracle(CommandLineTest):
    SHAPE = ["--dimension", 3, "--alpha", 1.5, "--beta", 0.3, "--p", 1.4]

    def test_within_its_slack(self):
        tight = self.answer("oracle", *self.SHAPE, "--epsilon", 1, "--slack", "1e-11")
        loose = self.answer("oracle", *self.SHAPE, "--epsilon", 1, "--slack", "1e-3")
        self.assertLessEqual(loose["delta"] - tight["delta"], 1e-3)
        self.assertGreaterEqual(loose["delta"], tight["delta"] - 1e-11)
        gaussian = self.answer("oracle", "--dimension", 5, "--beta", 0.125, "--p", 2, "--epsilon", 1)
        self.assertAlmostEqual(gaussian["delta"], 0.0068296, 7)  # standard deviation 2
        self.assertAlmostEqual(gaussian["mean_squared_error"], 20, 9)
        self.assertIn("Proved.", self.succeed("oracle", *self.SHAPE, "--epsilon", 1))

    def test_bad_arguments(self):
        for bad in (["--slack", "1e-13"], ["--slack", 1], ["--slack", "nan"], ["--sensitivity", 0],
                    ["--epsilon", "nan"], ["--alpha", 3], ["--beta", 0]):
            self.refuse(2, "oracle", *self.SHAPE, "--epsilon", 1, *bad)
        self.refuse(2, "oracle", "--dimension", 3, "--epsilon", 1)


if __name__ == "__main__":
    unittest.main()
