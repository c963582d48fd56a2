"""modicum release logistic with a look first: best, standardized, gradient."""

import csv
import json
import pathlib
import random
import unittest

from _support import CommandLineTest

TARGET = ["--epsilon", 1, "--delta", "1e-6"]
RANGES = ["--range", "a=0:40", "--range", "b=490:520"]
LABEL = ["--target", "y", "--intercept"]


def sample(count):
    """y follows b; both features crowd in a corner of their ranges."""
    source = random.Random(2)
    lines = ["a,b,y"]
    for _ in range(count):
        b = source.gauss(0, 1)
        lines.append(f"{10 + source.gauss(0, 1):.6f},{500 + b:.6f},"
                     f"{int(b + 0.5 * source.gauss(0, 1) > 0)}")
    return "\n".join(lines) + "\n"


class Standardized(CommandLineTest):
    def release(self, *arguments, target=TARGET):
        table = self.file(sample(3000), "table.csv")
        output = self.fresh("out.csv")
        result = self.answer("release", "logistic", table, *LABEL, *RANGES, *arguments, *target,
                             "--output", output)
        with open(output, newline="", encoding="utf-8") as file:
            self.coefficients = {row["name"]: float(row["coefficient"])
                                 for row in csv.DictReader(file)}
        return result["certificate"]

    def right(self):
        source = random.Random(3)
        hits = 0
        for _ in range(1000):
            a, b = 10 + source.gauss(0, 1), source.gauss(0, 1)
            margin = (self.coefficients["intercept"] + self.coefficients["a"] * a
                      + self.coefficients["b"] * (500 + b))
            hits += (margin > 0) == (b > 0)
        return hits / 1000

    def test_each_finds_what_the_ranges_hide(self):
        for method in "standardized", "gradient":
            certificate = self.release("--method", method, target=["--epsilon", 3, "--delta", "1e-6"])
            self.assertEqual(certificate["parameters"]["method"], method)
            self.assertEqual((certificate["guarantee"], certificate["arithmetic"]),
                             ("proved", "exact"))
            self.assertGreater(self.right(), 0.8)

    def test_the_loss_of_the_certificate_gives_back_its_target(self):
        for method in "standardized", "gradient":
            certificate = self.release("--method", method)
            path = self.file(json.dumps(certificate["loss"]), "loss.json")
            self.assertLessEqual(self.answer("profile", path, "--epsilon", 1)["delta"]["upper"], 1e-6)
            epsilon = self.answer("epsilon", path, "--delta", "1e-6")["epsilon"]["upper"]
            self.assertAlmostEqual(epsilon, 1, 6)

    def test_the_best_is_chosen_by_public_numbers(self):
        for rows, method in ((100, "gradient"), (100000, "standardized")):
            certificate = self.release("--expected-rows", rows)
            self.assertEqual(certificate["parameters"]["method"], method)
        self.assertEqual(self.release("--steps", 5)["parameters"]["steps"], 5)
        self.assertEqual(self.release("--regularization", 5)["parameters"]["method"], "objective")

    def test_nothing_else_is_told(self):
        """Two tables of different sizes: the same words, but for what was released."""
        told = []
        for count in 50, 3000:
            table = self.file(sample(count), "table.csv")
            text = self.succeed("release", "logistic", table, *LABEL, *RANGES, *TARGET, "--output",
                                self.fresh("out.csv"))
            released = ("out.csv", "  released ")
            told.append([line for line in text.splitlines() if not any(map(line.__contains__, released))])
        self.assertEqual(*told)

    def test_reports_are_for_the_plain_method(self):
        self.release("--method", "standardized")
        error = self.refuse(2, "report", "per-instance", "--release", self.folder / "out.csv",
                            "--method", "data-independent", "--output", self.folder / "report.json")
        self.assertIn("objective", error)

    def test_refusals(self):
        table = self.file(sample(10), "table.csv")
        common = ["release", "logistic", table, *LABEL, *RANGES, "--output", self.folder / "x.csv"]
        self.assertIn("--steps", self.refuse(2, *common, *TARGET, "--method", "gradient", "--steps", 0))
        self.assertIn("--expected-rows", self.refuse(2, *common, *TARGET, "--expected-rows", -1))
        self.refuse(3, *common, "--epsilon", 1, "--delta", 0)
        self.assertFalse(pathlib.Path(self.folder / "x.csv").exists())


if __name__ == "__main__":
    unittest.main()
