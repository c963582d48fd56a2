"""modicum epsilon, tradeoff and renyi."""

import json
import math
import unittest

from _support import GAUSSIAN, LAPLACE, SINGULAR, TRIVIAL, WIDER, CommandLineTest

COMPOSITION = {"compose": [{"mechanism": "gaussian", "standard_deviation": s, "sensitivity": 1}
                           for s in range(20, 120, 2)]}


class Epsilon(CommandLineTest):
    def test_known_value(self):
        result = self.ask("epsilon", COMPOSITION, "--delta", "1e-6")
        self.assertEqual(list(result)[:2], ["delta", "epsilon"])
        self.assertEqual(result["delta"], 1e-6)
        self.assert_encloses(result["epsilon"], 0.606508311744799797)

    def test_several(self):
        points = self.ask("epsilon", GAUSSIAN, "--delta", "1e-6", "1e-3")["points"]
        self.assertEqual([p["delta"] for p in points], [1e-6, 1e-3])
        self.assertGreater(points[0]["epsilon"]["lower"], points[1]["epsilon"]["upper"])

    def test_the_upper_end_is_safe(self):
        for description in GAUSSIAN, LAPLACE, WIDER:
            upper = self.ask("epsilon", description, "--delta", "1e-3")["epsilon"]["upper"]
            delta = self.ask("profile", description, "--epsilon", repr(upper))["delta"]
            self.assertLessEqual(delta["lower"], 1e-3)
            self.assertAlmostEqual(delta["upper"] / 1e-3, 1, 6)

    def test_pure_epsilon(self):
        self.assert_encloses(self.ask("epsilon", LAPLACE, "--delta", 0)["epsilon"], 0.5, 1e-12)
        self.assertEqual(self.ask("epsilon", TRIVIAL, "--delta", 0)["epsilon"],
                         {"lower": 0, "upper": 0})
        self.assertIn("exactly zero", self.succeed("epsilon", self.file(TRIVIAL), "--delta", 0))

    def test_a_delta_that_cannot_be_reached(self):
        approximate = {"mechanism": "approximate", "epsilon": 1, "delta": 1e-3}
        for description, delta in (GAUSSIAN, 0), (approximate, 1e-4), (SINGULAR, 0.5):
            error = self.refuse(3, "epsilon", self.file(description), "--delta", delta)
            self.assertIn(f"delta = {delta}", error)

    def test_words(self):
        text = self.succeed("epsilon", self.file(GAUSSIAN), "--delta", "1e-6")
        self.assertIn("2.921601", text)
        self.assertIn("Proved", text)


class Tradeoff(CommandLineTest):
    def test_gaussian(self):
        # mu = sqrt(1000) / 50: the type II error is Phi(Phi^-1(0.95) - mu).
        result = self.ask("tradeoff", GAUSSIAN, "--type1", 0.05)
        self.assertEqual(list(result)[:2], ["type1", "type2"])
        self.assert_encloses(result["type2"], 0.8443261255600423, 1e-6)

    def test_ends_and_several(self):
        points = self.ask("tradeoff", GAUSSIAN, "--type1", 0, 0.5, 1)["points"]
        self.assertEqual([p["type1"] for p in points], [0, 0.5, 1])
        self.assertEqual(points[0]["type2"], {"lower": 1, "upper": 1})
        self.assertEqual(points[2]["type2"], {"lower": 0, "upper": 0})

    def test_the_smaller_direction(self):
        pure = {"mechanism": "pure", "epsilon": 1}
        # Two lines that meet at 1 / (1 + e).
        result = self.ask("tradeoff", pure, "--type1", 0.1)
        self.assert_encloses(result["type2"], 1 - math.e * 0.1, 1e-6)
        self.assertEqual(self.ask("tradeoff", SINGULAR, "--type1", 0.1)["type2"],
                         {"lower": 0, "upper": 0})

    def test_words(self):
        text = self.succeed("tradeoff", self.file(GAUSSIAN), "--type1", 0.05)
        self.assertIn("0.8443261", text)


class Renyi(CommandLineTest):
    def test_gaussian(self):
        # order mu^2 / 2, mu^2 = 0.4.
        for order in 0.5, 1, 2, 32:
            result = self.ask("renyi", GAUSSIAN, "--order", order)
            self.assertEqual(list(result)[:3], ["order", "divergence", "enclosure"])
            self.assert_encloses(result["enclosure"], 0.2 * order)
            self.assertEqual(result["divergence"], result["enclosure"]["upper"])

    def test_several(self):
        points = self.ask("renyi", GAUSSIAN, "--order", 2, 3)["points"]
        self.assertEqual([p["order"] for p in points], [2, 3])

    def test_infinite(self):
        # The variance ratio 4 allows orders below 4/3 only.
        for description, order in (WIDER, 2), (SINGULAR, 2):
            result = self.ask("renyi", description, "--order", order)
            self.assertIsNone(result["divergence"])
            self.assertIs(result["infinite"], True)
            self.assertNotIn("enclosure", result)
        self.assertIn("infinite", self.succeed("renyi", self.file(WIDER), "--order", 2))

    def test_no_bound_is_not_infinity(self):
        # The moment of this order is not worth its time, and the loss is unbounded.
        sampled = {"mechanism": "subsampled_gaussian", "standard_deviation": 1, "sensitivity": 1,
                   "sampling_rate": 0.5}
        result = self.ask("renyi", sampled, "--order", 1e5)
        self.assertIsNone(result["divergence"])
        self.assertIs(result["infinite"], False)
        words = self.succeed("renyi", self.file(sampled), "--order", 1e5)
        self.assertIn("no bound found", words)
        self.assertNotIn("infinite", words)
        self.assertNotIn("exact", words)

    def test_infinite_order(self):
        result = self.ask("renyi", LAPLACE, "--order", "inf")
        self.assertEqual(result["order"], "infinity")
        self.assert_encloses(result["enclosure"], 0.5)

    def test_refuses_orders_that_are_none(self):
        for order in 0, -1, "nan", "x":
            self.assertIn("order", self.refuse(2, "renyi", self.file(GAUSSIAN), "--order", order))


class Points(CommandLineTest):
    def test_points_outside_the_range(self):
        path = self.file(GAUSSIAN)
        for delta in -1e-9, 1.5, "nan", "inf":
            self.assertIn("delta", self.refuse(2, "epsilon", path, "--delta", delta))
        for type1 in -0.1, 1.1, "nan":
            self.assertIn("type1", self.refuse(2, "tradeoff", path, "--type1", type1))

    def test_standard_input(self):
        text = json.dumps(GAUSSIAN)
        self.assertIn("2.9216", self.succeed("epsilon", "-", "--delta", "1e-6", text=text))


if __name__ == "__main__":
    unittest.main()
