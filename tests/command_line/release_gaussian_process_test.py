"""modicum release gaussian-process."""

import csv
import hashlib
import json
import math
import os
import pathlib
import unittest

from _support import CommandLineTest
from _tables import as_csv, regression_rows

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
TARGET = ["--epsilon", 1, "--delta", "1e-6"]
RANGES = ["--range", "u=-1:1", "--range", "v=-1:1", "--range", "y=-1:1"]
NEEDED = ["--target", "y", "--noise-variance", 1, "--largest-rows", 300]


class GaussianProcessTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.table = self.file(as_csv(regression_rows()), "rows.csv")
        self.queries = self.file("v,other,u\n0,9,0\n0.5,9,1\n", "queries.csv")

    def release(self, *arguments, queries=None, flags=(), name="out.csv"):
        path = self.fresh(name)
        result = self.answer("release", "gaussian-process", self.table, *NEEDED, *TARGET,
                             "--queries", queries or self.queries, "--output", path, *arguments,
                             *flags)
        certificate = json.loads((self.folder / (name + ".certificate.json")).read_text())
        self.assertEqual(certificate, result["certificate"])
        self.assertEqual(certificate["output"]["sha256"],
                         hashlib.sha256(path.read_bytes()).hexdigest())
        self.assertLessEqual(certificate["delta"]["upper"], 1e-6)
        self.assertEqual((certificate["guarantee"], certificate["arithmetic"]),
                         ("proved", "mitigated"))
        self.assertTrue((EXAMPLES.parent / certificate["theorem"]).is_file())
        return result

    def values(self, name="out.csv"):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_every_kernel(self):
        for kernel in ("rbf", "matern12", "matern32", "matern52", "linear"):
            certificate = self.release("--kernel", kernel, *RANGES)["certificate"]
            parameters = certificate["parameters"]
            self.assertEqual((parameters["kernel"], parameters["queries"]), (kernel, 2))
            self.assertEqual("row_norm_bound" in parameters, kernel == "linear")
            rows = self.values()
            self.assertEqual([row["name"] for row in rows], ["1", "2"])
            for row in rows:
                # Within 9 deviations of what the prior allows: P[beyond] < 1e-18.
                limit = 9 * (parameters["noise_standard_deviation"] + 3)
                self.assertLess(abs(float(row["value"])), limit)

    def test_the_loss_of_the_certificate_is_a_description(self):
        certificate = self.release(*RANGES)["certificate"]
        self.assertEqual(certificate["loss"]["mechanism"], "gaussian_process_release")
        point = self.ask("profile", certificate["loss"], "--epsilon", 1)
        self.assertAlmostEqual(point["delta"]["upper"] / certificate["delta"]["upper"], 1, 9)
        twice = self.ask("profile", {"compose": [certificate["loss"], certificate["loss"]]},
                         "--epsilon", 1)
        self.assertGreater(twice["delta"]["upper"], 1e-6)

    def test_values_are_in_the_units_of_the_file(self):
        certificate = self.release("--range", "y=1000:1002")["certificate"]
        parameters = certificate["parameters"]
        self.assertEqual(parameters["target_bound"], 1)
        self.assertAlmostEqual(parameters["noise_standard_deviation"],
                               math.sqrt(parameters["lift_variance"]))
        for row in self.values():
            deviation = 9 * (parameters["noise_standard_deviation"] + 3)
            self.assertLess(abs(float(row["value"]) - 1001), deviation)

    def test_queries_by_name_or_as_a_matrix(self):
        matrix = self.file("0,0\n1,0.5\n", "matrix.csv")
        listed = self.file("[[0, 0], [1, 0.5]]", "matrix.json")
        lifts = {self.release(*RANGES, queries=file)["certificate"]["parameters"]["prior_bound"]
                 for file in (self.queries, matrix, listed)}
        self.assertEqual(len(lifts), 1)

    def test_many_rows_need_a_linear_kernel(self):
        often = ["--largest-rows", 1000000]
        path = self.folder / "out.csv"
        common = ["release", "gaussian-process", self.table, "--target", "y", "--noise-variance", 1,
                  *often, *TARGET, *RANGES, "--queries", self.queries, "--output", path]
        self.assertIn("--largest-rows", self.refuse(2, *common))
        self.answer(*common, "--kernel", "linear", "--intercept")

    def test_the_rows_matter_where_little_noise_is_needed(self):
        # A weak target and many observations of one place: the draw is near their mean, 0.5.
        table = self.file("x,y\n" + "0,0.5\n" * 2000, "same.csv")
        query = self.file("x\n0\n", "zero.csv")
        path = self.folder / "near.csv"
        result = self.answer("release", "gaussian-process", table, "--target", "y", "--queries",
                             query, "--noise-variance", 100, "--amplitude", 10, "--target-bound", 1,
                             "--largest-rows", 2000, "--epsilon", 10, "--delta", 0.01, "--output",
                             path, "--confidential")
        numbers = result["confidential"]
        self.assertEqual(numbers["rows_used"], 2000)
        deviation = math.hypot(numbers["root_mean_squared_posterior_deviation"],
                               math.sqrt(result["certificate"]["parameters"]["lift_variance"]))
        value = float(self.values("near.csv")[0]["value"])
        # Posterior mean 0.5 * 2000 / (2000 + 10); 9 deviations: P < 1e-18.
        self.assertLess(abs(value - 0.5 * 2000 / 2010), 9 * deviation)
        self.assertLess(deviation, 1)
        self.assertAlmostEqual(numbers["root_mean_squared_error"], abs(value - 0.5 * 2000 / 2010), 6)

    def test_nothing_confidential_without_the_flag(self):
        self.assertNotIn("confidential", self.release(*RANGES))
        text = self.succeed("release", "gaussian-process", self.table, *NEEDED, *TARGET, *RANGES,
                            "--queries", self.queries, "--output", self.fresh("out.csv"))
        self.assertNotIn("rows_used", text)
        self.assertNotIn("200", text)

    def test_bad_input_releases_nothing(self):
        before = sorted(os.listdir(self.folder))
        out = self.folder / "out.csv"

        def refuse(code, *arguments):
            message = self.refuse(code, "release", "gaussian-process", self.table, *TARGET,
                                  "--output", out, *arguments)
            self.assertEqual(sorted(os.listdir(self.folder)), before)
            return message

        queries = ["--queries", self.queries]
        self.assertIn("--largest-rows", refuse(2, *NEEDED[:4], *queries, *RANGES))
        self.assertIn("--noise-variance", refuse(2, *NEEDED[:2], *NEEDED[4:], *queries, *RANGES))
        self.assertIn("--target ", refuse(2, *NEEDED[2:], *queries, *RANGES[:4]))
        self.assertIn("--queries", refuse(2, *NEEDED, *RANGES))
        self.assertIn("--target-bound", refuse(2, *NEEDED, *queries))
        self.assertIn("--row-norm-bound",
                      refuse(2, *NEEDED, *queries, "--kernel", "linear", "--target-bound", 1))
        self.assertIn("--row-norm-bound", refuse(2, *NEEDED, *queries, *RANGES,
                                                 "--row-norm-bound", 1))
        self.assertIn("--intercept", refuse(2, *NEEDED, *queries, *RANGES, "--intercept"))
        self.assertIn("--length-scale", refuse(2, *NEEDED, *queries, *RANGES, "--kernel", "linear",
                                               "--length-scale", 1))
        self.assertIn("--kernel", refuse(2, *NEEDED, *queries, *RANGES, "--kernel", "cubic"))
        self.assertIn("--noise-variance", refuse(2, "--target", "y", "--noise-variance", "1e-20",
                                               "--largest-rows", 300, *queries, *RANGES))
        self.assertIn("no_such", refuse(4, *NEEDED, "--queries", self.folder / "no_such.csv",
                                        *RANGES))
        # More rows than promised: known only after reading.
        self.assertIn("largest_rows", refuse(1, "--target", "y", "--noise-variance", 1,
                                             "--largest-rows", 199, *queries, *RANGES))

    def test_queries_must_have_the_features_and_only_numbers(self):
        for text, code, word in (("u,w\n1,2\n", 2, '"v"'), ("u,v,v\n1,2,3\n", 2, '"v"'),
                                 ("u,v\n1,x\n", 4, "column v"), ("1,2,3\n", 2, "3 columns"),
                                 ("u,v\n", 2, "0 points")):
            self.queries.write_text(text)
            message = self.refuse(code, "release", "gaussian-process", self.table, *NEEDED, *TARGET,
                                  *RANGES, "--queries", self.queries, "--output",
                                  self.folder / "out.csv")
            self.assertIn(word, message, text)
        self.assertIn("--queries", self.refuse(
            2, "release", "gaussian-process", self.table, *NEEDED, *TARGET, *RANGES, "--queries",
            self.queries, "--output", self.queries))

    def test_a_target_that_cannot_be_met(self):
        self.refuse(3, "release", "gaussian-process", self.table, *NEEDED, *RANGES, "--queries",
                    self.queries, "--epsilon", 1, "--delta", 0, "--output", self.folder / "out.csv")


if __name__ == "__main__":
    unittest.main()
