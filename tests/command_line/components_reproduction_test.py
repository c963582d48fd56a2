"""reproduction/run --quick for the studies of private principal components."""

import csv
import math
import statistics
import unittest

from _studies import SOURCE, StudyTest, number
from _support import INSTRUMENTED

STUDIES = ["components-figure-3", "components-figure-4", "components-figure-5", "components-pure"]
DATA = SOURCE.parent / "shared" / "data"


class PureBounds(StudyTest):
    def test_the_three_numbers_of_the_paper(self):
        rows = self.study("components-pure", self.folder)
        self.assertEqual([row["beta"] for row in rows], [0.01, 0.2, 1.2])
        for row, printed in zip(rows, [0.16, 3.19, 19.17]):
            exact = row["beta"] * 200**2 / 2504
            self.assertAlmostEqual(row["replacing a row"], printed, delta=0.005)
            self.assertAlmostEqual(row["replacing a row"], exact, delta=1e-4)
            self.assertAlmostEqual(row["adding or removing one"], exact / 2, delta=1e-4)
            # A delta helps; more draws cost more, at most in proportion; ranks at most 4.5 times.
            one, two, three = row["delta = 1e-6, k = 1"], row["k = 2"], row["k = 3"]
            self.assertTrue(0 < one <= exact / 2 + 1e-4, row)
            self.assertTrue(one <= two <= 2 * exact / 2 + 1e-4, row)
            self.assertTrue(two <= three <= 3 * exact / 2 + 1e-4, row)
            self.assertTrue(3 * one < row["k = 1, by ranks"] <= 4.5 * exact / 2 + 1e-4, row)
            # (1 - e^{(epsilon - r)/2})^2 / (1 - e^{-r}) is delta, r the range.
            r = exact / 2
            delta = (1 - math.exp((one - r) / 2)) ** 2 / (1 - math.exp(-r))
            # The table has four decimals, which move the square root of delta by 5e-5 at most.
            self.assertLessEqual(abs(math.sqrt(delta * (1 - math.exp(-r)))
                                     - math.sqrt(1e-6 * (1 - math.exp(-r)))), 6e-5, row)

    def test_the_stored_results_are_there(self):
        stored = SOURCE / "reproduction" / "results"
        self.study("components-pure", self.folder)
        self.assertEqual((stored / "components-pure.md").read_text(),
                         (self.folder / "components-pure.md").read_text())
        for name in STUDIES[:3]:
            for ending in "md", "csv", "svg":
                self.assertTrue((stored / f"{name}.{ending}").exists(), name)

    def test_what_guarantees_say_of_a_test(self):
        for row in self.study("components-figure-2", self.folder):
            level = row["type I error"]
            self.assertAlmostEqual(
                row["epsilon = 1"], max(1 - math.e * level, (1 - level) / math.e), delta=1e-4)
            normal = statistics.NormalDist()
            self.assertAlmostEqual(row["mu = 1"], normal.cdf(normal.inv_cdf(1 - level) - 1), delta=1e-4)
            self.assertLess(row["rho = 1/2"], row["mu = 1"])


@unittest.skipIf(INSTRUMENTED, "takes minutes")
class Figures(StudyTest):
    def points(self, name):
        with open(self.folder / f"{name}-points.csv", newline="") as file:
            header, *rows = csv.reader(file)
        return [dict(zip(header, map(number, row))) for row in rows]

    def check_errors(self, data):
        rows = self.study("components-figure-3", data)
        self.assertEqual([(row["k"], row["norm"]) for row in rows],
                         [(k, norm) for norm in ("spectral", "Frobenius") for k in (1, 2, 3)])
        thresholds = {row["k"]: row["H(lambda_k)"] for row in rows}
        self.assertTrue(0 < thresholds[1] < thresholds[2] < thresholds[3])
        for row in self.points("components-figure-3"):
            k, frobenius = row["k"], row["norm"] == "Frobenius"
            if not frobenius:
                limit = min(1, thresholds[k] / row["beta"])
                self.assertAlmostEqual(row["predicted"], limit, delta=1e-3)
            # At this p the limit is off by up to a tenth of the largest value; another tenth is at
            # least five standard errors, usually ten, in any of 72 means: 4e-5 of all runs at most.
            largest = 2 * k if frobenius else 1
            self.assertLess(abs(row["mean"] - row["predicted"]), 0.2 * largest, row)
            self.assertLess(row["standard error"], 0.02 * largest, row)
            self.assertTrue(0 < row["mean"] < largest, row)

    def check_projections(self, data):
        rows = self.study("components-figure-4", data)
        self.assertEqual([(row["k"], row["mu"]) for row in rows],
                         [(k, mu) for k in (1, 2, 3) for mu in (0.5, 1, 1.5)])
        for row in rows:
            self.assertEqual(row["beta"] == "none", row["mu"] < row["least mu"], row)
        reached = sum(row["k"] == 2 and row["beta"] != "none" for row in rows)
        self.assertEqual(len(list(self.folder.glob("components-figure-4*.svg"))), 2 + reached)

    def check_tradeoff(self, data):
        # One level of 500 and 500 draws tells mu with a standard error of at most 0.09 for mu = 1.5
        # in the middle of the curve, the median over levels as well; the limit is off by less than
        # 0.1. Beyond 0.55: five standard errors, in 6e-7 of all runs a curve.
        rows = self.study("components-figure-5", data)
        self.assertGreater(len(rows), 2)
        for row in rows:
            self.assertLess(abs(row["mu, simulated"] - row["mu"]), 0.55, row)
            self.assertLess(row["proved"], row["simulated"], row)
        curves = {}
        for row in self.points("components-figure-5"):
            curves.setdefault((row["k"], row["mu"]), []).append(row)
            self.assertTrue(row["lower"] <= row["type II"] <= row["upper"], row)
        self.assertEqual(sorted(curves), sorted((row["k"], row["mu"]) for row in rows))
        for curve in curves.values():
            self.assertEqual(len(curve), 99)
            self.assertTrue(all(a["type II"] >= b["type II"] for a, b in zip(curve, curve[1:])))

    def check(self, data):
        self.check_errors(data)
        self.check_projections(data)
        self.check_tradeoff(data)

    def test_on_made_up_data(self):
        # All of it where there is no other data.
        self.check_projections(self.folder)
        if not (DATA / "genotypes_1000g").exists():
            self.check_errors(self.folder)
            self.check_tradeoff(self.folder)
        for name in [each for each in STUDIES[:3] if (self.folder / f"{each}.md").exists()]:
            self.assertIn("Made-up data", (self.folder / f"{name}.md").read_text())

    @unittest.skipUnless((DATA / "genotypes_1000g").exists(), "no data")
    def test_on_the_data(self):
        self.check(DATA)
        for name in STUDIES[:3]:
            self.assertIn("2504 people, 200 SNPs", (self.folder / f"{name}.md").read_text())


if __name__ == "__main__":
    unittest.main()
