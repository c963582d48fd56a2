"""`release .. --explain` with a budget: what would be promised, how large the noise would be, what it
would cost. No row is read for it, and nothing is charged."""

import json
import pathlib
import unittest

from _support import CommandLineTest

WAGES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "wages.csv"
TARGET = ["--epsilon", "0.2", "--delta", "1e-8"]
WAGE = ["--select", "wage", "--bounds", "wage=0:60"]
RANGES = [item for text in ("age=18:70", "schooling=0:20", "hours=0:80") for item in ("--range", text)]
RELEASES = {
    "count": [], "sum": WAGE, "mean": [*WAGE, "--by", "schooling", "--edges", "0,10,14,20"], "median": WAGE,
    "variance": WAGE, "histogram": ["--select", "age", "--edges", "18,30,40,50,70"],
    "vector": ["--statistic", "mean", "--select", "wage", "--range", "wage=0:60"],
    "covariance": ["--row-norm-bound", 100], "scales": ["--range-of-all", "0:80"],
    "regression": ["--target", "wage", "--intercept", *RANGES, "--range", "wage=0:60"],
    "logistic": ["--target", "wage", "--threshold", 20, "--intercept", *RANGES],
    "components": ["--components", 2, "--range-of-all", "0:80"],
}


class PromiseTest(CommandLineTest):
    def budget(self, epsilon=3):
        store = self.folder / "study.db"
        self.succeed("ledger", "create", "--ledger", store, "--budget", "study", "--epsilon", epsilon, "--delta", "1e-5")
        return store

    def entries(self, store):
        return self.answer("ledger", "list", "--ledger", store)["entries"]

    def explained(self, name, *more, table=WAGES):
        return self.answer("release", name, table, *RELEASES[name], *more, "--explain")

    def test_a_release_costs_and_promises_what_was_told(self):
        store = self.budget()
        for name in RELEASES:
            before = len(self.entries(store))
            told = self.explained(name, *TARGET, "--ledger", store)
            self.assertEqual(len(self.entries(store)), before, name)
            done = self.answer("release", name, WAGES, *RELEASES[name], *TARGET, "--ledger", store,
                               "--output", self.folder / f"{name}.csv")
            self.assertEqual(told["ledger"]["price"], done["ledger"]["price"], name)
            for key in "target", "loss", "guarantee", "adjacency", "mechanism":
                self.assertEqual(told["certificate"][key], done["certificate"][key], name)
            budget = self.answer("ledger", "status", "--ledger", store)["budgets"][0]
            left = budget["mu_squared"]["total"] - budget["mu_squared"]["spent"]
            self.assertAlmostEqual(told["ledger"]["left"]["mu_squared"], left, delta=1e-12)
            self.assertLessEqual(told["ledger"]["left"]["mu_squared"], left * (1 + 1e-12))

    def test_several_classes(self):
        asked = ["release", "logistic", WAGES, "--target", "schooling", "--labels", "10", "12", "14", "--select", "age",
                 "--range", "age=18:70", *TARGET]
        told, done = self.answer(*asked, "--explain"), self.answer(*asked, "--output", "-")
        self.assertEqual([(each["name"], each["use"]) for each in told["columns"]],
                         [("age", "number"), ("schooling", "category"), ("hours", "none"), ("wage", "none")])
        for key in "target", "loss", "guarantee", "adjacency", "mechanism", "assumptions":
            self.assertEqual(told["certificate"][key], done["certificate"][key])
        self.refuse(2, *asked, "--threshold", 3, "--explain")

    def test_intervals_are_as_wide_as_was_told(self):
        for name, rows in (("count", None), ("sum", None), ("mean", 1000.0), ("variance", 1000.0)):
            more = ["--epsilon", 1, "--delta", "1e-6"]
            told = next(each["half_width"] for each in self.explained(name, *more)["expected"] if each.get("rows") == rows)
            released = self.answer("release", name, WAGES, *RELEASES[name], *more, "--output", "-")
            _, lower, upper = released["released"]["values"][-1]
            if name == "count":
                self.assertEqual(told, (upper - lower) / 2)
            elif name == "sum":
                self.assertAlmostEqual(told, (upper - lower) / 2, delta=1e-9 * told)
            else:  # of a group of another size: the width goes with the inverse of it
                counts = released["certificate"]["parameters"]["released_counts"]
                self.assertLess(abs((upper - lower) / 2 * counts[-1] / 1000 / told - 1), 1, name)

    def test_nothing_of_it_hangs_on_the_rows(self):
        tables = {}
        header = WAGES.read_text().splitlines()[0]
        for rows in ("", "1,2,3,4\n", "nonsense\n" * 7, "\x00\n", "30,12,40,25\n" * 500):
            path = self.file(f"{header}\n{rows}", "table.csv")
            for name in "count", "mean", "median", "regression":
                tables.setdefault(name, set()).add(json.dumps(self.explained(name, *TARGET, table=path)))
        for name, told in tables.items():
            self.assertEqual(len(told), 1, name)

    def test_what_does_not_fit_is_told_as_such(self):
        store = self.budget(epsilon="0.1")
        told = self.explained("count", "--epsilon", 1, "--delta", "1e-6", "--ledger", store)
        self.assertFalse(told["ledger"]["fits"])
        self.assertIn("does not fit", told["ledger"]["refusal"])
        self.assertEqual(self.entries(store), [])
        self.assertIn("would be refused", self.succeed("release", "count", WAGES, "--epsilon", 1, "--delta", "1e-6",
                                                       "--ledger", store, "--explain"))

    def test_without_a_budget_columns_are_explained_alone(self):
        for more in [], ["--epsilon", 1]:
            told = self.explained("count", *more)
            self.assertTrue(told["explained"])
            self.assertNotIn("certificate", told)

    def test_a_budget_that_is_none_is_refused(self):
        self.assertIn("epsilon", self.refuse(2, "release", "count", WAGES, "--epsilon", "-1", "--delta", "1e-6", "--explain"))
        self.assertIn("delta", self.refuse(2, "release", "count", WAGES, "--epsilon", 1, "--delta", 2, "--explain"))


if __name__ == "__main__":
    unittest.main()
