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


class Multinomial(CommandLineTest):
    def table(self, count=1500):
        source = random.Random(8)
        lines = ["a,b,kind"]
        for place in range(count):
            kind = source.randrange(3)
            a, b = ((13, 500), (10, 503), (7, 497))[kind]
            name = "other" if place % 40 == 0 else ("low", "high", "both")[kind]
            lines.append(f"{a + source.gauss(0, 1):.6f},{b + source.gauss(0, 1):.6f},{name}")
        return self.file("\n".join(lines) + "\n", "table.csv")

    def test_a_column_for_each_class(self):
        start = ["release", "logistic", self.table(), "--target", "kind", "--intercept", *RANGES,
                 "--epsilon", 2, "--delta", 1e-6, "--labels", "low", "high", "both"]
        found = self.answer(*start, "--output", "-", "--confidential")
        self.assertEqual(found["released"]["columns"], ["low", "high", "both"])
        self.assertEqual(found["released"]["rows"], ["intercept", "a", "b"])
        for row in found["released"]["values"]:
            self.assertAlmostEqual(sum(row) / max(map(abs, row)), 0, 9)
        certificate = found["certificate"]
        self.assertEqual(certificate["parameters"]["labels"], ["low", "high", "both"])
        self.assertEqual((certificate["guarantee"], certificate["arithmetic"]), ("proved", "exact"))
        delta = self.ask("profile", certificate["loss"], "--epsilon", 2)["delta"]["upper"]
        self.assertLessEqual(delta, 1e-6)
        told = json.dumps(found["confidential"])
        self.assertIn("share_classified_right", told)

    def test_what_is_only_a_bound_has_no_lower_end(self):
        table = self.file(sample(200), "numbers.csv")
        everything = [*RANGES, "--range", "y=0:1"]
        for words in (["logistic", "--method", "gradient", "--target", "y", *RANGES],
                      ["regression", "--target", "y", *everything],
                      ["regression", "--method", "covariance", "--target", "y", *everything],
                      ["regression", "--method", "adaptive-sufficient-statistics", "--target", "y",
                       *everything],
                      ["scales", *everything], ["components", "--components", 1, *everything]):
            certificate = self.answer("release", words[0], table, *words[1:], *TARGET,
                                      "--output", "-")["certificate"]
            self.assertFalse(certificate["attained"], words)
            for direction in "forward", "reverse", "delta":
                self.assertEqual(certificate[direction]["lower"], 0, words)
                self.assertGreater(certificate[direction]["upper"], 0, words)
        certificate = self.answer("release", "regression", table, "--method", "least-squares",
                                  "--target", "y", *everything, *TARGET, "--output", "-")["certificate"]
        self.assertGreater(certificate["delta"]["lower"], 0)

    def test_labels_that_do_not_fit(self):
        table = self.table(30)
        start = ["release", "logistic", table, "--target", "kind", *RANGES, *TARGET, "--output", "-"]
        for labels, message in ((["low"], "two at least"), (["low", "low"], "must be there once")):
            self.assertIn(message, self.refuse(2, *start, "--labels", *labels))
        self.assertIn("--threshold must not be given", self.refuse(
            2, *start, "--labels", "low", "high", "--threshold", 3))
        self.assertIn("--labels is missing", self.refuse(2, *start, "--method", "multinomial"))


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
