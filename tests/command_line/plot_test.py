"""modicum plot."""

import os
import unittest
import xml.etree.ElementTree

from _support import GAUSSIAN, INSTRUMENTED, LAPLACE, SINGULAR, TRIVIAL, WIDER, CommandLineTest


class Plot(CommandLineTest):
    def texts(self, path):
        tree = xml.etree.ElementTree.parse(path)
        return [element.text for element in tree.iter("{http://www.w3.org/2000/svg}text")]

    def test_profile(self):
        out = self.folder / "out.svg"
        text = self.succeed("plot", "profile", self.file(GAUSSIAN), self.file(LAPLACE, "l.json"),
                            "--output", out)
        self.assertIn("out.svg", text)
        texts = self.texts(out)
        for part in "Gaussian, sigma 50, 1000 times", "Laplace, scale 2", "epsilon", "delta":
            self.assertIn(part, texts)

    def test_profile_of_anything(self):
        # Nothing to draw, all at one, bounded losses, a tail that never falls.
        approximate = {"mechanism": "approximate", "epsilon": 1, "delta": 0.5}
        for i, description in enumerate([TRIVIAL, SINGULAR, LAPLACE, WIDER, approximate]):
            out = self.folder / f"{i}.svg"
            self.succeed("plot", "profile", self.file(description), "--output", out)
            xml.etree.ElementTree.parse(out)

    def test_options(self):
        out = self.folder / "out.svg"
        result = self.answer("plot", "profile", self.file(GAUSSIAN), self.file(LAPLACE, "l.json"),
                             "--output", out, "--epsilon-from", -1, "--epsilon-to", 4, "--points",
                             20, "--label", "first & <best>", "--label", "second", "--title", "T")
        self.assertEqual(result, {"output": str(out), "curves": ["first & <best>", "second"]})
        for part in "first & <best>", "second", "T":
            self.assertIn(part, self.texts(out))

    def test_equal_descriptions_are_told_apart_by_file(self):
        out = self.folder / "out.svg"
        result = self.answer("plot", "profile", self.file(GAUSSIAN, "a.json"),
                             self.file(GAUSSIAN, "b.json"), "--output", out)
        self.assertEqual(result["curves"], ["a", "b"])

    def test_tradeoff(self):
        out = self.folder / "out.svg"
        self.succeed("plot", "tradeoff", self.file(GAUSSIAN), self.file(TRIVIAL, "t.json"),
                     self.file(SINGULAR, "s.json"), "--output", out, "--points", 20)
        for part in "type I error", "type II error", "Gaussian, sigma 50, 1000 times":
            self.assertIn(part, self.texts(out))

    def test_standard_output(self):
        picture = self.succeed("plot", "profile", self.file(GAUSSIAN), "--output", "-")
        self.assertTrue(picture.startswith("<svg"))
        self.refuse(2, "plot", "profile", self.file(GAUSSIAN), "--output", "-", "--json")

    def test_a_picture_is_replaced_as_a_whole_or_not_at_all(self):
        out = self.folder / "out.svg"
        out.write_text("old")
        self.refuse(2, "plot", "profile", self.file("{"), "--output", out)
        self.assertEqual(out.read_text(), "old")
        self.succeed("plot", "profile", self.file(GAUSSIAN), "--output", out)
        self.assertTrue(out.read_text().endswith("</svg>\n"))
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()),
                         ["mechanism.json", "out.svg"])
        self.assertEqual(out.stat().st_mode & 0o777, 0o666 & ~current_umask())

    def test_unwritable(self):
        error = self.refuse(1, "plot", "profile", self.file(GAUSSIAN), "--output",
                            self.folder / "none" / "out.svg")
        self.assertIn("cannot be written", error)

    def test_bad_arguments(self):
        path, out = self.file(GAUSSIAN), self.folder / "out.svg"
        for arguments, name in (
                (["--output", self.folder / "out.png"], "--output"),
                (["--output", out, "--points", 1], "--points"),
                (["--output", out, "--points", 2.5], "--points"),
                (["--output", out, "--points", 1e9], "--points"),
                (["--output", out, "--epsilon-to", "nan"], "--epsilon-to"),
                (["--output", out, "--epsilon-from", 2, "--epsilon-to", 1], "--epsilon-to"),
                (["--output", out, "--label", "a", "--label", "b"], "--label"),
                ([], "--output")):
            self.assertIn(name, self.refuse(2, "plot", "profile", path, *arguments))
        self.assertFalse(out.exists())
        self.assertIn("FILE", self.refuse(2, "plot", "profile", "--output", out))
        self.assertIn("none.json", self.refuse(4, "plot", "profile", path,
                                               self.folder / "none.json", "--output", out))


class NoisePlots(CommandLineTest):
    """radial, gain, composition, leverage: the picture, and the numbers behind it."""

    def rows(self, *arguments):
        out = self.folder / "out.svg"
        result = self.answer("plot", *arguments, "--output", out)
        self.assertEqual(list(result), ["output", "curves", "rows"])
        xml.etree.ElementTree.parse(out)
        return result["rows"]

    def test_radial(self):
        gaussian, l2, optimized = self.rows("radial", "--dimension", 3)
        self.assertEqual((gaussian["alpha"], gaussian["p"]), (2, 2))
        self.assertEqual((l2["alpha"], l2["p"]), (2, 1))
        self.assertAlmostEqual(1 / l2["beta"], 0.994847859128, places=9)
        self.assertLess(optimized["mean_squared_error"], l2["mean_squared_error"])

    @unittest.skipIf(INSTRUMENTED, "takes minutes")
    def test_gain(self):
        two, hundred = self.rows("gain", "--dimension", 2, 100)
        self.assertGreater(two["gain_percent"], 15)
        self.assertLess(hundred["gain_percent"], 1)
        self.assertAlmostEqual(
            two["gaussian_mean_squared_error"] / two["l2_mean_squared_error"], 1, places=6)
        self.assertIn("T = 100", (self.folder / "out.svg").read_text())
        curve = self.rows("gain", "--dimension", 2, "--against-delta", "--points", 2)
        self.assertEqual([row["delta"] for row in curve], [1e-12, two["delta"], 0.1])

    def test_composition(self):
        once, twice = self.rows("composition", "--dimension", 2, "--count", 2, 1, "--alpha", 1, "--p", 1)
        self.assertEqual((once["count"], twice["count"]), (1, 2))
        self.assertAlmostEqual(once["ratio"], 1, places=9)
        self.assertGreater(twice["ratio"], 1.01)

    def test_leverage(self):
        few, many = self.rows("leverage", "--columns", 50, "--epsilon", 5, 0.1)
        self.assertEqual((few["epsilon"], many["epsilon"]), (0.1, 5))
        self.assertAlmostEqual(many["leverage"], 0.140709, places=6)
        self.assertAlmostEqual(many["singular_value_leverage"], 0.0230664, places=7)

    def test_help(self):
        for name in "radial", "gain", "composition", "leverage":
            text = self.succeed("plot", name, "--help")
            self.assertIn("Example:", text)
            self.assertLess(max(map(len, text.splitlines())), 121)

    def test_bad_arguments(self):
        out = self.folder / "out.svg"
        for arguments, name in (
                (["radial"], "--dimension"),
                (["radial", "--dimension", 0], "dimension"),
                (["gain", "--dimension", 2, 3, "--against-delta"], "--dimension"),
                (["gain", "--dimension", 2.5], "dimension"),
                (["gain", "--epsilon", 0], "epsilon"),
                (["composition", "--dimension", 10, "--count", 0], "--count"),
                (["composition", "--dimension", 10, "--count", "two"], "--count"),
                (["composition", "--dimension", 10, "--alpha", 10], "alpha"),
                (["leverage", "--columns", 0], "columns"),
                (["leverage", "--epsilon", 0], "--epsilon"),
                (["leverage", "--delta", 1], "delta")):
            self.assertIn(name, self.refuse(2, "plot", *arguments, "--output", out), arguments)
        for arguments in ["radial", "--dimension", 3], ["leverage"]:
            self.assertIn("delta", self.refuse(3, "plot", *arguments, "--delta", 0, "--output", out))
        self.assertFalse(out.exists())


class ClaimPlot(CommandLineTest):
    """claim: what is claimed and what is true."""

    def plot(self, *arguments):
        out = self.folder / "claim.svg"
        result = self.answer("plot", "claim", *arguments, "--output", out)
        tree = xml.etree.ElementTree.parse(out)
        texts = [element.text for element in tree.iter("{http://www.w3.org/2000/svg}text")]
        return result, texts

    def test_every_claim_with_a_curve(self):
        for name, points in (("classical-gaussian", 9), ("least-squares-monotone", 2),
                             ("lemma2-direction", 9), ("lifted-gaussian", 2),
                             ("ptr-overspend", 9), ("r1smg", 3)):
            result, texts = self.plot(name, "--points", points)
            self.assertEqual(result["curves"][0], "claimed")
            self.assertTrue(result["curves"][1].startswith("true"))
            self.assertEqual(len(result["rows"]), points)
            for part in "claimed", "epsilon", "delta":
                self.assertIn(part, texts)
            self.assertTrue(any(name in text for text in texts), name)

    def test_the_numbers(self):
        result, _ = self.plot("lemma2-direction", "--points", 3, "--epsilon-from", 0,
                              "--epsilon-to", 2, "--certified")
        first, middle, last = result["rows"]
        self.assertEqual((first["epsilon"], middle["epsilon"], last["epsilon"]), (0, 1, 2))
        self.assertEqual(middle["claimed_delta"], 0)
        self.assertAlmostEqual(middle["delta"]["lower"], 0.04561162, delta=1e-8)
        self.assertEqual((first["verdict"], middle["verdict"]), ("consistent", "violated"))

    def test_what_is_not_known_is_shaded(self):
        result, _ = self.plot("ptr-overspend", "--points", 3)
        self.assertIn("not known", result["curves"][1])

    def test_refusals(self):
        out = self.folder / "claim.svg"
        for arguments, name in (
                (["no-such-claim"], "r1smg"),
                (["goe-quantile"], "lemma2-direction"),
                ([], "NAME"),
                (["r1smg", "--points", 1], "--points"),
                (["r1smg", "--epsilon-from", 3, "--epsilon-to", 2], "--epsilon-to"),
                (["r1smg", "--epsilon-from", -1], "--epsilon-from"),
                (["classical-gaussian", "--epsilon-from", 0], "epsilon")):
            self.assertIn(name, self.refuse(2, "plot", "claim", *arguments, "--output", out),
                          arguments)
        self.assertFalse(out.exists())

    def test_help(self):
        text = self.succeed("plot", "claim", "--help")
        self.assertIn("Example:", text)
        self.assertLess(max(map(len, text.splitlines())), 121)


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


if __name__ == "__main__":
    unittest.main()
