"""modicum compare regression and compare projection, and the study that is made with them.

Errors are random, with fresh bits in every run. Where a test looks at a mean over N trials, it
allows for 6 standard errors: a false alarm in 1e-9 of all runs, as far as the mean is normal.
"""

import csv
import os
import pathlib
import subprocess
import unittest

from _support import INSTRUMENTED, CommandLineTest
from _tables import as_csv, regression_rows

SOURCE = pathlib.Path(os.environ["MODICUM_SOURCE_DIR"])
TARGET = ["--epsilon", 1, "--delta", "1e-6"]


def standard_error(spread):
    return spread["half_width"] / 1.959963984540054


class Compare(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.path = self.file(as_csv(regression_rows(3000)), "rows.csv")
        self.start = [self.path, "--row-norm-bound", 1.5, *TARGET, "--confidential"]

    def methods(self, kind, *arguments):
        result = self.answer("compare", kind, *self.start, *arguments)
        self.assertEqual(list(result),
                         ["confidential", "trials", "row_norm_bound", "methods", "left_out"])
        return {method["name"]: method for method in result["methods"]}, result


class Regression(Compare):
    def test_every_method(self):
        found, result = self.methods("regression", "--target", "y", "--columns", 200,
                                     "--trials", 60)
        self.assertEqual(set(found), {"preconditioned", "least-squares", "approximate", "projection",
                                      "covariance", "adaptive-sufficient-statistics",
                                      "singular-value", "additive"})
        medians = [method["residual_ratio"]["median"] for method in result["methods"]]
        self.assertEqual(medians, sorted(medians))
        self.assertEqual([each["name"] for each in result["left_out"]],
                         ["objective", "relative", "relative-projection", "relative-approximate",
                          "relative-gaussian"])
        self.assertEqual((result["trials"], result["confidential"]), (60, True))
        for name, method in found.items():
            self.assertEqual(method["guarantee"],
                             "asymptotic" if name == "approximate" else "proved")
            self.assertLessEqual(method["delta"]["upper"], 1e-6)
            self.assertEqual(list(method["relative_error"]), ["mean", "half_width", "median", "upper_decile"])
            self.assertEqual(method["failed_trials"], 0)
        for name in "least-squares", "approximate", "projection", "singular-value", "additive":
            self.assertEqual(found[name]["columns"], 200)
            self.assertAlmostEqual(found[name]["sigma"]**2 / found[name]["ridge"], 1, 12)
        for name in "covariance", "adaptive-sufficient-statistics":
            self.assertNotIn("ridge", found[name])
            self.assertGreater(found[name]["standard_deviation"], 0)
        # The ridge is much the same for both, which have the same law in the limit.
        first, second = found["least-squares"], found["approximate"]
        self.assertEqual(first["ridge"], second["ridge"])
        # Less noise, less error: the ridges differ by a factor of 8 and more.
        self.assertLess(first["relative_error"]["mean"], found["singular-value"]
                        ["relative_error"]["mean"])
        self.assertLess(found["singular-value"]["relative_error"]["mean"],
                        found["additive"]["relative_error"]["mean"])

    def test_over_the_constant(self):
        """Least squares explains most of y, so both ratios tell the same, up to a factor."""
        found, _ = self.methods("regression", "--target", "y", "--trials", 5, "--intercept", "--method",
                                "preconditioned", "covariance")
        ratios = [method["residual_ratio"]["mean"] / method["constant_ratio"]["mean"]
                  for method in found.values()]
        self.assertAlmostEqual(ratios[0], ratios[1], 9)
        self.assertGreater(ratios[0], 1)

    def test_with_ranges_objective_perturbation_takes_part(self):
        found = self.answer("compare", "regression", self.path, "--range-of-all=-1:1", *TARGET,
                            "--confidential", "--target", "y", "--trials", 2, "--method", "objective",
                            "preconditioned")["methods"]
        self.assertEqual({method["name"] for method in found}, {"objective", "preconditioned"})

    def test_ridges_are_those_of_calibrate(self):
        found, _ = self.methods("regression", "--target", "y", "--columns", 50, "--trials", 2,
                                "--method", "least-squares", "projection", "covariance")
        rows = ["--columns", 50, "--row-norm-bound", 1.5, *TARGET]
        draw = self.answer("calibrate", "least-squares", "--features", 2, *rows)
        self.assertEqual(found["least-squares"]["ridge"], draw["ridge"])
        self.assertEqual(found["projection"]["ridge"],
                         self.answer("calibrate", "projection", *rows)["ridge"])
        self.assertEqual(found["covariance"]["standard_deviation"],
                         self.answer("calibrate", "covariance", "--row-norm-bound", 1.5, *TARGET)
                         ["standard_deviation"])

    def test_a_declared_set(self):
        inherent = self.answer("audit", "inherent", self.path, "--target", "y", "--columns", 100,
                               "--confidential", "--epsilon", 1)["regression"]
        found, result = self.methods(
            "regression", "--target", "y", "--columns", 100, "--trials", 400, "--set-leverage",
            inherent["set_leverage"], "--set-residual", inherent["set_residual"],
            "--solution-sensitivity", inherent["solution_sensitivity"], "--method", "relative",
            "relative-projection", "relative-approximate", "relative-gaussian")
        self.assertEqual(result["left_out"], [])
        for name in "relative", "relative-gaussian":
            self.assertEqual(found[name]["guarantee"], "relative")
        for name, guarantees in (("relative-projection", ("relative", "proved")),
                                 ("relative-approximate", ("asymptotic",))):
            self.assertIn(found[name]["guarantee"], guarantees)
        self.assertNotIn("ridge", found["relative"])
        # The solution x = (0.5, -0.25) up to 0.01, with noise of the deviation in each coordinate:
        # the mean norm of two normals is sqrt(pi/2).
        noise = found["relative-gaussian"]
        error = noise["relative_error"]
        self.assertAlmostEqual(error["mean"], 1.2533 * noise["standard_deviation"] / 0.559,
                               delta=6 * standard_error(error) + 0.03 * error["mean"])

    def test_some_methods_only(self):
        found, result = self.methods("regression", "--target", "y", "--trials", 2, "--method",
                                     "covariance", "relative")
        self.assertEqual(list(found), ["covariance"])
        self.assertEqual([each["name"] for each in result["left_out"]], ["relative"])
        error = self.refuse(2, "compare", "regression", *self.start, "--target", "y", "--method",
                            "covariance", "bogus")
        self.assertIn('--method is "bogus", but must be one of: preconditioned', error)

    def test_few_columns_leave_sketches_out(self):
        found, result = self.methods("regression", "--target", "y", "--columns", 2, "--trials", 2,
                                     "--method", "covariance", "projection", "additive")
        self.assertEqual(list(found), ["covariance"])
        reasons = {each["name"]: each["reason"] for each in result["left_out"]}
        self.assertIn("as many columns", reasons["additive"])

    def test_words(self):
        text = self.succeed("compare", "regression", *self.start, "--target", "y", "--trials", 5,
                            "--columns", 50, "--method", "covariance", "relative-gaussian")
        self.assertTrue(text.startswith("Confidential"))
        for part in ("Regressions of y on 2 features", "5 trials", "same clipped rows",
                     "Left out: relative-gaussian", "95 %"):
            self.assertIn(part, text)

    def test_bad_arguments(self):
        start = ["compare", "regression", *self.start]
        self.assertIn("--target is missing", self.refuse(2, *start))
        for arguments, message in (
                (["--target", "z"], "--target is 'z'"),
                (["--target", "y", "--trials", 1], "--trials is 1"),
                (["--target", "y", "--trials", 2.5], "--trials is 2.5"),
                (["--target", "y", "--columns", 0], "columns is 0"),
                (["--target", "y", "--method", "relative", "--set-leverage", 2, "--set-residual",
                  0], "leverage")):
            self.assertIn(message, self.refuse(2, *start, *arguments), arguments)
        without = [item for item in start if item != "--confidential"]
        error = self.refuse(2, *without, "--target", "y")
        self.assertIn("--confidential is missing", error)
        self.refuse(4, "compare", "regression", self.folder / "none.csv", *self.start[1:],
                    "--target", "y")
        self.assertIn("--row-norm-bound is missing",
                      self.refuse(2, "compare", "regression", self.path, *TARGET, "--target", "y",
                                  "--confidential"))
        self.refuse(3, "compare", "regression", self.path, "--row-norm-bound", 1.5, "--epsilon", 1,
                    "--delta", 0, "--target", "y", "--confidential")


class Projection(Compare):
    def test_every_method(self):
        found, result = self.methods("projection", "--columns", 100, "--trials", 50)
        self.assertEqual(list(found),
                         ["projection", "propose-test-release", "singular-value", "additive"])
        self.assertEqual([each["name"] for each in result["left_out"]], ["relative", "subsampled"])
        for method in found.values():
            for key in ("distance_ratio", "dot_product_correlation", "off_diagonal_correlation",
                        "relative_spectral_error", "ridge_used"):
                self.assertEqual(list(method[key]), ["mean", "half_width", "median", "upper_decile"])
        projection = found["projection"]
        self.assertEqual(projection["ridge_used"]["mean"], projection["ridge"])
        self.assertEqual(projection["ridge_used"]["half_width"], 0)
        self.assertLess(found["propose-test-release"]["ridge_used"]["mean"],
                        projection["ridge"] * 2)
        self.assertLess(projection["relative_spectral_error"]["mean"],
                        found["additive"]["relative_spectral_error"]["mean"])

    def test_distances_without_ridge_are_kept(self):
        # E |M_i - M_j| / |D_i - D_j| = E chi_r / sqrt r, 0.9975 for r = 100.
        found, _ = self.methods("projection", "--columns", 100, "--trials", 400, "--set-leverage",
                                0.001)
        ratio = found["relative"]["distance_ratio"]
        self.assertEqual(found["relative"]["guarantee"], "relative")
        self.assertAlmostEqual(ratio["mean"], 0.9975, delta=6 * standard_error(ratio) + 1e-4)
        self.assertLess(ratio["half_width"], 0.02)

    def test_two_columns_have_one_pair(self):
        found, _ = self.methods("projection", "--columns", 50, "--trials", 3, "--select", "u", "v")
        self.assertIsNone(found["projection"]["off_diagonal_correlation"]["mean"])
        self.assertIn("undefined", self.succeed("compare", "projection", *self.start, "--columns",
                                                50, "--trials", 3, "--select", "u", "v"))

    def test_bad_arguments(self):
        self.refuse(2, "compare", "projection", *self.start, "--columns", 2.5)
        self.refuse(2, "compare", "projection", *self.start, "--target", "y")
        self.assertIn("--confidential is missing",
                      self.refuse(2, "compare", "projection", *self.start[:-1]))


class Study(CommandLineTest):
    """reproduction/run on data that are not there, and on a small made-up copy."""

    def run_study(self, name, data):
        return subprocess.run(
            [SOURCE / "reproduction" / "run", "--quick", "--output", self.folder / "results", name],
            capture_output=True, text=True, timeout=500,
            env={**os.environ, "MODICUM_DATA": str(data)})

    def test_without_data_it_says_so(self):
        done = self.run_study("least-squares-table-1", self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertIn("skipped", done.stderr)
        self.assertIn("MODICUM_DATA", done.stderr)
        self.assertFalse((self.folder / "results" / "least-squares-table-1.md").exists())

    @unittest.skipIf(INSTRUMENTED, "takes minutes")
    def test_a_small_copy(self):
        folder = self.folder / "cancer"
        folder.mkdir()
        names = ["Incidence_Rate", "All_Poverty_PC", "Med_Income", "All_With_PC", "All_Without_PC",
                 "Rising", "Falling", "POPESTIMATE2015", "All_Poverty", "All_With", "All_Without",
                 "Mortality_Rate", "FIPS"]
        wide = [[*a, *b, *c, *d, i] for i, (a, b, c, d) in enumerate(zip(
            regression_rows(90, 1), regression_rows(90, 2), regression_rows(90, 3),
            regression_rows(90, 4)))]
        (folder / "cancer_2809.csv").write_text(as_csv(wide, ",".join(names)))
        for name in "least-squares-table-1", "least-squares-table-3":
            done = self.run_study(name, self.folder)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            with open(self.folder / "results" / f"{name}.csv", newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertTrue(all(row["data"] == "Cancer" for row in rows))
            self.assertGreater(len(rows), 3)


if __name__ == "__main__":
    unittest.main()
