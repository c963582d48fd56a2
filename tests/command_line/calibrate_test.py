"""modicum calibrate."""

import datetime
import json
import unittest
from decimal import Decimal

from _support import REFERENCE, CommandLineTest

TARGET = ["--epsilon", 1, "--delta", "1e-6", "--sensitivity", 1]
L2 = ["calibrate", "l2", "--dimension"]
SPHERICAL = ["calibrate", "spherical"]
SAMPLED = ["calibrate", "subsampled-gaussian"]


class Calibrate(CommandLineTest):
    def test_gaussian(self):
        result = self.answer("calibrate", "gaussian", *TARGET)
        self.assertEqual(list(result),
                         ["standard_deviation", "mean_squared_error", "delta", "certificate"])
        smallest = 4.224678889326835283
        self.assertGreaterEqual(result["standard_deviation"], smallest)
        self.assertLessEqual(result["standard_deviation"], smallest * (1 + 1e-14))
        self.assertAlmostEqual(result["mean_squared_error"], smallest**2, 10)
        self.assertLessEqual(result["delta"]["upper"], 1e-6)

    def test_certificate(self):
        result = self.answer("calibrate", "gaussian", *TARGET, "--count", 10)
        certificate = result["certificate"]
        self.assertEqual(list(certificate),
                         ["mechanism", "parameters", "target", "forward", "reverse", "delta",
                          "guarantee", "adjacency", "neighbors", "assumptions", "theorem", "loss", "version",
                          "time"])
        self.assertEqual(certificate["mechanism"], "gaussian")
        self.assertEqual(certificate["parameters"],
                         {"standard_deviation": result["standard_deviation"], "sensitivity": 1,
                          "count": 10})
        self.assertEqual(certificate["target"], {"epsilon": 1, "delta": 1e-6})
        self.assertEqual(certificate["delta"], result["delta"])
        self.assertEqual(certificate["guarantee"], "proved")
        self.assertGreater(len(certificate["assumptions"]), 1)
        time = datetime.datetime.strptime(certificate["time"], "%Y-%m-%dT%H:%M:%SZ")
        age = datetime.datetime.utcnow() - time
        self.assertLess(abs(age.total_seconds()), 600)
        version = self.succeed("--version")
        self.assertEqual(version, f"modicum {certificate['version']}\n")

    def test_the_certificate_describes_the_mechanism(self):
        for kind in "gaussian", "laplace":
            certificate = self.answer("calibrate", kind, *TARGET, "--count", 3)["certificate"]
            description = {"mechanism": certificate["mechanism"], **certificate["parameters"]}
            point = self.ask("profile", description, "--epsilon", 1, "--certified")
            self.assertEqual(point["delta"], certificate["delta"])
            audit = self.answer("audit", "pair", self.file(description), "--epsilon", 1,
                                "--delta", "1e-6")
            self.assertEqual(audit["verdict"], "consistent")

    def test_less_noise_would_not_do(self):
        for kind, parameter in ("gaussian", "standard_deviation"), ("laplace", "scale"):
            result = self.answer("calibrate", kind, *TARGET, "--count", 5)
            description = {"mechanism": kind, parameter: result[parameter] * (1 - 1e-12),
                           "sensitivity": 1, "count": 5}
            point = self.ask("profile", description, "--epsilon", 1)
            self.assertGreater(point["delta"]["upper"], 1e-6)

    def test_scales_with_sensitivity(self):
        result = self.answer("calibrate", "gaussian", "--epsilon", 1, "--delta", "1e-6",
                             "--sensitivity", 1024)
        self.assertAlmostEqual(result["standard_deviation"] / 1024, 4.224678889326835, 12)

    def test_laplace(self):
        result = self.answer("calibrate", "laplace", "--epsilon", 0.5, "--delta", 0,
                             "--sensitivity", 3)
        self.assertEqual(list(result), ["scale", "mean_squared_error", "delta", "certificate"])
        self.assertGreaterEqual(result["scale"], 6)
        self.assertLessEqual(result["scale"], 6 * (1 + 1e-14))
        self.assertAlmostEqual(result["mean_squared_error"], 72, 9)
        self.assertEqual(result["delta"], {"lower": 0, "upper": 0})

    def test_every_answer_is_proved_without_being_asked(self):
        for flag in "--fast", "--certified":
            self.assertIn(f"unknown option {flag}",
                          self.refuse(2, "calibrate", "gaussian", *TARGET, flag))

    def test_the_loss_of_a_certificate_gives_back_its_target(self):
        rows = ["--row-norm-bound", 2, "--epsilon", 1, "--delta", "1e-6"]
        projection = ["projection", "--columns", 100, *rows]
        for arguments in (
                ["gaussian", *TARGET, "--count", 10], ["laplace", *TARGET],
                ["l2", "--dimension", 3, *TARGET],
                ["spherical", "--dimension", 3, "--alpha", 2, "--p", 1.5, *TARGET],
                ["subsampled-gaussian", "--sampling-rate", 0.1, *TARGET],
                ["allocated-gaussian", "--batches", 8, "--count", 2, *TARGET],
                ["covariance", *rows], *([*projection, "--method", *method] for method in (
                    ["projection"], ["subsampled", "--sampling-rate", 0.1], ["singular-value"],
                    ["propose-test-release"], ["additive"], ["relative", "--set-leverage", 0.9])),
                ["least-squares", "--columns", 1000, "--features", 5, *rows],
                ["objective", "--epsilon", 1, "--delta", "1e-6", "--lipschitz", 1, "--smoothness",
                 0.25, "--regularization", 10, "--loss", "smoothed-hinge"]):
            with self.subTest(arguments=arguments):
                certificate = self.answer("calibrate", *arguments)["certificate"]
                point = self.ask("profile", certificate["loss"], "--epsilon", 1)
                self.assertLessEqual(point["delta"]["upper"], 1e-6)
                epsilon = self.ask("epsilon", certificate["loss"], "--delta", "1e-6")["epsilon"]
                self.assertAlmostEqual(epsilon["upper"], 1, 5)

    def test_what_is_not_proved_for_all_has_no_loss(self):
        certificate = self.answer(
            "calibrate", "projection", "--columns", 100, "--row-norm-bound", 1, "--epsilon", 1,
            "--delta", "1e-6", "--method", "relative", "--set-leverage", 0.001)["certificate"]
        self.assertEqual(certificate["guarantee"], "relative")
        self.assertNotIn("loss", certificate)

    def test_words_give_the_parameter_in_full(self):
        text = self.succeed("calibrate", "gaussian", *TARGET)
        exact = self.answer("calibrate", "gaussian", *TARGET)["standard_deviation"]
        self.assertIn(json.dumps(exact), text)
        self.assertIn("Proved, provided that", text)

    def test_targets_that_cannot_be_met(self):
        self.assertIn("unbounded", self.refuse(3, "calibrate", "gaussian", "--epsilon", 1,
                                               "--delta", 0, "--sensitivity", 1))
        self.refuse(3, "calibrate", "laplace", "--epsilon", 0, "--delta", 0, "--sensitivity", 1)

    def test_bad_arguments(self):
        good = {"--epsilon": "1", "--delta": "1e-6", "--sensitivity": "1", "--count": "2"}
        bad = {"--epsilon": ["-1", "nan", "inf", "x", "1e999"],
               "--delta": ["-1e-9", "1", "2", "nan", "", "1e-400"],
               "--sensitivity": ["0", "-1", "nan", "inf", "one"],
               "--count": ["0", "-1", "1.5", "nan", "1e300"]}
        for kind in "gaussian", "laplace":
            for name, values in bad.items():
                for value in values:
                    arguments = [item for pair in {**good, name: value}.items() for item in pair]
                    error = self.refuse(2, "calibrate", kind, *arguments)
                    self.assertIn(name.strip("-"), error)
                    self.assertIn("must", error)
            for name in "--epsilon", "--delta", "--sensitivity":
                arguments = [item for pair in good.items() if pair[0] != name for item in pair]
                self.assertIn(f"{name} is missing", self.refuse(2, "calibrate", kind, *arguments))


class Spherical(CommandLineTest):
    def cases(self):
        return json.loads((REFERENCE / "spherical.json").read_text())["calibration"]

    def target(self, case):
        return [item for key in ("dimension", "epsilon", "delta", "sensitivity")
                for item in (f"--{key}", case[key])]

    def test_l2(self):
        for dimension, scale in (3, "0.994847859128"), (10, "0.872812018026"), (100, "0.3612467608"):
            result = self.answer(*L2, dimension, "--epsilon", 1, "--delta", "1e-5",
                                 "--sensitivity", 1)
            self.assertEqual(list(result),
                             ["scale", "mean_squared_error", "delta", "certificate"])
            # Here the digits are rounded to the nearest.
            self.assert_just_above(result["scale"] * (1 + 2e-12), scale)
            self.assertLessEqual(result["delta"]["upper"], 1e-5)
            # E R^2 of a radius with density proportional to r^(T - 1) exp(-r / scale).
            self.assertAlmostEqual(result["mean_squared_error"] /
                                   (dimension * (dimension + 1) * result["scale"]**2), 1, 10)

    def test_l2_reference(self):
        for case in self.cases():
            if "scale" in case:
                result = self.answer("calibrate", "l2", *self.target(case))
                self.assert_just_above(result["scale"], case["scale"])

    def test_spherical_reference(self):
        for case in self.cases():
            result = self.answer(*SPHERICAL, *self.target(case), "--alpha", case["alpha"],
                                 "--p", case["p"])
            self.assertEqual(list(result),
                             ["beta", "mean_squared_error", "delta", "certificate"])
            # The larger beta, the less noise.
            self.assert_just_above(1 / result["beta"] * (1 + 1e-15), 1 / Decimal(case["beta"]), 1e-8)
            self.assertLessEqual(result["delta"]["upper"], case["delta"])

    def test_members(self):
        gaussian = self.answer("calibrate", "gaussian", *TARGET)
        result = self.answer(*SPHERICAL, "--dimension", 7, "--alpha", 6, "--p", 2, *TARGET)
        self.assertAlmostEqual(result["mean_squared_error"] / (7 * gaussian["mean_squared_error"]),
                               1, 9)
        laplace = self.answer("calibrate", "laplace", *TARGET)
        result = self.answer(*L2, 1, *TARGET)
        self.assertAlmostEqual(result["scale"] / laplace["scale"], 1, 12)

    def test_pure(self):
        result = self.answer(*L2, 5, "--epsilon", 0.5, "--delta", 0, "--sensitivity", 3)
        self.assert_just_above(result["scale"], 6)
        self.assertEqual(result["delta"], {"lower": 0, "upper": 0})

    def test_the_certificate_describes_the_mechanism(self):
        for arguments in L2 + [4], SPHERICAL + ["--dimension", 4, "--alpha", 2, "--p", 1.5]:
            certificate = self.answer(*arguments, *TARGET)["certificate"]
            description = {"mechanism": certificate["mechanism"], **certificate["parameters"]}
            audit = self.answer("audit", "pair", self.file(description), "--epsilon", 1,
                                "--delta", "1e-6", "--certified")
            self.assertEqual((audit["verdict"], audit["proof"]), ("consistent", "certified"))

    def test_words(self):
        text = self.succeed(*L2, 3, *TARGET)
        self.assertIn("the whole vector", text)
        self.assertIn("Proved, provided that", text)

    def test_bad_arguments(self):
        good = {"--dimension": "3", "--alpha": "1", "--p": "1.5", "--epsilon": "1",
                "--delta": "1e-6", "--sensitivity": "1"}
        bad = {"--dimension": ["0", "2.5", "-1", "nan", "x", "1e300"],
               "--alpha": ["-1", "2.5", "nan", "inf"],
               "--p": ["0", "-1", "nan"],
               "--sensitivity": ["0", "-1"],
               "--count": ["0", "1.5"]}
        for name, values in bad.items():
            for value in values:
                arguments = [item for pair in {**good, name: value}.items() for item in pair]
                error = self.refuse(2, *SPHERICAL, *arguments)
                self.assertIn(name.strip("-"), error)
                self.assertIn("must", error)
        for name in good:
            arguments = [item for pair in good.items() if pair[0] != name for item in pair]
            self.assertIn(f"{name} is missing", self.refuse(2, *SPHERICAL, *arguments))
        self.assertIn("--dimension is missing", self.refuse(2, "calibrate", "l2", *TARGET))
        self.assertIn("--alpha", self.refuse(2, *L2, 3, *TARGET, "--alpha", 1))

    def test_targets_that_cannot_be_met(self):
        zero = ["--epsilon", 1, "--delta", 0, "--sensitivity", 1]
        self.assertIn("unbounded", self.refuse(3, *SPHERICAL, "--dimension", 3, "--alpha", 2,
                                               "--p", 2, *zero))
        self.refuse(3, *L2, 3, "--epsilon", 0, "--delta", 0, "--sensitivity", 1)


class SubsampledGaussian(CommandLineTest):
    def test_steps(self):
        result = self.answer(*SAMPLED, "--sampling-rate", 0.01, "--count", 1000, "--epsilon", 1,
                             "--delta", "1e-5", "--sensitivity", 1)
        self.assertEqual(list(result),
                         ["standard_deviation", "mean_squared_error", "delta", "certificate"])
        self.assertLessEqual(result["delta"]["upper"], 1e-5)
        self.assertGreater(result["delta"]["upper"], 0.99e-5)
        certificate = result["certificate"]
        self.assertEqual(certificate["mechanism"], "subsampled_gaussian")
        self.assertEqual(certificate["parameters"],
                         {"standard_deviation": result["standard_deviation"], "sensitivity": 1,
                          "sampling_rate": 0.01, "count": 1000})
        self.assertIn("adding or removing one record", certificate["neighbors"])
        self.assertTrue(any("probability 0.01" in line for line in certificate["assumptions"]))

    def test_without_sampling_it_is_the_gaussian(self):
        exact = self.answer("calibrate", "gaussian", *TARGET, "--count", 3)["standard_deviation"]
        result = self.answer(*SAMPLED, "--sampling-rate", 1, "--count", 3, *TARGET)
        self.assertAlmostEqual(result["standard_deviation"] / exact, 1, 12)

    def test_one_step_meets_its_target(self):
        result = self.answer(*SAMPLED, "--sampling-rate", 0.1, *TARGET)
        description = {"mechanism": "subsampled_gaussian", "sensitivity": 1, "sampling_rate": 0.1,
                       "standard_deviation": result["standard_deviation"] * (1 - 1e-9)}
        self.assertGreater(self.ask("profile", description, "--epsilon", 1)["delta"]["lower"], 1e-6)

    def test_bad_arguments(self):
        for rate in 0, -0.1, 1.5, "nan", "x":
            error = self.refuse(2, *SAMPLED, "--sampling-rate", rate, *TARGET)
            self.assertRegex(error, "sampling.rate is")
        self.assertIn("--sampling-rate is missing", self.refuse(2, *SAMPLED, *TARGET))
        self.refuse(3, *SAMPLED, "--sampling-rate", 0.1, "--epsilon", 1, "--delta", 0,
                    "--sensitivity", 1)


if __name__ == "__main__":
    unittest.main()
