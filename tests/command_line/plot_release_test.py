"""plot release: pictures of released numbers, from the files of the release alone."""

import json
import pathlib
import unittest
import xml.etree.ElementTree as ElementTree

from _support import CommandLineTest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
WAGES, VISITS = EXAMPLES / "wages.csv", EXAMPLES / "visits.csv"
TARGET = ["--epsilon", 1, "--delta", "1e-6"]
WAGE = ["--select", "wage", "--bounds", "wage=0:60"]
SCHOOLING = ["--by", "schooling", "--edges", "0,10,14,20"]


class PlotReleaseTest(CommandLineTest):
    def release(self, kind, name, *arguments):
        path = self.fresh(name)
        self.succeed("release", kind, *arguments, "--output", path, *TARGET)
        return path

    def picture(self, path, *arguments):
        """The reply, and how often each kind of mark is in the picture."""
        reply = self.answer("plot", "release", path, *arguments, "--output", self.folder / "picture.svg")
        tree = ElementTree.parse(self.folder / "picture.svg")
        self.text = "".join(tree.getroot().itertext())
        marks = [element.get("class") for element in tree.iter() if element.get("class")]
        return reply, {mark: marks.count(mark) for mark in marks}

    def test_bars_with_intervals(self):
        for name in "mean.csv", "mean.json":
            reply, marks = self.picture(self.release("mean", name, WAGES, *WAGE, *SCHOOLING))
            self.assertEqual((marks["bar"], marks["whisker"]), (3, 3))
            self.assertEqual([row["group"] for row in reply["rows"]], ["0:10", "10:14", "14:20"])
            for row in reply["rows"]:
                self.assertTrue(row["lower"] <= row["value"] <= row["upper"])
            self.assertEqual(reply["promise"], "(1, 1e-06)-differentially private, proved; intervals of 95 % for "
                                               "the noise alone")
            for words in "mean of wage by schooling", reply["promise"], "10:14":
                self.assertIn(words, self.text)

    def test_histograms_and_cross_tables(self):
        path = self.release("histogram", "ages.csv", WAGES, "--select", "age", "--edges", "18,30,40,50,70")
        self.assertEqual(self.picture(path)[1]["bar"], 4)
        path = self.release("histogram", "cross.csv", WAGES, "--select", "age", "schooling", "--edges",
                            "age=18,40,70", "schooling=0,10,20")
        reply, marks = self.picture(path)
        self.assertEqual((marks["bar"], len(reply["rows"])), (4, 4))
        self.assertIn("18:40", self.text)

    def test_quantiles_have_a_series_for_each_level(self):
        path = self.release("quantile", "quantiles.csv", WAGES, *WAGE, "--level", 0.25, 0.5, 0.75, *SCHOOLING)
        reply, marks = self.picture(path)
        self.assertEqual(len(reply["curves"]), 3)
        self.assertNotIn("whisker", marks)
        self.assertNotIn("intervals", reply["promise"])
        self.assertEqual({row["group"] for row in reply["rows"]}, {"0:10", "10:14", "14:20"})

    def test_columns_are_selected(self):
        path = self.release("mean", "two.csv", WAGES, "--select", "wage", "hours", "--bounds-of-all", "0:80", *SCHOOLING)
        self.assertEqual(len(self.picture(path)[0]["curves"]), 2)
        reply, _ = self.picture(path, "--select", "hours")
        self.assertEqual([row["group"] for row in reply["rows"]], ["0:10", "10:14", "14:20"])
        self.assertIn("must be one of: wage, hours", self.refuse(
            2, "plot", "release", path, "--select", "age", "--output", "-"))

    def test_a_part_of_several(self):
        jobs = {"budget": {"epsilon": 1, "delta": 1e-6}, "table": str(WAGES), "releases": [
            {"count": {}}, {"mean": {"select": ["wage"], "bounds": {"wage": [0, 60]}, "by": ["schooling"],
                                     "edges": [0, 10, 14, 20]}}]}
        path = self.fresh("many.csv")
        self.succeed("release", self.file(jobs, "jobs.json"), "--output", path)
        self.assertIn("mean of wage by schooling", self.refuse(2, "plot", "release", path, "--output", "-"))
        reply, marks = self.picture(path, "--part", "mean of wage by schooling")
        self.assertEqual([row["group"] for row in reply["rows"]], ["0:10", "10:14", "14:20"])
        self.assertEqual(marks["whisker"], 3)

    def test_only_what_the_certificate_speaks_of(self):
        path = self.release("count", "count.csv", VISITS)
        self.assertEqual(self.picture(path)[1]["bar"], 1)
        certificate = path.with_name("count.csv.certificate.json")
        path.write_text(path.read_text().replace("all", "All"))
        self.assertIn("not the file that the certificate was written for",
                      self.refuse(4, "plot", "release", path, "--output", "-"))
        certificate.write_text("{}")
        self.assertIn("must be a certificate", self.refuse(4, "plot", "release", path, "--output", "-"))
        certificate.unlink()
        self.refuse(4, "plot", "release", path, "--output", "-")
        moments = self.fresh("moments.csv")
        self.succeed("release", "covariance", WAGES, "--range-of-all", "0:80", "--output", moments, *TARGET)
        self.assertIn("value, lower and upper", self.refuse(4, "plot", "release", moments, "--output", "-"))

    def test_names_are_text(self):
        path = self.release("count", "odd.csv", VISITS, "--by", "region", "--categories", "<b>,a&b,\"x, y\"")
        self.assertEqual(self.picture(path)[1]["bar"], 3)
        self.assertIn("a&b", self.text)


if __name__ == "__main__":
    unittest.main()
