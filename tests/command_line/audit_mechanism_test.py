"""modicum audit mechanism."""

import json
import unittest

from _support import CommandLineTest
from _tables import as_csv, regression_rows

CLAIM = ("--epsilon", 1, "--delta", 1e-6)
BOUND = ("--row-norm-bound", 1.5)


class AuditMechanism(CommandLineTest):
    public_answers = {}

    def setUp(self):
        super().setUp()
        self.path = self.file(as_csv(regression_rows(60)), "rows.csv")
        self.other = self.file(as_csv(regression_rows(80, seed=2)), "other.csv")
        self.queries = self.file("u,v\n0,0\n0.5,-0.5\n", "queries.csv")
        process = ("--target", "y", "--queries", self.queries, "--noise-variance", 0.5,
                   "--target-bound", 1, "--largest-rows", 100)
        # Options that every run needs, and an option for the noise with far too little of it.
        self.methods = {
            "projection": (BOUND, ("--ridge", 0.05)),
            "covariance": (BOUND, ("--standard-deviation", 0.5)),
            "sum": (BOUND, ("--standard-deviation", 0.5)),
            "least-squares": ((*BOUND, "--target", "y"), ("--ridge", 0.05)),
            "logistic": ((*BOUND, "--target", "y", "--regularization", 2),
                         ("--noise-variance", 1e-4)),
            "objective": ((*BOUND, "--target", "y"), ("--standard-deviation", 0.3)),
            "gaussian-process": (process, ("--lift", 1e-4)),
        }

    def audit(self, method, *arguments, path=None):
        return self.answer("audit", "mechanism", method, path or self.path, *CLAIM,
                           *self.methods[method][0], *arguments)

    def public(self, method):
        """What is said of the rows of this file without the flag, asked for once."""
        if method not in self.public_answers:
            self.public_answers[method] = self.audit(method)
        return self.public_answers[method]

    def test_calibrated_noise_is_consistent(self):
        for method in self.methods:
            result = self.public(method)
            self.assertEqual(list(result), ["verdict", "claim", "mechanism", "parameters",
                                            "calibrated", "everywhere"])
            self.assertEqual((result["verdict"], result["mechanism"]), ("consistent", method))
            self.assertTrue(result["calibrated"])
            self.assertLessEqual(result["everywhere"]["delta"]["upper"], 1e-6)

    def test_too_little_noise_is_violated(self):
        for method, (_, noise) in self.methods.items():
            result = self.audit(method, *noise, "--confidential")
            found = result["confidential"]
            self.assertEqual(found["verdict"], "violated", method)
            self.assertEqual(result["verdict"], "violated", method)
            self.assertEqual(result["everywhere"]["proof"], "certified", method)
            worst = max(found[kind]["delta"]["lower"] for kind in ("removed", "added"))
            self.assertGreater(worst, 1e-6)
            self.assertLessEqual(worst, result["everywhere"]["delta"]["upper"])

    def test_a_witness_that_anybody_can_check(self):
        for method, (_, noise) in self.methods.items():
            everywhere = self.audit(method, *noise)["everywhere"]
            self.assertGreater(everywhere["delta"]["lower"], 1e-6, method)
            witness = everywhere["witness"]
            columns = ["u", "v", "label" if method in ("logistic", "objective") else "y"]
            self.assertEqual(list(witness["added"]), columns, method)
            for rows in witness["table"]:
                self.assertEqual(list(rows["coordinates"]), columns, method)
                self.assertEqual(rows["count"], int(rows["count"]), method)
            text = self.succeed("audit", "mechanism", method, self.path, *CLAIM,
                                *self.methods[method][0], *noise)
            self.assertIn("where this row (in coordinates) is added", text)
        self.assertEqual(self.audit("sum", "--standard-deviation", 0.5)["everywhere"]["witness"]
                         ["table"], [])

    def test_ranges_that_keep_rows_short(self):
        # No row is longer than 2, whatever the norm bound says: nothing to be accused of.
        ranges = [item for name in "uvy" for item in ("--range", f"{name}=-1:1")]
        result = self.answer("audit", "mechanism", "sum", self.path, *CLAIM, *ranges,
                             "--row-norm-bound", 100, "--standard-deviation", 300)
        self.assertEqual(result["verdict"], "undecided")
        self.assertLess(result["everywhere"]["delta"]["lower"], 1e-100)

    def test_no_row_is_read_without_the_flag(self):
        for path in (self.file("u,v,y\n" + "0.1,0.1,x\n" * 5, "bad.csv"),
                     self.file(as_csv(regression_rows(300, seed=3)), "long.csv")):
            for method in self.methods:
                strict = [] if method == "gaussian-process" else ["--strict"]
                self.assertEqual(self.audit(method, *strict, path=path), self.public(method))
        # More than the promise allows.
        self.refuse(1, "audit", "mechanism", "gaussian-process", path, *CLAIM,
                    *self.methods["gaussian-process"][0], "--confidential")

    def test_two_tables_that_are_given(self):
        lines = self.path.read_text().splitlines()
        less = self.file("\n".join(lines[:8] + lines[9:]) + "\n", "less.csv")
        for method, (_, noise) in self.methods.items():
            found = [self.audit(method, *noise, "--confidential", "--neighbor", other, path=path)
                     ["confidential"]["given"] for path, other in ((self.path, less),
                                                                   (less, self.path))]
            self.assertEqual(found[0]["row_number"], 8, method)
            self.assertNotIn("row_number", found[1])
            self.assertEqual(found[0]["coordinates"], found[1]["coordinates"])
            uppers = [one["delta"]["upper"] for one in found]
            self.assertAlmostEqual(uppers[0] / uppers[1], 1, 3, method)
            for one in found:
                self.assertIn(one["verdict"], ("violated", "consistent", "undecided"))
                self.assertEqual(one["verdict"] == "violated", one["delta"]["lower"] > 1e-6)
        words = self.succeed("audit", "mechanism", "sum", self.path, *CLAIM, *BOUND,
                             "--standard-deviation", 0.5, "--confidential", "--neighbor", less)
        self.assertIn("These two tables: VIOLATED", words)
        self.assertIn("without row 8", words)
        for other in self.path, self.other:
            self.assertIn("one row more or one row less", self.refuse(
                2, "audit", "mechanism", "sum", self.path, *CLAIM, *BOUND, "--confidential",
                "--neighbor", other))
        self.assertIn("--neighbor must not be given without --confidential", self.refuse(
            2, "audit", "mechanism", "sum", self.path, *CLAIM, *BOUND, "--neighbor", less))

    def test_rows_are_numbered_as_in_the_file(self):
        rows = [[0.1, 0.1, 0.1]] * 20
        rows[6] = [1, 1, 0.1]
        lines = as_csv(rows).splitlines()
        lines[3:3] = ["0.1,x,0.1", "1"]
        self.file("\n".join(lines) + "\n", "rows.csv")
        for method in self.methods:
            found = self.audit(method, "--confidential")["confidential"]
            self.assertEqual(found["rows"], 20)
            if method in ("projection", "covariance", "sum", "least-squares"):
                self.assertEqual(found["removed"]["row_number"], 9, method)

    def test_nothing_of_the_data_without_the_flag(self):
        # In words with noise that is given, as JSON without: both are told from one answer.
        for method, (needed, noise) in self.methods.items():
            texts = [self.succeed("audit", "mechanism", method, path, *CLAIM, *needed, *noise)
                     for path in (self.path, self.other)]
            self.assertEqual(*texts)
            self.assertIn("--confidential", texts[0])
            self.assertEqual(self.public(method), self.audit(method, path=self.other))

    def test_the_public_verdict_is_about_all_data_sets(self):
        for path in self.path, self.other:
            violated = self.succeed("audit", "mechanism", "sum", path, *CLAIM, *BOUND,
                                    "--standard-deviation", 1)
            self.assertIn("VIOLATED: some data sets", violated)
            self.assertNotIn("This data set", violated)
        told = self.succeed("audit", "mechanism", "sum", self.path, *CLAIM, *BOUND,
                            "--confidential")
        self.assertIn("consistent: no data set has a larger delta", told)
        self.assertIn("This data set: consistent", told)

    def test_the_row_is_named_with_the_flag(self):
        rows = [[0.1, 0.1, 0.1]] * 20
        rows[6] = [1, 1, 0.1]
        self.file(as_csv(rows), "rows.csv")
        for method in ("projection", "covariance", "sum", "least-squares"):
            found = self.audit(method, "--confidential")["confidential"]
            self.assertEqual(found["rows"], 20)
            self.assertEqual(found["removed"]["row_number"], 7, method)
            self.assertAlmostEqual(found["removed"]["coordinates"]["u"], 1, 5)
            self.assertEqual(list(found["added"]["coordinates"]), ["u", "v", "y"])
        text = self.succeed("audit", "mechanism", "sum", self.path, *CLAIM, *BOUND,
                            "--confidential")
        self.assertIn("number 7", text)
        self.assertIn("Confidential", text)

    def test_delta_is_that_of_the_description(self):
        found = self.audit("sum", "--standard-deviation", 1, "--confidential")["confidential"]
        norm = found["row_figures"]["largest"]**0.5
        exact = self.ask("profile", {"mechanism": "gaussian", "standard_deviation": 1,
                                     "sensitivity": norm}, "--epsilon", 1)["delta"]
        self.assertAlmostEqual(found["removed"]["delta"]["upper"] / exact["upper"], 1, 9)
        self.assertEqual(found["removed"]["proof"], "certified")

    def test_parameters_are_those_of_the_release(self):
        output = self.folder / "sketch.csv"
        self.succeed("release", "projection", self.path, *CLAIM, *BOUND, "--output", output)
        certificate = json.loads((self.folder / "sketch.csv.certificate.json").read_text())
        parameters = self.public("projection")["parameters"]
        for name, value in parameters.items():
            self.assertEqual(certificate["parameters"][name], value)

    def test_empty_table(self):
        self.file("u,v,y\n", "rows.csv")
        for method in self.methods:
            found = self.audit(method, "--confidential")["confidential"]
            self.assertEqual(found["rows"], 0)
            self.assertIsNone(found["removed"])
            self.assertIsNotNone(found["added"])

    def test_bad_arguments(self):
        start = ["audit", "mechanism"]
        self.refuse(2, *start)
        self.refuse(2, *start, "median", self.path, *CLAIM)
        for method, arguments, message in (
                ("sum", CLAIM, "--row-norm-bound is missing"),
                ("sum", (*BOUND, "--epsilon", 1), "--delta is missing"),
                ("sum", (*CLAIM, *BOUND, "--standard-deviation", 0), "--standard-deviation is 0"),
                ("projection", (*CLAIM, *BOUND, "--ridge", -1), "--ridge is -1"),
                ("projection", (*CLAIM, *BOUND, "--columns", 0), "--columns is 0"),
                ("least-squares", (*CLAIM, *BOUND), "--target is missing"),
                ("logistic", (*CLAIM, *BOUND), "--target is missing"),
                ("logistic", (*CLAIM, *BOUND, "--target", "y", "--noise-variance", 0),
                 "--noise-variance is 0"),
                ("gaussian-process", (*CLAIM, "--target", "y"), "--queries is missing"),
                ("sum", (*CLAIM, *BOUND, "--output", "x"), "unknown option --output")):
            self.assertIn(message, self.refuse(2, *start, method, self.path, *arguments))
        self.refuse(4, *start, "sum", self.folder / "none.csv", *CLAIM, *BOUND)
        self.refuse(3, *start, "sum", self.path, "--epsilon", 1, "--delta", 0, *BOUND)


if __name__ == "__main__":
    unittest.main()
