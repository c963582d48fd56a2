"""modicum release logistic."""

import csv
import hashlib
import json
import math
import os
import pathlib
import random
import unittest

from _support import CommandLineTest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
WAGES = EXAMPLES / "wages.csv"
TARGET = ["--epsilon", 1, "--delta", "1e-6"]
RANGES = [item for text in ("age=18:70", "schooling=0:20", "hours=0:80")
          for item in ("--range", text)]
LABEL = ["--target", "wage", "--threshold", 20]


def sample(count, labels=("0", "1")):
    """Log-odds 3 u - 2 v."""
    source = random.Random(1)
    lines = ["u,v,y"]
    for _ in range(count):
        u, v = source.uniform(-1, 1), source.uniform(-1, 1)
        lines.append(f"{u!r},{v!r},{labels[source.random() < 1 / (1 + math.exp(2 * v - 3 * u))]}")
    return "\n".join(lines) + "\n"


class Logistic(CommandLineTest):
    def release(self, *arguments, target=TARGET, name="out.csv"):
        path = self.fresh(name)
        result = self.answer("release", "logistic", *arguments, "--method", "bayesian", "--output", path,
                             *target)
        certificate = result["certificate"]
        self.assertEqual(json.loads(pathlib.Path(result["certificate_file"]).read_text()),
                         certificate)
        self.assertEqual(certificate["output"]["sha256"],
                         hashlib.sha256(path.read_bytes()).hexdigest())
        self.assertEqual(certificate["mechanism"], "bayesian_logistic_regression")
        self.assertEqual((certificate["guarantee"], certificate["arithmetic"]),
                         ("proved", "mitigated"))
        self.assertLessEqual(certificate["delta"]["upper"], float(target[3]))
        self.assertEqual(certificate["delta"]["lower"], 0)
        self.assertLessEqual(certificate["parameters"]["worst_pair_found"], certificate["delta"]["upper"])
        self.assertTrue((EXAMPLES.parent / certificate["theorem"]).is_file())
        return result

    def coefficients(self, name="out.csv"):
        with open(self.folder / name, newline="") as file:
            return {row["name"]: row for row in csv.DictReader(file)}

    def refused(self, code, path, *arguments, keep=()):
        error = self.refuse(code, "release", "logistic", path, *arguments, "--output",
                            self.folder / "out.csv")
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(keep))
        return error

    def test_numbers_of_the_certificate(self):
        parameters = self.release(WAGES, *LABEL, *RANGES, "--intercept", "--regularization",
                                  50)["certificate"]["parameters"]
        bound, noise = parameters["row_norm_bound"], parameters["noise_variance"]
        self.assertEqual((bound, parameters["regularization"], parameters["rank"]), (2, 50, 1))
        self.assertEqual((parameters["label"], parameters["threshold"], parameters["method"]),
                         ("wage", 20, "bayesian"))
        self.assertEqual(parameters["coordinates"], ["intercept", "age", "schooling", "hours"])
        self.assertAlmostEqual(parameters["mean_shift"],
                               bound / 50 * (1 + 2**-15) / math.sqrt(noise), 12)
        self.assertAlmostEqual(parameters["variance_excess"],
                               bound**2 / (4 * 50 * (1 + noise * (50 + bound**2 / 4))), 12)
        self.assertNotIn("largest_rows", parameters)

    def test_the_loss_of_the_certificate_gives_back_its_target(self):
        certificate = self.release(WAGES, *LABEL, *RANGES)["certificate"]
        path = self.file(json.dumps(certificate["loss"]), "loss.json")
        self.assertLessEqual(self.answer("profile", path, "--epsilon", 1)["delta"]["upper"], 1e-6)
        epsilon = self.answer("epsilon", path, "--delta", "1e-6")["epsilon"]["upper"]
        self.assertLessEqual(epsilon, 1)
        self.assertGreater(epsilon, 0.99)
        self.assertEqual(certificate["loss"]["mechanism"], "lifted_release")

    def test_units_of_the_file(self):
        self.release(WAGES, *LABEL, *RANGES, "--intercept")
        rows = self.coefficients()
        self.assertEqual(list(rows), ["intercept", "age", "schooling", "hours"])
        constant = float(rows["intercept"]["standardized"])
        for name, center, scale in ("age", 44, 26), ("schooling", 10, 10), ("hours", 40, 40):
            coefficient = float(rows[name]["coefficient"])
            self.assertAlmostEqual(coefficient, float(rows[name]["standardized"]) / scale, 12)
            constant -= coefficient * center
        self.assertAlmostEqual(float(rows["intercept"]["coefficient"]), constant, 9)

    def test_finds_the_coefficients_of_many_rows(self):
        for labels in ("0", "1"), ("-1", "1"):
            path = self.file(sample(20000, labels), "rows.csv")
            self.release(path, "--target", "y", "--range", "u=-1:1", "--range", "v=-1:1",
                         "--regularization", 50, target=["--epsilon", 5, "--delta", "1e-6"])
            rows = self.coefficients()
            # Noise of about 0.03, and the regularization.
            self.assertAlmostEqual(float(rows["u"]["coefficient"]), 3, delta=0.5)
            self.assertAlmostEqual(float(rows["v"]["coefficient"]), -2, delta=0.5)

    def test_diagnostics_are_asked_for(self):
        text = sample(300) + ",1,1\n0.5,x,0\n0.5,0.5,\n"
        path = self.file(text, "rows.csv")
        own = ["--target", "y", "--row-norm-bound", 1, "--regularization", 5]
        self.assertNotIn("confidential", self.release(path, *own))
        numbers = self.release(path, *own, "--confidential")["confidential"]
        self.assertEqual(list(numbers),
                         ["rows_used", "rows_with_unreadable_numbers", "rows_of_other_length",
                          "rows_of_broken_text", "rows_with_a_value_that_is_no_number", "rows_clipped",
                          "share_of_the_larger_class", "accuracy_of_the_minimizer",
                          "accuracy_of_the_release", "mean_loss_of_the_minimizer",
                          "mean_loss_of_the_release", "distance_to_the_minimizer",
                          "norm_of_the_minimizer"])
        self.assertEqual((numbers["rows_used"], numbers["rows_with_unreadable_numbers"]), (300, 3))
        longer = sum(float(u)**2 + float(v)**2 > 1 for u, v, _ in
                     (line.split(",") for line in sample(300).splitlines()[1:]))
        self.assertEqual(numbers["rows_clipped"], longer)
        self.assertGreater(numbers["accuracy_of_the_minimizer"], 0.7)
        self.assertLessEqual(numbers["accuracy_of_the_minimizer"], 1)
        self.assertNotIn("accuracy", pathlib.Path(self.folder / "out.csv.certificate.json")
                         .read_text())

    def test_tables_of_every_kind(self):
        for text in ("u,y\n", "u,y\n1,1\n", "u,y\n" + "1,1\n" * 50, "u,y\n" + "0,1\n0,0\n" * 3,
                     "u,y\n1e300,1\n-1e300,0\n1e-300,1\n"):
            path = self.file(text, "rows.csv")
            self.release(path, "--target", "y", "--row-norm-bound", 1)
            self.assertTrue(math.isfinite(float(self.coefficients()["u"]["coefficient"])))

    def test_the_promise_about_the_rows(self):
        own = [*LABEL, *RANGES, "--regularization", 100]
        free = self.release(WAGES, *own)["certificate"]["parameters"]
        promised = self.release(WAGES, *own, "--largest-rows", 500)["certificate"]
        self.assertLess(promised["parameters"]["noise_variance"], free["noise_variance"])
        self.assertIn("at most 500 rows", " ".join(promised["assumptions"]))
        for path in self.folder.iterdir():
            path.unlink()
        error = self.refused(1, WAGES, *own, *TARGET, "--method", "bayesian", "--largest-rows", 499)
        self.assertIn("more rows than was promised", error)
        self.assertNotIn("500", error)

    def test_bad_arguments(self):
        bound = ["--row-norm-bound", 100]
        for arguments in (bound, [*LABEL],  # no target; no bound
                          [*LABEL, *RANGES, "--select", "wage"],
                          [*LABEL, *RANGES, "--range", "wage=0:60"],
                          ["--target", "salary", *bound],
                          [*LABEL, *bound, "--regularization", 0],
                          [*LABEL, *bound, "--regularization", "nan"],
                          [*LABEL, *bound, "--regularization", "1e-6"],
                          [*LABEL, *bound, "--largest-rows", 2.5],
                          [*LABEL, *bound, "--largest-rows", "many"],
                          ["--target", "wage", "--threshold", "inf", *bound],
                          [*LABEL, *bound, "--method", "objectiv"],
                          [*LABEL, "--row-norm-bound", -1]):
            self.refused(2, WAGES, *arguments, *TARGET)
        self.refused(2, WAGES, *LABEL, *bound, "--epsilon", -1, "--delta", "1e-6")
        self.refused(3, WAGES, *LABEL, *bound, "--epsilon", 1, "--delta", 0)
        alone = self.file("y\n1\n", "rows.csv")
        self.assertIn("feature", self.refused(2, alone, "--target", "y", *bound, *TARGET,
                                              keep=["rows.csv"]))
        self.refused(4, self.folder / "none.csv", *LABEL, *bound, *TARGET, keep=["rows.csv"])

    def test_strict_stops_at_a_row_without_a_label(self):
        path = self.file("u,y\n1,1\n2,\n", "rows.csv")
        own = ["--target", "y", "--row-norm-bound", 1]
        error = self.refused(4, path, *own, *TARGET, "--strict", keep=["rows.csv"])
        self.assertIn("line 3", error)
        self.release(path, *own)


if __name__ == "__main__":
    unittest.main()
