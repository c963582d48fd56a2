"""modicum optimize noise."""

import unittest

from _support import CommandLineTest

NOISE = ["optimize", "noise", "--dimension", 1]


class OptimizeNoise(CommandLineTest):
    def found(self, epsilon, delta, sensitivity, *more):
        return self.answer(*NOISE, "--epsilon", epsilon, "--delta", delta, "--sensitivity", sensitivity, *more)

    def test_known_optima(self):
        for epsilon, delta, error in (1, "1e-5", 1.839617), (0.1, 0.003, 117.954):
            result = self.found(epsilon, delta, 1, "--integers", "--error", "squared")
            self.assertAlmostEqual(result["error"] / error, 1, 5)
            self.assertLessEqual(result["lower_bound"], result["error"])
            self.assertAlmostEqual(result["lower_bound"] / result["error"], 1, 9)
            self.assertAlmostEqual(result["gap"], 1 - result["lower_bound"] / result["error"], 12)

    def test_the_description_proves_delta(self):
        for sensitivity in 1, 4:
            for measure in "squared", "absolute", "interval=0.95":
                result = self.found(0.5, "1e-4", sensitivity, "--integers", "--error", measure)
                description = result["description"]
                self.assertEqual(description["mechanism"], "integer_noise")
                self.assertEqual(description["sensitivity"], sensitivity)
                self.assertEqual(len(description["probabilities"]), 1 - 2 * description["first"])
                point = self.ask("profile", description, "--epsilon", 0.5, "--certified")
                self.assertLessEqual(point["delta"]["upper"], 1e-4)
                self.assertAlmostEqual(point["delta"]["upper"] / 1e-4, 1, 6)

    def test_pure(self):
        result = self.found(1, 0, 3, "--integers")
        self.assertEqual(result["description"],
                         {"mechanism": "discrete_staircase", "epsilon": 1, "inner": 2, "sensitivity": 3})
        self.assertEqual(self.ask("profile", result["description"], "--epsilon", 1)["delta"]["upper"], 0)
        self.assertGreater(self.ask("profile", result["description"], "--epsilon", 0.9)["delta"]["lower"], 0)

    def test_real_numbers(self):
        result = self.found(1, "1e-5", 2)
        self.assertAlmostEqual(result["error"] / 4, 1.9165, 2)
        self.assertEqual(result["grid"] * result["description"]["sensitivity"], 2)
        self.assertLess(result["gap"], 2e-3)
        words = self.succeed(*NOISE, "--epsilon", 1, "--delta", "1e-5", "--sensitivity", 2)
        self.assertIn("No additive noise that meets the target has an error below", words)

    def test_several_answers(self):
        result = self.found(1, "1e-5", 1, "--integers", "--count", 2)
        self.assertEqual(result["description"]["count"], 2)
        point = self.ask("profile", result["description"], "--epsilon", 1, "--certified")
        self.assertLessEqual(point["delta"]["upper"], 1e-5)

    def test_bounds_are_those_of_smaller_sensitivities_at_least(self):
        bounds = [self.found(50, "0.9", sensitivity, "--integers")["lower_bound"] for sensitivity in (1, 2)]
        self.assertGreater(bounds[0], 3.8e-23)
        self.assertGreaterEqual(bounds[1], bounds[0])

    def test_intervals(self):
        result = self.found(1, "1e-5", 1, "--error", "interval=0.95")
        self.assertLess(result["error"], 2.9940)
        self.assertGreater(result["lower_bound"], 2.9920)

    def test_sensitivities_whose_squares_are_no_numbers(self):
        for dimension in 1, 2:
            for sensitivity in "1e300", "1e-300":
                error = self.refuse(2, "optimize", "noise", "--dimension", dimension, "--epsilon", 1,
                                    "--delta", "1e-5", "--sensitivity", sensitivity)
                self.assertIn("sensitivity", error)

    def test_two_numbers(self):
        two = ["optimize", "noise", "--dimension", 2, "--epsilon", 0.5, "--delta", "1e-3", "--sensitivity", 2]
        result = self.answer(*two)
        self.assertLess(result["error"] / 4, 21.4 * 1.01)
        self.assertLess(result["lower_bound"], result["error"])
        description = result["description"]
        self.assertEqual(description["mechanism"], "disc_noise")
        point = self.ask("profile", description, "--epsilon", 0.5, "--certified")
        self.assertLessEqual(point["delta"]["upper"], 1e-3)
        self.assertGreater(point["delta"]["lower"], 0.999e-3)
        self.assertIn("uniform in a disc of random radius", self.succeed(*two))
        compared = self.answer("compare", *two[2:])
        errors = {each["name"]: each["mean_squared_error"] for each in compared["mechanisms"]}
        self.assertEqual(min(errors, key=errors.get), "optimal")
        self.assertEqual(errors["optimal"], result["error"])
        self.refuse(3, "optimize", "noise", "--dimension", 2, "--epsilon", 1, "--sensitivity", 1)
        self.refuse(2, *two, "--integers")

    def test_bad_arguments(self):
        good = {"--epsilon": "1", "--delta": "1e-6", "--sensitivity": "1", "--error": "squared", "--count": "1"}
        bad = {"--epsilon": ["-1", "nan"], "--delta": ["1", "-1", "nan"], "--sensitivity": ["0", "1.5", "inf"],
               "--error": ["cubic", "interval", "interval=1", "interval=x"], "--count": ["0", "1.5"]}
        for name, values in bad.items():
            for value in values:
                arguments = [item for pair in {**good, name: value}.items() for item in pair]
                error = self.refuse(2, *NOISE, "--integers", *arguments)
                self.assertIn(name.strip("-"), error)
                self.assertIn("must", error)
        self.refuse(2, "optimize", "noise", "--dimension", 3, *[x for p in good.items() for x in p])
        self.refuse(3, *NOISE, "--integers", "--epsilon", 0, "--delta", 0, "--sensitivity", 1)


if __name__ == "__main__":
    unittest.main()
