"""Noise on the integers: calibrate discrete-gaussian and discrete-laplace, plot optimum and optimality."""

import pathlib
import tempfile
import unittest

from _support import CommandLineTest

TARGET = ["--epsilon", 1, "--delta", "1e-5", "--sensitivity", 1]


class IntegerNoise(CommandLineTest):
    def test_calibrated_noise_is_the_least_that_is_safe(self):
        for kind, key, name in ("discrete-gaussian", "sigma", "discrete_gaussian"), \
                               ("discrete-laplace", "scale", "discrete_laplace"):
            found = self.answer("calibrate", kind, *TARGET)
            self.assertEqual(found["certificate"]["mechanism"], name)
            self.assertIn("whole numbers", " ".join(found["certificate"]["assumptions"]))
            description = {"mechanism": name, key: found[key], "sensitivity": 1}
            self.assertEqual(found["certificate"]["loss"], description)
            point = self.ask("profile", description, "--epsilon", 1, "--certified")
            self.assertLessEqual(point["delta"]["upper"], 1e-5)
            less = self.ask("profile", {**description, key: found[key] * (1 - 1e-6)}, "--epsilon", 1, "--certified")
            self.assertGreater(less["delta"]["upper"], 1e-5)
        self.assertAlmostEqual(found["mean_squared_error"] / 1.841293, 1, 5)

    def test_bad_sensitivities(self):
        for kind in "discrete-gaussian", "discrete-laplace":
            for bad in "0", "1.5", "-1", "inf":
                error = self.refuse(2, "calibrate", kind, *TARGET[:4], f"--sensitivity={bad}")
                self.assertIn("sensitivity", error)
        self.refuse(3, "calibrate", "discrete-gaussian", "--epsilon", 1, "--delta", 0, "--sensitivity", 1)

    def rows(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder) / "picture.svg"
            rows = self.answer("plot", *arguments, "--output", picture)["rows"]
            self.assertTrue(picture.read_text().endswith("</svg>\n"))
        return rows

    def test_pictures(self):
        rows = self.rows("optimality", "--points", 5)
        self.assertEqual(len(rows), 5)
        self.assertTrue(all(a["delta_star"] > b["delta_star"] for a, b in zip(rows, rows[1:])))
        rows = self.rows("optimum", "--epsilon", 0.1, "--points", 2)
        self.assertEqual([row["kind"] for row in rows],
                         2 * ["whole numbers, sensitivity 1"] + 2 * ["real number"])
        for row in rows:
            self.assertLessEqual(row["lower_bound"], row["mean_squared_error"])
            self.assertGreaterEqual(row["gain_percent"], -0.1)
        self.refuse(2, "plot", "optimality", "--epsilon", 1, "--output", "-")
        self.refuse(2, "plot", "radial", "--dimension", 2, "--alpha", 1, "--output", "-")
        rows = self.rows("radial", "--dimension", 2, "--p", 2, "--beta", 0.5)
        self.assertEqual(rows[-1]["name"], "chosen")
        self.assertAlmostEqual(rows[-1]["mean_squared_error"], 2, 12)


if __name__ == "__main__":
    unittest.main()
