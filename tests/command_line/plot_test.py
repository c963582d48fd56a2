"""modicum plot."""

import os
import unittest
import xml.etree.ElementTree

from _support import GAUSSIAN, LAPLACE, SINGULAR, TRIVIAL, WIDER, CommandLineTest


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


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


if __name__ == "__main__":
    unittest.main()
