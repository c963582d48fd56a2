"""release count, sum, mean, variance, standard-deviation, quantile, histogram."""

import csv
import json
import pathlib
import unittest

from _support import CommandLineTest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
WAGES, VISITS = EXAMPLES / "wages.csv", EXAMPLES / "visits.csv"
TARGET = ["--epsilon", 1, "--delta", "1e-6"]
WAGE = ["--select", "wage", "--bounds", "wage=0:60"]
REGIONS = ["--by", "region", "--categories", "north,south,east,west"]


class EverydayTest(CommandLineTest):
    def shown(self, kind, table, *arguments):
        result = self.answer("release", kind, table, *arguments, "--output", "-", *TARGET)
        self.assertEqual(result["released"]["columns"], ["value", "lower", "upper"])
        page = EXAMPLES.parent / result["certificate"]["theorem"]
        self.assertTrue(page.is_file(), page)
        return result

    def test_counts_are_whole_and_near_the_truth(self):
        truth = {}
        with open(VISITS, newline="") as file:
            for row in csv.DictReader(file):
                truth[row["region"]] = truth.get(row["region"], 0) + 1
        result = self.shown("count", VISITS, *REGIONS)
        self.assertEqual(result["released"]["rows"], ["north", "south", "east", "west"])
        deviation = result["certificate"]["parameters"]["standard_deviation"]
        for name, (value, lower, upper) in zip(result["released"]["rows"], result["released"]["values"]):
            self.assertEqual(value, round(value))
            self.assertLessEqual(lower, value)
            self.assertLessEqual(value, upper)
            # beyond 7 deviations once in 4e11
            self.assertLess(abs(value - truth.get(name, 0)), 7 * deviation + 1)

    def test_every_statistic_has_a_loss_that_gives_back_its_target(self):
        for kind, more in {"sum": [], "mean": ["--by", "schooling", "--edges", "0,10,14,20"],
                           "variance": [], "standard-deviation": [],
                           "quantile": ["--level", 0.25, 0.5, 0.75]}.items():
            with self.subTest(kind):
                certificate = self.shown(kind, WAGES, *WAGE, *more)["certificate"]
                self.assertEqual((certificate["guarantee"], certificate["arithmetic"]), ("proved", "exact"))
                path = self.fresh("loss.json")
                path.write_text(json.dumps(certificate["loss"]))
                delta = self.answer("profile", path, "--epsilon", 1)["delta"]
                self.assertLessEqual(delta["upper"], 1e-6)
                epsilon = self.answer("epsilon", path, "--delta", "1e-6")["epsilon"]["upper"]
                self.assertAlmostEqual(epsilon, 1, delta=1e-6)

    def test_files_and_words(self):
        path = self.fresh("mean.csv")
        words = self.succeed("release", "mean", WAGES, *WAGE, "--by", "schooling", "--edges", "0,10,14,20",
                             "--output", path, *TARGET)
        self.assertIn("the mean of wage by schooling, 3 groups", words)
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["name"] for row in rows], ["0:10", "10:14", "14:20"])
        for row in rows:
            self.assertLessEqual(0, float(row["lower"]))
            self.assertLessEqual(float(row["upper"]), 60)

    def test_a_quantile_has_no_interval(self):
        result = self.shown("quantile", WAGES, *WAGE)
        (value, lower, upper), = result["released"]["values"]
        self.assertTrue(0 <= value <= 60)
        self.assertIsNone(lower)
        self.assertIsNone(upper)
        self.assertGreater(result["certificate"]["parameters"]["rank_error"], 0)

    def test_a_cross_table(self):
        result = self.shown("histogram", WAGES, "--select", "age", "schooling", "--edges", "age=18,40,70",
                            "schooling=0,10,20")
        self.assertEqual(result["released"]["rows"],
                         ["18:40, 0:10", "18:40, 10:20", "40:70, 0:10", "40:70, 10:20"])

    def test_the_truth_is_confidential(self):
        result = self.shown("count", VISITS, *REGIONS, "--confidential")
        self.assertIn("true_north", result["confidential"])
        self.assertNotIn("confidential", self.shown("count", VISITS, *REGIONS))

    def test_a_column_of_words_is_noticed_from_what_is_released(self):
        result = self.shown("mean", VISITS, "--select", "region", "--bounds", "region=0:1")
        self.assertIn("compatible with none", " ".join(result["warnings"]))
        self.assertNotIn("warnings", self.shown("mean", WAGES, *WAGE))

    def test_explains_without_reading(self):
        words = self.succeed("release", "mean", VISITS, "--select", "visits", "--bounds", "visits=0:9",
                             *REGIONS, "--explain")
        self.assertIn("one of the categories", words)
        self.assertIn("clamped to [0, 9]", words)

    def test_mistakes_are_told_as_mistakes(self):
        for arguments, message in [
                (["mean", WAGES, "--select", "wage"], "--bounds must be given for wage, as in wage=0:100"),
                (["mean", WAGES, "--select", "wages", "--bounds", "wages=0:60"], "wages"),
                (["mean", WAGES, "--select", "wage", "--bounds", "wage=60:0"], "must have its low end first"),
                (["count", VISITS, "--by", "region"], "--categories or --edges must be given for the column region"),
                (["count", VISITS, "--by", "region", "visits", "--categories", "north,south"],
                 "must begin with the name of a column"),
                (["quantile", WAGES, *WAGE, "--level", 2], "level is 2, but must lie between 0 and 1"),
                (["sum", WAGES, *WAGE, "--confidence", 1], "confidence is 1, but must lie between 0 and 1"),
                (["histogram", VISITS, "--select", "region", "--categories", "a,a"], "all different")]:
            with self.subTest(arguments=arguments):
                self.assertIn(message, self.refuse(2, "release", *arguments, "--output", "-", *TARGET))


if __name__ == "__main__":
    unittest.main()
