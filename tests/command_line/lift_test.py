"""modicum calibrate lift, logistic and gaussian-process; modicum release lift."""

import json
import unittest

from _support import CommandLineTest

TARGET = ["--epsilon", 1, "--delta", "1e-6"]


class Calibrations(CommandLineTest):
    def proved(self, *arguments):
        """The answer, whose loss has at most the target's delta."""
        found = self.answer("calibrate", *arguments, *TARGET)
        self.assertAlmostEqual(found["standard_deviation"] ** 2 / found["noise_variance"], 1, 12)
        self.assertLessEqual(found["delta"]["upper"], 1e-6)
        point = self.ask("profile", found["certificate"]["loss"], "--epsilon", 1)
        self.assertLessEqual(point["delta"]["upper"], 1e-6 * (1 + 1e-9))
        return found

    def test_a_shift_alone_needs_gaussian_noise(self):
        gaussian = self.answer("calibrate", "gaussian", "--sensitivity", 0.3, *TARGET)["standard_deviation"]
        lift = self.proved("lift", "--mean-shift", 0.3, "--variance-excess", 0)
        self.assert_just_above(lift["standard_deviation"], gaussian * (1 - 1e-9), 1e-3)

    def test_more_to_hide_more_noise(self):
        noises = [self.proved("lift", "--mean-shift", shift, "--variance-excess", excess, "--rank", rank)
                  ["noise_variance"] for shift, excess, rank in
                  ((0.1, 0.001, 1), (0.1, 0.01, 1), (0.1, 0.01, 3), (0.2, 0.01, 3))]
        self.assertEqual(noises, sorted(noises))
        # In units: lengths scale by 10, variances by 100.
        scaled = self.proved("lift", "--mean-shift", 1, "--variance-excess", 0.1)["noise_variance"]
        self.assertAlmostEqual(scaled / noises[0] / 100, 1, 3)

    def test_logistic_and_gaussian_process(self):
        free = self.proved("logistic", "--row-norm-bound", 1, "--regularization", 10)
        promised = self.proved("logistic", "--row-norm-bound", 1, "--regularization", 10, "--largest-rows", 100)
        self.assertLess(promised["noise_variance"], free["noise_variance"])
        self.proved("logistic", "--row-norm-bound", 2)
        small, large = (self.proved("gaussian-process", "--largest-rows", rows, "--noise-variance", 0.1,
                                    "--prior-bound", 20)["noise_variance"] for rows in (100, 1000))
        self.assertLess(small, large)

    def test_directions(self):
        declared = ["lift", "--mean-shift", 1, "--variance-excess", 0.1]
        axes = self.file("[[3, 0], [0, 0.1]]", "axes.json")
        along = self.answer("calibrate", *declared, "--directions", axes, *TARGET)
        one = self.answer("calibrate", *declared, *TARGET)["noise_variance"]
        # Along the axes each has the noise that it needs by itself.
        (first, off), (_, second) = along["noise_covariance"]
        for found, length in ((first, 3), (second, 0.1)):
            self.assert_just_above(found, one * length ** 2 * (1 - 1e-3), 3e-3)
        self.assertAlmostEqual(off / first, 0, 9)
        parameters = along["certificate"]["parameters"]
        self.assertAlmostEqual(parameters["noise_trace"], first + second, 6)
        self.assertGreater(parameters["isotropic_noise_trace"], 1.9 * parameters["noise_trace"])
        self.assertLessEqual(parameters["least_noise_trace"], parameters["noise_trace"])
        self.assertIn("2 public directions", " ".join(along["certificate"]["assumptions"]))
        point = self.ask("profile", along["certificate"]["loss"], "--epsilon", 1)
        self.assertLessEqual(point["delta"]["upper"], 1e-6 * (1 + 1e-9))
        flat = self.file("[[1, 1], [2, 2]]", "flat.json")
        self.assertIn("span", self.refuse(2, "calibrate", *declared, "--directions", flat, *TARGET))
        self.assertIn("--rank", self.refuse(2, "calibrate", *declared, "--directions", axes, "--rank", 2, *TARGET))

    def test_refusals(self):
        start = ["calibrate", "lift", *TARGET]
        self.assertIn("--mean-shift", self.refuse(2, *start, "--variance-excess", 1))
        for bad in ("-1", "nan", "inf"):
            self.refuse(2, *start, "--mean-shift", bad, "--variance-excess", 1)
        self.refuse(2, *start, "--mean-shift", 1, "--variance-excess", 1, "--rank", 0.5)
        self.refuse(3, "calibrate", "lift", "--epsilon", 1, "--delta", 0, "--mean-shift", 1, "--variance-excess", 1)


class Release(CommandLineTest):
    def test_two_files(self):
        mean = self.file("1\n2\n3\n", "mean.csv")
        covariance = self.file("[[0.5, 0.1, 0], [0.1, 0.5, 0], [0, 0, 0.2]]", "covariance.json")
        declared = ["--mean-shift", 0.01, "--variance-excess", 0.001]
        start = ["release", "lift", mean, "--covariance", covariance, *declared, *TARGET]
        result = self.answer(*start, "--output", self.fresh("draw.json"))
        noise = self.answer("calibrate", "lift", *declared, *TARGET)["noise_variance"]
        certificate = result["certificate"]
        self.assertAlmostEqual(certificate["parameters"]["noise_variance"] / noise, 1, 9)
        self.assertEqual(certificate["guarantee"], "proved")
        self.assertIn("the means differ by at most 0.01", " ".join(certificate["assumptions"]))
        values = json.loads((self.folder / "draw.json").read_text())["values"]
        # 12 standard deviations of 0.72 and the noise, which is smaller: a false alarm below 1e-30.
        for (value,), center in zip(values, (1, 2, 3)):
            self.assertLess(abs(value - center), 12 * (0.5 + noise) ** 0.5)
        other = self.file("[[1, 0], [0, 1]]", "other.json")
        self.assertIn("--covariance", self.refuse(2, "release", "lift", mean, "--covariance", other, *declared, *TARGET,
                                                   "--output", "-"))
        skew = self.file("[[1, 1, 0], [0, 1, 0], [0, 0, 1]]", "skew.json")
        self.assertIn("symmetric", self.refuse(2, "release", "lift", mean, "--covariance", skew, *declared, *TARGET,
                                               "--output", "-"))

    def test_along_directions(self):
        mean = self.file("1\n2\n", "mean.csv")
        covariance = self.file("[[0, 0], [0, 0]]", "covariance.json")
        directions = self.file("10,0\n0,0.1\n", "directions.csv")
        start = ["release", "lift", mean, "--covariance", covariance, "--mean-shift", 1, "--variance-excess", 0,
                 *TARGET, "--output", "-"]
        found = self.answer(*start, "--directions", directions)
        noise = self.answer("calibrate", "gaussian", "--sensitivity", 1, *TARGET)["standard_deviation"]
        # Ten standard deviations of each: a false alarm below 1e-20.
        (first,), (second,) = found["released"]["values"]
        self.assertLess(abs(first - 1), 10 * 10 * noise * 1.01)
        self.assertLess(abs(second - 2), 10 * 0.1 * noise * 1.01)
        three = self.file("[[1, 0, 0], [0, 1, 0], [0, 0, 1]]", "three.json")
        self.assertIn("--directions", self.refuse(2, *start, "--directions", three))


if __name__ == "__main__":
    unittest.main()
