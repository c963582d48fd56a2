"""reproduction/run --quick against the numbers of the papers."""

import csv
import os
import pathlib
import re
import subprocess
import unittest

from _support import INSTRUMENTED, CommandLineTest

SOURCE = pathlib.Path(os.environ["MODICUM_SOURCE_DIR"])
FIGURES = ["spherical-figure-2", "spherical-figure-3", "ndis-figure-2"]
TABLES = ["spherical-table-2", "spherical-table-3"]


class Reproduction(CommandLineTest):
    def run_studies(self, *arguments):
        return subprocess.run([SOURCE / "reproduction" / "run", "--output", self.folder,
                               *arguments], capture_output=True, text=True, timeout=500)

    def study(self, name):
        """The rows of a study's table, as dictionaries of numbers."""
        done = self.run_studies("--quick", name)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        markdown = (self.folder / f"{name}.md").read_text()
        for picture in re.findall(r"]\((.*)\)", markdown):
            self.assertTrue((self.folder / picture).read_text().endswith("</svg>\n"))
        with open(self.folder / f"{name}.csv", newline="") as file:
            return [{key: value if key == "data" else float(value) for key, value in row.items()}
                    for row in csv.DictReader(file)]

    def test_table_2(self):
        printed = {0.25: 0.736670, 0.5: 0.706970, 1: 0.649185, 2: 0.549133, 4: 0.416972,
                   8: 0.292170, 16: 0.197615}
        rows = self.study("spherical-table-2")
        self.assertEqual([row["epsilon"] for row in rows], list(printed))
        for row in rows:
            self.assertAlmostEqual(row["delta_star, ours"], printed[row["epsilon"]], delta=5e-7)

    def test_table_3(self):
        printed = {0.1: (25.040031, 0.813284), 1: (2.504003, 0.983594), 2: (1.252002, 0.995020),
                   4: (0.626001, 0.998804), 8: (0.313000, 0.999755)}
        rows = self.study("spherical-table-3")
        self.assertEqual([row["epsilon"] for row in rows], list(printed))
        for row in rows:
            variance, delta = printed[row["epsilon"]]
            self.assertAlmostEqual(row["psi, ours"], 0.798721, delta=5e-7)
            self.assertAlmostEqual(row["sigma*, ours"], variance, delta=5e-7)
            self.assertAlmostEqual(row["true delta, ours"], delta, delta=5e-7)

    @unittest.skipIf(INSTRUMENTED, "takes minutes")
    def test_black_box(self):
        # Fresh samples: each of the six bounds is above the truth in at most 5 % of all runs, and
        # by a tenth of it, four standard errors and more, hardly ever.
        rows = self.study("least-squares-figure-5")
        self.assertEqual([row["epsilon"] for row in rows], [0, 0.25, 0.5, 1, 1.5, 2])
        for row in rows:
            self.assertLess(row["delta, at least"], 1.1 * row["delta, limit law"])
        self.assertGreater(rows[0]["ratio"], 0.75)

    @unittest.skipIf(INSTRUMENTED, "takes minutes")
    def test_figure_2(self):
        # "Up to 15 %", shrinking with the dimension, p far from 1 and 2.
        two, ten = self.study("spherical-figure-2")
        self.assertEqual((two["T"], ten["T"]), (2, 10))
        self.assertTrue(15 <= two["gain, %"] < 16.5, two)
        self.assertTrue(4 <= ten["gain, %"] < 5, ten)
        for row in two, ten:
            self.assertTrue(1.2 < row["p"] < 1.8, row)

    @unittest.skipIf(INSTRUMENTED, "takes minutes")
    def test_figure_3(self):
        # "A clear and growing gap".
        two, four = self.study("spherical-figure-3")
        self.assertAlmostEqual(two["error, exact composition"], 227.07, delta=0.1)
        self.assertAlmostEqual(two["splitting / exact"], 1.457, delta=2e-3)
        self.assertAlmostEqual(four["splitting / exact"], 2.478, delta=2e-3)

    def test_leverage(self):
        # "Consistently above 1".
        rows = self.study("ndis-figure-2")
        self.assertEqual(len(rows), 6)
        for row in rows:
            self.assertGreater(row["factor"], 6)
        by_place = {(row["r"], row["epsilon"]): row for row in rows}
        self.assertAlmostEqual(by_place[50, 5]["p_NDIS"], 0.1407, delta=5e-5)

    def test_two_runs_write_the_same(self):
        texts = []
        for _ in range(2):
            self.study("ndis-figure-2")
            texts.append([path.read_bytes() for path in sorted(self.folder.iterdir())])
        self.assertEqual(*texts)

    def test_the_stored_results_are_those_of_the_studies(self):
        stored = SOURCE / "reproduction" / "results"
        for name in TABLES:
            self.study(name)
            self.assertEqual((stored / f"{name}.md").read_text(),
                             (self.folder / f"{name}.md").read_text())
        for name in TABLES + FIGURES:
            for ending in "md", "csv":
                self.assertTrue((stored / f"{name}.{ending}").exists(), name)

    def test_usage(self):
        self.assertIn("spherical-table-2", self.run_studies("--help").stdout)
        self.assertEqual(self.run_studies("bogus").returncode, 2)


if __name__ == "__main__":
    unittest.main()
