"""modicum plot projections."""

import collections
import json
import math
import os
import pathlib
import random
import re
import struct
import unittest
import xml.etree.ElementTree

from _support import CommandLineTest, dot

EXAMPLE = pathlib.Path(os.environ["MODICUM_SOURCE_DIR"]) / "examples" / "genotypes.csv"
SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["u", "v", "w"]


def made_up(count=60, seed=1):
    """Rows (kind, u, v, w) in [-1, 1]: u varies most, then v, then w."""
    source = random.Random(seed)
    return [[source.choice(["oak", "elm", "ash"]), source.uniform(-1, 1),
             source.uniform(-0.6, 0.6), source.uniform(-0.2, 0.2)] for _ in range(count)]


def as_table(rows, header=("kind", *NAMES)):
    return "\n".join(",".join(map(str, row)) for row in [header, *rows]) + "\n"


def as_components(columns, names=NAMES):
    lines = [f"name,{','.join(f'component_{j + 1}' for j in range(len(columns)))}"]
    lines += [",".join([name, *(repr(column[i]) for column in columns)])
              for i, name in enumerate(names)]
    return "\n".join(lines) + "\n"


class ProjectionsTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.rows = made_up()
        self.table = self.file(as_table(self.rows), "trees.csv")
        self.out = self.folder / "out.svg"

    def arguments(self, *more, table=None, scaling=("--range-of-all", "-1:1")):
        return ("plot", "projections", table or self.table, *scaling, "--output", self.out,
                "--confidential", *more)

    def plot(self, *more, **options):
        return self.answer(*self.arguments(*more, **options))

    def refused(self, code, *more, **options):
        error = self.refuse(code, *self.arguments(*more, **options))
        self.assertFalse(self.out.exists())
        return error

    def dots(self):
        """How many marks each group has, in the order of drawing."""
        groups = xml.etree.ElementTree.parse(self.out).iter(f"{SVG}g")
        return [len(list(group)) for group in groups if group.get("class") == "dots"]

    def texts(self):
        return [element.text for element in
                xml.etree.ElementTree.parse(self.out).iter(f"{SVG}text")]

    def counts(self, result):
        return {category["label"]: category["rows"] for category in result["categories"]}

    def places(self):
        """Of the circles, in the picture: (x, y) up to scales and shifts."""
        return [(float(circle.get("cx")), -float(circle.get("cy")))
                for group in xml.etree.ElementTree.parse(self.out).iter(f"{SVG}g")
                if group.get("class") == "dots" for circle in group.iter(f"{SVG}circle")]


class PlotProjections(ProjectionsTest):
    def test_dots_are_the_scores_of_rows_along_given_components(self):
        columns = [[0.6, 0.0, 0.8], [0.0, 1.0, 0.0]]
        components = self.file(as_components(columns), "axes.csv")
        result = self.plot("--components", components, "--exclude", "kind")
        self.assertEqual((result["rows"], result["aligned"], result["categories"]),
                         (60, False, []))
        scores = [[dot(row[1:], column) for column in columns] for row in self.rows]
        squares = sum(dot(row[1:], row[1:]) for row in self.rows)
        for axis, found in enumerate(result["axes"]):
            values = [score[axis] for score in scores]
            self.assertEqual(found["component"], axis + 1)
            self.assertAlmostEqual(found["lower"], min(values), 5)
            self.assertAlmostEqual(found["upper"], max(values), 5)
            self.assertAlmostEqual(found["share_of_squares"], dot(values, values) / squares, 5)
        # The picture maps both axes linearly: two rows tell the map, the others follow it.
        places = self.places()
        self.assertEqual(len(places), 60)
        for axis in 0, 1:
            values = [score[axis] for score in scores]
            low, high = values.index(min(values)), values.index(max(values))
            slope = ((places[high][axis] - places[low][axis]) / (values[high] - values[low]))
            self.assertGreater(slope, 0)
            for value, place in zip(values, places):
                expected = places[low][axis] + slope * (value - values[low])
                self.assertAlmostEqual(place[axis], expected, delta=0.16)

    def test_colors_by_words_and_counts(self):
        result = self.plot("--label", "kind")
        expected = collections.Counter(row[0] for row in self.rows)
        self.assertEqual(list(self.counts(result).items()), sorted(expected.items()))
        self.assertEqual(self.dots(), [count for _, count in sorted(expected.items())])
        texts = self.texts()
        for name in expected:
            self.assertIn(name, texts)
        text = self.succeed(*self.arguments("--label", "kind"))
        self.assertTrue(text.startswith("Confidential"))
        for part in "60 rows", "oak":
            self.assertIn(part, text)

    def test_colors_by_numbers_in_their_order(self):
        rows = [[10 - i % 3 * 4, *row[1:]] for i, row in enumerate(self.rows)]
        result = self.plot("--label", "kind", table=self.file(as_table(rows), "numbers.csv"))
        self.assertEqual(list(self.counts(result).items()), [("2", 20), ("6", 20), ("10", 20)])
        # A column may be a coordinate and a label.
        result = self.plot("--label", "kind", "--select", "kind", "u", "v",
                           table=self.file(as_table(rows), "numbers.csv"))
        self.assertEqual((result["rows"], len(result["categories"])), (60, 3))

    def test_thirteenth_category_and_more_are_other(self):
        rows = [[f"k{min(i // 2, 14):02}", *row[1:]] for i, row in enumerate(self.rows)]
        result = self.plot("--label", "kind", table=self.file(as_table(rows), "many.csv"))
        counts = self.counts(result)
        self.assertEqual(len(counts), 13)
        self.assertEqual((counts["k14"], counts["k00"], counts["other"]), (32, 2, 6))
        self.assertEqual(list(counts)[-1], "other")
        self.assertEqual(sum(self.dots()), 60)
        self.assertEqual(self.dots()[0], 6)  # beneath the others
        self.assertIn("#999999", self.out.read_text())

    def test_malformed_rows_are_left_out(self):
        text = as_table(self.rows) + "elm,zero,0,0\nelm,,0,0\nelm,0,0\nelm,nan,0,0\nyew,0,0,0\n"
        result = self.plot("--label", "kind", table=self.file(text, "bad.csv"))
        self.assertEqual(result["rows"], 61)
        self.assertEqual(self.counts(result)["yew"], 1)
        self.out.unlink()
        error = self.refused(4, "--label", "kind", "--strict", table=self.folder / "bad.csv")
        self.assertIn("line 62", error)
        self.assertNotIn("zero", error)

    def test_without_components_the_axes_are_the_eigenvectors(self):
        result = self.plot("--label", "kind")
        first, second = result["axes"]
        self.assertGreater(first["share_of_squares"], second["share_of_squares"])
        spectrum = self.folder / "eigenvalues.json"
        self.succeed("report", "spectrum", self.table, "--exclude", "kind", "--range-of-all",
                     "-1:1", "--output", spectrum, "--confidential")
        values = json.loads(spectrum.read_text())
        for axis, value in zip(result["axes"], values):
            self.assertAlmostEqual(axis["share_of_squares"], value / sum(values), 9)

    def test_aligned_components_keep_their_span(self):
        truth = self.plot("--label", "kind")["axes"]
        # The plane of the true components within rounding: u and v, turned by some angle.
        turn = 0.7
        columns = [[math.cos(turn), math.sin(turn), 0.0], [math.sin(turn), -math.cos(turn), 0.0]]
        path = self.file(as_components(columns), "axes.csv")
        plain = self.plot("--label", "kind", "--components", path)
        aligned = self.plot("--label", "kind", "--components", path, "--align")
        self.assertTrue(aligned["aligned"])

        def shares(result):
            return [axis["share_of_squares"] for axis in result["axes"]]
        self.assertAlmostEqual(sum(shares(plain)), sum(shares(aligned)), 9)
        self.assertGreater(abs(plain["axes"][0]["upper"] - truth[0]["upper"]), 0.05)
        for found, true in zip(aligned["axes"], truth):
            self.assertAlmostEqual(found["share_of_squares"], true["share_of_squares"], delta=0.02)
            self.assertAlmostEqual(found["upper"], true["upper"], delta=0.05)
        # Three components span everything: turned, they are the true ones.
        third = self.file(as_components([*columns, [0.0, 0.0, 1.0]]), "three.csv")
        aligned = self.plot("--label", "kind", "--components", third, "--align")
        for found, true in zip(aligned["axes"], truth):
            for key in "lower", "upper", "share_of_squares":
                self.assertAlmostEqual(found[key], true[key], 9)

    def test_kinds_of_component_files(self):
        columns = [[0.6, 0.0, 0.8], [0.0, 1.0, 0.0]]
        rows = [list(row) for row in zip(*columns)]
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }"
        header += b" " * (64 - (10 + len(header) + 1) % 64) + b"\n"
        npy = self.folder / "axes.npy"
        npy.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
                        + b"".join(struct.pack("<2d", *row) for row in rows))
        named = {"rows": NAMES, "columns": ["component_1", "component_2"], "values": rows}
        pictures = set()
        for path in (self.file(as_components(columns), "axes.csv"), npy, self.file(named, "n.json"),
                     self.file(rows, "p.json"), self.file("0.6,0\n0,1\n0.8,0\n", "p.csv")):
            self.plot("--label", "kind", "--components", path, "--title", "one")
            pictures.add(self.out.read_bytes())
        self.assertEqual(len(pictures), 1)

    def test_components_of_other_columns_are_refused(self):
        unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
        two = [[1.0, 0.0], [0.0, 1.0]]
        for content, part in ((as_components(unit, ["u", "w", "v"]), '"v" there'),
                              (as_components(two, ["u", "v"]), "2 rows"),
                              (as_components(unit[:1]), "1 column"),
                              (as_components([[0.0] * 3] * 2), "all zeros"),
                              (as_components([unit[0], unit[0]]), "orthogonal"),
                              (as_components([[2.0, 0, 0], unit[1]]), "length 1")):
            error = self.refused(2, "--label", "kind", "--components",
                                 self.file(content, "axes.csv"))
            self.assertIn("--components", error)
            self.assertIn(part, error)
        for name, content in (("word.csv", "name,a,b\nu,1,x\n"), ("broken.json", "{")):
            self.refused(4, "--label", "kind", "--components", self.file(content, name))
        self.refused(4, "--label", "kind", "--components", self.folder / "none.csv")

    def test_ranks_need_no_ranges(self):
        steep = [[row[0], math.exp(9 * row[1]), row[2] ** 3, row[3]] for row in self.rows]
        scores = []
        for rows in self.rows, steep:  # ranks do not change under growing functions
            table = self.file(as_table(rows), "ranked.csv")
            scores.append(self.plot("--label", "kind", "--ranks", table=table, scaling=())["axes"])
        self.assertEqual(scores[0], scores[1])
        self.assertLessEqual(scores[0][0]["upper"], math.sqrt(3))
        self.out.unlink()
        self.assertIn("--range-of-all", self.refused(2, "--label", "kind", "--ranks"))

    def test_rows_are_clipped_and_scaled_to_the_root_of_the_dimension(self):
        components = self.file(as_components([[1.0, 0, 0], [0, 1.0, 0]]), "axes.csv")
        table = self.file("u,v,w\n3,0,0\n0,-50,0\n", "long.csv")
        result = self.plot("--components", components, table=table,
                           scaling=("--row-norm-bound", 6))
        first, second = result["axes"]
        self.assertAlmostEqual(first["upper"], math.sqrt(3) / 2, 5)
        self.assertAlmostEqual(second["lower"], -math.sqrt(3), 5)

    def test_only_for_the_holder_of_the_data(self):
        arguments = [a for a in self.arguments("--label", "kind") if a != "--confidential"]
        error = self.refuse(2, *arguments)
        self.assertIn("--confidential", error)
        self.assertFalse(self.out.exists())
        self.plot("--label", "kind")
        self.assertEqual(self.out.stat().st_mode & 0o777, 0o600)

    def test_equal_runs_give_equal_bytes(self):
        pictures = set()
        for threads in 1, 2, 2:
            self.plot("--label", "kind", "--threads", threads)
            pictures.add(self.out.read_bytes())
        self.assertEqual(len(pictures), 1)

    def test_standard_output_and_title(self):
        picture = self.succeed("plot", "projections", self.table, "--range-of-all", "-1:1",
                               "--label", "kind", "--title", "a < b", "--output", "-",
                               "--confidential")
        self.assertTrue(picture.startswith("<svg"))
        self.assertIn("a &lt; b", picture)
        self.refuse(2, "plot", "projections", self.table, "--range-of-all", "-1:1", "--label",
                    "kind", "--output", "-", "--confidential", "--json")

    def test_bad_arguments(self):
        components = self.file(as_components([[1.0, 0, 0], [0, 1.0, 0]]), "axes.csv")
        for code, more, part in ((2, ["--label", "none"], "--label"),
                                 (2, ["--label", "kind", "--align"], "--align"),
                                 (2, ["--select", "u"], "at least 2"),
                                 (2, ["--label", "kind", "--exclude", "u", "v", "w"], "--label"),
                                 (2, ["--select", "u", "none"], "--select"),
                                 (4, [], "exclude")):  # kind is no number: no row is left
            self.assertIn(part, self.refused(code, *more))
        self.assertIn("--row-norm-bound", self.refused(2, "--label", "kind", scaling=()))
        base = ("plot", "projections", self.table, "--range-of-all", "-1:1", "--label", "kind",
                "--confidential", "--components", components, "--output")
        self.assertIn("--output", self.refuse(2, *base, self.folder / "out.png"))
        self.assertIn("cannot be written", self.refuse(1, *base, self.folder / "none" / "out.svg"))
        svg = self.folder / "axes.svg"
        svg.write_text(components.read_text())
        for data, given in ((svg, components), (self.table, svg)):
            self.assertIn("--output", self.refuse(
                2, "plot", "projections", data, "--range-of-all", "-1:1", "--label", "kind",
                "--confidential", "--components", given, "--output", svg))
        self.assertEqual(svg.read_text(), components.read_text())

    def test_released_components_of_the_example(self):
        axes = self.folder / "axes.csv"
        self.succeed("release", "components", EXAMPLE, "--exclude", "region", "--range-of-all",
                     "0:2", "--components", 2, "--epsilon", 50, "--delta", "1e-6", "--output", axes)
        result = self.plot("--label", "region", "--components", axes, "--align", table=EXAMPLE,
                           scaling=("--range-of-all", "0:2"))
        with open(EXAMPLE) as lines:
            regions = collections.Counter(line.split(",")[0] for line in list(lines)[1:])
        self.assertEqual(self.counts(result), dict(sorted(regions.items())))
        self.assertEqual(sum(self.dots()), sum(regions.values()))

    def test_help(self):
        text = self.succeed("plot", "projections", "--help")
        self.assertIn("Example:", text)
        self.assertTrue(re.search(r"--confidential +required", text))
        self.assertLess(max(map(len, text.splitlines())), 121)


if __name__ == "__main__":
    unittest.main()
