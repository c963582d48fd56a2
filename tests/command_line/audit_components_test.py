"""modicum audit components, modicum plot components."""

import math
import statistics
import unittest
import xml.etree.ElementTree

from _support import CommandLineTest

SPIKED = [9.0, 5.0, 2.5] + [1.6 * (1 - i / 200) ** 2 for i in range(197)]
NORMAL = statistics.NormalDist()


def transform(values, components, at):
    """H and its slope at an eigenvalue."""
    rest = [at - x for x in values[components:]]
    return (sum(1 / x for x in rest) / len(values), -sum(x ** -2 for x in rest) / len(values))


def squared_mu(values, rows, components, beta):
    h, slope = transform(values, components, values[components - 1])
    gap, theta, x = values[components - 1] - values[components], rows / len(values) ** 1.5, beta - h
    if x <= -gap * slope:
        return -slope / (2 * theta ** 2)
    return x * x / (2 * theta ** 2 * gap * (2 * x + gap * slope))


class Components(CommandLineTest):
    def eigenvalues(self, values=None):
        return self.file(SPIKED if values is None else values, "eigenvalues.json")

    def arguments(self, components, *more, values=None, rows=2500):
        return ["--eigenvalues", self.eigenvalues(values), "--rows", rows, "--components",
                *(components if isinstance(components, list) else [components]), *more]

    def texts(self, path):
        tree = xml.etree.ElementTree.parse(path)
        return [element.text for element in tree.iter("{http://www.w3.org/2000/svg}text")]


class AuditComponents(Components):
    """Statements on simulated numbers: 6 standard errors or a band at 1 - 1e-9, new draws in each
    run, so that none fails in a lifetime of runs."""

    def audit(self, components, *more, values=None, rows=2500):
        return self.answer("audit", "components",
                           *self.arguments(components, *more, values=values, rows=rows))

    def assert_near(self, found, exact, slack=0.0):
        self.assertLess(abs(found["mean"] - exact), 6 * found["standard_error"] + slack)

    def test_one_component(self):
        beta = 3.0
        found = self.audit(1, "--beta", beta, "--draws", 4000, "--confidence", 1 - 1e-9)
        self.assertEqual(list(found),
                         ["beta", "mu", "guarantee", "sampler", "draws", "pure_epsilon",
                          "pure_epsilon_add_remove", "error", "overlaps", "tradeoff"])
        self.assertEqual((found["beta"], found["sampler"], found["draws"]), (3, "gibbs", 4000))
        self.assertEqual(found["guarantee"], "asymptotic")
        self.assertAlmostEqual(found["pure_epsilon"], beta * 200 ** 2 / 2500, 9)
        self.assertAlmostEqual(found["pure_epsilon_add_remove"], beta * 200 ** 2 / 5000, 9)
        mu = math.sqrt(squared_mu(SPIKED, 2500, 1, beta))
        self.assertAlmostEqual(found["mu"], mu, 12)
        h = transform(SPIKED, 1, SPIKED[0])[0]
        spectral, frobenius = found["error"]["spectral"], found["error"]["frobenius"]
        self.assertAlmostEqual(spectral["predicted"], h / beta, 12)
        self.assertAlmostEqual(frobenius["predicted"], 2 * h / beta, 12)
        self.assertAlmostEqual(found["overlaps"][0]["predicted"], 1 - h / beta, 12)
        # The limit is off by less than 1/p of itself.
        self.assert_near(spectral, h / beta, h / beta / 200)
        self.assertAlmostEqual(frobenius["mean"], 2 * spectral["mean"], 12)
        self.assertAlmostEqual(found["overlaps"][0]["mean"], 1 - spectral["mean"], 12)

    def test_tradeoff(self):
        found = self.audit(1, "--mu", 1, "--draws", 16000, "--confidence", 1 - 1e-9, "--points", 19)
        self.assertAlmostEqual(found["mu"], 1, 9)
        curve = found["tradeoff"]
        self.assertEqual(list(curve), ["confidence", "worst_row_share", "points", "verdict"])
        self.assertEqual(curve["verdict"], "consistent")
        h, slope = transform(SPIKED, 1, SPIKED[0])
        x = found["beta"] - h
        self.assertAlmostEqual(curve["worst_row_share"], x / (2 * x + 4 * slope), 12)
        self.assertEqual(len(curve["points"]), 19)
        before = 1.0
        for i, point in enumerate(curve["points"]):
            self.assertEqual(list(point), ["type1", "type2", "lower", "upper", "predicted"])
            level = point["type1"]
            self.assertAlmostEqual(level, (i + 1) / 20, 12)
            self.assertAlmostEqual(point["predicted"],
                                   NORMAL.cdf(NORMAL.inv_cdf(1 - level) - 1), 9)
            self.assertLessEqual(point["lower"], point["type2"])
            self.assertLessEqual(point["type2"], point["upper"])
            self.assertLessEqual(point["upper"], 1 - level)
            self.assertLessEqual(point["type2"], before)
            before = point["type2"]
        # Narrow enough to tell mu = 1 from 0.6 and 1.5 in the middle: the band is 0.026 wide on each
        # side, and what is left is ten standard errors of its center.
        middle = curve["points"][9]
        self.assertLess(middle["upper"], NORMAL.cdf(-0.6))
        self.assertGreater(middle["lower"], NORMAL.cdf(-1.5))

    def test_a_prediction_can_be_wrong(self):
        # Two dimensions are not many. Proved is epsilon = 1: a type II error of at least e^-1 / 2,
        # 0.184, at level 1/2, where the predicted mu of 1.18 has 0.119: six widths of the band.
        found = self.audit(1, "--beta", 0.5, "--draws", 20000, values=[1.5, 0.3], rows=1)
        self.assertEqual(found["tradeoff"]["verdict"], "prediction outside the band")
        text = self.succeed("audit", "components", *self.arguments(
            1, "--beta", 0.5, "--draws", 20000, values=[1.5, 0.3], rows=1))
        self.assertIn("prediction outside the band", text)

    def test_samplers(self):
        limits = [transform(SPIKED, 3, x)[0] for x in SPIKED[:3]]
        beta = 3 * limits[-1]
        for sampler, draws in ("gibbs", 200), ("gaussian", 1000), ("deflation", 1000):
            found = self.audit(3, "--beta", beta, "--draws", draws, "--sampler", sampler,
                               "--points", 5, "--confidence", 1 - 1e-9)
            self.assertEqual(found["sampler"], sampler)
            for overlap, h in zip(found["overlaps"], limits):
                self.assertAlmostEqual(overlap["predicted"], 1 - h / beta, 12)
                self.assert_near(overlap, 1 - h / beta, 0.01)
            self.assertEqual(found["tradeoff"]["verdict"], "consistent")
            proved = beta * 200 ** 2 / 2500 * (3 if sampler == "deflation" else 1)
            self.assertAlmostEqual(found["pure_epsilon"], proved, 9)

    def test_below_the_threshold(self):
        for components in 1, 2:
            found = self.audit(components, "--beta", 0.02, "--draws", 200, "--sampler", "gaussian")
            self.assertEqual(found["sampler"], "gaussian" if components == 1 else "gibbs")
            self.assertIsNone(found["mu"])
            self.assertIsNone(found["tradeoff"])
            self.assertEqual(found["error"]["spectral"]["predicted"], 1)
            self.assertGreater(found["error"]["spectral"]["mean"], 0.9)
        nothing = self.audit(2, "--beta", 0, "--draws", 500)
        self.assertEqual((nothing["mu"], nothing["tradeoff"]), (0, None))
        self.assertEqual(nothing["pure_epsilon"], 0)
        self.assert_near(nothing["overlaps"][1], 2 / 200)

    def test_errors_alone(self):
        found = self.audit(1, "--beta", 3, "--draws", 200, "--points", 0)
        self.assertIsNotNone(found["mu"])
        self.assertIsNone(found["tradeoff"])
        self.assertIn("was not simulated", self.succeed("audit", "components", *self.arguments(
            1, "--beta", 3, "--draws", 200, "--points", 0)))

    def test_ties_and_the_whole_space(self):
        tie = self.audit(2, "--beta", 5, "--draws", 200, values=[1.5, 0.6, 0.6, 0.1])
        self.assertIsNone(tie["mu"])
        self.assertIsNone(tie["tradeoff"])
        self.assertIsNone(tie["error"]["spectral"]["predicted"])
        self.assertIsNone(tie["overlaps"][1]["predicted"])
        self.assertIsNotNone(tie["overlaps"][0]["predicted"])
        whole = self.audit(2, "--beta", 5, "--draws", 100, values=[1.5, 0.5])
        self.assertEqual((whole["mu"], whole["tradeoff"]), (0, None))
        self.assertEqual(whole["error"]["frobenius"],
                         {"mean": 0, "standard_error": 0, "predicted": 0})

    def test_words(self):
        for components, values, beta, part in (
                (1, SPIKED, 3, "Verdict: "), (1, SPIKED, 0.15, "on the privacy plateau"),
                (2, SPIKED, 0.01, "No mu is predicted"), (2, [1.5, 0.6, 0.6, 0.1], 5, "A tie"),
                (2, [1.5, 0.5], 5, "All directions"), (1, SPIKED, 0, "pure noise")):
            text = self.succeed("audit", "components", *self.arguments(
                components, "--beta", beta, "--draws", 200, values=values))
            for words in part, "as confidential as the eigenvalues", "asymptotic, not proved", \
                    "predicted", "simulated":
                self.assertIn(words, text)
            self.assertLess(max(map(len, text.splitlines())), 121)

    def test_picture(self):
        out = self.folder / "out.svg"
        found = self.audit(1, "--mu", 0.5, "--draws", 500, "--output", out, "--confidential")
        self.assertEqual(found["draws"], 500)
        texts = self.texts(out)
        for part in ("simulated, 95 % band", "predicted, mu 0.5", "type I error", "type II error",
                     f"proved, epsilon {found['pure_epsilon_add_remove']:.4g}"):
            self.assertIn(part, texts)
        self.assertEqual(out.stat().st_mode & 0o777, 0o600)
        picture = self.succeed("audit", "components", *self.arguments(
            1, "--beta", 1e6, "--draws", 100, "--output", "-", "--title", "T", "--confidential"))
        self.assertTrue(picture.startswith("<svg"))
        self.assertIn(">T<", picture)
        self.succeed("audit", "components", *self.arguments(
            2, "--beta", 0.01, "--draws", 100, "--output", out, "--confidential"))
        self.assertNotIn("predicted", " ".join(self.texts(out)))

    def test_refusals(self):
        for more, part in (
                ([], "--beta"), (["--beta", 1, "--mu", 1], "--mu"), (["--beta", -1], "--beta"),
                (["--beta", "nan"], "--beta"), (["--mu", 0], "mu"), (["--beta", 1e300], "beta"),
                (["--beta", 1, "--draws", 99], "--draws"),
                (["--beta", 1, "--draws", 1e9], "--draws"),
                (["--beta", 1, "--draws", 200.5], "--draws"),
                (["--beta", 1, "--confidence", 1], "--confidence"),
                (["--beta", 1, "--points", 1], "--points"),
                (["--beta", 1, "--sampler", "exact"], "gibbs, gaussian, deflation"),
                (["--beta", 1, "--output", "x.png", "--confidential"], "--output"),
                (["--beta", 1, "--output", "x.svg"], "--confidential"),
                (["--beta", 1, "--output", "-", "--json"], "--json")):
            self.assertIn(part, self.refuse(2, "audit", "components", *self.arguments(1, *more)))
        for components in 0, 201, 1.5:
            self.assertIn("components", self.refuse(
                2, "audit", "components", *self.arguments(components, "--beta", 1)))
        self.assertIn("rows", self.refuse(
            2, "audit", "components", *self.arguments(1, "--beta", 1, rows=0)))
        self.assertIn("plateau", self.refuse(
            3, "audit", "components", *self.arguments(1, "--mu", 1e-6)))

    def test_files_of_eigenvalues(self):
        for values, part in (
                ("[1, 2]", "eigenvalue 2 is larger than the one before"),
                ("[1, null]", "eigenvalue 2 is no number"), ("[true]", "eigenvalue 1 is no number"),
                ("[]", "an empty list"), ("{}", "no list"), ("3", "no list"), ("[1,", "not JSON"),
                ("[1, NaN]", "NaN"), ("[1e999]", "1e999"), ("", "empty"),
                ("[5, 0]", "sum"), ("[1, -0.5]", "at least 0")):
            error = self.refuse(2, "audit", "components",
                                *self.arguments(1, "--beta", 1, values=values))
            self.assertIn(part, error)
        self.assertIn("none.json", self.refuse(
            4, "audit", "components", "--eigenvalues", self.folder / "none.json", "--rows", 5,
            "--components", 1, "--beta", 1))
        self.succeed("audit", "components", "--eigenvalues", "-", "--rows", 5, "--components", 1,
                     "--beta", 1, "--draws", 100, text="[1.0, 0.5, 0.5]")

    def test_help(self):
        for command in "audit", "plot":
            text = self.succeed(command, "components", "--help")
            self.assertIn("Example:", text)
            self.assertIn("confidential", text)
            self.assertLess(max(map(len, text.splitlines())), 121)


class PlotComponents(Components):
    def plot(self, components, *more, values=None):
        out = self.folder / "out.svg"
        result = self.answer("plot", "components",
                             *self.arguments(components, *more, values=values), "--output", out,
                             "--confidential")
        self.assertIs(result["confidential"], True)
        self.assertEqual(out.stat().st_mode & 0o777, 0o600)
        return result, self.texts(out)

    def test_mu(self):
        result, texts = self.plot([1, 2, 3])
        self.assertEqual(len(result["curves"]), 3)
        for components in 1, 2, 3:
            h, slope = transform(SPIKED, components, SPIKED[components - 1])
            end = h - slope * (SPIKED[components - 1] - SPIKED[components])
            rows = [row for row in result["rows"] if row["components"] == components]
            self.assertAlmostEqual(rows[0]["beta"], h, 9)
            self.assertIn(f"k = {components}, plateau {h:.3g} to {end:.3g}", texts)
            for row in rows:
                self.assertAlmostEqual(
                    row["mu"] ** 2, squared_mu(SPIKED, 2500, components, row["beta"]), 9)
            level = [row["mu"] for row in rows if row["beta"] <= end]
            self.assertGreater(len(level), 1)
            self.assertEqual(len(set(level)), 1)
            self.assertGreater(rows[-1]["mu"], level[0])
        self.assertIn("beta", texts)

    def test_errors(self):
        for quantity in "spectral", "frobenius":
            result, texts = self.plot([1, 3], "--quantity", quantity, "--from", 0.2, "--to", 2,
                                      "--points", 10, "--title", "Errors")
            self.assertEqual(result["curves"], ["k = 1", "k = 3"])
            self.assertIn("Errors", texts)
            for row in result["rows"]:
                k, beta = row["components"], row["beta"]
                each = [min(1, transform(SPIKED, k, x)[0] / beta) for x in SPIKED[:k]]
                exact = max(each) if quantity == "spectral" else 2 * sum(each)
                self.assertAlmostEqual(row[quantity], exact, 12)
            self.assertEqual((result["rows"][0]["beta"], result["rows"][-1]["beta"]), (0.2, 2))

    def test_ties_and_the_whole_space_are_named(self):
        values = [1.5, 0.6, 0.6, 0.1]
        for quantity, words in ("mu", "mu = 0"), ("frobenius", "no error"):
            result, texts = self.plot([1, 2, 4], "--quantity", quantity, values=values)
            self.assertIn("k = 2: tied with the next, no prediction", texts)
            self.assertIn(f"k = 4: all directions, {words}", texts)
            self.assertEqual({row["components"] for row in result["rows"]}, {1, 4})
        result, _ = self.plot([2], values=values)
        self.assertEqual(result["rows"], [])
        _, texts = self.plot([3], "--to", 0.1)
        self.assertIn("beyond the picture", " ".join(texts))

    def test_refusals(self):
        out = self.folder / "out.svg"
        for more, part in (
                (["--quantity", "error"], "mu, spectral, frobenius"),
                (["--from", 2, "--to", 1], "--to"), (["--from", -1], "--from"),
                (["--to", "nan"], "--to"), (["--points", 1], "--points")):
            self.assertIn(part, self.refuse(2, "plot", "components", *self.arguments(1, *more),
                                            "--output", out, "--confidential"))
        self.assertIn("components", self.refuse(
            2, "plot", "components", *self.arguments([1, 201]), "--output", out, "--confidential"))
        self.assertIn("--confidential", self.refuse(
            2, "plot", "components", *self.arguments(1), "--output", out))
        self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
