"""modicum report noise."""

import csv
import json
import math
import unittest

from _support import CommandLineTest
from _tables import as_csv, regression_rows

TARGET = ("--epsilon", 1, "--delta", 1e-6)
BOUND = ("--row-norm-bound", 1.5)


class ReportNoise(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.rows = regression_rows(60)
        self.path = self.file(as_csv(self.rows), "rows.csv")

    def release(self, *words, name="out.csv"):
        path = self.folder / name
        self.succeed("release", *words, *TARGET, "--output", path, "--replace")
        return path, json.loads((self.folder / (name + ".certificate.json")).read_text())["parameters"]

    def clipped_norm(self, row):
        return min(math.hypot(*row), 1.5)

    def test_owners_are_told_by_their_record_alone(self):
        mine = self.file(as_csv(self.rows[:5]), "mine.csv")
        for words, square in (("vector",), False), (("covariance",), True):
            path, parameters = self.release(*words, self.path, *BOUND)
            answer = self.answer("report", "noise", "--release", path, "--records", mine)
            self.assertEqual(answer["worst_case"], {"epsilon": 1, "delta": 1e-6})
            for row, told in zip(self.rows, answer["records"]):
                norm = self.clipped_norm(row)
                mu = (norm**2 / math.sqrt(2) if square else norm) / parameters["standard_deviation"]
                self.assertAlmostEqual(told["mu"] / mu, 1, 4)
                exact = self.ask("epsilon", {"mechanism": "gaussian_dp", "mu": mu}, "--delta", 1e-6)
                self.assertAlmostEqual(told["epsilon"] / exact["epsilon"]["upper"], 1, 4)
                self.assertLessEqual(told["epsilon"], 1 + 1e-9)
                self.assertGreater(told["bound"], 0)
            self.assertEqual(len(answer["records"]), 5)

    def test_the_holder_sees_losses_that_the_bounds_cover(self):
        for words in ("vector",), ("covariance",):
            path, _ = self.release(*words, self.path, *BOUND)
            output = self.folder / "losses.csv"
            answer = self.answer("report", "noise", self.path, "--release", path, "--confidential",
                                 "--output", output)
            self.assertTrue(answer["confidential"])
            self.assertEqual(output.stat().st_mode & 0o077, 0)
            with open(output, encoding="utf-8") as lines:
                rows = list(csv.DictReader(lines))
            self.assertEqual([int(row["row"]) for row in rows], list(range(1, 61)))
            losses = [float(row["epsilon_1"]) for row in rows]
            self.assertAlmostEqual(max(losses), answer["losses"]["largest"], 12)
            shown = self.answer("report", "noise", self.path, "--release", path, "--confidential",
                                "--output", "-")
            self.assertEqual([abs(x) for x in shown["inside"]["signed_loss"]], losses)

    def test_ranges_must_be_those_of_the_release(self):
        ranges = [item for name in "uvy" for item in ("--range", f"{name}=-2:2")]
        path, _ = self.release("vector", self.path, *ranges)
        start = ["report", "noise", self.path, "--release", path, "--confidential", "--output", "-"]
        self.succeed(*start, *ranges)
        self.assertIn("--range", self.refuse(2, *start))
        other = [item for name in "uvy" for item in ("--range", f"{name}=-1:1")]
        self.assertIn("--range", self.refuse(2, *start, *other))
        self.assertIn("--select", self.refuse(2, *start, *ranges[2:], "--exclude", "u"))

    def test_another_table_is_refused(self):
        path, _ = self.release("vector", self.path, *BOUND)
        rows = [[1, 1, 1]] * 60
        other = self.file(as_csv(rows), "other.csv")
        self.assertIn("must be the one of the release", self.refuse(
            2, "report", "noise", other, "--release", path, "--confidential", "--output", "-"))
        path.write_text(path.read_text() + "\n")
        self.assertIn("SHA-256", self.refuse(
            2, "report", "noise", self.path, "--release", path, "--confidential", "--output", "-"))

    def test_matrices_from_elsewhere(self):
        matrix = self.file("2,1\n1,3\n", "matrix.csv")
        path, parameters = self.release("matrix", matrix, "--sensitivity", 0.25)
        told = self.answer("report", "noise", "--release", path, "--shift", 0.25, 0.1, 0)["records"]
        self.assertAlmostEqual(told[0]["epsilon"], 1, 6)
        self.assertAlmostEqual(told[0]["mu"] * math.sqrt(2) * parameters["standard_deviation"], 0.25, 9)
        self.assertLess(told[1]["epsilon"], told[0]["epsilon"])
        self.assertEqual((told[2]["epsilon"], told[2]["bound"]), (0, 0))
        self.assertIn("--shift is 0.3", self.refuse(2, "report", "noise", "--release", path,
                                                    "--shift", 0.3))

    def test_bad_arguments(self):
        path, _ = self.release("vector", self.path, *BOUND)
        start = ["report", "noise", "--release", path]
        for arguments, message in (
                ((), "one of --records and --shift"),
                (("--confidential", "--output", "-"), "is missing"),
                (("--shift", 1, "--failure", 0), "--failure is 0"),
                (("--shift", 1, "--delta", 2), "--delta is 2"),
                (("--shift", 1, "--output", "x.csv"), "--output must not be given")):
            self.assertIn(message, self.refuse(2, *start, *arguments))
        laplace, _ = self.release("vector", self.path, *BOUND, "--noise", "l2", name="l2.csv")
        self.assertIn("Gaussian noise", self.refuse(2, "report", "noise", "--release", laplace,
                                                    "--shift", 1))


if __name__ == "__main__":
    unittest.main()
