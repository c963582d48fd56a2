"""release JOBS.json: several everyday statistics under one budget."""

import csv
import json
import pathlib
import unittest

from _support import CommandLineTest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
WAGES, VISITS, JOBS = EXAMPLES / "wages.csv", EXAMPLES / "visits.csv", EXAMPLES / "jobs.json"
BUDGET = {"epsilon": 1, "delta": 1e-6}
MEAN = {"mean": {"select": ["wage"], "bounds": {"wage": [0, 60]}}}


def jobs(releases, table=WAGES, **more):
    return {"budget": BUDGET, "table": str(table), "releases": releases, **more}


class JobsTest(CommandLineTest):
    def shown(self, tree, *arguments):
        return self.answer("release", self.file(tree, "jobs.json"), "--output", "-", *arguments)

    def test_the_example_is_one_release_with_one_certificate(self):
        path = self.fresh("answers.csv")
        words = self.succeed("release", JOBS, "--output", path)
        self.assertIn("3 releases under one budget", words)
        with open(path, newline="") as file:
            rows = [row["name"] for row in csv.DictReader(file)]
        self.assertEqual(len(rows), 3 + 3 + 3)
        self.assertEqual(rows[3], "mean of wage by schooling: 0:10")
        self.assertTrue((self.folder / "answers.csv.certificate.json").is_file())

    def test_twelve_counts_are_composed_exactly(self):
        result = self.shown(jobs([{"count": {}}] * 12))
        parameters = result["certificate"]["parameters"]
        self.assertAlmostEqual(parameters["release_1_standard_deviation"], 14.63, delta=0.01)
        self.assertEqual(len(result["released"]["values"]), 12)

    def test_the_loss_gives_back_the_target(self):
        result = self.shown(jobs([{"count": {}}, MEAN, {"quantile": {**MEAN["mean"], "level": [0.1, 0.5],
                                                                     "weight": 3}}]))
        certificate = result["certificate"]
        self.assertEqual((certificate["guarantee"], certificate["arithmetic"]), ("proved", "exact"))
        loss = self.file(certificate["loss"], "loss.json")
        self.assertLessEqual(self.answer("profile", loss, "--epsilon", 1)["delta"]["upper"], 1e-6)
        self.assertAlmostEqual(self.answer("epsilon", loss, "--delta", "1e-6")["epsilon"]["upper"], 1, delta=1e-6)

    def test_lists_are_lists(self):
        result = self.shown(jobs([{"count": {"by": ["region"], "categories": ["north", "south"]}},
                                  {"histogram": {"select": "visits", "edges": {"visits": [0, 3, 10]}}}], VISITS))
        self.assertEqual(result["released"]["rows"], ["count by region: north", "count by region: south",
                                                      "count by visits: 0:3", "count by visits: 3:10"])

    def test_tables_are_found_beside_the_file_or_given(self):
        table = self.folder / "rows.csv"
        table.write_text("wage\n" + "30\n" * 500)
        tree = jobs([MEAN], "rows.csv")
        self.assertLess(abs(self.shown(tree)["released"]["values"][0][0] - 30), 10)
        given = self.shown({**tree, "table": "none.csv"}, "--table", table)
        self.assertLess(abs(given["released"]["values"][0][0] - 30), 10)

    def test_neighbors_by_replacement_hold_for_all(self):
        result = self.shown(jobs([MEAN, {"count": {"by": "age", "edges": [18, 40, 70]}}], neighbors="replace"))
        self.assertEqual(result["certificate"]["adjacency"], "replace_one")
        self.assertEqual({part["adjacency"] for part in result["certificate"]["loss"]["compose"]}, {"replace_one"})

    def test_a_ledger_is_charged_once(self):
        store = self.folder / "ledger.db"
        self.succeed("ledger", "create", "--ledger", store, "--budget", "all", "--epsilon", 2, "--delta", "1e-5")
        result = self.shown(jobs([{"count": {}}, MEAN]), "--ledger", store)
        first = result["ledger"]["entry"]
        status = self.answer("ledger", "status", "--ledger", store)
        self.assertEqual(status["budgets"][0]["entries"], 1)
        # A share of what is left is a budget, too.
        half = self.shown({**jobs([{"count": {}}]), "budget": {"share": 0.5}}, "--ledger", store)
        self.assertGreater(half["ledger"]["entry"], first)
        self.assertEqual(self.answer("ledger", "status", "--ledger", store)["budgets"][0]["entries"], 2)

    def test_explains_without_reading(self):
        words = self.succeed("release", JOBS, "--explain")
        self.assertIn("a number, clamped to [0, 60]", words)
        self.assertIn("a number between the edges", words)

    def test_neighboring_tables_differ_in_numbers_alone(self):
        told = []
        for rows in ["north,3\nsouth,4\n", "north,3\nsouth,4\nwest,nine\n", "north,3\n,,,\n"]:
            table = self.folder / "rows.csv"
            table.write_text("region,visits\n" + rows)
            result = self.shown(jobs([{"count": {"by": "region", "categories": ["north", "south"]}},
                                      {"sum": {"select": "visits", "bounds": {"visits": [0, 9]}}}], table))
            result["released"].pop("values")
            for key in "time", "output":
                result["certificate"].pop(key, None)
            result.pop("warnings", None)
            told.append(json.dumps(result))
        self.assertEqual(len(set(told)), 1)

    def test_mistakes_are_told_as_mistakes(self):
        for tree, message in [  # the key that is wrong, and the rule
                (jobs([]), "releases is a list, but must be a list of what is released"),
                (jobs([{"average": {}}]), "releases[0]: the statistic is \"average\", but must be one of: count, sum"),
                (jobs([{"mean": {"select": ["wage"]}}]), "releases[0]: bounds must be given for wage"),
                (jobs([{"mean": {**MEAN["mean"], "wieght": 1}}]), "releases[0].mean.wieght is an unknown key"),
                (jobs([{"mean": {**MEAN["mean"], "weight": 0}}]), "releases[0].mean.weight is 0"),
                (jobs([MEAN], neighbours="replace"), "neighbours is an unknown key"),
                ({"table": "x", "releases": [MEAN]}, "budget is missing"),
                ({**jobs([MEAN]), "budget": {"epsilon": 1}}, "delta"),
                ({**jobs([MEAN]), "budget": {"epsilon": -1, "delta": 0.1}}, "epsilon is -1"),
                (jobs([{"count": {}}], neighbors="replace"), "public"),
                ("[1, 2", "jobs.json")]:
            with self.subTest(message=message):
                refused = self.refuse(2, "release", self.file(tree, "jobs.json"), "--output", "-")
                self.assertIn(message, refused)
        self.assertIn("--table is missing",
                      self.refuse(2, "release", self.file({"budget": BUDGET, "releases": [MEAN]}, "jobs.json"),
                                  "--output", "-"))
        self.assertIn("command is \"means\", but must be one of",
                      self.refuse(2, "release", "means", "--output", "-"))
        self.refuse(4, "release", self.folder / "none.json", "--output", "-")
        self.refuse(3, "release", self.file({**jobs([MEAN]), "budget": {"epsilon": 1, "delta": 0}}, "jobs.json"),
                    "--output", "-")


if __name__ == "__main__":
    unittest.main()
