"""modicum calibrate components, against the formulas written down again."""

import json
import math
import unittest

from _support import CommandLineTest

EIGENVALUES = [9.0, 5.0, 2.5] + [1.6 * (1 - i / 200) ** 2 for i in range(197)]
ROWS = 2500


class Formulas:
    """H and its slope at the last component, with plain sums."""

    def __init__(self, values, rows, components):
        self.values, self.p, self.k = values, len(values), components
        last = values[components - 1]
        self.h = sum(1 / (last - x) for x in values[components:]) / self.p
        self.slope = -sum((last - x) ** -2 for x in values[components:]) / self.p
        self.gap = last - values[components]
        self.theta = rows / self.p ** 1.5
        self.least = math.sqrt(-self.slope / 2) / self.theta

    def squared_mu(self, beta):
        x = beta - self.h
        if x <= -self.gap * self.slope:
            return self.least ** 2
        return x * x / (2 * self.theta ** 2 * self.gap * (2 * x + self.gap * self.slope))

    def errors(self, beta):
        each = []
        for value in self.values[:self.k]:
            h = sum(1 / (value - x) for x in self.values[self.k:]) / self.p
            each.append(min(1, h / beta))
        return each


class CalibrateComponents(CommandLineTest):
    def calibrate(self, components, *arguments, values=EIGENVALUES, rows=ROWS):
        path = self.file(values, "eigenvalues.json")
        return self.answer("calibrate", "components", "--eigenvalues", path, "--rows", rows,
                           "--components", components, *arguments)

    def refused(self, code, components, *arguments, values=EIGENVALUES, rows=ROWS):
        path = self.file(values, "eigenvalues.json")
        return self.refuse(code, "calibrate", "components", "--eigenvalues", path, "--rows", rows,
                           "--components", components, *arguments)

    def test_beta_has_the_mu_that_was_asked_for(self):
        for components in 1, 2, 3:
            formulas = Formulas(EIGENVALUES, ROWS, components)
            for mu in 0.5, 1, 1.5, 8:
                found = self.calibrate(components, "--mu", mu)
                beta = found["beta"]
                self.assertAlmostEqual(formulas.squared_mu(beta) / mu ** 2, 1, 9)
                self.assertGreater(formulas.squared_mu(beta * 1.0001), mu ** 2)
                self.assertAlmostEqual(found["mu_minimum"], formulas.least, 12)
                self.assertIs(found["plateau"], False)
                errors = formulas.errors(beta)
                self.assertAlmostEqual(found["predicted_error"]["spectral"], max(errors), 12)
                self.assertAlmostEqual(found["predicted_error"]["frobenius"], 2 * sum(errors), 12)
                pure = beta * 200 ** 2 / ROWS
                self.assert_just_above(found["pure_epsilon"], repr(pure * (1 - 1e-15)), 1e-12)
                self.assertEqual(found["pure_epsilon_add_remove"], found["pure_epsilon"] / 2)
                self.assertEqual(found["guarantee"], "asymptotic")

    def test_the_plateau(self):
        least = self.calibrate(3, "--mu", 1)["mu_minimum"]
        found = self.calibrate(3, "--mu", repr(least))
        self.assertIs(found["plateau"], True)
        formulas = Formulas(EIGENVALUES, ROWS, 3)
        self.assertAlmostEqual(found["beta"], formulas.h - formulas.gap * formulas.slope, 9)
        self.assertIn("plateau", self.refused(3, 3, "--mu", repr(least * (1 - 1e-12))))
        words = self.succeed("calibrate", "components", "--eigenvalues",
                             self.folder / "eigenvalues.json", "--rows", ROWS, "--components", 3,
                             "--mu", 1)
        for part in ("plateau", "asymptotic", "Proved", "confidential"):
            self.assertIn(part, words)

    def test_from_epsilon_and_delta(self):
        found = self.calibrate(2, "--epsilon", 1, "--delta", "1e-6")
        point = self.ask("profile", {"mechanism": "gaussian_dp", "mu": found["mu"]},
                         "--epsilon", 1)
        self.assertAlmostEqual(point["delta"]["upper"] / 1e-6, 1, 6)
        self.assertLessEqual(point["delta"]["lower"], 1e-6)
        self.assertEqual(found["beta"], self.calibrate(2, "--mu", repr(found["mu"]))["beta"])
        # What is proved at this beta is far more than what the limit says.
        self.assertEqual(found["proved"]["delta"], 1e-6)
        self.assertGreater(found["proved"]["epsilon"], 1)
        proved = self.ask("epsilon", {"mechanism": "bounded_range", "count": 2,
                                      "range": found["pure_epsilon_add_remove"]},
                          "--delta", "1e-6")
        self.assertLessEqual(found["proved"]["epsilon"], proved["epsilon"]["upper"] * (1 + 1e-9))

    def test_ranks_cost_more_than_rows_scaled_one_by_one(self):
        # Rows (i, i), i < 200, and one more, (1e9, -1e9), by ranks. The law of one component over the
        # plane has exponent (beta p/(2 n)) v^T G v; the largest log ratio of the densities of both
        # tables is the truth, and more than what rows that are scaled one by one would have.
        def ranks(column):
            order = sorted(column)
            n = len(column)
            return [(order.index(x) + n - 1 - order[::-1].index(x) - (n - 1)) / (n - 1)
                    for x in column]

        def gram(rows):
            a, b = (ranks(column) for column in zip(*rows))
            return (sum(x * x for x in a), sum(x * y for x, y in zip(a, b)), sum(y * y for y in b))

        def energies(g, factor):
            return [factor * (g[0] * math.cos(t) ** 2 + 2 * g[1] * math.cos(t) * math.sin(t)
                              + g[2] * math.sin(t) ** 2)
                    for t in (math.pi * i / 20000 for i in range(20000))]

        def log_mean(values):
            top = max(values)
            return top + math.log(sum(math.exp(x - top) for x in values) / len(values))

        rows, beta = [(i, i) for i in range(200)], 303.4
        with_row = gram(rows + [(1e9, -1e9)])
        without, added = (energies(g, beta * 2 / 400) for g in (gram(rows), with_row))
        shift = log_mean(added) - log_mean(without)
        truth = max(abs(y - x - shift) for x, y in zip(without, added))
        self.assertGreater(truth, 4)
        path = self.file([1.0, 0.0], "eigenvalues.json")
        common = ["--eigenvalues", path, "--rows", 200, "--components", 1, "--beta", beta]
        calibrated = self.answer("calibrate", "components", *common, "--ranks")
        audited = self.answer("audit", "components", *common, "--ranks", "--draws", 100)
        separate = self.answer("calibrate", "components", *common)
        self.assertLess(separate["pure_epsilon_add_remove"], truth)
        self.assertNotIn("scaling", separate)
        for found in calibrated, audited:
            self.assertGreater(found["pure_epsilon_add_remove"], truth)
            self.assertAlmostEqual(found["pure_epsilon"],
                                   4.5 * separate["pure_epsilon"], 9)
            self.assertEqual(found["scaling"], "ranks")
        # As release components has it for the same beta.
        table = self.file("a,b\n" + "\n".join(f"{a},{b}" for a, b in rows) + "\n", "rows.csv")
        released = self.answer("release", "components", table, "--ranks", "--components", 1,
                               "--beta", beta, "--rows", 200, "--output",
                               self.folder / "axes.csv")
        self.assertAlmostEqual(released["certificate"]["target"]["epsilon"],
                               calibrated["pure_epsilon_add_remove"], 9)
        for command in "calibrate", "audit":
            words = [self.succeed(command, "components", *common, *more, *fewer)
                     for more in ([], ["--ranks"])
                     for fewer in [["--draws", 100] if command == "audit" else []]]
            self.assertIn("for rows that are scaled one by one", words[0])
            self.assertIn("for ranks within columns", words[1])

    def test_what_a_beta_gives(self):
        formulas = Formulas(EIGENVALUES, ROWS, 2)
        for beta in 1.0, 7.5:
            found = self.calibrate(2, "--beta", beta)
            self.assertEqual(found["beta"], beta)
            self.assertAlmostEqual(found["mu"], math.sqrt(formulas.squared_mu(beta)), 9)
            self.assertAlmostEqual(found["predicted_error"]["spectral"],
                                   max(formulas.errors(beta)), 12)
        below = self.calibrate(2, "--beta", 0.5 * formulas.h)
        self.assertIsNone(below["mu"])
        self.assertIs(below["plateau"], False)
        tied = self.calibrate(1, "--beta", 2, values=[1.0, 1.0, 0.5])
        self.assertIsNone(tied["mu_minimum"])
        self.refused(2, 1, "--beta", 1, "--mu", 1)
        self.refused(2, 1, "--beta", 1, "--epsilon", 1, "--delta", "1e-6")
        for bad in -1, "nan", "inf":
            self.refused(2, 1, "--beta", bad)

    def test_numbers_of_the_paper(self):
        # p = 200, n = 2504: pure epsilon 0.16, 3.19, 19.17 for beta = 0.01, 0.2, 1.2.
        for beta, epsilon in (0.01, "0.16"), (0.2, "3.19"), (1.2, "19.17"):
            self.assertEqual(f"{beta * 200 ** 2 / 2504:.2f}", epsilon)
        # The same through the command: the mu that the formulas give 1.2.
        formulas = Formulas(EIGENVALUES, 2504, 3)
        mu = math.sqrt(formulas.squared_mu(1.2))
        found = self.calibrate(3, "--mu", repr(mu), rows=2504)
        self.assertEqual(f"{found['pure_epsilon']:.2f}", "19.17")

    def test_fewer_rows_than_dimensions(self):
        values = [50.0, 20.0] + [1.0] * 28 + [0.0] * 170
        found = self.calibrate(2, "--mu", 30, values=values, rows=30)
        formulas = Formulas(values, 30, 2)
        self.assertAlmostEqual(formulas.squared_mu(found["beta"]) / 900, 1, 9)

    def test_refusals(self):
        mu = ("--mu", 1)
        self.assertIn("same eigenvalue", self.refused(3, 1, *mu, values=[1.0, 1.0, 0.5]))
        self.assertIn("all directions", self.refused(3, 3, *mu, values=[1.0, 0.9, 0.5]))
        self.assertIn("delta is 0", self.refused(3, 1, "--epsilon", 1, "--delta", 0))
        self.refused(2, 1, *mu, values=[1.0, 2.0])          # not descending
        self.refused(2, 1, *mu, values=[1.0, -0.5])
        self.refused(2, 1, *mu, values=[5.0, 1.0])          # more than rows of norm sqrt p have
        self.refused(2, 1, *mu, values=[])
        self.refused(2, 1, *mu, values="[1, null]")
        self.refused(2, 1, *mu, values='{"values": [1]}')
        for components in 0, 201, 1.5, "nan":
            self.refused(2, components, *mu)
        for rows in 0, -3, 2.5, "inf":
            self.refused(2, 1, *mu, rows=rows)
        for bad in 0, -1, "nan", "inf":
            self.refused(2, 1, "--mu", bad)
        self.assertIn("--mu", self.refused(2, 1))
        self.assertIn("--epsilon", self.refused(2, 1, *mu, "--epsilon", 1))
        self.refused(2, 1, "--epsilon", 1)

    def test_the_example(self):
        self.assertIn("beta", self.succeed(
            "calibrate", "components", "--eigenvalues", "-", "--rows", 2500, "--components", 2,
            "--mu", 1, text=json.dumps(EIGENVALUES)))


if __name__ == "__main__":
    unittest.main()
