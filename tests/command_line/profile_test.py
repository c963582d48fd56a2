"""modicum profile."""

import json
import math
import unittest

from _support import GAUSSIAN, LAPLACE, SINGULAR, TRIVIAL, WIDER, CommandLineTest


class Profile(CommandLineTest):
    def test_known_values_in_every_mode(self):
        for mode in [], ["--fast"], ["--certified"]:
            point = self.ask("profile", GAUSSIAN, "--epsilon", 1, *mode)
            self.assertEqual(list(point), ["epsilon", "delta", "forward", "reverse", "proof"])
            self.assertEqual(point["epsilon"], 1)
            self.assertIn(point["proof"], ["certified", "estimated"][:2 if "--fast" in mode else 1])
            for key in "delta", "forward", "reverse":
                self.assert_encloses(point[key], 0.02442102624531847128)
        point = self.ask("profile", GAUSSIAN, "--epsilon", 3)
        self.assert_encloses(point["delta"], 5.551015077528180875e-7)

    def test_several_points_in_the_order_given(self):
        points = self.ask("profile", GAUSSIAN, "--epsilon", 3, 1, -1, "-.5", "1e-3")["points"]
        self.assertEqual([p["epsilon"] for p in points], [3, 1, -1, -0.5, 1e-3])
        again = self.ask("profile", GAUSSIAN, "--epsilon", 3, "--epsilon", 1)["points"]
        self.assertEqual(again, points[:2])

    def test_negative_epsilon(self):
        point = self.ask("profile", GAUSSIAN, "--epsilon", -1)
        # delta(-e) = 1 - e^-e (1 - delta(e)) for a symmetric loss.
        self.assert_encloses(point["delta"], 1 - math.exp(-1) * (1 - 0.02442102624531847128))

    def test_the_file_may_come_last(self):
        path = self.file(GAUSSIAN)
        first = self.answer("profile", path, "--epsilon", 1, 2)
        self.assertEqual(first, self.answer("profile", "--epsilon", 1, 2, path))
        out = self.succeed("profile", "--json", "--epsilon", 1, 2, "-", text=json.dumps(GAUSSIAN))
        self.assertEqual(first, json.loads(out))

    def test_directions(self):
        point = self.ask("profile", WIDER, "--epsilon", 0)
        self.assert_encloses(point["forward"], 0.3226745688347687)
        self.assert_encloses(point["reverse"], 0.3226745688347687)
        point = self.ask("profile", WIDER, "--epsilon", 2)
        self.assertGreater(point["forward"]["lower"], point["reverse"]["upper"])
        self.assertEqual(point["delta"], point["forward"])
        narrower = {"mechanism": "gaussian_pair", "mean1": [0], "covariance1": [[1]],
                    "mean2": [0], "covariance2": [[4]]}
        turned = self.ask("profile", narrower, "--epsilon", 2)
        self.assertAlmostEqual(turned["reverse"]["upper"], point["forward"]["upper"], 12)
        self.assertEqual(turned["delta"], turned["reverse"])

    def test_composition(self):
        parts = [{"mechanism": "gaussian", "standard_deviation": s, "sensitivity": 1}
                 for s in range(20, 120, 2)]
        point = self.ask("profile", {"compose": parts}, "--epsilon", 1)
        self.assert_encloses(point["delta"], 2.994042063178511e-13)

    def test_a_pair_of_one_dimension_equals_its_spectrum(self):
        pair = {"mechanism": "gaussian_pair", "mean1": [3], "covariance1": [[4]],
                "mean2": [1], "covariance2": [[1]]}
        spectrum = {"mechanism": "gaussian_spectrum",
                    "components": [{"mean": 2, "variance_ratio": 4}]}
        self.assertEqual(self.ask("profile", pair, "--epsilon", 1),
                         self.ask("profile", spectrum, "--epsilon", 1))

    def test_singular_pairs(self):
        for epsilon in -3, 0, 1, 1e4:
            point = self.ask("profile", SINGULAR, "--epsilon", epsilon)
            for key in "delta", "forward", "reverse":
                self.assertEqual(point[key], {"lower": 1, "upper": 1})
        text = self.succeed("profile", self.file(SINGULAR), "--epsilon", 1)
        self.assertIn("mutually singular", text)
        self.assertIn("ranges", text)
        shared = {"mechanism": "gaussian_pair",
                  "mean1": [1, 1], "covariance1": [[1, 1], [1, 1]],
                  "mean2": [0, 0], "covariance2": [[1, 1], [1, 1]]}
        one = {"mechanism": "gaussian", "standard_deviation": 1, "sensitivity": 1}
        self.assertAlmostEqual(self.ask("profile", shared, "--epsilon", 1)["delta"]["upper"],
                               self.ask("profile", one, "--epsilon", 1)["delta"]["upper"], 12)

    def test_extreme_parameters_stay_in_range(self):
        wide = {"mechanism": "gaussian_spectrum",
                "components": [{"mean": 0, "variance_ratio": 1e12}]}
        for description in wide, WIDER, GAUSSIAN, LAPLACE:
            for epsilon in -1e4, 0, 1, 1e4:
                point = self.ask("profile", description, "--epsilon", epsilon)
                for key in "delta", "forward", "reverse":
                    self.assertLessEqual(0, point[key]["lower"])
                    self.assertLessEqual(point[key]["lower"], point[key]["upper"])
                    self.assertLessEqual(point[key]["upper"], 1)
        self.assertEqual(self.ask("profile", LAPLACE, "--epsilon", 1e4)["delta"],
                         {"lower": 0, "upper": 0})
        self.assertLess(self.ask("profile", GAUSSIAN, "--epsilon", 1e4)["delta"]["upper"], 1e-300)
        self.assertGreater(self.ask("profile", wide, "--epsilon", 0)["delta"]["lower"], 0.99999)

    def test_words_for_people(self):
        text = self.succeed("profile", self.file(GAUSSIAN), "--epsilon", 1, 3)
        for part in "Gaussian, sigma 50, 1000 times", "0.02442103", "5.551016e-07", "Proved":
            self.assertIn(part, text)
        self.assertIn("exactly zero", self.succeed("profile", self.file(TRIVIAL), "--epsilon", 0))
        self.assertIn("exactly zero", self.succeed("profile", self.file(LAPLACE), "--epsilon", 9))
        self.assertIn("not proved",
                      self.succeed("profile", self.file(GAUSSIAN), "--epsilon", 1, "--fast"))

    def test_mechanisms_of_the_description_format(self):
        for description in (
                {"mechanism": "random_projection", "columns": 300, "leverage": 0.02},
                {"mechanism": "gaussian_dp", "mu": 0.5},
                {"mechanism": "pure", "epsilon": 1},
                {"mechanism": "approximate", "epsilon": 1, "delta": 1e-6},
                {"mechanism": "randomized_response", "truth_probability": 0.75, "count": 4},
                {"compose": [LAPLACE, {"compose": [WIDER], "count": 2}], "count": 2}):
            point = self.ask("profile", description, "--epsilon", 0.5)
            self.assertLess(point["delta"]["upper"] - point["delta"]["lower"], 1e-5)
            self.assertTrue(0 < point["delta"]["upper"] < 1)
        point = self.ask("profile", {"mechanism": "approximate", "epsilon": 1, "delta": 1e-6},
                         "--epsilon", 1)
        self.assert_encloses(point["delta"], 1e-6)


if __name__ == "__main__":
    unittest.main()
