"""How modicum release reads tables: headers, files, shapes, and what is said about rows."""

import itertools
import json
import os
import pathlib
import re
import unittest

from _support import CommandLineTest

WAGES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "wages.csv"
TARGET = ["--epsilon", 1, "--delta", "1e-6"]
RANGES = [item for text in ("age=18:70", "schooling=0:20", "hours=0:80", "wage=0:60")
          for item in ("--range", text)]
CAMPAIGN = "MODICUM_CAMPAIGN" in os.environ  # every release with every odd row


class TableTest(CommandLineTest):
    def release(self, kind, *arguments, output="-"):
        return "release", kind, *arguments, *TARGET, "--output", output

    def covariance(self, *arguments, output="-"):
        return self.release("covariance", *arguments, "--row-norm-bound", 1, output=output)


class Headers(TableTest):
    # The first line of each is a person.
    ROWS = ["Jane Smith,HIV", "52;3.2;41", "Smith;HIV", "Smith\tHIV", "Smith HIV", "Smith|HIV", "$52",
            "2020-01-05,52kg", "Smith,52kg", "Smith,NA", "HIV,Smith,HIV", "3,4"]

    def test_a_row_is_not_published_as_names(self):
        for row in self.ROWS:
            path = self.file(f"{row}\nBob,flu\n", "people.csv")
            for command in (self.covariance(path), self.covariance(path, "--explain"),
                            self.release("regression", path, "--target", "x", "--row-norm-bound", 1),
                            self.release("vector", path, "--statistic", "histogram", "--select", "x",
                                         "--categories", "a,b"),
                            ("audit", "mechanism", "sum", path, "--row-norm-bound", 1, *TARGET)):
                error = self.refuse(2, *command).replace(str(self.folder), "")
                for way_out in "--header", "--no-header", "--names", "--separator":
                    self.assertIn(way_out, error)
                for field in "Jane", "Smith", "HIV", "52", "3.2", "41", "2020", "NA":
                    self.assertNotIn(field, error)

    def test_words_of_the_user_decide(self):
        path = self.file("Jane Smith,HIV\n3,4\n", "people.csv")
        for flags, names in ((["--header"], ["Jane Smith", "HIV"]), (["--no-header"], ["1", "2"]),
                             (["--no-header", "--names", "a", "b"], ["a", "b"])):
            answer = self.answer(*self.covariance(path, *flags))
            self.assertEqual(answer["released"]["columns"], names)
            header = "the first line of each file is a header: names of columns, and no row"
            self.assertEqual(header in answer["certificate"]["assumptions"], "--header" in flags)

    def test_numbers_that_were_computed_elsewhere_have_no_header(self):
        given = ["--statistic", "given", "--sensitivity", 1]
        for line in "1e400", "0x10", "12;3", "widgets", "Not available", "Smith":
            for place, text in (1, f"{line}\n1\n2\n"), (2, f"1\n{line}\n2\n"):
                error = self.refuse(4, *self.release("vector", self.file(text, "v.csv"), *given))
                self.assertIn(f"v.csv, line {place}", error)
                self.assertNotIn(line, error.replace(str(self.folder), ""))
        path = self.file("x\n1\n2\n", "v.csv")
        answer = self.answer(*self.release("vector", path, *given, "--header"))
        self.assertEqual(len(answer["released"]["values"]), 2)
        matrix = self.file("a,b\n1,2\n2,1\n", "m.csv")
        self.assertIn("m.csv\" is no square matrix: as many rows as columns; a first line of names",
                      self.refuse(4, *self.release("matrix", matrix, "--sensitivity", 1)))
        self.answer(*self.release("matrix", matrix, "--sensitivity", 1, "--header"))

    def test_a_separator_at_the_end(self):
        path = self.file("a,b,\n1,2,\n3,4,\n", "t.csv")
        self.assertIn("ends with a separator", self.refuse(2, *self.covariance(path)))
        self.assertIn("--select", self.refuse(2, *self.covariance(path, "--header")))
        used = self.answer(*self.covariance(path, "--header", "--select", "a", "b",
                                            "--confidential"))["confidential"]
        self.assertEqual((used["rows_used"], used["rows_with_unreadable_numbers"]), (2, 0))

    def test_a_separator_that_was_missed(self):
        path = self.file("a;b\n1;2\n", "t.csv")
        for flags in [], ["--header"]:
            self.assertIn("--separator", self.refuse(2, *self.covariance(path, *flags)))
        self.succeed(*self.covariance(path, "--separator", ";"))
        self.succeed(*self.covariance(path, "--header", "--separator", ","))


class Files(TableTest):
    def test_nobody_counts_twice(self):
        first = self.file("a,b\n1,2\n", "part-1.csv")
        self.file("a,b\n3,4\n", "part-2.csv")
        os.link(first, self.folder / "hard.csv")
        os.symlink(first, self.folder / "soft.csv")
        for others in ([first], [f"{self.folder}/./part-1.csv"], [self.folder / "part-*.csv"],
                       [self.folder / "hard.csv"], [self.folder / "soft.csv"]):
            error = self.refuse(2, *self.covariance(first, *others))
            self.assertIn("same file", error)
        self.assertIn("same file", self.refuse(2, *self.covariance(self.folder / "*.csv")))
        self.succeed(*self.covariance(self.folder / "part-*.csv"))


class Numbers(TableTest):
    def test_what_became_of_rows(self):
        path = self.file('a,b,c\n1,2,x\n1,2\n1,2,3,4\n1e400,0,x\n0x10,0,x\n12;3,0,x\n,1,x\n"1,2,x\n'
                         '1,\x07,x\n0.1,0.2,y\n', "t.csv")
        select = ["--select", "a", "b", "--row-norm-bound", 1, "--confidential"]
        expected = {"rows_used": 2, "rows_with_unreadable_numbers": 8, "rows_of_other_length": 2,
                    "rows_of_broken_text": 2, "rows_with_a_value_that_is_no_number": 4}
        for kind, own in (("covariance", []), ("vector", []), ("components", ["--components", 1])):
            found = self.answer(*self.release(kind, path, *select, *own))["confidential"]
            self.assertEqual({name: found[name] for name in expected}, expected, kind)
        for kind, own in (("logistic", []), ("regression", ["--method", "objective",
                                                             "--range-of-all", "0:5"])):
            found = self.answer(*self.release(kind, path, "--select", "a", "--target", "b", *own,
                                              "--row-norm-bound", 1, "--confidential"))["confidential"]
            self.assertEqual({name: found[name] for name in expected}, expected, kind)
        found = self.answer(*self.release("vector", path, "--statistic", "histogram", "--select", "c",
                                          "--categories", "x,z", "--confidential"))["confidential"]
        self.assertEqual((found["rows_used"], found["rows_with_unreadable_numbers"],
                          found["rows_in_no_bin"]), (6, 4, 1))

    def test_a_range_of_all_is_one_of_the_target_too(self):
        common = ["--target", "wage", "--range-of-all", "0:100"]
        for method in "covariance", "objective":
            answer = self.answer(*self.release("regression", WAGES, *common, "--method", method))
            self.assertIn("age", answer["released"]["rows"])
        self.assertIn("--range", self.refuse(2, *self.release(
            "regression", WAGES, "--target", "wage", "--method", "objective", "--row-norm-bound", 1)))

    def test_bounds_are_called_by_their_numbers(self):
        for kind in "covariance", "vector", "projection":
            for bound in "1e-200", "1e+200":
                error = self.refuse(2, *self.release(kind, WAGES, "--row-norm-bound", bound))
                self.assertIn(f"--row-norm-bound is {bound}, but must lie between", error)

    def test_a_matrix_that_is_not_symmetric_is_bad_input(self):
        path = self.file("1,2\n3,4\n", "m.csv")
        for own in [], ["--smallest-eigenvalue"]:
            self.assertIn("symmetric",
                          self.refuse(2, *self.release("matrix", path, "--sensitivity", 1, *own)))

    def test_many_columns(self):
        """Work quadratic in their number takes a minute."""
        count = 60000
        text = ",".join(f"c{i}" for i in range(count)) + "\n" + ",".join(["1"] * count) + "\n"
        answer = self.answer("release", "vector", self.file(text, "wide.csv"), "--range-of-all", "0:1",
                             "--explain")
        self.assertEqual(len(answer["columns"]), count)
        error = self.refuse(2, *self.covariance(self.folder / "wide.csv"))
        self.assertIn("60000", error)


class Explanations(TableTest):
    def uses(self, *arguments):
        answer = self.answer("release", *arguments, "--explain")
        self.assertTrue(answer["explained"])
        return {each.pop("name"): each for each in answer["columns"]}, answer

    def test_every_release_of_a_table_explains_itself(self):
        number = {"use": "number"}
        ranged = {"age": [18, 70], "schooling": [0, 20], "hours": [0, 80], "wage": [0, 60]}
        numbers = {name: {"use": "number", "range": pair} for name, pair in ranged.items()}
        target = {**numbers, "wage": {"use": "target", "range": [0, 60]}}
        for kind, own in (("covariance", []), ("projection", []), ("vector", []),
                          ("vector", ["--statistic", "mean"]), ("components", ["--components", 1])):
            found, answer = self.uses(kind, WAGES, *RANGES, *own)
            self.assertEqual(found, numbers)
            self.assertEqual((answer["row_norm_bound"], answer["fields"], answer["bad_rows"]),
                             (2, 4, "dropped"))
        predict = ["--target", "wage", *RANGES]
        for own in [], ["--method", "objective"]:
            self.assertEqual(self.uses("regression", WAGES, *predict, *own)[0], target)
        self.assertEqual(self.uses("logistic", WAGES, "--target", "wage", *RANGES[:-2])[0],
                         {**numbers, "wage": {"use": "label"}})
        self.assertEqual(
            self.uses("gaussian-process", WAGES, "--target", "wage", "--select", "schooling",
                      "--range", "schooling=0:20", "--range", "wage=0:60", "--noise-variance", 30,
                      "--largest-rows", 1000, "--queries", WAGES.parent / "schooling.csv")[0],
            {**target, "age": {"use": "none"}, "hours": {"use": "none"}})
        self.assertEqual(self.uses("components", WAGES, "--components", 1, "--ranks")[0]["age"],
                         {"use": "rank"})
        histogram = ["vector", WAGES, "--statistic", "histogram", "--select", "age"]
        self.assertEqual(self.uses(*histogram, "--edges", "1,2")[0]["age"], number)
        found, _ = self.uses(*histogram, "--categories", "1,2")
        self.assertEqual((found["age"], found["wage"]), ({"use": "category"}, {"use": "none"}))

    def test_in_words(self):
        out = self.succeed("release", "covariance", WAGES, "--exclude", "wage", "--row-norm-bound", 90,
                           "--range", "age=18:70", "--explain")
        self.assertRegex(out, r"age +a number, clamped to \[18, 70\] and mapped onto \[-1, 1\]\n")
        self.assertRegex(out, r"hours +a number, as it is\n")
        self.assertRegex(out, r"wage +not used\n")
        self.assertIn("has 4 fields", out)

    def test_of_the_header_and_the_options_alone(self):
        """The rows may be anything; what is missing or wrong in the options is still told."""
        outputs = {self.succeed("release", "covariance", self.file("a,b\n" + rows, "t.csv"),
                                "--row-norm-bound", 1, "--explain")
                   for rows in ("", "1,2\n", "x\n", '"', "1,2,3\n4,5,6\n")}
        self.assertEqual(len(outputs), 1)
        self.assertIn("--row-norm-bound", self.refuse(2, "release", "covariance", WAGES, "--explain"))
        output = self.folder / "out.csv"
        self.succeed(*self.covariance(WAGES, "--explain", output=output))
        self.assertFalse(output.exists())
        self.refuse(2, *self.release("vector", WAGES, "--statistic", "given", "--sensitivity", 1,
                                     "--explain"))


class PublicShapes(TableTest):
    ASSUMED = "how many fields the first row of each file has, and which of them are numbers, is public"

    def test_a_table_that_fits(self):
        answer = self.answer(*self.covariance(WAGES, "--public-shape"))
        self.assertIn(self.ASSUMED, answer["certificate"]["assumptions"])
        answer = self.answer(*self.covariance(WAGES))
        self.assertNotIn(self.ASSUMED, answer["certificate"]["assumptions"])

    def test_what_does_not_fit_is_refused_before_anything_is_spent(self):
        output = self.folder / "out.csv"
        for text, flags, what in (
                ("name,a\nSmith,2\n", [], '"name"'),            # a forgotten --exclude
                ("a,b\n1,2,\n3,4,\n", [], "3 fields"),          # a separator at the end of rows
                ("a,b\n1;2\n", [], "1 fields"),                 # another separator
                ("1;2\n3;4\n", ["--no-header"], '"1"'),
                ("a,b\n,2\n3,4\n", [], '"a"')):
            path = self.file(text, "t.csv")
            error = self.refuse(2, *self.covariance(path, "--public-shape", *flags, output=output))
            self.assertIn(what, error)
            self.assertNotIn("Smith", error)
            self.assertEqual(sorted(os.listdir(self.folder)), ["t.csv"])
        path = self.file("name,a\nSmith,2\n", "t.csv")
        self.succeed(*self.covariance(path, "--public-shape", "--exclude", "name"))
        self.assertIn('"name"', self.refuse(2, *self.release(
            "logistic", path, "--select", "a", "--target", "name", "--row-norm-bound", 1,
            "--public-shape")))
        histogram = ["--statistic", "histogram", "--select", "name", "--public-shape"]
        self.succeed(*self.release("vector", path, *histogram, "--categories", "x,y"))
        self.assertIn('"name"',
                      self.refuse(2, *self.release("vector", path, *histogram, "--edges", "1,2")))


class Neighbors(TableTest):
    """What is said, and how a run ends, must not depend on any single row."""

    RELEASES = (("covariance", "--row-norm-bound", 1),
                ("covariance", "--row-norm-bound", 1, "--explain"),
                ("vector", "--range-of-all", "0:1"),
                ("vector", "--statistic", "histogram", "--select", "a", "--categories", "1,x"),
                ("count", "--by", "a", "--categories", "1,x"),
                ("sum", "--select", "a", "--bounds", "a=0:1"),
                ("mean", "--select", "b", "--bounds", "b=0:1", "--by", "a", "--edges", "0,2,9"),
                ("variance", "--select", "a", "--bounds", "a=0:1"),
                ("quantile", "--select", "a", "b", "--bounds-of-all", "0:9"),
                ("histogram", "--select", "a", "b", "--edges", "a=0,2,9", "b=0,3,6"),
                ("projection", "--columns", 20, "--row-norm-bound", 1),
                ("components", "--components", 1, "--row-norm-bound", 1),
                ("components", "--components", 1, "--row-norm-bound", 1, "--center", "none"),
                ("regression", "--target", "b", "--range-of-all", "0:1"),
                ("regression", "--target", "b", "--range-of-all", "0:1", "--method", "objective"),
                ("regression", "--target", "b", "--range-of-all", "0:1", "--method", "covariance"),
                ("regression", "--target", "b", "--range-of-all", "0:1", "--method", "least-squares",
                 "--columns", 30),
                ("logistic", "--target", "b", "--row-norm-bound", 1))
    # What follows from released numbers: those that are named so, and what is made of the first look.
    LOOKED = {"rows_released", "covariance_noise", "mean", "explained_variance",
              "explained_variance_error", "explained_variance_ratio", "coefficients"}
    RELEASED = re.compile(r"\n  (?:released \w+|" + "|".join(sorted(each.replace("_", " ") for each in LOOKED)) + r")  .*"
                          r"|\n.*compatible with (?:none|that of no rows).*|\n.*released number of rows.*")
    ODD = ["1,2", "x,2", ",", "1,2,", "1", "1;2", '"1,2', "1,\x07", "Smith,HIV", "1e400,1", " ", "a,b"]

    def outcome(self, text, *arguments):
        path = self.file(text, "t.csv")
        output = self.folder / "out.csv"
        done = self.run_program("release", arguments[0], path, *arguments[1:], *TARGET, "--output", output)
        certificate = self.folder / "out.csv.certificate.json"
        said = json.loads(certificate.read_text()) if certificate.exists() else {}
        for name in "time", "output":
            said.pop(name, None)
        for name in [name for name in said.get("parameters", {}) if name.startswith("released_") or name in self.LOOKED]:
            del said["parameters"][name]
        for written in output, certificate:
            written.unlink(missing_ok=True)
        return done.returncode, self.RELEASED.sub("", done.stdout), done.stderr, json.dumps(said)

    def test_one_row_changes_nothing_that_is_said(self):
        headers = ("a,b\n", []), ("", ["--no-header", "--names", "a", "b"])
        tables = ["3,4", "5,6"], [], ["x", "y,z"]  # with some rows, none, and only bad ones
        for number, release in enumerate(self.RELEASES):
            odd = self.ODD if CAMPAIGN else (self.ODD * 2)[number % len(self.ODD):][:2]  # in turn all of them
            # Fits take longer.
            for turn, rows in enumerate(tables[:1] if "--target" in release and not CAMPAIGN else tables):
                header, flags = headers[(number + turn) % 2]
                without = self.outcome(header + "".join(row + "\n" for row in rows), *release, *flags)
                self.assertEqual(without[0], 0, without)
                for added, place in zip(odd, itertools.cycle((0, len(rows)))):
                    text = "".join(row + "\n" for row in [*rows[:place], added, *rows[place:]])
                    self.assertEqual(self.outcome(header + text, *release, *flags), without,
                                     (release, added))


if __name__ == "__main__":
    unittest.main()
