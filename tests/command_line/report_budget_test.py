"""modicum report budget."""

import math
import unittest

from _reports import TOTAL, ReportTest


class Budget(ReportTest):
    def budget(self, method, *more, total=TOTAL):
        return self.answer("report", "budget", "--release", self.fit(), "--method", method, *total,
                           *more)

    def test_is_that_of_the_report(self):
        for method in "data-dependent", "adaptive":
            plan = self.budget(method)
            parameters = self.report("logistic.csv", method)["certificate"]["parameters"]
            self.assertEqual(plan["mu"], parameters["mu"])
            self.assertEqual(plan["noise"]["gradient"], parameters["gradient_standard_deviation"])
            self.assertEqual(plan["noise"]["matrix"], parameters["matrix_standard_deviation"])
            self.assertEqual(plan["noise"]["eigenvalue"] > 0, method == "adaptive")
            self.assertLessEqual(plan["delta"]["upper"], 2e-6)
            parts = plan["published_epsilons"]
            self.assertLess(plan["report_epsilon"], sum(parts.values()))
            certificate = self.certificate()["parameters"]
            self.assertEqual(plan["regularization"], certificate["regularization"])
            # What is released of the gradient can only help, but for the failure that is left.
            self.assertGreater(plan["third_term"]["with_gradient"], 0)
            self.assertGreater(plan["third_term"]["without_gradient"], 0)

    def test_half_widths(self):
        plan = self.budget("data-dependent", "--failure", 0.03)
        p = self.certificate()["parameters"]
        sigma, added = p["standard_deviation"], plan["noise"]["gradient"]
        # What the noise on the coefficients can do to the gradient of a million rows.
        spread = p["minimizer_error"] + p["output_standard_deviation"] * (math.sqrt(4) + 8)
        more = 1.001 * spread * (p["regularization"] + 1e6 * p["smoothness"])
        # Two-sided normal quantiles: 2.170090 at 0.03, and 2.267932 at 7/9 of it.
        self.assertAlmostEqual(plan["third_term"]["without_gradient"],
                               p["lipschitz"] / sigma**2 * (sigma * 2.170090 + more), 5)
        left = sigma * added / math.hypot(sigma, added)
        self.assertAlmostEqual(plan["third_term"]["with_gradient"],
                               p["lipschitz"] / sigma**2 *
                               (left * 2.267932 + more + 1e6 * 2**-31 * p["lipschitz"]), 5)
        # The margin of the matrix: the quantile of the ensemble at a ninth of it.
        quantile = self.answer("quantile", "goe", "--dimension", 4, "--upper-tail", 0.03 / 9)
        self.assertAlmostEqual(plan["matrix_margin"] / plan["noise"]["matrix"],
                               quantile["quantile"]["upper"], 5)

    def test_shares(self):
        even, uneven = (self.budget("data-dependent", "--shares", shares)["noise"]
                        for shares in ("1,1", "4,1"))
        self.assertLess(uneven["gradient"], even["gradient"])
        self.assertGreater(uneven["matrix"], even["matrix"])
        self.assertAlmostEqual(even["gradient"] / uneven["gradient"], math.sqrt(1.6), 6)

    def test_words_and_refusals(self):
        text = self.succeed("report", "budget", "--release", self.fit(), "--method", "adaptive",
                            *TOTAL)
        for part in "sigma 2", "sigma 4", "tau sigma 3", "lambda", "No data were read":
            self.assertIn(part, text)
        self.assertIn("costs nothing", self.refuse(2, "report", "budget", "--release", self.fit(),
                                                   "--method", "data-independent", *TOTAL))
        self.assertIn("--method is missing", self.refuse(2, "report", "budget", "--release",
                                                         self.fit(), *TOTAL))
        for name in "per-instance", "evaluate", "budget":
            self.assertIn("Example", self.succeed("report", name, "--help"))


if __name__ == "__main__":
    unittest.main()
