"""modicum release."""

import csv
import gzip
import hashlib
import json
import math
import os
import pathlib
import re
import struct
import unittest

from _support import CommandLineTest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
WAGES = EXAMPLES / "wages.csv"
VISITS = EXAMPLES / "visits.csv"
TARGET = ["--epsilon", 1, "--delta", "1e-6"]
RANGES = [item for text in ("age=18:70", "schooling=0:20", "hours=0:80", "wage=0:60")
          for item in ("--range", text)]

PROJECTION = {"projection": [], "subsampled": ["--sampling-rate", 0.5],
              "propose-test-release": [], "relative": ["--set-leverage", "1e-5"],
              "singular-value": [], "additive": []}
COVARIANCE = {"gaussian-orthogonal-ensemble": [], "projection": ["--columns", 100],
              "singular-value": []}
REGRESSION = {"least-squares": ["--columns", 50], "approximate": ["--columns", 60],
              "projection": [], "covariance": [], "adaptive-sufficient-statistics": [],
              "singular-value": [], "additive": [],
              "relative": ["--set-leverage", "1e-6", "--set-residual", "1e-6"],
              "relative-gaussian": ["--solution-sensitivity", 0.1]}


class ReleaseTest(CommandLineTest):
    def release(self, kind, *arguments, name="out.csv"):
        """The JSON object printed, after checks that hold for every release."""
        path = self.fresh(name)
        result = self.answer("release", kind, *arguments, "--output", path, *TARGET)
        self.assertEqual(list(result)[:3], ["output", "certificate_file", "certificate"])
        self.assertLessEqual(set(list(result)[3:]), {"classical_noise_ratio"})
        self.assertEqual(result["output"], str(path))
        certificate = result["certificate"]
        self.assertEqual(json.loads(pathlib.Path(result["certificate_file"]).read_text()),
                         certificate)
        self.assertEqual(certificate["output"],
                         {"file": name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()})
        self.assertLessEqual(certificate["delta"]["upper"], 1e-6)
        self.assertIn(certificate["guarantee"], ("proved", "relative", "asymptotic"))
        self.assertIn(certificate["arithmetic"], ("exact", "mitigated"))
        page = EXAMPLES.parent / certificate["theorem"]
        self.assertTrue(page.is_file(), page)
        return result

    def rows(self, name="out.csv"):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def nothing_left(self, *but):
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(but))


class Matrices(ReleaseTest):
    def test_the_loss_of_a_certificate_is_a_description(self):
        for kind, *own in [("covariance",), ("projection", "--columns", 30), ("vector",),
                           ("regression", "--target", "wage"),
                           ("projection", "--columns", 30, "--method", "subsampled", "--sampling-rate", 0.2)]:
            certificate = self.release(kind, WAGES, "--row-norm-bound", 100, *own)["certificate"]
            point = self.ask("profile", certificate["loss"], "--epsilon", 1)
            self.assertAlmostEqual(point["delta"]["upper"] / certificate["delta"]["upper"], 1, 9)
            # The certificate stands for its loss, alone and composed.
            self.assertEqual(self.ask("profile", certificate, "--epsilon", 1), point)
            two = self.ask("profile", {"compose": [certificate, certificate]}, "--epsilon", 1)
            self.assertGreater(two["delta"]["upper"], point["delta"]["upper"])
            other = {"mechanism": "pure", "epsilon": 1, "adjacency": "replace_one"}
            error = self.refuse(2, "profile", self.file({"compose": [certificate, other]}), "--epsilon", 1)
            self.assertIn("one kind of neighbors", error)

    def test_projection(self):
        for method, own in PROJECTION.items():
            result = self.release("projection", WAGES, "--row-norm-bound", 100, "--columns", 30,
                                  "--method", method, *own)
            self.assertEqual(result["certificate"]["parameters"]["method"], method)
            rows = self.rows()
            self.assertEqual([row["name"] for row in rows], ["age", "schooling", "hours", "wage"])
            self.assertEqual(len(rows[0]), 31)

    def test_covariance(self):
        for method, own in COVARIANCE.items():
            result = self.release("covariance", WAGES, *RANGES, "--method", method, *own)
            parameters = result["certificate"]["parameters"]
            self.assertEqual(parameters["row_norm_bound"], 2.0)
            self.assertEqual(parameters["centers"], [44, 10, 40, 30])
            rows = self.rows()
            for i, row in enumerate(rows):
                for j, other in enumerate(rows):
                    self.assertEqual(row[other["name"]], rows[j][rows[i]["name"]])

    def test_covariance_about_private_means(self):
        rows = "".join(f"{500 + i % 10},{-500 + 3 * (i % 10) + i % 2}\n" for i in range(4000))
        table = self.file("a,b\n" + rows, "far.csv")
        start = ["release", "covariance", table, "--range-of-all=-1000:1000", "--epsilon", 2, "--delta", "1e-6"]
        found = self.answer(*start, "--center", "private", "--output", "-", "--confidential")
        certificate = found["certificate"]
        self.assertEqual((certificate["mechanism"], certificate["guarantee"], certificate["arithmetic"]),
                         ("covariance", "proved", "exact"))
        (first, both), (_, second) = found["released"]["values"]
        # 8.25, 24.75 (and half of the last bit's covariance) and 3^2 8.25 and more: ten deviations of noise.
        self.assertAlmostEqual(first, 8.25, delta=4)
        self.assertAlmostEqual(both, 25, delta=8)
        self.assertAlmostEqual(second, 76, delta=20)
        self.assertAlmostEqual(certificate["parameters"]["mean"][0], 504.5, delta=5)
        self.assertLess(json.loads(json.dumps(found["confidential"]))["relative_error"], 0.5)
        self.assertLessEqual(self.ask("profile", certificate["loss"], "--epsilon", 2)["delta"]["upper"], 1e-6)
        given = self.answer(*start, "--centers", 504.5, -486, "--output", "-")
        for mean, center in zip(given["certificate"]["parameters"]["mean"], (504.5, -486)):
            self.assertAlmostEqual(mean, center, 9)
        promised = self.answer(*start, "--center", "private", "--explain")["certificate"]
        self.assertEqual(promised["parameters"]["center"], "private")
        for wrong in (["--method", "projection"], ["--intercept"]):
            self.assertIn("--center", self.refuse(2, *start, "--center", "private", *wrong, "--output", "-"))

    def test_regression(self):
        for method, own in REGRESSION.items():
            result = self.release("regression", WAGES, "--target", "wage", "--intercept", *RANGES,
                                  "--method", method, *own)
            self.assertEqual(result["certificate"]["parameters"]["method"], method)
            rows = self.rows()
            self.assertEqual([row["name"] for row in rows],
                             ["intercept", "age", "schooling", "hours"])
            self.assertEqual(list(rows[0]), ["name", "coefficient", "standardized"])
            for row in rows[1:]:
                scale = {"age": 26, "schooling": 10, "hours": 40}[row["name"]]
                self.assertAlmostEqual(float(row["coefficient"]),
                                       30 / scale * float(row["standardized"]), 9)

    def test_preconditioned_is_the_default(self):
        start = ["regression", WAGES, "--target", "wage", "--intercept", *RANGES]
        result = self.release(*start)
        certificate = result["certificate"]
        self.assertEqual(certificate["mechanism"], "preconditioned_moments")
        self.assertEqual((certificate["guarantee"], certificate["arithmetic"]), ("proved", "exact"))
        rows = self.rows()
        self.assertEqual([row["name"] for row in rows], ["intercept", "age", "schooling", "hours"])
        self.assertEqual(list(rows[0]), ["name", "coefficient", "standardized", "standard_error",
                                         "lower", "upper"])
        for row in rows[1:]:
            scale = {"age": 26, "schooling": 10, "hours": 40}[row["name"]]
            self.assertAlmostEqual(float(row["coefficient"]), 30 / scale * float(row["standardized"]), 9)
            self.assertLess(float(row["lower"]), float(row["upper"]))
        self.assertGreater(certificate["parameters"]["residual_standard_deviation"], 0)
        found = self.ask("epsilon", certificate["loss"], "--delta", "1e-6")
        self.assertAlmostEqual(found["epsilon"]["upper"], 1, 6)
        self.assertEqual(self.release(*start, "--columns", 40)["certificate"]["parameters"]["method"],
                         "least-squares")

    def test_the_error_to_expect_before_any_row_is_read(self):
        start = ["release", "regression", WAGES, "--target", "wage", "--intercept", *RANGES]
        ratios = [self.answer(*start, *TARGET, "--explain", "--rows", rows)["least_error_ratio"]
                  for rows in (500, 5000, 50000)]
        self.assertEqual(ratios, sorted(ratios, reverse=True))
        self.assertAlmostEqual(ratios[-1], 1, 4)
        self.assertTrue(self.answer(*start, *TARGET, "--explain", "--rows", 20)["falls_back"])
        self.assertIn("times that of least squares",
                      self.succeed(*start, *TARGET, "--explain", "--rows", 5000))
        self.assertIn("--explain", self.refuse(2, *start, *TARGET, "--rows", 5000, "--output", "-"))
        self.assertIn("--rows", self.refuse(2, *start, *TARGET, "--explain", "--rows", 0))

    def test_too_few_rows_give_the_mean_and_say_so(self):
        path = self.file("x,y\n" + "1,2\n" * 40, "few.csv")
        told = self.answer("release", "regression", path, "--target", "y", "--intercept",
                           "--range-of-all", "0:5", *TARGET, "--output", "-")
        self.assertEqual(told["certificate"]["parameters"]["coefficients"], "constant")
        self.assertIn("too small", told["warnings"][0])
        names, columns = told["released"]["rows"], told["released"]["columns"]
        slope = told["released"]["values"][names.index("x")]
        self.assertEqual(slope[columns.index("coefficient")], 0)
        self.assertIsNone(slope[columns.index("standard_error")])

    def test_labels(self):
        for method, guarantee in ("least-squares", "proved"), ("approximate", "asymptotic"):
            certificate = self.release("regression", WAGES, "--target", "wage", *RANGES,
                                       "--method", method)["certificate"]
            self.assertEqual(certificate["guarantee"], guarantee)
        self.assertGreater(certificate["parameters"]["finite_sample_delta"], 1e-6)
        certificate = self.release("covariance", WAGES, *RANGES)["certificate"]
        self.assertEqual((certificate["guarantee"], certificate["arithmetic"],
                          certificate["attained"], certificate["adjacency"],
                          certificate["neighbors"],
                          certificate["bad_rows"]),
                         ("proved", "exact", True, "add_remove", "add or remove one row", "dropped"))

    def test_selected_columns_in_their_order(self):
        self.release("covariance", WAGES, "--select", "wage", "age", "--row-norm-bound", 90)
        self.assertEqual([row["name"] for row in self.rows()], ["wage", "age"])
        self.release("regression", WAGES, "--select", "hours", "--target", "wage",
                     "--row-norm-bound", 90)
        self.assertEqual([row["name"] for row in self.rows()], ["hours"])

    def test_formats(self):
        self.release("covariance", WAGES, *RANGES, name="out.json")
        table = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(list(table), ["rows", "columns", "values"])
        self.assertEqual(table["rows"], table["columns"])
        self.release("covariance", WAGES, *RANGES, name="out.npy")
        data = (self.folder / "out.npy").read_bytes()
        self.assertTrue(data.startswith(b"\x93NUMPY\x01\x00"))
        values = struct.unpack("<16d", data[-128:])
        self.assertTrue(all(map(math.isfinite, values)))
        self.assertEqual(values[1], values[4])

    def test_several_files_are_one_table(self):
        lines = WAGES.read_text().splitlines(keepends=True)
        self.file(lines[0] + "".join(lines[1:200]), "part-1.csv")
        with gzip.open(self.folder / "part-2.csv.gz", "wt") as file:
            file.write(lines[0] + "".join(lines[200:]))
        parts = self.answer("release", "covariance", self.folder / "part-*.csv*", *RANGES, *TARGET,
                            "--output", self.folder / "a.csv", "--confidential")
        whole = self.answer("release", "covariance", WAGES, *RANGES, *TARGET,
                            "--output", self.folder / "b.csv", "--confidential")
        for name in "rows_used", "least_eigenvalue", "largest_eigenvalue":
            self.assertEqual(parts["confidential"][name], whole["confidential"][name])
        self.assertEqual(whole["confidential"]["rows_used"], 500)

    def test_no_header_and_separator(self):
        text = WAGES.read_text().split("\n", 1)[1].replace(",", "\t")
        self.release("covariance", self.file(text, "x.tsv"), "--no-header", "--separator", "tab",
                     "--row-norm-bound", 100)
        self.assertEqual([row["name"] for row in self.rows()], ["1", "2", "3", "4"])


class Vectors(ReleaseTest):
    def test_sum_and_mean(self):
        for noise in "gaussian", "l2", "spherical":
            self.release("vector", WAGES, *RANGES, "--noise", noise)
            self.assertEqual(list(self.rows()[0]), ["name", "value"])
        bins = ["--statistic", "histogram", "--select", "age", "--edges", "18,40,70", "--noise", "optimal"]
        certificate = self.release("vector", WAGES, *bins)["certificate"]
        self.assertEqual(certificate["mechanism"], "disc_noise")
        self.assertLess(sum(abs(float(row["value"])) for row in self.rows()), 800)
        self.refuse(2, "release", "vector", WAGES, *RANGES, "--epsilon", 1, "--delta", "1e-6", "--noise", "optimal",
                    "--output", self.folder / "none.csv")
        certificate = self.release("vector", WAGES, *RANGES, "--statistic", "mean")["certificate"]
        count = certificate["parameters"]["released_count"]
        # Ten deviations.
        self.assertLess(abs(count - 500), 10 * certificate["parameters"]["standard_deviation"]
                        / certificate["parameters"]["count_weight"])
        for row, scale, center in zip(self.rows(), (26, 10, 40, 30), (44, 10, 40, 30)):
            self.assertAlmostEqual(float(row["mean"]),
                                   center + scale * float(row["sum"]) / count, 9)
        certificate = self.release("vector", WAGES, *RANGES, "--statistic", "mean", "--rows",
                                   500)["certificate"]
        self.assertNotIn("released_count", certificate["parameters"])

    def test_histogram(self):
        result = self.release("vector", VISITS, "--statistic", "histogram", "--select", "region",
                              "--categories", "north,south,east,west,none")
        rows = self.rows()
        self.assertEqual([row["name"] for row in rows],
                         ["north", "south", "east", "west", "none"])
        truth = VISITS.read_text().count("north")
        deviation = result["certificate"]["parameters"]["standard_deviation"]
        self.assertLess(abs(float(rows[0]["value"]) - truth), 10 * deviation)
        self.release("vector", WAGES, "--statistic", "histogram", "--select", "age",
                     "--edges", "18,30,50,70")
        self.assertEqual([row["name"] for row in self.rows()], ["18:30", "30:50", "50:70"])

    def test_given(self):
        vector = self.file("[1, 2.5, -1000]", "vector.json")
        for noise in "gaussian", "l2":
            result = self.release("vector", vector, "--statistic", "given", "--sensitivity", 2,
                                  "--noise", noise)
            self.assertEqual(result["certificate"]["attained"], False)
            self.assertNotIn("bad_rows", result["certificate"])
            self.assertLess(abs(float(self.rows()[2]["value"]) + 1000), 300)

    def test_options_of_another_statistic(self):
        out = ["--output", self.folder / "out.csv", *TARGET]
        for arguments in (["--statistic", "sum", "--edges", "1,2"],
                          ["--statistic", "sum", "--rows", 5],
                          ["--statistic", "mean", "--sensitivity", 1],
                          ["--statistic", "histogram", "--select", "age", "--edges", "1,2",
                           "--row-norm-bound", 1],
                          ["--statistic", "histogram", "--select", "age"],
                          ["--statistic", "histogram", "--edges", "1,2"],
                          ["--statistic", "histogram", "--select", "age", "--edges", "1,2",
                           "--categories", "A"],
                          ["--statistic", "given"],
                          ["--statistic", "given", "--sensitivity", 1, "--strict"],
                          ["--statistic", "median"], ["--noise", "laplace"]):
            self.refuse(2, "release", "vector", WAGES, *arguments, *out)
        self.nothing_left()


class Refusals(ReleaseTest):
    def covariance(self, *arguments):
        return ["release", "covariance", *arguments, "--output", self.folder / "out.csv", *TARGET]

    def test_unreadable_data(self):
        whole = gzip.compress(WAGES.read_bytes())
        (self.folder / "cut.csv.gz").write_bytes(whole[:len(whole) // 2])
        (self.folder / "junk.csv").write_bytes(bytes(range(256)) * 40)
        bound = ["--row-norm-bound", 1]
        for name in "cut.csv.gz", "junk.csv", "none.csv":
            self.assertIn(name, self.refuse(4, *self.covariance(self.folder / name, *bound)))
        self.nothing_left("cut.csv.gz", "junk.csv")

    def test_no_such_column(self):
        for arguments in (["--select", "salary"], ["--range", "salary=0:1"]):
            error = self.refuse(2, *self.covariance(WAGES, "--row-norm-bound", 1, *arguments))
            self.assertIn("salary", error)
        self.assertIn("salary", self.refuse(
            2, "release", "regression", WAGES, "--target", "salary", "--row-norm-bound", 1,
            "--output", self.folder / "out.csv", *TARGET))
        self.nothing_left()

    def test_strict_names_the_place_and_not_the_value(self):
        text = "a,b\n1,2\n3,secret\n5,6\n"
        path = self.file(text, "bad.csv")
        error = self.refuse(4, *self.covariance(path, "--row-norm-bound", 1, "--strict"))
        self.assertIn("bad.csv", error)
        self.assertRegex(error, r"\b3\b")
        self.assertRegex(error, r"\bb\b|\b2\b")
        self.assertNotIn("secret", error)
        self.nothing_left("bad.csv")
        result = self.release("covariance", path, "--row-norm-bound", 1)
        self.assertEqual(result["certificate"]["bad_rows"], "dropped")
        good = self.file("a,b\n1,2\n", "good.csv")
        result = self.release("covariance", good, "--row-norm-bound", 1, "--strict")
        self.assertEqual(result["certificate"]["bad_rows"], "refused")

    def test_a_target_that_cannot_be_met_leaves_nothing(self):
        for kind, own in (("covariance", []), ("projection", []),
                          ("regression", ["--target", "wage"]), ("vector", [])):
            self.refuse(3, "release", kind, WAGES, "--row-norm-bound", 1, *own, "--output",
                        self.folder / "out.csv", "--epsilon", 1, "--delta", 0)
        # The test alone spends the budget.
        self.refuse(3, "release", "projection", WAGES, "--row-norm-bound", 1, "--method",
                    "propose-test-release", "--eigenvalue-noise", "0.01", "--output",
                    self.folder / "out.csv", *TARGET)
        self.nothing_left()

    def test_options_of_another_method(self):
        for kind, arguments in (
                ("projection", ["--sampling-rate", 0.5]),
                ("projection", ["--method", "additive", "--failure", "1e-7"]),
                ("projection", ["--method", "subsampled"]),
                ("covariance", ["--columns", 10]),
                ("covariance", ["--method", "projection", "--columns", 1.5]),
                ("covariance", ["--method", "least-squares"]),
                ("regression", ["--target", "wage", "--method", "covariance", "--columns", 9]),
                ("regression", ["--target", "wage", "--set-leverage", 0.1]),
                ("regression", ["--target", "wage", "--method", "relative"]),
                ("regression", [])):
            self.refuse(2, "release", kind, WAGES, "--row-norm-bound", 1, *arguments, "--output",
                        self.folder / "out.csv", *TARGET)
        self.nothing_left()

    def test_bad_arguments(self):
        for arguments in (["--row-norm-bound", 0], ["--row-norm-bound", "nan"],
                          ["--row-norm-bound", "x"], [],
                          ["--range", "age=18:70"], ["--range", "age=70:18"],
                          ["--range", "age"], ["--row-norm-bound", 1, "--threads", "-1"],
                          ["--row-norm-bound", 1, "--threads", "1.5"],
                          ["--row-norm-bound", 1, "--separator", "ab"],
                          ["--row-norm-bound", 1, "--range", "age=1:2", "--range", "age=1:3"],
                          ["--row-norm-bound", 1, "--select", "age", "age"]):
            self.refuse(2, *self.covariance(WAGES, *arguments))
        bound = ["--row-norm-bound", 1, *TARGET]
        for code, path in (2, self.folder / "out.txt"), (1, self.folder / "none" / "out.csv"):
            self.refuse(code, "release", "covariance", WAGES, *bound, "--output", path)
        self.refuse(2, "release", "covariance", WAGES, *bound, "--output", self.folder / "o.csv",
                    "--certificate", self.folder / "o.csv")
        self.nothing_left()

    def test_a_row_is_not_taken_for_names(self):
        path = self.file(WAGES.read_text().split("\n", 1)[1], "rows.csv")
        error = self.refuse(2, *self.covariance(path, "--row-norm-bound", 100))
        self.assertIn("--no-header", error)
        self.assertNotIn(path.read_text().split(",", 1)[0] + ",", error)
        self.assertNotIn("13.44", error)
        self.nothing_left("rows.csv")

    def test_data_are_never_overwritten(self):
        data = self.file(WAGES.read_text(), "data.csv")
        for arguments in (["--output", data],
                          ["--output", self.folder / "out.csv", "--certificate", data]):
            error = self.refuse(2, "release", "covariance", data, "--row-norm-bound", 1, *TARGET,
                                *arguments)
            self.assertIn("data files", error)
        self.assertEqual(data.read_text(), WAGES.read_text())

    def test_help_has_examples(self):
        for kind in "vector", "projection", "covariance", "regression":
            self.assertIn(f"modicum release {kind} examples/",
                          self.succeed("release", kind, "--help"))


class Confidentiality(ReleaseTest):
    KINDS = [("covariance", []), ("projection", ["--columns", 20]),
             ("regression", ["--target", "wage"]), ("vector", [])]

    def without_marks(self, text):
        """What is printed without what differs between any two runs."""
        text = re.sub(r'"sha256":"[0-9a-f]{64}"', "", text)
        # Numbers with noise, released as the coefficients are.
        text = re.sub(r'"?(rows|residual)[ _](released|standard[ _]deviation)"?[: ]+[0-9.e+]+', "", text)
        return re.sub(r'"time":"[^"]*"', "", text)

    def test_neighbors_look_the_same(self):
        lines = WAGES.read_text().splitlines(keepends=True)
        self.file("".join(lines[:-1]), "less.csv")
        self.file("".join(lines) + "69,20,70,1e9\nnot,a,row,at all\n", "more.csv")
        for kind, own in self.KINDS:
            printed = set()
            for name in "less.csv", "more.csv":
                for flag in [], ["--json"]:
                    out = self.succeed("release", kind, self.folder / name, *RANGES, *own, *TARGET,
                                       "--output", self.fresh("out.csv"), *flag)
                    printed.add((bool(flag), self.without_marks(out)))
            self.assertEqual(len(printed), 2, kind)

    def test_diagnostics_are_asked_for(self):
        words = ["confidential", "rows used", "rows_used", "eigenvalue", "relative error"]
        for kind, own in self.KINDS:
            arguments = ["release", kind, WAGES, *RANGES, *own, *TARGET, "--replace", "--output",
                         self.folder / "out.csv"]
            for flag in [], ["--json"]:
                out = self.succeed(*arguments, *flag).lower()
                for word in words:
                    self.assertNotIn(word, out)
            text = self.succeed(*arguments, "--confidential")
            self.assertIn("Confidential", text)
            self.assertRegex(text, r"rows used +500\n")
            result = self.answer(*arguments, "--confidential")
            self.assertEqual(list(result)[-1], "confidential")
            self.assertEqual(result["confidential"]["rows_used"], 500)
            self.assertEqual(result["confidential"]["rows_clipped"], 0)
            for path in self.folder.iterdir():
                self.assertNotIn("confidential", path.read_text().lower())
                self.assertNotIn("rows_used", path.read_text())

    def test_counts(self):
        path = self.file("a,b\n3,4\n0.1,0.1\nx,1\n0.2,0\n", "few.csv")
        result = self.answer("release", "covariance", path, "--row-norm-bound", 1, *TARGET,
                             "--output", self.folder / "out.csv", "--confidential")
        found = result["confidential"]
        self.assertEqual((found["rows_used"], found["rows_clipped"],
                          found["rows_with_unreadable_numbers"]), (3, 1, 1))
        self.assertGreater(found["largest_eigenvalue"], found["least_eigenvalue"])

    def used(self, content, *arguments):
        path = self.folder / "rows.csv"
        path.write_bytes(content)
        result = self.answer("release", "covariance", path, "--row-norm-bound", 1, *TARGET,
                             "--output", self.fresh("out.csv"), "--confidential", *arguments)
        return result["confidential"]["rows_used"]

    def test_a_row_leaves_the_others_alone(self):
        rows = [b"3,4", b'"1",2', b"0,0.5"]
        for bad in (b'"1,2', b'1,"2', b'"', b"1,\0", b"\0", b"1,2\r3", b"\x1f\x8b\x08", b"1,2,3",
                    b"\x93NUMPY\x01\0", b"word,2", b"1" * ((64 << 20) + 1)):
            for place in (0, 3) if len(bad) < 100 else (1,):
                lines = b"".join(line + b"\n" for line in rows[:place] + [bad] + rows[place:])
                self.assertEqual(self.used(b"a,b\n" + lines), 3, bad[:20])
                self.assertEqual(self.used(lines, "--no-header", "--fields", 2), 3, bad[:20])
                error = self.refuse(4, "release", "covariance", self.folder / "rows.csv",
                                    "--row-norm-bound", 1, *TARGET, "--strict", "--no-header",
                                    "--fields", 2, "--output", self.folder / "strict.csv")
                self.assertIn(f"rows.csv, line {place + 1}", error)
        for nothing in b"", b"\n\n", b"\0\n":
            self.assertEqual(self.used(nothing, "--no-header", "--fields", 2), 0)

    def test_what_is_taken_from_rows_is_assumed(self):
        width = "the number of fields in the first line is public"
        quotes = ("every row of the files is a well-formed CSV record: a row with an unbalanced "
                  "quote would change others")
        path = self.file('1,"2"\n3,4\n', "rows.csv")
        for kind, own in (("covariance", ["--row-norm-bound", 1]),
                          ("vector", ["--row-norm-bound", 1]),
                          ("vector", ["--statistic", "histogram", "--select", "1", "--edges",
                                      "0,1,5"])):
            for flags, expected in ((["--no-header"], {width}),
                                    (["--no-header", "--fields", 2], set()),
                                    (["--header"], set()),
                                    (["--header", "--multiline"], {quotes}),
                                    (["--no-header", "--multiline"], {width, quotes})):
                certificate = self.release(kind, path, *own, *flags)["certificate"]
                self.assertEqual({width, quotes} & set(certificate["assumptions"]), expected)

    def test_line_breaks_in_quotes_are_asked_for(self):
        text = b'a,b\n1,2\n3,"\n4"\n5,6\n'
        arguments = ["--select", "a"]
        self.assertEqual(self.used(text, *arguments), 2)
        self.assertEqual(self.used(text, *arguments, "--multiline"), 3)

    def test_headers(self):
        path = self.file("a,2019\n1,2\n", "years.csv")
        bound = ["--row-norm-bound", 1, *TARGET, "--output", self.folder / "none.csv"]
        error = self.refuse(2, "release", "covariance", path, *bound)
        self.assertIn("--no-header", error)
        self.assertIn(" --header", error)
        self.assertNotIn("2019", error)
        for flags in (["--header", "--no-header"], ["--fields", 2], ["--header", "--fields", 2],
                      ["--no-header", "--fields", 0], ["--no-header", "--fields", 1.5],
                      ["--no-header", "--fields", "x"]):
            self.refuse(2, "release", "covariance", path, *bound, *flags)
        self.nothing_left("years.csv")
        self.release("covariance", path, "--row-norm-bound", 1, "--header")
        self.assertEqual([row["name"] for row in self.rows()], ["a", "2019"])
        path = self.file('a,"b\nc"\n1,2\n', "broken.csv")
        for flags in [], ["--multiline"]:
            self.refuse(4, "release", "covariance", path, *bound, *flags)

    def test_words_carry_the_certificate(self):
        out = self.succeed("release", "covariance", WAGES, *RANGES, *TARGET, "--output",
                           self.folder / "out.csv")
        for words in ("Released (1, 1e-06)-differentially private", "guarantee", "proved",
                      "exact", "add or remove one row", "Proved, provided that", "out.csv",
                      "out.csv.certificate.json"):
            self.assertIn(words, out)


if __name__ == "__main__":
    unittest.main()
