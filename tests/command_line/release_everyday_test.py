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
            # geometric noise is beyond 20 deviations once in 10^11
            self.assertLess(abs(value - truth.get(name, 0)), 20 * deviation)

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

    def test_noise_of_counts(self):
        deviations = {}
        for noise in "optimal", "discrete-laplace", "laplace", "discrete-gaussian", "gaussian":
            result = self.shown("histogram", VISITS, "--select", "region", "--categories", "north,south",
                                "--noise", noise)
            deviations[noise] = result["certificate"]["parameters"]["standard_deviation"]
            for numbers in result["released"]["values"]:
                self.assertEqual(numbers, [round(number) for number in numbers])
            loss = self.file(result["certificate"]["loss"], "loss.json")
            self.assertLessEqual(self.answer("profile", loss, "--epsilon", 1)["delta"]["upper"], 1e-6)
            self.assertAlmostEqual(self.answer("epsilon", loss, "--delta", "1e-6")["epsilon"]["upper"], 1, delta=1e-6)
        self.assertLess(deviations["optimal"], 1.37)
        self.assertLessEqual(deviations["optimal"], deviations["laplace"])
        self.assertLess(deviations["laplace"], 0.4 * deviations["discrete-gaussian"])
        self.assertEqual(self.shown("count", VISITS)["certificate"]["parameters"]["noise"], "optimal")
        # Gaussian noise costs least of a ledger, and is what mu is about.
        result = self.answer("release", "count", VISITS, "--mu", 0.5, "--output", "-")
        self.assertEqual(result["certificate"]["mechanism"], "gaussian")
        pure = self.answer("release", "count", VISITS, "--epsilon", 1, "--delta", 0, "--output", "-")
        self.assertEqual(pure["certificate"]["delta"]["upper"], 0)
        self.assertIn("must be gaussian", self.refuse(2, "release", "count", VISITS, "--by", "region", "--discover",
                                                      "--noise", "optimal", "--output", "-", *TARGET))

    def test_sums_of_whole_numbers(self):
        asked = ["--select", "visits", "--bounds", "visits=0:20", "--integers"]
        deviations = {}
        for noise in None, "optimal", "discrete-laplace", "discrete-gaussian", "gaussian":
            result = self.shown("sum", VISITS, *asked, *REGIONS, *([] if noise is None else ["--noise", noise]))
            parameters = result["certificate"]["parameters"]
            deviations[noise] = parameters["standard_deviation"] * (20 if noise == "gaussian" else 1)
            self.assertEqual(parameters["statistic"], "sum")
            for numbers in result["released"]["values"]:
                self.assertEqual(numbers, [round(number) for number in numbers])
            loss = self.file(result["certificate"]["loss"], "loss.json")
            self.assertLessEqual(self.answer("profile", loss, "--epsilon", 1)["delta"]["upper"], 1e-6)
            self.assertAlmostEqual(self.answer("epsilon", loss, "--delta", "1e-6")["epsilon"]["upper"], 1, delta=1e-6)
        self.assertEqual(deviations[None], deviations["optimal"])
        self.assertLess(deviations["optimal"], 0.4 * deviations["gaussian"])
        self.assertLessEqual(deviations["optimal"], deviations["discrete-laplace"])
        replaced = self.shown("sum", VISITS, "--select", "visits", "--bounds", "visits=-5:20", "--integers",
                              "--neighbors", "replace")["certificate"]["parameters"]
        self.assertEqual((replaced["noise"], replaced["sensitivity"]), ("optimal", 25))
        for words in (["--noise", "optimal"], [*asked, "--discover", "--by", "region", "--noise", "optimal"],
                      [*asked, *REGIONS, "--neighbors", "replace", "--noise", "optimal"]):
            words = words if "--select" in words else [*asked[:-1], *words]
            self.assertIn("--noise", self.refuse(2, "release", "sum", VISITS, *words, "--output", "-", *TARGET))

    def test_counts_may_be_asked_to_be_whole(self):
        by_default = self.shown("count", VISITS, *REGIONS)["certificate"]["parameters"]
        self.assertEqual(self.shown("count", VISITS, *REGIONS, "--integers")["certificate"]["parameters"], by_default)
        self.assertIn("--integers", self.refuse(2, "release", "count", VISITS, "--integers", "--noise", "gaussian",
                                                "--output", "-", *TARGET))

    def test_a_release_may_be_asked_for_by_its_noise(self):
        asked = ["--standard-deviation", 5, "--output", "-"]
        count = self.answer("release", "count", VISITS, *asked)["certificate"]["parameters"]
        self.assertAlmostEqual(count["standard_deviation"], 5, delta=1e-6)
        # In the units of the file.
        wages = self.answer("release", "sum", WAGES, *WAGE, *asked)["certificate"]["parameters"]
        self.assertAlmostEqual(wages["standard_deviation"] * 60, 5, delta=1e-6)
        self.assertIn("sum of one column", self.refuse(2, "release", "mean", WAGES, *WAGE, *asked))

    def test_medians_and_ends(self):
        for kind, level in {"median": 0.5, "minimum": 0.01, "maximum": 0.99}.items():
            result = self.shown(kind, WAGES, *WAGE)
            self.assertAlmostEqual(result["certificate"]["parameters"]["levels"][0], level, delta=1e-6)
            self.assertIsNone(result["released"]["values"][0][1])
        tenth = self.shown("minimum", WAGES, *WAGE, "--level", 0.1)
        self.assertAlmostEqual(tenth["certificate"]["parameters"]["levels"][0], 0.1, delta=1e-6)

    def test_neighbors_by_replacement(self):
        wide = ["--edges", "0,10,14,20", "--by", "schooling"]
        for kind, more in {"sum": [], "mean": wide, "variance": [], "quantile": wide, "count": None}.items():
            with self.subTest(kind):
                asked = wide if more is None else [*WAGE, *more]
                certificate = self.shown(kind, WAGES, *asked, "--neighbors", "replace")["certificate"]
                self.assertEqual(certificate["neighbors"], "replace one row")
                self.assertEqual(certificate["loss"]["adjacency"], "replace_one")
                loss = self.file(certificate["loss"], "loss.json")
                self.assertAlmostEqual(self.answer("epsilon", loss, "--delta", "1e-6")["epsilon"]["upper"], 1,
                                       delta=1e-6)
        self.assertIn("it is public", self.refuse(2, "release", "count", WAGES, "--neighbors", "replace",
                                                  "--output", "-", *TARGET))

    def test_a_budget_for_other_neighbors_is_not_charged(self):
        store = self.folder / "ledger.db"
        self.succeed("ledger", "create", "--ledger", store, "--budget", "all", "--epsilon", 2, "--delta", "1e-5")
        self.refuse(3, "release", "mean", WAGES, *WAGE, *TARGET, "--neighbors", "replace", "--ledger", store,
                    "--output", "-")

    def towns(self, rows):
        path = self.folder / "towns.csv"
        path.write_text("person,town,wage\n" + rows)
        return path

    def test_groups_are_discovered(self):
        rows = "".join(f"p{i},Ulm,20\nq{i},Bern,30\n" for i in range(400))
        table = self.towns(rows + "z,Zug,50\n")
        for kind, more in {"count": ["--by", "town"], "histogram": ["--select", "town"],
                           "mean": [*WAGE, "--by", "town"], "sum": [*WAGE, "--by", "town"],
                           "variance": [*WAGE, "--by", "town"], "median": [*WAGE, "--by", "town"]}.items():
            with self.subTest(kind):
                # Zug is shown once in a million runs.
                result = self.shown(kind, table, *more, "--discover")
                self.assertEqual(result["released"]["rows"], ["Bern", "Ulm"])
                self.assertGreater(result["certificate"]["parameters"]["threshold"], 20)
                loss = self.file(result["certificate"]["loss"], "loss.json")
                self.assertAlmostEqual(self.answer("epsilon", loss, "--delta", "1e-6")["epsilon"]["upper"], 1,
                                       delta=1e-6)
        self.assertIn("No group has", self.succeed("release", "count", self.towns("z,Zug,50\n"), "--by", "town",
                                                   "--discover", "--output", "-", *TARGET))
        self.assertIn("No group has", self.succeed("release", "median", self.folder / "towns.csv", *WAGE, "--by", "town",
                                                   "--discover", "--output", "-", *TARGET))
        jobs = self.file({"budget": {"epsilon": 1, "delta": 1e-6}, "table": "towns.csv", "releases": [
            {"count": {"by": "town", "discover": True}},
            {"quantile": {"select": "wage", "bounds": {"wage": [0, 60]}, "by": "town", "discover": True,
                          "level": [0.25, 0.75]}}]}, "jobs.json")
        self.towns(rows)
        result = self.answer("release", jobs, "--output", "-")
        self.assertEqual(result["released"]["rows"][2:4], ["quantile of wage by town: Bern: 0.25",
                                                           "quantile of wage by town: Bern: 0.75"])
        loss = self.file(result["certificate"]["loss"], "loss.json")
        self.assertAlmostEqual(self.answer("epsilon", loss, "--delta", "1e-6")["epsilon"]["upper"], 1, delta=1e-6)

    def test_persons_with_several_rows(self):
        table = self.towns("".join(f"p{i % 50},Ulm,20\n" for i in range(1000)) + ",Ulm,20\n")
        result = self.shown("count", table, "--unit", "person", "--unit-rows", 3, "--confidential")
        self.assertEqual(result["confidential"]["true_all"], 150)
        certificate = result["certificate"]
        self.assertEqual(certificate["neighbors"], "add or remove all rows with one value of person")
        self.assertEqual(certificate["parameters"]["sensitivity"], 3)
        self.assertIn("--unit is missing", self.refuse(2, "release", "count", table, "--unit-rows", 3,
                                                       "--output", "-", *TARGET))

    def test_neighboring_tables_are_told_apart_by_numbers_alone(self):
        rows = "".join(f"p{i % 40},Ulm,20\n" for i in range(400))
        ten = "".join("z,Zug,90\n" for _ in range(10))
        for kind, more in {"count": ["--by", "town", "--discover", "--unit", "person", "--unit-rows", 10],
                           "mean": [*WAGE, "--by", "town", "--categories", "Ulm,Bern", "--unit", "person"],
                           "quantile": [*WAGE, "--unit", "person", "--unit-rows", 2],
                           "sum": [*WAGE, "--neighbors", "replace"]}.items():
            told = set()
            for table in rows, rows + ten, rows + "z,,\n", rows + "z,Ulm,x\n":
                result = self.shown(kind, self.towns(table), *more)
                result.pop("warnings", None)  # follow from the numbers: see below
                for where, keys in [(result["released"], ["values"]), (result["certificate"], ["time", "output"]),
                                    (result["certificate"]["parameters"], ["released_counts"])]:
                    for key in keys:
                        where.pop(key, None)
                told.add(json.dumps(result))
            self.assertEqual(len(told), 1, kind)

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
        # Noise exceeds what is compatible with none once in 2e7 runs.
        result = self.shown("mean", VISITS, "--select", "region", "--bounds", "region=0:1", "--confidence", 0.9999999)
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
