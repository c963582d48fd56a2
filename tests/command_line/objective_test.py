"""Objective perturbation: calibrate objective, and its description."""

import json
import math
import unittest

from _support import CommandLineTest

EXAMPLE = ["--epsilon", 1, "--delta", "1e-6", "--lipschitz", 1, "--smoothness", 0.25,
           "--regularization", 10]
CALIBRATE = ["calibrate", "objective"]
MECHANISM = {"mechanism": "objective_perturbation", "standard_deviation": 5, "lipschitz": 1,
             "smoothness": 0.25, "regularization": 10}


def above(x):
    return math.erfc(x / math.sqrt(2)) / 2


def cut(epsilon, a, offset=0.0):
    """Profile of offset + (a^2/2 + a N)_+."""
    t = (epsilon - offset) / a - a / 2
    if epsilon < offset:
        return 1 - math.exp(epsilon - offset) * 2 * above(a / 2)
    return above(t) - math.exp(epsilon - offset) * above(t + a)


def folded(epsilon, a):
    """Profile of a^2/2 + a |N|."""
    t = epsilon / a - a / 2
    if t < 0:
        return 1 - math.exp(epsilon) * 2 * above(a)
    return 2 * (above(t) - math.exp(epsilon) * above(t + a))


class Calibration(CommandLineTest):
    def test_known(self):
        result = self.answer(*CALIBRATE, *EXAMPLE)
        self.assertEqual(list(result),
                         ["standard_deviation", "published_standard_deviation",
                          "classical_standard_deviation", "classical_least_regularization",
                          "delta", "certificate"])
        self.assert_just_above(result["standard_deviation"], "4.36515494113574360", 1e-13)
        self.assertAlmostEqual(result["published_standard_deviation"], 4.47073, 5)
        self.assertAlmostEqual(result["classical_standard_deviation"],
                               math.sqrt(8 * math.log(2e6) + 4), 9)
        self.assertEqual(result["classical_least_regularization"], 0.5)
        self.assertLessEqual(result["delta"]["upper"], 1e-6)
        self.assertGreater(result["delta"]["upper"], 0.999999e-6)

    def test_losses(self):
        for name in "smoothed_hinge", "smoothed-hinge":
            result = self.answer(*CALIBRATE, *EXAMPLE, "--loss", name)
            self.assertAlmostEqual(result["standard_deviation"], 4.32384, 5)
        plain = self.answer("calibrate", "gaussian", "--epsilon", 1, "--delta", "1e-6",
                            "--sensitivity", 1)["standard_deviation"]
        result = self.answer(*CALIBRATE, *EXAMPLE, "--loss", "logistic")
        self.assertAlmostEqual(result["standard_deviation"], plain, 9)
        # Slopes of both signs: the other direction decides, where there is much regularization.
        for name in "huber", "squared", "log-cosh":
            result = self.answer(*CALIBRATE, *EXAMPLE, "--loss", name)
            self.assertAlmostEqual(result["standard_deviation"], 4.365155, 6)
        self.assertIn("--loss", self.refuse(2, *CALIBRATE, *EXAMPLE, "--loss", "absolute"))

    def test_the_certificate_describes_the_mechanism(self):
        certificate = self.answer(*CALIBRATE, *EXAMPLE, "--loss", "logistic")["certificate"]
        self.assertEqual(certificate["guarantee"], "proved")
        self.assertEqual(certificate["theorem"], "docs/derivations/objective-perturbation.md")
        description = {"mechanism": certificate["mechanism"], **certificate["parameters"]}
        point = self.ask("profile", description, "--epsilon", 1, "--certified")
        self.assertEqual(point["delta"], certificate["delta"])

    def test_people_see_both_theorems(self):
        text = self.succeed(*CALIBRATE, *EXAMPLE)
        self.assertIn("theorem of 2023  4.470732", text)
        self.assertIn("theorem of 2012  10.95761, with a regularization of 0.5 or more", text)

    def test_refusals(self):
        small = ["--delta", "1e-6", "--lipschitz", 1, "--smoothness", 0.25]
        line = self.refuse(3, *CALIBRATE, "--epsilon", 0.01, "--regularization", 10, *small)
        self.assertIn("24.8752", line)
        self.refuse(3, *CALIBRATE, "--epsilon", 1, "--delta", 0, "--lipschitz", 1,
                    "--smoothness", 0.25, "--regularization", 10)
        self.assertIn("regularization",
                      self.refuse(2, *CALIBRATE, "--epsilon", 1, "--regularization", 0, *small))


class Described(CommandLineTest):
    def test_profile(self):
        offset = math.log1p(0.025)
        for epsilon in 0.01, 0.3, 1.0:
            point = self.ask("profile", MECHANISM, "--epsilon", epsilon)
            self.assertEqual(point["proof"], "certified")
            self.assertAlmostEqual(point["forward"]["upper"] / cut(epsilon, 0.2, offset), 1, 8)
            self.assertAlmostEqual(point["reverse"]["upper"] / folded(epsilon, 0.2), 1, 8)
            self.assertEqual(point["delta"]["lower"], 0)
            one_sign = self.ask("profile", {**MECHANISM, "loss": "smoothed_hinge"}, "--epsilon",
                                epsilon)
            self.assertEqual(one_sign["forward"], point["forward"])
            # Plain Gaussian noise from 4 * 0.025 - 0.02 on, and not much more below that.
            tied = self.ask("profile", {**MECHANISM, "loss": "logistic"}, "--epsilon", epsilon)
            self.assertEqual(tied["reverse"], one_sign["reverse"])
            self.assertEqual(tied["delta"]["lower"], 0)
            if epsilon > 0.08:
                self.assertAlmostEqual(tied["forward"]["upper"] / cut(epsilon, 0.2), 1, 8)
            else:
                self.assertGreater(tied["forward"]["upper"], cut(epsilon, 0.2))
                self.assertLess(tied["forward"]["upper"], one_sign["forward"]["upper"])
            self.assertAlmostEqual(one_sign["reverse"]["upper"] / cut(epsilon, 0.2), 1, 8)

    def test_composition(self):
        """With Gaussian noise: an integral over the Gaussian loss, by the midpoint rule."""
        mu = 0.25
        both = {"compose": [MECHANISM, {"mechanism": "gaussian", "standard_deviation": 4,
                                        "sensitivity": 1}]}
        point = self.ask("profile", both, "--epsilon", 0.8)
        step = 1e-3
        nodes = [(-9 + step * (i + 0.5)) for i in range(int(18 / step))]
        direct = sum(math.exp(-t * t / 2) * folded(0.8 - mu * (mu / 2 + t), 0.2)
                     for t in nodes) * step / math.sqrt(2 * math.pi)
        self.assertAlmostEqual(point["reverse"]["upper"] / direct, 1, 6)

    def test_count(self):
        twice = self.ask("profile", {**MECHANISM, "count": 2}, "--epsilon", 0.8)
        same = self.ask("profile", {"compose": [MECHANISM, MECHANISM]}, "--epsilon", 0.8)
        self.assertEqual(twice, same)
        once = self.ask("profile", MECHANISM, "--epsilon", 0.8)
        self.assertGreater(twice["delta"]["upper"], once["delta"]["upper"])

    def test_other_questions(self):
        epsilon = self.ask("epsilon", MECHANISM, "--delta", "1e-6")["epsilon"]["upper"]
        self.assertLessEqual(cut(epsilon, 0.2, math.log1p(0.025)), 1e-6 * (1 + 1e-9))
        self.assertAlmostEqual(max(cut(epsilon, 0.2, math.log1p(0.025)), folded(epsilon, 0.2)),
                               1e-6, 12)
        self.refuse(3, "epsilon", "-", "--delta", 0, text=json.dumps(MECHANISM))
        curve = self.ask("tradeoff", MECHANISM, "--type1", 0.1)["type2"]
        self.assertGreaterEqual(curve["lower"], 1 - cut(1, 0.2, math.log1p(0.025)) - 0.1 * math.e)
        self.assertLess(curve["lower"], 0.9)
        self.assertGreaterEqual(curve["upper"], 0.9)
        renyi = self.ask("renyi", MECHANISM, "--order", 2)["divergence"]
        self.assertAlmostEqual(renyi, math.log(2 * math.exp(0.04) * above(-0.2)), 12)

    def test_refusals(self):
        for change in ({"loss": "cubic"}, {"loss": 3}, {"regularization": 0}, {"smoothness": -1},
                       {"lipschitz": 0}, {"standard_deviation": 0}, {"sensitivity": 1}):
            line = self.refuse(2, "profile", "-", "--epsilon", 1,
                               text=json.dumps({**MECHANISM, **change}))
            self.assertIn(next(iter(change)), line)
        missing = {key: value for key, value in MECHANISM.items() if key != "smoothness"}
        self.assertIn("smoothness", self.refuse(2, "profile", "-", "--epsilon", 1,
                                                text=json.dumps(missing)))


if __name__ == "__main__":
    unittest.main()
