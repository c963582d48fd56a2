"""modicum calibrate."""

import datetime
import json
import unittest

from _support import CommandLineTest

TARGET = ["--epsilon", 1, "--delta", "1e-6", "--sensitivity", 1]


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
                          "guarantee", "adjacency", "assumptions", "theorem", "version", "time"])
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

    def test_always_ends_in_a_proof(self):
        exact = self.answer("calibrate", "gaussian", *TARGET)["standard_deviation"]
        for flag in "--fast", "--certified":
            result = self.answer("calibrate", "gaussian", *TARGET, flag)
            self.assertEqual(result["standard_deviation"], exact)
            self.assertEqual(result["certificate"]["guarantee"], "proved")

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


if __name__ == "__main__":
    unittest.main()
