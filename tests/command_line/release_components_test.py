"""modicum release components, compare components and report spectrum."""

import json
import math
import os
import pathlib
import random
import stat
import unittest

from _support import CommandLineTest

EXAMPLES = pathlib.Path(os.environ["MODICUM_SOURCE_DIR"]) / "examples"
TABLE = (EXAMPLES / "genotypes.csv", "--exclude", "region")
RANGES = ("--range-of-all", "0:2")
TARGET = ("--epsilon", 2, "--delta", "1e-6")


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


class ComponentsTest(CommandLineTest):
    def release(self, *arguments, table=(*TABLE, *RANGES), components=2, output="axes.json"):
        return self.answer("release", "components", *table, "--components", components,
                           "--output", self.fresh(output), *arguments)

    def columns(self, name="axes.json"):
        released = json.loads((self.folder / name).read_text())
        return list(zip(*released["values"])), released

    def refused(self, code, *arguments, table=(*TABLE, *RANGES)):
        error = self.refuse(code, "release", "components", *table, "--output",
                            self.folder / "none.json", *arguments)
        self.assertFalse((self.folder / "none.json").exists())
        self.assertFalse((self.folder / "none.json.certificate.json").exists())
        return error

    def assert_orthonormal(self, columns):
        for i, one in enumerate(columns):
            for j, other in enumerate(columns):
                self.assertAlmostEqual(dot(one, other), float(i == j), 5)


class ReleaseComponents(ComponentsTest):
    def test_the_default_is_proved(self):
        result = self.release(*TARGET)
        certificate = result["certificate"]
        self.assertEqual(certificate["guarantee"], "proved")
        self.assertEqual(certificate["arithmetic"], "exact")
        self.assertEqual(certificate["parameters"]["method"], "gaussian-orthogonal-ensemble")
        self.assertEqual(certificate["neighbors"], "add or remove one row")
        self.assertLessEqual(certificate["delta"]["upper"], 1e-6)
        self.assertNotIn("confidential", result)
        columns, released = self.columns()
        self.assertEqual(released["rows"], [f"place_{i + 1}" for i in range(12)])
        self.assertEqual(len(columns), 2)
        self.assert_orthonormal(columns)
        written = json.loads((self.folder / "axes.json.certificate.json").read_text())
        self.assertEqual(written, certificate)

    def test_its_loss_goes_into_compositions(self):
        for method in "exponential", "gaussian-orthogonal-ensemble", "analyze-gauss", "wishart":
            certificate = self.release(*TARGET, "--method", method)["certificate"]
            point = self.ask("profile", certificate["loss"], "--epsilon", 2, "--certified")
            self.assertLessEqual(point["delta"]["lower"],
                                 certificate["delta"]["upper"] * (1 + 1e-9))
            self.assertGreater(point["delta"]["upper"], 0)

    def test_pure_privacy(self):
        certificate = self.release("--epsilon", 2, "--delta", 0)["certificate"]
        self.assertEqual(certificate["guarantee"], "proved")
        self.assertEqual(certificate["arithmetic"], "mitigated")
        self.assertEqual(certificate["parameters"]["method"], "exponential")
        self.assertEqual(certificate["delta"]["upper"], 0)
        self.assertAlmostEqual(certificate["parameters"]["range"], 1, 12)

    def test_a_certificate_says_asymptotic_whenever_it_is(self):
        rows = ("--rows", 2000)
        for method, components, more, guarantee in (
                ("exponential", 1, (), "proved"), ("exponential", 3, (), "proved"),
                ("joint", 1, (), "proved"), ("joint", 2, (), "asymptotic"),
                ("joint", 2, ("--sampler", "gaussian"), "asymptotic"),
                ("adaptive", 1, rows, "asymptotic"), ("adaptive", 2, rows, "asymptotic"),
                ("gaussian-orthogonal-ensemble", 2, (), "proved"),
                ("analyze-gauss", 2, (), "proved"), ("wishart", 2, (), "proved")):
            certificate = self.release(*TARGET, "--method", method, *more,
                                       components=components)["certificate"]
            self.assertEqual(certificate["guarantee"], guarantee, (method, components))
            self.assertEqual("loss" in certificate, guarantee == "proved")
            words = self.succeed("release", "components", *TABLE, *RANGES, *TARGET, "--method",
                                 method, *more, "--components", components, "--output",
                                 self.fresh("again.csv"))
            self.assertEqual("in a limit only" in words.splitlines()[0],
                             guarantee == "asymptotic")

    def test_a_public_beta(self):
        result = self.release("--beta", 4, "--rows", 2000, components=1)
        parameters = result["certificate"]["parameters"]
        # beta p^2 / (2 n), rounded upwards.
        self.assert_just_above(parameters["range"], 4 * 144 / 4000 * (1 - 1e-15), 1e-12)
        self.assertAlmostEqual(result["certificate"]["target"]["epsilon"], 0.144, 9)
        self.assertEqual(result["certificate"]["target"]["delta"], 0)
        self.assertIn("--epsilon", self.refused(2, "--components", 1, "--beta", 4, "--rows", 2000,
                                                "--epsilon", 1))
        self.refused(2, "--components", 1, "--beta", 4)

    def test_a_mu_is_proved(self):
        # Noise of deviation l^2/mu on the diagonal is mu-Gaussian differential privacy.
        certificate = self.release("--mu", 3, "--center", "none")["certificate"]
        self.assertEqual(certificate["guarantee"], "proved")
        self.assertEqual(certificate["parameters"]["method"], "gaussian-orthogonal-ensemble")
        self.assertAlmostEqual(certificate["parameters"]["diagonal_standard_deviation"], 12 / 3, 4)
        epsilon = self.ask("epsilon", {"mechanism": "gaussian_dp", "mu": 3}, "--delta", "1e-6")
        self.assertAlmostEqual(certificate["target"]["epsilon"], epsilon["epsilon"]["upper"], 6)
        self.refused(2, "--components", 2, "--mu", 3, "--epsilon", 1)
        self.refused(2, "--components", 2, "--mu", 3, "--beta", 1, "--rows", 100)
        self.refused(2, "--components", 2, "--mu", -3)
        # Several at once have no loss to be compared with mu; a delta above all that mu has tells nothing.
        for budget in ("--mu", 0.5), ("--rho", 0.125):
            self.refused(2, "--components", 2, "--method", "joint", *budget)
        self.refused(2, "--components", 2, "--method", "adaptive", "--rows", 2000, "--mu", 0.001, "--delta", 0.1)

    def test_centers(self):
        """Rows far from the middle of their ranges: components about their mean, or about another."""
        rows = "".join(f"{90 + (i % 7)},{-90 + (i % 2)}\n" for i in range(4000))
        table = (self.file("a,b\n" + rows, "far.csv"), "--range-of-all=-100:100")
        target = ("--epsilon", 2, "--delta", "1e-6")
        result = self.release(*target, components=1, table=table)
        parameters = result["certificate"]["parameters"]
        self.assertEqual(parameters["center"], "private")
        self.assertAlmostEqual(parameters["mean"][0], 93, delta=1)
        self.assertAlmostEqual(parameters["mean"][1], -89.5, delta=1)
        self.assertGreater(self.columns()[0][0][0], 0.98)
        self.assertGreater(parameters["explained_variance_ratio"][0], 0.8)
        epsilon = self.ask("epsilon", result["certificate"]["loss"], "--delta", "1e-6")
        self.assertAlmostEqual(epsilon["epsilon"]["upper"], 2, 5)
        self.release(*target, "--centers", 93, 0, components=1, table=table)
        self.assertGreater(abs(self.columns()[0][0][1]), 0.98)
        plain = self.release(*target, "--center", "none", components=1, table=table)
        self.assertNotIn("mean", plain["certificate"]["parameters"])
        self.assertGreater(abs(self.columns()[0][0][1]), 0.6)
        one = ("--components", 1, *target)
        self.assertIn("--centers", self.refused(2, *one, "--center", "given"))
        self.assertIn("--centers", self.refused(2, *one, "--center", "none", "--centers", 1, 2))
        self.assertIn("--center", self.refused(2, *one, "--center", "private", "--method", "wishart"))
        self.assertIn("centers", self.refused(2, *one, "--centers", 1))

    def test_what_to_expect(self):
        start = ("release", "components", *TABLE, *RANGES, "--components", 2, "--explain")
        words = self.succeed(*start, *TARGET, "--rows", 2000)
        self.assertIn("a component shows where its variance", words)
        few, many = (self.answer(*start, *TARGET, "--rows", rows)["outlook"]["least_gap"] for rows in (500, 5000))
        self.assertAlmostEqual(few / many, 10, delta=4)
        guess = self.file("[3, 2" + ", 0.1" * 10 + "]", "guess.json")
        outlook = self.answer(*start, *TARGET, "--rows", 5000, "--eigenvalues", guess)["outlook"]
        self.assertEqual(len(outlook["overlaps"]), 2)
        self.assertLess(outlook["frobenius_error"], 0.1)
        self.assertGreater(outlook["captured"], 0.95)
        also = self.answer("calibrate", "components", "--eigenvalues", guess, "--rows", 5000, "--components", 2,
                           *TARGET)["outlook"]
        self.assertEqual(also, outlook)
        short = self.file("[3, 2]", "short.json")
        for given in (["--eigenvalues", guess], ["--rows", 10, "--center", "none"],
                      ["--rows", 10, "--eigenvalues", short]):
            self.refuse(2, *start, *TARGET, *given)
        self.refuse(2, *start, "--rows", 10)
        for given in (["--rows", 10], ["--eigenvalues", guess]):
            self.refuse(2, *start[:-1], *TARGET, *given, "--output", "-")

    def test_adaptive(self):
        certificate = self.release("--mu", 1, "--method", "adaptive", "--rows", 2000)["certificate"]
        self.assertEqual(certificate["guarantee"], "asymptotic")
        self.assertLessEqual(certificate["delta"]["upper"], 1e-6)
        self.assertIn("not proved", " ".join(certificate["assumptions"]))
        parameters = certificate["parameters"]
        # The gap of this table is far above its noise; a false alarm has probability below 1e-9.
        factor = parameters["range"]
        self.assertLess(factor, 2 * parameters["components_mu"] ** 2 * parameters["gap"])
        self.assertGreater(factor, 1.5 * parameters["components_mu"] ** 2 * parameters["gap"])
        self.assertAlmostEqual(parameters["beta"], 2 * 2000 * factor / 144, 9)

    def test_a_run_that_finds_nothing_says_so_first(self):
        # Both eigenvalues are 1/2 of 40 rows: what noise of deviation 1/(0.45 mu) makes of no gap is
        # above the margin with probability below 1e-6.
        table = self.file("a,b\n" + "1,0\n0,1\n" * 20, "tied.csv")
        arguments = ["release", "components", table, "--row-norm-bound", 1, "--components", 1,
                     "--epsilon", 1, "--delta", "1e-6", "--method", "adaptive", "--replace",
                     "--output", self.folder / "none.csv"]
        first = self.succeed(*arguments).splitlines()[0]
        self.assertIn("nothing found", first)
        result = self.answer(*arguments, "--confidential")
        self.assertEqual(result["certificate"]["parameters"]["components_found"], "none")
        numbers = result["confidential"]
        self.assertEqual((numbers["spectral_error"], numbers["frobenius_error"]), (1, 2))
        compared = self.answer("compare", "components", table, "--row-norm-bound", 1,
                               "--components", 1, "--epsilon", 1, "--delta", "1e-6", "--trials", 3,
                               "--method", "adaptive", "--confidential")
        for key, worst in (("spectral_error", 1), ("frobenius_error", 2), ("captured", 0)):
            self.assertEqual(compared["methods"][0][key]["mean"], worst)
        self.assertIn("found nothing: 3", self.succeed(
            "compare", "components", table, "--row-norm-bound", 1, "--components", 1, "--epsilon", 1,
            "--delta", "1e-6", "--trials", 3, "--method", "adaptive", "--confidential"))

    def test_it_finds_what_is_there(self):
        # Overlap of 2 components with the true ones at large epsilon: 1 is worst. The squared error
        # is about 12 (p/(2 n r)) / gap, far below 0.1; a false alarm has probability below 1e-9.
        for method in ("exponential", "joint", "gaussian-orthogonal-ensemble", "analyze-gauss",
                       "wishart"):
            numbers = self.release("--epsilon", 20, "--delta", "1e-6", "--method", method,
                                   "--confidential")["confidential"]
            self.assertLess(numbers["spectral_error"], 0.1, method)
            self.assertGreater(numbers["variance_captured"], 0.95, method)

    def test_predictions_beside_what_came_out(self):
        numbers = self.release(*TARGET, "--method", "joint", "--confidential")["confidential"]
        for name in ("predicted_mu", "predicted_spectral_error", "predicted_frobenius_error"):
            self.assertIn(name, numbers)
        # Two chains of 50 sweeps that forget within a few agree; below 1.1 is usual.
        self.assertLess(numbers["chain_potential_scale"], 1.5)
        self.assertGreaterEqual(numbers["chain_autocorrelation_time"], 1)
        self.assertNotIn("predicted", (self.folder / "axes.json.certificate.json").read_text())

    def test_ranks(self):
        own = (*TARGET, "--method", "exponential")
        separate = self.release(*own)["certificate"]["parameters"]["range"]
        result = self.release(*own, "--ranks", table=TABLE)
        self.assertEqual(result["certificate"]["guarantee"], "proved")
        self.assertEqual(result["certificate"]["parameters"]["range"], separate)
        self.assert_orthonormal(self.columns()[0])
        self.assertIn("ranks", json.dumps(result["certificate"]))
        for given in ("--row-norm-bound", 3), ("--range-of-all", "0:2"):
            self.refused(2, "--components", 1, *TARGET, "--ranks", *given, table=TABLE)
        self.refused(2, "--components", 1, *TARGET, "--ranks", "--method", "wishart", table=TABLE)

    def test_edges(self):
        # All directions, and fewer rows than columns, and none.
        self.release(*TARGET, components=12)
        self.assert_orthonormal(self.columns()[0])
        few = self.file("a,b,c\n1,0,1\n0,1,1\n", "few.csv")
        none = self.file("a,b,c\n", "none.csv")
        for table in few, none:
            for method in "exponential", "joint", "gaussian-orthogonal-ensemble":
                self.release(*TARGET, "--method", method, table=(table, "--row-norm-bound", 2))
                self.assert_orthonormal(self.columns()[0])

    def test_refusals(self):
        self.assertIn("--components", self.refused(2, *TARGET))
        for components in 0, 13, 1.5, "nan":
            self.refused(2, *TARGET, "--components", components)
        one = ("--components", 1)
        self.assertIn("--epsilon", self.refused(2, *one))
        self.assertIn("--method", self.refused(2, *one, *TARGET, "--method", "magic"))
        self.refused(2, *one, *TARGET, "--rows", 2000)  # of no use to the default
        self.refused(2, *one, *TARGET, "--method", "exponential", "--rows", 0)
        self.refused(2, *one, *TARGET, "--sweeps", 10)
        self.refused(2, *one, *TARGET, "--sampler", "gibbs")
        self.refused(2, *one, *TARGET, "--calibration-share", 0.2)
        self.refused(2, *one, *TARGET, "--method", "adaptive", "--rows", 2000,
                     "--calibration-share", 1)
        for method in "gaussian-orthogonal-ensemble", "adaptive":
            self.refused(3, *one, "--epsilon", 1, "--delta", 0, "--method", method,
                         *(("--rows", 2000) if method == "adaptive" else ()))
        self.refused(2, *one, *TARGET, table=(*TABLE, *RANGES, "--select", "place_1"))
        self.refused(2, *one, *TARGET, table=(EXAMPLES / "genotypes.csv", "--exclude", "nowhere",
                                              *RANGES))
        self.refused(2, *one, *TARGET, table=(*TABLE, "--range-of-all", "2:0"))


class CompareComponents(ComponentsTest):
    def compare(self, *arguments):
        return self.answer("compare", "components", *TABLE, *TARGET, "--components", 2, "--trials",
                           8, "--confidential", *arguments)

    def test_all_on_one_budget(self):
        result = self.compare(*RANGES, "--rows", 2000)
        found = {row["name"]: row for row in result["methods"]}
        self.assertEqual(sorted(found), sorted(
            ["centered", "exponential", "gaussian-orthogonal-ensemble", "analyze-gauss", "wishart",
             "pure-exponential", "joint", "adaptive"]))
        for name, row in found.items():
            self.assertEqual(row["guarantee"],
                             "asymptotic" if name in ("joint", "adaptive") else "proved")
            self.assertLessEqual(row["spectral_error"]["mean"], 1)
            self.assertLessEqual(row["delta"]["upper"], 1e-6)
        self.assertEqual(found["pure-exponential"]["delta"]["upper"], 0)

    def test_ranks_and_missing_rows(self):
        result = self.compare("--ranks")
        self.assertEqual([row["name"] for row in result["left_out"]], ["centered", "wishart"])

    def test_it_is_confidential(self):
        self.assertIn("--confidential", self.refuse(
            2, "compare", "components", *TABLE, *RANGES, *TARGET, "--components", 2))
        words = self.succeed("compare", "components", *TABLE, *RANGES, *TARGET, "--components", 2,
                             "--trials", 2, "--method", "exponential", "--confidential")
        self.assertTrue(words.startswith("Confidential"))


class ReportSpectrum(ComponentsTest):
    def spectrum(self, *arguments, name="values.json"):
        result = self.answer("report", "spectrum", *arguments, "--confidential", "--output",
                             self.folder / name)
        return result, json.loads((self.folder / name).read_text())

    def test_eigenvalues_of_a_small_table(self):
        # Rows (1, 0), (1, 0), (0, 1) of norm at most 1, scaled to sqrt 2: sums 4 and 2 over 3.
        table = self.file("a,b\n1,0\n1,0\n0,1\n", "small.csv")
        result, values = self.spectrum(table, "--row-norm-bound", 1)
        self.assertEqual(result["rows"], 3)
        # Rows at the bound are shortened by a few millionths, for the rounding to the grid.
        self.assertAlmostEqual(values[0], 4 / 3, 5)
        self.assertAlmostEqual(values[1], 2 / 3, 5)

    def test_ranks_without_their_scale(self):
        chance = random.Random(3)
        rows = [(chance.random(), chance.random()) for _ in range(50)]
        text = [f"{a},{b}" for a, b in rows]
        bent = [f"{math.exp(5 * a)},{b ** 3}" for a, b in rows]
        found = [self.spectrum(self.file("a,b\n" + "\n".join(lines) + "\n", f"{i}.csv"), "--ranks",
                               name=f"{i}.json")[1] for i, lines in enumerate((text, bent))]
        self.assertEqual(found[0], found[1])
        # Ranks of distinct values: the mean square is (n + 1) / (3 (n - 1)).
        self.assertAlmostEqual(sum(found[0]), 2 * 51 / (3 * 49), 12)

    def test_it_is_for_the_holder_only(self):
        self.assertIn("--confidential", self.refuse(
            2, "report", "spectrum", *TABLE, "--ranks", "--output", self.folder / "values.json"))
        self.assertFalse((self.folder / "values.json").exists())
        self.spectrum(*TABLE, "--ranks")
        mode = stat.S_IMODE((self.folder / "values.json").stat().st_mode)
        self.assertEqual(mode, 0o600)

    def test_what_calibrates(self):
        result, values = self.spectrum(*TABLE, *RANGES)
        self.assertEqual((result["rows"], result["dimension"], len(values)), (2000, 12, 12))
        found = self.answer("calibrate", "components", "--eigenvalues",
                            self.folder / "values.json", "--rows", 2000, "--components", 2, "--mu",
                            1)
        self.assertGreater(found["beta"], 0)


if __name__ == "__main__":
    unittest.main()
